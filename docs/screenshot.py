"""Makes the picture of `agentgym ui` in the manual: python -m docs.screenshot

A server of this process, a headless browser, and a game of Sokoban after some of its expert's moves.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from agentgym.envs.web._browser.find import find_browser
from agentgym.ui import ServerAddress, UISettings, application
from agentgym.ui.server import make_server

PICTURE = Path(__file__).parent / "_static" / "ui.png"
WORLD, SEED, TURNS = "AgentGym/Sokoban-v0", "3", 4
PREFIX = "The expert would say: "


def main() -> None:
    """Write the picture."""
    address = ServerAddress(port=0)
    with address.bind() as listener:
        hosts = address.hosts(listener.getsockname()[1])
        server = make_server(application(UISettings(), hosts))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not server.started:
                time.sleep(0.05)
            with sync_playwright() as driver:
                window = driver.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
                _play(window.new_page(viewport={"width": 1180, "height": 900}), f"http://{hosts[0]}")
        finally:
            server.should_exit = True
            thread.join()


def _play(page: Any, url: str) -> None:
    page.goto(f"{url}/worlds/{WORLD}")
    page.fill("[name=seed]", SEED)
    page.click("text=Begin")
    for turn in range(1, TURNS + 1):
        page.click("text=Hint")
        said = page.inner_text(f".note:has-text('{PREFIX}')").removeprefix(PREFIX)
        page.click(f".actions button:text-is('{said}')")
        page.wait_for_selector(f".history li:nth-child({turn})")
    page.click("text=Hint")
    page.wait_for_selector(".note")
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=PICTURE)


if __name__ == "__main__":
    main()
