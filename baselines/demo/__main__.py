"""Run the demo: `python -m agentgym.baselines.demo [--out runs/demo] [--seeds 3]`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from agentgym.baselines.demo.lake import STAGES, Learned, Plan, steps
from agentgym.baselines.demo.page import build_page, points, spoken
from agentgym.baselines.demo.results import lift, over_seeds, rate, results
from agentgym.baselines.demo.shop import AGENTS, shop
from agentgym.baselines.demo.side_by_side import learn_side_by_side
from agentgym.core import AgentGymError
from agentgym.evaluate import EvaluationResult

GOALS = 50
MOST_SEEDS = 16


def main(arguments: Sequence[str] | None = None, plan: Plan | None = None, goals: int = GOALS) -> int:
    """The demo.

    Args:
        arguments: Of the command line; by default those of the process.
        plan: What a seed of the second half does; by default the published one.
        goals: Test goals of the first half.

    Returns:
        The exit status: 0 if all was done, 1 after an error that is said in one line, 130 after Ctrl-C.
    """
    parser = argparse.ArgumentParser(prog="python -m agentgym.baselines.demo", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/demo"), help="folder of the results (%(default)s)")
    parser.add_argument("--seeds", type=int, default=3, help="experiments on FrozenLake (%(default)s)")
    given = parser.parse_args(arguments)
    if not 1 <= given.seeds <= MOST_SEEDS:
        parser.error(f"--seeds must be 1 to {MOST_SEEDS}, got {given.seeds}")
    console = Console()
    command = f"python -m agentgym.baselines.demo --out {given.out} --seeds {given.seeds}"
    try:
        report = _run(given.out, given.seeds, plan or Plan(), goals, command, console)
    except AgentGymError as error:
        console.print(f"[red]error:[/red] {error}", highlight=False)
        return 1
    except KeyboardInterrupt:
        console.print(f"interrupted; finished episodes and updates are in {given.out}, the same command begins anew")
        return 130
    console.print(f"\nThe report: [bold]{report}[/bold]", highlight=False)
    return 0


def _run(out: Path, seeds: int, plan: Plan, goals: int, command: str, console: Console) -> Path:
    began = time.perf_counter()
    _clear(out)
    with _bars(console) as progress:
        bars = {agent: progress.add_task(f"WebShop: {agent}", total=goals) for agent in AGENTS}
        shopped = shop(goals, out, lambda agent: progress.update(bars[agent], advance=1))
        lakes = [progress.add_task(f"FrozenLake: seed {seed}", total=steps(plan), start=False) for seed in range(seeds)]

        def tell(seed: int, done: int) -> None:
            """Move the bar of a `seed` to the steps `done`; its clock starts with the first."""
            if done:
                progress.start_task(lakes[seed])
            progress.update(lakes[seed], completed=done)

        learned = learn_side_by_side(plan, seeds, out, tell)
    record = results(shopped, learned, plan, command, time.perf_counter() - began)
    _write_json(out / "results.json", record)
    report = build_page(shopped, learned, plan, record).write(out / "report.html")
    _print_tables(console, shopped, learned)
    console.print(f"All of it took {record['seconds']:.0f} seconds.", highlight=False)
    return report


def _clear(out: Path) -> None:
    """Remove what an earlier demo left, so that a report never stands beside another run's files."""
    for name in ("report.html", "results.json"):
        (out / name).unlink(missing_ok=True)
    for folder in out.glob("seed-*"):
        shutil.rmtree(folder)


def _bars(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description:<36}"),
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
    )


def _write_json(path: Path, record: Mapping[str, Any]) -> None:
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(json.dumps(record, indent=1) + "\n", encoding="utf8")
    os.replace(partial, path)


def _print_tables(console: Console, shopped: Mapping[str, EvaluationResult], learned: Sequence[Learned]) -> None:
    table = Table(title=f"WebShop, {shopped['oracle'].summary.tasks} test goals")
    for head in ("agent", "success (95 % interval)", "mean reward", "turns"):
        table.add_column(head, justify="left" if head == "agent" else "right")
    for agent, result in shopped.items():
        figures = result.summary
        table.add_row(agent, spoken(figures.success), f"{figures.score.value:.3f}", f"{figures.turns:.1f}")
    console.print(table)

    maps = len(learned[0].test["improved"])
    table = Table(title=f"FrozenLake, success in % on {maps} maps never trained on (95 % interval)")
    for head in ("seed", *STAGES, "GRPO added"):
        table.add_column(head, justify="right")
    for each in learned:
        rates = [rate(each, stage) for stage in STAGES]
        cells = [f"{100 * of.value:.1f} ({100 * of.low:.0f} – {100 * of.high:.0f})" for of in rates]
        gain = lift(each)
        added = f"{100 * gain.value:+.1f} ({100 * gain.low:+.0f} to {100 * gain.high:+.0f})"
        table.add_row(str(each.seed), *cells, added)
    console.print(table)
    gains = [lift(each).value for each in learned]
    mean = over_seeds(gains)
    said = f"{points(mean)} percentage points over {len(gains)} seeds" if mean else f"{100 * gains[0]:+.1f} points"
    console.print(f"GRPO changed the clone's success by {said}; smallest {100 * min(gains):+.1f}.", highlight=False)


if __name__ == "__main__":
    sys.exit(main())
