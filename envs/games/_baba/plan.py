"""Ways over a board: where a lone player can walk without changing anything, and a plan played move by move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentgym.envs.games._baba import motion
from agentgym.envs.games._baba.board import MOVES, Board, Cells, Position, Rules, rules


@dataclass(frozen=True, slots=True)
class Shift:
    """Push what lies in a cell along straight legs of (move, steps)."""

    cell: int
    legs: tuple[tuple[str, int], ...]


def lone(active: Rules, position: Position) -> int:
    """The index, in `position`, of the only thing that is YOU, if walking cannot change anything else; otherwise -1.

    The rules are those in `active`; what is itself SINK, HOT or DEFEAT changes things by walking.
    """
    things, kinds = position[1], position[2]
    mine = [index for index, kind in enumerate(kinds) if kind in active.you and things[index]]
    if len(mine) != 1 or any(noun in kinds for noun, _ in active.becomes):
        return -1
    kind = kinds[mine[0]]
    return -1 if kind in active.sink or kind in active.hot or kind in active.defeat else mine[0]


def touchy(active: Rules, position: Position) -> set[int]:
    """Cells of a `position` where, by the rules in `active`, a step may do something: push, be stopped, perish, win."""
    words, things, kinds = position
    cells = set(words)
    some = active.push | active.stop | active.win | active.defeat | active.sink | active.hot
    cells.update([cell for cell, kind in zip(things, kinds, strict=True) if kind in some])
    return cells


def walks(board: Board, start: int, avoid: set[int]) -> dict[int, tuple[int, int]]:
    """Of each cell of a `board` that can be walked to: how many moves, and the cell before.

    Args:
        board: The board.
        start: The cell of the player, who is there after no moves.
        avoid: Cells that are not entered, as `touchy` gives them.
    """
    found = {start: (0, start)}
    ring, far = [start], 0
    inside, steps = board.inside, board.steps
    while ring:
        far += 1
        wider = []
        for cell in ring:
            for step in steps:
                other = cell + step
                if other not in found and inside[other] and other not in avoid:
                    found[other] = (far, cell)
                    wider.append(other)
        ring = wider
    return found


def way(board: Board, found: dict[int, tuple[int, int]], cell: int) -> list[str]:
    """The moves of a walk to a `cell` of a `board`, given what `walks` has `found`; the cell must be in it."""
    names = dict(zip(board.steps, MOVES, strict=True))
    moves = []
    while found[cell][0]:
        before = found[cell][1]
        moves.append(names[cell - before])
        cell = before
    return moves[::-1]


def placed(position: Position, index: int, cell: int) -> Position:
    """The `position` with the thing of that `index` in another `cell`; what else the cell holds stays."""
    words, things, kinds = position
    return words, (*things[:index], cell, *things[index + 1 :]), kinds


def perform(board: Board, shifts: Sequence[Shift]) -> int | None:
    """The number of moves in which these shifts and a walk to what is WIN win; None if they do not.

    Args:
        board: The board; the plan begins in its first position.
        shifts: What is pushed, one after another; a cell is where the thing or word lies when its turn comes.
    """
    position = board.first
    count = 0
    for shift in shifts:
        word = shift.cell in position[0]
        index = _places(position, word).index(shift.cell)
        for name, steps in shift.legs:
            step = board.steps[MOVES.index(name)]
            for _ in range(steps):
                cell = _places(position, word)[index]
                done = _step_from(board, position, cell - step, step)
                if done is None or _places(done[0], word)[index] == cell:
                    return None
                position, count = done[0], count + done[1]
    active = rules(board.texts, position[0], board.stride)
    if motion.won(active, position):
        return None  # it must be reached
    return _reach(board, active, position, count)


def _places(position: Position, word: bool) -> Cells:
    """Where the words are, or the things."""
    return position[0] if word else position[1]


def _step_from(board: Board, position: Position, cell: int, step: int) -> tuple[Position, int] | None:
    """Walk to a cell and take a step there; the position and the number of moves, or None if it is not possible."""
    active = rules(board.texts, position[0], board.stride)
    player = lone(active, position)
    if player < 0:
        return None
    found = walks(board, position[1][player], touchy(active, position))
    if cell not in found:
        return None
    return motion.after(board, placed(position, player, cell), step), found[cell][0] + 1


def _reach(board: Board, active: Rules, position: Position, count: int) -> int | None:
    """The moves it takes to walk to the nearest thing that is WIN."""
    goals = [cell for cell, kind in zip(position[1], position[2], strict=True) if cell and kind in active.win]
    best = None
    for goal in goals:
        for step in board.steps:
            done = _step_from(board, position, goal - step, step)
            if done is None:
                continue
            after = rules(board.texts, done[0][0], board.stride)
            if motion.won(after, done[0]) and (best is None or count + done[1] < best):
                best = count + done[1]
    return best
