"""Contexts that serve one world or episode after another."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence

from agentgym.core.errors import EngineFailure
from agentgym.envs.web._browser.actions import Refused, go
from agentgym.envs.web._browser.context import MOST_EPISODES, Context
from agentgym.envs.web._browser.driver import ProtocolError
from agentgym.envs.web._browser.engine import AGAIN
from agentgym.envs.web._browser.site import Site

MOST_SPARE = 4

_spare: list[Context] = []
_lock = threading.Lock()


def take_context(
    *, hosts: Sequence[str], sites: Mapping[str, Site], viewport: tuple[int, int], seed: int, still: bool = False
) -> Context:
    """A context that another world no longer needs, with its last page in front, or a new one.

    `hosts`, `sites`, `viewport`, `seed` and `still` are those of `Context`; an old one agrees in `Context.kind_of`.
    """
    with _lock:
        for place, context in enumerate(_spare):
            if context.kind == Context.kind_of(hosts, sites, viewport, seed, still):
                del _spare[place]
                if context.take_again():
                    return context
                break
    return Context(hosts=hosts, sites=sites, viewport=viewport, seed=seed, still=still)


def return_context(context: Context) -> None:
    """Keep a context for the next world; only for pages of which nothing stays, or which are wiped before use.

    The garbage collector calls it for a world that was dropped, at any point of any thread: of the one that holds the
    lock, or of one that its holder waits for. So it never waits for the lock.
    """
    if not _lock.acquire(blocking=False):
        threading.Timer(AGAIN, return_context, (context,)).start()
        return
    try:
        usable = not context.broken and context.wire.alive and len(context.tabs) == 1
        usable = usable and context.served < MOST_EPISODES
        if usable and len(_spare) < MOST_SPARE:
            context.park()
            _spare[:] = [spare for spare in _spare if spare.wire.alive] + [context]
            return
    finally:
        _lock.release()
    context.close()


def _in_child() -> None:
    """A forked process may have been made while another thread of its parent held the lock."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_in_child)


def wipe(context: Context, sites: Mapping[str, Site]) -> bool:
    """Make a used `context` of a still world like a new one, now with these `sites`; False if that cannot be done.

    Its pages ran no scripts, so all that an episode can leave behind is the page in front, the history, tabs, cookies,
    downloads, the place of the mouse, and what was being said: nothing is in a storage. A context that had more than
    its first tab, or in which something is still under way, is not used again.
    """
    if context.broken or not context.wire.alive or not context.simple:
        return False
    try:
        tab = context.active
        context.wire.call("Storage.clearCookies", {"browserContextId": context.id})
        go(context, "about:blank")
        if not context.wait_for_quiet():
            return False
        tab.call("Page.resetNavigationHistory")
        tab.move_mouse_away()
    except (EngineFailure, ProtocolError, Refused):
        return False
    context.begin_again(sites)
    return True
