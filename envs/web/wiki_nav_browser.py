"""WikiNav in a real browser: the same encyclopaedia, the same tasks, the same reward."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar
from urllib.parse import unquote, urlsplit

from agentgym.core.grammar import Call
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, TaskSet
from agentgym.envs._kit.encyclopedia.book import FAR
from agentgym.envs.web import WIKI_NAV, WIKI_NAV_BROWSER
from agentgym.envs.web._browser.env import BrowserConfig, BrowserEnv
from agentgym.envs.web._browser.grammar import BrowserGrammar
from agentgym.envs.web._browser.site import Site
from agentgym.envs.web._wiki.pages import HOST, path
from agentgym.envs.web._wiki.passages import overlap
from agentgym.envs.web._wiki.reader import choose
from agentgym.envs.web._wiki.site import WikiSite
from agentgym.envs.web._wiki.tasks import (
    RULES,
    SCHEMA,
    TRIVIA,
    TRIVIA_RULES,
    WikiConfig,
    WikiTasks,
    panels,
    target,
)

LINK = re.compile(r"\[(\d+)\] link\b")


@dataclass(frozen=True)
class WikiBrowserConfig(BrowserConfig, WikiConfig):
    """The keyword arguments of `WikiNavBrowserEnv`."""


class WikiNavBrowserEnv(WikiTasks, BrowserEnv):
    """Follow links to the article that a passage was taken from, in a real browser.

    **Description.** The encyclopaedia of `AgentGym/WikiNav-v0` as a web site, served inside the browser. Each page has
    an address of its own; the site opens those to which the reader has seen a link.

    **Observation, actions.** See `BrowserEnv`. The passage stands at the head of the first observation and in
    `info["instruction"]`. `stop` ends the walk.

    **Reward.** As in `AgentGym/WikiNav-v0`, with the same metrics: 1 for stopping on the right article (success).

    **Splits.** `train` is that of `AgentGym/WikiNav-v0`; `val` and `test` are the first 50 tasks of its panels.

    **Oracle, expert.** Those of `AgentGym/WikiNav-v0`, whose links are clicked.

    **Source.** WebNav (Nogueira and Cho 2016, arXiv:1602.02261).

    Args:
        hops, pages, links, dump, ask: See `WikiNavEnv`.
        observe, picture, viewport, trace, split, max_turns, render_mode: See `BrowserEnv`.
    """

    card = WIKI_NAV_BROWSER
    config: WikiBrowserConfig = WikiBrowserConfig()
    grammar = BrowserGrammar(RULES)
    task_schema: ClassVar[Spec] = SCHEMA
    still = True

    def _configured(self) -> None:
        super()._configured()
        if self.config.ask == TRIVIA:
            self.grammar = replace(self.grammar, rules=TRIVIA_RULES)

    def tasks(self, split: str) -> TaskSet:
        """The tasks of WikiNav."""
        if self.config.dump is not None:
            return super().tasks(split)
        config = self.config
        whole = panels(WIKI_NAV.name, config.hops, config.pages, config.links, config.ask).panel(split)
        if whole.size is None:
            return whole
        shown = min(whole.size, self.card.splits[split] or 0)
        return FiniteTaskSet(split, [whole[place].id for place in range(shown)], whole.by_id)

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The article."""
        return str(spec["target"])

    def _reset(self, task: Task) -> str:
        self._target = target(self._book, task.spec)
        self._far = self._book.distance_to(self._target)
        self._site = WikiSite(self._book)
        self._opened: list[int] = [self._book.root]
        return super()._reset(task)

    def _start_url(self, task: Task) -> str:
        return f"http://{HOST}{path(self._book, self._book.root)}"

    def _sites(self, task: Task) -> Mapping[str, Site]:
        return {HOST: self._site}

    @property
    def _here(self) -> int | None:
        """The page in front; None if it is none of the encyclopaedia."""
        address = urlsplit(self.context.active.url)
        return self._site.page_at(unquote(address.path)) if address.hostname == HOST else None

    def _judge(self, call: Call, outcome: Outcome) -> Outcome:
        here = self._here
        if here is not None and here != self._opened[-1]:
            self._opened.append(here)
        left, whole = FAR if here is None else int(self._far[here]), int(self._far[self._book.root])
        outcome.progress = 0.0 if left == FAR else max(0.0, 1 - left / whole)
        if call.name in ("stop", "infeasible"):
            outcome.terminated = True
            outcome.success = call.name == "stop" and here == self._target
            outcome.reward = float(outcome.success)
        if outcome.terminated or self.turn >= self.max_turns:
            alike = 0.0 if here is None else overlap(self._book, here, self._query(self.task.spec))
            outcome.metrics = {"hops": float(whole), "opened": float(len(self._opened)), "overlap": alike}
        return outcome

    # Players: those of the encyclopaedia in words.

    def _oracle(self) -> str:
        here = self._here
        if here is None:
            return "back"
        if here == self._target:
            return "stop"
        links = self._book.article(here).links
        nearest = min(range(len(links)), key=lambda place: int(self._far[links[place]]))
        return self._click(nearest) if self._far[links[nearest]] < self._far[here] else "back"

    def _expert(self) -> str:
        here = self._here
        if here is None:
            return "back"
        said = choose(self._book, self._query(self.task.spec), self._opened)
        if isinstance(said, str):
            return "stop" if len(self._opened) == 1 else said
        return self._click(self._book.article(here).links.index(said[1]))

    def _click(self, place: int) -> str:
        """Click the link of this place on the page."""
        shown = [int(match[1]) for _, line, _, _ in self._seen.lines if (match := LINK.match(line))]
        return f"click [{shown[place]}]" if place < len(shown) else "wait"
