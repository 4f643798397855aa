"""The board of ColorGrid as text, and its scripted players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

COLORS = ("red", "blue", "green")
LETTERS = "RBG"
MOVES = ("up", "down", "left", "right")


@dataclass(frozen=True, slots=True)
class Known:
    """What a player knows.

    Attributes:
        size: Rows and columns of the board.
        blocks: Places (y * size + x) of the blocks of each colour.
        me, other: Where the player and the other are.
        goal: The rewarded colour for a player that is told, otherwise -1.
        shown: The colour that the leader took last, -1 at first.
        columns: First and last column that the player may enter.
    """

    size: int
    blocks: Sequence[Sequence[int]]
    me: int
    other: int
    goal: int
    shown: int
    columns: tuple[int, int]


def reached(place: int, move: str, size: int, columns: tuple[int, int]) -> int:
    """Where a move leads; the place itself at an edge.

    Args:
        place: y * size + x, where y grows upwards.
        move: One of `MOVES`.
        size: Rows of the board, and as many columns.
        columns: First and last column that may be entered.
    """
    y, x = divmod(place, size)
    if move in ("up", "down"):
        other = y + (1 if move == "up" else -1)
        return other * size + x if 0 <= other < size else place
    other = x + (1 if move == "right" else -1)
    return y * size + other if columns[0] <= other <= columns[1] else place


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """A move at random: `rng` picks one of the four, whatever is `known`."""
    return MOVES[int(rng.integers(4))]


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """The leader takes the nearest block of the rewarded colour, the follower the nearest of any.

    Who leads follows from `known`; `rng` decides only where no step leads nearer.
    """
    wanted = [known.goal] if known.goal >= 0 else [0, 1, 2]
    return _toward(known, wanted, (), rng)


def strong_opponent(known: Known, rng: np.random.Generator | None = None) -> str:
    """Take blocks of the rewarded colour around the others; a follower takes what the leader took last.

    Before the leader has shown a colour the follower keeps off every block.

    Args:
        known: What the player knows; it leads if it is told the rewarded colour.
        rng: Decides where no step leads nearer; without it the places of both players do.
    """
    wanted = known.goal if known.goal >= 0 else known.shown
    avoided = tuple(place for color in range(3) if color != wanted for place in known.blocks[color])
    return _toward(known, [wanted] if wanted >= 0 else [], avoided, rng)


def _toward(known: Known, wanted: Sequence[int], avoided: Sequence[int], rng: np.random.Generator | None) -> str:
    """A step nearer to the nearest wanted block that enters no avoided one; if there is none, any that enters none."""
    size, (first, last) = known.size, known.columns
    y, x = divmod(known.me, size)
    away, target = 10**6, -1
    for color in wanted:
        for place in known.blocks[color]:
            far = abs(place // size - y) + abs(place % size - x)
            if far < away and first <= place % size <= last:
                away, target = far, place
    free = [
        move
        for move in MOVES
        if (other := reached(known.me, move, size, known.columns)) not in (known.me, known.other)
        and other not in avoided
    ]
    if not free:
        return "up"
    nearer = []
    if target >= 0:
        ty, tx = divmod(target, size)
        up, right = ty - y, tx - x
        long = [("up" if up > 0 else "down", abs(up)), ("right" if right > 0 else "left", abs(right))]
        nearer = [move for move, far in sorted(long, key=lambda pair: -pair[1]) if far and move in free]
    if nearer:
        return nearer[0]
    return free[(known.me + known.other) % len(free) if rng is None else int(rng.integers(len(free)))]
