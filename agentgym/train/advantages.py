"""From returns to advantages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agentgym.core import ConfigError

SPREAD = 1e-6  # returns of a group that differ by less are equal


@dataclass(frozen=True)
class GroupAdvantages:
    """Advantages and what the groups looked like.

    Attributes:
        values: One advantage an episode, in the order of the returns.
        groups: Number of groups.
        dead: Number of groups whose returns are all equal; their advantages are 0 and teach nothing.
        variance: Mean variance of the returns within a group.
    """

    values: list[float]
    groups: int
    dead: int
    variance: float


def group_relative(returns: Sequence[float], groups: Sequence[int]) -> GroupAdvantages:
    """Returns standardised within their group: (return - mean) / standard deviation of the group.

    The advantage of group-relative policy optimisation with outcome rewards (Shao et al. 2024, arXiv:2402.03300,
    section 4.1.2): what the other answers to the same problem earned takes the place of a critic. The standard
    deviation is that of the group itself (divided by its size).

    Args:
        returns: One return an episode.
        groups: The group of each; episodes of one group began on the same task and seed.

    Raises:
        ConfigError: if a return is no finite number, or a group has fewer than two episodes.
    """
    scores = np.asarray(returns, np.float64)
    if not np.isfinite(scores).all():
        raise ConfigError(f"returns must be finite, got {scores[~np.isfinite(scores)][0]}")
    members: dict[int, list[int]] = {}
    for place, group in enumerate(groups):
        members.setdefault(group, []).append(place)
    values = np.zeros(len(scores))
    dead, variances = 0, []
    for group, places in members.items():
        if len(places) < 2:
            raise ConfigError(f"group {group} has one episode; a group-relative advantage needs at least two")
        own = scores[places]
        spread = own.std()
        variances.append(spread**2)
        if spread <= SPREAD:
            dead += 1
        else:
            values[places] = (own - own.mean()) / spread
    return GroupAdvantages(values.tolist(), len(members), dead, float(np.mean(variances)) if variances else 0.0)
