"""The land of a world seed: biomes on a grid, and what each exploration of a place finds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from agentgym.envs.text._craft_tree.facts import BIOMES, DEPTHS, HEIGHTS, PLENTY

SIDE = 9  # areas in a row
CELLS = SIDE * SIDE
LEVELS = len(HEIGHTS)
SEEDS_OF_BIOMES = 26  # points from which biomes spread; at least one for each biome
SURFACE_FINDS = 2
STREAM = 0xC4AF7  # apart from other generators of an equal seed
WOODED = ("forest", "birch forest", "dark forest", "taiga", "savanna", "jungle", "cherry grove", "flower forest")
WAYS = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}


@dataclass(frozen=True, eq=False)
class Land:
    """The biome of each area, row by row from north-west to south-east, and the area where the player starts."""

    seed: int
    biomes: tuple[str, ...]
    start: int


@lru_cache(maxsize=512)
def land(seed: int) -> Land:
    """The land of a seed: every biome lies somewhere on it, and the player starts near its middle among trees."""
    rng = np.random.default_rng([seed, STREAM])
    names = list(BIOMES)
    chosen = names + [names[int(place)] for place in rng.integers(len(names), size=SEEDS_OF_BIOMES - len(names))]
    points = rng.choice(CELLS, SEEDS_OF_BIOMES, replace=False)
    biomes = []
    for cell in range(CELLS):
        nearest = min(range(SEEDS_OF_BIOMES), key=lambda place: (distance(cell, int(points[place])), place))
        biomes.append(chosen[nearest])
    middle = CELLS // 2
    start = min(
        (cell for cell in range(CELLS) if biomes[cell] in WOODED), key=lambda cell: (distance(cell, middle), cell)
    )
    return Land(seed, tuple(biomes), start)


def distance(one: int, other: int) -> int:
    """Steps from area `one` to area `other`, by cell number."""
    return abs(one // SIDE - other // SIDE) + abs(one % SIDE - other % SIDE)


@lru_cache(maxsize=4096)
def neighbour(cell: int, direction: str) -> int:
    """The area to which a step in `direction`, a key of `WAYS`, leads from `cell`; -1 at the edge of the land."""
    down, right = WAYS[direction]
    row, column = cell // SIDE + down, cell % SIDE + right
    return row * SIDE + column if 0 <= row < SIDE and 0 <= column < SIDE else -1


def rng(seed: int, *what: object) -> bytes:
    """Sixteen bytes that depend on the `seed` of the world, on `what` they are for, and on nothing else."""
    return hashlib.blake2b(repr((seed, *what)).encode(), digest_size=16).digest()


def between(byte: int, low: int, high: int) -> int:
    """A number from `low` to `high` out of `byte`, 0 to 255."""
    return low + byte * (high - low + 1) // 256


@lru_cache(maxsize=200_000)
def find(seed: int, biome: str, cell: int, level: int, number: int) -> tuple[tuple[str, int], ...]:
    """What an exploration finds at a place: names with amounts.

    Args:
        seed: Of the land.
        biome: That of the area; it counts on the surface alone.
        cell: The area.
        level: 0 for the surface, more for deeper.
        number: How often the place was explored before.
    """
    found: dict[str, int] = {}
    if level == 0:
        rolls = rng(seed, "surface", cell, number)
        finds = BIOMES[biome].finds
        total = sum(weight for _, weight, _, _ in finds)
        for place in range(SURFACE_FINDS):
            mark = int.from_bytes(rolls[4 * place : 4 * place + 2], "big") * total >> 16
            for name, weight, low, high in finds:
                mark -= weight
                if mark < 0:
                    found[name] = found.get(name, 0) + between(rolls[4 * place + 2], low, high)
                    break
        return tuple(found.items())
    table = DEPTHS[level]
    rolls = b"".join(rng(seed, "tunnel", cell, level, number, part) for part in range((2 * len(table) + 15) // 16))
    for place, (name, chance, low, high) in enumerate(table):
        if rolls[2 * place] < chance:
            found[name] = between(rolls[2 * place + 1], low, high)
    return tuple(found.items())


def sight(biome: str, level: int) -> dict[str, int]:
    """What is in sight on the first arrival at a place, with amounts: `level` 0 of a `biome`, or below, stone."""
    if level == 0:
        return dict(BIOMES[biome].sight)
    return {"stone" if HEIGHTS[level] >= 0 else "deepslate": PLENTY}
