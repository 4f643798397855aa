"""Aggregates over worlds with bootstrap intervals (Agarwal et al. 2021, arXiv:2108.13264, and its library rliable)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agentgym.core import ConfigError
from agentgym.core.rng import stream
from agentgym.evaluate.metrics import CONFIDENCE, RESAMPLES, SAME, Estimate, alike, share_otherwise

TRIMMED = 0.25  # share of the scores that the interquartile mean leaves out at either end
Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From scores, shape (..., worlds), to a figure of each row, shape (...)."""


@dataclass(frozen=True)
class WorldScores:
    """What an agent scored in one world.

    Attributes:
        by_task: Score of each task, shape (tasks,), at least one.
        low, high: A 95 % interval of their mean, for worlds in which all tasks scored alike.
    """

    by_task: NDArray[np.float64]
    low: float
    high: float

    @property
    def mean(self) -> float:
        """Mean over tasks."""
        return float(self.by_task.mean())

    @property
    def alike(self) -> bool:
        """Whether all tasks scored alike, so that resampling them says nothing."""
        return alike(self.by_task.tolist())


def iqm(scores: ArrayLike) -> NDArray[np.float64]:
    """Interquartile mean over the last axis: the mean of what is left without the lowest and the highest quarter.

    A quarter is rounded down to whole scores, so that of fewer than four none is left out.

    Args:
        scores: Shape (..., worlds).
    """
    from scipy import stats  # half a second, so only where an aggregate is asked for

    return np.asarray(stats.trim_mean(np.asarray(scores, float), TRIMMED, axis=-1))


def mean(scores: ArrayLike) -> NDArray[np.float64]:
    """Mean over the last axis.

    Args:
        scores: Shape (..., worlds).
    """
    return np.asarray(np.mean(np.asarray(scores, float), axis=-1))


def optimality_gap(scores: ArrayLike, gamma: float = 1.0) -> NDArray[np.float64]:
    """How far the scores are below `gamma`, as a mean over the last axis in which what is above it counts as `gamma`.

    Args:
        scores: Shape (..., worlds).
        gamma: What is good enough; normalised scores are 1 at the oracle's.
    """
    return gamma - np.asarray(np.mean(np.minimum(np.asarray(scores, float), gamma), axis=-1))


def probability_of_improvement(one: Sequence[ArrayLike], other: Sequence[ArrayLike]) -> float:
    """Chance that `one` scores higher than `other` on a task drawn for each from the same world, a tie counting half.

    The mean over worlds of the statistic of Mann and Whitney over the number of pairs.

    Args:
        one, other: For each world the scores of the tasks; the same worlds in the same order.

    Raises:
        ConfigError: if they are of different numbers of worlds, or of none, or a world has no score.
    """
    if len(one) != len(other) or not one or not all(np.size(scores) for scores in (*one, *other)):
        raise ConfigError(
            f"two agents are compared on the same worlds, each with scores, got {len(one)} and {len(other)} worlds"
        )
    shares = []
    for ours, theirs in zip(one, other, strict=True):
        differences = np.subtract.outer(np.asarray(ours, float), np.asarray(theirs, float))
        shares.append(float(np.mean(differences > 0) + 0.5 * np.mean(differences == 0)))
    return float(np.mean(shares))


def aggregate(worlds: Sequence[WorldScores], statistic: Statistic) -> Estimate:
    """A statistic of the mean scores of worlds, with a 95 % percentile interval of the stratified bootstrap.

    The worlds are given and the tasks of each are a sample: in each of 10,000 rounds the tasks are drawn again within
    every world, from a fixed stream. Where all rounds agree, because in each world that counts all tasks scored alike,
    that says nothing; then the interval goes from the statistic of the lower bounds of all worlds to that of the upper
    ones, which is wider than need be. If even these agree, as an optimality gap does that is 0 at both, the upper end
    is the share of tasks that, with 95 % confidence, may be of another kind: see `share_otherwise`.

    Args:
        worlds: At least one.
        statistic: Such as `iqm`; monotone in every score.
    """
    means = np.array([world.mean for world in worlds])
    value = float(statistic(means))
    if not all(world.alike for world in worlds):
        rng = stream("evaluate.suite")  # scipy.stats.bootstrap gives these intervals in 16 times the time
        drawn = np.stack([_resampled(world.by_task, rng) for world in worlds], axis=-1)
        low, high = np.quantile(statistic(drawn), ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
        if high - low > SAME:
            return Estimate(value, float(low), float(high))
    ends = sorted(float(statistic(np.array([getattr(world, end) for world in worlds]))) for end in ("low", "high"))
    if ends[1] - ends[0] <= SAME:
        ends[1] += share_otherwise(sum(len(world.by_task) for world in worlds))
    return Estimate(value, *ends)


def _resampled(scores: NDArray[np.float64], rng: Any) -> NDArray[np.float64]:
    """Means of samples with replacement, shape (RESAMPLES,)."""
    values, counts = np.unique(scores, return_counts=True)  # a mean needs only how often each value is drawn
    return np.asarray(rng.multinomial(len(scores), counts / len(scores), RESAMPLES) @ values / len(scores))
