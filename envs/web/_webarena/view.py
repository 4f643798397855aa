"""What evaluators see of a world's browser: pages opened in a tab of their own, with the agent's cookies."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from agentgym.core.errors import EngineFailure
from agentgym.envs.web._browser.actions import Refused, address, go
from agentgym.envs.web._browser.context import Context
from agentgym.envs.web._browser.driver import ProtocolError
from agentgym.envs.web._browser.reading import settle
from agentgym.envs.web._browser.tab import Tab

OPENING = 15.0  # seconds a page may take
SPAN = 3000  # ms by which the clock of an opened page moves, as long as the published evaluators wait
FETCH = """fetch(%s, %s).then(async answer => JSON.stringify([answer.status, await answer.text()]))"""
NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "-0": -0.0}


class BrowserView:
    """The browser as the agent left it; use it in a `with`, after which the agent's page is in front again.

    Args:
        context: The episode's.
    """

    def __init__(self, context: Context):
        self._context = context
        self._left = context.active
        self._own: Tab | None = None

    def __enter__(self) -> BrowserView:
        return self

    def __exit__(self, *raised: object) -> None:
        self._close()

    @property
    def url(self) -> str:
        """Address of the page that is looked at."""
        return self._context.active.url

    def open(self, url: str) -> None:
        """Open an address in the evaluators' tab; one that is not allowed shows an empty page."""
        context = self._context
        if self._own is None:
            self._own = context.open_tab()
        try:
            go(context, address(context, url))
        except Refused:
            go(context, "about:blank")
        context.wait_for_quiet(OPENING)
        settle(context, SPAN)

    def content(self) -> str:
        """The page's document as HTML."""
        tab = self._context.active
        try:
            return str(tab.do(tab.page.content()))
        except ProtocolError as error:
            raise EngineFailure(f"the page gave no document: {error}") from None

    def evaluate(self, script: str) -> str | None:
        """The value of an expression in JavaScript as text, as Python writes it; None if it fails.

        It runs beside the page's own scripts and sees the same document.
        """
        tab = self._context.active
        given = {
            "expression": f"(() => {script}\n)()",
            "contextId": tab.world(tab.target),
            "awaitPromise": True,
            "returnByValue": True,
        }
        try:
            answer = tab.call("Runtime.evaluate", given)
        except ProtocolError:  # what it returns is no value, or the page went away
            return None
        if "exceptionDetails" in answer:
            return None
        result = answer["result"]
        return str(NUMBERS.get(result.get("unserializableValue", ""), result.get("value")))

    def request(self, url: str, headers: Mapping[str, str], body: Any = None) -> Any:
        """The JSON that a site answers, asked from a page of its own and without the agent's cookies.

        Args:
            url: What is asked, of a host that is allowed.
            headers: Sent along.
            body: JSON-safe, for a POST; None for a GET.

        Raises:
            EngineFailure: if it answers anything but JSON with status 200.
        """
        before, tab = self._context.active, self._context.open_tab()
        given = {"method": "GET" if body is None else "POST", "headers": dict(headers), "credentials": "omit"}
        if body is not None:
            given["body"] = json.dumps(body)
        try:
            go(self._context, address(self._context, url))
            self._context.wait_for_quiet(OPENING)
            status, text = json.loads(tab.evaluate(FETCH % (json.dumps(url), json.dumps(given))))
            if status != 200:
                raise EngineFailure(f"the site answers {url[:120]} with status {status}")
            return json.loads(text)
        except (Refused, ValueError) as error:
            raise EngineFailure(f"the site does not answer {url[:120]} with JSON: {error}") from None
        finally:
            self._context.show(tab)
            self._context.close_tab()
            self._context.show(before)

    def _close(self) -> None:
        if self._own is not None and self._own in self._context.tabs:
            self._context.show(self._own)
            self._context.close_tab()
        if self._left in self._context.tabs:
            self._context.show(self._left)
        self._own = None
