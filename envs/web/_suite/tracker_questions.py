"""Templates over the project tracker that ask for information, or for a page."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote_plus

from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._sites.tracker.access import JOINED, TICKETS
from agentgym.envs.web._sites.tracker.history import PRIORITIES, TYPES
from agentgym.envs.web._sites.tracker.query import quoted, read_query
from agentgym.envs.web._sites.tracker.reports import REPORTS, burndown
from agentgym.envs.web._suite.drafts import TRACKER, Ask, Draft, Template, answer, place

SEES = "(projects.visibility = 'Public' OR projects.id IN (SELECT project FROM members WHERE user = 1))"
NOW = "2026-03-14"


def ticket(ask: Ask, where: str, *given: Any) -> tuple[Row, str, str]:
    """A ticket that the visitor may see, the way to it, and its words.

    Args:
        ask: What is drawn from.
        where: A condition on `JOINED`.
        given: What the condition asks for.
    """
    query = f"SELECT tickets.id FROM {JOINED} WHERE {SEES} AND ({where}) ORDER BY tickets.id"
    chosen = ask.row(ask.tracker, query, *given)["id"]
    row = ask.row(ask.tracker, f"{TICKETS} WHERE tickets.id = ?", chosen)
    return row, f"{TRACKER}/browse/{row['name']}", f"the ticket {row['name']}"


def project(ask: Ask, where: str = "1") -> tuple[Row, str, str]:
    """A project that the visitor may see, the way to it, and its words.

    Args:
        ask: What is drawn from.
        where: A condition on `projects`.
    """
    row = ask.row(ask.tracker, "SELECT projects.*, users.name AS lead_name FROM projects JOIN users ON users.id = lead "
                  f"WHERE {SEES} AND ({where}) ORDER BY projects.id")  # fmt: skip
    return row, f"{TRACKER}/p/{row['key']}", f"the project {row['name']}"


def sprint(ask: Ask, state: str, where: str = "1") -> tuple[Row, str]:
    """A sprint of a state with its project's name and key, and the way to it.

    Args:
        ask: What is drawn from.
        state: Of the sprint.
        where: A condition on `projects`.
    """
    row = ask.row(ask.tracker, "SELECT sprints.*, projects.name AS project_name, projects.key FROM sprints JOIN "
                  f"projects ON projects.id = project WHERE {SEES} AND sprints.state = ? AND ({where}) ORDER BY "
                  "sprints.id", state)  # fmt: skip
    return row, f"{TRACKER}/p/{row['key']}/sprints/{row['id']}"


def _search(query: str) -> str:
    return f"{TRACKER}/search?query={quote_plus(query)}"


def _count(ask: Ask, query: str) -> int:
    """How many tickets the visitor finds with a query."""
    read = read_query(query, "heron")
    found = ask.tracker.value(f"SELECT count(*) FROM {JOINED} WHERE {SEES} AND ({read.where})", *read.given)
    return int(found)


def assignee(ask: Ask) -> Draft:
    """Who works on a ticket."""
    row, way, words = ticket(ask, "tickets.assignee != 0")
    return answer(TRACKER, way, f"the account that {words} is assigned to", row["assignee_name"], "name")


def reporter(ask: Ask) -> Draft:
    """Who reported a ticket."""
    row, way, words = ticket(ask, "1")
    return answer(TRACKER, way, f"the account that reported {words}", row["reporter_name"], "name")


def detail(ask: Ask) -> Draft:
    """A field of a ticket."""
    key, column, told = ask.pick((("type", "type", "word"), ("priority", "priority", "word"),
                                  ("state", "state", "word"), ("version", "version_name", "word"),
                                  ("component", "component_name", "word"), ("resolution", "resolution", "word"),
                                  ("due date", "due", "date")))  # fmt: skip
    given = {"version": "tickets.version != 0", "component": "tickets.component != 0", "due date": "tickets.due != ''",
             "resolution": "tickets.resolution != ''"}  # fmt: skip
    row, way, words = ticket(ask, given.get(key, "1"))
    return answer(TRACKER, way, f"the {key} of {words}", row[column], told)


def logged(ask: Ask) -> Draft:
    """How long people worked on a ticket."""
    row, way, words = ticket(ask, "tickets.id IN (SELECT ticket FROM work)")
    hours = ask.tracker.value("SELECT sum(hours) FROM work WHERE ticket = ?", row["id"])
    return answer(TRACKER, way, f"the number of hours that are logged on {words}", hours, "number")


def watchers(ask: Ask) -> Draft:
    """How many people watch a ticket."""
    row, way, words = ticket(ask, "1")
    count = ask.tracker.value("SELECT count(*) FROM watchers WHERE ticket = ?", row["id"])
    return answer(TRACKER, way, f"the number of accounts that watch {words}", count, "number")


def last_comment(ask: Ask) -> Draft:
    """Who wrote the last comment."""
    row, way, words = ticket(ask, "(SELECT count(*) FROM comments WHERE ticket = tickets.id) > 1")
    name = ask.tracker.value("SELECT name FROM comments JOIN users ON users.id = author WHERE ticket = ? ORDER BY "
                             "created DESC, comments.id DESC", row["id"])  # fmt: skip
    return answer(TRACKER, way, f"the account that wrote the last comment on {words}", name, "name")


def moved_by(ask: Ask) -> Draft:
    """When a ticket came into a state."""
    state = ask.pick(("In progress", "In review", "Testing", "Done"))
    query = "SELECT {} FROM changes WHERE ticket = {} AND field = 'state' AND after = ?"
    row, way, words = ticket(ask, f"({query.format('count(*)', 'tickets.id')}) = 1", state)
    moment = ask.tracker.value(query.format("created", "?1").replace("after = ?", "after = ?2"), row["id"], state)
    return answer(TRACKER, way, f"the day on which the state of {words} became {state}", moment[:10], "day")


def blocker(ask: Ask) -> Draft:
    """What blocks a ticket."""
    test = "(SELECT count(*) FROM links WHERE target = tickets.id AND kind = 'blocks') = 1"
    row, way, words = ticket(ask, test)
    source = ask.tracker.value("SELECT source FROM links WHERE target = ? AND kind = 'blocks'", row["id"])
    name = ask.tracker.value(f"SELECT projects.key || '-' || tickets.number FROM {JOINED} WHERE tickets.id = ?", source)
    return answer(TRACKER, way, f"the ticket that blocks {words}", name, "key")


def epic(ask: Ask) -> Draft:
    """The epic of a ticket."""
    row, way, words = ticket(ask, "parents.type = 'Epic'")
    return answer(TRACKER, way, f"the epic that {words} is part of", row["parent_name"], "key")


def leads(ask: Ask) -> Draft:
    """Who leads a project."""
    row, way, words = project(ask)
    return answer(TRACKER, way, f"the account that leads {words} in the project tracker", row["lead_name"], "name")


def role(ask: Ask) -> Draft:
    """The role of a member."""
    row, way, words = project(ask)
    one = ask.row(ask.tracker, "SELECT name, role FROM members JOIN users ON users.id = user WHERE project = ? "
                  "ORDER BY users.id", row["id"])  # fmt: skip
    return answer(TRACKER, f"{way}/members", f"the role of {one['name']} in {words}", one["role"],
                  "word")  # fmt: skip


def version_due(ask: Ask) -> Draft:
    """When a version is due."""
    row, way, words = project(ask)
    one = ask.row(
        ask.tracker, "SELECT * FROM versions WHERE project = ? AND state = 'unreleased' ORDER BY id", row["id"]
    )
    return answer(TRACKER, f"{way}/versions", f"the date on which version {one['name']} of {words} "
                  "is due", one["due"], "date")  # fmt: skip


def open_of_kind(ask: Ask) -> Draft:
    """How many tickets of a kind are open."""
    row, _, words = project(ask)
    kind, priority = ask.pick(TYPES[:4]), ask.pick(PRIORITIES)
    query = f"project = {row['key']} AND type = {kind} AND priority = {priority} AND resolution is empty"
    asked = f"the number of unresolved tickets of the type {kind} and the priority {priority} in {words}"
    return answer(TRACKER, _search(query), asked, _count(ask, query), "number")


def overdue(ask: Ask) -> Draft:
    """How many tickets of somebody, or of a label, are late."""
    row, _, words = project(ask)
    query = f"project = {row['key']} AND due < {NOW} AND resolution is empty"
    asked = f"the number of unresolved tickets of {words} that were due before {NOW}"
    return answer(TRACKER, _search(query), asked, _count(ask, query), "number")


def labelled(ask: Ask) -> Draft:
    """How many tickets have a label."""
    row, _, words = project(ask)
    label = ask.row(ask.tracker, "SELECT DISTINCT label FROM labels ORDER BY label")["label"]
    query = f"project = {row['key']} AND label = {quoted(label)}"
    asked = f"the number of tickets, resolved or not, with the label {label} in {words}"
    return answer(TRACKER, _search(query), asked, _count(ask, query), "number")


def oldest(ask: Ask) -> Draft:
    """The oldest open ticket of a priority."""
    priority = ask.pick(PRIORITIES)
    has = f"SELECT project FROM tickets WHERE priority = '{priority}' AND resolution = '' AND type = 'Bug'"
    row, _, words = project(ask, f"projects.id IN ({has})")
    found = ask.tracker.one(f"{TICKETS} WHERE tickets.project = ? AND tickets.priority = ? AND tickets.type = 'Bug' "
                            "AND tickets.resolution = '' ORDER BY tickets.created, tickets.id", row["id"],
                            priority)  # fmt: skip
    assert found is not None
    query = f"project = {row['key']} AND type = Bug AND priority = {priority} AND resolution is empty ORDER BY created"
    asked = f"the unresolved bug of the priority {priority} in {words} that was created first"
    return answer(TRACKER, _search(query), asked, found["name"], "key")


def reached(ask: Ask) -> Draft:
    """The points that were completed in a sprint."""
    row, way = sprint(ask, "closed")
    points = ask.tracker.value("SELECT coalesce(sum(points), 0) FROM tickets WHERE sprint = ? AND resolved != '' AND "
                               "substr(resolved, 1, 10) <= ?", row["id"], row["ends"])  # fmt: skip
    asked = f"the number of points that were completed in the sprint {row['name']} of the project {row['project_name']}"
    return answer(TRACKER, way, asked, points, "number")


def left(ask: Ask) -> Draft:
    """A day of a burndown."""
    row, way = sprint(ask, "closed")
    tickets = ask.tracker.all("SELECT points, resolved FROM tickets WHERE sprint = ?", row["id"])
    table = burndown(row["begins"], row["ends"], [(one["points"], one["resolved"]) for one in tickets], NOW)
    day, points, *_ = ask.pick(table[1:-1])
    asked = f"the number of points that were left at the end of {day} by the burndown of the sprint {row['name']}"
    return answer(TRACKER, way, f"{asked} of the project {row['project_name']}", points, "number")


def busiest(ask: Ask) -> Draft:
    """Who has the most open tickets."""
    row, way, words = project(ask)
    counts = ask.tracker.all("SELECT users.name, count(*) AS n FROM tickets JOIN users ON users.id = assignee WHERE "
                             "project = ? AND resolution = '' GROUP BY users.name ORDER BY n DESC",
                             row["id"])  # fmt: skip
    if len(counts) < 2 or counts[0]["n"] == counts[1]["n"]:
        return leads(ask)
    asked = f"the account with the most open tickets in {words} of the project tracker"
    return answer(TRACKER, f"{way}/reports/workload", asked, counts[0]["name"], "name")


def resolved_in(ask: Ask) -> Draft:
    """How many tickets were resolved in a month."""
    row, way, words = project(ask)
    month = ask.pick(("2025-11", "2025-12", "2026-01", "2026-02"))
    count = ask.tracker.value("SELECT count(*) FROM tickets WHERE project = ? AND substr(resolved, 1, 7) = "
                              "?", row["id"],
                              month)  # fmt: skip
    asked = f"the number of tickets of {words} that were resolved in {month}"
    return answer(TRACKER, f"{way}/reports/created", asked, count, "number")


def hours_of(ask: Ask) -> Draft:
    """How long somebody worked for a project."""
    row, way, words = project(ask)
    one = ask.row(ask.tracker, "SELECT users.name, sum(hours) AS n FROM work JOIN users ON users.id = author JOIN "
                  "tickets ON tickets.id = ticket WHERE project = ? GROUP BY users.name ORDER BY users.name",
                  row["id"])  # fmt: skip
    asked = f"the number of hours that {one['name']} has logged in {words} of the project tracker"
    return answer(TRACKER, f"{way}/reports/time", asked, one["n"], "number")


def open_ticket(ask: Ask) -> Draft:
    """The page of a ticket of which the title is known."""
    alone = "NOT EXISTS (SELECT 1 FROM tickets AS other WHERE other.title = tickets.title AND other.project = " \
            "tickets.project AND other.id != tickets.id)"  # fmt: skip
    row, way, _ = ticket(ask, alone)
    return place(TRACKER, way, f"the ticket “{row['title']}” of the project {row['project_name']}")


def open_report(ask: Ask) -> Draft:
    """A report."""
    _, way, words = project(ask)
    name, title = ask.pick(list(REPORTS.items()))
    return place(TRACKER, f"{way}/reports/{name}", f"the report “{title}” of {words} in the project tracker")


def open_sprint(ask: Ask) -> Draft:
    """The page of a sprint."""
    row, way = sprint(ask, ask.pick(("closed", "active", "future")))
    return place(TRACKER, way, f"the page of the sprint {row['name']} of the project {row['project_name']}")


def open_board(ask: Ask) -> Draft:
    """A board with the tickets of one member."""
    row, way, words = project(ask)
    one = ask.row(ask.tracker, "SELECT name FROM members JOIN users ON users.id = user WHERE project = ? AND role != "
                  "'Reporter' ORDER BY users.id", row["id"])["name"]  # fmt: skip
    return place(TRACKER, f"{way}/board?assignee={one}", f"the board of {words} with the tickets of {one} only")


def open_version(ask: Ask) -> Draft:
    """The page of a version."""
    row, way, words = project(ask)
    one = ask.row(ask.tracker, "SELECT * FROM versions WHERE project = ? ORDER BY id", row["id"])
    return place(TRACKER, f"{way}/versions/{one['id']}", f"the page of version {one['name']} of {words} in the project "
                 "tracker")  # fmt: skip


def open_filter(ask: Ask) -> Draft:
    """A saved filter."""
    row = ask.row(ask.tracker, "SELECT * FROM filters WHERE owner = 1 OR shared = 1 ORDER BY id")
    return place(TRACKER, f"{TRACKER}/filters/{row['id']}", f"the saved filter “{row['name']}” of the project tracker")


TEMPLATES: tuple[Template, ...] = (
    assignee, reporter, detail, logged, watchers, last_comment, moved_by, blocker, epic, leads, role, version_due,
    open_of_kind, overdue, labelled, oldest, reached, left, busiest, resolved_in, hours_of, open_ticket, open_report,
    open_sprint, open_board, open_version, open_filter,
)  # fmt: skip
