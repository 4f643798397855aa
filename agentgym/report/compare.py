"""How much better one stage is than another, with intervals that fit how they were compared."""

from __future__ import annotations

import math
from collections.abc import Sequence

from agentgym.core import ConfigError
from agentgym.evaluate import Estimate, mean_score

# Quantiles of Student's t at 0.975 by degrees of freedom, from 1.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)


def paired_lift(before: Sequence[float], after: Sequence[float]) -> Estimate:
    """Mean of `after - before` over tasks, with a 95 % bootstrap interval over tasks.

    Args:
        before, after: Results on the same tasks in the same order.

    Raises:
        ConfigError: if they are not as many.
    """
    if len(before) != len(after) or not before:
        raise ConfigError(f"a paired comparison needs the same tasks twice, got {len(before)} and {len(after)} results")
    return mean_score([[b - a] for a, b in zip(before, after, strict=True)])


def mean_over_seeds(values: Sequence[float]) -> Estimate:
    """Mean of one value a seed, with a 95 % interval of Student's t over seeds: the seed is the unit.

    Raises:
        ConfigError: unless there are 2 to 16 seeds.
    """
    if not 2 <= len(values) <= len(STUDENT) + 1:
        raise ConfigError(f"an interval over seeds needs 2 to {len(STUDENT) + 1} of them, got {len(values)}")
    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    half = STUDENT[len(values) - 2] * math.sqrt(variance / len(values))
    return Estimate(mean, mean - half, mean + half)
