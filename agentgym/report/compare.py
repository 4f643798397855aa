"""How much better one stage is than another, with intervals that fit how they were compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from agentgym.core import ConfigError
from agentgym.evaluate import Estimate, mean_score
from agentgym.evaluate.metrics import CONFIDENCE

LEAST_SCATTER = 1 / 64  # standard deviation of a figure among seeds


def paired_lift(before: Sequence[float], after: Sequence[float]) -> Estimate:
    """Mean of `after - before` over tasks, with a 95 % bootstrap interval over tasks.

    Args:
        before, after: Results on the same tasks in the same order.

    Raises:
        ConfigError: if they are not as many.
    """
    if len(before) != len(after) or not before:
        raise ConfigError(f"a paired comparison needs the same tasks twice, got {len(before)} and {len(after)} results")
    return mean_score([[b - a] for a, b in zip(before, after, strict=True)], floor=-1.0)


@dataclass(frozen=True)
class Sides:
    """On how many of the tasks two runs differ, and how surprising that would be if neither were better.

    Attributes:
        gained, lost: Tasks on which the second succeeds more often than the first, and less often.
        p: Of the exact two-sided sign test over them. With one trial of each task it is McNemar's exact test.
    """

    gained: int
    lost: int
    p: float


def changed_sides(before: Sequence[float], after: Sequence[float]) -> Sides:
    """The exact test of whether two runs succeed equally often, the task being the unit (McNemar 1947).

    Args:
        before, after: Share of successful trials of the same tasks in the same order.
    """
    from scipy import stats  # half a second, so only where a test is asked for

    gained = sum(b > a for a, b in zip(before, after, strict=True))
    lost = sum(b < a for a, b in zip(before, after, strict=True))
    p = float(stats.binomtest(gained, gained + lost, 0.5).pvalue) if gained + lost else 1.0
    return Sides(gained, lost, p)


def mean_over_seeds(values: Sequence[float]) -> Estimate:
    """Mean of one value a seed, with a 95 % interval of Student's t over seeds: the seed is the unit.

    Seeds that agree by chance would leave an interval of no width, so their standard deviation counts as at least 1/64:
    what one task is worth where 64 are tested.

    Args:
        values: One a seed.

    Raises:
        ConfigError: if there are fewer than 2 seeds.
    """
    from scipy import stats  # half a second, so only where an interval is asked for

    if len(values) < 2:
        raise ConfigError(f"an interval over seeds needs at least 2 of them, got {len(values)}")
    mean = math.fsum(values) / len(values)
    error = max(float(stats.sem(values)), LEAST_SCATTER / math.sqrt(len(values)))
    half = float(stats.t.ppf(0.5 + CONFIDENCE / 2, len(values) - 1)) * error
    return Estimate(mean, mean - half, mean + half)
