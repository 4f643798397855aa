"""A strong player of 2048: expectimax, which weighs every tile that may appear by its chance and looks at no dice.

A board is worth what its rows and columns are: empty cells and equal neighbours count for it, tiles out of order and
many small tiles against it. The terms and their weights are those of R. Xiao's 2048-ai.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

from agentgym.envs.games._game_2048.board import NAMES, ROWS, empty, largest, slides, transposed

ALIVE = 200_000.0  # for each row and column, so that any board with a move left is worth more than none
EMPTY, MERGES = 270.0, 700.0
ORDER, ORDER_POWER = 47.0, 4
CROWD, CROWD_POWER = 11.0, 3.5
TWO = 0.9  # chance that the new tile is a 2
CROWDED = 5  # empty cells up to which the rarer 4 is weighed too
CRAMPED = 2  # empty cells up to which one more move and tile are looked at


@lru_cache(maxsize=ROWS)
def _worth(row: int) -> float:
    """What a row or column is worth."""
    line = (row >> 12, row >> 8 & 15, row >> 4 & 15, row & 15)
    pairs = list(pairwise(line))
    falls = sum(one**ORDER_POWER - other**ORDER_POWER for one, other in pairs if one > other)
    rises = sum(other**ORDER_POWER - one**ORDER_POWER for one, other in pairs if other > one)
    merges = sum(one == other != 0 for one, other in pairs)
    return (
        ALIVE
        + EMPTY * line.count(0)
        + MERGES * merges
        - ORDER * min(falls, rises)
        - CROWD * sum(tile**CROWD_POWER for tile in line)
    )


def _value(board: int) -> float:
    """What a board is worth."""
    turned = transposed(board)
    return (
        _worth(board >> 48)
        + _worth(board >> 32 & 65535)
        + _worth(board >> 16 & 65535)
        + _worth(board & 65535)
        + _worth(turned >> 48)
        + _worth(turned >> 32 & 65535)
        + _worth(turned >> 16 & 65535)
        + _worth(turned & 65535)
    )


def _best(board: int, worth: Callable[[int], float]) -> float:
    """The worth of the best move, 0 if there is none."""
    return max([worth(after) for after, _ in slides(board) if after != board], default=0.0)


def _expected(board: int, worth: Callable[[int], float] = _value) -> float:
    """The mean worth of the best moves after each tile that may appear."""
    cells = empty(board)
    total = sum([_best(board | 1 << shift, worth) for shift in cells])
    if len(cells) <= CROWDED:
        total = TWO * total + (1 - TWO) * sum([_best(board | 2 << shift, worth) for shift in cells])
    return total / len(cells)


def _foreseen(board: int) -> float:
    """The same, looking one move and tile further where the board is cramped."""
    return _expected(board, _expected if len(empty(board)) <= CRAMPED else _value)


def look_ahead(board: int, target: int) -> str:
    """The move with the highest mean worth after the next tile and the best answer to it, or one that wins at once.

    On a cramped board it looks at one more move and tile.

    Args:
        board: The board, sixteen cells of four bits; it must have a move left.
        target: Exponent of the tile that wins, 11 for 2048.
    """
    return _choose(board, target, _foreseen)


def greedy(board: int, target: int) -> str:
    """The move to the board that is worth most as it stands, or one that wins at once.

    The `board` and the exponent `target` are those of `look_ahead`.
    """
    return _choose(board, target, _value)


def _choose(board: int, target: int, worth: Callable[[int], float]) -> str:
    found = [(after, name) for (after, _), name in zip(slides(board), NAMES, strict=True) if after != board]
    winning = [name for after, name in found if largest(after) >= target]
    return winning[0] if winning else max(found, key=lambda move: worth(move[0]))[1]
