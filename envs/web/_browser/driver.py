"""The browser process, run by Playwright on a thread of its own.

Playwright's asynchronous interface lives on one event loop, which turns on that thread; worlds call it from any thread,
inside a running event loop or not. Nothing outlives this process: Playwright's driver ends when its pipe to us closes,
and the system closes ours however we end; the browser ends with the driver, whose pipe it hangs on.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import weakref
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from typing import Any

from agentgym.core.errors import EngineFailure, require
from agentgym.envs.web._browser.account import account, environment
from agentgym.envs.web._browser.profile import Profile, remove_orphans

Event = Callable[[str, Mapping[str, Any]], None]

PATIENCE = 20.0  # seconds for an answer of the browser itself, which it owes at once
LAST = 5.0  # seconds the driver has to end
FLAGS = (
    "--headless", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-extensions",
    "--disable-breakpad", "--disable-hang-monitor", "--disable-prompt-on-repost",
    "--disable-client-side-phishing-detection", "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-ipc-flooding-protection", "--disable-back-forward-cache", "--disable-dev-shm-usage", "--disable-gpu",
    "--disable-popup-blocking", "--disable-search-engine-choice-screen", "--disable-field-trial-config",
    "--disable-site-isolation-trials",  # so that all frames of a page answer in one session
    "--disable-gpu-vsync",  # a frame waits for no screen
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,InterestFeedContentSuggestions,"
    "IsolateOrigins,site-per-process,PaintHolding,HttpsUpgrades,AutofillServerCommunication,AcceptCHFrame,"
    "DeferRendererTasksAfterInput,"  # what a click sets off would wait for the next frame
    "RenderDocument",  # a page of the same site takes the place of the last: a third less work for each
    "--force-color-profile=srgb", "--font-render-hinting=none", "--hide-scrollbars", "--mute-audio",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # WebRTC would go around the list of hosts
    "--password-store=basic", "--use-mock-keychain", "--metrics-recording-only", "--lang=en-US",
)  # fmt: skip


class ProtocolError(Exception):
    """The browser answered a command with an error; `str` is its message."""


class Gone(EngineFailure):
    """The browser process ended, or never began."""


@dataclass
class _Process:
    """All that must be ended; knows nothing of the `Driver`, so that one that is dropped is collected."""

    profile: Profile
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    thread: threading.Thread | None = None
    manager: Any = None
    pid: int = 0
    open: list[int] = field(default_factory=list)


class _Numbered:
    """In place of the module `random`, with which Playwright begins the names of its calls: that is the user's."""

    @staticmethod
    def randrange(stop: int) -> int:
        """Zero; the names are told apart by their numbers."""
        return 0


class Driver:
    """One browser process.

    Args:
        program: Path of a Chromium.
        on_event: Called on the driver's thread with method and parameters of each event of the browser; must not wait.

    Attributes:
        alive: Whether it still runs, as far as is known.
        pid: Number of the browser's process, which leads a group of its own.
        profile: Its folder.
        browser: Playwright's `Browser`, for use on the driver's thread.
        error: What Playwright raises.
    """

    def __init__(self, program: str, on_event: Event):
        api: Any = require("playwright.async_api", extra="web", purpose="a page in a real browser")
        names: Any = require("playwright._impl.isomorphic.trace_utils", extra="web", purpose="a page in a real browser")
        names.random = _Numbered
        self.error: type[Exception] = api.Error
        self._on_event = on_event
        self.alive = True
        runs_as = account()
        self.profile = Profile(runs_as)
        remove_orphans()
        self._process = process = _Process(self.profile)
        self._open = process.open
        self._finish = weakref.finalize(self, _end, process)
        self._reader = process.thread = threading.Thread(
            target=_turn, args=(process,), name="agentgym-browser", daemon=True
        )
        self._reader.start()
        command = runs_as.command(program, [*FLAGS, f"--user-data-dir={self.profile.home}", "about:blank"])
        try:
            self.browser, self._session = self.run(self._begin(api.async_playwright(), command), 3 * PATIENCE)
        except (ProtocolError, TimeoutError) as error:
            self.close()
            raise Gone(f"the browser {program} cannot be started: {str(error).splitlines()[0]}") from None
        self.pid = process.pid

    async def _begin(self, manager: Any, command: Sequence[str]) -> tuple[Any, Any]:
        process = self._process
        driver = await manager.start()
        process.manager = manager
        pipes = manager._client._transport._proc._transport
        process.open += [pipes.get_pipe_transport(number).get_extra_info("pipe").fileno() for number in (0, 1)]
        # Every argument is ours: the command may begin with the change to another user.
        browser = await driver.chromium.launch(
            executable_path=command[0],
            args=list(command[1:]),
            ignore_default_args=True,
            env=dict(environment(self.profile.home)),
            artifacts_dir=self.profile.path,
            handle_sigint=False,  # a Ctrl-C is meant for the program around it
            handle_sigterm=False,
            handle_sighup=False,
        )
        lost = weakref.WeakMethod(self._lost)
        browser.on("disconnected", lambda _: _call(lost))
        manager._client._close_promise.add_done_callback(lambda _: _call(lost))
        session = await browser.new_browser_cdp_session()
        hear = weakref.WeakMethod(self._hear)
        session.on("event", lambda event: _call(hear, event))
        told = await session.send("SystemInfo.getProcessInfo")
        browser_id = next(int(each["id"]) for each in told["processInfo"] if each["type"] == "browser")
        process.pid = os.getpgid(browser_id)  # Playwright gives it a group of its own, which a script may lead
        return browser, session

    def submit(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Have a coroutine run on the driver's thread; `wait` takes what it returns.

        Raises:
            Gone: if the browser ended.
        """
        if not self.alive:
            work.close()
            raise Gone("the browser process ended")
        return asyncio.run_coroutine_threadsafe(work, self._process.loop)

    def post(self, work: Coroutine[Any, Any, Any]) -> None:
        """Have a coroutine run whose end nobody waits for; what the browser refuses, or takes along, is lost."""
        if not self.alive:
            work.close()
            return
        self.submit(self._drop_errors(work))

    async def _drop_errors(self, work: Coroutine[Any, Any, Any]) -> None:
        try:
            await work
        except self.error:
            pass
        except Exception as error:  # ours
            self._process.loop.call_exception_handler(
                {"message": f"{type(error).__name__} in a page's event", "exception": error}
            )

    def wait(self, future: Future[Any], patience: float = PATIENCE, *, keep: bool = False) -> Any:
        """What a coroutine returned.

        Args:
            future: From `submit`.
            patience: Seconds.
            keep: Whether it goes on when they are over, to be waited for again.

        Raises:
            ProtocolError: if the browser refused a command.
            TimeoutError: if it takes too long.
            Gone: if the browser ended.
        """
        try:
            return future.result(patience)
        except TimeoutError:
            if not keep:
                future.cancel()
            raise TimeoutError(f"no answer from the browser within {patience:g} s") from None
        except CancelledError:
            self._still_there()
            raise ProtocolError("Inspected target navigated or closed") from None
        except self.error as error:
            if "closed" in str(error) or "disconnected" in str(error):
                self._still_there()
            raise ProtocolError(str(error)) from None
        except BaseException:
            future.cancel()
            raise

    def run(self, work: Coroutine[Any, Any, Any], patience: float = PATIENCE) -> Any:
        """Run a coroutine, `work`, on the driver's thread and wait for it, `patience` seconds at most; see `wait`."""
        return self.wait(self.submit(work), patience)

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """Command the browser itself, by `method` and `params` of its protocol, and wait for its answer; see `wait`."""
        return self.run(self._session.send(method, dict(params or {})))

    def send(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Command the browser itself, by `method` and `params` of its protocol, without waiting."""
        self.post(self._session.send(method, dict(params or {})))

    def close(self) -> None:
        """End the browser and remove its folder; again and again without harm."""
        self.alive = False
        self._finish()

    def forget(self) -> None:
        """In a forked child: let go of the parent's browser without ending it."""
        self._finish.detach()
        self.alive = False
        for descriptor in self._open:
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self._open.clear()
        _of_parents.append(self._process)
        self.profile.forget()

    def _hear(self, event: Mapping[str, Any]) -> None:
        self._on_event(event["method"], event["params"] or {})

    def _lost(self) -> None:
        if self.alive:
            self.alive = False
            self._on_event("gone", {})

    def _still_there(self) -> None:
        """Raise `Gone` unless the browser answers: a page that closed and a browser that died look the same."""
        if self.alive and threading.current_thread() is not self._reader:
            with contextlib.suppress(Exception):
                asyncio.run_coroutine_threadsafe(self._session.send("Browser.getVersion"), self._process.loop).result(
                    PATIENCE
                )
                return
        raise Gone("the browser process ended")


# What a forked child has of its parent's: collecting it would end the parent's driver.
_of_parents: list[_Process] = []


def _call(method: weakref.WeakMethod[Any], *arguments: Any) -> None:
    found = method()
    if found is not None:
        found(*arguments)


def _turn(process: _Process) -> None:
    asyncio.set_event_loop(process.loop)
    process.loop.run_forever()
    process.loop.close()
    process.profile.remove()


def _end(process: _Process) -> None:
    """End the browser, the driver and the thread, and remove the folder."""
    if process.pid:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    asyncio.run_coroutine_threadsafe(_stop(process), process.loop)
    if process.thread not in (None, threading.current_thread()):
        process.thread.join(2 * LAST)


async def _stop(process: _Process) -> None:
    """End the driver, which ends the browser if it still runs."""
    try:
        if process.manager is not None:
            await asyncio.wait_for(process.manager.__aexit__(), LAST)
    except Exception:  # it died before, or does not end by itself
        with contextlib.suppress(ProcessLookupError):
            process.manager._client._transport._proc.kill()
    finally:
        if process.manager is not None:
            process.manager._client._transport._proc._transport.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await asyncio.sleep(0)  # closing pipes takes a turn of the loop
        process.open.clear()
        process.loop.call_soon(process.loop.stop)
