"""Plays the gold path of every seed that TextWorldExpress names, and says which of them nobody can win.

    python tests/benchmarks/sweep_text_world_express.py [--games NAME ...] [--folds NAME ...]

They must be those that `agentgym.envs.text._text_world_express.games.TWICE` leaves out, all of Pecking Order's `dev`
fold. Exit status 1 where they differ. 24,000 games take some minutes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from agentgym.envs.text._text_world_express.engine import Episode
from agentgym.envs.text._text_world_express.games import FOLDS, NAMES, SEEDS, TWICE
from agentgym.envs.text.text_world_express import Config

SHOWN = 10  # unexpected ones of a game and fold that are printed


def lost(game: str, split: str) -> Iterator[int]:
    """The seeds of a game and split that its gold path does not win, in the engine's own words.

    Args:
        game: Its name.
        split: `train`, `val` or `test`.
    """
    fold, first = FOLDS[split]
    params = Config((game,)).params
    for seed in range(first, first + SEEDS):
        episode = Episode(game, params, fold, seed)
        with episode.world(begin=True) as world:
            told = world.begin(game, params, fold, seed, gold=True)
            for action in world.gold():
                if action in told["validActions"] and not told["tasksuccess"] and not told["taskfailure"]:
                    told = world.step(action)
        if not told["tasksuccess"]:
            yield seed


def main() -> int:
    """Print what each game and fold has, and compare it with the list."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--games", nargs="*", choices=NAMES, default=list(NAMES))
    reader.add_argument("--folds", nargs="*", choices=list(FOLDS), default=list(FOLDS))
    wanted, wrong = reader.parse_args(), False
    for game in wanted.games:
        for split in wanted.folds:
            found = set(lost(game, split))
            first = FOLDS[split][1]
            listed = {seed for seed in TWICE if game == "peckingorder" and first <= seed < first + SEEDS}
            sys.stdout.write(f"{game} {split}: {SEEDS - len(found)} of {SEEDS} won\n")
            if found != listed:
                wrong = True
                sys.stdout.write(f"  not on the list: {sorted(found - listed)[:SHOWN]}\n")
                sys.stdout.write(f"  on the list, and won: {sorted(listed - found)[:SHOWN]}\n")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
