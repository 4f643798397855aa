"""Values that change over a run: constants, lines, cosines and steps, all functions of the update alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from agentgym.core import ConfigError


@dataclass(frozen=True)
class Schedule:
    """A number that depends on the update.

    In a recipe: `0.5` (always), `{ linear = [1.0, 0.2], over = 40 }` (from 1.0 at update 0 to 0.2 at update 40, then
    constant), `{ cosine = [1.0, 0.0], over = 40 }` (the same along half a cosine), `{ steps = [[0, 5], [20, 10]] }` (5
    from update 0 on, 10 from update 20 on; ScalingInter's horizon, Xi et al. 2025, arXiv:2509.08755).

    Attributes:
        kind: `linear`, `cosine` or `steps`.
        values: Start and end; or the value of each step.
        at: The update at which the end is reached; or at which each step begins.
    """

    kind: str
    values: tuple[float, ...]
    at: tuple[int, ...]

    def __call__(self, update: int) -> float:
        """The value at an update, counted from 0."""
        if self.kind == "steps":
            return next(value for value, begin in zip(self.values[::-1], self.at[::-1], strict=True) if update >= begin)
        start, end = self.values
        share = min(1.0, update / self.at[0])
        if self.kind == "cosine":
            share = 0.5 * (1 - math.cos(math.pi * share))
        return start + (end - start) * share

    @property
    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest value it takes."""
        return min(self.values), max(self.values)


def at(value: float | Schedule, update: int) -> float:
    """The value of a constant or a schedule at an update.

    Args:
        value: A constant or a schedule.
        update: Number of the update, from 0.
    """
    return value(update) if isinstance(value, Schedule) else value


def extremes(value: float | Schedule) -> tuple[float, float]:
    """The smallest and the largest value of a constant or a schedule."""
    return value.extremes if isinstance(value, Schedule) else (value, value)


def read_schedule(value: Any, where: str) -> float | Schedule:
    """A number, or the schedule that a table of a recipe describes.

    Args:
        value: As TOML has it.
        where: What messages call it.

    Raises:
        ConfigError: if it is neither, naming `where`.
    """
    if isinstance(value, Schedule):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise ConfigError(f"{where} must be a finite number, got {value}")
        return value
    if isinstance(value, Mapping):
        if set(value) == {"steps"}:
            return _steps(value["steps"], where)
        for kind in ("linear", "cosine"):
            if set(value) == {kind, "over"}:
                return _line(kind, value[kind], value["over"], where)
    raise ConfigError(
        f"{where} must be a number, {{ linear = [from, to], over = updates }}, {{ cosine = [from, to], over = updates "
        f"}} or {{ steps = [[update, value], ...] }}, got {value!r}"
    )


def _steps(steps: Any, where: str) -> Schedule:
    if not isinstance(steps, list) or not steps or any(not _numbers(step, 2) for step in steps):
        raise ConfigError(f"{where}: steps must be a list of [update, value], got {steps!r}")
    begins = [step[0] for step in steps]
    if begins[0] != 0 or any(after <= before for before, after in pairwise(begins)):
        raise ConfigError(f"{where}: steps must begin at update 0 and go up, got {begins}")
    return Schedule("steps", tuple(step[1] for step in steps), tuple(begins))


def _line(kind: str, ends: Any, over: Any, where: str) -> Schedule:
    if not _numbers(ends, 2) or not isinstance(over, int) or over < 1:
        raise ConfigError(f"{where}: {kind} needs [from, to] and a number of updates, got {ends!r} over {over!r}")
    if ends[0] == ends[1]:
        raise ConfigError(f"{where}: {kind} from {ends[0]} to {ends[1]} is a constant; write the number")
    return Schedule(kind, tuple(ends), (over,))


def _numbers(value: Any, count: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == count
        and all(isinstance(each, (int, float)) and not isinstance(each, bool) and math.isfinite(each) for each in value)
    )
