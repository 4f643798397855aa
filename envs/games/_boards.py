"""What board games share: cells in words, and pictures of square cells painted with numpy alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from agentgym.core.grammar import Call, shorten

CELL = 48  # pixels
Color = tuple[int, int, int]
Picture = NDArray[np.uint8]
PAPER, INK, GRID = (250, 248, 243), (44, 62, 80), (208, 204, 194)
RED, GREEN, BLUE, WALL, WOOD, WOOD_DARK, GOLD = (
    (192, 57, 43), (39, 174, 96), (36, 113, 163), (86, 101, 115), (202, 142, 74), (143, 93, 38), (241, 196, 15),
)  # fmt: skip
DIGITS = {  # 3 x 5 pixels, a row a digit of base 8
    "0": 0o75557, "1": 0o26227, "2": 0o71747, "3": 0o71717, "4": 0o55711,
    "5": 0o74717, "6": 0o74757, "7": 0o71122, "8": 0o75757, "9": 0o75717,
}  # fmt: skip

PLACE = re.compile(
    r"[(\[]?(?:row )?(?P<row>[0-9]{1,3}) ?[,;]? (?:col(?:umn)? )?(?P<column>[0-9]{1,3})[)\]]?", re.IGNORECASE
)


def point(cell: tuple[int, int]) -> str:
    """A cell as `(row, column)`."""
    return f"({cell[0]}, {cell[1]})"


def points(cells: Iterable[tuple[int, int]]) -> str:
    """Cells as `(row, column), (row, column)`, in order; `none` if there are none."""
    return ", ".join(map(point, sorted(cells))) or "none"


def joined(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def cell_of(call: Call, rows: int, columns: int) -> int | str:
    """The cell that the slots `row` and `column` name, counted from 1, as row * columns + column; or why it is none.

    Brackets, commas and the words row and column may stand with the numbers, which the grammar gives to either slot.

    Args:
        call: A call with both slots, as the player said them.
        rows, columns: The size of the board; what lies beyond is no cell.
    """
    said = PLACE.fullmatch(" ".join(f"{call['row']} {call['column']}".split()))
    place = []
    for slot, most in (("row", rows), ("column", columns)):
        number = said[slot] if said else call[slot].strip("(),[]")
        if not (number.isascii() and number.isdecimal() and len(number) <= 3 and 1 <= int(number) <= most):
            return f"There is no {slot} {shorten(number)!r}; it is a whole number from 1 to {most}."
        place.append(int(number) - 1)
    return place[0] * columns + place[1]


def named(cell: int, columns: int) -> str:
    """A `cell` of a board with so many `columns` as `row 2, column 3`, counted from 1; the cell counts from 0."""
    return f"row {cell // columns + 1}, column {cell % columns + 1}"


@cache
def labels(rows: int) -> tuple[str, ...]:
    """What stands before each row of a board: its number, from 1."""
    return tuple(f"{row:2}  " for row in range(1, rows + 1))


@cache
def header(columns: int) -> str:
    """What stands above the columns of a board whose cells are three characters apart: their numbers, from 1."""
    return "   " + " ".join(f"{column:2}" for column in range(1, columns + 1))


def board(rows: int, columns: int, color: Color = PAPER) -> Picture:
    """An empty board, uint8 of shape (48 * rows, 48 * columns, 3), its cells parted by thin lines.

    Args:
        rows, columns: Its size in cells.
        color: What the cells are filled with.
    """
    frame = np.empty((rows * CELL, columns * CELL, 3), np.uint8)
    frame[:] = color
    frame[::CELL], frame[:, ::CELL] = GRID, GRID
    return frame


def tile(frame: Picture, row: int, column: int) -> Picture:
    """The part of a picture that shows a cell, to be painted on.

    Args:
        frame: A picture as `board` makes it; what is painted on the part is painted on it.
        row, column: The cell, from 0.
    """
    return frame[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL]


def fill(part: Picture, color: Color, inset: int = 1) -> None:
    """Paint a square in a `color` on a cell's `part` of a picture, `inset` pixels from the cell's edge."""
    part[inset : CELL - inset + (inset == 1), inset : CELL - inset + (inset == 1)] = color


@cache
def _radius() -> NDArray[np.float64]:
    down, right = np.mgrid[0:CELL, 0:CELL]
    radius: NDArray[np.float64] = np.hypot(down - CELL / 2 + 0.5, right - CELL / 2 + 0.5) / CELL
    return radius


def disc(part: Picture, color: Color, radius: float, hole: float = 0.0) -> None:
    """Paint a disc, or a ring, in the middle of a cell.

    Args:
        part: The cell's part of a picture, from `tile`.
        color: Its colour.
        radius: Outer radius in cells; 0.5 touches the edges.
        hole: Inner radius in cells; what lies within is left as it is.
    """
    part[(_radius() < radius) & (_radius() >= hole)] = color


def cross(part: Picture, color: Color, arm: float = 0.3, width: int = 4) -> None:
    """Paint an X in the middle of a cell.

    Args:
        part: The cell's part of a picture, from `tile`.
        color: Its colour.
        arm: How far it reaches to each side, in cells.
        width: How thick its strokes are, in pixels.
    """
    down, right = np.mgrid[0:CELL, 0:CELL] - CELL // 2
    near = (np.abs(down) < arm * CELL) & (np.abs(right) < arm * CELL)
    part[near & ((np.abs(down - right) < width) | (np.abs(down + right) < width))] = color


@cache
def _glyphs(text: str, scale: int) -> NDArray[np.bool_]:
    """The pixels of a number, true where ink is."""
    ink = np.zeros((5, 4 * len(text) - 1), bool)
    for place, digit in enumerate(text):
        for row in range(5):
            bits = DIGITS[digit] >> 3 * (4 - row) & 7
            ink[row, 4 * place : 4 * place + 3] = [bool(bits & 4), bool(bits & 2), bool(bits & 1)]
    return np.kron(ink, np.ones((scale, scale), bool))


def number(part: Picture, value: int, color: Color) -> None:
    """Write a whole number `value` in a `color` in the middle of a cell's `part` of a picture, as large as it fits."""
    text = str(value)
    scale = max(1, min(6, (CELL - 8) // (4 * len(text) - 1)))
    ink = _glyphs(text, scale)
    top, left = (CELL - ink.shape[0]) // 2, (CELL - ink.shape[1]) // 2
    part[top : top + ink.shape[0], left : left + ink.shape[1]][ink] = color
