"""No interval is of zero width, whatever was scored: a property of all figures that have one."""

from __future__ import annotations

import math
from functools import partial
from itertools import product

import numpy as np
import pytest

from agentgym.core.rng import stream
from agentgym.evaluate import Estimate, WorldScores, aggregate, iqm, mean, mean_score, optimality_gap
from agentgym.evaluate.metrics import success_rate, wilson
from agentgym.evaluate.ratings import ELO, RETURN, SKILL, WORDS, rate
from agentgym.evaluate.suite_world import progress
from agentgym.report import mean_over_seeds, paired_lift
from tests.evaluate.test_ratings import TABLE, TEAMS, game

ROUNDS, ROUNDING = 60, 1e-12
PAIR = {name: [name] for name in ("player_0", "player_1")}


def check(found: Estimate) -> None:
    assert found.low - ROUNDING <= found.value <= found.high + ROUNDING, found
    assert found.high - found.low > 1e-6, found


def drawn(round_number: int, count: int) -> list[float]:
    """Scores that are all one value, nearly all, or of two or many values, by turns."""
    rng = stream("tests.intervals", round_number, count)
    value = float(rng.choice([0.0, 0.5, 1.0, -1.0, 3.0]))
    kind = round_number % 4
    if kind == 0:
        return [value] * count
    if kind == 1:
        return [value] * (count - 1) + [value + 1]
    return [float(each) for each in (rng.integers(0, 2, count) if kind == 2 else rng.random(count))]


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_rates_and_means(count: int) -> None:
    for number in range(ROUNDS):
        scores = drawn(number, count)
        wins = [[score > 0.5] for score in scores]
        check(wilson(sum(map(sum, wins)) / count, count))
        check(success_rate(wins))
        check(mean_score([[score] for score in scores]))
        check(progress({str(task): [min(max(score, 0.0), 1.0)] for task, score in enumerate(scores)}))
        check(paired_lift([0.5] * count, [0.5 + score / 8 for score in scores]))
        if count > 1:
            check(mean_over_seeds(scores))


@pytest.mark.parametrize("statistic", [iqm, mean, optimality_gap, partial(optimality_gap, gamma=0.5)])
@pytest.mark.parametrize("worlds", [1, 4, 9])
def test_aggregates(statistic: object, worlds: int) -> None:
    for number in range(12):
        scores = []
        for world in range(worlds):
            by_task = np.array(drawn(number + world * (number % 3), 3))
            rate = wilson(float(np.clip(by_task.mean(), 0, 1)), 3)
            scores.append(WorldScores(by_task, min(by_task.mean(), rate.low), max(by_task.mean(), rate.high)))
        check(aggregate(scores, statistic))  # type: ignore[arg-type]


def test_an_interquartile_mean_of_worlds_that_do_not_vary_though_the_others_do() -> None:
    """The two that vary are the best and the worst, which are cut off in every round."""
    still = [WorldScores(np.array([0.5, 0.5]), 0.2, 0.8) for _ in range(6)]
    apart = [WorldScores(np.array([0.0, 0.1]), 0.0, 0.6), WorldScores(np.array([0.9, 1.0]), 0.4, 1.0)]
    found = aggregate([*still, *apart], iqm)
    assert found.value == 0.5
    assert found.low <= 0.2
    assert found.high >= 0.8


@pytest.mark.full
@pytest.mark.parametrize("deals", [1, 2, 12])
@pytest.mark.parametrize("kind", [ELO, SKILL, RETURN])
@pytest.mark.parametrize("won", [1.0, 0.0])
def test_ratings_where_every_deal_goes_alike(kind: str, deals: int, won: float) -> None:
    """The first always wins, or all games are draws; of three players, and with several sides."""
    for sides in (PAIR, TABLE, TEAMS):
        games = []
        for first, second in product("abc", repeat=2):
            for position, deal in product(sides, range(deals)):
                rank = dict(zip("abc", (2.0 * won, won, 0.0), strict=True))
                returns = {
                    who: rank[first if side == position else second] for side, held in sides.items() for who in held
                }
                games.append(game(first, second, position, deal, returns, sides))
        for each in rate(kind, list("abc"), games, deals).values():
            check(each)


@pytest.mark.full
def test_more_deals_say_more_of_who_wins_them_all() -> None:
    def width(deals: int) -> float:
        games = [
            game("a", "b", position, deal, {position: 1.0, other: 0.0}, PAIR)
            for deal in range(deals)
            for position, other in (("player_0", "player_1"), ("player_1", "player_0"))
        ]
        found = rate(ELO, ["a", "b"], games, deals)
        assert found["a"].high == found["a"].value
        assert found["b"].low == found["b"].value
        return (found["a"].high - found["a"].low) / abs(found["a"].value)

    assert width(5) > width(20) > width(80) > 0


def test_means_that_differ_by_rounding_alone_are_alike() -> None:
    """Of three trials of 0.003 the mean is another float than 0.003."""
    for by_task in ([[0.003] * 3, [0.003]], [[0.1 + 0.2], [0.3]], [[1e6 + 0.1] * 3, [1e6 + 0.1]]):
        check(mean_score(by_task))
        assert WorldScores(np.array([math.fsum(each) / len(each) for each in by_task]), 0.0, 1.0).alike
        check(progress({str(number): each for number, each in enumerate(by_task)}))


def test_who_met_nobody_has_no_interval() -> None:
    games = [game("a", "b", "player_0", 0, {"player_0": 1.0, "player_1": 0.0}, PAIR)]
    found = rate(ELO, ["a", "b", "c"], games, 1)
    assert math.isnan(found["c"].low)
    assert math.isnan(found["c"].high)


def test_the_words_beside_a_rating_state_the_bound() -> None:
    for kind in (ELO, SKILL):
        assert "Where all deals went alike" in WORDS[kind]
    assert "exact bound" in WORDS[RETURN]
