"""Crafter's own engine, made repeatable: creatures in order, random numbers from outside, no idle pictures."""

from __future__ import annotations

import copy
from collections import defaultdict
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import require
from agentgym.envs.games._cards.survival import CRAFTER

VERSION = "1.8.3"
SIDE = 64  # rows and columns of the original's map
OWN = frozenset({"world", "random", "player"})  # of an object: what it shares with the others


class InOrder(dict[Any, None]):
    """A set that keeps the order of arrival: the package's sets follow the addresses of their objects."""

    def add(self, thing: Any) -> None:
        """Put a thing at the end."""
        self[thing] = None

    def remove(self, thing: Any) -> None:
        """Take a thing out."""
        del self[thing]


def package() -> Any:
    """The package.

    Raises:
        MissingExtra: if it is not installed, or in another version.
    """
    return require("crafter", extra="worlds", purpose=CRAFTER.id, version=VERSION)


def _engine(side: int) -> Any:
    """A `crafter.Env` without length limit that paints no picture until it is asked for one."""
    engine = package().Env(area=(side, side), seed=0, length=0)
    world, begin = engine._world, engine._world.reset

    def reset(seed: int | None = None) -> None:
        begin(seed)
        world._chunks = defaultdict(InOrder)

    world.reset = reset
    engine._obs = _nothing
    return engine


def _nothing() -> None:
    return None


@lru_cache(maxsize=16)
def _generated(seed: int, side: int) -> Any:
    """The engine at the beginning of a land; to be copied only. Making a land takes over a second."""
    engine = _engine(side)
    engine._seed, engine._episode = seed, 0
    engine.reset()
    return engine


def begin(seed: int, side: int) -> Any:
    """A fresh engine in the land that `crafter.Env(seed=seed).reset()` makes.

    Args:
        seed: Seed of the land and of all that stands in it.
        side: Rows and columns of the land; with `SIDE` it is the original's.
    """
    first = _generated(seed, side)
    shared = (first._textures, first._item_view, first._local_view._textures, first._obs)
    memo: dict[int, Any] = {id(thing): thing for thing in shared}
    reset = first._world.__dict__.pop("reset")  # it belongs to the first world; copies are never reset
    try:
        return copy.deepcopy(first, memo)
    finally:
        first._world.reset = reset


def step(engine: Any, action: int, rng: int) -> tuple[float, bool]:
    """One step of an `engine`, which changes; reward, and whether the player died.

    Args:
        engine: What `begin` gave.
        action: Place of the action among Crafter's 17, 0 for `noop`.
        rng: Seed of the random numbers of this step, below 2 ** 32.
    """
    engine._world.random.seed(rng)
    _, reward, dead, _ = engine.step(action)
    return float(reward), bool(dead)


def achievements(engine: Any) -> frozenset[str]:
    """What was achieved so far."""
    return frozenset(name for name, count in engine._player.achievements.items() if count)


def picture(engine: Any) -> NDArray[np.uint8]:
    """Crafter's picture, uint8 of shape (64, 64, 3); the noise of the night draws no random numbers."""
    generator = engine._world.random
    before = generator.get_state()
    frame: NDArray[np.uint8] = engine.render()
    generator.set_state(before)
    return frame


def dynamics(engine: Any) -> list[Any]:
    """All that the future depends on but the generator, as plain data."""
    world = engine._world
    objects = world.objects
    number = {id(thing): place for place, thing in enumerate(objects)}
    return [
        engine._step,
        engine._last_health,
        sorted(engine._unlocked),
        world._mat_map,
        [[type(thing).__name__, _plain(thing)] for thing in objects],
        [[list(map(int, chunk)), [number[id(thing)] for thing in things]] for chunk, things in world._chunks.items()],
    ]


def _plain(thing: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(thing).items() if name not in OWN}
