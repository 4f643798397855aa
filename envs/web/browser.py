"""Any web site as a world: tasks from a file, in a real browser, judged by rules."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from agentgym.core.checks import check_model
from agentgym.core.errors import ConfigError, DataError, TaskError
from agentgym.core.generated import checked, object_schema, path_to
from agentgym.core.grammar import Call
from agentgym.core.outcome import Outcome
from agentgym.core.schema import violation
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, TaskSet, cut_by_hash
from agentgym.core.text_model import TextModel
from agentgym.envs.web import BROWSER
from agentgym.envs.web._browser.actions import Refused, address, go
from agentgym.envs.web._browser.credentials import Credentials, check_credentials
from agentgym.envs.web._browser.env import OPENING, BrowserConfig, BrowserEnv
from agentgym.envs.web._browser.judge import CHECKS, Evidence, ModelJudge, OutcomeJudge, RuleJudge
from agentgym.envs.web._browser.propose import ModelProposer, RuleProposer, Sketch, TaskProposer, explore
from agentgym.envs.web._browser.reading import found_texts, shown_text
from agentgym.envs.web._browser.site import FolderSite, PageSite, Request, Response, Site, Telling

__all__ = [
    "BrowserEnv", "Evidence", "FolderSite", "ModelJudge", "ModelProposer", "OutcomeJudge", "PageSite", "Request",
    "Response", "RuleJudge", "RuleProposer", "Site", "Sketch", "StartPageEnv", "TaskProposer", "Telling", "explore",
]  # fmt: skip

TASK: dict[str, Any] = object_schema(
    {
        "start_url": {"type": "string"},
        "instruction": {"type": "string"},
        "checks": {"type": "array", "items": CHECKS},
    }
)
FILE: dict[str, Any] = object_schema(
    {
        "hosts": {"type": "array", "items": {"type": "string"}},
        "folders": {"type": "object"},
        "uploads": {"type": "object"},
        "tasks": {"type": "array", "items": {"type": "object"}, "minItems": 1},
    },
    optional=["hosts", "folders", "uploads"],
)


def check_judge(name: str, value: Any) -> OutcomeJudge:
    """`value` if it is a judge of outcomes.

    Args:
        name: What the value is called.
        value: What was given.
    """
    if not hasattr(value, "judge"):
        raise ConfigError(f"{name} must be a judge with judge(evidence), or None, got {value!r}")
    judge: OutcomeJudge = value
    return judge


@dataclass(frozen=True)
class StartPageConfig(BrowserConfig):
    """The keyword arguments of `StartPageEnv`."""

    tasks: Path = path_to("a task file", required=True, shapes_tasks=False)
    judge: OutcomeJudge | None = checked(None, check_judge, shapes_tasks=False)
    model: TextModel | None = checked(None, check_model, shapes_tasks=False)
    credentials: Credentials | None = checked(None, check_credentials, shapes_tasks=False)


class StartPageEnv(BrowserEnv):
    """Tasks on web sites of your own, from any start page.

    **Description.** The agent starts on a page, works in a real browser, and ends the task with `stop [answer]` or
    `infeasible [reason]`. The sites are hosts on the network, folders of files served inside the browser, or both;
    nothing else can be reached.

    **Observation, actions.** See `BrowserEnv`; the manual lists the actions.

    **Reward.** 1 if the judge finds the task done when the agent stops, otherwise 0. The judge is `RuleJudge` over the
    task's checks, unless another is given.

    **Task file.** JSON: `{"hosts": ["localhost:8000"], "folders": {"shop.test": "pages"}, "uploads": {"a.txt": "text"},
    "tasks": [{"id": "1", "start_url": "http://shop.test/", "instruction": "...", "checks": [{"answer": "42"}]}]}`.
    Folders are relative to the file. For the kinds of check see `RuleJudge`.

    **Splits.** Each task's own `"split"` (`train`, `val` or `test`), or, if no task has one, the tasks in the order of
    a stable hash of their ids, cut 80/10/10.

    **Source.** WebArena (Zhou et al. 2024, arXiv:2307.13854) for the form of tasks and checks.

    Args:
        tasks: Path of a task file.
        judge: Decides in place of the tasks' checks.
        model: Compares answers with the right ones in checks of the kind `answer_fuzzy`.
        credentials: Name and password for hosts that ask for them by HTTP, such as
            `{"shop.example": ["ann", "..."]}`; the agent is told neither.
        observe, picture, viewport, trace, split, max_turns, render_mode: See `BrowserEnv`.

    Raises:
        DataError: if the task file is missing or not as described.
    """

    card = BROWSER
    config: StartPageConfig = StartPageConfig(tasks=Path("tasks.json"))
    task_schema: ClassVar[Spec] = TASK
    _events: list[Mapping[str, Any]]

    def _configured(self) -> None:
        super()._configured()
        self._book = load_tasks(str(self.config.tasks.resolve()))

    def tasks(self, split: str) -> TaskSet:
        """The tasks of a split."""
        return self._book.panel(split)

    def check_task(self, spec: Spec) -> None:
        """Refuse a start page that could not be opened."""
        self._book.check(spec)

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return str(spec["instruction"]) or "Look around."

    def _hosts(self, task: Task) -> Sequence[str]:
        return self._book.hosts

    def _sites(self, task: Task) -> Mapping[str, Site]:
        return self._book.sites

    def _files(self, task: Task) -> Mapping[str, bytes]:
        return self._book.uploads

    def _credentials(self, task: Task) -> Mapping[str, tuple[str, str]]:
        return self.config.credentials or {}

    def _start_url(self, task: Task) -> str:
        return str(task.spec["start_url"])

    def _reset(self, task: Task) -> str:
        self._events = []
        return super()._reset(task)

    def _judge(self, call: Call, outcome: Outcome) -> Outcome:
        self._events += outcome.events
        if call.name in ("stop", "infeasible"):
            outcome.terminated = True
            outcome.success = self._decide(call)
            outcome.reward = float(outcome.success)
        return outcome

    def _decide(self, call: Call) -> bool:
        tab = self.context.active
        evidence = Evidence(
            instruction=self.task.instruction,
            answer=str(call.slots.get("answer", "")),
            infeasible=call.name == "infeasible",
            url=tab.url,
            text=shown_text(tab),
            events=tuple(self._events),
            actions=tuple(self._state.did),
            look=self._look_at,
            states={host: site.state() for host, site in self._book.sites.items() if isinstance(site, Telling)},
        )
        judge = self.config.judge or RuleJudge(self.task.spec["checks"], self.config.model)
        return judge.judge(evidence)

    def _look_at(self, url: str, selector: str, attribute: str) -> Sequence[str]:
        """What a selector finds on the last page, or on that of an address, opened in a tab of its own."""
        context = self.context
        if not url:
            return found_texts(context.active, selector, attribute)
        before = context.active
        tab = context.open_tab()
        try:
            go(context, address(context, url))
            context.wait_for_quiet(OPENING)
            return found_texts(tab, selector, attribute)
        except Refused:
            return []  # an address that is not allowed here shows nothing
        finally:
            context.close_tab()
            context.show(before)


class TaskBook:
    """A task file, read and checked."""

    def __init__(self, path: Path):
        data = _read(path)
        self.hosts: tuple[str, ...] = tuple(data.get("hosts", ()))
        self.sites: dict[str, Site] = {}
        for host, folder in data.get("folders", {}).items():
            if not (path.parent / folder).is_dir():
                raise DataError(
                    f"{path}: the folder {folder!r} of {host} does not exist; give one relative to the file"
                )
            self.sites[host] = FolderSite(path.parent / folder)
        self.uploads = {name: str(text).encode() for name, text in data.get("uploads", {}).items()}
        self._specs: dict[str, Spec] = {}
        for place, entry in enumerate(data["tasks"]):
            spec = {key: value for key, value in entry.items() if key not in ("id", "split")}
            wrong = violation(spec, TASK, where=f"task {place}")
            if wrong or not isinstance(entry.get("id"), str) or entry["id"] in self._specs:
                raise DataError(f"{path}: {wrong or f'task {place} needs an id of its own, a text'}")
            self._specs[entry["id"]] = spec
            self.check(spec)
        self._cut = _cut(path, data["tasks"])

    def check(self, spec: Spec) -> None:
        """Refuse a start page whose host is neither allowed nor served."""
        from agentgym.envs.web._browser.hosts import HostList

        allowed = HostList([*self.hosts, *self.sites])
        if not allowed.allows(str(spec["start_url"])):
            raise TaskError(f"the start page {str(spec['start_url'])[:80]!r} is not on an allowed host: {allowed}")

    def panel(self, split: str) -> TaskSet:
        """The tasks of a split."""

        def make(task_id: str) -> Task:
            spec = self._specs[task_id]
            return Task(task_id, split, str(spec["instruction"]) or "Look around.", spec)

        return FiniteTaskSet(split, self._cut[split], make)


def _cut(path: Path, entries: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The ids of each split."""
    said = [entry.get("split") for entry in entries]
    if not any(said):
        return cut_by_hash([entry["id"] for entry in entries], {"train": 0.8, "val": 0.1, "test": 0.1})
    cut: dict[str, list[str]] = {"train": [], "val": [], "test": []}
    for entry in entries:
        if entry.get("split") not in cut:
            raise DataError(f"{path}: task {entry['id']!r} must say its split (train, val or test), as others do")
        cut[entry["split"]].append(entry["id"])
    return cut


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf8"))
    except OSError as error:
        raise DataError(
            f"the task file {path} cannot be read ({error.strerror}); give the path of a JSON file"
        ) from None
    except ValueError as error:
        raise DataError(f"the task file {path} is no JSON ({error})") from None
    wrong = violation(data, FILE, where="the task file")
    if wrong:
        raise DataError(f"{path}: {wrong}")
    return dict(data)


@lru_cache(maxsize=8)
def load_tasks(path: str) -> TaskBook:
    """A task file; read once."""
    return TaskBook(Path(path))
