"""What a pretrained model learns here: SmolLM2 in five worlds of five families, on test tasks, before and after.

    python -m agentgym.baselines.pretrained --plan
    python -m agentgym.baselines.pretrained --out FOLDER
    python -m agentgym.baselines.pretrained --out FOLDER --worlds FrozenLake-v0 --only cloned,grpo --seeds 2

The model is played as it comes, taught by the recipes `smollm2_grpo` and `smollm2_gigpo` (`agentgym train NAME
--world.id WORLD` does the same), and played again: equal test tasks, equal random draws, the prompt that it was trained
under. As it comes it is played twice: so, and as `agentgym eval --agent hf:smollm2` asks it, shown the manual, with the
likeliest words and room for more of them; what is gained is counted from the better of the two.

A part of the study is a world, an arm and a seed. The most telling come first, each is written to `FOLDER/WORLD.json`
when it has been measured, and the same command goes on where it was cut off, also within a training. Where a recipe has
changed, its parts are measured anew. `--hours` begins no further part after so many hours.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from agentgym.baselines.pretrained.plan import PLAN_HEADS, planned
from agentgym.baselines.pretrained.results import GAIN, HEADS, read, rows, verdicts
from agentgym.baselines.pretrained.study import ARMS, SEEDS, WORLDS, Part, measured, stages
from agentgym.core import AgentGymError, unknown

RUNS = Path("runs") / "pretrained"


def printed(title: str, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """A table on the screen.

    Args:
        title: Above it.
        heads: Of its columns.
        lines: Its cells, line by line.
    """
    shown = Table(*heads, title=title)
    for line in lines:
        shown.add_row(*line)
    Console().print(shown)


def study(parts: Sequence[Part], do: Callable[[Part], bool], hours: float | None) -> int:
    """Measure parts in their order; how many could not be, or were not begun in time.

    Args:
        parts: Which ones.
        do: Measures one.
        hours: After which no further one is begun; None for no limit.
    """
    began, left = time.monotonic(), 0
    for part in parts:
        if hours is not None and time.monotonic() - began > 3600 * hours:
            left += 1
            continue
        begun = time.monotonic()
        try:
            new = do(part)
        except AgentGymError as error:  # a world that is not there keeps nobody from the others
            left += 1
            sys.stdout.write(f"{part}: not measured: {error}\n")
            continue
        sys.stdout.write(f"{part}: {f'{(time.monotonic() - begun) / 60:.1f} minutes' if new else 'was measured'}\n")
        sys.stdout.flush()
    return left


def main(arguments: Sequence[str]) -> int:
    """Measure what is missing and print the table; 1 if something was left."""
    parser = argparse.ArgumentParser(prog="agentgym.baselines.pretrained", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="folder of the records, such as baselines/results/pretrained")
    parser.add_argument("--runs", type=Path, default=RUNS, help="folder of the trainings (%(default)s)")
    parser.add_argument("--worlds", default=",".join(WORLDS), help="names with commas between them; the first is first")
    parser.add_argument("--only", default=",".join(ARMS), help=f"arms with commas between them, of {', '.join(ARMS)}")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="of each arm in the end (%(default)s)")
    parser.add_argument("--hours", type=float, help="after which no further part is begun")
    parser.add_argument("--plan", action="store_true", help="print what all of it is supposed to take, and do nothing")
    given = parser.parse_args(arguments)
    worlds, arms = given.worlds.split(","), given.only.split(",")
    for kind, names, known in (("world of the study", worlds, WORLDS), ("arm of the study", arms, ARMS)):
        for name in names:
            if name not in known:
                parser.error(str(unknown(kind, name, known)))
    if given.seeds < 1:
        parser.error(f"--seeds must be at least 1, got {given.seeds}")
    if given.plan:
        printed("Supposed, on two cores", PLAN_HEADS, planned(worlds, given.seeds))
        return 0
    if given.out is None:
        parser.error("--out is missing: name a folder for the records, or give --plan")
    chosen = [part for _, parts in stages(worlds, given.seeds) for part in parts if part.arm in arms]
    left = study(chosen, lambda part: measured(part, given.out, given.runs), given.hours)
    records = read(given.out)
    printed("SmolLM2-135M-Instruct", HEADS, rows(records))
    for line in verdicts(records) or [f"No gain of {100 * GAIN:.0f} points over {SEEDS} seeds is on record yet."]:
        sys.stdout.write(f"{line}\n")
    return int(left > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
