"""What visitors do in the code host: issues, merge requests, labels, wiki, members, settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from agentgym.envs.web._sites.application import (
    Answer,
    Page,
    Routes,
    SiteApplication,
    Visit,
    go_to,
    members_only,
    missing,
    refused,
    show,
    visitor,
)
from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._sites.reading import is_day

ROLES = ["Guest", "Reporter", "Developer", "Maintainer"]
READERS = ("Reporter", "Developer", "Maintainer", "Owner")  # who see confidential issues of others
VISIBILITIES = ["Public", "Private"]
STATUSES = ["Available", "In a meeting", "On leave", "Reviewing", "Focusing"]


@dataclass
class Found:
    """The project of an address, as far as the visitor may see and change it.

    Attributes:
        role: Of the visitor in the project; empty for none.
        own: The visitor's id; -1 for who is not signed in.
    """

    site: SiteApplication
    row: Row
    role: str
    own: int

    @property
    def seen(self) -> str:
        """The condition on `items` that the visitor sees them: confidential ones are for members above guests."""
        return (
            "1" if self.role in READERS else f"(items.confidential = 0 OR {self.own} IN (items.author, items.assignee))"
        )

    @property
    def maintains(self) -> bool:
        """Whether the visitor may change settings, members, labels and milestones."""
        return self.role in ("Owner", "Maintainer")

    @property
    def way(self) -> str:
        """The path of the project's pages."""
        return f"/p/{self.row['owner_name']}/{self.row['name']}"

    @property
    def values(self) -> Mapping[str, Any]:
        """What every page of a project shows."""
        return {"project": self.row, "role": self.role, "maintains": self.maintains, "way": self.way}

    @property
    def choices(self) -> Mapping[str, Any]:
        """What issues can be given: labels, milestones, assignees."""
        store, number = self.site.store, self.row["id"]
        people = "SELECT users.name FROM members JOIN users ON users.id = user WHERE project = ? ORDER BY users.name"
        names = "SELECT {} FROM {} WHERE project = ? ORDER BY id"
        return {
            "labels": [row[0] for row in store.all(names.format("name", "labels"), number)],
            "milestones": [row[0] for row in store.all(names.format("title", "milestones"), number)],
            "people": [row[0] for row in store.all(people, number)],
        }


def found_project(site: SiteApplication, visit: Visit) -> Found | Answer:
    """The project of `site` that the address of `visit` names, or the answer that the visitor may see none."""
    row = site.store.one(
        "SELECT projects.*, users.name AS owner_name FROM projects JOIN users ON users.id = owner WHERE users.name = ? "
        "AND projects.name = ?", visit.path["owner"], visit.path["project"]
    )  # fmt: skip
    if row is None:
        return missing("project")
    own = visit.user["id"] if visit.user else -1
    role = site.store.value("SELECT role FROM members WHERE project = ? AND user = ?", row["id"], own) or ""
    if row["visibility"] == "Private" and not role:
        return missing("project")
    return Found(site, row, role, own)


Deed = Callable[[SiteApplication, Visit, Found], Answer]


def _in_project(deed: Deed) -> Page:
    """A page of a project for those who are signed in."""

    @wraps(deed)
    def page(site: SiteApplication, visit: Visit) -> Answer:
        """Do the deed in the project of the `site` that the path of the `visit` names, if the visitor may see it."""
        found = found_project(site, visit)
        return found if isinstance(found, Answer) else deed(site, visit, found)

    return members_only(page)


def _maintained(deed: Deed) -> Page:
    """A page for those who maintain a project."""

    @wraps(deed)
    def checked(site: SiteApplication, visit: Visit, found: Found) -> Answer:
        """Do the deed of a `visit` to the `site` if the visitor maintains the project that was `found`."""
        return deed(site, visit, found) if found.maintains else refused("Only maintainers of the project may do this.")

    return _in_project(checked)


def _unarchived(deed: Deed) -> Deed:
    """A page that changes what an archived project keeps as it is: all but its settings, its members and its stars."""

    @wraps(deed)
    def checked(site: SiteApplication, visit: Visit, found: Found) -> Answer:
        """Do the deed of a `visit` to the `site` unless the project that was `found` is archived."""
        if found.row["archived"]:
            return refused("The project is archived: its issues, merge requests and wiki stay as they are.")
        return deed(site, visit, found)

    return checked


def item_of(site: SiteApplication, visit: Visit, found: Found, kind: str) -> Row | None:
    """The issue or merge request of an address; None if there is none that the visitor may see.

    Args:
        site: The site.
        visit: The request.
        found: Its project.
        kind: `issue` or `request`.
    """
    return site.store.one(
        f"SELECT * FROM items WHERE project = ? AND kind = ? AND number = ? AND {found.seen}", found.row["id"], kind,
        visit.path["number"],
    )  # fmt: skip


def _kind(visit: Visit) -> str:
    """What an address is about; its parts are `p`, owner, project, and `issues` or `requests`."""
    return "request" if visit.location.split("?")[0].split("/")[4] == "requests" else "issue"


def _chosen(site: SiteApplication, visit: Visit, found: Found) -> tuple[int, int]:
    """Assignee and milestone of a form; 0 for none."""
    number, store = found.row["id"], site.store
    person = store.value(
        "SELECT users.id FROM members JOIN users ON users.id = user WHERE project = ? AND name = ?", number,
        visit.form.get("assignee", ""),
    )  # fmt: skip
    milestone = store.value(
        "SELECT id FROM milestones WHERE project = ? AND title = ?", number, visit.form.get("milestone", "")
    )
    return person or 0, milestone or 0


def _set_labels(site: SiteApplication, visit: Visit, found: Found, item: int) -> None:
    site.store.do("DELETE FROM item_labels WHERE item = ?", item)
    for name in visit.lists.get("labels", []):
        label = site.store.value("SELECT id FROM labels WHERE project = ? AND name = ?", found.row["id"], name)
        if label:
            site.store.do("INSERT OR IGNORE INTO item_labels VALUES (?, ?)", item, label)


def _new_page(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    branches = [row[0] for row in site.store.all("SELECT name FROM branches WHERE project = ?", found.row["id"])]
    return show("new_item", kind=_kind(visit), wrong="", title="", body="", branches=branches, **found.values,
                **found.choices)  # fmt: skip


def _new(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    kind, title, body = _kind(visit), visit.form.get("title", ""), visit.form.get("body", "")
    branches = [row[0] for row in site.store.all("SELECT name FROM branches WHERE project = ?", found.row["id"])]
    source, target = visit.form.get("source", ""), visit.form.get("target", "")
    wrong = "" if title else "A title is needed."
    if kind == "request" and (source not in branches or target not in branches or source == target):
        wrong = "Choose two different branches."
    if wrong:
        return show("new_item", 422, kind=kind, wrong=wrong, title=title, body=body, branches=branches, **found.values,
                    **found.choices)  # fmt: skip
    number = 1 + (site.store.value(
        "SELECT max(number) FROM items WHERE project = ? AND kind = ?", found.row["id"], kind) or 0)  # fmt: skip
    assignee, milestone = _chosen(site, visit, found)
    item = site.store.do(
        "INSERT INTO items VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, '', ?, ?, ?)", found.row["id"], kind,
        number, title, body, visitor(visit)["id"], assignee, milestone, site.store.now, source, target,
        int("confidential" in visit.form),
    )  # fmt: skip
    _set_labels(site, visit, found, item)
    return go_to(f"{found.way}/{kind}s/{number}", notice="Created.")


def _change(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    """Set assignee, milestone and labels, and the title."""
    kind = _kind(visit)
    item = item_of(site, visit, found, kind)
    if item is None:
        return missing(kind)
    if not found.role:
        return refused("Only members of the project may do this.")
    assignee, milestone = _chosen(site, visit, found)
    site.store.do(
        "UPDATE items SET assignee = ?, milestone = ?, title = ? WHERE id = ?", assignee, milestone,
        visit.form.get("title", "") or item["title"], item["id"],
    )  # fmt: skip
    _set_labels(site, visit, found, item["id"])
    return go_to(f"{found.way}/{kind}s/{item['number']}", notice="Saved.")


def _comment(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    kind = _kind(visit)
    item, body = item_of(site, visit, found, kind), visit.form.get("body", "")
    if item is None:
        return missing(kind)
    if body:
        site.store.do(
            "INSERT INTO comments VALUES (NULL, ?, ?, ?, ?)", item["id"], visitor(visit)["id"], body, site.store.now
        )
    return go_to(f"{found.way}/{kind}s/{item['number']}", notice="" if body else "A comment needs a text.")


def _state(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    """Close, open again, or merge."""
    kind, deed = _kind(visit), visit.form.get("deed", "")
    item = item_of(site, visit, found, kind)
    if item is None:
        return missing(kind)
    if not found.role and item["author"] != visitor(visit)["id"]:
        return refused("Only members of the project and the author may do this.")
    if deed == "merge" and not (found.maintains and kind == "request" and item["state"] == "open"):
        return refused("Only maintainers may merge, and only what is open.")
    after = {"close": "closed", "reopen": "open", "merge": "merged"}.get(deed)
    if after is None or item["state"] == "merged":
        return refused("This cannot be done.")
    closed = "" if after == "open" else site.store.now
    site.store.do("UPDATE items SET state = ?, closed = ? WHERE id = ?", after, closed, item["id"])
    return go_to(f"{found.way}/{kind}s/{item['number']}")


def _new_label(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    name = visit.form.get("name", "")
    known = site.store.one("SELECT * FROM labels WHERE project = ? AND name = ?", found.row["id"], name)
    if not name or known:
        return go_to(f"{found.way}/labels", notice="A label needs a name that no other has.")
    site.store.do("INSERT INTO labels VALUES (NULL, ?, ?, '#566573')", found.row["id"], name)
    return go_to(f"{found.way}/labels", notice="The label is there.")


def _new_milestone(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    title, due = visit.form.get("title", ""), visit.form.get("due", "")
    if not title or not is_day(due):
        return go_to(f"{found.way}/milestones", notice="A milestone needs a title and a date such as 2026-05-01.")
    site.store.do("INSERT INTO milestones VALUES (NULL, ?, ?, ?, 'open')", found.row["id"], title, due)
    return go_to(f"{found.way}/milestones", notice="The milestone is there.")


def _close_milestone(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    row = site.store.one(
        "SELECT * FROM milestones WHERE project = ? AND id = ?", found.row["id"], visit.path["milestone"]
    )
    if row is None:
        return missing("milestone")
    site.store.do(
        "UPDATE milestones SET state = ? WHERE id = ?", "open" if row["state"] == "closed" else "closed", row["id"]
    )
    return go_to(f"{found.way}/milestones")


def _wiki_form(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    slug = visit.path.get("slug", "")
    row = site.store.one("SELECT * FROM wiki WHERE project = ? AND slug = ?", found.row["id"], slug)
    if slug and row is None:
        return missing("wiki page")
    return show("wiki_form", slug=slug, title=row["title"] if row else "", body=row["body"] if row else "", wrong="",
                **found.values)  # fmt: skip


def _wiki_save(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    slug, title, body = visit.path.get("slug", ""), visit.form.get("title", ""), visit.form.get("body", "")
    new = "-".join("".join(sign if sign.isalnum() else " " for sign in title.lower()).split())
    taken = new != slug and site.store.one("SELECT * FROM wiki WHERE project = ? AND slug = ?", found.row["id"], new)
    if not new or new == "new" or taken:
        wrong = "A page needs a title that no other has."
        return show("wiki_form", 422, slug=slug, title=title, body=body, wrong=wrong, **found.values)
    if not found.role:
        return refused("Only members of the project may write its wiki.")
    if slug:
        site.store.do(
            "UPDATE wiki SET slug = ?, title = ?, body = ?, author = ?, changed = ? WHERE project = ? AND slug = ?",
            new, title, body, visitor(visit)["id"], site.store.now, found.row["id"], slug,
        )  # fmt: skip
    else:
        site.store.do(
            "INSERT INTO wiki VALUES (NULL, ?, ?, ?, ?, ?, ?)", found.row["id"], new, title, body, visitor(visit)["id"],
            site.store.now,
        )  # fmt: skip
    return go_to(f"{found.way}/wiki/{new}")


def _add_member(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    """Invite somebody, or change the role of a member."""
    person = site.store.one("SELECT * FROM users WHERE name = ?", visit.form.get("name", ""))
    role = visit.form.get("role", "")
    if person is None or role not in ROLES or person["id"] == found.row["owner"]:
        return go_to(f"{found.way}/members", notice="There is no such account that could be given this role.")
    site.store.do(
        "INSERT OR REPLACE INTO members VALUES (?, ?, ?, ?)", found.row["id"], person["id"], role, site.store.now[:10]
    )
    return go_to(f"{found.way}/members", notice=f"{person['name']} is {role}.")


def _remove_member(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    person = site.store.one("SELECT * FROM users WHERE name = ?", visit.form.get("name", ""))
    if person is not None and person["id"] != found.row["owner"]:
        site.store.do("DELETE FROM members WHERE project = ? AND user = ?", found.row["id"], person["id"])
    return go_to(f"{found.way}/members")


def _settings(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    given = visit.form
    branches = [row[0] for row in site.store.all("SELECT name FROM branches WHERE project = ?", found.row["id"])]
    if given.get("visibility") not in VISIBILITIES or given.get("branch") not in branches:
        return go_to(f"{found.way}/settings", notice="Choose a visibility and a branch from the lists.")
    site.store.do(
        "UPDATE projects SET description = ?, topics = ?, visibility = ?, branch = ?, archived = ? WHERE id = ?",
        given.get("description", ""), given.get("topics", ""), given["visibility"], given["branch"],
        int("archived" in given), found.row["id"],
    )  # fmt: skip
    return go_to(f"{found.way}/settings", notice="The settings are saved.")


def _star(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    own, number, store = visitor(visit)["id"], found.row["id"], site.store
    starred = store.one("SELECT * FROM stars WHERE user = ? AND project = ?", own, number)
    if starred:
        store.do("DELETE FROM stars WHERE user = ? AND project = ?", own, number)
    else:
        store.do("INSERT INTO stars VALUES (?, ?)", own, number)
    store.do("UPDATE projects SET stars = stars + ? WHERE id = ?", -1 if starred else 1, number)
    return go_to(found.way)


def _create(site: SiteApplication, own: Row, values: Mapping[str, Any], origin: int) -> int:
    store = site.store
    number = store.do(
        "INSERT INTO projects VALUES (NULL, ?, ?, ?, ?, ?, ?, '', 'main', ?, 0, 0, ?, 0)", own["id"], values["name"],
        values["description"], values["visibility"], values["language"], values["licence"], store.now[:10], origin,
    )  # fmt: skip
    store.do("INSERT INTO members VALUES (?, ?, 'Owner', ?)", number, own["id"], store.now[:10])
    store.do("INSERT INTO branches VALUES (?, 'main')", number)
    return number


def _fork(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    own, name = visitor(visit), found.row["name"]
    if site.store.one("SELECT * FROM projects WHERE owner = ? AND name = ?", own["id"], name):
        return go_to(found.way, notice="You have a project of this name.")
    number = _create(site, own, dict(found.row), found.row["id"])
    site.store.do("UPDATE projects SET forks = forks + 1 WHERE id = ?", found.row["id"])
    site.store.do(
        "INSERT INTO files SELECT ?, path, content, changed FROM files WHERE project = ?", number, found.row["id"]
    )
    return go_to(f"/p/{own['name']}/{name}", notice="This is your fork.")


@members_only
def _project_page(site: SiteApplication, visit: Visit) -> Answer:
    return show("new_project", wrong="", name="", description="", visibilities=VISIBILITIES)


@members_only
def _new_project(site: SiteApplication, visit: Visit) -> Answer:
    own, name = visitor(visit), visit.form.get("name", "")
    given = {"name": name, "description": visit.form.get("description", "")}
    fine = name.replace("-", "").isalnum() and name.isascii() and len(name) <= 40
    taken = site.store.one("SELECT * FROM projects WHERE owner = ? AND name = ?", own["id"], name)
    if not fine or taken or visit.form.get("visibility") not in VISIBILITIES:
        wrong = "A name has letters, digits and hyphens, and no other project of yours has it."
        return show("new_project", 422, wrong=wrong, visibilities=VISIBILITIES, **given)
    values = {**given, "visibility": visit.form["visibility"], "language": "Python", "licence": "MIT"}
    number = _create(site, own, values, 0)
    if "readme" in visit.form:
        site.store.do("INSERT INTO files VALUES (?, 'README.md', ?, ?)", number, f"# {name}\n", site.store.now[:10])
    return go_to(f"/p/{own['name']}/{name}", notice="The project is there.")


@members_only
def _profile_page(site: SiteApplication, visit: Visit) -> Answer:
    return show("profile", person=visitor(visit), statuses=STATUSES)


@members_only
def _profile(site: SiteApplication, visit: Visit) -> Answer:
    given = [visit.form.get(key, "") for key in ("about", "email", "status", "website")]
    site.store.do(
        "UPDATE users SET about = ?, email = ?, status = ?, website = ? WHERE id = ?", *given, visitor(visit)["id"]
    )
    return go_to("/profile", notice="Your profile is saved.")


P = "/p/{owner}/{project}"
ROUTES: Routes = [
    ("GET", "/projects/new", _project_page),
    ("POST", "/projects/new", _new_project),
    ("GET", "/profile", _profile_page),
    ("POST", "/profile", _profile),
    *(
        (method, f"{P}/{kind}{path}", _in_project(deed))
        for kind in ("issues", "requests")
        for method, path, deed in (
            ("GET", "/new", _new_page),
            ("POST", "/new", _unarchived(_new)),
            ("POST", "/{number:int}/change", _unarchived(_change)),
            ("POST", "/{number:int}/comment", _unarchived(_comment)),
            ("POST", "/{number:int}/state", _unarchived(_state)),
        )
    ),
    ("POST", P + "/labels", _maintained(_unarchived(_new_label))),
    ("POST", P + "/milestones", _maintained(_unarchived(_new_milestone))),
    ("POST", P + "/milestones/{milestone:int}/state", _maintained(_unarchived(_close_milestone))),
    ("GET", P + "/wiki/new", _in_project(_wiki_form)),
    ("POST", P + "/wiki/new", _in_project(_unarchived(_wiki_save))),
    ("GET", P + "/wiki/{slug}/edit", _in_project(_wiki_form)),
    ("POST", P + "/wiki/{slug}/edit", _in_project(_unarchived(_wiki_save))),
    ("POST", P + "/members", _maintained(_add_member)),
    ("POST", P + "/members/remove", _maintained(_remove_member)),
    ("POST", P + "/settings", _maintained(_settings)),
    ("POST", P + "/star", _in_project(_star)),
    ("POST", P + "/fork", _in_project(_fork)),
]
