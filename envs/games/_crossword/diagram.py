"""Crossword diagrams: numbered entries on a grid, and a generator that lets words cross."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

STEP = {"across": (0, 1), "down": (1, 0)}
POOL = 300  # words that are tried for one diagram
TRIES = 30  # diagrams begun before the wanted number of words is given up

Placed = tuple[int, int, str, str]  # row, column, direction, word
Cells = dict[tuple[int, int], str]


@dataclass(frozen=True, slots=True)
class Entry:
    """A word of a diagram.

    Attributes:
        number: As printed in its first cell, counted row by row.
        direction: `across` or `down`.
        word: The answer.
        row, column: Of its first cell, from 0.
        cells: Places of its letters among the diagram's cells.
    """

    number: int
    direction: str
    word: str
    row: int
    column: int
    cells: tuple[int, ...]

    @property
    def name(self) -> str:
        """Number and direction, such as `3 down`."""
        return f"{self.number} {self.direction}"


@dataclass(frozen=True, eq=False)
class Diagram:
    """A crossword: its entries, by name as well, its letters cell by cell, and where each cell is.

    `rows` holds the places of the cells, -1 for a black square, shape (rows, columns).
    """

    entries: tuple[Entry, ...]
    named: dict[str, Entry]
    letters: str
    rows: tuple[tuple[int, ...], ...]


def spread(placed: Sequence[Placed]) -> Cells:
    """The letters of placed words by cell; words of one direction may not overlap, and words that cross must agree.

    Raises:
        ValueError: if they do not, naming the cell.
    """
    cells: Cells = {}
    taken: set[tuple[int, int, str]] = set()
    for row, column, direction, word in placed:
        down, right = STEP[direction]
        for place, letter in enumerate(word):
            cell = (row + down * place, column + right * place)
            if (*cell, direction) in taken:
                raise ValueError(f"two words {direction} overlap in row {cell[0] + 1}, column {cell[1] + 1}")
            taken.add((*cell, direction))
            if cells.setdefault(cell, letter) != letter:
                raise ValueError(f"two words disagree in row {cell[0] + 1}, column {cell[1] + 1}")
    return cells


@lru_cache(maxsize=1024)
def diagram(placed: tuple[Placed, ...]) -> Diagram:
    """The diagram of placed words, numbered as usual."""
    cells = spread(placed)
    order = sorted(cells)
    places = {cell: place for place, cell in enumerate(order)}
    starts = sorted({(row, column) for row, column, _, _ in placed})
    numbers = {start: number for number, start in enumerate(starts, 1)}
    entries = []
    for row, column, direction, word in placed:
        down, right = STEP[direction]
        own = tuple(places[row + down * place, column + right * place] for place in range(len(word)))
        entries.append(Entry(numbers[row, column], direction, word, row, column, own))
    entries.sort(key=lambda entry: (entry.direction, entry.number))
    height, width = max(row for row, _ in order) + 1, max(column for _, column in order) + 1
    rows = tuple(tuple(places.get((row, column), -1) for column in range(width)) for row in range(height))
    named = {entry.name: entry for entry in entries}
    return Diagram(tuple(entries), named, "".join(cells[cell] for cell in order), rows)


def fits(cells: Cells, size: int, row: int, column: int, direction: str, word: str) -> bool:
    """Whether a word may be placed: inside, crossing at least one word, agreeing with it, and touching no other.

    Args:
        cells: The letters that stand already.
        size: Rows and columns of the square.
        row, column: Where its first letter would stand, from 0; below 0 it does not fit.
        direction: `across` or `down`.
        word: The word.
    """
    down, right = STEP[direction]
    end = (row + down * (len(word) - 1), column + right * (len(word) - 1))
    if min(row, column) < 0 or max(end) >= size:
        return False
    if (row - down, column - right) in cells or (end[0] + down, end[1] + right) in cells:
        return False
    crossings, crossed = 0, False
    for place, letter in enumerate(word):
        cell = (row + down * place, column + right * place)
        there = cells.get(cell)
        if there == letter and crossed:  # two in a row belong to a word of the same direction
            return False
        crossed = there == letter
        if crossed:
            crossings += 1
        elif (
            there is not None
            or (cell[0] + right, cell[1] + down) in cells
            or (cell[0] - right, cell[1] - down) in cells
        ):
            return False
    return crossings > 0


def compose(words: Sequence[str], size: int, count: int, rng: np.random.Generator) -> tuple[Placed, ...]:
    """A diagram of `count` of the words, connected, on a square of `size` cells; fewer if the words do not cross so.

    The diagram is moved to the upper left corner.

    Args:
        words: The words to choose from.
        size: Rows and columns of the square.
        count: Words wanted.
        rng: Puts the words into the order in which they are tried.
    """
    best: list[Placed] = []
    for _ in range(TRIES):
        pool = [words[place] for place in rng.permutation(len(words))[:POOL].tolist()]
        found = _grow(pool, size, count)
        if len(found) > len(best):
            best = found
        if len(best) == count:
            break
    top, left = min(row for row, *_ in best), min(column for _, column, *_ in best)
    return tuple((row - top, column - left, direction, word) for row, column, direction, word in best)


def _grow(pool: list[str], size: int, count: int) -> list[Placed]:
    """Place the first word in the middle, then every next one where it fits, across and down in turn."""
    first = next((word for word in pool if len(word) <= size), "")
    if not first:
        return []
    row, column = size // 2, (size - len(first)) // 2
    placed: list[Placed] = [(row, column, "across", first)]
    cells = spread(placed)
    holding: dict[str, list[tuple[int, int]]] = {}
    for cell, letter in cells.items():
        holding.setdefault(letter, []).append(cell)
    for word in pool:
        if len(placed) == count:
            break
        if len(word) > size or word == first:
            continue
        direction = "down" if len(placed) % 2 else "across"
        spot = _spot(cells, holding, size, direction, word)
        if spot is not None:
            placed.append((*spot, direction, word))
            for cell, letter in spread(placed[-1:]).items():
                if cell not in cells:
                    cells[cell] = letter
                    holding.setdefault(letter, []).append(cell)
    return placed


def _spot(
    cells: Cells, holding: dict[str, list[tuple[int, int]]], size: int, direction: str, word: str
) -> tuple[int, int] | None:
    """The first place where a word fits, letter by letter, along the cells that hold the letter."""
    down, right = STEP[direction]
    for place, letter in enumerate(word):
        for row, column in holding.get(letter, ()):
            start = (row - down * place, column - right * place)
            if fits(cells, size, *start, direction, word):
                return start
    return None
