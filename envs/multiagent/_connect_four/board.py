"""The board as two whole numbers: one bit a cell, seven bits a column, the seventh always free."""

from __future__ import annotations

from typing import NamedTuple

COLUMNS, ROWS = 7, 6
TALL = ROWS + 1  # bits of a column; the top one keeps lines from running into the next
BOTTOM = sum(1 << TALL * column for column in range(COLUMNS))
FULL = BOTTOM * ((1 << ROWS) - 1)
STEPS = (1, TALL, TALL - 1, TALL + 1)  # up, right, and the two diagonals
TOPS = tuple(1 << TALL * column + ROWS - 1 for column in range(COLUMNS))


class Board(NamedTuple):
    """A position: the discs of the player to move, and all discs.

    The representation and its tests for four in a row are those of Tromp's and Pons's solvers.
    """

    mine: int = 0
    all: int = 0

    @property
    def discs(self) -> int:
        """How many discs lie on the board."""
        return self.all.bit_count()

    def open(self) -> list[int]:
        """Columns with room, from left to right."""
        return [column for column in range(COLUMNS) if not self.all & TOPS[column]]

    def drop(self, column: int) -> Board:
        """The position after the player to move drops a disc; then the other is to move."""
        return Board(self.mine ^ self.all, self.all | (self.all + (1 << TALL * column)))

    def lost(self) -> bool:
        """Whether the player who has just moved has four in a row."""
        return four(self.mine ^ self.all)

    def playable(self) -> int:
        """The cells on which the next disc of each column with room would land."""
        return (self.all + BOTTOM) & FULL

    def wins(self) -> int:
        """Playable cells that win at once for the player to move."""
        return threats(self.mine, self.all) & self.playable()

    def menaces(self) -> int:
        """Playable cells that would win at once for the other."""
        return threats(self.mine ^ self.all, self.all) & self.playable()

    def quiet(self) -> bool:
        """Whether neither side wins by force within its next two moves."""
        if self.wins() or self.menaces().bit_count() > 1:
            return False
        for column in self.open():
            after = self.drop(column)
            if not after.wins() and after.menaces().bit_count() > 1:
                return False
        return any(not self._loses_soon(column) for column in self.open())

    def _loses_soon(self, column: int) -> bool:
        """Whether the other wins at once after this move, or makes two menaces with its next."""
        after = self.drop(column)
        if after.wins():
            return True
        replies = (after.drop(reply) for reply in after.open())
        return any(not reply.wins() and reply.menaces().bit_count() > 1 for reply in replies)

    def text(self, mover: str, other: str) -> str:
        """The board in six lines, top row first, with column numbers below.

        Args:
            mover: Sign of the player to move.
            other: Sign of the other player.
        """
        lines = []
        for row in reversed(range(ROWS)):
            bits = [1 << TALL * column + row for column in range(COLUMNS)]
            lines.append(" ".join("." if not self.all & bit else mover if self.mine & bit else other for bit in bits))
        return "\n".join([*lines, "1 2 3 4 5 6 7"])


def four(discs: int) -> bool:
    """Whether some discs hold four in a row."""
    for step in STEPS:
        pairs = discs & discs >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


def threats(discs: int, all_discs: int) -> int:
    """Free cells that would make four in a row of some discs, playable now or later.

    Args:
        discs: The cells of one player, as bits.
        all_discs: The cells of both; they are not free.
    """
    found = discs << 1 & discs << 2 & discs << 3  # above three in a column
    for step in STEPS[1:]:
        pairs = discs << step & discs << 2 * step
        found |= pairs & discs << 3 * step | pairs & discs >> step
        pairs = discs >> step & discs >> 2 * step
        found |= pairs & discs >> 3 * step | pairs & discs << step
    return found & FULL & ~all_discs
