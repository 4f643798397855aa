"""The land of a survival world: layered noise makes meadows, lakes, caves and ores; one byte a cell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

GRASS, SAND, PATH, TUNNEL, WATER, LAVA = b".", b"_", b":", b"%", b"~", b"!"
STONE, COAL, IRON, DIAMOND, TREE = b"#", b"c", b"i", b"d", b"T"
TABLE, FURNACE, SAPLING, RIPE, VOID = b"t", b"f", b"s", b"R", b" "
COW, ZOMBIE, SKELETON, ARROW, YOU = b"C", b"Z", b"K", b"A", b"@"
UNDER = {COW: GRASS, ZOMBIE: GRASS, SKELETON: TUNNEL, YOU: GRASS}  # what a being of a task's map stands on
SIGNS = b"".join([GRASS, SAND, PATH, TUNNEL, WATER, LAVA, STONE, COAL, IRON, DIAMOND, TREE, *UNDER]).decode()
EDGE = 4  # cells of nothing around the land, so that no view ends outside the array
STREAM = 0xC4AF  # apart from np_random of an equal seed, which throws the dice of the episode
NEEDED = {COAL: 2, IRON: 2, DIAMOND: 1, TREE: 10, WATER: 4, TUNNEL: 6}  # cells that the 22 achievements need
TRIES = 200


class Land(NamedTuple):
    """What the rows of a task determine: cells with an edge around them, and who stands where at the beginning."""

    side: int  # cells in a row, edge included
    terrain: bytes
    start: int
    beings: tuple[tuple[int, int], ...]  # cell and byte


@lru_cache(maxsize=512)
def read(rows: tuple[str, ...]) -> Land:
    """The land of a task's rows."""
    side = len(rows[0]) + 2 * EDGE
    blank = VOID * side * EDGE
    text = blank + b"".join(VOID * EDGE + row.encode() + VOID * EDGE for row in rows) + blank
    beings = tuple((cell, sign) for cell, sign in enumerate(text) if bytes([sign]) in (COW, ZOMBIE, SKELETON))
    start = text.index(YOU)
    for being, ground in UNDER.items():
        text = text.replace(being, ground)
    return Land(side, text, start, beings)


def generate(seed: int, size: int) -> list[str]:
    """The rows of a land on which every achievement can be reached; drawn again until it is one.

    Args:
        seed: Generator seed.
        size: Rows and columns, without the edge that `read` puts around them.
    """
    rng = np.random.default_rng([seed, STREAM])
    for _ in range(TRIES):
        cells = _terrain(rng, size)
        if _rich(cells):
            _settle(rng, cells)
            return [bytes(row).decode() for row in cells]
    raise AssertionError(f"no land of size {size} came out rich in {TRIES} tries from seed {seed}")


def _noise(rng: np.random.Generator, size: int, scale: float, stretch: float = 1.0) -> NDArray[np.float64]:
    """Smooth noise from -1 to 1, shape (size, size); bumps are `scale` cells wide and `stretch` times as tall."""
    ticks = np.arange(size) / scale
    down, right = ticks / stretch, ticks
    lattice = rng.uniform(-1.0, 1.0, (int(down[-1]) + 2, int(right[-1]) + 2))
    row, column = down.astype(int), right.astype(int)
    v, u = down - row, right - column
    v, u = v * v * (3 - 2 * v), u * u * (3 - 2 * u)
    lines = lattice[row] * (1 - v)[:, None] + lattice[row + 1] * v[:, None]
    smooth: NDArray[np.float64] = lines[:, column] * (1 - u) + lines[:, column + 1] * u
    return smooth


def _terrain(rng: np.random.Generator, size: int) -> NDArray[np.uint8]:
    """Materials by the thresholds of the original world, without beings; smaller lands have tighter bumps."""
    broad = min(15.0, size / 3.2)
    place = np.arange(size) - size // 2
    start = 4 - np.hypot(place[:, None], place[None, :]) + 2 * _noise(rng, size, 3)
    start = 1 / (1 + np.exp(-start))
    water = _noise(rng, size, broad) + 0.15 * _noise(rng, size, 5) + 0.1 - 2 * start
    mountain = (_noise(rng, size, broad) + 0.3 * _noise(rng, size, 5)) / 1.3 - 4 * start - 0.3 * water
    caves, across, along = _noise(rng, size, 7), _noise(rng, size, 1.5, 8.0), _noise(rng, size, 12, 0.125)
    draws = rng.random((4, size, size))
    rock = mountain > 0.15
    layers = (  # the first that applies to a cell makes it
        (start > 0.5, GRASS),
        (rock & (caves > 0.35) & (mountain > 0.3), PATH),
        (rock & ((across > 0.55) | (along > 0.55)), TUNNEL),
        (rock & (_noise(rng, size, 8) > 0) & (draws[0] > 0.85), COAL),
        (rock & (_noise(rng, size, 6) > 0.25) & (draws[1] > 0.75), IRON),
        (rock & (mountain > 0.18) & (draws[2] > 0.985), DIAMOND),
        (rock & (mountain > 0.3) & (_noise(rng, size, 5) > 0.5), LAVA),
        (rock, STONE),
        ((water > 0.25) & (water <= 0.35) & (_noise(rng, size, 9) > -0.2), SAND),
        (water > 0.3, WATER),
        ((_noise(rng, size, 7) > 0) & (draws[3] > 0.8), TREE),
    )
    cells = np.full((size, size), GRASS[0], np.uint8)
    for where, material in reversed(layers):
        cells[where] = material[0]
    return cells


def _rich(cells: NDArray[np.uint8]) -> bool:
    """Whether the part of a land that can be walked or dug to, over no water or lava, has all that is needed."""
    size = len(cells)
    near = np.zeros((size + 2, size + 2), bool)
    firm = np.zeros_like(near)
    firm[1:-1, 1:-1] = (cells != WATER[0]) & (cells != LAVA[0])
    near[1 + size // 2, 1 + size // 2] = True
    count = 0
    while count != (count := int(near.sum())):
        for _ in range(4):
            near[1:-1] |= near[:-2] | near[2:]
            near[:, 1:-1] |= near[:, :-2] | near[:, 2:]
            near &= firm
    reached = cells[near[1:-1, 1:-1]]
    shore = near.copy()
    shore[1:-1] |= near[:-2] | near[2:]
    shore[:, 1:-1] |= near[:, :-2] | near[:, 2:]
    water = int((cells[shore[1:-1, 1:-1]] == WATER[0]).sum())
    found = {sign: int((reached == sign[0]).sum()) for sign in NEEDED}
    found[WATER] = water
    return all(found[sign] >= least for sign, least in NEEDED.items())


def _settle(rng: np.random.Generator, cells: NDArray[np.uint8]) -> None:
    """Put the player in the middle, cows and zombies on grass, skeletons into tunnels, with the original's odds."""
    size = len(cells)
    place = np.arange(size) - size // 2
    far = np.hypot(place[:, None], place[None, :])
    draws = rng.random((3, size, size))
    grass, tunnel = cells == GRASS[0], cells == TUNNEL[0]
    cells[grass & (far > 10) & (draws[0] > 0.993)] = ZOMBIE[0]
    cells[grass & (far > 3) & (draws[1] > 0.985)] = COW[0]
    cells[tunnel & (draws[2] > 0.95)] = SKELETON[0]
    cells[size // 2, size // 2] = YOU[0]


def flaws(rows: Sequence[str]) -> str:
    """Why rows are no land; empty if they are one."""
    if any(len(row) != len(rows) for row in rows) or set("".join(rows)) - set(SIGNS):
        return f"a land has as many signs in a row as rows, of {SIGNS}, got {list(rows)}"
    if "".join(rows).count(YOU.decode()) != 1:
        return f"a land has exactly one player, @, got {''.join(rows).count('@')}"
    return ""
