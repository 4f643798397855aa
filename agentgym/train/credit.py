"""Credit: one advantage a token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from agentgym.core import ConfigError
from agentgym.rollout import Episode

Credit = list[list[NDArray[np.float64]]]
"""`credit[episode][segment]` holds one number a token, 0 off sampled tokens."""

Aggregate = Literal["episode", "token", "constant"]
AGGREGATES: tuple[Aggregate, ...] = ("episode", "token", "constant")


def per_episode(episodes: Sequence[Episode], values: Sequence[float]) -> Credit:
    """Every sampled token of an episode gets the episode's value."""
    return [
        [value * np.asarray(segment.sampled_mask, np.float64) for segment in episode.segments]
        for episode, value in zip(episodes, values, strict=True)
    ]


def per_turn(episodes: Sequence[Episode], values: Sequence[Sequence[float]]) -> Credit:
    """Every sampled token of turn t of episode e gets `values[e][t]`."""
    credit = []
    for episode, turns in zip(episodes, values, strict=True):
        if len(turns) != len(episode.turns):
            raise ValueError(f"an episode of {len(episode.turns)} turns got {len(turns)} values")
        rows = []
        for segment in episode.segments:
            row = np.zeros(len(segment))
            for span in segment.spans:
                row[span.start : span.end] = turns[span.turn]
            rows.append(row)
        credit.append(rows)
    return credit


def add(terms: Sequence[tuple[float, Credit]]) -> Credit:
    """The weighted sum of credits over the same episodes.

    Raises:
        ConfigError: if a sum is no finite number, naming the episode.
    """
    (first, total), *rest = terms
    result = [[first * row for row in rows] for rows in total]
    for weight, credit in rest:
        for mine, other in zip(result, credit, strict=True):
            for row, extra in zip(mine, other, strict=True):
                row += weight * extra
    for number, rows in enumerate(result):
        if not all(np.isfinite(row).all() for row in rows):
            raise ConfigError(f"the advantage of episode {number} is no finite number; look at its rewards")
    return result
