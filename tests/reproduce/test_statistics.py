"""Intervals over seeds and tasks cover what they should, and what is corrected and planned agrees with experiments."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from agentgym.core import ConfigError
from agentgym.reproduce.statistics import Scatter, crossed_error, holm, paired, power


def drawn(rng: np.random.Generator, seeds: int, tasks: int, spread: tuple[float, float, float]) -> np.ndarray:
    """Differences around 0.1 with scatter of seeds, of tasks, and of each by itself."""
    one, other, rest = spread
    found = 0.1 + one * rng.standard_normal((seeds, 1)) + other * rng.standard_normal((1, tasks))
    return found + rest * rng.standard_normal((seeds, tasks))


def test_without_tasks_the_interval_is_student_s() -> None:
    """Differences 0.3, 0.2, 0.1: mean 0.2, deviation 0.1, half width 4.303 * 0.1 / sqrt(3) = 0.248."""
    found = paired([0.3, 0.2, 0.1])
    assert found.estimate.value == pytest.approx(0.2)
    assert found.estimate.high - found.estimate.value == pytest.approx(0.2484, abs=1e-4)
    assert found.p_value(0.0) == pytest.approx(stats.ttest_1samp([0.3, 0.2, 0.1], 0.0).pvalue)
    assert found.p_value(0.2) == pytest.approx(1.0)
    assert paired([0.3, 0.3]).error > 0, "seeds that agree by chance do not decide"


@pytest.mark.full
@pytest.mark.parametrize(("seeds", "tasks", "of_tasks"), [(5, 64, 0.2), (8, 250, 0.2), (16, 64, 0.0)])
def test_the_interval_covers_the_truth_where_tasks_are_a_sample_too(seeds: int, tasks: int, of_tasks: float) -> None:
    """Of 120 experiments nearly all; by seeds alone far fewer, where tasks differ."""
    rng = np.random.default_rng(seeds)
    covered, by_seeds_alone = 0, 0
    for _ in range(120):
        table = drawn(rng, seeds, tasks, (0.03, of_tasks, 0.3))
        both, alone = paired(list(table.mean(axis=1)), table), paired(list(table.mean(axis=1)))
        covered += both.estimate.low <= 0.1 <= both.estimate.high
        by_seeds_alone += alone.estimate.low <= 0.1 <= alone.estimate.high
    assert covered >= 114
    if (seeds, tasks) == (8, 250):
        assert by_seeds_alone < 100


def test_the_bootstrap_is_the_same_each_time_and_leaves_gaps_out() -> None:
    table = drawn(np.random.default_rng(3), 5, 40, (0.05, 0.1, 0.2))
    assert crossed_error(table) == crossed_error(table.copy())
    holed = table.copy()
    holed[0, :5] = np.nan
    assert crossed_error(holed) == pytest.approx(crossed_error(table), rel=0.2)
    assert not np.isnan(crossed_error(holed))


def test_holm_by_hand() -> None:
    """0.01 times 3, 0.03 times 2, and 0.04, which is not less than the one before it."""
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.02]) == [0.02]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_scatter_is_found_again() -> None:
    table = drawn(np.random.default_rng(4), 40, 400, (0.2, 0.3, 0.4))
    found = Scatter.of(list(table.mean(axis=1)), table)
    assert found.seed == pytest.approx(0.04, rel=0.5)
    assert found.task == pytest.approx(0.09, rel=0.25)
    assert found.rest == pytest.approx(0.16, rel=0.1)
    assert found.error(40, 400) == pytest.approx(paired(list(table.mean(axis=1)), table).error, rel=0.15)
    alone = Scatter.of([0.1, 0.3, 0.2, 0.4], None)
    assert alone.error(4, 1) == pytest.approx(paired([0.1, 0.3, 0.2, 0.4]).error)
    with pytest.raises(ConfigError, match="2 seeds and 2 tasks that all of them played, got 2 and 1"):
        Scatter.of([0.0, 0.0], np.array([[0.0, np.nan], [1.0, 0.0]]))


def test_power_is_the_share_of_experiments_that_find_the_difference() -> None:
    rng = np.random.default_rng(5)
    samples = 0.1 + 0.1 * rng.standard_normal((4000, 8))
    found = np.mean(stats.ttest_1samp(samples, 0.0, axis=1).pvalue < 0.05)
    assert power(0.1, 0.1 / np.sqrt(8), 8) == pytest.approx(found, abs=0.03)
    assert power(0.1, 0.1 / np.sqrt(8), 8, alpha=0.01) < found
    assert power(5.0, 0.01, 3) == 1.0
    assert power(0.0, 0.01, 5) == pytest.approx(0.05)
