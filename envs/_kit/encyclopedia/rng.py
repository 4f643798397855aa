"""Many small random choices, quickly: numbers are drawn in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")
BLOCK = 4096


class BlockRandom:
    """Choices from one generator.

    Args:
        seeds: What the generator is made of.
        block: Numbers drawn at once; small where only a few choices are made.
    """

    def __init__(self, seeds: Sequence[int], block: int = BLOCK):
        self._rng = np.random.default_rng(seeds)
        self._block = block
        self._left: list[float] = []

    def unit(self) -> float:
        """A number from 0 to 1, 1 excluded."""
        if not self._left:
            self._left = self._rng.random(self._block).tolist()
        return self._left.pop()

    def chance(self, share: float) -> bool:
        """True in this share of cases."""
        return self.unit() < share

    def pick(self, choices: Sequence[T]) -> T:
        """One of the choices."""
        return choices[int(self.unit() * len(choices))]

    def whole(self, first: int, last: int) -> int:
        """A whole number from `first` to `last`, both included."""
        return first + int(self.unit() * (last - first + 1))

    def some(self, choices: Sequence[T], most: int) -> tuple[T, ...]:
        """Up to `most` different ones of `choices`, in random order."""
        rest = list(choices)
        taken: list[T] = []
        while rest and len(taken) < most:
            place = int(self.unit() * len(rest))
            taken.append(rest[place])
            rest[place] = rest[-1]
            rest.pop()
        return tuple(taken)
