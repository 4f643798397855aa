"""What visitors do with tickets of the project tracker: report, change, move, resolve, comment, link, log work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.envs.web._sites.application import (
    Answer,
    Routes,
    SiteApplication,
    Visit,
    go_to,
    missing,
    refused,
    show,
    visitor,
)
from agentgym.envs.web._sites.reading import is_day
from agentgym.envs.web._sites.tracker.access import Found, for_role, found_ticket, in_project, on_ticket
from agentgym.envs.web._sites.tracker.history import PRIORITIES, STATES, TYPES

FOLLOWING = {"Open": ["In progress"], "In progress": ["Open", "In review"], "In review": ["In progress", "Testing"],
             "Testing": ["In progress"], "Done": ["Open"]}  # fmt: skip
RESOLUTIONS = ["Fixed", "Completed", "Won't do", "Duplicate", "Cannot reproduce", "Obsolete"]
KINDS = ["blocks", "relates to", "duplicates"]
LONGEST = {"title": 160, "body": 8000, "comment": 4000, "label": 30}
PLANNED = ("assignee", "sprint", "version", "points", "estimate", "due")  # what a reporter cannot set
OPTIONS = {"type": TYPES, "priority": PRIORITIES}
MOST_POINTS, MOST_HOURS = 100, 1000


def is_number(text: str, least: int, most: int) -> bool:
    """Whether a text is a whole number within bounds.

    Args:
        text: What was written.
        least, most: The bounds.
    """
    return text.isascii() and text.isdigit() and len(text) < 8 and least <= int(text) <= most


def _labels(text: str) -> list[str]:
    return sorted({"-".join(part.lower().split()) for part in text.split(",") if part.strip()})


def _objections(found: Found, given: Mapping[str, str]) -> list[str]:
    """What is wrong with a form for a ticket."""
    wrong = []
    if not 3 <= len(given["title"]) <= LONGEST["title"]:
        wrong.append(f"A title has 3 to {LONGEST['title']} characters.")
    if len(given["body"]) > LONGEST["body"]:
        wrong.append(f"A description has at most {LONGEST['body']} characters.")
    for key, options in OPTIONS.items():
        if given[key] not in options:
            wrong.append(f"Choose a {key}: {', '.join(options)}.")
    if given["due"] and not is_day(given["due"]):
        wrong.append("A due date is written like 2026-05-01.")
    if given["points"] and not is_number(given["points"], 0, MOST_POINTS):
        wrong.append(f"Points are a whole number from 0 to {MOST_POINTS}.")
    if given["estimate"] and not is_number(given["estimate"], 0, MOST_HOURS):
        wrong.append(f"An estimate is a whole number of hours from 0 to {MOST_HOURS}.")
    if any(len(label) > LONGEST["label"] for label in _labels(given["labels"])):
        wrong.append(f"A label has at most {LONGEST['label']} characters.")
    for key, names in _offered(found).items():
        if given[key] and given[key] not in names:
            wrong.append(f"There is no {key} “{given[key]}” here.")
    return wrong + _parent_objections(found, given)


def _parent_objections(found: Found, given: Mapping[str, str]) -> list[str]:
    if not given["parent"]:
        return ["A sub-task needs a parent."] if given["type"] == "Sub-task" else []
    key, _, number = given["parent"].rpartition("-")
    row = found.site.store.one("SELECT * FROM tickets WHERE project = ? AND number = ?", found.row["id"], number)
    if key != found.row["key"] or row is None:
        return [f"A parent is another ticket of the project, such as {found.row['key']}-1."]
    if given["type"] == "Epic":
        return ["An epic has no parent."]
    if (given["type"] == "Sub-task") == (row["type"] == "Epic") or row["type"] == "Sub-task":
        return ["The parent of a sub-task is no epic, and that of any other ticket is one."]
    itself = found.ticket is not None and found.ticket["id"] == row["id"]
    return ["A ticket is not its own parent."] if itself else []


def _offered(found: Found) -> dict[str, list[str]]:
    """What a form for a ticket offers."""
    now = found.ticket
    sprints, people = found.names("sprints", "state != 'closed'"), found.people("Developer")
    versions = found.names("versions", "state != 'archived'")
    for names, kept in ((sprints, "sprint_name"), (versions, "version_name"), (people, "assignee_name")):
        if now is not None and now[kept] and now[kept] not in names:
            names.append(now[kept])  # what it has it may keep
    return {"assignee": people, "sprint": sprints, "version": versions, "component": found.names("components")}


def _form(found: Found, status: int, given: Mapping[str, str], wrong: list[str]) -> Answer:
    return show("ticket_form", status, given=given, wrong=" ".join(wrong), offered=_offered(found),
                ticket=found.ticket, **found.values)  # fmt: skip


EMPTY = {"title": "", "body": "", "type": "Task", "priority": "Major", "assignee": "", "sprint": "", "version": "",
         "component": "", "parent": "", "points": "", "estimate": "", "due": "", "labels": ""}  # fmt: skip


def _typed(visit: Visit, found: Found, before: Mapping[str, str]) -> dict[str, str]:
    """What a form was sent with; what the visitor may not set is as before."""
    given = {key: visit.form.get(key, before[key]) for key in EMPTY}
    return given if found.may("Developer") else {**given, **{key: before[key] for key in PLANNED}}


def _as_form(found: Found) -> dict[str, str]:
    """A ticket as its form shows it."""
    row = found.task
    names = {key: row[f"{key}_name"] or "" for key in ("assignee", "sprint", "version", "component", "parent")}
    numbers = {key: str(row[key] or "") for key in ("points", "estimate")}
    texts = {key: row[key] for key in ("title", "body", "type", "priority", "due")}
    return {**texts, **names, **numbers, "labels": row["label_names"] or ""}


def _ids(found: Found, given: Mapping[str, str]) -> dict[str, Any]:
    """What a checked form says, as the columns of a ticket."""
    store, number = found.site.store, found.row["id"]
    named = "SELECT id FROM {} WHERE project = ? AND name = ?"
    parts = ("sprint", "version", "component")
    ids = {key: store.value(named.format(f"{key}s"), number, given[key]) or 0 for key in parts}
    parent = given["parent"].rpartition("-")[2]
    ids["parent"] = store.value("SELECT id FROM tickets WHERE project = ? AND number = ?", number, parent) or 0
    ids["assignee"] = store.value("SELECT id FROM users WHERE name = ?", given["assignee"]) or 0
    texts = {key: given[key] for key in ("title", "body", "type", "priority", "due")}
    return {**texts, **ids, **{key: int(given[key] or 0) for key in ("points", "estimate")}}


def _new_page(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    return _form(found, 200, {**EMPTY, "parent": visit.query.get("parent", "")}, [])


def _new(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    store, own = site.store, visitor(visit)["id"]
    given = _typed(visit, found, EMPTY)
    if wrong := _objections(found, given):
        return _form(found, 422, given, wrong)
    values = _ids(found, given)
    if not values["assignee"] and found.row["assign"] == "Project lead":
        values["assignee"] = found.row["lead"]
    number = 1 + (store.value("SELECT max(number) FROM tickets WHERE project = ?", found.row["id"]) or 0)
    now = store.now
    ticket = store.do(
        "INSERT INTO tickets VALUES (NULL, ?, ?, ?, ?, ?, ?, 'Open', '', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0)",
        found.row["id"], number, values["type"], values["title"], values["body"], values["priority"], own,
        values["assignee"], values["sprint"], values["version"], values["component"], values["parent"],
        values["points"], values["estimate"], values["due"], now, now,
    )  # fmt: skip
    for label in _labels(given["labels"]):
        store.do("INSERT INTO labels VALUES (?, ?)", ticket, label)
    store.do("INSERT INTO watchers VALUES (?, ?)", ticket, own)
    return go_to(f"/browse/{found.row['key']}-{number}", notice=f"{found.row['key']}-{number} is there.")


def change_ticket(site: SiteApplication, visit: Visit, found: Found, values: Mapping[str, Any]) -> None:
    """Set columns of the ticket of an address, and write its history.

    Args:
        site: The site.
        visit: Who does it.
        found: The ticket.
        values: By column; where they are ids of something with a name, the history says the name.
    """
    store, ticket = site.store, found.task
    after = store.one("SELECT * FROM tickets WHERE id = ?", ticket["id"])
    changed = [key for key, value in values.items() if after is not None and after[key] != value]
    moment = store.now
    for key in changed:
        store.do(f"UPDATE tickets SET {key} = ? WHERE id = ?", values[key], ticket["id"])
    renewed = found_ticket(site, visit, ticket["name"])
    for key in changed:
        shown = f"{key}_name" if key in ("assignee", "sprint", "version", "component", "parent") else key
        told = [str(row[shown] or "") for row in (ticket, renewed.task if renewed else ticket)]
        store.do("INSERT INTO changes VALUES (NULL, ?, ?, ?, ?, ?, ?)", ticket["id"], visitor(visit)["id"], key, *told,
                 moment)  # fmt: skip
    if changed:
        store.do("UPDATE tickets SET updated = ? WHERE id = ?", moment, ticket["id"])


def _may_edit(visit: Visit, found: Found) -> bool:
    return found.may("Developer") or (found.may("Reporter") and found.task["reporter"] == visitor(visit)["id"])


NOT_YOURS = "Reporters change only the tickets that they reported; to change this one takes the role Developer."


def _edit_page(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    return _form(found, 200, _as_form(found), []) if _may_edit(visit, found) else refused(NOT_YOURS)


def _edit(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    if not _may_edit(visit, found):
        return refused(NOT_YOURS)
    before = _as_form(found)
    given = _typed(visit, found, before)
    if wrong := _objections(found, given):
        return _form(found, 422, given, wrong)
    ticket, store = found.task, site.store
    change_ticket(site, visit, found, _ids(found, given))
    labels = _labels(given["labels"])
    if labels != _labels(before["labels"]):
        store.do("DELETE FROM labels WHERE ticket = ?", ticket["id"])
        for label in labels:
            store.do("INSERT INTO labels VALUES (?, ?)", ticket["id"], label)
        store.do("INSERT INTO changes VALUES (NULL, ?, ?, 'labels', ?, ?, ?)", ticket["id"], visitor(visit)["id"],
                 before["labels"], ", ".join(labels), store.now)  # fmt: skip
    return _back(found, "The changes are saved.")


def _back(found: Found, notice: str = "") -> Answer:
    return go_to(f"/browse/{found.task['name']}", **({"notice": notice} if notice else {}))


def _move(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    """Into another state, as far as the workflow allows it."""
    state = visit.form.get("state", "")
    before = found.task["state"]
    if state not in FOLLOWING[before]:
        return refused(f"From {before} a ticket can be moved to {' or '.join(FOLLOWING[before])}.")
    ended = {"resolution": "", "resolved": ""} if before == "Done" else {}
    change_ticket(site, visit, found, {"state": state, **ended})
    return _back(found)


def _move_on_board(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    """The form of the board: a ticket by its name, and a state."""
    chosen = found_ticket(site, visit, visit.form.get("ticket", "").upper())
    state = visit.form.get("state", "")
    if chosen is None or chosen.row["id"] != found.row["id"]:
        return go_to(f"{found.way}/board", notice=f"There is no such ticket; write it like {found.row['key']}-1.")
    before = chosen.task["state"]
    if state not in FOLLOWING[before]:
        allowed = " or ".join(FOLLOWING[before])
        return go_to(f"{found.way}/board", notice=f"From {before} a ticket can be moved to {allowed}.")
    most = site.store.value("SELECT most FROM limits WHERE project = ? AND state = ?", found.row["id"], state)
    ended = {"resolution": "", "resolved": ""} if before == "Done" else {}
    change_ticket(site, visit, chosen, {"state": state, **ended})
    query = "SELECT count(*) FROM tickets WHERE project = ? AND state = ? AND sprint = ?"
    count = site.store.value(query, found.row["id"], state, chosen.task["sprint"])
    full = f" The column has {count} tickets, its limit is {most}." if most and count > most else ""
    return go_to(f"{found.way}/board", notice=f"{chosen.task['name']} is {state}.{full}")


def _resolve(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    resolution = visit.form.get("resolution", "")
    if found.task["state"] == STATES[-1]:
        return refused("The ticket is resolved.")
    if resolution not in RESOLUTIONS:
        return refused(f"Choose a resolution: {', '.join(RESOLUTIONS)}.")
    query = "SELECT count(*) FROM tickets WHERE parent = ? AND type = 'Sub-task' AND resolution = ''"
    if below := site.store.value(query, found.task["id"]):
        return _back(found, f"Resolve its {below} open sub-tasks first.")
    change_ticket(site, visit, found, {"state": STATES[-1], "resolution": resolution, "resolved": site.store.now})
    return _back(found)


def _assign(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    """To an account, to nobody, or to the visitor."""
    name = visitor(visit)["name"] if "mine" in visit.form else visit.form.get("assignee", "")
    if name and name not in found.people("Developer"):
        return _back(found, f"{name} cannot be given tickets of this project.")
    person = site.store.value("SELECT id FROM users WHERE name = ?", name) or 0
    change_ticket(site, visit, found, {"assignee": person})
    return _back(found)


def _comment(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    body = visit.form.get("body", "")
    if not 1 <= len(body) <= LONGEST["comment"]:
        return _back(found, f"A comment has 1 to {LONGEST['comment']} characters.")
    moment, own = site.store.now, visitor(visit)["id"]
    site.store.do("INSERT INTO comments VALUES (NULL, ?, ?, ?, ?)", found.task["id"], own, body, moment)
    site.store.do("UPDATE tickets SET updated = ? WHERE id = ?", moment, found.task["id"])
    return _back(found, "The comment is added.")


def _delete_comment(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    row = site.store.one("SELECT * FROM comments WHERE ticket = ? AND id = ?", found.task["id"], visit.path["number"])
    if row is None:
        return missing("comment")
    if row["author"] != visitor(visit)["id"] and not found.may("Lead"):
        return refused("Only its author, leads and administrators may delete a comment.")
    site.store.do("DELETE FROM comments WHERE id = ?", row["id"])
    return _back(found, "The comment is deleted.")


def _watch(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    own, number, store = visitor(visit)["id"], found.task["id"], site.store
    if store.one("SELECT * FROM watchers WHERE ticket = ? AND user = ?", number, own):
        store.do("DELETE FROM watchers WHERE ticket = ? AND user = ?", number, own)
    else:
        store.do("INSERT INTO watchers VALUES (?, ?)", number, own)
    return _back(found)


def _vote(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    own, number, store = visitor(visit)["id"], found.task["id"], site.store
    if found.task["reporter"] == own:
        return refused("Nobody votes for a ticket that they reported.")
    voted = store.one("SELECT * FROM votes WHERE ticket = ? AND user = ?", number, own)
    if voted:
        store.do("DELETE FROM votes WHERE ticket = ? AND user = ?", number, own)
    else:
        store.do("INSERT INTO votes VALUES (?, ?)", number, own)
    store.do("UPDATE tickets SET votes = votes + ? WHERE id = ?", -1 if voted else 1, number)
    return _back(found)


def _log_work(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    hours, day = visit.form.get("hours", ""), visit.form.get("day", "") or site.store.now[:10]
    if not is_number(hours, 1, 24):
        return _back(found, "Work is logged in whole hours from 1 to 24.")
    if not is_day(day) or day > site.store.now[:10]:
        return _back(found, "The day is written like 2026-03-01, and is not in the future.")
    given = (found.task["id"], visitor(visit)["id"], int(hours), day, visit.form.get("note", ""))
    site.store.do("INSERT INTO work VALUES (NULL, ?, ?, ?, ?, ?)", *given)
    return _back(found, "The work is logged.")


def _link(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    kind, name = visit.form.get("kind", ""), visit.form.get("target", "").upper()
    other = found_ticket(site, visit, name)
    if kind not in KINDS:
        return _back(found, f"Choose a kind of link: {', '.join(KINDS)}.")
    if other is None or other.task["id"] == found.task["id"]:
        return _back(found, f"There is no other ticket “{name}”; write it like {found.row['key']}-1.")
    ends = (found.task["id"], kind, other.task["id"])
    if site.store.one("SELECT * FROM links WHERE source = ? AND kind = ? AND target = ?", *ends):
        return _back(found, "This link is there.")
    site.store.do("INSERT INTO links VALUES (NULL, ?, ?, ?)", *ends)
    return _back(found, "The link is added.")


def _unlink(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    other = found_ticket(site, visit, visit.form.get("other", "").upper())
    if other is None:
        return missing("link")
    ends = (found.task["id"], other.task["id"])
    site.store.do("DELETE FROM links WHERE (source = ?1 AND target = ?2) OR (source = ?2 AND target = ?1)", *ends)
    return _back(found, "The link is removed.")


def _delete(site: SiteApplication, visit: Visit, found: Found) -> Answer:
    number, store = found.task["id"], site.store
    for table in ("labels", "comments", "changes", "watchers", "votes", "work"):
        store.do(f"DELETE FROM {table} WHERE ticket = ?", number)
    store.do("DELETE FROM links WHERE source = ?1 OR target = ?1", number)
    store.do("UPDATE tickets SET parent = 0 WHERE parent = ?", number)
    store.do("DELETE FROM tickets WHERE id = ?", number)
    return go_to(found.way, notice=f"{found.task['name']} is deleted.")


P, T = "/p/{key}", "/browse/{name}"
ROUTES: Routes = [
    ("GET", P + "/tickets/new", for_role("Reporter", in_project, _new_page)),
    ("POST", P + "/tickets/new", for_role("Reporter", in_project, _new)),
    ("POST", P + "/board", for_role("Developer", in_project, _move_on_board)),
    ("GET", T + "/edit", for_role("Reporter", on_ticket, _edit_page)),
    ("POST", T + "/edit", for_role("Reporter", on_ticket, _edit)),
    ("POST", T + "/move", for_role("Developer", on_ticket, _move)),
    ("POST", T + "/resolve", for_role("Developer", on_ticket, _resolve)),
    ("POST", T + "/assign", for_role("Developer", on_ticket, _assign)),
    ("POST", T + "/comment", for_role("Reporter", on_ticket, _comment)),
    ("POST", T + "/comments/{number:int}/delete", for_role("Reporter", on_ticket, _delete_comment)),
    ("POST", T + "/watch", for_role("", on_ticket, _watch)),
    ("POST", T + "/vote", for_role("", on_ticket, _vote)),
    ("POST", T + "/work", for_role("Developer", on_ticket, _log_work)),
    ("POST", T + "/links", for_role("Developer", on_ticket, _link)),
    ("POST", T + "/links/remove", for_role("Developer", on_ticket, _unlink)),
    ("POST", T + "/delete", for_role("Lead", on_ticket, _delete)),
]
