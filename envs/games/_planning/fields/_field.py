"""What a domain file holds, and the dice its generator throws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from agentgym.envs.games._planning.pddl import read_domain
from agentgym.envs.games._planning.strips import Atom, Domain
from agentgym.envs.games._planning.words import Wording

T = TypeVar("T")


class TaskRandom:
    """Draws of one problem, in order."""

    def __init__(self, key: Sequence[int]):
        self._rng = np.random.default_rng(key)
        self._drawn: list[float] = []

    def roll(self) -> float:
        """A number from 0 up to 1."""
        if not self._drawn:
            self._drawn = self._rng.random(64).tolist()
        return self._drawn.pop()

    def below(self, count: int) -> int:
        """A whole number from 0 to count - 1."""
        return int(self.roll() * count)

    def pick(self, things: Sequence[T]) -> T:
        """One of them."""
        return things[self.below(len(things))]

    def shuffled(self, things: Sequence[T]) -> list[T]:
        """All of them in another order."""
        order = list(things)
        for place in range(len(order) - 1, 0, -1):
            other = self.below(place + 1)
            order[place], order[other] = order[other], order[place]
        return order

    def other(self, things: Sequence[T], than: T) -> T:
        """One of `things`, but none that equals `than`; at least one must be left."""
        return self.pick([thing for thing in things if thing != than])


@dataclass
class Sketch:
    """A problem being drawn: its objects by type, what holds, and the goals, those of one item together."""

    objects: dict[str, str] = field(default_factory=dict)
    init: list[Atom] = field(default_factory=list)
    goals: list[list[Atom]] = field(default_factory=list)

    def add(self, kind: str, names: Sequence[str]) -> list[str]:
        """Objects of a type.

        Args:
            kind: The type, as the domain's PDDL calls it.
            names: Their names, unlike all that are there.

        Returns:
            The names as a list.
        """
        self.objects.update(dict.fromkeys(names, kind))
        return list(names)


@dataclass(frozen=True, eq=False)
class Field:
    """A domain with its wordings and its generator.

    `draw(dice, size, items, wording)` draws a problem of a size with so many items: first the surroundings, which
    depend on `size` alone, then the items one by one, so that more items are added to the same problem. The goal
    of the first item does not hold at the start.
    """

    pddl: str
    wordings: tuple[Wording, ...]
    draw: Callable[[TaskRandom, int, int, Wording], Sketch]

    @property
    def domain(self) -> Domain:
        """The domain, read once."""
        return read_domain(self.pddl)

    @property
    def name(self) -> str:
        """The name that PDDL gives the domain."""
        return self.domain.name
