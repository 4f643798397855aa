"""Macros: runs of actions that recorded episodes hold again and again, to be played as one action each."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentgym.core import ConfigError, DataError
from agentgym.core.files import write_apart
from agentgym.evaluate.episode_record import EpisodeRecord
from agentgym.evaluate.trajectories import read_run
from agentgym.wrappers.actions.macros import LONGEST, MOST
from agentgym.wrappers.actions.portable import portable

Steps = tuple[str, ...]


@dataclass(frozen=True)
class Macro:
    """A run of actions that came again.

    Attributes:
        steps: In portable words; see `agentgym.wrappers.actions.portable`.
        times: How often it was found, apart from the macros found before.
        episodes: In how many episodes.
    """

    steps: Steps
    times: int
    episodes: int

    @property
    def saved(self) -> int:
        """Turns that it would have saved."""
        return self.times * (len(self.steps) - 1)


@dataclass(frozen=True)
class Mined:
    """What a run held.

    Attributes:
        world: Id of its world.
        macros: Those found, first what saves the most turns of those left.
        episodes, turns: Successful episodes that were read, and their turns.
    """

    world: str
    macros: tuple[Macro, ...]
    episodes: int
    turns: int

    @property
    def saved(self) -> int:
        """Turns that all macros together would have saved."""
        return sum(macro.saved for macro in self.macros)


def mine_run(run: str | Path, out: str | Path, *, most: int = 8, longest: int = 8, least: int = 3) -> Mined:
    """Find macros in the successful episodes of a run, and write them into a file for the wrapper `Macros`.

    AppAgentX (Jiang et al. 2025, arXiv:2503.02268) has a model find what is repetitive; here it is counted.

    Args:
        run: See `agentgym.evaluate.trajectories.read_run`; of one world with one player.
        out: The file, JSON.
        most: Most macros.
        longest: Most steps of one.
        least: Fewest episodes that hold one.

    Raises:
        ConfigError: if a number is out of bounds.
        DataError: if the run is of several worlds, of a game, or played with macros, or nothing in it comes again.
    """
    if not 1 <= most <= MOST or not 2 <= longest <= LONGEST or least < 2:
        raise ConfigError(
            f"most must be from 1 to {MOST}, longest from 2 to {LONGEST} and least at least 2, "
            f"got {most}, {longest} and {least}"
        )
    episodes = read_run(run)
    worlds = sorted({episode.env for episode in episodes})
    if len(worlds) > 1:
        raise DataError(f"{run} holds episodes of {len(worlds)} worlds; macros are of one, such as {worlds[0]}")
    if any(len(episode.players) > 1 for episode in episodes):
        raise DataError(f"{run} holds games of several players; macros are of worlds of one")
    if any(table.get("name") == "Macros" for episode in episodes for table in episode.wrappers):
        raise DataError(f"{run} was played with macros; find them in a run that was played without")
    won = [episode for episode in episodes if episode.scored and episode.success]
    macros = find_macros([_stretches(episode) for episode in won], most, longest, least)
    if not macros:
        raise DataError(
            f"no run of actions comes again in {least} of the {len(won)} successful episodes of {run}; "
            "give a run with more of them, or a smaller --least"
        )
    world = worlds[0].rpartition(":")[2]
    write_apart(out, json.dumps({"world": world, "macros": [macro.steps for macro in macros]}, indent=1) + "\n")
    return Mined(world, tuple(macros), len(won), sum(len(episode.turns) for episode in won))


def find_macros(episodes: Sequence[Sequence[Steps]], most: int, longest: int, least: int) -> list[Macro]:
    """Take the run of actions that saves most turns, strike it out everywhere, and begin again.

    Args:
        episodes: Of each, the stretches of actions in portable words; no macro goes beyond a stretch.
        most: Most macros.
        longest: Most steps of one.
        least: Fewest episodes that hold one.
    """
    left = [list(stretches) for stretches in episodes]
    found: list[Macro] = []
    while len(found) < most:
        times: Counter[Steps] = Counter()
        held: dict[Steps, set[int]] = defaultdict(set)
        for number, stretches in enumerate(left):
            for steps in _runs(stretches, longest):
                times[steps] += 1
                held[steps].add(number)
        enough = [steps for steps in times if len(held[steps]) >= least]
        if not enough:
            break
        best = max(enough, key=lambda steps: (times[steps] * (len(steps) - 1), len(steps), steps))
        found.append(Macro(best, times[best], len(held[best])))
        left = [[piece for stretch in stretches for piece in _without(stretch, best)] for stretches in left]
    return found


def _stretches(episode: EpisodeRecord) -> list[Steps]:
    """The actions of an episode in portable words, apart where one was refused or holds on its own page alone."""
    stretches: list[list[str]] = [[]]
    for turn in episode.turns:
        words = portable(turn.action, turn.observation) if turn.valid else None
        if words is None:
            stretches.append([])
        else:
            stretches[-1].append(words[0])
    return [tuple(stretch) for stretch in stretches if len(stretch) > 1]


def _runs(stretches: Sequence[Steps], longest: int) -> Iterator[Steps]:
    """Every run of up to `longest` actions of an episode, as often as it can be played one after another."""
    for stretch in stretches:
        free: dict[Steps, int] = {}  # the first place that the last one found leaves free
        for size in range(2, min(longest, len(stretch)) + 1):
            for begin in range(len(stretch) - size + 1):
                steps = stretch[begin : begin + size]
                if begin >= free.get(steps, 0):
                    free[steps] = begin + size
                    yield steps


def _without(stretch: Steps, steps: Steps) -> list[Steps]:
    """What is left of a stretch when a run of actions is struck out."""
    pieces, begin, at = [], 0, 0
    while at + len(steps) <= len(stretch):
        if stretch[at : at + len(steps)] == steps:
            pieces.append(stretch[begin:at])
            begin = at = at + len(steps)
        else:
            at += 1
    pieces.append(stretch[begin:])
    return [piece for piece in pieces if len(piece) > 1]
