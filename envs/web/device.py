"""Phone and Desktop: tasks on a mock phone and a mock desktop computer of our own, judged from their database."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from agentgym.core.checks import check_chosen
from agentgym.core.generated import checked, object_schema
from agentgym.core.grammar import Call
from agentgym.core.outcome import Outcome
from agentgym.core.rng import stream
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Spec, Task
from agentgym.envs.web import DESKTOP, PHONE
from agentgym.envs.web._browser.env import BrowserConfig, BrowserEnv, BrowserState
from agentgym.envs.web._browser.grammar import BrowserGrammar
from agentgym.envs.web._browser.site import Site
from agentgym.envs.web._device.day_tasks import TEMPLATES as OF_DAYS
from agentgym.envs.web._device.drafts import Ask, click, record
from agentgym.envs.web._device.joint_tasks import TEMPLATES as JOINT
from agentgym.envs.web._device.judge import GOALS, Tables, Verdict, compare
from agentgym.envs.web._device.paper_tasks import TEMPLATES as OF_PAPERS
from agentgym.envs.web._device.people_tasks import TEMPLATES as OF_PEOPLE
from agentgym.envs.web._device.proposer import device_proposer
from agentgym.envs.web._device.setting_tasks import TEMPLATES as OF_SETTINGS
from agentgym.envs.web._device.shortcuts import SHORTCUTS, app_named, commonest
from agentgym.envs.web._device.step_judge import device_judge
from agentgym.envs.web._sites.annotate import page_annotator
from agentgym.envs.web._sites.application import SiteApplication
from agentgym.envs.web._sites.database import Store
from agentgym.envs.web._sites.device.content import OWNERS, original
from agentgym.envs.web._sites.device.screens import APPS
from agentgym.envs.web._sites.device.shells import build_desktop, build_phone
from agentgym.envs.web._sites.plans import Step, described, in_words, next_step, reached

__all__ = ["DesktopEnv", "DeviceConfig", "DeviceEnv", "PhoneEnv", "device_judge", "device_proposer", "page_annotator"]

TEMPLATES = (*OF_SETTINGS, *OF_PEOPLE, *OF_DAYS, *OF_PAPERS, *JOINT)
NAMES = tuple(f"{template.__module__.rpartition('.')[2]}.{template.__name__}" for template in TEMPLATES)
REMEMBERED = 400  # train tasks whose answers the shortcut knows
WAYS = 6  # a multiple of how many ways a template has to say its task
NO_BROWSER = ("goto", "back", "forward", "new_tab", "switch_tab", "close_tab", "upload")
SCHEMA: dict[str, Any] = object_schema(
    {
        "template": {"type": "string"},
        "owner": {"type": "integer", "minimum": 0, "maximum": OWNERS - 1},
        "instruction": {"type": "string", "minLength": 1},
        "answer": {"type": "string"},
        "goals": GOALS,
        "plan": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "array", "minItems": 2, "items": {"type": "string"}},
        },
    }
)


def check_apps(name: str, value: Any) -> tuple[str, ...]:
    """Apps of a device; see `check_chosen`.

    Args:
        name: Of the option.
        value: What was given for it.
    """
    return check_chosen(name, value, APPS, "app of a device")


@dataclass(frozen=True)
class DeviceConfig(BrowserConfig):
    """Keyword arguments of `DeviceEnv`."""

    apps: tuple[str, ...] = checked(APPS, check_apps)


@dataclass
class DeviceState(BrowserState):
    """As in every browser world, and the actions by the names of their elements."""

    steps: list[list[str]] = field(default_factory=list)


class DeviceEnv(BrowserEnv):
    """A device with apps; a subclass says which, and how its apps are opened."""

    config: DeviceConfig = DeviceConfig()
    still = True
    task_schema: ClassVar[Spec] = SCHEMA
    host: ClassVar[str]
    _state: DeviceState

    @staticmethod
    def generate(config: Any, rng: np.random.Generator) -> Spec:
        """A task of one of the templates, on the device of one of the owners, in one of its phrasings.

        Args:
            config: Has the apps that it may need.
            rng: Draws all of these, and what fills the template, until there is one.
        """
        while True:
            number, owner = int(rng.integers(len(TEMPLATES))), int(rng.integers(OWNERS))
            draft = TEMPLATES[number](Ask(rng, owner))
            spec = record(NAMES[number], owner, draft, int(rng.integers(WAYS)), int(rng.integers(10)))
            if {step[1] for step in spec["plan"] if step[0] == "open"} <= set(config.apps):
                return spec

    @staticmethod
    def content_key(spec: Spec) -> str:
        """What is asked for, however it is phrased."""
        return fingerprint([spec["template"], spec["owner"], spec["answer"], spec["goals"], spec["plan"]])

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return str(spec["instruction"])

    @abstractmethod
    def _build(self, owner: int) -> SiteApplication:
        """The device of an owner."""

    @abstractmethod
    def _opening(self, app: str) -> list[Step]:
        """Steps that open an app from anywhere."""

    def _kind(self, spec: Spec) -> str:
        return str(spec["template"])

    def _start_url(self, task: Task) -> str:
        return f"http://{self.host}/"

    def _sites(self, task: Task) -> Mapping[str, Site]:
        return {self.host: self._device}

    def _reset(self, task: Task) -> str:
        self._device = self._build(int(task.spec["owner"]))
        self._compared: tuple[int, Verdict] | None = None  # after how many changes, and what was found
        text = super()._reset(task)
        self._state = DeviceState(**vars(self._state))
        return text

    def _step(self, call: Call) -> Outcome:
        before = self._lines()
        outcome = super()._step(call)
        if outcome.valid and call.name != "several":  # its calls have come here one by one
            self._state.steps.append(described(call, before))
        if outcome.valid and not outcome.terminated:
            outcome.progress = self._share_done()
        return outcome

    def _share_done(self) -> float:
        """Share of the way to the end: by the steps that lead there, or by what has changed, whichever is further."""
        plan, goals = self._plan(), self.task.spec["goals"]
        way = reached(plan, self._state.steps)
        if not goals:
            return way / len(plan)
        verdict = self._verdict()
        made = max(0, verdict.met - verdict.stray) / len(goals)
        return max(way, made * (len(plan) - 1)) / len(plan)  # what is left then is to stop

    def _verdict(self) -> Verdict:
        """How the device differs from what it was; compared anew after a change alone, since it takes milliseconds."""
        spec, writes = self.task.spec, self._device.store.writes
        if self._compared is None or self._compared[0] != writes:
            verdict = compare(_before(int(spec["owner"])), self._device.state(), spec["goals"])
            self._compared = writes, verdict
        return self._compared[1]

    def _judge(self, call: Call, outcome: Outcome) -> Outcome:
        if call.name in ("stop", "infeasible"):
            spec, verdict = self.task.spec, self._verdict()
            said = " ".join(str(call.slots.get("answer", "")).split()).lower()
            right = said == spec["answer"].lower() or not spec["answer"]
            outcome.terminated = True
            outcome.success = call.name == "stop" and right and verdict.met == len(spec["goals"]) and not verdict.stray
            outcome.reward = float(outcome.success)
            goals = max(1, len(spec["goals"]))
            outcome.metrics = {"goals": verdict.met / goals, "stray": float(verdict.stray), "answer": float(right)}
        return outcome

    def _lines(self) -> Sequence[str]:
        return [line for _, line, _, _ in self._seen.lines]

    def _plan(self) -> list[Step]:
        """Steps that do the task, the last of which is to stop."""
        plan = [
            step
            for each in self.task.spec["plan"]
            for step in (self._opening(each[1]) if each[0] == "open" else [each])
        ]
        return plan if plan[-1][0] == "stop" else [*plan, ["stop", ""]]

    def _oracle(self) -> str:
        return in_words(next_step(self._plan(), self._state.steps), self._lines())

    def _reference(self) -> Any:
        """The right answer and what must have changed, by change and table, whose names are no secrets."""
        goals: dict[str, list[dict[str, Any]]] = {}
        for goal in self.task.spec["goals"]:
            goals.setdefault(f"{goal['change']} {goal['table']}", []).append({"id": goal["id"], "has": goal["has"]})
        return {"answer": self.task.spec["answer"], "goals": goals}

    def _shortcut(self, name: str) -> str:
        usual = _usual() if name == "usual answer" else {}
        opening = self._opening(app_named(self.task.instruction))[-1]
        return SHORTCUTS[name](self.task.instruction, self._lines(), self._state.steps, usual, opening)


class PhoneEnv(DeviceEnv):
    """Tasks on a mock phone with seven apps, in a real browser.

    **Description.** A phone of somebody: settings (30 of them, Wi-Fi networks, Bluetooth devices, apps with
    permissions), files (240 in 19 folders, with a bin), messages (56 conversations), calendar (260 events, some of them
    invitations), contacts (140), clock (alarms, timers, world clock) and notes (64, with lists). A home screen opens
    the apps, which fill the screen one at a time; the keys below go back, home, and to the apps used last. There are
    eight owners with contents of their own, generated from a seed; each episode has a copy of its own.

    **Observation, actions.** See `BrowserEnv`; there is no address bar, and there are no tabs. The task ends with
    `stop [answer]`.

    **Tasks.** Templates over one to three apps, each in several wordings and ten frames. The judge compares the
    device's database with what it was: every change that is asked for, and no other. Answers are exact.

    **Reward.** 1 at the end if the task is done (success), otherwise 0. At the end `info["metrics"]` has the share of
    the wanted changes that were made (`goals`), how many were made that nobody asked for (`stray`), and whether the
    answer is right (`answer`).

    **Progress.** The share of the way to the end: of the oracle's steps those that were done last, or of the wanted
    changes those that are made, less those that nobody asked for, whichever is further. A step that leads away lets it
    fall. On `test` it is told at the end alone.

    **Splits.** Generated; `val` and `test` are fixed.

    **Oracle.** Knows what to fill in; finds elements by their names.

    **Shortcuts.** Players that look once, or not at all (`card.shortcuts`).

    **Source.** AndroidWorld (Rawles et al. 2024, arXiv:2405.14573) for the form of the tasks, judged from the state of
    the device; the apps and their contents are our own.

    Args:
        apps: The apps that tasks need, such as `Clock` and `Notes`; by default each of those named above. All are
            there to be opened. With fewer, panels are other tasks of as many seeds.
        observe, picture, viewport, trace, split, max_turns, render_mode: See `BrowserEnv`.
    """

    card = PHONE
    task_stream = 31
    host = "phone.test"
    default_viewport = (412, 860)
    grammar = BrowserGrammar(
        "You use a phone. Its keys at the bottom go back, home, and to the apps used last.", NO_BROWSER
    )

    def _build(self, owner: int) -> SiteApplication:
        return build_phone(owner)

    def _opening(self, app: str) -> list[Step]:
        return [click("button", "Home"), click("link", app)]


class DesktopEnv(DeviceEnv):
    """Tasks on a mock desktop computer with seven apps in windows, in a real browser.

    **Description.** The apps and contents of `Phone-v0`, each app in a window that can be minimized, maximized, closed
    and brought to the front, over a desktop with icons, a menu and a taskbar. A window that covers another hides what
    is below: that cannot be clicked before its window is in front.

    **Observation, actions, tasks, reward, progress.** As in `Phone-v0`.

    **Splits.** Generated; `val` and `test` are fixed, and are not those of `Phone-v0`.

    **Oracle, shortcuts.** As in `Phone-v0`.

    **Source.** OSWorld (Xie et al. 2024, arXiv:2404.07972) for the form of the tasks, judged from the state of the
    computer; the apps and their contents are our own.

    Args:
        apps: As in `Phone-v0`.
        observe, picture, viewport, trace, split, max_turns, render_mode: See `BrowserEnv`.
    """

    card = DESKTOP
    task_stream = 32
    host = "desktop.test"
    grammar = BrowserGrammar(
        "You use a computer. Icons and the menu open apps in windows; the taskbar brings a window to the front.",
        NO_BROWSER,
    )

    def _build(self, owner: int) -> SiteApplication:
        return build_desktop(owner)

    def _opening(self, app: str) -> list[Step]:
        return [click("button", "Show desktop"), click("link", app)]


@lru_cache(maxsize=OWNERS)
def _before(owner: int) -> Tables:
    """What the device of an owner knows when an episode begins."""
    return Store(original(owner)).tables()


@lru_cache(maxsize=1)
def _usual() -> Mapping[str, str]:
    """What tasks like those of train are answered with most often."""
    return commonest(
        DeviceEnv.generate(DeviceConfig(), stream("web.device.usual", number)) for number in range(REMEMBERED)
    )
