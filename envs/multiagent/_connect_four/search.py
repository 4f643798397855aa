"""Alpha-beta search: exact about what it sees to the end, a count of open lines about the rest."""

from __future__ import annotations

import numpy as np

from agentgym.envs.multiagent._connect_four.board import COLUMNS, FULL, TALL, Board, threats

WON = 1_000  # less the discs on the board, so that the quickest win and the slowest loss are best
ORDER = (3, 2, 4, 1, 5, 0, 6)  # the middle first, where most lines run
REMEMBERED = 200_000  # positions
MIDDLE = sum(((1 << 6) - 1) << TALL * column for column in (2, 3, 4))
HEART = ((1 << 6) - 1) << TALL * 3

Table = dict[tuple[int, int, int], int]


def urgent(board: Board) -> list[int]:
    """Columns that win at once, else those that keep the other from doing so, else all that are open."""
    for cells in (board.wins(), board.menaces()):
        if cells:
            return _columns(cells)
    return board.open()


def best_column(board: Board, depth: int, rng: np.random.Generator | None = None) -> int:
    """The best move found within a number of plies; ties go to the middle, or are broken by `rng`.

    Args:
        board: The position, not decided and not full.
        depth: Plies looked ahead, this move included.
        rng: Picks among the best; None for the one nearest to the middle, and of two the left one.

    Returns:
        The column, from 0.
    """
    table: Table = {}
    found: dict[int, int] = {}
    most = -WON
    for column in ORDER:
        if column in board.open():
            after = board.drop(column)
            known = most - 1  # below it a move is worse, however much; at `most` it is a tie and must be seen as such
            found[column] = WON - after.discs if after.lost() else -_value(after, depth - 1, -WON, -known, table)
            most = max(most, found[column])
    best = [column for column in found if found[column] == most]
    return best[0] if rng is None else best[int(rng.integers(len(best)))]


def _value(board: Board, depth: int, alpha: int, beta: int, table: Table) -> int:
    """What the player to move may expect; exact within the window where the end is seen, else an estimate."""
    mine, discs = board
    if discs == FULL:
        return 0
    count = discs.bit_count()
    if board.wins():
        return WON - count - 1
    menaces = board.menaces()
    if menaces.bit_count() > 1:
        return count + 2 - WON
    if depth <= 0:
        return _estimate(mine, discs)
    key = (mine, discs, depth)
    if key in table:
        return table[key]
    columns = _columns(menaces) if menaces else [column for column in ORDER if not discs >> TALL * column + 5 & 1]
    best, start = -WON, alpha
    for column in columns:
        best = max(best, -_value(board.drop(column), depth - 1, -beta, -alpha, table))
        alpha = max(alpha, best)
        if alpha >= beta:
            return best
    if best > start and len(table) < REMEMBERED:
        table[key] = best  # inside the window, so exact
    return best


def _estimate(mine: int, discs: int) -> int:
    """Threats count most, then cells in the middle columns."""
    other = mine ^ discs
    held = 6 * (threats(mine, discs).bit_count() - threats(other, discs).bit_count())
    held += (mine & MIDDLE).bit_count() - (other & MIDDLE).bit_count()
    return held + (mine & HEART).bit_count() - (other & HEART).bit_count()


def _columns(cells: int) -> list[int]:
    """The columns of some cells."""
    return [column for column in range(COLUMNS) if cells >> TALL * column & (1 << TALL) - 1]
