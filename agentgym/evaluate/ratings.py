"""Ratings of the players of a tournament: Elo for two, openskill for more, the common return where all cooperate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentgym.core.rng import stream
from agentgym.evaluate.cross_game import CrossGame
from agentgym.evaluate.metrics import Estimate, mean_score, share_otherwise

SAME = 1e-6  # below this, ratings that were computed in different orders are equal
ELO_SCALE = 400 / math.log(10)  # points of a factor e in odds
RESAMPLES, BOOTSTRAP_SEED = 400, 20_240_613
ORDERS, ORDER_RESAMPLES = 40, 100  # passes through the games in random order, which online ratings depend on
ELO, SKILL, RETURN = "elo", "openskill", "return"
ALIKE = (
    "Where all deals went alike, the interval is what the rating were if of the deals as many as may be otherwise with "
    "95 % confidence (Clopper and Pearson 1934) were all lost, or all won."
)
WORDS = {  # what reports say
    ELO: "Elo by maximum likelihood, mean 0; 95 % bootstrap intervals over deals. A draw is half a point. " + ALIKE,
    SKILL: "Skill by the Plackett-Luce model of openskill, which begins at 25 for all; the mean over passes through "
    "the games in random orders, 95 % bootstrap intervals over deals. Every side of a game is ranked by its return. "
    + ALIKE,
    RETURN: "All play together, so players are ranked by the mean return of a game in which they hold every position; "
    "95 % bootstrap intervals over deals, or an exact bound where all deals went alike.",
}
NOTHING = Estimate(math.nan, math.nan, math.nan)
Ranking: TypeAlias = list[tuple[str, float]]  # of each side of a game, its agent and its return
Points: TypeAlias = NDArray[np.float64]


def rating_kind(against: bool, players: int) -> str:
    """Which rating suits a game.

    Args:
        against: Whether players play against each other.
        players: How many it has.
    """
    if not against:
        return RETURN
    return ELO if players == 2 else SKILL


def rate(kind: str, players: Sequence[str], games: Sequence[CrossGame], deals: int) -> dict[str, Estimate]:
    """Ratings by player, with 95 % intervals; the order of players and games changes nothing.

    The interval of a player who met nobody is NaN.

    Args:
        kind: `elo`, `openskill` or `return`.
        players: Labels.
        games: Those that are scored.
        deals: How many deals there are.
    """
    names = sorted(players)
    games = sorted(games, key=lambda game: game.fixture.key)
    if kind == RETURN:
        return {name: _own_return(name, games) for name in names}
    if kind == SKILL:
        return _skills(names, games, deals)
    points = points_of(names, games, deals)
    ratings = elo(points.sum(0))
    rng = stream("tournament.bootstrap", BOOTSTRAP_SEED)
    drawn = np.array([elo(points[rng.integers(deals, size=deals)].sum(0)) for _ in range(RESAMPLES)])

    def otherwise(place: int, won: bool) -> float:
        """Elo of the player at this `place` if as many deals as chance allows had all been `won`, or lost."""
        changed = points.copy()
        met = changed[:, place, :] + changed[:, :, place]
        other = _otherwise(deals)
        changed[:other, place, :] = won * met[:other]
        changed[:other, :, place] = (not won) * met[:other]
        return float(elo(changed.sum(0))[place])

    return _estimates(names, ratings, drawn, otherwise)


def points_of(players: Sequence[str], games: Sequence[CrossGame], deals: int) -> Points:
    """`points[deal, a, b]`: points of a against b; of each pair of sides the larger return takes one, equal ones half.

    Who could not play to the end has lost, whatever the returns were until then. A game of many sides counts as one.

    Args:
        players: Labels; the order of the last two axes.
        games: Those that are scored.
        deals: Length of the first axis.
    """
    place = {name: number for number, name in enumerate(players)}
    points = np.zeros((deals, len(players), len(players)))
    for game in games:
        first, second, deal = game.fixture.first, game.fixture.second, game.fixture.deal
        if first == second:
            continue
        outcomes = game.outcomes()
        mine = next(value for agent, value in outcomes if agent == first)
        met = [0.5 if mine == value else float(mine > value) for agent, value in outcomes if agent == second]
        share = math.fsum(met) / len(met)
        points[deal, place[first], place[second]] += share
        points[deal, place[second], place[first]] += 1 - share
    return points


def elo(points: Any, rounds: int = 200) -> Any:
    """Ratings by maximum likelihood of the Bradley-Terry model (Bradley and Terry 1952), in Elo points, mean 0.

    Half a point is added on both sides of every pair that met, so that a player who won all has a finite rating. Who
    met nobody counts as average.

    Args:
        points: `points[a, b]`, what a won against b; shape (players, players).
        rounds: At most so many steps of Newton's method, none of which is longer than a factor e in odds.
    """
    points = np.asarray(points, np.float64)
    met = (points + points.T) > 0
    points = points + 0.5 * met
    played = points + points.T
    np.fill_diagonal(played, 0.0)
    won = points.sum(1) - np.diag(points)
    found = np.zeros(len(points))
    for _ in range(rounds):
        share = 1 / (1 + np.exp(found[None, :] - found[:, None]))
        slope = won - (played * share).sum(1)
        if np.abs(slope).max() < 1e-9:
            break
        curve = played * share * (1 - share)
        step = np.linalg.lstsq(np.diag(curve.sum(1)) - curve, slope, rcond=None)[0]
        found = found + step / max(1.0, np.abs(step).max())
    return ELO_SCALE * (found - found.mean())


def skill(players: Sequence[str], rankings: Sequence[Ranking]) -> dict[str, float]:
    """Means of the skills after some games, by the Plackett-Luce model of Weng and Lin 2011 (JMLR 12).

    Skills do not drift, since agents stay as they are. An agent with several sides in a game is rated at each of them,
    and moves by the mean of what they say.

    Args:
        players: Labels.
        rankings: Games in order.
    """
    from openskill.models import PlackettLuce  # not at import: few tournaments need it

    model = PlackettLuce(tau=0.0)
    held = dict.fromkeys(players, (model.mu, model.sigma))
    for ranking in rankings:
        if len({agent for agent, _ in ranking}) < 2:
            continue
        teams = [[model.create_rating(list(held[agent]))] for agent, _ in ranking]
        rated = model.rate(teams, scores=_places([value for _, value in ranking]))
        found: dict[str, list[tuple[float, float]]] = {}
        for (agent, _), (after,) in zip(ranking, rated, strict=True):
            found.setdefault(agent, []).append((after.mu, after.sigma))
        for agent, each in found.items():
            mean = math.fsum(mu for mu, _ in each) / len(each)
            held[agent] = mean, math.sqrt(math.fsum(sigma**2 for _, sigma in each) / len(each))
    return {name: mu for name, (mu, _) in held.items()}


def _places(values: Sequence[float]) -> list[float]:
    """Scores of equal order, finite: the larger the value, the higher; equal values share one."""
    order = sorted(set(values))
    return [float(order.index(value)) for value in values]


def _skills(names: Sequence[str], games: Sequence[CrossGame], deals: int) -> dict[str, Estimate]:
    by_deal: list[list[Ranking]] = [[] for _ in range(deals)]
    for game in games:
        if game.fixture.first != game.fixture.second:
            by_deal[game.fixture.deal].append(game.outcomes())
    rng = stream("tournament.bootstrap", BOOTSTRAP_SEED)

    def in_any_order(rankings: Sequence[Ranking]) -> list[Ranking]:
        return [rankings[place] for place in rng.permutation(len(rankings))]

    def passed(deal_numbers: Any) -> list[float]:
        rankings = [ranking for deal in deal_numbers for ranking in by_deal[deal]]
        found = skill(names, in_any_order(rankings))
        return [found[name] for name in names]

    ratings = np.mean([passed(range(deals)) for _ in range(ORDERS)], axis=0)
    drawn = np.array([passed(rng.integers(deals, size=deals)) for _ in range(ORDER_RESAMPLES)])

    def otherwise(place: int, won: bool) -> float:
        """Skill of the player at this `place` if as many deals as chance allows had all been `won`, or lost."""
        best, name = math.inf if won else -math.inf, names[place]
        changed = [
            ranking if deal >= _otherwise(deals) else [(who, best if who == name else value) for who, value in ranking]
            for deal, played in enumerate(by_deal)
            for ranking in played
        ]
        return math.fsum(skill(names, in_any_order(changed))[name] for _ in range(ORDERS)) / ORDERS

    return _estimates(names, ratings, drawn, otherwise)


def _otherwise(deals: int) -> int:
    """Of so many deals that went alike, how many may be otherwise with 95 % confidence, rounded up."""
    return math.ceil(share_otherwise(deals) * deals)


def _estimates(
    names: Sequence[str], ratings: Any, drawn: Any, otherwise: Callable[[int, bool], float]
) -> dict[str, Estimate]:
    """Ratings with the interval of what was drawn, or, where all of that is equal, the bound that `ALIKE` states.

    Args:
        names: Players.
        ratings: Of each.
        drawn: Ratings of each in resampled deals, shape (resamples, players).
        otherwise: The rating of a player, by its place, if the deals that may be otherwise were all won, or all lost.
    """
    ends = np.quantile(drawn, [0.025, 0.975], axis=0)
    found = {}
    for place, name in enumerate(names):
        value, low, high = float(ratings[place]), float(ends[0, place]), float(ends[1, place])
        if high - low < SAME:
            low, *_, high = sorted((value, otherwise(place, False), otherwise(place, True)))
        found[name] = Estimate(value, low, high) if high - low >= SAME else Estimate(value, math.nan, math.nan)
    return found


def _own_return(name: str, games: Sequence[CrossGame]) -> Estimate:
    """The mean return of the team that an agent forms."""
    by_deal: dict[int, list[float]] = {}
    for game in games:
        if game.fixture.first == game.fixture.second == name:
            by_deal.setdefault(game.fixture.deal, []).append(game.common)
    return mean_score([by_deal[task] for task in sorted(by_deal)]) if by_deal else NOTHING


def shown(kind: str, rating: Estimate) -> tuple[str, str]:
    """A rating and its interval as reports write them.

    Args:
        kind: `elo`, `openskill` or `return`.
        rating: What was found.
    """
    form = {ELO: "+z.0f", SKILL: ".1f", RETURN: "+z.3f"}[kind]
    return f"{rating.value:{form}}", f"{rating.low:{form}} to {rating.high:{form}}"


HEADS: Mapping[str, str] = {ELO: "Elo", SKILL: "skill (openskill)", RETURN: "return of its team"}
