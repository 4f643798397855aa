"""What a visitor of the project tracker may see and change: projects and tickets of an address, and roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from agentgym.envs.web._sites.application import (
    Answer,
    Page,
    SiteApplication,
    Visit,
    members_only,
    missing,
    paged,
    refused,
)
from agentgym.envs.web._sites.database import Row, Store

SIZE = 25
ROLES = ["Reporter", "Developer", "Lead", "Administrator"]
MAY = {  # what a role may do, and what the roles above it may do too
    "Reporter": "report tickets and comment on them",
    "Developer": "change, assign and move tickets, and log work",
    "Lead": "plan sprints, versions and components, and delete tickets",
    "Administrator": "change settings, members and the board",
}
SEEN = "(projects.visibility = 'Public' OR projects.id IN (SELECT project FROM members WHERE user = ?))"
JOINED = """tickets JOIN projects ON projects.id = tickets.project JOIN users AS reporters ON
    reporters.id = tickets.reporter LEFT JOIN users AS assignees ON assignees.id = tickets.assignee
    LEFT JOIN sprints ON sprints.id = tickets.sprint
    LEFT JOIN versions ON versions.id = tickets.version LEFT JOIN components ON components.id = tickets.component
    LEFT JOIN tickets AS parents ON parents.id = tickets.parent"""
TICKETS = f"""SELECT tickets.*, projects.key, projects.name AS project_name,
    projects.key || '-' || tickets.number AS name, reporters.name AS reporter_name,
    assignees.name AS assignee_name, sprints.name AS sprint_name,
    versions.name AS version_name, components.name AS component_name, parents.title AS parent_title,
    projects.key || '-' || parents.number AS parent_name,
    (SELECT group_concat(label, ', ') FROM (SELECT label FROM labels WHERE ticket = tickets.id ORDER BY label))
    AS label_names FROM {JOINED}"""


@dataclass
class Found:
    """The project of an address, as far as the visitor may see and change it.

    Attributes:
        role: Of the visitor in the project; empty for none.
        ticket: The ticket of the address, where it names one.
    """

    site: SiteApplication
    row: Row
    role: str
    ticket: Row | None = None

    def may(self, role: str) -> bool:
        """Whether the visitor has a role, or one above it."""
        return self.role in ROLES[ROLES.index(role) :]

    @property
    def way(self) -> str:
        """The path of the project's pages."""
        return f"/p/{self.row['key']}"

    @property
    def values(self) -> Mapping[str, Any]:
        """What every page of a project shows."""
        levels = {one.lower(): self.may(one) for one in ROLES}
        return {"project": self.row, "role": self.role, "way": self.way, **levels}

    def names(self, table: str, where: str = "1") -> list[str]:
        """Names of the project's sprints, versions or components.

        Args:
            table: Which.
            where: A condition on them.
        """
        query = f"SELECT name FROM {table} WHERE project = ? AND {where} ORDER BY id"
        return [row[0] for row in self.site.store.all(query, self.row["id"])]

    def people(self, role: str = "Reporter") -> list[str]:
        """Accounts that have a role in the project, or one above it."""
        rows = self.site.store.all(
            "SELECT users.name, role FROM members JOIN users ON users.id = user WHERE project = ? ORDER BY users.name",
            self.row["id"],
        )
        return [row["name"] for row in rows if row["role"] in ROLES[ROLES.index(role) :]]

    @property
    def task(self) -> Row:
        """The ticket of an address that names one."""
        assert self.ticket is not None, "only pages of tickets ask for one"
        return self.ticket


Deed = Callable[[SiteApplication, Visit, Found], Answer]


def own_id(visit: Visit) -> int:
    """The id of who visits; 0 for a guest."""
    return int(visit.user["id"]) if visit.user else 0


def found_project(site: SiteApplication, visit: Visit, key: str) -> Found | None:
    """The project of a key; None if there is none that the visitor may see.

    Args:
        site: The site.
        visit: The request.
        key: Of the project.
    """
    row = site.store.one(
        "SELECT projects.*, users.name AS lead_name FROM projects JOIN users ON users.id = lead WHERE key = ?", key
    )
    if row is None:
        return None
    role = site.store.value("SELECT role FROM members WHERE project = ? AND user = ?", row["id"], own_id(visit)) or ""
    return None if row["visibility"] == "Private" and not role else Found(site, row, role)


def found_ticket(site: SiteApplication, visit: Visit, name: str) -> Found | None:
    """The ticket of a name such as `ATL-12`, with its project; None if there is none that the visitor may see.

    Args:
        site: The site.
        visit: The request.
        name: Of the ticket.
    """
    key, _, number = name.rpartition("-")
    found = found_project(site, visit, key)
    if found is not None:
        found.ticket = site.store.one(f"{TICKETS} WHERE projects.key = ? AND tickets.number = ?", key, number)
    return found if found is not None and found.ticket is not None else None


def in_project(deed: Deed) -> Page:
    """A page of a project."""

    @wraps(deed)
    def page(site: SiteApplication, visit: Visit) -> Answer:
        """Do the deed in the project of the `site` that the path of the `visit` names, if the visitor may see it."""
        found = found_project(site, visit, visit.path["key"])
        return missing("project") if found is None else deed(site, visit, found)

    return page


def on_ticket(deed: Deed) -> Page:
    """A page of a ticket."""

    @wraps(deed)
    def page(site: SiteApplication, visit: Visit) -> Answer:
        """Do the deed on the ticket of the `site` that the path of the `visit` names, if the visitor may see it."""
        found = found_ticket(site, visit, visit.path["name"])
        return missing("ticket") if found is None else deed(site, visit, found)

    return page


def for_role(role: str, place: Callable[[Deed], Page], deed: Deed) -> Page:
    """A page for those who are signed in and have a role, or one above it.

    Args:
        role: The lowest; empty for everybody who is signed in.
        place: `in_project` or `on_ticket`.
        deed: The page.
    """

    @wraps(deed)
    def checked(site: SiteApplication, visit: Visit, found: Found) -> Answer:
        """Do the deed of a `visit` to the `site` if the role in what was `found` allows it and it is not archived."""
        if role and not found.may(role):
            yours = f"you are {found.role}" if found.role else "you are no member"
            return refused(f"To {MAY[role]} takes the role {role} in {found.row['name']}; {yours}.")
        if found.row["archived"] and role in ROLES[:3]:
            return refused(f"{found.row['name']} is archived: its tickets and plans stay as they are.")
        return deed(site, visit, found)

    return members_only(place(checked))


def listed(store: Store, visit: Visit, where: str, order: str, *given: Any) -> dict[str, Any]:
    """A page of the tickets that the visitor may see, for a template.

    Args:
        store: The database.
        visit: The request.
        where: A condition on `JOINED`.
        order: Their order.
        given: What the condition asks for.
    """
    query = f"SELECT tickets.id FROM {JOINED} WHERE {SEEN} AND ({where}) ORDER BY {order}"
    found = [row[0] for row in store.all(query, own_id(visit), *given)]
    place = paged(visit, len(found), SIZE)
    shown = found[place["start"] : place["start"] + SIZE]
    gaps = ",".join("?" * len(shown))
    rows = {row["id"]: row for row in store.all(f"{TICKETS} WHERE tickets.id IN ({gaps})", *shown)}
    return {"tickets": [rows[one] for one in shown], **place}
