"""What visitors plan and configure: projects, members, sprints, versions, boards, filters, their profile."""

from __future__ import annotations

import re

from agentgym.envs.web._sites.application import (
    Answer,
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
from agentgym.envs.web._sites.tracker.access import MAY, ROLES, Found, for_role, found_ticket, in_project
from agentgym.envs.web._sites.tracker.deeds import change_ticket, is_number
from agentgym.envs.web._sites.tracker.query import QueryError, read_query

METHODS, VISIBILITIES, ASSIGN = ["Scrum", "Kanban"], ["Public", "Private"], ["Nobody", "Project lead"]
CATEGORIES = ["Apps", "Commerce", "Data", "Logistics", "Operations", "Support"]
MAILS = ["Everything", "Only what is assigned to me", "Nothing"]
LIMITED = ("In progress", "In review", "Testing")
NAME_RULE = "A name has 2 to 60 characters, and no other has it."


def _taken(found: Found, table: str, name: str, but: int = 0) -> bool:
    query = f"SELECT 1 FROM {table} WHERE project = ? AND lower(name) = lower(?) AND id != ?"
    return not 2 <= len(name) <= 60 or found.site.store.one(query, found.row["id"], name, but) is not None


# Projects


@members_only
def _project_page(site: SiteApplication, visit: Visit) -> Answer:
    given = {"key": "", "name": "", "description": "", "category": "Apps", "method": "Scrum", "visibility": "Public"}
    return _project_form(200, given, "")


def _project_form(status: int, given: dict[str, str], wrong: str) -> Answer:
    return show("project_form", status, given=given, wrong=wrong, methods=METHODS, visibilities=VISIBILITIES,
                categories=CATEGORIES)  # fmt: skip


@members_only
def _new_project(site: SiteApplication, visit: Visit) -> Answer:
    keys = ("key", "name", "description", "category", "method", "visibility")
    given, store, own = {key: visit.form.get(key, "") for key in keys}, site.store, visitor(visit)["id"]
    wrong = []
    if not re.fullmatch(r"[A-Z]{2,6}", given["key"]):
        wrong.append("A key has 2 to 6 capital letters.")
    elif store.one("SELECT 1 FROM projects WHERE key = ?", given["key"]):
        wrong.append(f"The key {given['key']} is taken.")
    if not 2 <= len(given["name"]) <= 60 or store.one("SELECT 1 FROM projects WHERE name = ?", given["name"]):
        wrong.append(NAME_RULE)
    for key, options in (("category", CATEGORIES), ("method", METHODS), ("visibility", VISIBILITIES)):
        if given[key] not in options:
            wrong.append(f"Choose a {key}: {', '.join(options)}.")
    if wrong:
        return _project_form(422, given, " ".join(wrong))
    number = store.do(
        "INSERT INTO projects VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, 'Nobody', ?, 0)", *given.values(), own, store.now[:10]
    )
    store.do("INSERT INTO members VALUES (?, ?, 'Administrator', ?)", number, own, store.now[:10])
    return go_to(f"/p/{given['key']}", notice="The project is there.")


def _settings_page(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    keys = ("name", "description", "category", "method", "visibility", "assign")
    given = {**{key: found.row[key] for key in keys}, "lead": found.row["lead_name"]}
    return _settings_form(found, 200, given, "")


def _settings_form(found: Found, status: int, given: dict[str, str], wrong: str) -> Answer:
    return show("settings", status, given=given, wrong=wrong, methods=METHODS, visibilities=VISIBILITIES,
                categories=CATEGORIES, assigns=ASSIGN, people=found.people("Developer"), **found.values)  # fmt: skip


def _settings(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    keys = ("name", "description", "category", "method", "visibility", "assign", "lead")
    given, store = {key: visit.form.get(key, "") for key in keys}, site.store
    wrong = []
    other = store.value("SELECT id FROM projects WHERE name = ?", given["name"])
    if not 2 <= len(given["name"]) <= 60 or other not in (None, found.row["id"]):
        wrong.append(NAME_RULE)
    for key, options in (("category", CATEGORIES), ("method", METHODS), ("visibility", VISIBILITIES),
                         ("assign", ASSIGN), ("lead", found.people("Developer"))):  # fmt: skip
        if given[key] not in options:
            wrong.append(f"Choose a {key} from the list.")
    if wrong:
        return _settings_form(found, 422, given, " ".join(wrong))
    lead = store.value("SELECT id FROM users WHERE name = ?", given.pop("lead"))
    store.do(
        "UPDATE projects SET name = ?, description = ?, category = ?, method = ?, visibility = ?, assign = ?, "
        "lead = ?, archived = ? WHERE id = ?",
        *given.values(), lead, int("archived" in visit.form), found.row["id"],
    )  # fmt: skip
    return go_to(f"{found.way}/settings", notice="The settings are saved.")


def _member(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    """Add somebody, or change the role of a member."""
    name, role = visit.form.get("name", ""), visit.form.get("role", "")
    person = site.store.one("SELECT * FROM users WHERE name = ?", name)
    back = f"{found.way}/members"
    if person is None:
        return go_to(back, notice=f"There is no account “{name}”.")
    if role not in ROLES:
        return go_to(back, notice=f"Choose a role: {', '.join(ROLES)}.")
    if role != ROLES[-1] and _last_administrator(found, person):
        return go_to(back, notice="A project keeps at least one administrator.")
    site.store.do(
        "INSERT INTO members VALUES (?, ?, ?, ?) ON CONFLICT (project, user) DO UPDATE SET role = excluded.role",
        found.row["id"], person["id"], role, site.store.now[:10],
    )  # fmt: skip
    return go_to(back, notice=f"{name} is {role}: may {MAY[role]}.")


def _last_administrator(found: Found, person: Row) -> bool:
    rows = found.site.store.all(
        "SELECT user FROM members WHERE project = ? AND role = 'Administrator'", found.row["id"]
    )
    return [row["user"] for row in rows] == [person["id"]]


def _remove_member(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    person = site.store.one("SELECT * FROM users WHERE name = ?", visit.form.get("name", ""))
    if person is None:
        return missing("account")
    if _last_administrator(found, person) or person["id"] == found.row["lead"]:
        return go_to(f"{found.way}/members", notice="The lead and the last administrator stay members.")
    site.store.do("DELETE FROM members WHERE project = ? AND user = ?", found.row["id"], person["id"])
    return go_to(f"{found.way}/members", notice=f"{person['name']} is no member.")


def _limits(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    state, most = visit.form.get("state", ""), visit.form.get("most", "")
    if state not in LIMITED or not is_number(most, 0, 99):
        return go_to(f"{found.way}/board", notice="A limit is a whole number from 0 to 99; 0 for none.")
    site.store.do("INSERT OR REPLACE INTO limits VALUES (?, ?, ?)", found.row["id"], state, int(most))
    return go_to(f"{found.way}/board", notice=f"The limit of {state} is {most}.")


# Sprints, versions, components


def _new_sprint(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    name, goal = visit.form.get("name", ""), visit.form.get("goal", "")
    if _taken(found, "sprints", name):
        return go_to(f"{found.way}/sprints", notice=NAME_RULE)
    site.store.do("INSERT INTO sprints VALUES (NULL, ?, ?, ?, 'future', '', '')", found.row["id"], name, goal)
    return go_to(f"{found.way}/sprints", notice=f"{name} is planned.")


def _part(found: Found, visit: Visit, table: str) -> Row | None:
    query = f"SELECT * FROM {table} WHERE project = ? AND id = ?"
    return found.site.store.one(query, found.row["id"], visit.path["number"])


def _start_sprint(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    sprint, begins, ends = _part(found, visit, "sprints"), visit.form.get("begins", ""), visit.form.get("ends", "")
    if sprint is None:
        return missing("sprint")
    back = f"{found.way}/sprints/{sprint['id']}"
    if not (is_day(begins) and is_day(ends) and begins < ends):
        return go_to(back, notice="A sprint has a first and a later last day, written like 2026-03-23.")
    if sprint["state"] != "future" or found.names("sprints", "state = 'active'"):
        return go_to(back, notice="Only a planned sprint can be started, and only when no other is active.")
    site.store.do("UPDATE sprints SET state = 'active', begins = ?, ends = ? WHERE id = ?", begins, ends, sprint["id"])
    return go_to(back, notice=f"{sprint['name']} is active.")


def _complete_sprint(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    """End a sprint; what is open goes to the backlog or into another sprint."""
    sprint, goes = _part(found, visit, "sprints"), visit.form.get("rest", "")
    if sprint is None:
        return missing("sprint")
    other = site.store.value(
        "SELECT id FROM sprints WHERE project = ? AND name = ? AND state = 'future'", found.row["id"], goes
    )
    back = f"{found.way}/sprints/{sprint['id']}"
    if sprint["state"] != "active" or (goes != "Backlog" and other is None):
        return go_to(back, notice="Only an active sprint is completed; its open tickets go to the backlog or a sprint.")
    site.store.do("UPDATE tickets SET sprint = ? WHERE sprint = ? AND resolution = ''", other or 0, sprint["id"])
    site.store.do("UPDATE sprints SET state = 'closed' WHERE id = ?", sprint["id"])
    return go_to(back, notice=f"{sprint['name']} is closed.")


def _change_sprint(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    sprint, name = _part(found, visit, "sprints"), visit.form.get("name", "")
    if sprint is None:
        return missing("sprint")
    back = f"{found.way}/sprints/{sprint['id']}"
    if _taken(found, "sprints", name, sprint["id"]):
        return go_to(back, notice=NAME_RULE)
    goal = visit.form.get("goal", "")
    site.store.do("UPDATE sprints SET name = ?, goal = ? WHERE id = ?", name, goal, sprint["id"])
    return go_to(back, notice="The sprint is changed.")


def _plan(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    """Move tickets of the backlog into a sprint, or back."""
    goes, back = visit.form.get("sprint", ""), f"{found.way}/backlog"
    names = visit.form.get("tickets", "").upper().replace(",", " ").split()
    query = "SELECT id FROM sprints WHERE project = ? AND name = ? AND state != 'closed'"
    sprint = site.store.value(query, found.row["id"], goes)
    tickets = [found_ticket(site, visit, name) for name in names]
    if goes != "Backlog" and sprint is None:
        return go_to(back, notice="Choose a sprint, or the backlog.")
    wrong = [name for name, one in zip(names, tickets, strict=True) if one is None or one.row["id"] != found.row["id"]]
    if wrong or not names:
        return go_to(back, notice=f"There is no ticket “{' '.join(wrong)}” in the project; write {found.row['key']}-1.")
    for one in tickets:
        if one is not None:
            change_ticket(site, visit, one, {"sprint": sprint or 0})
    return go_to(back, notice=f"Moved to {goes}: {', '.join(names)}.")


def _new_version(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    name, due = visit.form.get("name", ""), visit.form.get("due", "")
    if _taken(found, "versions", name):
        return go_to(f"{found.way}/versions", notice=NAME_RULE)
    if due and not is_day(due):
        return go_to(f"{found.way}/versions", notice="A date is written like 2026-05-01.")
    site.store.do("INSERT INTO versions VALUES (NULL, ?, ?, ?, 'unreleased', '')", found.row["id"], name, due)
    return go_to(f"{found.way}/versions", notice=f"Version {name} is planned.")


def _version(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    """Release a version, take that back, archive it, or change when it is due."""
    row, deed, due = _part(found, visit, "versions"), visit.form.get("deed", ""), visit.form.get("due", "")
    if row is None:
        return missing("version")
    back, store = f"{found.way}/versions/{row['id']}", site.store
    if deed == "due":
        if not is_day(due):
            return go_to(back, notice="A date is written like 2026-05-01.")
        store.do("UPDATE versions SET due = ? WHERE id = ?", due, row["id"])
        return go_to(back, notice="The date is changed.")
    after = {"release": "released", "unrelease": "unreleased", "archive": "archived"}.get(deed)
    if after is None or after == row["state"]:
        return refused("This cannot be done with the version.")
    released = row["released"] if after == "archived" else store.now[:10] if after == "released" else ""
    store.do("UPDATE versions SET state = ?, released = ? WHERE id = ?", after, released, row["id"])
    return go_to(back, notice=f"Version {row['name']} is {after}.")


def _new_component(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    name, lead = visit.form.get("name", ""), visit.form.get("lead", "")
    back = f"{found.way}/components"
    if lead not in found.people():
        return go_to(back, notice="Choose a lead among the members.")
    if _taken(found, "components", name):
        return go_to(back, notice=NAME_RULE)
    person = site.store.value("SELECT id FROM users WHERE name = ?", lead)
    site.store.do("INSERT INTO components VALUES (NULL, ?, ?, ?)", found.row["id"], name, person)
    return go_to(back, notice=f"The component {name} is there.")


def _delete_component(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    row = _part(found, visit, "components")
    if row is None:
        return missing("component")
    site.store.do("UPDATE tickets SET component = 0 WHERE component = ?", row["id"])
    site.store.do("DELETE FROM components WHERE id = ?", row["id"])
    return go_to(f"{found.way}/components", notice=f"The component {row['name']} is deleted.")


# Filters and the profile


@members_only
def _filter_page(site: SiteApplication, visit: Visit) -> Answer:
    return show("filter_form", wrong="", number=0, name="", query=visit.query.get("query", ""), shared=False)


def _own_filter(site: SiteApplication, visit: Visit) -> Row | None:
    query = "SELECT * FROM filters WHERE id = ? AND owner = ?"
    return site.store.one(query, visit.path["number"], visitor(visit)["id"])


@members_only
def _change_filter_page(site: SiteApplication, visit: Visit) -> Answer:
    row = _own_filter(site, visit)
    if row is None:
        return missing("filter of yours")
    return show("filter_form", wrong="", number=row["id"], name=row["name"], query=row["query"], shared=row["shared"])


@members_only
def _save_filter(site: SiteApplication, visit: Visit) -> Answer:
    number, own, store = int(visit.path.get("number", 0)), visitor(visit), site.store
    name, query, shared = visit.form.get("name", ""), visit.form.get("query", ""), int("shared" in visit.form)
    if number and _own_filter(site, visit) is None:
        return missing("filter of yours")
    wrong = ""
    taken = store.one("SELECT 1 FROM filters WHERE owner = ? AND name = ? AND id != ?", own["id"], name, number)
    if not 2 <= len(name) <= 60 or taken:
        wrong = "A name has 2 to 60 characters, and no other filter of yours has it."
    try:
        read_query(query, own["name"])
    except QueryError as error:
        wrong = f"{wrong} {error}".strip()
    if wrong:
        return show("filter_form", 422, wrong=wrong, number=number, name=name, query=query, shared=shared)
    if number:
        store.do("UPDATE filters SET name = ?, query = ?, shared = ? WHERE id = ?", name, query, shared, number)
    else:
        given = (own["id"], name, query, shared, store.now[:10])
        number = store.do("INSERT INTO filters VALUES (NULL, ?, ?, ?, ?, ?)", *given)
    return go_to(f"/filters/{number}", notice="The filter is saved.")


@members_only
def _delete_filter(site: SiteApplication, visit: Visit) -> Answer:
    row = _own_filter(site, visit)
    if row is None:
        return missing("filter of yours")
    site.store.do("DELETE FROM filters WHERE id = ?", row["id"])
    return go_to("/filters", notice=f"The filter “{row['name']}” is deleted.")


@members_only
def _profile_page(site: SiteApplication, visit: Visit) -> Answer:
    return show("profile", wrong="", person=visitor(visit), zones=_zones(site), mails=MAILS)


def _zones(site: SiteApplication) -> list[str]:
    return [row[0] for row in site.store.all("SELECT DISTINCT zone FROM users ORDER BY zone")]


@members_only
def _profile(site: SiteApplication, visit: Visit) -> Answer:
    given = {key: visit.form.get(key, "") for key in ("about", "email", "zone", "mails")}
    wrong = []
    if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", given["email"]):
        wrong.append("Give a whole e-mail address.")
    if given["zone"] not in _zones(site) or given["mails"] not in MAILS:
        wrong.append("Choose time zone and notifications from the lists.")
    if wrong:
        return show("profile", 422, wrong=" ".join(wrong), person=given, zones=_zones(site), mails=MAILS)
    site.store.do("UPDATE users SET about = ?, email = ?, zone = ?, mails = ? WHERE id = ?", *given.values(),
                  visitor(visit)["id"])  # fmt: skip
    return go_to("/profile", notice="Your profile is saved.")


P = "/p/{key}"
ROUTES: Routes = [
    ("GET", "/projects/new", _project_page),
    ("POST", "/projects/new", _new_project),
    ("GET", P + "/settings", for_role("Administrator", in_project, _settings_page)),
    ("POST", P + "/settings", for_role("Administrator", in_project, _settings)),
    ("POST", P + "/members", for_role("Administrator", in_project, _member)),
    ("POST", P + "/members/remove", for_role("Administrator", in_project, _remove_member)),
    ("POST", P + "/limits", for_role("Administrator", in_project, _limits)),
    ("POST", P + "/sprints", for_role("Lead", in_project, _new_sprint)),
    ("POST", P + "/sprints/{number:int}/start", for_role("Lead", in_project, _start_sprint)),
    ("POST", P + "/sprints/{number:int}/complete", for_role("Lead", in_project, _complete_sprint)),
    ("POST", P + "/sprints/{number:int}", for_role("Lead", in_project, _change_sprint)),
    ("POST", P + "/backlog", for_role("Developer", in_project, _plan)),
    ("POST", P + "/versions", for_role("Lead", in_project, _new_version)),
    ("POST", P + "/versions/{number:int}", for_role("Lead", in_project, _version)),
    ("POST", P + "/components", for_role("Lead", in_project, _new_component)),
    ("POST", P + "/components/{number:int}/delete", for_role("Lead", in_project, _delete_component)),
    ("GET", "/filters/new", _filter_page),
    ("POST", "/filters/new", _save_filter),
    ("GET", "/filters/{number:int}/edit", _change_filter_page),
    ("POST", "/filters/{number:int}/edit", _save_filter),
    ("POST", "/filters/{number:int}/delete", _delete_filter),
    ("GET", "/profile", _profile_page),
    ("POST", "/profile", _profile),
]
