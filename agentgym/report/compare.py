"""How much better one stage is than another, with intervals that fit how they were compared."""

from __future__ import annotations

import math
from collections.abc import Sequence

from agentgym.core import ConfigError
from agentgym.evaluate import Estimate, mean_score
from agentgym.evaluate.metrics import CONFIDENCE


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
        ConfigError: if there are fewer than 2 seeds.
    """
    from scipy import stats  # half a second, so only where an interval is asked for

    if len(values) < 2:
        raise ConfigError(f"an interval over seeds needs at least 2 of them, got {len(values)}")
    mean = math.fsum(values) / len(values)
    half = float(stats.t.ppf(0.5 + CONFIDENCE / 2, len(values) - 1) * stats.sem(values))
    return Estimate(mean, mean - half, mean + half)
