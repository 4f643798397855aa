"""Measures ALFWorld here and in its packages, on the same games and commands in one run.

    python -m tests.benchmarks.bench_alfworld [--games FOLDER] [--count N]

Processor time of the engine alone. Without a folder of official games it plays those that `Household-v1` exports. Each
game is begun, played for some commands, and begun again. Exit status 1 where an answer differs from the packages'.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentgym.envs.text._household.export import game_files
from agentgym.envs.text._text_world.child import Engine

GAMES, COMMANDS = 8, 25


class Packages(Engine):
    """The engine as `alfworld` and `textworld` have it."""

    def _spare_repetition(self) -> None:
        """Nothing is spared."""


def answers(engine: Engine, paths: list[Path], spent: dict[str, list[float]]) -> Iterator[Any]:
    """What an engine says of each game; `spent` is given the seconds of its calls.

    Args:
        engine: Which plays.
        paths: Of the games.
        spent: Lists named `begun`, `step` and `again`.
    """

    def timed(name: str, call: Any, argument: str) -> Any:
        began = time.process_time()
        told = call(argument)
        spent[name].append(time.process_time() - began)
        return told

    for number, path in enumerate(paths):
        told = timed("begun", engine.begin, str(path))
        for turn in range(COMMANDS):
            yield told
            possible = told["admissible_commands"]
            told = timed("step", engine.step, possible[(7 * turn + number) % len(possible)])
        yield told
        yield timed("again", engine.begin, str(path))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", help="folder of ALFWorld's games, such as json_2.1.1")
    parser.add_argument("--count", type=int, default=GAMES, help="how many of them")
    options = parser.parse_args()
    folder = options.games or game_files(tempfile.mkdtemp())["games"]
    paths = sorted(Path(folder).rglob("*.tw-pddl"))[: options.count]
    told, milliseconds = [], {}
    for engine in (Packages, Engine):  # ours last: it changes the packages within this process
        spent: dict[str, list[float]] = {name: [] for name in ("begun", "step", "again")}
        told.append([json.dumps(answer, default=str) for answer in answers(engine(folder), paths, spent)])
        milliseconds[engine.__name__] = {
            name: round(1000 * statistics.mean(seconds), 1) for name, seconds in spent.items()
        }
    print(f"{len(paths)} games, milliseconds of a first reset, a step and a second reset: {json.dumps(milliseconds)}")
    same = told[0] == told[1]
    print(f"{len(told[0])} answers, {'all equal' if same else 'NOT equal'}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
