"""Draws for content of which there is much: whole blocks of a named stream, handed out one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from agentgym.core.rng import stream

T = TypeVar("T")
BLOCK = 1 << 16


class Dice:
    """A source of chance that is quick for single draws.

    Args:
        name: Of the stream.
        seed: Of the content.
    """

    def __init__(self, name: str, seed: int):
        self._rng = stream(name, seed)
        self._numbers: list[int] = []

    def below(self, end: int) -> int:
        """A whole number from 0 to `end` - 1."""
        if not self._numbers:
            self._numbers = self._rng.integers(2**62, size=BLOCK).tolist()
        return self._numbers.pop() % end

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`."""
        return low + self.below(high - low + 1)

    def pick(self, of: Sequence[T]) -> T:
        """One of a sequence."""
        return of[self.below(len(of))]

    def some(self, of: Sequence[T], count: int) -> list[T]:
        """Up to `count` different ones of a sequence, `of`, in random order."""
        left = list(of)
        return [left.pop(self.below(len(left))) for _ in range(min(count, len(left)))]

    def chance(self, percent: int) -> bool:
        """Whether something happens that happens so often."""
        return self.below(100) < percent

    def skewed(self, end: int) -> int:
        """A whole number from 0 to `end` - 1, small ones far more often."""
        return min(self.below(end), self.below(end), self.below(end))
