"""MiniWoB++ in a real browser: 130 small web pages, and generated forms, each by name and seed."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any, ClassVar

from agentgym.core.errors import ConfigError, EngineFailure, TaskError
from agentgym.core.generated import object_schema
from agentgym.core.grammar import Call
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task, TaskSet
from agentgym.core.text import clean
from agentgym.envs.web import MINIWOB
from agentgym.envs.web._browser.actions import go
from agentgym.envs.web._browser.context import MOST_EPISODES
from agentgym.envs.web._browser.context_pool import return_context, take_context
from agentgym.envs.web._browser.env import OPENING, BrowserEnv, BrowserState
from agentgym.envs.web._browser.grammar import BrowserGrammar
from agentgym.envs.web._browser.reading import Reading
from agentgym.envs.web._miniwob.episode import BARE, PROBE, RELOADED, SPANS, begin_episode, utterance
from agentgym.envs.web._miniwob.oracle import next_action
from agentgym.envs.web._miniwob.pages import FORM, HOST, address, form_names, page_names, pages_site
from agentgym.envs.web._miniwob.panels import STEPS, make_task, panel
from agentgym.envs.web._miniwob.scoring import solved

BROWSERGYM = "browsergym"  # the split that is as in that package
DROPPED = ("goto", "back", "forward", "new_tab", "switch_tab", "close_tab", "upload", "stop", "infeasible")
RULES = (
    "A small page shows a task in its yellow box. Do what it asks; the page itself decides when it is done, and a "
    "wrong final click fails."
)


class MiniWoBEnv(BrowserEnv):
    """One MiniWoB++ page.

    **Description.** The pages of the package `miniwob`, unchanged, in a browser: clicking, typing, forms, dates,
    sliders, drawing, e-mail, search, booking; and forms generated after QWeb with 5 to 100 controls
    (`generated-form-40`). There is no timer: the page's clock moves a second with each action (0.4 s on stock-market,
    whose price must be caught). Rewards, timer and cover are not on the page the agent sees.

    **Observation.** The instruction, and the page as an outline with element numbers; see `BrowserEnv`.

    **Actions.** Those of `BrowserEnv` inside the page: click, fill, type, press, select, check, hover, scroll, drag,
    and places in pixels.

    **Reward.** The page's raw reward, -1 to 1, once at the end, never scaled by time; also in
    `metrics["raw_reward"]`. Success is a full solution: a raw reward of 1, or at least 0.9 on pages that measure a
    distance. Partial and shaping rewards (0.1 for a wrong card in find-greatest) are no success. Running out of turns
    pays nothing.

    **Splits.** A task is a page and a seed, which the page's generator gets as MiniWoB++ gives it. `val` has one task
    of each of the 125 registered pages and 6 forms, `test` two; `train` is endless over the other seeds. Seeds without
    a solution are left out. `browsergym` is the benchmark of that package, task by task: five seeds of each registered
    page, 10 turns, every raw reward above 0 a success, tasks without a solution among them. A page with little chance
    in it looks alike under many seeds. `options={"task": {"page": ..., "seed": ...}}` plays any page with any seed,
    also the five that MiniWoB++ does not register because they are judged by the clock (hover-shape cannot be won at
    all).

    **Curriculum.** `options={"filled": 0.5}` begins a generated form with half of the wanted fields already right; at 1
    only the button is left to press.

    **Oracle.** A scripted player for every page of the panels, which reads the document.

    **Source.** World of Bits (Shi et al. 2017), MiniWoB++ (Liu et al. 2018, arXiv:1802.08802), BrowserGym
    (arXiv:2412.05467), QWeb (Gur et al. 2019, arXiv:1812.09195).

    Args:
        observe: `outline`, `text` or `dom`.
        picture: What `rgb_array` shows: `page` or `marks`.
        viewport: Width and height in pixels; the task area is 160 x 210.
        split: `train`, `val`, `test` or `browsergym`.
        max_turns: Turn limit in place of 40, or of 10 in `browsergym`.
        render_mode: `ansi`, `rgb_array` or None.
    """

    card = MINIWOB
    grammar = BrowserGrammar(RULES, DROPPED)
    reset_options = frozenset({"filled"})
    default_viewport = (332, 320)
    task_schema: ClassVar[Spec] = object_schema(
        {"page": {"type": "string"}, "seed": {"type": "integer", "minimum": 0, "maximum": 10**15}}
    )
    probe = PROBE
    hide = BARE

    def tasks(self, split: str) -> TaskSet:
        """The tasks of a split: pages with seeds."""
        return panel(split)

    def check_task(self, spec: Spec) -> None:
        """Refuse a page that does not exist."""
        if spec["page"] not in (*page_names(), *form_names()):
            raise TaskError(f"MiniWoB++ has no page {str(spec['page'])[:60]!r}; pages are named as in the package")

    def _turn_limit(self, task: Task) -> int:
        return STEPS if task.split == BROWSERGYM else super()._turn_limit(task)

    def _kind(self, spec: Spec) -> str:
        """The page."""
        return str(spec["page"])

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return make_task(f"{spec['page']}/{spec['seed']}", "custom").instruction

    def _sites(self, task: Task) -> Mapping[str, Any]:
        return {HOST: pages_site()}

    def _start_url(self, task: Task) -> str:
        return address(str(task.spec["page"]))

    def _reset(self, task: Task) -> str:
        filled = self.options.get("filled")
        if filled is not None:
            if not str(task.spec["page"]).startswith(FORM):
                raise ConfigError("the option 'filled' begins generated forms; the page of this task is none")
            if not isinstance(filled, (int, float)) or not 0 <= filled <= 1:
                raise ConfigError(f"the option 'filled' is a share from 0 to 1, got {filled!r}")
        self._state = BrowserState()
        self._open(task)
        view = self._look()
        self.context.take_log()
        self._reword(clean(self._goal(task)) or task.instruction)
        return f"{self.task.instruction}\n{view}"

    def _goal(self, task: Task) -> str:
        """What the page asks for: as it shows it, or in the benchmark as it says it, colours and icons by name."""
        if task.split != BROWSERGYM or self._seen.asks:
            return str(self._seen.probe["query"])
        return utterance(self.context)

    def _open(self, task: Task) -> None:
        """Have the page in front as if it had just been loaded; it is loaded only where it must be."""
        page = str(task.spec["page"])
        context = self._context
        if context is None or context.broken or not context.wire.alive or context.served >= MOST_EPISODES:
            self._leave()
            context = self._context = take_context(hosts=(), sites=self._sites(task), viewport=self.viewport, seed=1)
            self._release = weakref.finalize(self, return_context, context)
        context.served += 1
        context.let_go()
        if context.shown != page or page in RELOADED or self.config.observe == "dom":
            context.shown = ""
            context.active.park_mouse()
            context.active.wait_for_frame()
            go(context, self._start_url(task))
            if not context.wait_for_quiet(OPENING):
                raise EngineFailure(f"the page {page} did not load")
            context.shown = page
        options = {"filled": self.options["filled"]} if self.options else {}
        begin_episode(context, int(task.spec["seed"]), options)

    def _span(self) -> int:
        return SPANS.get(str(self.task.spec["page"]), super()._span())

    def _header(self, reading: Reading) -> str:
        return ""  # neither the page's name nor its address is part of the task

    def _judge(self, call: Call, outcome: Outcome) -> Outcome:
        raw = self._seen.probe["raw"]
        if raw is None:
            return outcome
        outcome.reward = float(raw)
        outcome.terminated = True
        outcome.success = solved(str(self.task.spec["page"]), outcome.reward, self.task.split == BROWSERGYM)
        outcome.metrics = {"raw_reward": outcome.reward}
        return outcome

    def _oracle(self) -> str:
        return next_action(self.context.active, str(self.task.spec["page"]), self.task.instruction, self._state.did)
