"""Comparisons against hand-computed figures."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agentgym.core import ConfigError
from agentgym.report import mean_over_seeds, paired_lift


def test_the_mean_over_seeds_by_hand() -> None:
    estimate = mean_over_seeds([0.2, 0.3, 0.4])
    half = 4.302653 * 0.1 / math.sqrt(3)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.3, 0.3 - half, 0.3 + half))


def test_seeds_that_agree_still_have_an_interval() -> None:
    """A standard deviation of 1/64: with 17 seeds 2.120 / 64 / sqrt(17), with 2 of them 12.706 / 64 / sqrt(2)."""
    for count, quantile in ((17, 2.119905), (2, 12.706205)):
        estimate = mean_over_seeds([0.5] * count)
        half = quantile / 64 / math.sqrt(count)
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx((0.5, 0.5 - half, 0.5 + half))


@pytest.mark.parametrize("count", [0, 1])
def test_an_interval_needs_seeds(count: int) -> None:
    with pytest.raises(ConfigError, match="needs at least 2 of them"):
        mean_over_seeds([0.5] * count)


def test_a_paired_lift_is_tighter_than_two_separate_rates() -> None:
    rng = np.random.default_rng(0)
    before = rng.random(400) < 0.5
    after = before | (rng.random(400) < 0.2)
    estimate = paired_lift(before.tolist(), after.tolist())
    assert estimate.value == pytest.approx(after.mean() - before.mean())
    spread = (after.astype(float) - before).std() / math.sqrt(400)
    assert estimate.low == pytest.approx(estimate.value - 1.96 * spread, abs=0.01)
    assert estimate.high == pytest.approx(estimate.value + 1.96 * spread, abs=0.01)
    assert estimate.low > 0


def test_unequal_tasks_cannot_be_paired() -> None:
    with pytest.raises(ConfigError, match="same tasks twice"):
        paired_lift([1, 0], [1])
    with pytest.raises(ConfigError, match="same tasks twice"):
        paired_lift([], [])
