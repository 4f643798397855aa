"""The check that scripted opponents grow stronger from one to the next."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentgym.conformance.env_under_test import EnvUnderTest
from agentgym.conformance.errors import NotApplicable, Violation
from agentgym.conformance.play import Play, begin
from agentgym.conformance.players import LEVEL
from agentgym.conformance.scores import FIRST_SEED, play_out
from agentgym.core import Driver

QUANTILE = 2.576  # of the normal distribution: intervals at 99 %
FEWEST, MOST = 20, 5_120  # pairs of games between two opponents


@dataclass(frozen=True, slots=True)
class OpponentComparison:
    """A comparison of two scripted opponents over the same tasks with sides changed.

    Attributes:
        games: Games played.
        points: Share of the games that the first won, a draw counting half.
        lead: Mean of its return less the others' (less the other team's, where all play together), per game.
        radius: Half the width of the lead's 99 % interval.
    """

    games: int
    points: float
    lead: float
    radius: float


def _judged(found: Sequence[Sequence[float]]) -> OpponentComparison:
    """The match of given leads of the better, one list a task."""
    leads = [math.fsum(each) / len(each) for each in found]
    points = [0.5 if lead == 0 else float(lead > 0) for each in found for lead in each]
    mean = math.fsum(leads) / len(leads)
    spread = math.sqrt(math.fsum((lead - mean) ** 2 for lead in leads) / max(1, len(leads) - 1))
    return OpponentComparison(
        len(points), math.fsum(points) / len(points), mean, QUANTILE * spread / math.sqrt(len(leads))
    )


def _leads(env: EnvUnderTest, better: str, worse: str, split: str) -> Iterator[list[float]]:
    """By how much the better leads, task after task without end: once with each side in its hands, which cancels luck.

    A side is a team, which in most games is one player; its return is the mean over its players.
    """
    driver = env.drive(split=split)
    size = driver.world.tasks(split).size
    players = driver.players
    for pair in itertools.count():
        found, task, first = [], pair if size is None else pair % size, FIRST_SEED + pair * len(players)
        sides = _sides(driver, first, task) if env.card.rival else [list(players)]
        for turn, side in enumerate(sides):
            play = Play("random", first + turn, task=task)
            if env.card.rival:
                held = {player: f"{LEVEL}{better if player in side else worse}" for player in players}
                earned, _ = play_out(driver, play, held)
                others = [value for player, value in earned.items() if player not in side]
                lead = math.fsum(earned[player] for player in side) / len(side) - math.fsum(others) / len(others)
            else:
                one, other = (
                    math.fsum(play_out(driver, play, dict.fromkeys(players, f"{LEVEL}{level}"))[0].values())
                    for level in (better, worse)
                )
                lead = (one - other) / len(players)
            found.append(lead)
        yield found


def _sides(driver: Driver, seed: int, task: int) -> list[list[str]]:
    """The players of each team in a task, which may deal the teams."""
    begin(driver, Play("random", seed, task=task))
    sides: dict[str, list[str]] = {}
    for player in driver.players:
        sides.setdefault(driver.told("team", player), []).append(player)
    return list(sides.values())


def opponents(env: EnvUnderTest) -> str:
    """M3: at least three scripted opponents, each of which beats the one before it, with an interval above even."""
    env.world()
    if env.alone:
        raise NotApplicable("there is one player only")
    levels = env.card.opponents
    if len(levels) < 3 or levels[:2] != ("random", "simple"):
        raise Violation(f"the scripted opponents are {levels}.", "give at least random, simple and strong, in order.")
    told = []
    for worse, better in itertools.pairwise(levels):
        more = _leads(env, better, worse, "test")
        played = list(itertools.islice(more, FEWEST))
        while (found := _judged(played)).lead <= found.radius and len(played) < MOST:
            played += itertools.islice(more, min(4 * len(played), MOST) - len(played))
        if found.lead <= found.radius:
            raise Violation(
                f"{better!r} leads {worse!r} by {found.lead:.4f} ± {found.radius:.4f} a game over {found.games} games.",
                "order the opponents by strength, or make the better one better.",
            )
        told.append(
            f"{better} beats {worse}: {found.points:.3f} of {found.games}, {found.lead:+.3f} ± {found.radius:.3f}"
        )
    return "; ".join(told)
