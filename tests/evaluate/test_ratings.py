"""Ratings: by hand, against openskill's own updates, right for known strengths, and the same whoever is named first."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from openskill.models import PlackettLuce

from agentgym.core.rng import stream
from agentgym.evaluate import Estimate
from agentgym.evaluate.cross_game import CrossGame
from agentgym.evaluate.fixtures import Fixture, Sides
from agentgym.evaluate.ratings import ELO, RETURN, SKILL, elo, points_of, rate, rating_kind, shown, skill

STRENGTHS = {"anna": 2.0, "bert": 1.0, "cleo": 0.0, "dora": -1.0}
DEALS = 12
TABLE = {f"player_{number}": [f"player_{number}"] for number in range(4)}
TEAMS = {"wolves": ["player_1", "player_3"], "village": ["player_0", "player_2", "player_4"]}


def game(first: str, second: str, position: str, deal: int, returns: dict[str, float], sides: Sides) -> CrossGame:
    mine = [returns[who] for who in sides[position]]
    rest = [value for who, value in returns.items() if who not in sides[position]]
    fixture = Fixture(first, second, position, deal, sides)
    return CrossGame(fixture, float(np.mean(mine)), float(np.mean(rest)), returns, False, "", "", {})


def league(sides: Sides, deals: int = DEALS) -> list[CrossGame]:
    """Games in which each player of a side earns what its agent is worth, and luck of the deal."""
    rng = stream("tests.league", 5)
    luck = {(deal, who): float(rng.normal(0, 1.2)) for deal in range(deals) for held in sides.values() for who in held}
    found = []
    for first, second in itertools.product(STRENGTHS, repeat=2):
        for position, deal in itertools.product(sides, range(deals)):
            returns = {
                who: STRENGTHS[first if side == position else second] + luck[deal, who]
                for side, held in sides.items()
                for who in held
            }
            found.append(game(first, second, position, deal, returns, sides))
    return found


@pytest.mark.parametrize(("against", "players", "kind"), [(True, 2, ELO), (True, 3, SKILL), (False, 2, RETURN)])
def test_each_kind_of_game_has_its_rating(against: bool, players: int, kind: str) -> None:
    assert rating_kind(against, players) == kind


@pytest.mark.full
@pytest.mark.parametrize("sides", [TABLE, TEAMS], ids=["each_alone", "teams"])
@pytest.mark.parametrize("kind", [ELO, SKILL, RETURN])
def test_a_league_of_known_strengths_is_ranked_right(kind: str, sides: Sides) -> None:
    found = rate(kind, list(STRENGTHS), league(sides), DEALS)
    assert sorted(found, key=lambda name: -found[name].value) == list(STRENGTHS)
    for each in found.values():
        assert each.low <= each.value <= each.high
    assert found["anna"].low > found["dora"].high


@pytest.mark.full
@pytest.mark.parametrize("kind", [ELO, SKILL, RETURN])
def test_the_order_of_players_and_games_changes_nothing(kind: str) -> None:
    games = league(TABLE, 4)
    found = rate(kind, list(STRENGTHS), games, 4)
    for number, order in enumerate(itertools.permutations(STRENGTHS)):
        mixed = [games[place] for place in stream("tests.league", number).permutation(len(games))]
        if number % 6 == 5:
            assert rate(kind, order, mixed, 4) == found


@pytest.mark.full
def test_ratings_are_equal_in_any_process() -> None:
    code = (
        "from tests.evaluate.test_ratings import *\n"
        "print([rate(kind, list(STRENGTHS), league(TEAMS, 3), 3) for kind in (ELO, SKILL, RETURN)])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": number}, capture_output=True, text=True, check=True
        ).stdout
        for number in ("1", "2")
    }
    assert said == {f"{[rate(kind, list(STRENGTHS), league(TEAMS, 3), 3) for kind in (ELO, SKILL, RETURN)]}\n"}


def test_skill_is_what_openskill_makes_of_the_games_one_after_the_other() -> None:
    model = PlackettLuce(tau=0.0)
    held = {name: model.rating(name=name) for name in "abc"}
    rankings = [[("a", 3.0), ("b", 1.0), ("c", 2.0)], [("c", 0.0), ("a", 0.0)], [("b", -math.inf), ("c", 9.0)]]
    for ranking in rankings:
        ranks = [1.0 + sum(other > value for _, other in ranking) for _, value in ranking]
        rated = model.rate([[held[name]] for name, _ in ranking], ranks=ranks)
        held |= {name: after for (name, _), (after,) in zip(ranking, rated, strict=True)}
    assert skill("abc", rankings) == pytest.approx({name: rating.mu for name, rating in held.items()}, abs=1e-9)


def test_an_agent_of_several_sides_moves_by_the_mean_of_what_they_say() -> None:
    model = PlackettLuce(tau=0.0)
    rated = model.rate([[model.rating()] for _ in range(3)], ranks=[2, 1, 3])
    found = skill("ab", [[("a", 1.0), ("b", 5.0), ("b", 0.0)]])
    assert found["a"] == pytest.approx(rated[0][0].mu)
    assert found["b"] == pytest.approx((rated[1][0].mu + rated[2][0].mu) / 2)
    assert skill("ab", [[("a", 1.0), ("a", 2.0)]]) == {"a": 25.0, "b": 25.0}, "who meets itself shows nothing"


def test_elo_by_hand() -> None:
    """Three wins in four, half a point added on both sides: odds 3.5 to 1.5, so a difference of 400 log10(7 / 3)."""
    one, other = elo([[0, 3], [1, 0]])
    assert one - other == pytest.approx(400 * math.log10(7 / 3), abs=0.01)
    assert one + other == pytest.approx(0, abs=1e-9)
    a, b, c = elo([[0, 5, 5], [0, 0, 5], [0, 0, 0]])
    assert a > b > c
    assert np.isfinite([a, b, c]).all()


def test_points_by_hand() -> None:
    """First above one of three others and equal to one: half a point of the game."""
    returns = dict(zip(TABLE, [1.0, 0.0, 1.0, 4.0], strict=True))
    points = points_of(["x", "y"], [game("x", "y", "player_0", 1, returns, TABLE)], 2)
    assert points.tolist() == [[[0, 0], [0, 0]], [[0, 0.5], [0.5, 0]]]


def test_the_common_return_by_hand() -> None:
    pair = {name: [name] for name in ("player_0", "player_1")}
    games = [
        game("x", "x", position, deal, {"player_0": 2.0 + deal, "player_1": 4.0}, pair)
        for deal in (0, 1)
        for position in pair
    ]
    games.append(game("x", "y", "player_0", 0, {"player_0": 100.0, "player_1": 100.0}, pair))
    found = rate(RETURN, ["x", "y"], games, 2)
    assert found["x"].value == pytest.approx((3.0 + 3.5) / 2)
    assert math.isnan(found["y"].value), "it was never alone with itself"
    assert shown(RETURN, found["x"])[0] == "+3.250"


def test_elo_of_players_who_dominate_those_below_is_converged() -> None:
    """The likelihood is at its greatest: each has won what its rating expects."""
    points = np.triu(np.full((5, 5), 1000.0), 1)
    ratings = elo(points)
    played = points + points.T + np.where(points + points.T > 0, 1.0, 0.0)
    expected = (played / (1 + 10 ** ((ratings[None, :] - ratings[:, None]) / 400))).sum(1)
    assert expected == pytest.approx((points + 0.5 * (played > 0)).sum(1), abs=1e-6)
    assert ratings == pytest.approx(-ratings[::-1], abs=1e-6)


def test_a_rating_of_nearly_nothing_has_no_minus() -> None:
    assert shown(ELO, Estimate(-0.2, -0.4, 12.0)) == ("+0", "+0 to +12")
    assert shown(RETURN, Estimate(-0.0, -1.0, -0.0001)) == ("+0.000", "-1.000 to +0.000")
