"""A search for a way to win: best first by two guesses in turn, over moves that change more than where the player is.

As long as a single thing is YOU, walking changes nothing else, so a position stands for all cells within walking
reach. The search leaves out no move that changes anything; with room enough it finds a way wherever there is one. The
ways it finds are short, not always the shortest.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from agentgym.envs.games._baba import motion, plan
from agentgym.envs.games._baba.board import MOVES, Board, Position, rules
from agentgym.envs.games._baba.guess import moves_left

LIMIT = 4000  # positions after which the search gives up
MOST = (1, 3)  # words of a rule that may have to move: the two guesses that take turns
WAIT = "idle"


def moves_on(board: Board, position: Position) -> Iterator[tuple[list[str], Position]]:
    """The next positions on a `board` that differ in more than where the player stands, and the moves to each.

    They begin in `position`. Where several things are YOU, or walking has effects, each is one move away.
    """
    active = rules(board.texts, position[0], board.stride)
    player = plan.lone(active, position)
    if player < 0:
        for name, step in zip(MOVES, board.steps, strict=True):
            after = motion.after(board, position, step)
            if after is not position:
                yield [name], after
        waited = motion.after(board, position, 0)
        if waited is not position:
            yield [WAIT], waited
        return
    avoid = plan.touchy(active, position)
    found = plan.walks(board, position[1][player], avoid)
    for cell in found:
        for name, step in zip(MOVES, board.steps, strict=True):
            if cell + step not in avoid:
                continue
            there = plan.placed(position, player, cell)
            after = motion.after(board, there, step)
            if after is not there:
                yield [*plan.way(board, found, cell), name], after


@lru_cache(maxsize=1024)
def solve(board: Board, position: Position, limit: int = LIMIT) -> tuple[str, ...] | None:
    """Moves that win; None if there are none, or none was found within `limit` positions.

    Args:
        board: The board.
        position: Where the search begins; not one that is won already.
        limit: Positions taken up before it gives up.
    """
    costs = {_name(board, position): 0}
    came: dict[Position, tuple[Position, list[str]]] = {}
    queues: tuple[list[Any], list[Any]] = ([(0, 0, 0, position)], [])
    done: set[Position] = set()
    number = 0
    while any(queues) and len(done) < limit:
        queue = queues[len(done) % 2] or queues[0] or queues[1]
        _, _, cost, here = heapq.heappop(queue)
        if here in done or cost > costs[_name(board, here)]:
            continue
        done.add(here)
        for moves, there in moves_on(board, here):
            active = rules(board.texts, there[0], board.stride)
            if motion.won(active, there):
                return _path(came, position, here, moves)
            reached, name = cost + len(moves), _name(board, there)
            if not motion.alive(active, there) or reached >= costs.get(name, reached + 1):
                continue
            costs[name] = reached
            came[there] = (here, moves)
            number += 1
            for other, most in zip(queues, MOST, strict=True):
                heapq.heappush(other, (reached + moves_left(board, there, most), number, reached, there))
    return None


def _name(board: Board, position: Position) -> Position:
    """The same for positions between which the player can walk: it stands in the lowest cell of them."""
    active = rules(board.texts, position[0], board.stride)
    player = plan.lone(active, position)
    if player < 0:
        return position
    found = plan.walks(board, position[1][player], plan.touchy(active, position))
    return plan.placed(position, player, min(found))


def _path(
    came: Mapping[Position, tuple[Position, list[str]]], first: Position, last: Position, moves: list[str]
) -> tuple[str, ...]:
    """All moves from the first position to the last, and those after it."""
    parts = [moves]
    while last != first:
        last, moves = came[last]
        parts.append(moves)
    return tuple(name for part in reversed(parts) for name in part)


@lru_cache(maxsize=1024)
def way(board: Board, position: Position) -> Mapping[Position, str]:
    """The move in each position on a way to win from `position` on a `board`; empty if none is known."""
    moves: dict[Position, str] = {}
    steps = {**dict(zip(MOVES, board.steps, strict=True)), WAIT: 0}
    for name in solve(board, position) or ():
        moves.setdefault(position, name)
        position = motion.after(board, position, steps[name])
    return moves
