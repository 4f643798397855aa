"""What a Sokoban map determines: walls, targets, dead cells, and how far a box is from each target."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

WALL, FLOOR, TARGET, BOX, STORED, PLAYER, PLAYER_ON_TARGET = "#_OX√PS"
FAR = 10_000  # more pushes than any board needs


@dataclass(frozen=True, eq=False)
class Board:
    """A map with its first position.

    A cell is the place of its character in the rows joined by newlines, so a step down adds `stride`, one more than the
    columns. `away[i][cell]` is how many pushes at least bring a lone box from a cell to target i, FAR if none do;
    `alive` are the cells from which some target can be reached.
    """

    rows: tuple[str, ...]
    stride: int
    text: str
    floor: frozenset[int]
    targets: tuple[int, ...]
    boxes: tuple[int, ...]
    player: int
    away: tuple[tuple[int, ...], ...]
    alive: frozenset[int]

    @property
    def steps(self) -> tuple[int, int, int, int]:
        """What up, down, left and right add to a cell."""
        return -self.stride, self.stride, -1, 1

    def point(self, cell: int) -> tuple[int, int]:
        """Row and column of a cell."""
        return cell // self.stride, cell % self.stride


@lru_cache(maxsize=2048)
def read(rows: tuple[str, ...]) -> Board:
    """The board of rows in the symbols of this module; the outermost cells must be walls."""
    text = "\n".join(rows)
    stride = len(rows[0]) + 1
    floor = frozenset(cell for cell, sign in enumerate(text) if sign not in "#\n")
    targets = tuple(cell for cell, sign in enumerate(text) if sign in "O√S")
    boxes = tuple(cell for cell, sign in enumerate(text) if sign in "X√")
    player = max(text.find(PLAYER), text.find(PLAYER_ON_TARGET))
    away = tuple(_pushes(floor, target, stride, len(text)) for target in targets)
    alive = frozenset(cell for cell in floor if any(row[cell] < FAR for row in away))
    bare = "".join(sign if sign in "#\n" else TARGET if sign in "O√S" else FLOOR for sign in text)
    return Board(rows, stride, bare, floor, targets, boxes, player, away, alive)


def reach(floor: Collection[int], steps: tuple[int, ...], boxes: Collection[int], player: int) -> dict[int, int]:
    """How many moves bring a player to each cell it can walk to.

    Args:
        floor: Cells that are no walls.
        steps: What a step in each direction adds to a cell.
        boxes: Cells with boxes, which are not entered.
        player: Where it stands, which takes no moves.
    """
    found = {player: 0}
    ring, moves = [player], 0
    while ring:
        moves += 1
        wider = []
        for cell in ring:
            for step in steps:
                other = cell + step
                if other in floor and other not in found and other not in boxes:
                    found[other] = moves
                    wider.append(other)
        ring = wider
    return found


def _pushes(floor: frozenset[int], target: int, stride: int, size: int) -> tuple[int, ...]:
    """Pushes from each cell to a target for a lone box, by pulling it away from there."""
    distance = [FAR] * size
    distance[target] = 0
    frontier = deque([target])
    while frontier:
        cell = frontier.popleft()
        for step in (-stride, stride, -1, 1):
            back = cell + step
            if back in floor and back + step in floor and distance[back] == FAR:
                distance[back] = distance[cell] + 1
                frontier.append(back)
    return tuple(distance)


@lru_cache(maxsize=256)
def _orders(count: int) -> tuple[tuple[int, ...], ...]:
    return tuple(permutations(range(count)))


def least_pushes(board: Board, boxes: tuple[int, ...]) -> int:
    """A lower bound of the pushes that remain: the cheapest way to give each of the `boxes` a target of its own.

    The `board` has as many targets. `FAR` or more says that it cannot be done.
    """
    table = [[row[box] for row in board.away] for box in boxes]
    if len(boxes) == 1:
        return table[0][0]
    return min(sum(line[i] for line, i in zip(table, order, strict=True)) for order in _orders(len(boxes)))
