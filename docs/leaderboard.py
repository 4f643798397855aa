"""SmolLM2 in every world, without and with an example, beside the players of the cards: measured, and as a table.

    python -m docs.leaderboard                     # goes on where it stopped; Ctrl-C keeps what was played
    python -m docs.leaderboard --minutes 30 --worlds FrozenLake-v0,KuhnPoker-v0

A small model on two cores plays few and short episodes: `CAPS` says which, and the page says so. Each world is written
down as soon as it was played, and an episode that has ended is not played again, so that the command can be stopped at
any time. What was played lies in a folder of `runs/leaderboard`, by the caps, where `agentgym report` and `agentgym
leaderboard` read it; figures go to `baselines/results/leaderboard/smollm2.json`, of which the manual's page is made.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import agentgym
from agentgym.core import EnvCard, catalog, fingerprint
from agentgym.evaluate import Suite, SuiteWorld, evaluate_suite
from agentgym.report import machine
from docs.docstring import escaped, table
from docs.worlds import AGENTS, family, scored, slug, title

RECORD = Path(__file__).parents[1] / "baselines" / "results" / "leaderboard" / "smollm2.json"
RUNS = Path("runs") / "leaderboard"
CAPS = {"episodes": 4, "turns": 10, "answer_tokens": 32, "prompt_tokens": 6000}
SHOTS = {"zero-shot": 0, "one example": 1}
COMMAND = "python -m docs.leaderboard"


def measure(card: EnvCard, asked: str, runs: Path) -> dict[str, Any]:
    """Let SmolLM2 play a world; its figures, or why it was not played.

    Args:
        card: The world.
        asked: A key of `SHOTS`.
        runs: Folder of the records.
    """
    size = card.splits["test"]
    episodes = CAPS["episodes"] if size is None else min(CAPS["episodes"], size)
    world = SuiteWorld(
        f"agentgym:{card.id}", card.kind, "test", episodes, {"max_turns": min(CAPS["turns"], card.max_turns)}
    )
    options = {
        "model": "smollm2",
        "device": "cpu",
        "max_tokens": CAPS["answer_tokens"],
        "max_prompt_tokens": CAPS["prompt_tokens"],
        "concurrency": CAPS["episodes"],
    }
    began = time.process_time()
    (found,) = evaluate_suite(
        Suite("leaderboard", "One world.", (world,)), "hf", agent_options=options, shots=SHOTS[asked],
        out=runs / fingerprint(CAPS)[:8] / asked.replace(" ", "-") / card.name, workers=0,
    ).worlds  # fmt: skip
    seconds = round(time.process_time() - began, 1)
    played = found.played
    if played is None or not played.scored:
        return {"reason": found.reason, "processor_seconds": seconds}
    return {
        "episodes": played.episodes, "scored": played.scored, "success": round(played.success.value, 4),
        "progress": round(played.progress.value, 4), "score": round(played.score.value, 4),
        "read": played.prompt_tokens, "written": played.completion_tokens, "processor_seconds": seconds,
    }  # fmt: skip


def read() -> dict[str, Any]:
    """The record, or an empty one if nothing was measured with these caps."""
    if RECORD.exists():
        record: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf8"))
        if record["caps"] == CAPS:
            return record
    return {"caps": CAPS, "command": COMMAND, "version": agentgym.__version__, "machine": machine(), "worlds": {}}


def write(record: Mapping[str, Any]) -> None:
    """Keep the record, worlds in alphabetical order."""
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    ordered = {**record, "worlds": dict(sorted(record["worlds"].items()))}
    RECORD.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf8")


def missing(record: Mapping[str, Any], cards: Sequence[EnvCard]) -> list[tuple[str, EnvCard]]:
    """What is still to be played: all worlds without an example, then all with one; worlds without files first."""
    ordered = sorted(cards, key=lambda card: (len(card.requires), len(card.extras), card.name))
    return [(asked, card) for asked in SHOTS for card in ordered if asked not in record["worlds"].get(card.name, {})]


def board(cards: Sequence[EnvCard]) -> str:
    """The table of the manual, and above it how much of it was played.

    Args:
        cards: The worlds.
    """
    record = read()
    shown, counts = [], dict.fromkeys(SHOTS, 0)
    for card in sorted(cards, key=lambda card: (family(card.kind), card.name)):
        found = record["worlds"].get(card.name, {})
        cells = []
        for asked in SHOTS:
            entry = found.get(asked)
            counts[asked] += entry is not None and "reason" not in entry
            cells.append(_cell(entry))
        shown.append(
            (f"[{title(card)}](worlds/{slug(card)}.md)", *(each.split(" / ")[0] for each in scored(card)), *cells)
        )
    played = ", ".join(f"{asked} in {count} of {len(cards)} environments" for asked, count in counts.items())
    heads = ("environment", *AGENTS, *(f"SmolLM2, {asked}" for asked in SHOTS))
    reasons = sorted(
        {f"{title(card)}, {asked}: {escaped(entry['reason'])}" for card in cards
         for asked, entry in record["worlds"].get(card.name, {}).items() if "reason" in entry}
    )  # fmt: skip
    told = "\n".join(f"- {reason}" for reason in reasons)
    return f"Played so far: {played}.\n\n{table(heads, shown)}" + (f"\n\nNot played:\n\n{told}" if told else "")


def _cell(entry: Mapping[str, Any] | None) -> str:
    if entry is None:
        return ""
    if "reason" in entry:
        return "not played"
    return f"{entry['success']:.2f}, progress {entry['progress']:.2f}"


def main(arguments: Sequence[str]) -> int:
    """Play what is missing; 1 if the time was up before all was played."""
    parser = argparse.ArgumentParser(prog="docs.leaderboard", description="SmolLM2 in every world.")
    parser.add_argument("--minutes", type=float, help="after which no further world is begun")
    parser.add_argument("--worlds", help="names with commas between them; all by default")
    given = parser.parse_args(arguments)
    names = given.worlds.split(",") if given.worlds else None
    cards = [
        card for card in catalog().values() if card.id.startswith("AgentGym/") and (not names or card.name in names)
    ]
    record, began = read(), time.monotonic()
    for asked, card in missing(record, cards):
        if given.minutes is not None and time.monotonic() - began > 60 * given.minutes:
            return 1
        found = measure(card, asked, RUNS)
        record["worlds"].setdefault(card.name, {})[asked] = found
        write(record)
        sys.stdout.write(f"{card.name}, {asked}: {json.dumps(found)}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
