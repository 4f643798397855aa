"""Tickets of a project with what became of them: changes, comments, work, links and watchers."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import Any

from agentgym.envs.web._sites.database import ago, insert_rows, read_words
from agentgym.envs.web._sites.dice import Dice

PRIORITIES = ("Trivial", "Minor", "Major", "Critical", "Blocker")
TYPES = ("Bug", "Task", "Story", "Improvement", "Epic", "Sub-task")
STATES = ("Open", "In progress", "In review", "Testing", "Done")
POINTS = (1, 2, 3, 5, 8, 13)
SINCE_MONDAY = 5 * 1440 + 12 * 60  # minutes since the active sprints began
FORTNIGHT = 14 * 1440
SHARES = {"Bug": 34, "Task": 24, "Story": 22, "Improvement": 12, "Sub-task": 8}  # in percent; epics come apart
Row = tuple[Any, ...]


@dataclass
class Counts:
    """The last ids that were given away."""

    tickets: int = 0
    sprints: int = 0
    components: int = 0
    versions: int = 0


@dataclass
class Project:
    """A project while its content is written.

    Attributes:
        parts: What its tickets are about.
        team, developers: Ids of its members, and of those who can be given tickets.
        names: Of all accounts.
        sprints: Ids by how many fortnights they begin after the active one.
        released: Minutes since their release, and ids, of versions; the oldest first.
        coming: Ids of versions that are planned.
    """

    dice: Dice
    number: int
    key: str
    parts: list[str]
    team: list[int]
    developers: list[int]
    names: list[str]
    age: int = 0  # minutes
    sprints: dict[int, int] = field(default_factory=dict)
    components: list[int] = field(default_factory=list)
    released: list[tuple[int, int]] = field(default_factory=list)
    coming: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.age = self.dice.between(150, 420) * 1440

    def fill(self, sentence: str) -> str:
        """A sentence about the project."""
        dice = self.dice
        part, other = dice.some(self.parts, 2)
        given = {"part": part, "other": other, "n": str(dice.between(2, 95)),
                 "version": f"{dice.between(0, 2)}.{dice.between(0, 9)}",
                 "who": self.names[dice.pick(self.team) - 1]}  # fmt: skip
        for gap, value in given.items():
            sentence = sentence.replace("{" + gap + "}", value)
        return sentence[:1].upper() + sentence[1:]

    def text(self, kind: str, count: int) -> str:
        """Some different sentences of a kind.

        Args:
            kind: A key of the word lists.
            count: How many.
        """
        return " ".join(self.fill(sentence) for sentence in self.dice.some(read_words(__package__)[kind], count))


@dataclass
class Rows:
    """What is written for the tickets of a project, by table."""

    tickets: list[Row] = field(default_factory=list)
    labels: list[Row] = field(default_factory=list)
    comments: list[Row] = field(default_factory=list)
    changes: list[Row] = field(default_factory=list)
    links: list[Row] = field(default_factory=list)
    watchers: list[Row] = field(default_factory=list)
    work: list[Row] = field(default_factory=list)


@dataclass
class _Fate:
    """What became of a ticket.

    Attributes:
        created: Minutes before an episode begins, as are all moments.
        state, resolution: As they are now.
        moments: When it came into each state after the first.
    """

    created: int
    state: str
    resolution: str
    moments: list[int]

    @property
    def resolved(self) -> int:
        """When it was resolved; -1 if it is not."""
        return self.moments[-1] if self.resolution else -1


def _fate(dice: Dice, created: int, kind: str) -> _Fate:
    if dice.chance(66):
        lag = 120 + dice.skewed(min(max(created - 240, 1), 90 * 1440))
        if lag < created:
            dropped = dice.chance(16)
            resolution = dice.pick(("Won't do", "Duplicate", "Cannot reproduce" if kind == "Bug" else "Obsolete"))
            steps = 1 if dropped else dice.pick((2, 3, 4, 4))
            moments = sorted((created - dice.below(lag) for _ in range(steps - 1)), reverse=True)
            return _Fate(created, "Done", resolution if dropped else "Fixed" if kind == "Bug" else "Completed",
                         [*moments, created - lag])  # fmt: skip
    place = 0 if dice.chance(76) else dice.between(1, 3)
    moments = sorted((dice.below(min(created, 30 * 1440)) for _ in range(place)), reverse=True)
    return _Fate(created, STATES[place], "", moments)


def _sprint(dice: Dice, project: Project, fate: _Fate, kind: str) -> int:
    """The sprint of a ticket: the one in which it was resolved, sometimes the one before; 0 for none."""
    if not project.sprints or kind in ("Epic", "Sub-task"):
        return 0
    if fate.resolution:
        place = -((fate.resolved - SINCE_MONDAY + FORTNIGHT - 1) // FORTNIGHT) if fate.resolved > SINCE_MONDAY else 0
        place -= int(dice.chance(15))
    elif fate.state == "Open":
        place = dice.pick((0, 1, 1, 2)) if dice.chance(25) else 99
    else:
        place = 0
    return project.sprints.get(place, 0)


def _version(dice: Dice, project: Project, fate: _Fate) -> int:
    """The version that a ticket is part of: the first that was released after it was resolved."""
    if dice.chance(30):
        return 0
    if not fate.resolution:
        return dice.pick(project.coming)
    return next((one for since, one in project.released if since < fate.resolved), project.coming[0])


def _changes(dice: Dice, project: Project, ticket: int, fate: _Fate, assignee: int, priority: str) -> list[Row]:
    """The history of a ticket, oldest first."""
    found: list[tuple[int, int, str, str, str]] = []
    names = project.names
    actor = assignee or dice.pick(project.developers)
    if assignee and fate.created > 60:
        moment = max([*fate.moments[:1], fate.created - 30 - dice.below(min(fate.created - 40, 4000))])
        found.append((moment, dice.pick(project.team), "assignee", "", names[assignee - 1]))
    if dice.chance(15):
        before = dice.pick([one for one in PRIORITIES if one != priority])
        found.append((fate.created - dice.below(fate.created), dice.pick(project.team), "priority", before, priority))
    path = [*STATES[: len(fate.moments)], fate.state]
    found += [(moment, actor, "state", path[place], path[place + 1]) for place, moment in enumerate(fate.moments)]
    if fate.resolution:
        found.append((fate.resolved, actor, "resolution", "", fate.resolution))
    found.sort(key=lambda one: -one[0])
    return [(None, ticket, who, what, before, after, ago(moment)) for moment, who, what, before, after in found]


def _kind(dice: Dice, place: int) -> str:
    if place % 30 == 1:
        return "Epic"
    drawn, kinds = dice.below(100), list(SHARES)
    for kind in kinds:
        drawn -= SHARES[kind]
        if drawn < 0:
            return "Task" if kind == "Sub-task" and place < 10 else kind
    return kinds[0]


def _around(dice: Dice, project: Project, rows: Rows, ticket: int, fate: _Fate, people: list[int]) -> str:
    """Labels, comments, work and watchers of a ticket; when the last comment was written."""
    given = read_words(__package__)
    rows.labels += [(ticket, label) for label in sorted(dice.some(given["labels"], dice.skewed(4)))]
    moments = sorted((dice.below(fate.created) for _ in range(dice.skewed(9))), reverse=True)
    rows.comments += [(None, ticket, dice.pick(project.team), project.fill(dice.pick(given["comments"])), ago(moment))
                      for moment in moments]  # fmt: skip
    if fate.state != "Open" and people[1]:
        for _ in range(dice.below(4)):
            day = ago(fate.moments[-1] + dice.below(max(1, min(fate.created - fate.moments[-1], 20 * 1440))))[:10]
            rows.work.append((None, ticket, people[1], dice.between(1, 8), day, dice.pick(given["notes"])))
    watching = {people[0], *dice.some(project.team, dice.skewed(5))}
    rows.watchers += [(ticket, one) for one in sorted(watching)]
    return ago(moments[-1]) if moments else ""


def write_tickets(dice: Dice, base: sqlite3.Connection, project: Project, count: int, counts: Counts) -> None:
    """Fill the tables of tickets for a project.

    Args:
        dice: Chance.
        base: The database.
        project: The project, with its sprints, components and versions.
        count: How many tickets it has.
        counts: Ids.
    """
    rows, epics = Rows(), [0]
    above: list[int] = []  # what may have sub-tasks
    titles: set[str] = set()
    moments = sorted((dice.below(project.age - 300) + 200 for _ in range(count)), reverse=True)
    for number, created in enumerate(moments, 1):
        counts.tickets += 1
        ticket, kind = counts.tickets, _kind(dice, number)
        fate = _fate(dice, created, kind)
        choices = read_words(__package__)["titles"]["Task" if kind == "Sub-task" else kind]
        title = next((one for _ in range(30) if (one := project.fill(dice.pick(choices))) not in titles), "")
        titles.add(title := title or f"{project.fill(dice.pick(choices))} ({number})")
        reporter = dice.pick(project.team)
        assignee = dice.pick(project.developers) if dice.chance(70 if fate.state == "Open" else 96) else 0
        priority = PRIORITIES[min(4, dice.below(4) + dice.below(3) // 2)]
        parent = above[-1 - dice.skewed(len(above))] if kind == "Sub-task" else 0
        parent = dice.pick(epics[-4:]) if kind not in ("Epic", "Sub-task") and dice.chance(55) else parent
        if kind != "Sub-task":
            (epics if kind == "Epic" else above).append(ticket)
        changes = _changes(dice, project, ticket, fate, assignee, priority)
        last = _around(dice, project, rows, ticket, fate, [reporter, assignee])
        rows.changes += changes
        due = ago(created - dice.between(10, 120) * 1440)[:10] if dice.chance(25) else ""
        points = dice.pick(POINTS) if kind in ("Bug", "Story", "Task", "Improvement") and dice.chance(80) else 0
        rows.tickets.append((
            ticket, project.number, number, kind, title, project.text("remarks", dice.between(2, 4)), priority,
            fate.state, fate.resolution, reporter, assignee, _sprint(dice, project, fate, kind),
            _version(dice, project, fate), dice.pick([0, *project.components]), parent, points,
            dice.between(1, 12) * 2 if dice.chance(60) else 0, due, ago(created),
            max([ago(created), last, *(one[-1] for one in changes)]),
            ago(fate.resolved) if fate.resolution else "", dice.skewed(30),
        ))  # fmt: skip
        if number > 5 and dice.chance(20):
            kind = dice.pick(("blocks", "relates to", "duplicates"))
            rows.links.append((None, ticket, kind, dice.between(ticket - number + 1, ticket - 1)))
    for table, found in vars(rows).items():
        insert_rows(base, table, found)
