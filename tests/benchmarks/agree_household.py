"""Plays the same actions in the original engine and in ours, game by game, and counts where they differ.

    python tests/benchmarks/agree_household.py FOLDER [--from N] [--to N] [--limit STEPS] [--record FILE]

FOLDER holds games of the original engine (`*/trial_*/game.tw-pddl`). Compared at each step: feedback, reward, whether
the game is won, and the admissible commands. Needs the extra `worlds`. `--record` writes what the original said as the
sample that `tests/envs/test_household_original.py` reads where the original is not installed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "envs"))

from original_household import Comparison, Shown, compare


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--to", dest="last", type=int)
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("--record", type=Path)
    arguments = parser.parse_args()
    games = sorted(arguments.folder.rglob("game.tw-pddl"))[arguments.first : arguments.last]
    if not games:
        parser.error(f"{arguments.folder} holds no game.tw-pddl")
    steps = wins = refused = 0
    differences: list[str] = []
    records = []
    for number, path in enumerate(games):
        found = compare(path, arguments.first + number, arguments.limit)
        exchanges = [one for episode in found.episodes for one in episode]
        steps += len(exchanges)
        wins += sum(one.shown.won for one in exchanges)
        refused += sum(one.shown.feedback == "Nothing happens." for one in exchanges)
        differences += found.differences
        for line in found.differences[:3]:
            print(line)
        if arguments.record:
            records.append(record(path, found))
        if number % 20 == 19 or path == games[-1]:
            print(
                f"{number + 1} games, {steps} steps ({refused} refused), {wins} won, {len(differences)} differences",
                flush=True,
            )
    if arguments.record:
        with gzip.GzipFile(arguments.record, "wb", mtime=0) as file:
            file.write(json.dumps(records).encode())
    return 1 if differences else 0


def record(path: Path, found: Comparison) -> dict[str, object]:
    """The game and what the original said: [command, feedback, reward, won, admissible commands] of each step."""
    game = json.loads(path.read_text(encoding="utf8"))

    def plain(command: str, shown: Shown) -> list[object]:
        return [command, shown.feedback, shown.reward, shown.won, list(shown.commands)]

    return {
        "sentence": json.loads((path.parent / "traj_data.json").read_text(encoding="utf8"))["task_id"],
        "problem": game["pddl_problem"],
        "first": plain("", found.first),
        "episodes": [[plain(one.command, one.shown) for one in episode] for episode in found.episodes],
    }


if __name__ == "__main__":
    raise SystemExit(main())
