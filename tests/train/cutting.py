"""Runs of tests that are cut off at a moment of the test's choosing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Cut(Exception):
    """What ends a run at a moment of its own."""


def cut_at(phase: str, done: int) -> Callable[..., None]:
    """What is told of a run's progress, which ends it once `done` steps of a `phase` are over."""

    def tell(now: str, count: int, total: int, metrics: Any) -> None:
        if (now, count) == (phase, done):
            raise Cut

    return tell
