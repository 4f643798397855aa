"""Dialogs of pages: answered at once, or kept until the agent answers, while the page stands still."""

from __future__ import annotations

import contextlib
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple

from agentgym.envs.web._browser.context_events import ContextEvents
from agentgym.envs.web._browser.driver import ProtocolError

if TYPE_CHECKING:
    from agentgym.envs.web._browser.driver import Driver
    from agentgym.envs.web._browser.tab import Tab

ACCEPT, ASK, DISMISS = "accept", "ask", "dismiss"
LONGEST = 500  # characters of a dialog's words that are told
LEAVE = "Leave this page? What was entered may be lost."


class DialogOpens(Exception):
    """A page shows a dialog that the agent is to answer: what it was asked goes on only then."""


class Asked(NamedTuple):
    """A dialog that waits for its answer: its page, Playwright's dialog, its kind, words and preset answer."""

    tab: Tab
    dialog: Any
    kind: str
    said: str
    preset: str


class ContextDialogs(ContextEvents):
    """What a context knows of dialogs.

    Attributes:
        dialogs: Whether dialogs are accepted, dismissed, or left to the agent (`ask`). Those of a tab that is not in
            front, or not there yet, are never left to it: it could not see them.
        asked: The dialog that waits for an answer.
        halt: Done while one waits.
        resumed: Whether a look that a dialog interrupted has ended since the last look.
    """

    wire: Driver
    active: Tab

    def __init__(self) -> None:
        super().__init__()
        self.dialogs = ACCEPT
        self.asked: Asked | None = None
        self.halt: Future[None] = Future()
        self.resumed = False
        self._interrupted: list[Future[Any]] = []

    def interrupt(self, future: Future[Any]) -> None:
        """Keep what a dialog interrupted, to be waited for once it is answered."""
        self._interrupted.append(future)

    def answer(self, accept: bool, text: str | None = None) -> None:
        """Answer the dialog that waits, and let what it interrupted come to its end.

        Args:
            accept: Whether it is accepted.
            text: What is typed into it; None leaves what stands there.

        Raises:
            DialogOpens: if another opens meanwhile.
        """
        asked = self.asked
        if asked is None:
            return
        self.forget_dialog()
        self.resumed = True
        typed = text if text is not None else asked.preset
        with contextlib.suppress(ProtocolError):  # its page closed meanwhile
            self.wire.run(_answer(asked.dialog, asked.kind, accept, typed))
        while self._interrupted:
            asked.tab.finish(self._interrupted[0])
            self._interrupted.pop(0)

    def answer_rest(self) -> None:
        """Dismiss the dialog that waits and all that follow: nobody answers any more."""
        self.dialogs = DISMISS
        self.answer(False)

    def forget_dialog(self) -> None:
        """No dialog waits any more."""
        with self.changed:
            self.asked, self.halt = None, Future()
            self.changed.notify_all()

    async def _answer_dialog(self, dialog: Any) -> None:
        """A page shows a dialog, which stops it until it is answered; on the driver's thread."""
        kind, said, preset = dialog.type, dialog.message[:LONGEST], dialog.default_value
        if self.dialogs == ASK and self.active.ready and dialog.page is self.active.page and self.asked is None:
            with self.changed:
                self.record("dialog", kind=kind, message=said)
                self.asked = Asked(self.active, dialog, kind, said or (LEAVE if kind == "beforeunload" else ""), preset)
                self.halt.set_result(None)
                self.changed.notify_all()
            return
        accept = self.dialogs != DISMISS
        with contextlib.suppress(self.wire.error):  # its page closed meanwhile
            await _answer(dialog, kind, accept, preset)
        with self.changed:
            if kind == "beforeunload":
                self.note(f"The page asked whether to leave it; it was {'left' if accept else 'kept'}.")
            else:
                self.note(f"The page shows a dialog ({kind}): {said!r}; {_told(kind, accept, preset)}.")
            self.record("dialog", kind=kind, message=said)
            self.changed.notify_all()


async def _answer(dialog: Any, kind: str, accept: bool, text: str) -> None:
    if accept:
        await dialog.accept(text if kind == "prompt" else None)
    else:
        await dialog.dismiss()


def _told(kind: str, accept: bool, preset: str) -> str:
    """How a dialog was answered, in words."""
    if kind == "alert":
        return "the message was closed"
    if not accept:
        return "it was dismissed"
    return "it was answered OK" if kind == "confirm" else f"it was answered {preset!r}"


def shown(asked: Asked) -> str:
    """A dialog that waits, in words."""
    if asked.kind == "prompt":
        how = f'It holds {asked.preset!r}. Answer with  accept "<text>",  accept  (as it stands) or  dismiss.'
    else:
        how = "Answer with  accept  or  dismiss."
    return f"The page shows a dialog ({asked.kind}): {asked.said!r}\n{how}\nNothing else of the page can be reached."
