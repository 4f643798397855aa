"""Ways over a grid, and the scripted planners of `PlanPath`."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

MOVES = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
FAR = 1_000_000
CLAIM = re.compile(r"walls at((?: [0-9]{1,3},[0-9]{1,3})+| none)")
PLACE = re.compile(r"([0-9]+),([0-9]+)")


@lru_cache(maxsize=64)
def steps(size: int) -> tuple[dict[str, int], ...]:
    """Where each move leads from each cell of a board of `size` rows and columns; moves over the edge are left out."""
    table = []
    for cell in range(size * size):
        row, column = divmod(cell, size)
        table.append(
            {
                move: (row + down) * size + column + right
                for move, (down, right) in MOVES.items()
                if 0 <= row + down < size and 0 <= column + right < size
            }
        )
    return tuple(table)


@lru_cache(maxsize=4096)
def distances(walls: str, goal: int) -> tuple[int, ...]:
    """Steps from each cell to the goal where only `#` stands in the way; `FAR` where there is no way.

    Args:
        walls: The cells of a square board, row by row.
        goal: The cell to go to.
    """
    size = round(len(walls) ** 0.5)
    table, found = steps(size), [FAR] * len(walls)
    found[goal] = 0
    front = deque([goal])
    while front:
        cell = front.popleft()
        for other in table[cell].values():
            if walls[other] != "#" and found[other] == FAR:
                found[other] = found[cell] + 1
                front.append(other)
    return tuple(found)


def shortest(walls: str, cell: int, goal: int, rng: np.random.Generator | None = None) -> str:
    """A shortest way as letters, empty if there is none; ties go to U, D, L, R in order, or are drawn.

    Args:
        walls: The cells of a square board, row by row; all but `#` can be entered.
        cell: Where the way begins.
        goal: Where it ends.
        rng: Draws among equals; None for their order.
    """
    size = round(len(walls) ** 0.5)
    table, far = steps(size), distances(walls, goal)
    if far[cell] >= FAR:
        return ""
    way = []
    while cell != goal:
        good = [move for move, other in table[cell].items() if far[other] < far[cell]]
        move = good[0] if rng is None else good[int(rng.integers(len(good)))]
        way.append(move)
        cell = table[cell][move]
    return "".join(way)


def clear_part(plan: str, cell: int, walls: str) -> str:
    """The beginning of a `plan` that starts in a `cell`, up to the first of the `walls` or the edge."""
    table = steps(round(len(walls) ** 0.5))
    for taken, move in enumerate(plan):
        other = table[cell].get(move)
        if other is None or walls[other] == "#":
            return plan[:taken]
        cell = other
    return plan


@dataclass(frozen=True, slots=True)
class Known:
    """What a player knows: its map (`?` unknown), where the walker and the goal are, and what was planned.

    Attributes:
        walls: Cells row by row, `#`, `.` or `?`.
        cell: Where the walker stands.
        goal: Where it should go.
        leads: Whether this is the first player.
        rest: What is left of the first player's last plan.
        doubted: Cells before which the other player broke off a plan, so that it may know a wall there.
        told: The walls that the other player said it sees; None if it has not said.
        telling: Whether the player has not yet said what it sees.
    """

    walls: str
    cell: int
    goal: int
    leads: bool
    rest: str
    doubted: tuple[int, ...]
    told: tuple[int, ...] | None
    telling: bool


def planned(moves: str) -> str:
    """The action that says these moves."""
    return f"plan {moves}" if moves else "wait"


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Moves at random: `rng` draws them, at most as many as the map in `known` has rows."""
    count = int(rng.integers(1, round(len(known.walls) ** 0.5) + 1))
    return planned("".join("UDLR"[int(move)] for move in rng.integers(4, size=count)))


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """A shortest way by the player's own map, drawn anew each round, whatever the other plans.

    Map, cell and goal come from `known`; `rng` decides between ways that are as short.
    """
    return planned(shortest(known.walls, known.cell, known.goal, rng))


def claim(walls: str) -> str:
    """The words in which a scripted player tells the walls of its map, by row and column from 1."""
    size = round(len(walls) ** 0.5)
    seen = [f"{cell // size + 1},{cell % size + 1}" for cell, sign in enumerate(walls) if sign == "#"]
    return f"walls at {' '.join(seen) or 'none'}; the rest that I see is free"


def claimed(words: str, size: int) -> tuple[int, ...] | None:
    """The cells that such `words` name on a board of `size` rows, none beyond it; None if they are other words."""
    match = CLAIM.search(words)
    if match is None:
        return None
    places = [(int(row) - 1, int(column) - 1) for row, column in PLACE.findall(match[1])]
    return tuple(row * size + column for row, column in places if 0 <= row < size and 0 <= column < size)


def strong_opponent(known: Known, rng: np.random.Generator | None = None) -> str:
    """Tell the other one's walls once, and plan the first shortest way by what both see.

    As long as the other tells nothing, player_0 leads, and player_1 repeats the rest of its plan up to the first wall
    that it knows; where player_1 breaks off, player_0 plans a way around. Unknown cells count as free. It goes by
    `known` alone; `rng` may be left out, for it is asked for nothing.
    """
    moves = _joint(known)
    if not known.telling or not moves:
        return planned(moves)
    return f"plan {moves} say {claim(known.walls)}"


def _joint(known: Known) -> str:
    if known.told is not None:
        cells = list(known.walls)
        for cell in known.told:
            cells[cell] = "#" if cells[cell] == "?" else cells[cell]
        return shortest("".join(cells), known.cell, known.goal) or shortest(known.walls, known.cell, known.goal)
    if not known.leads:
        followed = clear_part(known.rest, known.cell, known.walls)
        return followed or shortest(known.walls, known.cell, known.goal)
    cells = list(known.walls)
    for cell in known.doubted:
        cells[cell] = "#"
    doubting = "".join(cells)
    if known.rest and clear_part(known.rest, known.cell, doubting) == known.rest:
        return known.rest
    return shortest(doubting, known.cell, known.goal) or shortest(known.walls, known.cell, known.goal)
