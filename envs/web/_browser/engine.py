"""The one browser of this process, which all its worlds share, and what it says to them."""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from agentgym.envs.web._browser.driver import Driver
from agentgym.envs.web._browser.find import find_browser

if TYPE_CHECKING:
    from agentgym.envs.web._browser.context import Context

LINGER = 2.0  # seconds the browser runs on without a world, in case one follows
AGAIN = 0.05  # seconds until a lease is given back once more
MOST_UNCLAIMED = 1000

_lock = threading.RLock()
_engine: Engine | None = None
_ending: threading.Timer | None = None  # ends the browser, unless it is used again


class Engine:
    """A running browser and the contexts in it, by their ids. Get it from `lease_engine`."""

    def __init__(self) -> None:
        self.leases = 0  # worlds that use it
        self.released = 0  # times it was given back: who waits for it to be idle sees whether it was used meanwhile
        self.key = "ag" + os.urandom(8).hex()  # names of private events in pages; no page can guess them
        self.contexts: weakref.WeakValueDictionary[str, Context] = weakref.WeakValueDictionary()
        self.desk = ThreadPoolExecutor(1, "agentgym-sites")  # answers for the sites that live in this process
        self._unclaimed: deque[Mapping[str, Any]] = deque()  # requests of frames that no context has heard of yet
        listener = weakref.WeakMethod(self._on_event)
        self.wire = Driver(find_browser(), lambda *event: _pass_on(listener, event))
        self.wire.call("Target.setDiscoverTargets", {"discover": True})
        # Playwright's own routes see neither redirects nor which page asks; the browser's session sees every request.
        self.wire.call("Fetch.enable", {"patterns": [{"urlPattern": "*"}], "handleAuthRequests": True})

    def _on_event(self, method: str, params: Mapping[str, Any]) -> None:
        """On the driver's thread: hand an event to the context it belongs to."""
        contexts = list(self.contexts.values())
        if method == "gone":
            for context in contexts:
                context.lose("the browser process ended")
        elif method == "Fetch.requestPaused":
            self._paused(params)
        elif method == "Fetch.authRequired":
            if not any(context.on_challenge(params) for context in contexts):
                answer = {"requestId": params["requestId"], "authChallengeResponse": {"response": "CancelAuth"}}
                self.wire.send("Fetch.continueWithAuth", answer)
        elif method.startswith("Browser.download"):
            ours = [context.on_download(method, params) for context in contexts]
            if method == "Browser.downloadWillBegin" and not any(ours):  # of a frame within a page: nobody counts it
                for context in contexts:
                    with context.changed:
                        context.downloads.discard(params["guid"])
        elif method == "Target.targetCreated":
            info = params["targetInfo"]
            if info["type"] == "page" and info.get("browserContextId", "") in self.contexts:
                self.contexts[info["browserContextId"]].on_target_created(info["targetId"])
        elif method in ("Target.targetDestroyed", "Target.targetCrashed"):
            for context in contexts:
                context.on_target(method, params)

    def _paused(self, params: Mapping[str, Any]) -> None:
        """A request waits to be answered, let through or stopped by the context whose frame asks."""
        if any(context.on_request(params) for context in list(self.contexts.values())):
            return
        self._unclaimed.append(params)
        if len(self._unclaimed) > MOST_UNCLAIMED:
            forgotten = self._unclaimed.popleft()["requestId"]
            self.wire.send("Fetch.failRequest", {"requestId": forgotten, "errorReason": "Aborted"})

    def claim(self) -> None:
        """A context has heard of another frame: on the driver's thread, ask again whose the waiting requests are."""
        waiting, self._unclaimed = self._unclaimed, deque()
        for params in waiting:
            self._paused(params)


def _pass_on(listener: weakref.WeakMethod[Any], event: tuple[Any, ...]) -> None:
    method = listener()
    if method is not None:
        method(*event)


def lease_engine() -> Engine:
    """The browser of this process, started if there is none or it has ended; give it back with `release_engine`.

    Raises:
        MissingExtra: if no browser is installed.
        Gone: if it cannot be started.
    """
    global _engine
    with _lock:
        if _engine is None or not _engine.wire.alive:
            if _engine is not None:
                _engine.wire.close()
            _engine = Engine()
        _engine.leases += 1
        return _engine


def renew_lease(engine: Engine) -> bool:
    """Lease the engine of a context that was kept for later; False if it has ended meanwhile."""
    with _lock:
        if engine is not _engine or not engine.wire.alive:
            return False
        engine.leases += 1
        return True


def release_engine(engine: Engine) -> None:
    """A world no longer needs it: the browser ends soon after the last, unless another comes before."""
    global _ending
    if not _lock.acquire(blocking=False):  # a world is collected on the thread that its holder may be waiting for
        threading.Timer(AGAIN, release_engine, (engine,)).start()
        return
    try:
        engine.leases -= 1
        engine.released += 1
        if engine.leases > 0 or engine is not _engine:
            return
        if _ending is not None:
            _ending.cancel()
        _ending = threading.Timer(LINGER, _close_if_idle, (engine, engine.released))
        _ending.daemon = True
        _ending.start()
    finally:
        _lock.release()


def _close_if_idle(engine: Engine, released: int) -> None:
    with _lock:
        if engine is _engine and engine.leases <= 0 and engine.released == released:
            close_engine()


def close_engine() -> None:
    """End the browser of this process, if one runs; the next world starts another."""
    global _engine
    with _lock:
        if _engine is not None:
            _engine.wire.close()
            _engine = None


def _in_child() -> None:
    """A forked process has a copy of the parent's pipe; it lets go of it and starts its own when needed."""
    global _engine, _lock, _ending
    _lock, _ending = threading.RLock(), None
    if _engine is not None:
        _engine.wire.forget()
        _engine = None


os.register_at_fork(after_in_child=_in_child)


@lru_cache(maxsize=16)
def script(name: str, package: str = __package__) -> str:
    """The script in the file `name` of this package, or of another `package`."""
    return files(package).joinpath(name).read_text(encoding="utf8")
