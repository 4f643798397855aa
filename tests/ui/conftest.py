"""A server of the application, in this process, and a browser that looks at it."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from agentgym.ui import ServerAddress, UISettings, application
from agentgym.ui.server import make_server
from agentgym.ui.table import GameSession

PATIENCE = 300.0  # seconds on a machine that does other things too, where sites are built and games are made first


@dataclass
class Site:
    """A running server."""

    port: int
    app: Any

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, form: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers in lower case and text of an answer; a request of our own page unless headers say else."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        own = {"Origin": self.url} if method == "POST" else {}
        body = None
        if form is not None:
            body = urlencode(form)
            own["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, body, {**own, **(headers or {})})
        answer = connection.getresponse()
        text = answer.read().decode("utf8", "replace")
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, text

    def begin(self, world: str, **form: str) -> GameSession:
        """A game that was begun by a form."""
        status, headers, text = self.ask("POST", f"/worlds/{world}/start", {"seed": "0", **form})
        assert status == 303, text
        table: GameSession = self.app.state.tables.find(headers["location"].rpartition("/")[2])
        return table


@contextmanager
def running(settings: UISettings) -> Iterator[Site]:
    address = ServerAddress(port=0)
    listener = address.bind()
    port = listener.getsockname()[1]
    app = application(settings, address.hosts(port))
    server = make_server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        until(lambda: server.started)
        yield Site(port, app)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        listener.close()
    assert not thread.is_alive()
    until(lambda: all(table.ended or table.shown.state == "over" for table in app.state.tables.all()))


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that another thread does."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.01)


def comes(page: Any, expression: str) -> None:
    """Wait until an expression holds in a page, whose policy lets nobody evaluate text, Playwright included."""
    until(lambda: bool(page.evaluate(expression)))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


@pytest.fixture
def site(runs: Path) -> Iterator[Site]:
    with running(UISettings(runs)) as site:
        yield site


@pytest.fixture
def window(browser: Any, site: Site) -> Iterator[Any]:
    """A page of the browser, which must neither complain nor ask for anything from elsewhere."""
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.set_default_timeout(PATIENCE * 1000)
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    yield page
    page.close()
    assert wrong == []
    assert [url for url in asked if not url.startswith((site.url, "data:"))] == []


def write_training(folder: Path, updates: int) -> Path:
    """What a training run has recorded after some updates."""
    folder.mkdir(parents=True, exist_ok=True)
    recipe = {"method": "<b>grpo</b>", "world": {"id": "FrozenLake-v0"}}
    (folder / "recipe.json").write_text(json.dumps(recipe))
    timing = {"seconds": 2.0, "seconds_generation": 1.0, "seconds_world": 0.5, "seconds_update": 0.4}
    rates = {"episodes_per_second": 8.0, "sampled_tokens_per_second": 100.0, "groups": 4, "dead_groups": 1}
    lines = [
        {
            "update": number,
            "episodes": 8,
            "stops": {"failure": 0},
            "success": number / 20,
            "return": number / 10,
            **timing,
            **rates,
        }
        for number in range(updates)
    ]
    (folder / "updates.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder
