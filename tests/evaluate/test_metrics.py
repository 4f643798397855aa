"""Figures by hand, and the coverage the intervals promise."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from agentgym.core import ConfigError
from agentgym.evaluate import (
    EpisodeRecord,
    PlayerRecord,
    TurnRecord,
    mean_score,
    pass_at_k,
    pass_hat_k,
    success_rate,
    summarize,
    wilson,
)
from agentgym.evaluate.metrics import ks

SIMULATIONS = 2000
LEAST_COVERAGE = 0.93  # of a nominal 0.95; Wilson's oscillates around it


def close(value: float) -> Any:
    return pytest.approx(value, abs=5e-5)


def test_wilson_by_hand() -> None:
    """15 of 50: (0.3 + 3.8415/100) / (1 + 3.8415/50) = 0.314270; half-width 0.123323."""
    estimate = wilson(0.3, 50)
    assert estimate.value == 0.3
    assert estimate.low == close(0.19103)
    assert estimate.high == close(0.43750)


@pytest.mark.parametrize(("wins", "count"), [(0, 7), (15, 50), (200, 250), (9, 9)])
def test_wilson_agrees_with_scipy_where_counts_are_whole(wins: int, count: int) -> None:
    estimate, theirs = wilson(wins / count, count), stats.binomtest(wins, count).proportion_ci(method="wilson")
    assert (estimate.low, estimate.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_wilson_at_the_ends() -> None:
    """0 of n: from 0 to z^2 / (n + z^2)."""
    assert wilson(0.0, 20).low == 0.0
    assert wilson(0.0, 20).high == close(3.84146 / 23.84146)
    assert wilson(1.0, 20).low == close(20 / 23.84146)
    assert wilson(1.0, 20).high == 1.0


def test_one_trial_gives_the_plain_wilson_interval() -> None:
    successes = [[True]] * 15 + [[False]] * 35
    estimate, plain = success_rate(successes), wilson(0.3, 50)
    assert (estimate.low, estimate.high) == (pytest.approx(plain.low), pytest.approx(plain.high))


def test_trials_that_agree_add_nothing_and_independent_ones_count_in_full() -> None:
    agreeing = success_rate([[True] * 4] * 15 + [[False] * 4] * 35)
    assert agreeing.low == pytest.approx(wilson(0.3, 50).low)
    even = success_rate([[True, False]] * 30)
    assert even.low == pytest.approx(wilson(0.5, 60).low), "no task differs from another"
    between = success_rate([[True, True]] * 10 + [[True, False]] * 20 + [[False, False]] * 10)
    assert between.low == pytest.approx(wilson(0.5, 80).low), "as many as independent trials give: the variance is half"
    assert success_rate([[True, True]] * 5).low == pytest.approx(wilson(1.0, 5).low), "all alike: tasks only"


def test_the_mean_is_over_tasks() -> None:
    """A task with more scored trials weighs no more: (1 + 0) / 2, not 3 / 4."""
    assert success_rate([[True, True, True], [False]]).value == 0.5
    assert mean_score([[3.0, 3.0, 3.0], [1.0]]).value == 2.0


def test_the_interval_of_a_success_rate_covers_the_truth() -> None:
    """Tasks of different difficulty, three trials each; the unit is the task."""
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(SIMULATIONS):
        chances = rng.beta(0.6, 1.4, size=40)
        drawn = rng.random((40, 3)) < chances[:, None]
        estimate = success_rate(drawn.tolist())
        hits += estimate.low <= 0.3 <= estimate.high
    assert hits / SIMULATIONS >= LEAST_COVERAGE


def test_the_bootstrap_is_near_the_normal_interval_and_seeded() -> None:
    values = np.random.default_rng(1).normal(5.0, 2.0, size=400)
    estimate = mean_score([[value] for value in values])
    half = 1.96 * values.std() / 20
    assert estimate == mean_score([[value] for value in values])
    assert estimate.value == pytest.approx(values.mean())
    assert estimate.low == pytest.approx(values.mean() - half, abs=0.02)
    assert estimate.high == pytest.approx(values.mean() + half, abs=0.02)


@pytest.mark.parametrize(("score", "tasks"), [(0.5, 2), (0.0, 1), (1.0, 30), (-2.0, 4), (7.0, 3)])
def test_equal_scores_have_the_exact_bound(score: float, tasks: int) -> None:
    """The chance that n tasks agree, where a share q of all differs, is (1 - q)^n; q is where it is 2.5 %."""
    estimate = mean_score([[score]] * tasks)
    other = next(q / 1e6 for q in range(10**6 + 1) if (1 - q / 1e6) ** tasks <= 0.025)
    assert estimate.value == score
    assert estimate.low == pytest.approx(score - other * (score - min(score, 0.0)), abs=1e-5)
    assert estimate.high == pytest.approx(score + other * (max(score, 1.0) - score), abs=1e-5)
    assert estimate.low < estimate.high


def test_one_task_of_many_trials_is_one_observation() -> None:
    estimate = mean_score([[0.0, 1.0]])
    assert (estimate.value, estimate.low, estimate.high) == (0.5, pytest.approx(0.0125), pytest.approx(0.9875))


def test_the_bootstrap_of_many_tasks_comes_in_parts() -> None:
    """More values than fit at once; the interval shrinks with the root of the size."""
    estimate = mean_score([[float(number % 2)] for number in range(3000)])
    assert estimate.high - estimate.low == pytest.approx(2 * 1.96 * 0.5 / 3000**0.5, rel=0.06)


def test_pass_at_k_by_hand() -> None:
    assert pass_at_k(5, 2, 1) == pytest.approx(2 / 5)
    assert pass_at_k(5, 2, 2) == pytest.approx(1 - 3 / 10)  # C(3,2) / C(5,2)
    assert pass_at_k(5, 2, 4) == 1.0
    assert pass_at_k(5, 0, 5) == 0.0


def test_pass_hat_k_by_hand() -> None:
    assert pass_hat_k(5, 2, 1) == pytest.approx(2 / 5)
    assert pass_hat_k(5, 2, 2) == pytest.approx(1 / 10)  # C(2,2) / C(5,2)
    assert pass_hat_k(5, 2, 3) == 0.0
    assert pass_hat_k(5, 5, 5) == 1.0


@pytest.mark.parametrize(("n", "c"), [(4, 0), (4, 1), (4, 3), (5, 5)])
def test_both_are_averages_over_all_choices_of_k_trials(n: int, c: int) -> None:
    trials = [True] * c + [False] * (n - c)
    for k in range(1, n + 1):
        chosen = list(itertools.combinations(trials, k))
        assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, chosen)) / len(chosen))
        assert pass_hat_k(n, c, k) == pytest.approx(sum(map(all, chosen)) / len(chosen))


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 0), (3, 1, 4)])
def test_impossible_counts(n: int, c: int, k: int) -> None:
    with pytest.raises(ConfigError, match="1 <= k <= n"):
        pass_at_k(n, c, k)
    with pytest.raises(ConfigError, match="1 <= k <= n"):
        pass_hat_k(n, c, k)


def test_the_k_that_are_reported() -> None:
    assert [ks(trials) for trials in (1, 2, 3, 5, 8)] == [[1], [1, 2], [1, 2, 3], [1, 2, 4, 5], [1, 2, 4, 8]]


def episode(task: str, trial: int, success: bool = False, score: float = 0.0, **changes: Any) -> EpisodeRecord:
    player = PlayerRecord(
        "a", success=success, score=score, progress=float(success), prompt_tokens=10, completion_tokens=1, cost=0.5
    )
    facts: dict[str, Any] = {
        "env": "x", "env_kwargs": {}, "split": "test", "task_id": task, "seed": 0, "stop": "terminated",
        "players": {"player_0": player}, "turns": [TurnRecord("player_0", "see", "roll", score)], "trial": trial,
    }  # fmt: skip
    return EpisodeRecord(**{**facts, **changes})


def test_a_run_with_failures() -> None:
    """Tasks a: 1 of 2, b: 2 of 2, c: 0 of 1 and one outage, d: only failures of the world."""
    refused = TurnRecord("player_0", "see", "hm", valid=False, error="no")
    failed = {"stop": "failure", "failure": "x"}
    summary = summarize(
        [
            episode("a", 0, True, 1.0),
            episode("a", 1, turns=[refused] * 3),
            episode("b", 0, True, 1.0),
            episode("b", 1, True, 1.0),
            episode("c", 0),
            episode("c", 1, failure_kind="outage", **failed),
            episode("d", 0, failure_kind="environment", **failed),
            episode("d", 1, failure_kind="environment", **failed),
        ],
        trials=2,
    )
    assert (summary.tasks, summary.trials, summary.episodes, summary.scored) == (3, 2, 8, 5)
    assert (summary.environment_failures, summary.outages, summary.agent_failures) == (2, 1, 0)
    assert (summary.left_out, summary.stops) == (3 / 8, {"terminated": 5})
    assert summary.success.value == pytest.approx((0.5 + 1 + 0) / 3)
    assert summary.score.value == pytest.approx(0.5)
    assert summary.pass_at == {1: pytest.approx(0.5), 2: 1.0}, "of 2: over a and b, which have two scored trials"
    assert summary.pass_hat == {1: pytest.approx(0.5), 2: 0.5}
    assert summary.valid_actions == pytest.approx(4 / 7)
    assert summary.turns == pytest.approx(7 / 5)
    assert summary.progress == pytest.approx(3 / 5)
    assert (summary.prompt_tokens, summary.completion_tokens, summary.cost) == (80, 8, 4.0)


def test_the_world_s_own_metrics_are_of_the_end_and_costs_of_all_actions() -> None:
    """Tasks a: one that ended and one whose agent gave up; b: one that ended."""
    turns = [TurnRecord("player_0", "see", "buy", costs={"money": paid}) for paid in (2.0, 0.5)]

    def ended(recall: float) -> dict[str, PlayerRecord]:
        return {"player_0": PlayerRecord("a", metrics={"recall": recall}, costs={"money": 0.5})}

    summary = summarize(
        [
            episode("a", 0, players=ended(0.25), turns=turns),
            episode("a", 1, players=ended(0.0), turns=turns[:1], failure_kind="agent", failure="x", stop="failure"),
            episode("b", 0, players=ended(0.75), turns=turns),
        ],
        trials=2,
    )
    assert {name: each.value for name, each in summary.metrics.items()} == {"recall": pytest.approx(0.5)}
    assert {name: each.value for name, each in summary.costs.items()} == {"money": pytest.approx((2.25 + 2.5) / 2)}
    assert summary.metrics["recall"].low < 0.5 < summary.metrics["recall"].high
    assert summarize([episode("a", 0)], trials=1).metrics == {}


def test_what_the_agent_does_wrong_is_scored() -> None:
    """One success in six is one in six, whether the others ran out of context, were cut off or gave up."""
    cut = TurnRecord(
        "player_0", "see", "I shall now", valid=False, error="no", said="I shall now", finish_reason="length"
    )
    summary = summarize(
        [
            episode("a", 0, True, 1.0),
            episode("b", 0, stop="context"),
            episode("c", 0, stop="context", turns=[]),
            episode("d", 0, stop="truncated", turns=[cut, cut]),
            episode("e", 0, stop="failure", failure_kind="agent", failure="x"),
            episode("f", 0, stop="truncated"),
        ],
        trials=1,
    )
    assert (summary.scored, summary.left_out, summary.agent_failures) == (6, 0.0, 1)
    assert summary.success.value == pytest.approx(1 / 6)
    assert summary.stops == {"context": 2, "failure": 1, "terminated": 1, "truncated": 2}
    assert summary.cut_answers == 1


def test_success_is_counted_by_kind_of_task() -> None:
    played = [
        episode("a", 0, True, task_kind="heat"),
        episode("a", 1, False, task_kind="heat"),
        episode("b", 0, True, task_kind="heat"),
        episode("c", 0, False, task_kind="cool"),
        episode("d", 0, failure_kind="outage", failure="x", stop="failure", task_kind="look"),
    ]
    kinds = summarize(played, trials=2).success_by_kind
    assert list(kinds) == ["cool", "heat"]
    assert kinds["heat"] == success_rate([[True, False], [True]]), "the task is the unit"
    assert kinds["cool"].value == 0.0
    assert summarize([episode("e", 0)], trials=1).success_by_kind == {}


def test_a_run_without_a_scored_episode() -> None:
    summary = summarize([episode("a", 0, failure_kind="outage", failure="x", stop="failure")], trials=1)
    assert (summary.success.low, summary.success.high) == (0.0, 1.0)
    assert all(math.isnan(x) for x in (summary.success.value, summary.score.low, summary.turns, summary.valid_actions))
    assert summary.pass_at == {}
