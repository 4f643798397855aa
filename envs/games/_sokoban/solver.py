"""A Sokoban solver: A* over pushes, counting moves; what it finds is a shortest solution in moves."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from functools import lru_cache

from agentgym.envs.games._sokoban.board import FAR, Board, least_pushes, reach

NAMES = ("up", "down", "left", "right")
LIMIT = 60_000  # positions after which the search gives up

Position = tuple[int, tuple[int, ...]]  # player, boxes in ascending order


@lru_cache(maxsize=4096)
def solve(board: Board, player: int, boxes: tuple[int, ...], limit: int = LIMIT) -> tuple[str, ...] | None:
    """A shortest solution from a position, move by move; None if there is none or `limit` positions did not find it.

    Args:
        board: The board.
        player: Cell of the player.
        boxes: Cells of the boxes in ascending order.
        limit: Positions taken up before the search gives up.
    """
    first = (player, boxes)
    costs: dict[Position, int] = {first: 0}
    parents: dict[Position, tuple[Position, int, int]] = {}  # where from, the box's cell and the step it was pushed
    bounds = {boxes: least_pushes(board, boxes)}
    queue = [(bounds[boxes], 0, player, boxes)]
    done: set[Position] = set()
    while queue and len(done) < limit:
        _, cost, player, boxes = heapq.heappop(queue)
        position = (player, boxes)
        if position in done:
            continue
        done.add(position)
        if bounds[boxes] == 0:
            return _moves(board, first, position, parents)
        walks = reach(board.floor, board.steps, boxes, player)
        for box in boxes:
            for step in board.steps:
                behind, ahead = box - step, box + step
                if behind not in walks or ahead not in board.alive or ahead in boxes:
                    continue
                pushed = tuple(sorted([ahead if other == box else other for other in boxes]))
                if pushed not in bounds:
                    bounds[pushed] = FAR if _stuck(board, ahead, pushed) else least_pushes(board, pushed)
                if bounds[pushed] >= FAR:
                    continue
                reached = cost + walks[behind] + 1
                after = (box, pushed)
                if reached < costs.get(after, FAR):
                    costs[after] = reached
                    parents[after] = (position, box, step)
                    heapq.heappush(queue, (reached + bounds[pushed], reached, box, pushed))
    return None


def _stuck(board: Board, box: int, boxes: tuple[int, ...]) -> bool:
    """Whether the box just pushed stands in a 2 x 2 block of walls and boxes of which one is off its target."""
    floor, targets = board.floor, board.targets
    for down in (-board.stride, board.stride):
        for right in (-1, 1):
            block = (box, box + down, box + right, box + down + right)
            blocked = all(cell not in floor or cell in boxes for cell in block)
            if blocked and any(cell in boxes and cell not in targets for cell in block):
                return True
    return False


def _moves(
    board: Board, first: Position, last: Position, parents: Mapping[Position, tuple[Position, int, int]]
) -> tuple[str, ...]:
    """The moves between two positions of the search: the walks to each push, and the pushes."""
    names = dict(zip(board.steps, NAMES, strict=True))
    moves: list[str] = []  # backwards
    position = last
    while position != first:
        position, box, step = parents[position]
        player, boxes = position
        moves.append(names[step])
        walks, cell = reach(board.floor, board.steps, boxes, player), box - step
        while cell != player:
            step = next(each for each in board.steps if walks.get(cell - each, FAR) == walks[cell] - 1)
            moves.append(names[step])
            cell -= step
    return tuple(reversed(moves))


@lru_cache(maxsize=4096)
def plan(board: Board, player: int, boxes: tuple[int, ...]) -> Mapping[Position, str]:
    """The move of a shortest solution in each position on its way; empty if there is none.

    Args:
        board, player, boxes: The position that it begins with, as in `solve`.
    """
    steps = dict(zip(NAMES, board.steps, strict=True))
    moves: dict[Position, str] = {}
    for name in solve(board, player, boxes) or ():
        moves[player, boxes] = name
        player += steps[name]
        if player in boxes:
            boxes = tuple(sorted([box + steps[name] if box == player else box for box in boxes]))
    return moves
