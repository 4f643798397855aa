"""What worlds whose tasks are written in WebArena's format share: how they begin, end and are judged."""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from agentgym.core.grammar import Call
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.web._browser.actions import go
from agentgym.envs.web._browser.dialogs import DialogOpens
from agentgym.envs.web._browser.env import OPENING, BrowserEnv
from agentgym.envs.web._webarena.configs import CONFIG, start_urls
from agentgym.envs.web._webarena.evaluators import UNACHIEVABLE, Rules, evaluate
from agentgym.envs.web._webarena.view import BrowserView


class ConfigEnv(BrowserEnv):
    """A browser world that plays records of WebArena's format; a subclass implements `_rules`."""

    task_schema: ClassVar[Spec] = CONFIG

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return str(spec["intent"])

    @abstractmethod
    def _rules(self) -> Rules:
        """How tasks are judged."""

    def _start_url(self, task: Task) -> str:
        return start_urls(task.spec)[0]

    def _open(self, task: Task) -> None:
        super()._open(task)
        for url in start_urls(task.spec)[1:]:
            with contextlib.suppress(DialogOpens):
                self.context.active.name_page()
            self.context.open_tab()
            go(self.context, url)
            self.context.wait_for_quiet(OPENING)

    def _judge(self, call: Call, outcome: Outcome) -> Outcome:
        if call.name in ("stop", "infeasible"):
            outcome.terminated = True
            outcome.success = self._decide(call)
            outcome.reward = float(outcome.success)
        return outcome

    def _decide(self, call: Call) -> bool:
        """Whether the evaluators hold; a task that can be done is not done by saying that it cannot."""
        spec = self.task.spec
        if call.name == "infeasible" and not unachievable(spec):
            return False
        answer = UNACHIEVABLE if call.name == "infeasible" else str(call.slots.get("answer", ""))
        with BrowserView(self.context) as view:
            return evaluate(spec, answer, view, self._rules())


def unachievable(spec: Mapping[str, Any]) -> bool:
    """Whether a task's right answer is that it cannot be done."""
    return (spec["eval"].get("reference_answers") or {}).get("fuzzy_match") == UNACHIEVABLE
