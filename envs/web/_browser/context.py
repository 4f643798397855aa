"""One isolated browser context: cookies, storage, tabs, downloads and dialogs of one world and of no other."""

from __future__ import annotations

import contextlib
import json
import weakref
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from typing import Any

from agentgym.core.errors import EngineFailure
from agentgym.envs.web._browser.choosers import Choosers
from agentgym.envs.web._browser.dialogs import ACCEPT, ContextDialogs
from agentgym.envs.web._browser.downloads import Downloads
from agentgym.envs.web._browser.driver import Driver, ProtocolError
from agentgym.envs.web._browser.engine import Engine, lease_engine, release_engine, renew_lease, script
from agentgym.envs.web._browser.hosts import HostList, split
from agentgym.envs.web._browser.profile import remove_folder
from agentgym.envs.web._browser.requests import answer_request
from agentgym.envs.web._browser.site import Site
from agentgym.envs.web._browser.tab import Tab

SETTLE = 3.0  # seconds a page may load or wait for requests before it is looked at as it is
COMING = 1.0  # seconds a download may take to begin once its page is given up
OPENING = 10.0  # seconds a new tab may take to come into being
MOST_TABS = 10
MOST_EPISODES = 100  # of a context: Playwright keeps what it knows of requests and pages until a context is closed
TOO_MANY = f"The page opened another tab; it was closed, at most {MOST_TABS} are allowed."


class Context(ContextDialogs):
    """A browser context with at least one tab.

    Args:
        hosts: Hosts that may be reached over the network.
        sites: Sites of this process by host.
        viewport: Width and height of every page in pixels.
        seed: Seed of the pages' random numbers.
        still: Whether the sites' pages run no scripts; the browser is told to run none.

    Attributes:
        sites: Sites of this process by host, in lower case.
        desk: The thread on which the sites of this process answer.
        credentials: Name and password for hosts that ask for them by HTTP, by host in lower case, with its port or
            without.
        kind: What decides whether another world could use the context: see `kind_of`.
        tabs: Open tabs in the order in which they were opened.
        active: The tab in front.
        downloads: The files that were downloaded.
        faults: What sites of this process raised, each answered as a page with status 500.
        held: The mouse button that is held down.
        keys: The keys that are held down.
        fresh: Whether no world has used it before the present one.
        shown: Name of the page in front, for worlds that use it again.
        broken: Why the context can no longer be used; otherwise empty.
    """

    def __init__(
        self,
        *,
        hosts: Sequence[str],
        sites: Mapping[str, Site],
        viewport: tuple[int, int],
        seed: int,
        still: bool = False,
    ):
        super().__init__()
        self.kind = self.kind_of(hosts, sites, viewport, seed, still)
        self.still = still
        self._engine: Engine = lease_engine()
        self.desk = self._engine.desk
        self.wire: Driver = self._engine.wire
        self.hosts = HostList([*hosts, *sites])
        self.sites = {host.lower(): site for host, site in sites.items()}
        self.credentials: Mapping[str, tuple[str, str]] = {}
        self._challenged: set[str] = set()  # requests that were asked for a name and password
        self.viewport = viewport
        self.held = "none"
        self.keys: list[str] = []
        self.shown = ""
        self._choosers = Choosers()
        self._parked = False
        self.fresh, self.served = True, 0  # episodes since it was made
        self._seed = seed
        self.tabs: list[Tab] = []
        self.active: Tab
        self._surplus: set[str] = set()  # tabs beyond those allowed, closed as soon as Playwright has them
        self.faults: list[str] = []
        self._expected = 0
        self.broken = ""
        self.id = ""
        context = weakref.proxy(self)  # no circle: a world that is dropped takes its context with it at once
        self.downloads = Downloads(
            self.wire.profile, lambda guid: context.cancel_download(guid), lambda *told: context.tell_download(*told)
        )
        self._dispose = weakref.finalize(self, _dispose, self._engine, made := [None], self.downloads.folder)
        try:
            self.active = self.wire.run(self._begin(made))
        except (ProtocolError, TimeoutError) as error:
            raise EngineFailure(f"the browser opened no page: {error}") from None
        self._first = self.active.target

    async def _begin(self, made: list[Any]) -> Tab:
        """Have Playwright make the context and its first page; on the driver's thread."""
        width, height = self.viewport
        made[0] = self._made = context = await self.wire.browser.new_context(
            viewport={"width": width, "height": height},
            device_scale_factor=1,
            locale="en-US",
            timezone_id="UTC",
            proxy=self.hosts.proxy,
        )
        await context.add_init_script(self.clock)
        page = await context.new_page()
        session = await context.new_cdp_session(page)
        info = (await session.send("Target.getTargetInfo"))["targetInfo"]
        self.id = info["browserContextId"]
        self._engine.contexts[self.id] = self
        given = {"behavior": "allowAndName", "downloadPath": self.downloads.folder, "eventsEnabled": True}
        self.wire.send("Browser.setDownloadBehavior", {**given, "browserContextId": self.id})
        tab = Tab(self, info["targetId"])
        self.tabs.append(tab)
        me = weakref.ref(self)  # Playwright keeps what it calls
        context.on("page", lambda page: _later(me, "_attach", page))
        context.on("dialog", lambda dialog: _later(me, "_answer_dialog", dialog))
        await self._command(tab, page, session)
        return tab

    async def _attach(self, page: Any) -> None:
        """Playwright has a page that came into being; on the driver's thread."""
        with contextlib.suppress(self.wire.error):  # it closed itself meanwhile
            session = await self._made.new_cdp_session(page)
            target = (await session.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
            tab = next((tab for tab in self.tabs if tab.target == target), None)
            if tab is not None:
                await self._command(tab, page, session)
            elif target in self._surplus:
                await page.close()

    async def _command(self, tab: Tab, page: Any, session: Any) -> None:
        me = weakref.ref(self)
        page.on("filechooser", lambda chooser: _later(me, "_asks_for_file", chooser))
        await tab.attach(page, session)
        with self.changed:
            self._engine.claim()
            self.changed.notify_all()

    # What the world asks for

    @staticmethod
    def kind_of(
        hosts: Sequence[str], sites: Mapping[str, Site], viewport: tuple[int, int], seed: int, still: bool
    ) -> tuple[object, ...]:
        """What a context is made for and cannot be changed later: contexts of one kind can stand in for each other.

        Of `sites` the hosts count, not what they answer; `hosts`, `viewport`, `seed` and `still` count as they are.
        """
        return (tuple(hosts), tuple(sorted(sites)), viewport, seed, still)

    @property
    def key(self) -> str:
        """The name under which our scripts meet in a page."""
        return self._engine.key

    @property
    def scripts(self) -> str:
        """What runs beside every page, in a world of its own."""
        return f"{script('page_observer.js')}('{self.key}');{script('element_actions.js')}0"

    @property
    def clock(self) -> str:
        """What runs in every page before its own scripts."""
        return f"{script('virtual_time.js')}({json.dumps(self._engine.key)}, {self._seed})"

    def arrange(self, work: Callable[[Any], Coroutine[Any, Any, Any]]) -> None:
        """Have work done with Playwright's own context, such as putting cookies into it."""
        try:
            self.wire.run(work(self._made))
        except (ProtocolError, TimeoutError) as error:
            raise EngineFailure(f"the browser refused what an episode begins with: {error}") from None

    def open_tab(self) -> Tab:
        """A new, empty tab, which becomes the active one."""
        with self.changed:
            self._expected += 1
        try:
            page = self.wire.run(self._made.new_page())
        except (ProtocolError, TimeoutError) as error:
            raise EngineFailure(f"the browser opened no tab: {error}") from None

        def opened() -> list[Tab]:
            return [tab for tab in self.tabs if tab.page is page and tab.ready]

        self.wait_until(lambda: bool(opened()), OPENING)
        if not opened():
            raise EngineFailure(self.broken or "the browser opened no tab")
        self.active = opened()[0]
        return self.active

    def close_tab(self) -> None:
        """Close the active tab; the one opened last comes to the front."""
        leaving = self.active
        self.wire.run(leaving.page.close())
        self.wait_until(lambda: leaving not in self.tabs)

    def abandon(self, tab: Tab) -> None:
        """Close a tab to which no page ever came."""
        self.wire.send("Target.closeTarget", {"targetId": tab.target})
        self.wait_until(lambda: tab not in self.tabs)

    def let_go(self) -> None:
        """Let go of the mouse button and of every key that is held down."""
        page = self.active.page
        for key in self.keys:
            self.wire.post(page.keyboard.up(key))
        if self.held != "none":
            self.wire.post(page.mouse.up(button=self.held))
        self.keys, self.held = [], "none"

    def show(self, tab: Tab) -> None:
        """Bring a tab to the front."""
        self.active = tab
        tab.send("Page.bringToFront")

    def wait_until(self, predicate: Callable[[], bool], seconds: float = SETTLE) -> bool:
        """Wait until `predicate`, called with the lock held, is true, at most so many `seconds`; whether it is."""
        with self.changed:
            return bool(self.changed.wait_for(lambda: predicate() or self.broken, seconds)) and not self.broken

    def wait_for_quiet(self, seconds: float = SETTLE) -> bool:
        """Wait until the active page has loaded and no request is under way; False if that takes too long."""
        tab = self.active
        if self.downloads.awaited:  # a page that is not opened after all may be a file that comes instead
            self.wait_until(lambda: not self.downloads.awaited, COMING)
            self.downloads.give_up()
        if self._choosers.awaited:
            self.wait_until(lambda: not self._choosers.awaited, COMING)
            self._choosers.give_up()
        if not self.busy or self.asked:
            return True
        quiet = self.wait_until(lambda: tab is not self.active or not self.busy or self.asked is not None, seconds)
        if not quiet and not self.wait_until(lambda: self.active.ready, OPENING):
            self.abandon(self.active)
            return False
        if not quiet:
            tab.slow.update(tab.pending)
            tab.loading.clear()
        return quiet

    def park(self) -> None:
        """Keep the context for a later world; the browser is not kept running for its sake."""
        self._parked = True
        release_engine(self._engine)

    def take_again(self) -> bool:
        """Use a parked context again; False if it has gone meanwhile."""
        if self.broken or not renew_lease(self._engine):
            return False
        self._parked, self.fresh = False, False
        return True

    @property
    def simple(self) -> bool:
        """Whether it has its first tab only, nothing is under way, no button is held, and it is not worn out."""
        alone = len(self.tabs) == 1 and self.tabs[0].target == self._first
        idle = not self.busy and not self.active.slow and self.held == "none" and not self.keys
        return alone and idle and self.asked is None and self.served < MOST_EPISODES

    def begin_again(self, sites: Mapping[str, Site]) -> None:
        """Forget what the last episode did, and serve other sites at the same hosts."""
        self.sites = {host.lower(): site for host, site in sites.items()}
        self.served += 1
        with self.changed:
            self.forget_all()
            self._challenged.clear()
            self.dialogs = ACCEPT
            self.faults = []
            self.downloads.begin_again()
            self._choosers = Choosers()
            self.shown = ""
            self.active.begin_again()

    @property
    def busy(self) -> bool:
        """Whether the page in front, a download, or a window for files, is on its way."""
        return self.active.busy or self.downloads.under_way or self.downloads.awaited or self._choosers.awaited

    def check(self) -> None:
        """Raise `EngineFailure` if the context can no longer be used."""
        if self.broken or not self.wire.alive:
            raise EngineFailure(self.broken or "the browser process ended")

    def close(self) -> None:
        """Close every page of the context; again and again without harm."""
        self.broken = self.broken or "the context was closed"
        if self._parked:
            self._parked = False
            self._engine.leases += 1  # parking has given it back already
        self._dispose()

    # What events tell, on the reading thread

    def lose(self, reason: str) -> None:
        """The browser is gone: whoever waits is told."""
        with self.changed:
            self.broken = self.broken or reason
            self.changed.notify_all()

    def on_target_created(self, target: str) -> None:
        """A page comes into being; Playwright will hand it over when it can be commanded."""
        with self.changed:
            asked = self._expected > 0
            self._expected -= asked
            if len(self.tabs) >= MOST_TABS and not asked:
                self.note(TOO_MANY)
                self._surplus.add(target)
                return
            tab = Tab(self, target)
            self.tabs.append(tab)
            if not asked:
                self.note("The page opened a new tab, which is now in front.")
                self.record("tab", action="opened")
                self.active = tab
            self._engine.claim()
            self.changed.notify_all()

    def on_event(self, target: str, method: str, params: Mapping[str, Any]) -> None:
        """An event of one of our pages; those of other pages are left alone.

        Args:
            target: The page, as the browser calls it.
            method: Name of the event in the browser's protocol, such as `Page.frameAttached`.
            params: What it says.
        """
        tab = next((tab for tab in self.tabs if tab.target == target), None)
        if tab is None:
            return
        with self.changed:
            tab.on_event(method, params)
            if method == "Page.frameAttached":
                self._engine.claim()
            self.changed.notify_all()

    def on_target(self, method: str, params: Mapping[str, Any]) -> None:
        """A page crashed or was closed, as the event `method` says; `params` name the page."""
        with self.changed:
            for tab in [tab for tab in self.tabs if tab.target == params["targetId"]]:
                if method == "Target.targetCrashed":
                    tab.crashed = True
                    self.broken = "the page crashed"
                else:
                    self._closed(tab)
                tab.fail()
                self.changed.notify_all()

    def _closed(self, tab: Tab) -> None:
        self.tabs.remove(tab)
        if self.asked is not None and self.asked.tab is tab:
            self.forget_dialog()
        if tab is self.active and self.tabs:
            self.active = self.tabs[-1]
            self.note("The tab in front was closed.")

    async def _asks_for_file(self, chooser: Any) -> None:
        """A page opens the window in which files are chosen; on the driver's thread."""
        with self.changed:
            if not self._choosers.come(chooser):
                self.note("The page asks for a file; give it one with upload, naming the element.")
            self.changed.notify_all()

    @contextlib.contextmanager
    def awaiting_chooser(self) -> Iterator[Callable[[], Any]]:
        """While something is clicked: what is yielded gives the window for files that opens, None if there is none."""
        kept = self._choosers
        kept.chooser, kept.taken = None, True

        def opened() -> Any:
            self.wait_until(lambda: kept.chooser is not None or self.asked is not None, COMING)
            return kept.chooser

        try:
            yield opened
        finally:
            kept.chooser, kept.taken = None, False

    def expect_choosers(self, count: int) -> None:
        """The page was seen to ask for so many windows for files since it was last looked at."""
        with self.changed:
            self._choosers.expect(count)

    def on_download(self, method: str, params: Mapping[str, Any]) -> bool:
        """A download begins, goes on or ends, as the event `method` with its `params` says.

        Returns:
            Whether it is one of ours that begins.
        """
        guid = params["guid"]
        with self.changed:
            begins = method == "Browser.downloadWillBegin"
            ours = begins and any(tab.target == params["frameId"] for tab in self.tabs)
            if ours:
                self.downloads.begin(guid, params["suggestedFilename"])
                for tab in [tab for tab in self.tabs if tab.target == params["frameId"] and not tab.ready]:
                    self.wire.send("Target.closeTarget", {"targetId": tab.target})  # it was opened for the file alone
            elif not begins:
                self.downloads.go_on(guid, params["state"], int(params["receivedBytes"]))
            self.changed.notify_all()
        return ours

    def cancel_download(self, guid: str) -> None:
        """Stop a download, if it is one of this context."""
        self.wire.send("Browser.cancelDownload", {"guid": guid, "browserContextId": self.id})

    def tell_download(self, words: str, record: Mapping[str, Any] | None) -> None:
        """Tell the agent how a download ended.

        Args:
            words: In a sentence.
            record: Name and size of a file that was downloaded; None if none was.
        """
        self.note(words)
        if record is not None:
            self.record("download", **record)

    def on_challenge(self, params: Mapping[str, Any]) -> bool:
        """A host asks a request for name and password; whether a frame of ours made it."""
        if not any(params.get("frameId") in tab.known for tab in list(self.tabs)):
            return False
        answer: dict[str, Any] = {"response": "CancelAuth"}
        asks = params["authChallenge"]
        known = self.known_at(asks["origin"]) if asks.get("source") != "Proxy" else None
        number = params["requestId"]
        if known is not None and number not in self._challenged:  # asked again, they were wrong
            answer = {"response": "ProvideCredentials", "username": known[0], "password": known[1]}
        self._challenged.add(number)
        self.wire.send("Fetch.continueWithAuth", {"requestId": number, "authChallengeResponse": answer})
        return True

    def known_at(self, url: str) -> tuple[str, str] | None:
        """Name and password for the host of an address, if they are known."""
        _, host, port = split(url)
        return self.credentials.get(f"{host}:{port}", self.credentials.get(host))

    def on_request(self, params: Mapping[str, Any]) -> bool:
        """A request waits for leave; whether a frame of ours asks."""
        if params.get("frameId") in self._surplus:
            self.wire.send("Fetch.failRequest", {"requestId": params["requestId"], "errorReason": "BlockedByClient"})
            return True
        tab = next((tab for tab in list(self.tabs) if params.get("frameId") in tab.known), None)
        if tab is None:
            return False
        with self.changed:
            answer_request(self, tab, params)
            self.changed.notify_all()
        return True


def _later(context: weakref.ref[Context], method: str, *given: Any) -> None:
    """On the driver's thread: begin what a context does about an event of Playwright's."""
    found = context()
    if found is not None:
        found.wire.post(getattr(found, method)(*given))


def _dispose(engine: Engine, made: list[Any], folder: str) -> None:
    if made[0] is not None:
        engine.wire.post(made[0].close())
    remove_folder(folder)
    release_engine(engine)
