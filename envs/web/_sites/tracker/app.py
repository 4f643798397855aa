"""The project tracker's pages: reading. What changes something stands in `deeds` and `planning`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from agentgym.envs.web._sites.application import (
    Answer,
    Routes,
    SiteApplication,
    Visit,
    go_to,
    members_only,
    missing,
    paged,
    show,
    sign_in,
    sign_in_page,
    sign_out,
    visitor,
)
from agentgym.envs.web._sites.database import NOW, Row, Store, fresh_store
from agentgym.envs.web._sites.tracker import deeds, planning, reports
from agentgym.envs.web._sites.tracker.access import (
    ROLES,
    SEEN,
    SIZE,
    TICKETS,
    Found,
    in_project,
    listed,
    on_ticket,
    own_id,
)
from agentgym.envs.web._sites.tracker.content import original
from agentgym.envs.web._sites.tracker.history import PRIORITIES, STATES, TYPES
from agentgym.envs.web._sites.tracker.query import QueryError, quoted, read_query

HOST = "tracker.test"
CATEGORIES = ["Apps", "Commerce", "Data", "Logistics", "Operations", "Support"]
PROJECTS = f"""SELECT projects.*, users.name AS lead_name, (SELECT role FROM members WHERE project = projects.id AND
    user = ?) AS role, (SELECT count(*) FROM tickets WHERE project = projects.id AND resolution = '') AS open_count
    FROM projects JOIN users ON users.id = lead WHERE {SEEN}"""
ORDERS = {"name": "projects.name", "key": "projects.key", "newest": "projects.created DESC, projects.id",
          "open tickets": "open_count DESC, projects.id"}  # fmt: skip
CHANGES = f"""SELECT changes.*, users.name AS actor, projects.key || '-' || tickets.number AS name, tickets.title
    FROM changes JOIN users ON users.id = changes.author JOIN tickets ON tickets.id = changes.ticket
    JOIN projects ON projects.id = tickets.project WHERE {SEEN}"""
RECENT = "ORDER BY changes.created DESC, changes.id DESC LIMIT"
LATELY = f"{NOW - timedelta(days=7):%Y-%m-%d}"  # boards without sprints show what was resolved since
FIELDS = ("project", "type", "state", "priority", "assignee", "label", "text")  # of the form of filters


def build_tracker(seed: int = 0) -> SiteApplication:
    """The project tracker at the beginning of an episode."""
    given = {"types": TYPES, "priorities": PRIORITIES, "states": STATES, "roles": ROLES}
    return SiteApplication("tracker", ROUTES, fresh_store(original(seed)), given)


def _home(site: SiteApplication, visit: Visit) -> Answer:
    if visit.user is None:
        return _projects(site, visit)
    own, store = visit.user["id"], site.store
    mine = listed(store, visit, "tickets.assignee = ? AND tickets.resolution = ''",
                  "tickets.updated DESC, tickets.id DESC", own)  # fmt: skip
    filters = store.all("SELECT * FROM filters WHERE owner = ? ORDER BY id", own)
    watched = "tickets.id IN (SELECT ticket FROM watchers WHERE user = ?)"
    recent = store.all(f"{CHANGES} AND {watched} {RECENT} 12", own, own)
    return show("home", filters=[(row, _count(site, visit, row["query"])) for row in filters], recent=recent, **mine)


def _count(site: SiteApplication, visit: Visit, query: str) -> int:
    """How many tickets a saved query finds."""
    found = read_query(query, visit.user["name"] if visit.user else "")
    return int(listed(site.store, visit, found.where, found.order, *found.given)["count"])


def _projects(site: SiteApplication, visit: Visit) -> Answer:
    own = own_id(visit)
    asked = {key: visit.query.get(key, "").strip() for key in ("q", "category", "mine")}
    where = ""
    given: list[int | str] = [own, own]
    if asked["q"]:
        where += " AND (instr(lower(projects.name || ' ' || projects.key || ' ' || description), lower(?)) > 0)"
        given.append(asked["q"])
    if asked["category"]:
        where, given = f"{where} AND category = ?", [*given, asked["category"]]
    if asked["mine"]:
        where += " AND role IS NOT NULL"
    order = visit.query.get("sort", "name")
    order = order if order in ORDERS else "name"
    rows = site.store.all(f"{PROJECTS} {where} ORDER BY {ORDERS[order]}", *given)
    place = paged(visit, len(rows), SIZE)
    shown = rows[place["start"] : place["start"] + SIZE]
    return show("projects", projects=shown, asked=asked, categories=CATEGORIES, orders=list(ORDERS), order=order,
                **place)  # fmt: skip


def _overview(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    store, number = site.store, found.row["id"]
    counts = {(row["type"], row["state"]): row["n"] for row in store.all(
        "SELECT type, state, count(*) AS n FROM tickets WHERE project = ? GROUP BY type, state", number)}  # fmt: skip
    return show(
        "project",
        **found.values,
        counts=counts,
        sprint=store.one("SELECT * FROM sprints WHERE project = ? AND state = 'active' ORDER BY id", number),
        coming=store.all("SELECT * FROM versions WHERE project = ? AND state = 'unreleased' ORDER BY id", number),
        recent=store.all(f"{CHANGES} AND projects.id = ? {RECENT} 10", own_id(visit), number),
    )


def _activity(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    own, number = own_id(visit), found.row["id"]
    count = site.store.value(f"SELECT count(*) FROM ({CHANGES} AND projects.id = ?)", own, number)
    place = paged(visit, count, SIZE)
    rows = site.store.all(f"{CHANGES} AND projects.id = ? {RECENT} ? OFFSET ?", own, number, SIZE, place["start"])
    return show("activity", recent=rows, **place, **found.values)


def _board(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    store, number = site.store, found.row["id"]
    asked = {key: visit.query.get(key, "") for key in ("assignee", "type")}
    sprint = store.one("SELECT * FROM sprints WHERE project = ? AND state = 'active' ORDER BY id", number)
    if found.row["method"] == "Scrum":
        where, given = "tickets.sprint = ?", [sprint["id"] if sprint else -1]
    else:
        where = "tickets.type != 'Epic' AND (tickets.resolution = '' OR tickets.resolved > ?)"
        given = [LATELY]
    for key, column in (("assignee", "assignees.name"), ("type", "tickets.type")):
        if asked[key]:
            where, given = f"{where} AND {column} = ?", [*given, asked[key]]
    rows = store.all(f"{TICKETS} WHERE tickets.project = ? AND {where} ORDER BY tickets.number", number, *given)
    columns = [(state, [row for row in rows if row["state"] == state]) for state in STATES]
    limits = {row[0]: row[1] for row in store.all("SELECT state, most FROM limits WHERE project = ?", number)}
    return show("board", columns=columns, limits=limits, sprint=sprint, asked=asked, people=found.people("Developer"),
                **found.values)  # fmt: skip


def _backlog(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    store, number = site.store, found.row["id"]
    query = f"{TICKETS} WHERE tickets.sprint = ? ORDER BY tickets.number"
    rows = store.all("SELECT * FROM sprints WHERE project = ? AND state != 'closed' ORDER BY id", number)
    sprints = [(sprint, store.all(query, sprint["id"])) for sprint in rows]
    rest = "tickets.project = ? AND tickets.sprint = 0 AND tickets.resolution = '' AND tickets.type != 'Epic'"
    return show("backlog", sprints=sprints, names=[row["name"] for row in rows], **found.values,
                **listed(store, visit, rest, "tickets.number", number))  # fmt: skip


def _sprints(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    rows = _with_tickets(site.store, "sprints", "sprint", found, "ORDER BY id DESC")
    return show("sprints", sprints=rows, **found.values)


def _versions(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    return show("versions", versions=_with_tickets(site.store, "versions", "version", found), **found.values)


def _with_tickets(store: Store, table: str, column: str, found: Found, order: str = "ORDER BY id") -> list[Row]:
    """What a project's tickets are put into, with how many of them there are and how many of these are open."""
    count = f"SELECT count(*) FROM tickets WHERE {column} = {table}.id"
    return store.all(
        f"SELECT *, ({count}) AS all_tickets, ({count} AND resolution = '') AS open_tickets FROM {table} "
        f"WHERE project = ? {order}", found.row["id"]
    )  # fmt: skip


def _version(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    store = site.store
    row = store.one("SELECT * FROM versions WHERE project = ? AND id = ?", found.row["id"], visit.path["number"])
    if row is None:
        return missing("version")
    query = "SELECT state, count(*) FROM tickets WHERE version = ? GROUP BY state"
    counts = {one[0]: one[1] for one in store.all(query, row["id"])}
    place = listed(store, visit, "tickets.version = ?", "tickets.number", row["id"])
    return show("version", version=row, counts=counts, **place, **found.values)


def _components(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    rows = site.store.all(
        "SELECT components.*, users.name AS lead_name, (SELECT count(*) FROM tickets WHERE component = components.id "
        "AND resolution = '') AS open_tickets FROM components JOIN users ON users.id = components.lead "
        "WHERE project = ? ORDER BY components.name", found.row["id"]
    )  # fmt: skip
    return show("components", components=rows, people=found.people(), **found.values)


def _members(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    rows = site.store.all(
        "SELECT members.*, users.name, users.team FROM members JOIN users ON users.id = user WHERE project = ? "
        "ORDER BY name", found.row["id"]
    )  # fmt: skip
    return show("members", members=rows, **found.values)


def _ticket(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    store, ticket, own = site.store, found.task, own_id(visit)
    number = ticket["id"]
    by = "users.name AS actor FROM {0} JOIN users ON users.id = {0}.author WHERE ticket = ? ORDER BY {0}.{1}, {0}.id"
    other = f"{TICKETS} WHERE tickets.id IN (SELECT {{}} FROM links WHERE {{}} = ? AND kind = ?) ORDER BY tickets.id"
    links = [(title, kind, store.all(other.format(there, here), number, kind)) for title, kind, there, here in LINKS]
    watching = "SELECT users.name FROM watchers JOIN users ON users.id = user WHERE ticket = ? ORDER BY name"
    return show(
        "ticket",
        **found.values,
        ticket=ticket,
        comments=store.all(f"SELECT comments.*, {by.format('comments', 'created')}", number),
        changes=store.all(f"SELECT changes.*, {by.format('changes', 'created')}", number),
        work=store.all(f"SELECT work.*, {by.format('work', 'day')}", number),
        links=[(title, rows) for title, _, rows in links if rows],
        below=store.all(f"{TICKETS} WHERE tickets.parent = ? ORDER BY tickets.number", number),
        watchers=[row[0] for row in store.all(watching, number)],
        voted=store.one("SELECT * FROM votes WHERE ticket = ? AND user = ?", number, own) is not None,
        people=found.people("Developer"),
        following=deeds.FOLLOWING[ticket["state"]],
        resolutions=deeds.RESOLUTIONS,
        kinds=list(deeds.KINDS),
    )


LINKS = (  # heading, kind, and which end of a link is shown on which page
    ("blocks", "blocks", "target", "source"), ("is blocked by", "blocks", "source", "target"),
    ("relates to", "relates to", "target", "source"), ("is related to", "relates to", "source", "target"),
    ("duplicates", "duplicates", "target", "source"), ("is duplicated by", "duplicates", "source", "target"),
)  # fmt: skip


def as_query(asked: dict[str, str]) -> str:
    """What the form of filters asks for, as a query.

    Args:
        asked: Values by field; empty for any.
    """
    parts = []
    for key in FIELDS:
        value = asked.get(key, "")
        if value == "nobody" and key == "assignee":
            parts.append("assignee is empty")
        elif value == "unresolved" and key == "state":
            parts.append("resolution is empty")
        elif value:
            parts.append(f"{key} {'~' if key == 'text' else '='} {quoted(value)}")
    return " AND ".join(parts)


def _search(site: SiteApplication, visit: Visit) -> Answer:
    asked = {key: visit.query.get(key, "").strip() for key in FIELDS}
    query = visit.query.get("query", "").strip() or as_query(asked)
    return _found(site, visit, query, "search", asked=asked, **_choices(site, visit))


def _choices(site: SiteApplication, visit: Visit) -> dict[str, list[str]]:
    """What the form of filters offers."""
    store, own = site.store, own_id(visit)
    return {
        "keys": [row[0] for row in store.all(f"SELECT key FROM projects WHERE {SEEN} ORDER BY key", own)],
        "names": [row[0] for row in store.all("SELECT name FROM users ORDER BY name")],
        "label_names": [row[0] for row in store.all("SELECT DISTINCT label FROM labels ORDER BY label")],
    }


def _found(site: SiteApplication, visit: Visit, query: str, template: str, **given: Any) -> Answer:
    """A page with what a query finds, or with what is wrong with it."""
    try:
        read = read_query(query, visit.user["name"] if visit.user else "")
    except QueryError as error:
        nothing = {"tickets": [], "count": 0, "page": 1, "pages": 1, "start": 0}
        return show(template, 422, query=query, wrong=str(error), **nothing, **given)
    found = listed(site.store, visit, read.where, read.order, *read.given)
    return show(template, query=query, wrong="", **given, **found)


FILTERS = """SELECT filters.*, users.name AS owner_name FROM filters JOIN users ON users.id = owner
    WHERE (shared = 1 OR owner = ?)"""


@members_only
def _filters(site: SiteApplication, visit: Visit) -> Answer:
    own, words = visitor(visit)["id"], visit.query.get("q", "").strip()
    rows = site.store.all(
        f"{FILTERS} AND instr(lower(filters.name), lower(?)) > 0 ORDER BY owner != ?, filters.name, filters.id", own,
        words, own,
    )  # fmt: skip
    return show("filters", filters=rows, q=words)


def _filter(site: SiteApplication, visit: Visit) -> Answer:
    row = site.store.one(f"{FILTERS} AND filters.id = ?", own_id(visit), visit.path["number"])
    return missing("filter") if row is None else _found(site, visit, row["query"], "filter", filter=row)


def _user(site: SiteApplication, visit: Visit) -> Answer:
    person = site.store.one("SELECT * FROM users WHERE name = ?", visit.path["name"])
    if person is None:
        return missing("account")
    own, number = own_id(visit), person["id"]
    roles: list[Row] = site.store.all(
        f"SELECT projects.*, role FROM members JOIN projects ON projects.id = project WHERE {SEEN} AND user = ? "
        "ORDER BY projects.name", own, number
    )  # fmt: skip
    recent = site.store.all(f"{CHANGES} AND changes.author = ? {RECENT} 15", own, number)
    mine = listed(site.store, visit, "tickets.assignee = ? AND tickets.resolution = ''", "tickets.id DESC", number)
    return show("user", person=person, roles_held=roles, recent=recent, **mine)


def _go(site: SiteApplication, visit: Visit) -> Answer:
    """The search of the header: to a ticket by its name, otherwise to what has the words."""
    words = visit.query.get("q", "").strip()
    key, _, number = words.upper().rpartition("-")
    if site.store.one("SELECT 1 FROM projects WHERE key = ?", key) and number.isascii() and number.isdigit():
        return go_to(f"/browse/{key}-{number}")
    return go_to("/search", text=words)


P = "/p/{key}"
ROUTES: Routes = [
    ("GET", "/", _home),
    ("GET", "/go", _go),
    ("GET", "/projects", _projects),
    ("GET", "/search", _search),
    ("GET", "/filters", _filters),
    ("GET", "/u/{name}", _user),
    ("GET", "/sign-in", sign_in_page),
    ("POST", "/sign-in", sign_in),
    ("POST", "/sign-out", sign_out),
    *planning.ROUTES,
    *reports.ROUTES,
    *deeds.ROUTES,
    ("GET", "/filters/{number:int}", _filter),
    ("GET", P, in_project(_overview)),
    ("GET", P + "/activity", in_project(_activity)),
    ("GET", P + "/board", in_project(_board)),
    ("GET", P + "/backlog", in_project(_backlog)),
    ("GET", P + "/sprints", in_project(_sprints)),
    ("GET", P + "/versions", in_project(_versions)),
    ("GET", P + "/versions/{number:int}", in_project(_version)),
    ("GET", P + "/components", in_project(_components)),
    ("GET", P + "/members", in_project(_members)),
    ("GET", "/browse/{name}", on_ticket(_ticket)),
]
