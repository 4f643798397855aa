"""WebShop as a web site in a real browser: the same goals, the same shop, the same reward."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from agentgym.core.grammar import Call
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import copy_state
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, TaskSet
from agentgym.envs.web import WEBSHOP_BROWSER
from agentgym.envs.web._browser.asgi import AppSite
from agentgym.envs.web._browser.env import BrowserEnv
from agentgym.envs.web._browser.grammar import BrowserGrammar
from agentgym.envs.web._browser.site import Site
from agentgym.envs.web._shop.picture import draw_product
from agentgym.envs.web._shop.site import HOST, START, build_site
from agentgym.envs.web.webshop import WebShopEnv

RULES = (
    "You are shopping on a web site. Find the product that fits the instruction, choose the options asked for, and buy "
    "it. The visit ends with the purchase."
)
CLICKED = ("button", "radio", "link")  # what in words is a click: a button, the value of an option, a product
TOLD = ("search", "choose", "purchase")  # records of the shop that are passed on; the browser has its own of navigation


class Visit:
    """One customer's visit: the shop as it was at each page, for every page has an address of its own.

    Args:
        shop: The shop in text, at the start of an episode.
        first: The start page.
    """

    def __init__(self, shop: WebShopEnv, first: str):
        self._shop = shop
        self._moments = [(copy_state(shop._state), first)]
        self._outcomes: list[Outcome] = []

    def page(self, number: int) -> str | None:
        """The visit's n-th page; None if there is none."""
        return self._moments[number][1] if number < len(self._moments) else None

    def answer(self, number: int, kind: str, words: str) -> int | None:
        """Do what a form of the visit's n-th page asks; the number of the page it leads to.

        Args:
            number: Of the page in the visit, from 0.
            kind: `search` or `click`.
            words: What is searched for or clicked on.
        """
        if number >= len(self._moments):
            return None
        self.stand_at(number)
        call = self._shop.parse(f"{kind}[{words}]")
        if not isinstance(call, Call):
            return number
        outcome = self._shop._step(call)
        if not outcome.valid:
            return number
        self._outcomes.append(outcome)
        self._moments.append((copy_state(self._shop._state), outcome.text))
        return len(self._moments) - 1

    def stand_at(self, number: int) -> None:
        """Put the shop in text where it was at the visit's n-th page."""
        self._shop._state = copy_state(self._moments[number][0])

    def take_outcomes(self) -> list[Outcome]:
        """What was done since the last call."""
        done, self._outcomes = self._outcomes, []
        return done


class WebShopBrowserEnv(BrowserEnv):
    """Buy the product that fits an instruction, on the shop's web site.

    **Description.** The shop of `AgentGym/WebShop-v1` as a site (Starlette), served inside the browser: 14,400
    generated products, a search box, pages of results, product pages with options and sub-pages. Each page has an
    address of its own, so `back` works.

    **Observation, actions.** See `BrowserEnv`.

    **Reward.** As in `AgentGym/WebShop-v1`: paid once, at the purchase, with the same terms in `info["metrics"]`;
    success is a reward of 1. Stopping without a purchase pays nothing. The episode ends after 40 turns.

    **Splits.** `train` is that of `AgentGym/WebShop-v1`; `val` and `test` are the first 50 goals of its panels.

    **Oracle, expert.** Those of `AgentGym/WebShop-v1`, whose words are turned into searches and clicks on the page.

    **Source.** WebShop (Yao et al. 2022, arXiv:2207.01206).

    Args:
        observe, picture, viewport, trace, split, max_turns, render_mode: See `BrowserEnv`.
    """

    card = WEBSHOP_BROWSER
    grammar = BrowserGrammar(RULES)
    task_schema: ClassVar[Spec] = WebShopEnv.task_schema

    def _configured(self) -> None:
        super()._configured()
        self._shop = WebShopEnv(observation_mode="html", split=self.split, max_turns=10**6)
        self._visit: Visit

    def tasks(self, split: str) -> TaskSet:
        """The shop's goals."""
        whole = self._shop.tasks(split)
        if whole.size is None:
            return whole
        return FiniteTaskSet(split, [whole[place].id for place in range(self.card.splits[split] or 0)], whole.by_id)

    def check_task(self, spec: Spec) -> None:
        """The product must be in the catalogue and offer the options."""
        self._shop.check_task(spec)

    def content_key(self, spec: Spec) -> str:  # type: ignore[override]  # the shop knows it
        """As in the shop in text."""
        return self._shop.content_key(spec)

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return str(spec["instruction"])

    def _reset(self, task: Task) -> str:
        wanted: Any = task.id if task.split == self._shop.split else dict(task.spec)
        first, _ = self._shop.reset(options={"task": wanted})
        self._visit = Visit(self._shop, first.removesuffix(f"\n{self._shop.grammar.line}"))
        return super()._reset(task)

    def _start_url(self, task: Task) -> str:
        return START

    def _sites(self, task: Task) -> Mapping[str, Site]:
        return {HOST: AppSite(build_site(self._visit.page, self._visit.answer, self._drawing))}

    def _drawing(self, asin: str) -> str | None:
        position = self._shop.catalog.position(asin)
        return None if position is None else draw_product(self._shop.catalog.get(position))

    def _judge(self, call: Call, outcome: Outcome) -> Outcome:
        done = self._visit.take_outcomes()
        outcome.events = [*outcome.events, *(event for each in done for event in each.events if event["type"] in TOLD)]
        bought = next((each for each in done if each.terminated), None)
        if bought is not None:
            outcome.reward, outcome.success, outcome.metrics = bought.reward, bought.success, bought.metrics
            outcome.progress = bought.progress
        outcome.terminated = bought is not None or call.name in ("stop", "infeasible")
        return outcome

    # Players: those of the shop in text, in the browser's words.

    def in_own_words(self, action: str) -> str:
        """The next action of this world towards a search or a click of the shop in text."""
        return self._in_browser(action)

    def _stand(self) -> None:
        """Put the shop in text where the browser is."""
        match = re.search(r"/visit/(\d+)", self.context.active.url)
        number = int(match[1]) if match else 0
        self._visit.stand_at(number)

    def _oracle(self) -> str:
        self._stand()
        return self._in_browser(self._shop._oracle())

    def _expert(self) -> str:
        self._stand()
        # The expert buys in time: what is one turn in text, a search above all, takes up to three here.
        self._shop._turn = self._shop.max_turns - (self.max_turns - self.turn) // 2
        return self._in_browser(self._shop._expert())

    def _in_browser(self, action: str) -> str:
        kind, words = action[:-1].split("[", 1)
        if kind == "click":
            return f"click [{next(filter(None, (self._find(role, words) for role in CLICKED)), 0)}]"
        box = self._find("searchbox", "")
        if not box:
            return f"click [{self._find('button', 'back to search')}]"
        held = next(line for _, line, _, _ in self._seen.lines if line.startswith(f"[{box}] "))
        return f"press [{box}] Enter" if "value=" in held else f'fill [{box}] "{words}"'

    def _find(self, role: str, name: str) -> int:
        """The number of the element of a role whose name is this, whatever the case; 0 if there is none."""
        for _, line, _, _ in self._seen.lines:
            match = re.match(rf'\[(\d+)\] {role} "((?:[^"\\]|\\.)*)"', line)
            if match and (not name or " ".join(match[2].lower().split()) == name):
                return int(match[1])
        return 0
