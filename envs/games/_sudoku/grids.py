"""Sudoku grids: their shapes, an exact search, the two rules of single candidates, and the generator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

EMPTY = "."
BOXES = {4: (2, 2), 6: (2, 3), 9: (3, 3)}  # size: rows and columns of a box
STREAM = 0x5D0C  # apart from np_random of an equal seed


@dataclass(frozen=True, eq=False)
class Shape:
    """What the size determines: boxes, units (rows, columns, boxes), units and peers of each cell, text parts."""

    size: int
    height: int
    width: int
    digits: str
    units: tuple[tuple[int, ...], ...]
    units_of: tuple[tuple[int, ...], ...]
    peers: tuple[tuple[int, ...], ...]
    header: str
    rule: str


@cache
def shape(size: int) -> Shape:
    """The shape of grids of a size."""
    height, width = BOXES[size]
    rows = [tuple(range(row * size, (row + 1) * size)) for row in range(size)]
    columns = [tuple(range(column, size * size, size)) for column in range(size)]
    boxes = [
        tuple((top + row) * size + left + column for row in range(height) for column in range(width))
        for top in range(0, size, height)
        for left in range(0, size, width)
    ]
    units = (*rows, *columns, *boxes)
    peers = tuple(
        tuple(sorted({other for unit in units if cell in unit for other in unit} - {cell}))
        for cell in range(size * size)
    )
    units_of = tuple(tuple(index for index, unit in enumerate(units) if cell in unit) for cell in range(size * size))
    numbers = [f" {number} " for number in range(1, size + 1)]
    header = "   " + " ".join("".join(numbers[at : at + width]) for at in range(0, size, width))
    rule = "   " + "+".join(["-" * 3 * width] * (size // width))
    return Shape(size, height, width, "123456789"[:size], units, units_of, peers, header, rule)


def _masks(grid: Sequence[str], form: Shape) -> list[int] | None:
    """The numbers each empty cell can take, a bit each, 0 for filled cells; None if the filled cells break a rule."""
    every = (1 << form.size) - 1
    taken = [0] * len(form.units)
    for cell, sign in enumerate(grid):
        if sign != EMPTY:
            bit = 1 << int(sign) - 1
            for unit in form.units_of[cell]:
                if taken[unit] & bit:
                    return None
                taken[unit] |= bit
    masks = [0] * len(grid)
    for cell, sign in enumerate(grid):
        if sign == EMPTY:
            row, column, box = form.units_of[cell]
            masks[cell] = every & ~(taken[row] | taken[column] | taken[box])
    return masks


def solutions(grid: str, form: Shape, most: int, order: Sequence[int] | None = None) -> list[str]:
    """Up to `most` solutions, by depth-first search on the cell with the fewest candidates.

    Args:
        grid: Digits and `.`.
        form: Its shape.
        most: How many to look for.
        order: The order in which numbers (from 0) are tried; ascending by default.
    """
    masks = _masks(grid, form)
    if masks is None:
        return []
    found: list[str] = []
    numbers = tuple(order) if order is not None else tuple(range(form.size))
    _search(list(grid), masks, {cell for cell, sign in enumerate(grid) if sign == EMPTY}, form, most, numbers, found)
    return found


def _search(
    grid: list[str],
    masks: list[int],
    left: set[int],
    form: Shape,
    most: int,
    numbers: tuple[int, ...],
    found: list[str],
) -> None:
    if not left:
        found.append("".join(grid))
        return
    best, fewest = -1, 99
    for cell in left:
        count = masks[cell].bit_count()
        if count < fewest or (count == fewest and cell < best):
            best, fewest = cell, count
            if count < 2:
                break
    if not fewest:
        return
    left.remove(best)
    options = masks[best]
    for number in numbers:
        bit = 1 << number
        if not options & bit:
            continue
        touched = [peer for peer in form.peers[best] if peer in left and masks[peer] & bit]
        for peer in touched:
            masks[peer] ^= bit
        grid[best] = form.digits[number]
        if all(masks[peer] for peer in touched):
            _search(grid, masks, left, form, most, numbers, found)
        grid[best] = EMPTY
        for peer in touched:
            masks[peer] |= bit
        if len(found) >= most:
            break
    left.add(best)


def single(grid: str, form: Shape) -> tuple[int, str] | None:
    """A cell with its number that follows at once: its only candidate, or the only place of a number in a unit.

    Args:
        grid: The signs of all cells, row after row, `EMPTY` where nothing stands.
        form: The shape of the grid.

    Returns:
        Cell and number; None if neither rule says anything or numbers clash.
    """
    masks = _masks(grid, form)
    if masks is None:
        return None
    for cell, mask in enumerate(masks):
        if mask and not mask & mask - 1:
            return cell, form.digits[mask.bit_length() - 1]
    for unit in form.units:
        once = twice = 0
        for cell in unit:
            twice |= once & masks[cell]
            once |= masks[cell]
        alone = once & ~twice
        if alone:
            bit = alone & -alone
            return next(cell for cell in unit if masks[cell] & bit), form.digits[bit.bit_length() - 1]
    return None


def generate(seed: int, form: Shape, removed: int) -> list[str]:
    """The rows of a puzzle: a full grid at random, cells removed in random order while one solution remains.

    Args:
        seed: Generator seed.
        form: The shape of the grid.
        removed: Cells to empty; fewer are emptied if no more can be.
    """
    rng = np.random.default_rng([seed, STREAM])
    size = form.size
    first = rng.permutation(size).tolist()
    seedling = "".join(form.digits[number] for number in first) + EMPTY * (size * size - size)
    (full,) = solutions(seedling, form, 1, rng.permutation(size).tolist())
    full = _shuffled(full, form, rng)
    grid = list(full)
    for cell in rng.permutation(size * size).tolist():
        if grid.count(EMPTY) == removed:
            break
        grid[cell] = EMPTY
        if not _one_way(grid, cell, full, form):
            grid[cell] = full[cell]
    return ["".join(grid[row * size : (row + 1) * size]) for row in range(size)]


def _shuffled(full: str, form: Shape, rng: np.random.Generator) -> str:
    """Bands and stacks in another order, and the rows and columns within them."""
    size = form.size
    rows = _reordered(size, form.height, rng)
    columns = _reordered(size, form.width, rng)
    return "".join(full[row * size + column] for row in rows for column in columns)


def _reordered(size: int, length: int, rng: np.random.Generator) -> list[int]:
    return [
        band * length + line
        for band in rng.permutation(size // length).tolist()
        for line in rng.permutation(length).tolist()
    ]


def _one_way(grid: list[str], cell: int, full: str, form: Shape) -> bool:
    """Whether the cell just emptied can take no other number in any solution: by a simple rule, or else by search."""
    number = full[cell]
    masks = _masks(grid, form) or []
    bit = 1 << int(number) - 1
    for unit in form.units_of[cell]:
        if not any(masks[other] & bit for other in form.units[unit] if other != cell):
            return True
    left = {other for other, sign in enumerate(grid) if sign == EMPTY} - {cell}
    for place, digit in enumerate(form.digits):
        if digit != number and masks[cell] >> place & 1:
            trial = list(masks)
            for peer in form.peers[cell]:
                trial[peer] &= ~(1 << place)
            grid[cell] = digit
            other_ways: list[str] = []
            _search(grid, trial, set(left), form, 1, tuple(range(form.size)), other_ways)
            grid[cell] = EMPTY
            if other_ways:
                return False
    return True
