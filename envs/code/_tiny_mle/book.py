"""All kinds of tasks, their splits, and the task of a name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from agentgym.core.rng import stream
from agentgym.envs.code._tiny_mle.data import Draw, Generator, Problem, pose
from agentgym.envs.code._tiny_mle.labels import LABELS
from agentgym.envs.code._tiny_mle.numbers import NUMBERS
from agentgym.envs.code._tiny_mle.others import OTHERS

VARIANTS = 3  # of each kind
KINDS: Mapping[str, Generator] = LABELS | NUMBERS | OTHERS
HELD = {
    "val": ("gaps", "pairs", "ticket", "curve", "prices", "weekdays", "adverts", "diabetes"),
    "test": ("rings", "rare", "towns", "later", "areas", "counts", "tides", "tastes", "mixed", "tumors"),
}
SPLITS: Mapping[str, tuple[str, ...]] = {
    "train": tuple(kind for kind in KINDS if kind not in HELD["val"] + HELD["test"]),
    **HELD,
}
"""Kinds of each split; no kind is in two."""


def names(split: str) -> list[str]:
    """The tasks of a split: each variant of its kinds.

    Args:
        split: A key of `SPLITS`.
    """
    return [f"{kind}-{variant}" for variant in range(VARIANTS) for kind in SPLITS[split]]


@lru_cache(maxsize=64)
def load(name: str) -> Problem | None:
    """The task of a name; None if there is none.

    Args:
        name: Kind and variant, such as `rings-0`.
    """
    kind, _, number = name.rpartition("-")
    if kind not in KINDS or number not in {str(each) for each in range(VARIANTS)}:
        return None
    variant = int(number)
    made = KINDS[kind](Draw(stream("code.tiny_mle.draw", kind, variant), variant))
    return pose(kind, variant, made, stream("code.tiny_mle.cut", kind, variant))
