"""What the project tracker holds when an episode begins: 40 projects with 8,000 tickets."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from agentgym.envs.web._sites.database import ago, insert_rows, open_database, read_words
from agentgym.envs.web._sites.dice import Dice
from agentgym.envs.web._sites.tracker.history import Counts, Project, write_tickets

TICKETS, USERS = 8_000, 150
VISITOR = "heron"  # whose account the agent uses; its id is 1
PASSWORD = "correct-horse-7"
MONDAY = date(2026, 3, 9)  # when the active sprints began
FORTNIGHT = timedelta(days=14)
VISITOR_ROLES = ("Administrator",) * 5 + ("Lead",) * 4 + ("Developer",) * 7 + ("Reporter",) * 5
WORKING_STATES = ("In progress", "In review", "Testing")


@dataclass
class _Team:
    """Who works on a project: ids, the lead first, and the role of each."""

    people: list[int]
    roles: dict[int, str]


def words() -> dict[str, Any]:
    """The project tracker's word lists."""
    return read_words(__package__)


def _users(dice: Dice, base: sqlite3.Connection) -> list[str]:
    given = words()
    names = [*given["birds"], *(f"{color}-{bird}" for color in given["colors"] for bird in given["birds"])][:USERS]
    insert_rows(
        base,
        "users",
        (
            (number, name, PASSWORD, ago(dice.between(900, 2900) * 1440)[:10],
             f"Works on {dice.pick(given['components'])}.",
             f"{name}@tracker.example", dice.pick(given["teams"]), dice.pick(given["zones"]), "Everything")
            for number, name in enumerate(names, 1)
        ),
    )  # fmt: skip
    return names


def _team(dice: Dice, own: str) -> _Team:
    people = dice.some(range(2, USERS + 1), dice.between(6, 12))
    roles = {one: "Developer" if dice.chance(70) else "Reporter" for one in people}
    roles |= {people[0]: "Lead", people[1]: "Administrator", people[2]: "Developer"}
    if own:
        people.append(1)
        roles[1] = own
    return _Team(people, roles)


def _sprints(dice: Dice, base: sqlite3.Connection, project: Project, counts: Counts) -> None:
    """Fortnights: those that are over, the active one, and two that are planned."""
    past = dice.between(5, min(12, project.age // 1440 // 14 - 2))
    rows = []
    for place in range(-past, 3):
        begins = MONDAY + place * FORTNIGHT
        state = "closed" if place < 0 else "future" if place else "active"
        counts.sprints += 1
        project.sprints[place] = counts.sprints
        dates = ("", "") if place > 0 else (begins.isoformat(), (begins + timedelta(days=11)).isoformat())
        name, goal = f"{project.key} Sprint {place + past + 1}", project.fill(dice.pick(words()["goals"]))
        rows.append((counts.sprints, project.number, name, goal, state, *dates))
    insert_rows(base, "sprints", rows)


def _parts(dice: Dice, base: sqlite3.Connection, project: Project, counts: Counts) -> None:
    """Components, versions and the limits of the board."""
    given, number = words(), project.number
    for name in sorted(dice.some(given["components"], dice.between(3, 6))):
        counts.components += 1
        project.components.append(counts.components)
        insert_rows(base, "components", [(counts.components, number, name, dice.pick(project.team))])
    released = sorted(dice.between(10, 180) for _ in given["released"])[::-1]
    rows = []
    for name, days in zip(given["released"], released, strict=True):
        counts.versions += 1
        project.released.append((days * 1440, counts.versions))
        day = ago(days * 1440)[:10]
        rows.append((counts.versions, number, name, day, "released", day))
    due = 0
    for name in given["coming"]:
        counts.versions += 1
        due += dice.between(20, 70)
        project.coming.append(counts.versions)
        rows.append((counts.versions, number, name, ago(-due * 1440)[:10], "unreleased", ""))
    insert_rows(base, "versions", rows)
    insert_rows(base, "limits", ((number, state, dice.between(6, 14)) for state in WORKING_STATES))


def _projects(dice: Dice, base: sqlite3.Connection, names: list[str], counts: Counts) -> list[Project]:
    given, made = words(), []
    own = dict(zip(dice.some(range(1, len(given["projects"]) + 1), len(VISITOR_ROLES)), VISITOR_ROLES, strict=True))
    others = dice.some([number for number in range(1, len(given["projects"]) + 1) if number not in own], 2)
    private = {*others, *(number for number, role in own.items() if role in ("Lead", "Reporter") and dice.chance(30))}
    for number, (key, name, category) in enumerate(given["projects"], 1):
        team = _team(dice, own.get(number, ""))
        developers = [one for one in team.people if team.roles[one] != "Reporter"]
        project = Project(dice, number, key, given["parts"][category], team.people, developers, names)
        insert_rows(
            base,
            "projects",
            [
                (number, key, name, project.fill(dice.pick(given["descriptions"])), category,
                 "Kanban" if dice.chance(25) else "Scrum", "Private" if number in private else "Public",
                 team.people[0], dice.pick(("Nobody", "Project lead")), ago(project.age)[:10], 0)
            ],
        )  # fmt: skip
        since = {one: ago(dice.below(project.age))[:10] for one in team.people}
        insert_rows(base, "members", ((number, one, team.roles[one], since[one]) for one in team.people))
        _parts(dice, base, project, counts)
        if base.execute("SELECT method FROM projects WHERE id = ?", (number,)).fetchone()[0] == "Scrum":
            _sprints(dice, base, project, counts)
        made.append(project)
    return made


def _shares(dice: Dice, count: int) -> Sequence[int]:
    """How many tickets each project has."""
    weights = [dice.between(60, 140) for _ in range(count)]
    shares = [TICKETS * weight // sum(weights) for weight in weights]
    shares[0] += TICKETS - sum(shares)
    return shares


def _filters(dice: Dice, base: sqlite3.Connection, projects: list[Project]) -> None:
    rows: list[tuple[Any, ...]] = []
    for number, (name, query) in enumerate(words()["filters"], 1):
        owner = 1 if number <= 4 else dice.between(2, USERS)
        rows.append((len(rows) + 1, owner, name, query, int(number > 4), ago(dice.below(300 * 1440))[:10]))
    for project in projects:
        name, query = dice.pick(words()["filters"])
        owner, moment = dice.pick(project.team), ago(dice.below(300 * 1440))[:10]
        rows.append((len(rows) + 1, owner, f"{project.key}: {name}", f"project = {project.key} AND {query}", 1, moment))
    insert_rows(base, "filters", rows)


@lru_cache(maxsize=2)
def original(seed: int = 0) -> sqlite3.Connection:
    """The project tracker's database as every episode finds it; to be copied, never changed."""
    base = open_database(__package__)
    dice = Dice("web.sites.tracker", seed)
    names, counts = _users(dice, base), Counts()
    projects = _projects(dice, base, names, counts)
    for project, share in zip(projects, _shares(dice, len(projects)), strict=True):
        write_tickets(dice, base, project, share, counts)
    _filters(dice, base, projects)
    base.commit()
    return base
