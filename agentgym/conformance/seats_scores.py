"""Checks of scores: agents against the card's rival, and scripted opponents against each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agentgym.conformance.play import Play
from agentgym.conformance.scores import EPSILON, EXPLOITS, FIRST_SEED, Measured, _agrees, wilson
from agentgym.conformance.seats_play import LEVEL, game
from agentgym.conformance.seats_subject import SeatsSubject
from agentgym.conformance.verdict import NotApplicable, Violation
from agentgym.core import Score
from agentgym.core.scores import FILE

QUANTILE = 2.576  # of the normal distribution: intervals at 99 %
FEWEST, MOST = 20, 5_120  # pairs of games between two opponents


def measure(subject: SeatsSubject, split: str, agent: str, wanted: int | None) -> Measured:
    """Play one agent on tasks spread evenly over a split, from each seat in turn, against the card's rival.

    Where the card names no rival all seats are the agent's: success and return are those of the first.
    """
    places = subject.places(split, wanted)
    world = subject.make(split=split)
    wins, returns, failed = [], [], []
    for place in places:
        seat, held = _seated(world, subject.card.rival, agent, place)
        total, won = play_out(world, Play(agent, FIRST_SEED + place, task=place), held, seat)
        wins.append(won)
        returns.append(total)
        if not won:
            failed.append(place)
    size = subject.card.splits[split]
    return Measured(wins, returns, size is not None and len(places) == size, failed)


def _seated(world: Any, rival: str, agent: str, place: int) -> tuple[str, dict[str, str]]:
    seats = world.possible_agents
    if not rival:
        return seats[0], {}
    seat = seats[place % len(seats)]
    return seat, {other: agent if other == seat else f"{LEVEL}{rival}" for other in seats}


def play_out(world: Any, play: Play, held: dict[str, str], seat: str) -> tuple[float, bool]:
    """Return and success of a seat over a whole game."""
    returns, successes = play_game(world, play, held)
    return returns[seat], successes[seat]


def play_game(world: Any, play: Play, held: dict[str, str]) -> tuple[dict[str, float], dict[str, bool]]:
    """Returns and successes of all seats over a whole game."""
    returns = dict.fromkeys(world.possible_agents, 0.0)
    successes = dict.fromkeys(world.possible_agents, False)
    for answer in game(world, play, held):
        if None in answer.actions.values():
            break
        for seat, reward in answer.rewards.items():
            returns[seat] += reward
            successes[seat] = answer.infos[seat]["success"]
            if answer.infos[seat]["failure"]:
                raise Violation(f"the engine failed: {answer.infos[seat]['failure']}.", "mend the engine.")
    return returns, successes


def scores(subject: SeatsSubject, split: str, episodes: int | None, agents: Sequence[str]) -> dict[str, Score]:
    """What stands in a card, and the scores of further agents."""
    own = ["random", "nothing", *(name for name in ("expert", "oracle") if subject.has(f"_{name}"))]
    return {agent: measure(subject, split, agent, episodes).score for agent in dict.fromkeys((*own, *agents))}


def oracle(subject: SeatsSubject) -> str:
    """O1: the oracle succeeds as often against the rival as the card says."""
    if not subject.has("_oracle"):
        raise Violation("there is no oracle.", "implement _oracle(seat).")
    told = _stated(subject, "oracle", subject.size.tasks)
    known = subject.card.scores.get("test", {}).get("oracle")
    if known is not None and abs(known.success - subject.card.oracle_success) > EPSILON / 10:
        raise Violation(
            f"the card says oracle_success {subject.card.oracle_success}, but {known.success} on test.",
            "give the measured rate in both places.",
        )
    return told


def expert(subject: SeatsSubject) -> str:
    """O2: the expert reaches what the card says."""
    if not subject.has("_expert"):
        raise NotApplicable("the game has no expert")
    return _stated(subject, "expert", subject.size.tasks)


def random_agent(subject: SeatsSubject) -> str:
    """O2: random actions score what the card says."""
    return _stated(subject, "random", subject.size.episodes)


def nothing(subject: SeatsSubject) -> str:
    """O2: an agent that says the empty string every turn scores what the card says."""
    return _stated(subject, "nothing", subject.size.episodes)


def exploits(subject: SeatsSubject) -> str:
    """O6: repeating, swinging between two actions and rattling off the examples do not beat random actions."""
    split = next((split for split in ("test", "val") if split in subject.card.splits), next(iter(subject.card.splits)))
    known = subject.card.scores.get(split, {})
    baseline = known["random"].success if "random" in known else measure(subject, split, "random", 50).score.success
    told = []
    for agent in EXPLOITS:
        found = measure(subject, split, agent, subject.size.episodes)
        allowed = known[agent].success if agent in known else baseline + EPSILON
        if wilson(sum(found.wins), len(found.wins))[0] > allowed:
            raise Violation(
                f"the agent {agent!r} succeeds in {sum(found.wins)} of {len(found.wins)}; random in {baseline:.3f}.",
                f"mend the reward, or state the score of {agent!r} in {FILE} if the game is meant so.",
            )
        told.append(f"{agent} {sum(found.wins)}/{len(found.wins)}")
    return f"{split}: {', '.join(told)}; random {baseline:.3f}"


def _stated(subject: SeatsSubject, agent: str, wanted: int | None) -> str:
    card = subject.card
    if card.requires:
        raise NotApplicable("the card's figures are of the original data; here the fixture's data are played")
    lacking = [split for split in ("val", "test") if split in card.splits and agent not in card.scores.get(split, {})]
    if subject.ours and lacking:
        raise Violation(
            f"the card states no score of the agent {agent!r} on {lacking[0]!r}.",
            f"run  agentgym golden --update {subject.name}.",
        )
    told = []
    for split, stated in card.scores.items():
        if agent in stated:
            found = measure(subject, split, agent, wanted)
            _agrees(subject, split, agent, found)
            told.append(f"{split} {found.score.success:.3f}, return {found.score.score:.3f} ({len(found.wins)} games)")
    if not told:
        raise NotApplicable(f"the card states no score of the agent {agent!r}")
    return "; ".join(told)


@dataclass(frozen=True, slots=True)
class Match:
    """A comparison of two scripted opponents over the same tasks with seats changed.

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


def match(subject: SeatsSubject, better: str, worse: str, pairs: int, split: str = "test") -> Match:
    """Play two levels against each other; every task once with each side in the better's hands, which cancels its luck.

    A side is a team, which in most games is one seat; its return is the mean over its seats.
    """
    world = subject.make(split=split)
    size = world.tasks(split).size or pairs
    seats = world.possible_agents
    leads, points = [], []
    games = 0
    for pair in range(pairs):
        sums, task = [], pair % size
        sides = _sides(world, FIRST_SEED + pair * len(seats), task) if subject.card.rival else [seats]
        for turn, side in enumerate(sides):
            seed = FIRST_SEED + pair * len(seats) + turn
            if subject.card.rival:
                held = {seat: f"{LEVEL}{better if seat in side else worse}" for seat in seats}
                returns, _ = play_game(world, Play("random", seed, task=task), held)
                others = [value for seat, value in returns.items() if seat not in side]
                lead = math.fsum(returns[seat] for seat in side) / len(side) - math.fsum(others) / len(others)
            else:
                totals = []
                for level in (better, worse):
                    held = dict.fromkeys(seats, f"{LEVEL}{level}")
                    totals.append(math.fsum(play_game(world, Play("random", seed, task=task), held)[0].values()))
                lead = (totals[0] - totals[1]) / len(seats)
            sums.append(lead)
            points.append(0.5 if lead == 0 else float(lead > 0))
            games += 1
        leads.append(math.fsum(sums) / len(sums))
    mean = math.fsum(leads) / pairs
    spread = math.sqrt(math.fsum((lead - mean) ** 2 for lead in leads) / max(1, pairs - 1))
    return Match(games, math.fsum(points) / games, mean, QUANTILE * spread / math.sqrt(pairs))


def _sides(world: Any, seed: int, task: int) -> list[list[str]]:
    """The seats of each team in a task, which may deal the teams."""
    world.reset(seed=seed, options={"task": task})
    sides: dict[str, list[str]] = {}
    for seat in world.possible_agents:
        sides.setdefault(world.team(seat), []).append(seat)
    return list(sides.values())


def opponents(subject: SeatsSubject) -> str:
    """M3: at least three scripted opponents, each of which beats the one before it, with an interval above even."""
    levels = subject.card.opponents
    if len(levels) < 3 or levels[:2] != ("random", "simple"):
        raise Violation(f"the scripted opponents are {levels}.", "give at least random, simple and strong, in order.")
    told = []
    for worse, better in itertools.pairwise(levels):
        pairs = FEWEST
        found = match(subject, better, worse, pairs)
        while found.lead <= found.radius and pairs < MOST:
            pairs = min(4 * pairs, MOST)
            found = match(subject, better, worse, pairs)
        if found.lead <= found.radius:
            raise Violation(
                f"{better!r} leads {worse!r} by {found.lead:.4f} ± {found.radius:.4f} a game over {found.games} games.",
                "order the opponents by strength, or make the better one better.",
            )
        told.append(
            f"{better} beats {worse}: {found.points:.3f} of {found.games}, {found.lead:+.3f} ± {found.radius:.3f}"
        )
    return "; ".join(told)
