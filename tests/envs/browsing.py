"""What the browser tests share: a world over pages given as text, and the reason to skip where there is no browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from agentgym.core import EnvCard, MissingExtra
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import FiniteTaskSet, Task
from agentgym.envs.web._browser.env import BrowserEnv
from agentgym.envs.web._browser.find import find_browser
from agentgym.envs.web._browser.site import PageSite

try:
    find_browser()
    MISSING = ""
except MissingExtra as error:
    MISSING = str(error)
needs_browser = pytest.mark.skipif(bool(MISSING), reason=MISSING)

CARD = EnvCard(
    id="Test/Pages-v0",
    kind="web",
    entry_point="tests.envs.browsing:PagesEnv",
    description="Pages given as text.",
    citation="none",
    splits={"train": 1},
    max_turns=500,
    deterministic=False,
    oracle_success=0.0,
    snapshot="none",
    images=True,
)


class PagesEnv(BrowserEnv):
    """Pages of `http://a.test`, and of other hosts where given; stopping with an answer ends the episode."""

    card = CARD

    def __init__(self, pages: Mapping[str, str], others: Mapping[str, Any] | None = None, **given: Any):
        super().__init__(**given)
        self.given = {"a.test": PageSite(pages), **(others or {})}
        self.files: dict[str, bytes] = {}
        self.hosts: tuple[str, ...] = ()

    def tasks(self, split):
        return FiniteTaskSet(split, ["0"], lambda name: Task(name, split, "Look around.", {}))

    def _sites(self, task):
        return self.given

    def _hosts(self, task):
        return self.hosts

    def _files(self, task):
        return self.files

    def _start_url(self, task):
        return "http://a.test/"

    def _judge(self, call, outcome: Outcome) -> Outcome:
        if call.name == "stop":
            outcome.terminated = True
        return outcome


def own(text: str, words: str) -> int:
    """The number of the first element whose line holds some words."""
    for line in text.split("\n"):
        if words in line and line.strip().startswith("["):
            return int(line.strip()[1:].split("]")[0])
    raise AssertionError(f"{words!r} is not in\n{text}")


def say(env: PagesEnv, action: str) -> tuple[str, dict[str, Any]]:
    """Play an action in a world that goes on: what it shows, and its info."""
    text, _, _, _, info = env.step(action)
    assert not info["failure"], info["failure"]
    return text, info
