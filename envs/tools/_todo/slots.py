"""The arguments of questions about an account: how each is written, read and drawn; and what programs look up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

import numpy as np

from agentgym.envs._kit.tools import Book, Program, Slot, Unfit, one, pick
from agentgym.envs.tools._todo.account import Desk
from agentgym.envs.tools._todo.words import SPOTS

NAME, PERSON, DAY, COUNT = '[^"]+', r"\w+ \w+", r"\d{4}-\d\d-\d\d", r"\d+"
DESCRIBED = re.compile(
    r"Place: (?P<spot>[^,]+), (?P<city>[^.]+)\. Contact: (?P<person>[^.]+)\. Bring: (?P<item>[^.]+)\."
)
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
Row = dict[str, Any]


def _project(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    return pick(rng, [each.name for each in desk.all_projects() if each.name != said.get("project")])


def _task(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    """A task, of the project that was named before if one was."""
    within = {each.id for each in desk.all_projects() if said.get("project") in (None, each.name)}
    other = said.get("task")
    return pick(rng, [task.content for task in desk.all_tasks() if task.project_id in within and task.content != other])


def _section(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    (project,) = [each for each in desk.all_projects() if each.name == said["project"]]
    return pick(rng, [name for _, name in project.sections if name != said.get("section")])


def _label(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    return pick(rng, [label for label in desk.account.labels if label != said.get("label")])


def _person(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    return pick(rng, desk.account.people)


def _day(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> str:
    """A day when things are due; one named before comes earlier."""
    first = date.fromisoformat(said["day"]) if "day" in said else date.fromisoformat(desk.account.today)
    return (first + timedelta(days=int(rng.integers(2, 14)))).isoformat()


def _number(low: int, high: int, step: int = 1) -> Slot:
    return Slot(COUNT, int, lambda rng, desk, said: step * int(rng.integers(low, high + 1)))


SLOTS: Mapping[str, Slot] = {
    "project": Slot(NAME, str, _project),
    "other_project": Slot(NAME, str, _project),
    "task": Slot(NAME, str, _task),
    "other_task": Slot(NAME, str, _task),
    "section": Slot(NAME, str, _section),
    "other_section": Slot(NAME, str, _section),
    "label": Slot(NAME, str, _label),
    "other_label": Slot(NAME, str, _label),
    "person": Slot(PERSON, str, _person),
    "spot": Slot(NAME, str, lambda rng, desk, said: pick(rng, SPOTS)),
    "day": Slot(DAY, str, _day),
    "last_day": Slot(DAY, str, _day),
    "priority": _number(1, 4),
    "days": _number(2, 14),
    "minutes": _number(5, 24, 5),
    "rank": Slot("|".join(NUMBERS), str, lambda rng, desk, said: NUMBERS[int(rng.integers(3))]),
    "title": Slot(NAME, str, lambda rng, desk, said: f"Call {_person(rng, desk, said)} about the {_thing(rng, desk)}"),
}
BOOK = Book(SLOTS)


def _thing(rng: np.random.Generator, desk: Desk) -> str:
    return str(pick(rng, [task.content for task in desk.all_tasks()])).partition(" the ")[2]


# What programs look up. Each yields the calls it needs and returns what it found.


def project(name: str) -> Program:
    """The project of a name."""
    return one([each for each in (yield ("get_projects", {})) if each["name"] == name])


def tasks(name: str) -> Program:
    """The tasks of the project of a name."""
    found = yield from project(name)
    return (yield ("get_tasks", {"project_id": found["id"]}))


def all_tasks() -> Program:
    """The tasks of all projects, each with the name of its project."""
    found: list[Row] = []
    for each in (yield ("get_projects", {})):
        rows = yield ("get_tasks", {"project_id": each["id"]})
        found += [{**row, "project": each["name"]} for row in rows]
    return found


def find(content: str) -> Program:
    """The task of a name, looked for project by project."""
    for each in (yield ("get_projects", {})):
        for row in (yield ("get_tasks", {"project_id": each["id"]})):
            if row["content"] == content:
                return {**row, "project": each["name"]}
    raise Unfit


def sections(name: str) -> Program:
    """Section name by id, in the project of a name."""
    found = yield from project(name)
    return {each["id"]: each["name"] for each in (yield ("get_sections", {"project_id": found["id"]}))}


def section_tasks(name: str, section: str) -> Program:
    """The tasks of one section, done ones too: `name` is that of the project, `section` that of the section in it."""
    known = yield from sections(name)
    return [row for row in (yield from tasks(name)) if known[row["section_id"]] == section]


def today() -> Program:
    """The current date."""
    return date.fromisoformat((yield ("get_user_current_date", {})))


def minutes(row: Row) -> Program:
    """How long a task takes."""
    return int((yield ("get_task_duration", {"task_id": row["id"]}))["duration"].partition("(")[0])


def facts(row: Row) -> Program:
    """What the description of a task says: `spot`, `city`, `person`, `item`."""
    match = DESCRIBED.fullmatch((yield ("get_task_description", {"task_id": row["id"]}))["description"])
    if match is None:
        raise Unfit
    return match.groupdict()


# What they do with it.


def is_open(rows: Iterable[Row]) -> list[Row]:
    """The tasks that are not completed."""
    return [row for row in rows if not row["is_completed"]]


def labelled(rows: Iterable[Row], label: str) -> list[Row]:
    """Those of `rows`, tasks as get_tasks lists them, that have `label` among their labels."""
    return [row for row in rows if label in row["labels"]]


def names(rows: Iterable[Row]) -> list[str]:
    """Names of tasks."""
    return [row["content"] for row in rows]


def due(row: Row) -> date:
    """The due date of a task."""
    return date.fromisoformat(row["due_date"])


def later(day: date, days: int) -> str:
    """The date that many `days` after `day`, before it if they are negative, in words of the tools: YYYY-MM-DD."""
    return (day + timedelta(days=days)).isoformat()


def with_or_without_article(name: str) -> tuple[str, ...]:
    """The ways to write a name: what is to be brought is a thing, such as "a torch" or "the contract"."""
    return (name, name.removeprefix("a ").removeprefix("the "))


def update(row: Row, **changes: Any) -> tuple[str, Row]:
    """The call that changes the task `row`: `changes` are its new values by field."""
    return ("update_task", {"task_id": row["id"], **changes})
