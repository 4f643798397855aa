"""Windows in which files are chosen: what pages were seen to ask for, and what Playwright has told of."""

from __future__ import annotations

from typing import Any


class Choosers:
    """The windows for files of a context; whoever calls holds its lock.

    Attributes:
        chooser: Playwright's, of a window that an upload has opened.
        taken: Whether an upload is under way, which takes the window that opens.
    """

    def __init__(self) -> None:
        self.chooser: Any = None
        self.taken = False
        self._missing = self._early = 0

    @property
    def awaited(self) -> bool:
        """Whether a page was seen to ask for a window of which nothing is told yet."""
        return self._missing > 0

    def expect(self, count: int) -> None:
        """So many were asked for since this was last called; some of them may have been told of already."""
        self._missing, self._early = max(0, count - self._early), 0

    def come(self, chooser: Any) -> bool:
        """A window opens; whether an upload takes it."""
        if self._missing:
            self._missing -= 1
        else:
            self._early += 1
        if self.taken:
            self.chooser = chooser
        return self.taken

    def give_up(self) -> None:
        """Await none any more: a page may only ask for one while somebody acts in it."""
        self._missing = 0
