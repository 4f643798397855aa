"""The two shells: a phone that shows one screen, with keys for back and home, and a desktop with windows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agentgym.envs.web._sites.application import Answer, Routes, SiteApplication, Visit, go_to, show
from agentgym.envs.web._sites.database import Store, fresh_store
from agentgym.envs.web._sites.device.content import original
from agentgym.envs.web._sites.device.screens import APPS, app_of, show_screen

MOST_SCREENS = 60  # that the key for back remembers


def build_phone(seed: int = 0) -> SiteApplication:
    """A phone at the beginning of an episode.

    Args:
        seed: Of what it holds.
    """
    return _build(seed, PhoneShell().routes)


def build_desktop(seed: int = 0) -> SiteApplication:
    """A desktop computer at the beginning of an episode; see `build_phone`.

    Args:
        seed: Of what it holds.
    """
    return _build(seed, DesktopShell().routes)


def _build(seed: int, routes: Callable[[], Routes]) -> SiteApplication:
    return SiteApplication("device", routes(), fresh_store(original(seed)), {"apps": APPS})


def location_of(visit: Visit) -> str:
    """Path and query within the device of a request to a shell's route for all screens."""
    query = visit.location.partition("?")[2]
    return f"/{visit.path['rest']}" + (f"?{query}" if query else "")


def without_notice(location: str) -> str:
    """An address without what is said on it once."""
    path, _, query = location.partition("?")
    kept = "&".join(part for part in query.split("&") if part and not part.startswith("notice="))
    return f"{path}?{kept}" if kept else path


def look_of(store: Store) -> Mapping[str, Any]:
    """What the settings say of the look of a device, and what its bar shows."""
    setting = {row["name"]: row["value"] for row in store.all("SELECT name, value FROM settings")}
    joined = store.value("SELECT name FROM networks WHERE joined = 1") or ""
    online = setting["Wi-Fi"] == "on" and setting["Airplane mode"] == "off"
    classes = ["dark"] * (setting["Dark theme"] == "on") + [f"font-{setting['Font size'].lower()}"]
    return {
        "classes": " ".join(classes), "time": store.now[11:], "network": joined if online else "",
        "airplane": setting["Airplane mode"] == "on", "quiet": setting["Do not disturb"] == "on",
        "percent": setting["Battery percentage"] == "on",
    }  # fmt: skip


@dataclass
class PhoneShell:
    """A phone for one episode.

    Attributes:
        screens: Addresses that the key for back goes through; the last is in front. Empty at home.
        recent: The last address of every app that was used, the latest first.
    """

    screens: list[str] = field(default_factory=list)
    recent: dict[str, str] = field(default_factory=dict)

    def routes(self) -> Routes:
        """Addresses of the shell and of all screens."""
        return [
            ("GET", "/", self._home), ("POST", "/home", self._go_home), ("POST", "/back", self._go_back),
            ("GET", "/recent", self._recent), ("GET", "/{rest:path}", self._screen),
            ("POST", "/{rest:path}", self._send),
        ]  # fmt: skip

    def _home(self, site: SiteApplication, visit: Visit) -> Answer:
        self.screens.clear()
        unread = site.store.value("SELECT count(*) FROM threads WHERE unread > 0")
        return show("home", unread=unread, **look_of(site.store))

    def _go_home(self, site: SiteApplication, visit: Visit) -> Answer:
        return go_to("/")

    def _go_back(self, site: SiteApplication, visit: Visit) -> Answer:
        if self.screens:
            self.screens.pop()
        return Answer(way=self.screens[-1] if self.screens else "/")

    def _recent(self, site: SiteApplication, visit: Visit) -> Answer:
        return show("recent", recent=self.recent, **look_of(site.store))

    def _screen(self, site: SiteApplication, visit: Visit) -> Answer:
        return self._shown(site, visit, "GET")

    def _send(self, site: SiteApplication, visit: Visit) -> Answer:
        return self._shown(site, visit, "POST")

    def _shown(self, site: SiteApplication, visit: Visit, method: str) -> Answer:
        location = location_of(visit)
        found = show_screen(site, method, location, "", visit)
        if found.way:
            return Answer(way=found.way)
        app = app_of(location)
        if method == "GET" and found.status == 200:
            self._remember(app, without_notice(location))
        return show("phone", found.status, app=app, body=found.html, **look_of(site.store))

    def _remember(self, app: str, location: str) -> None:
        """A screen that is shown again is returned to; what came after it is forgotten."""
        if location in self.screens:
            del self.screens[self.screens.index(location) :]
        self.screens = [*self.screens, location][-MOST_SCREENS:]
        self.recent = {app: location, **{name: way for name, way in self.recent.items() if name != app}}


@dataclass
class Window:
    """A window of the desktop.

    Attributes:
        number: In the order of opening.
        app: Whose it is.
        location: Path and query within the device.
        minimized, maximized: How it is shown.
    """

    number: int
    app: str
    location: str
    minimized: bool = False
    maximized: bool = False


@dataclass
class DesktopShell:
    """A desktop computer for one episode.

    Attributes:
        windows: Those that are open, the one in front last.
        opened: How many there have been.
    """

    windows: list[Window] = field(default_factory=list)
    opened: int = 0

    def routes(self) -> Routes:
        """Addresses of the shell and of all screens in windows."""
        return [
            ("GET", "/", self._desktop), ("GET", "/open/{app}", self._open), ("POST", "/show-desktop", self._clear),
            ("POST", "/raise/{number:int}", self._raise), ("POST", "/minimize/{number:int}", self._minimize),
            ("POST", "/maximize/{number:int}", self._maximize), ("POST", "/close/{number:int}", self._close),
            ("GET", "/w/{number:int}/{rest:path}", self._screen), ("POST", "/w/{number:int}/{rest:path}", self._send),
            ("GET", "/{rest:path}", self._nothing),
        ]  # fmt: skip

    def _find(self, visit: Visit) -> Window | None:
        return next((one for one in self.windows if str(one.number) == visit.path["number"]), None)

    def _to_front(self, window: Window) -> None:
        window.minimized = False
        self.windows.remove(window)
        self.windows.append(window)

    def _desktop(self, site: SiteApplication, visit: Visit) -> Answer:
        return self._drawn(site, None)

    def _nothing(self, site: SiteApplication, visit: Visit) -> Answer:
        return self._drawn(site, None, 404)

    def _drawn(self, site: SiteApplication, front: tuple[Window, Any] | None, status: int = 200) -> Answer:
        """The desktop with every window that is not minimized, the one in front first in the document."""
        shown = []
        for window in reversed(self.windows):
            if not window.minimized:
                base = f"/w/{window.number}"
                given = front[1] if front and front[0] is window else None
                shown.append((window, given or show_screen(site, "GET", window.location, base).html))
        bar = sorted(self.windows, key=lambda one: one.number)
        return show("desktop", status, shown=shown, bar=bar, **look_of(site.store))

    def _open(self, site: SiteApplication, visit: Visit) -> Answer:
        name = next((app for app in APPS if app.lower() == visit.path["app"]), "")
        if not name:
            return self._drawn(site, None, 404)
        window = next((one for one in self.windows if one.app == name), None)
        if window is None:
            self.opened += 1
            window = Window(self.opened, name, "")
            self.windows.append(window)
        window.location = f"/{name.lower()}"
        self._to_front(window)
        return go_to("/")

    def _clear(self, site: SiteApplication, visit: Visit) -> Answer:
        for window in self.windows:
            window.minimized = True
        return go_to("/")

    def _raise(self, site: SiteApplication, visit: Visit) -> Answer:
        return self._changed(site, visit, self._to_front)

    def _minimize(self, site: SiteApplication, visit: Visit) -> Answer:
        def change(window: Window) -> None:
            window.minimized = True

        return self._changed(site, visit, change)

    def _maximize(self, site: SiteApplication, visit: Visit) -> Answer:
        def change(window: Window) -> None:
            window.maximized = not window.maximized
            self._to_front(window)

        return self._changed(site, visit, change)

    def _close(self, site: SiteApplication, visit: Visit) -> Answer:
        return self._changed(site, visit, self.windows.remove)

    def _changed(self, site: SiteApplication, visit: Visit, change: Callable[[Window], None]) -> Answer:
        window = self._find(visit)
        if window is None:
            return self._drawn(site, None, 404)
        change(window)
        return go_to("/")

    def _screen(self, site: SiteApplication, visit: Visit) -> Answer:
        return self._shown(site, visit, "GET")

    def _send(self, site: SiteApplication, visit: Visit) -> Answer:
        return self._shown(site, visit, "POST")

    def _shown(self, site: SiteApplication, visit: Visit, method: str) -> Answer:
        window, location = self._find(visit), location_of(visit)
        if window is None:
            return self._drawn(site, None, 404)
        base = f"/w/{window.number}"
        found = show_screen(site, method, location, base, visit)
        self._to_front(window)
        if found.way:
            return Answer(way=base + found.way)
        if method == "GET":
            window.location = without_notice(location)
        return self._drawn(site, (window, found.html), found.status)
