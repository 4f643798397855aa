"""Rush Hour boards: reading rows of signs, and the way out from wherever the vehicles stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import TaskError
from agentgym.envs.games._rush_hour.search import EXIT_ROW, SIDE, Vehicle, Words, code, distances, moved

FREE, RED = ".", "X"
Places = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Board:
    """The vehicles by sign, the red car first, and where they stand at first."""

    signs: tuple[str, ...]
    vehicles: tuple[Vehicle, ...]
    places: Places

    def cells(self, index: int, place: int) -> range:
        """The cells, row * 6 + column, of the vehicle of an `index` whose first cell is at a `place` on its line."""
        across, line, length, _ = self.vehicles[index]
        if across:
            return range(line * SIDE + place, line * SIDE + place + length)
        return range(place * SIDE + line, (place + length) * SIDE + line, SIDE)

    def drawn(self, places: Places) -> list[str]:
        """The signs of all cells."""
        signs = [FREE] * (SIDE * SIDE)
        for index, place in enumerate(places):
            for cell in self.cells(index, place):
                signs[cell] = self.signs[index]
        return signs


@lru_cache(maxsize=1024)
def read(rows: tuple[str, ...]) -> Board:
    """The board of six rows of six signs.

    Raises:
        TaskError: if a vehicle is no straight line of two or three cells, or the red car does not stand in its row.
    """
    text = "".join(rows)
    if set(text) - set(FREE + ascii_uppercase):
        raise TaskError(f"a yard is drawn with capital letters and {FREE} alone, got {rows}")
    found: dict[str, list[int]] = {}
    for cell, sign in enumerate(text):
        if sign != FREE:
            found.setdefault(sign, []).append(cell)
    signs = sorted(found, key=lambda sign: (sign != RED, sign))
    vehicles, places = [], []
    for sign in signs:
        cells = found[sign]
        step = cells[1] - cells[0] if len(cells) > 1 else 0
        straight = step in (1, SIDE) and cells == list(range(cells[0], cells[0] + step * len(cells), step))
        if not straight or len(cells) > 3 or (step == 1 and cells[0] // SIDE != cells[-1] // SIDE):
            raise TaskError(f"the vehicle {sign} must be a straight line of two or three cells, got {rows}")
        row, column = divmod(cells[0], SIDE)
        across = int(step == 1)
        line, place = (row, column) if across else (column, row)
        vehicles.append((across, line, len(cells), place))
        places.append(place)
    if RED not in found or vehicles[0][:3] != (1, EXIT_ROW, 2):
        raise TaskError(f"the red car is XX in row {EXIT_ROW + 1}, got {rows}")
    return Board(tuple(signs), tuple(vehicles), tuple(places))


@lru_cache(maxsize=16)
def ways(board: Board) -> tuple[Words, NDArray[np.int16]] | None:
    """All positions that can be reached and their distances from the exit; None if there are too many."""
    return distances(list(board.vehicles))


def away(board: Board, places: Sequence[int]) -> int:
    """The least number of moves to the exit; -1 if there is no way or the board is too large to search.

    Args:
        board: The board.
        places: Where each vehicle stands on its line, in the board's order; they can be reached from its first places.
    """
    known = ways(board)
    if known is None:
        return -1
    positions, steps = known
    return int(steps[np.searchsorted(positions, code(places))])


def best(board: Board, places: Sequence[int]) -> tuple[int, int] | None:
    """A move of a shortest way out as vehicle and cells to slide, negative for up or left; None if there is none.

    Of equal moves it is the first by vehicle, then by place. The `board` and the `places` are those of `away`.
    """
    left = away(board, places)
    for index, (_, _, length, _) in enumerate(board.vehicles):
        for place in range(SIDE - length + 1):
            if moved(board.vehicles, places, index, place) and left > 0:
                after = [*places[:index], place, *places[index + 1 :]]
                if away(board, after) == left - 1:
                    return index, place - places[index]
    return None
