"""WebSuite: tasks on a forum, a code host, a tracker, a shop and a map of our own, judged as WebArena's are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from agentgym.core.checks import check_chosen
from agentgym.core.generated import checked
from agentgym.core.grammar import Call
from agentgym.core.outcome import Outcome
from agentgym.core.rng import stream
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Spec, Task
from agentgym.envs.web import WEB_SUITE
from agentgym.envs.web._browser.context import Context
from agentgym.envs.web._browser.env import BrowserConfig, BrowserState
from agentgym.envs.web._browser.site import Site
from agentgym.envs.web._sites.annotate import page_annotator
from agentgym.envs.web._sites.atlas.app import build_map
from agentgym.envs.web._sites.backoffice.app import build_backoffice
from agentgym.envs.web._sites.forge.app import build_forge
from agentgym.envs.web._sites.forum.app import build_forum
from agentgym.envs.web._sites.plans import described, in_words, next_step
from agentgym.envs.web._sites.shop.app import build_shop, new_store
from agentgym.envs.web._sites.tracker.app import build_tracker
from agentgym.envs.web._suite.drafts import ACCOUNTS, SITES, Ask, record
from agentgym.envs.web._suite.forge_tasks import TEMPLATES as OF_FORGE
from agentgym.envs.web._suite.forum_tasks import TEMPLATES as OF_FORUM
from agentgym.envs.web._suite.map_tasks import TEMPLATES as OF_MAP
from agentgym.envs.web._suite.office_questions import TEMPLATES as ASKED_OF_OFFICE
from agentgym.envs.web._suite.office_tasks import TEMPLATES as OF_OFFICE
from agentgym.envs.web._suite.shop_tasks import TEMPLATES as OF_SHOP
from agentgym.envs.web._suite.shortcuts import SHORTCUTS, commonest
from agentgym.envs.web._suite.tracker_questions import TEMPLATES as ASKED_OF_TRACKER
from agentgym.envs.web._suite.tracker_tasks import TEMPLATES as OF_TRACKER
from agentgym.envs.web._webarena.evaluators import Rules
from agentgym.envs.web._webarena.play import ConfigEnv
from agentgym.envs.web._webarena.storage import sign_in

__all__ = ["SuiteConfig", "SuiteState", "WebSuiteEnv", "page_annotator"]

TEMPLATES = (
    *OF_FORUM, *OF_FORGE, *ASKED_OF_TRACKER, *OF_TRACKER, *OF_SHOP, *ASKED_OF_OFFICE, *OF_OFFICE, *OF_MAP,
)  # fmt: skip
NAMES = tuple(f"{template.__module__.rpartition('.')[2]}.{template.__name__}" for template in TEMPLATES)
STRICT = Rules(strict=True)
REMEMBERED = 400  # train tasks whose answers the shortcut knows


def check_sites(name: str, value: Any) -> tuple[str, ...]:
    """Sites of the suite; see `check_chosen`.

    Args:
        name: Of the option.
        value: What was given for it.
    """
    return check_chosen(name, value, tuple(SITES), "site of WebSuite")


@dataclass(frozen=True)
class SuiteConfig(BrowserConfig):
    """Keyword arguments of `WebSuiteEnv`."""

    sites: tuple[str, ...] = checked(tuple(SITES), check_sites)


@dataclass
class SuiteState(BrowserState):
    """As in every browser world, and the actions by the names of their elements."""

    steps: list[list[str]] = field(default_factory=list)


class WebSuiteEnv(ConfigEnv):
    """Tasks on sites of our own: a forum, a host of code, a project tracker, a shop with its administration, a map.

    **Description.** A forum (http://forum.test: 36 boards, 20,000 posts and replies, 700 accounts, search, messages,
    moderation), a code host (http://forge.test: 200 projects with files, commits, issues, merge requests, wikis,
    members and settings), a project tracker (http://tracker.test: 40 projects with 8,000 tickets, boards, sprints,
    versions, reports, a query language and four roles) and a shop (http://shop.test: 5,000 products with reviews,
    search with filters, cart, coupons, checkout, orders and returns) with its administration (http://backoffice.test:
    orders, invoices, shipments, products, customers, reviews, promotions, reports and five roles, over the same
    database) and a map (http://map.test: 20 towns with 2,500 places, opening hours, search, ways by car, bicycle and
    on foot, lists) run inside this process. The agent is signed in to all, as `plainwalnut`, `walnut`, `heron`,
    `emma.lind`, `otto.berg` and `lark`. Each episode has a copy of its own of all that they know.

    **Observation, actions.** See `BrowserEnv`; the task ends with `stop [answer]` or `infeasible [reason]`.

    **Tasks.** Templates of information, navigation, content and configuration, some on two sites, each in ten
    phrasings, in WebArena's format, judged by the same evaluators in their strict form: addresses must be equal, and an
    answer is exactly the one that the site gives.

    **Reward.** 1 at the end if the task is done (success), otherwise 0.

    **Splits.** Generated; `val` and `test` are fixed.

    **Oracle.** Knows the address of the page and what to fill in there.

    **Shortcuts.** Players that look once, or not at all, and say what such answers look like (`card.shortcuts`).

    **Source.** WebArena (Zhou et al. 2024, arXiv:2307.13854) for the form of the tasks and the kinds of sites.

    Args:
        sites: The sites that tasks are about, from `forum`, `forge`, `tracker`, `shop`, `backoffice` and `map`; a task
            on two needs both here. All are there to be visited. With fewer, panels are other tasks of as many seeds.
        observe, picture, viewport, trace, split, max_turns, render_mode: See `BrowserEnv`.
    """

    card = WEB_SUITE
    config: SuiteConfig = SuiteConfig()
    still = True
    task_stream = 21
    _state: SuiteState

    @staticmethod
    def generate(config: Any, rng: np.random.Generator) -> Spec:
        """A task of one of the templates, in one of its phrasings; `rng` draws again until `config` has its sites."""
        while True:
            number = int(rng.integers(len(TEMPLATES)))
            spec = record(NAMES[number], NAMES, TEMPLATES[number](Ask(rng)), int(rng.integers(10)))
            if set(spec["sites"]) <= set(config.sites):
                return spec

    @staticmethod
    def content_key(spec: Spec) -> str:
        """What is asked for, however it is phrased."""
        return fingerprint([spec["intent_template"], spec["eval"], spec["start_url"], spec["plan"]])

    def _rules(self) -> Rules:
        return STRICT

    def _kind(self, spec: Spec) -> str:
        return str(spec["intent_template"])

    def _reset(self, task: Task) -> str:
        store = new_store()
        self._given = {
            "forum.test": build_forum(), "forge.test": build_forge(), "tracker.test": build_tracker(),
            "shop.test": build_shop(store), "backoffice.test": build_backoffice(store), "map.test": build_map(),
        }  # fmt: skip
        text = super()._reset(task)
        self._state = SuiteState(**vars(self._state))
        return text

    def _sites(self, task: Task) -> Mapping[str, Site]:
        return self._given

    def _furnish(self, context: Context, task: Task) -> None:
        cookies = [{"name": "session", "value": value, "domain": host, "path": "/"} for host, value in ACCOUNTS.items()]
        sign_in(context, {"cookies": cookies})

    def _step(self, call: Call) -> Outcome:
        before = [line for _, line, _, _ in self._seen.lines]
        outcome = super()._step(call)
        if outcome.valid and call.name != "several":  # its calls have come here one by one
            self._state.steps.append(described(call, before))
        return outcome

    def _oracle(self) -> str:
        lines = [line for _, line, _, _ in self._seen.lines]
        return in_words(next_step(self.task.spec["plan"], self._state.steps), lines)

    def _shortcut(self, name: str) -> str:
        lines = [line for _, line, _, _ in self._seen.lines]
        start = self._start_url(self.task)
        usual = _usual() if name == "usual answer" else {}
        return SHORTCUTS[name](self.task.instruction, lines, self._state.steps, usual, start)


@lru_cache(maxsize=1)
def _usual() -> Mapping[str, str]:
    """What tasks like those of train are answered with most often."""
    drawn = (WebSuiteEnv.generate(SuiteConfig(), stream("web.suite.usual", number)) for number in range(REMEMBERED))
    return commonest(drawn)
