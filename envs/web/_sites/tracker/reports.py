"""Reports of the project tracker: burndown, velocity, created and resolved, workload, time."""

from __future__ import annotations

from datetime import date, timedelta

from agentgym.envs.web._sites.application import Answer, Routes, SiteApplication, Visit, missing, show
from agentgym.envs.web._sites.tracker.access import TICKETS, Found, in_project

REPORTS = {"velocity": "Velocity", "created": "Created and resolved", "workload": "Workload", "time": "Time tracking",
           "age": "Age of open tickets"}  # fmt: skip
MONTHS = ("2025-10", "2025-11", "2025-12", "2026-01", "2026-02", "2026-03")
AGES = ((30, "less than 30 days"), (90, "30 to 89 days"), (180, "90 to 179 days"), (9999, "180 days and more"))
Rows = list[tuple[object, ...]]


def burndown(begins: str, ends: str, tickets: list[tuple[int, str]], today: str) -> Rows:
    """Points that are left at the end of each day of a sprint, and those of a steady pace.

    Args:
        begins, ends: Its first and last day.
        tickets: Points of each, and when it was resolved; empty if it is not.
        today: Days after it are left out.
    """
    first, last = date.fromisoformat(begins), date.fromisoformat(ends)
    total, days = sum(points for points, _ in tickets), (last - first).days
    rows: Rows = []
    for place in range(days + 1):
        day = (first + timedelta(days=place)).isoformat()
        if day > today:
            break
        done = [points for points, resolved in tickets if resolved and resolved[:10] <= day]
        steady = total * (days - place) / max(days, 1)
        rows.append((day, total - sum(done), f"{steady:.1f}", len(done)))
    return rows


def _sprint(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    store = site.store
    sprint = store.one("SELECT * FROM sprints WHERE project = ? AND id = ?", found.row["id"], visit.path["number"])
    if sprint is None:
        return missing("sprint")
    rows = store.all(f"{TICKETS} WHERE tickets.sprint = ? ORDER BY tickets.number", sprint["id"])
    last = sprint["ends"] or "9999"
    in_time = [row for row in rows if row["resolved"] and row["resolved"][:10] <= last]
    table = []
    if sprint["begins"]:
        given = [(row["points"], row["resolved"]) for row in rows]
        table = burndown(sprint["begins"], sprint["ends"], given, store.now[:10])
    known = {row["id"] for row in in_time}
    left = [row for row in rows if row["id"] not in known]
    coming = found.names("sprints", "state = 'future'")
    total, reached = (sum(row["points"] for row in some) for some in (rows, in_time))
    return show("sprint", sprint=sprint, table=table, done=in_time, left=left, coming=coming, total=total,
                reached=reached, **found.values)  # fmt: skip


def _velocity(site: SiteApplication, found: Found) -> tuple[tuple[str, ...], Rows]:
    rows = site.store.all(
        "SELECT sprints.name, sprints.ends, (SELECT coalesce(sum(points), 0) FROM tickets WHERE sprint = sprints.id) "
        "AS planned, (SELECT coalesce(sum(points), 0) FROM tickets WHERE sprint = sprints.id AND resolved != '' AND "
        "substr(resolved, 1, 10) <= sprints.ends) AS reached FROM sprints WHERE project = ? AND state = 'closed' "
        "ORDER BY sprints.id", found.row["id"]
    )  # fmt: skip
    return ("Sprint", "Ended", "Points planned", "Points completed"), [tuple(row) for row in rows]


def _created(site: SiteApplication, found: Found) -> tuple[tuple[str, ...], Rows]:
    query = "SELECT count(*) FROM tickets WHERE project = ? AND substr({}, 1, 7) = ?"
    rows: Rows = []
    for month in MONTHS:
        made, ended = (site.store.value(query.format(what), found.row["id"], month) for what in ("created", "resolved"))
        rows.append((month, made, ended, made - ended))
    return ("Month", "Created", "Resolved", "Difference"), rows


def _workload(site: SiteApplication, found: Found) -> tuple[tuple[str, ...], Rows]:
    rows = site.store.all(
        "SELECT coalesce(users.name, 'nobody') AS name, count(*), sum(points), sum(estimate) FROM tickets LEFT JOIN "
        "users ON users.id = assignee WHERE project = ? AND resolution = '' GROUP BY users.name ORDER BY "
        "count(*) DESC, name",
        found.row["id"],
    )
    return ("Assignee", "Open tickets", "Points", "Estimated hours"), [tuple(row) for row in rows]


def _time(site: SiteApplication, found: Found) -> tuple[tuple[str, ...], Rows]:
    rows = site.store.all(
        "SELECT users.name, count(DISTINCT ticket), sum(hours), max(day) FROM work JOIN users ON users.id = author "
        "JOIN tickets ON tickets.id = ticket WHERE project = ? GROUP BY users.name ORDER BY sum(hours) DESC, "
        "users.name",
        found.row["id"],
    )
    return ("Account", "Tickets", "Logged hours", "Last day"), [tuple(row) for row in rows]


def _age(site: SiteApplication, found: Found) -> tuple[tuple[str, ...], Rows]:
    today = date.fromisoformat(site.store.now[:10])
    rows = site.store.all("SELECT created FROM tickets WHERE project = ? AND resolution = ''", found.row["id"])
    ages = [(today - date.fromisoformat(row["created"][:10])).days for row in rows]
    counts = [sum(age < most for age in ages) for most, _ in AGES]
    return ("Age", "Open tickets"), [
        (name, count - before) for (_, name), count, before in zip(AGES, counts, [0, *counts], strict=False)
    ]


TABLES = {"velocity": _velocity, "created": _created, "workload": _workload, "time": _time, "age": _age}


def _report(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    name = visit.path["report"]
    if name not in TABLES:
        return missing("report")
    head, rows = TABLES[name](site, found)
    return show("report", name=name, title=REPORTS[name], head=head, rows=rows, **found.values)


def _reports(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    sprints = site.store.all(
        "SELECT * FROM sprints WHERE project = ? AND state != 'future' ORDER BY id DESC", found.row["id"]
    )
    return show("reports", reports=REPORTS, sprints=sprints, **found.values)


P = "/p/{key}"
ROUTES: Routes = [
    ("GET", P + "/sprints/{number:int}", in_project(_sprint)),
    ("GET", P + "/reports", in_project(_reports)),
    ("GET", P + "/reports/{report}", in_project(_report)),
]
