"""What arms can solve at all: their curves of pass@k, where these cross, and the tasks that only one of them solves.

A policy that was trained may be surer of what it could do before and still solve no task that was out of reach (Yue et
al. 2025, arXiv:2504.13837): it then leads at one try, and the policy it began with at many.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from agentgym.reproduce.metrics import PASS_AT, powers

Measured = Mapping[str, Sequence[Mapping[str, Any]]]
"""`measured[arm][seed]` holds `pass_at_K` and `wins`, a count of won tries by task; None where all were left out."""


def compared(measured: Measured, tries: int) -> list[dict[str, Any]]:
    """Every two arms compared.

    Args:
        measured: By arm, the figures of each seed, in the same order of seeds and tasks.
        tries: How often each task was played.

    Returns:
        Of each pair of arms, the one that is better at one try first: `arms`, `pass_at` (by k the means of both over
        seeds), `crossover` (the least k from which the second is at least as good for all larger ones; None if it never
        is), `solved` (tasks that both, the first alone, the second alone and neither solved in any try, summed over
        seeds).
    """
    found = []
    for pair in combinations(measured, 2):
        means = {arm: [_mean(measured[arm], k) for k in powers(tries)] for arm in pair}
        first, second = sorted(pair, key=lambda arm: -means[arm][0])
        curves = list(zip(means[first], means[second], strict=True))
        led = [place for place, (mine, other) in enumerate(curves) if mine > other]
        crossing = led[-1] + 1 if led else 0
        found.append(
            {
                "arms": [first, second],
                "pass_at": {str(k): list(both) for k, both in zip(powers(tries), curves, strict=True)},
                "crossover": powers(tries)[crossing] if crossing < len(curves) else None,
                "solved": _solved(measured[first], measured[second]),
            }
        )
    return found


def _mean(seeds: Sequence[Mapping[str, Any]], k: int) -> float:
    return math.fsum(each[f"{PASS_AT}{k}"] for each in seeds) / len(seeds)


def _solved(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    counts = {"both": 0, "first": 0, "second": 0, "neither": 0}
    for mine, other in zip(first, second, strict=True):
        for won, won_too in zip(mine["wins"], other["wins"], strict=True):
            if won is None or won_too is None:
                continue
            counts["both" if won and won_too else "first" if won else "second" if won_too else "neither"] += 1
    return counts
