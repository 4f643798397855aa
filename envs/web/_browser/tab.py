"""One page of a context: its state as events tell it, and calls into it that survive navigation, hangs and crashes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import weakref
from collections.abc import Callable, Coroutine, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future
from concurrent.futures import wait as wait_for
from typing import TYPE_CHECKING, Any, NamedTuple

from agentgym.core.errors import EngineFailure
from agentgym.envs.web._browser.dialogs import DialogOpens
from agentgym.envs.web._browser.downloads import saves
from agentgym.envs.web._browser.driver import ProtocolError

if TYPE_CHECKING:
    from agentgym.envs.web._browser.context import Context

WORLD = "agentgym"  # name of the world in which our scripts run beside the page's
PATIENCE = 12.0  # seconds a page may be busy before its script is stopped
LAST_PATIENCE = 4.0  # seconds it has left after that
ATTEMPT = 1.0  # seconds, before and again after a page was seen to be well, for what may never be answered
CLOSING = 3.0  # seconds a tab may take to be gone
BETWEEN = 0.5  # seconds to wait for a page that goes on, each time
TRIES = 8  # navigations that may interrupt one call
MOVED = ("context", "navigated", "Inspected target", "frame")  # in errors of calls into a page that has gone on
IGNORED = {"Ping", "WebSocket", "EventSource", "Media", "Prefetch", "CSPViolationReport", "TextTrack"}


class FrameGone(Exception):
    """A frame went away while it was read."""


class TabGone(FrameGone):
    """A tab closed while it was read."""


class WithoutScripts(Exception):
    """Our scripts have not run in this world of the page: not every frame runs them by itself."""


class Frame(NamedTuple):
    """Where a frame of another origin lies: the frame around it (empty for the page) and the element that holds it."""

    parent: str
    owner: int


class Tab:
    """A page.

    Attributes:
        page: Playwright's `Page`, for use on the driver's thread; None until Playwright has it.
        ready: Whether it can be commanded.
        loading: Frames that are loading.
        pending: Requests under way that the page may be waiting for.
        slow: Requests that were waited for in vain, and are not waited for again.
        answered: How many of the requests that it may have been waiting for are over.
        url: Address of the page.
        title: Of the page, as it was last read.
        status: HTTP status of the page in front, 0 if unknown.
        failure: Why the last page that did not open could not be opened.
        crashed: Whether its process died.
        submitted: Where a form was sent since this was last looked at.
        blocked: Requests that were stopped because their host is not allowed.
        known: Frames of the page, by id.
        frames: Frames of another origin than the page, which are read by themselves, by id.
        last: The highest number given to an element of the page.
    """

    def __init__(self, context: Context, target: str):
        self._context = weakref.ref(context)  # no circle: a world that is dropped takes its pages with it at once
        self.wire = context.wire
        self.target = target
        self.page: Any = None
        self.ready = False
        self._session: Any = None
        self._asked: set[Future[Any]] = set()
        self._saved = 0
        self.loading: set[str] = set()
        self.pending: dict[str, str] = {}
        self.slow: set[str] = set()
        self.answered = 0
        self.url, self.status, self.failure = "about:blank", 0, ""
        self.title = ""
        self.crashed = False
        self.submitted = ""
        self.blocked: set[str] = set()
        self.frames: dict[str, Frame] = {}
        self.known: set[str] = {target}
        self.last = 0
        self._worlds: dict[str, int] = {}
        self._owners: dict[int, str] = {}
        self._statuses: dict[str, int] = {}  # of documents that were answered, by loader, until one is shown

    @property
    def context(self) -> Context:
        """The context the page belongs to."""
        context = self._context()
        if context is None:
            raise EngineFailure("the context was closed")
        return context

    @property
    def busy(self) -> bool:
        """Whether something is under way that changes the page soon."""
        return not self.ready or bool(self.loading) or any(request not in self.slow for request in self.pending)

    async def attach(self, page: Any, session: Any) -> None:
        """Hear and command a page through a session of Playwright's; on the driver's thread.

        Args:
            page: Playwright's `Page`.
            session: A `CDPSession` of it.
        """
        self.page, self._session = page, session
        context, target = self._context, self.target

        def hear(event: Mapping[str, Any]) -> None:
            found = context()
            if found is not None:
                found.on_event(target, event["method"], event["params"] or {})

        session.on("event", hear)
        self.loading.add(target)
        scripts = {"source": self.context.scripts, "worldName": WORLD, "runImmediately": True}
        *_, tree, state = await asyncio.gather(
            session.send("Page.enable"),
            session.send("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
            session.send("Page.addScriptToEvaluateOnNewDocument", scripts),
            # Playwright runs its own once for a global object, which a tab's first page takes over from the empty one.
            session.send(
                "Page.addScriptToEvaluateOnNewDocument", {"source": self.context.clock, "runImmediately": True}
            ),
            session.send("Page.getFrameTree"),
            session.send("Runtime.evaluate", {"expression": "document.readyState"}),
        )
        self.known.update(_frames(tree["frameTree"]))
        if state["result"].get("value") == "complete":
            self.loading.discard(target)
        self.ready = True

    def on_event(self, method: str, params: Mapping[str, Any]) -> None:
        """Take down the event `method` with its `params`; on the reading thread, with the context's lock held."""
        if method in ("Page.frameStartedLoading", "Page.frameStartedNavigating"):
            self.loading.add(params["frameId"])
            if params["frameId"] == self.target and "loaderId" in params:
                self._begins(params["loaderId"])
        elif method in ("Page.frameStoppedLoading", "Page.frameDetached", "Page.navigatedWithinDocument"):
            self.loading.discard(params["frameId"])
        elif method == "Page.frameAttached":
            self.known.add(params["frameId"])
        elif method == "Page.frameNavigated":
            if params["frame"]["id"] == self.target:  # what was answered with a file never comes so far
                self.status = self._statuses.get(params["frame"].get("loaderId", ""), 0)
                self._statuses.clear()
        elif method == "Page.frameRequestedNavigation":
            if params["disposition"] == "currentTab":
                self.loading.add(params["frameId"])
            if params["reason"].startswith("formSubmission"):
                self.submitted = params["url"]
        elif method.startswith("Network."):
            self._network(method, params)

    def _begins(self, loader: str) -> None:
        """Another page begins to load: what the old one was waiting for no longer counts."""
        self.slow.clear()
        self.pending = {key: owner for key, owner in self.pending.items() if owner == loader}

    def _network(self, method: str, params: Mapping[str, Any]) -> None:
        request = params.get("requestId", "")
        if method == "Network.requestWillBeSent":
            if params.get("type") not in IGNORED and not params["request"]["url"].startswith(("data:", "blob:")):
                self.pending[request] = params.get("loaderId", "")
        elif method == "Network.responseReceived":
            if params.get("type") == "Document" and params.get("frameId") == self.target:
                self._statuses[params.get("loaderId", "")] = params["response"]["status"]
                self.failure = ""
                if saves(params["response"]["headers"]):
                    self.context.downloads.expect(request)
        elif method in ("Network.loadingFinished", "Network.loadingFailed"):
            self.answered += request in self.pending
            loader = self.pending.pop(request, "")
            if params.get("type") == "Document" and params.get("canceled") and request not in self.blocked:
                self.context.downloads.expect(request)
            if method == "Network.loadingFailed" and params.get("type") == "Document" and loader:
                self.failure = params.get("errorText", "")

    def send(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Post a command to the page, by `method` and `params` of the browser's protocol."""
        self.wire.post(self._session.send(method, dict(params or {})))

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """Command the page, by `method` and `params` of the browser's protocol, and wait for its answer; see `do`."""
        return self.do(self._session.send(method, dict(params or {})))

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Have a coroutine about the page run on the driver's thread, and wait for what it returns.

        Raises:
            EngineFailure: if the page crashed or does not answer, not even after its script was stopped.
            ProtocolError: if the page refuses a command, or went away.
            DialogOpens: if it shows a dialog that the agent is to answer first.
        """
        return self._ask_browser(work, self._answer)

    def finish(self, future: Future[Any]) -> None:
        """Wait for what a dialog had interrupted; what it would return is lost."""
        with contextlib.suppress(ProtocolError):
            self._answer(future)

    def attempt(self, work: Coroutine[Any, Any, Any]) -> bool:
        """Do what may never be answered although the page is well, and say whether it was; otherwise see `do`."""
        return self._ask_browser(work, self._answered)

    def _ask_browser(self, work: Coroutine[Any, Any, Any], answer: Callable[[Future[Any]], Any]) -> Any:
        if self.crashed:
            work.close()
            self._whole()
        if self.context.asked is not None:
            work.close()
            raise DialogOpens
        future = self.wire.submit(work)
        self._asked.add(future)
        try:
            return answer(future)
        except ProtocolError:
            self._whole()
            raise
        except DialogOpens:
            self.context.interrupt(future)
            raise
        finally:
            self._asked.discard(future)

    def fail(self) -> None:
        """The page will not answer any more: whoever waits for it is told."""
        for future in list(self._asked):
            future.cancel()

    def _answer(self, future: Future[Any]) -> Any:
        try:
            return self._wait(future, PATIENCE, keep=True)
        except TimeoutError:
            self.send("Runtime.terminateExecution")
            self.context.note("The page's script ran without end and was stopped.")
        try:
            return self._wait(future, LAST_PATIENCE)
        except TimeoutError:
            self.context.broken = self.context.broken or "the page stopped answering"  # what came first is the cause
            raise EngineFailure(self.context.broken) from None

    def _answered(self, future: Future[Any]) -> bool:
        try:
            self._wait(future, ATTEMPT, keep=True)
        except TimeoutError:
            self.wait_for_frame()  # a busy page is waited for here, and stopped
            try:
                self._wait(future, ATTEMPT)
            except TimeoutError:
                return False
        return True

    def _wait(self, future: Future[Any], patience: float, *, keep: bool = False) -> Any:
        """See `Driver.wait`; ends early where a dialog opens."""
        halt = self.context.halt
        wait_for((future, halt), patience, return_when=FIRST_COMPLETED)
        if halt.done() and not future.done():
            raise DialogOpens
        return self.wire.wait(future, 0, keep=keep)

    def _whole(self) -> None:
        """Raise `EngineFailure` if the page crashed."""
        if self.crashed:
            self.context.broken = "the page crashed"
            raise EngineFailure(self.context.broken)

    def evaluate(self, expression: str, frame: str = "") -> Any:
        """The value of `expression` in our world of the page, or of `frame`, a frame in it; promises are waited for.

        It is tried again in the new page when the page navigates meanwhile.
        """
        for _ in range(TRIES):
            try:
                return self._evaluate(expression, frame or self.target)
            except WithoutScripts:
                self.call(
                    "Runtime.evaluate",
                    {"expression": self.context.scripts, "contextId": self.world(frame or self.target)},
                )
            except ProtocolError as error:
                if not any(word in str(error) for word in MOVED):
                    raise EngineFailure(f"the browser refused a command: {error}") from error
                self._worlds.clear()
                if frame:
                    raise FrameGone from error
                self.context.check()
                if "closed" in str(error):  # the browser's own word of it may come a moment later
                    self.context.wait_until(lambda: self not in self.context.tabs, CLOSING)
                if self not in self.context.tabs:
                    raise TabGone from error
                self.context.wait_until(lambda: not self.loading, BETWEEN)
        raise EngineFailure("the page goes on from address to address without end")

    def world(self, frame: str) -> int:
        """The execution context of our scripts in a frame."""
        if frame not in self._worlds:
            made = self.call("Page.createIsolatedWorld", {"frameId": frame, "worldName": WORLD})
            self._worlds[frame] = made["executionContextId"]
        return self._worlds[frame]

    def _evaluate(self, expression: str, frame: str) -> Any:
        given = {
            "expression": expression,
            "contextId": self.world(frame),
            "awaitPromise": True,
            "returnByValue": True,
        }
        return _value(self.call("Runtime.evaluate", given))

    def evaluate_in_page(self, expression: str) -> Any:
        """The value of an expression in the page's own world. For worlds whose pages are known, never for reading."""
        return _value(
            self.call("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True})
        )

    def ask(self, function: str, own: int, *arguments: Any) -> dict[str, Any]:
        """Call a function of element_actions.js about an element; coordinates in its answer are the page's.

        Args:
            function: Its name.
            own: Number of the element, which may stand in a frame.
            arguments: What the function takes besides, JSON-safe.

        Returns:
            What it answers; under `error` what is wrong, such as that the element is gone.
        """
        given = ", ".join(json.dumps(argument) for argument in (own, *arguments))
        frame = self._owners.get(own, "")
        try:
            answer = json.loads(self.evaluate(f"JSON.stringify(agentgym.{function}({given}))", frame))
            while frame and "x" in answer:
                parent = self.frames[frame]
                corner = json.loads(self.evaluate(f"JSON.stringify(agentgym.corner({parent.owner}))", parent.parent))
                answer["x"], answer["y"] = answer["x"] + corner["x"], answer["y"] + corner["y"]
                frame = parent.parent
        except (FrameGone, KeyError):
            return {"error": f"element [{own}] is no longer on the page"}
        return answer

    def name_page(self) -> None:
        """Take down address and title of a page that is not read."""
        self.url, self.title = self.evaluate("[location.href, document.title]")

    def saves_file(self) -> None:
        """The page was seen to save a file, which is no page that could be waited for."""
        self._saved += 1
        self.context.downloads.expect(f"{self.target} {self._saved}")

    def forget(self) -> None:
        """Number the elements of the page anew from 1."""
        self.last = 0
        self._owners.clear()
        self.frames.clear()
        self.evaluate("agentgym.forget()")

    def begin_again(self) -> None:
        """Be as a new tab, in the browser's place for it: nothing is known of the pages that were in it."""
        self.pending, self.slow, self.blocked, self.frames = {}, set(), set(), {}
        self.url, self.status, self.failure, self.submitted = "about:blank", 0, "", ""
        self.last, self.title = 0, ""
        self._worlds, self._owners, self._statuses = {}, {}, {}

    def move_mouse_away(self) -> None:
        """Take the mouse out of the page's window."""
        self.wire.post(self.page.mouse.move(-10, -10))

    def park_mouse(self) -> None:
        """Move the mouse to the corner of the page's window, where it hovers over nothing."""
        width, height = self.context.viewport
        self.wire.post(self.page.mouse.move(width - 1, height - 1))

    def wait_for_frame(self) -> None:
        """Wait until the page has drawn once more: moves of the mouse are delivered only then."""
        self.evaluate("new Promise(drawn => requestAnimationFrame(() => drawn(1)))")

    def own(self, numbers: Iterable[int], frame: str) -> None:
        """Take down that the elements of these `numbers` belong to `frame`, unless they belong to a frame within it."""
        for number in numbers:
            self._owners.setdefault(number, frame)

    def disown(self, last: int) -> None:
        """Take back the numbers above the last."""
        self.last = last
        self._owners = {number: frame for number, frame in self._owners.items() if number <= last}


def _value(answer: Mapping[str, Any]) -> Any:
    if "exceptionDetails" in answer:
        details = answer["exceptionDetails"]
        said = details.get("exception", {}).get("description") or details.get("text", "")
        if "agentgym is not defined" in said or "undefined (reading 'agentgym')" in said:
            raise WithoutScripts
        if "terminated" in said:
            raise ProtocolError("context was terminated")
        raise EngineFailure(f"a script failed in the page: {said[:300]}")
    return answer["result"].get("value")


def _frames(tree: Mapping[str, Any]) -> list[str]:
    return [tree["frame"]["id"], *(name for inner in tree.get("childFrames", ()) for name in _frames(inner))]
