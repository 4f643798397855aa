"""Contacts: people with numbers, groups and birthdays; found by name, added, changed, deleted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.envs.web._sites.application import Answer, Routes, SiteApplication, Visit, go_to, missing, paged, show
from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._sites.device.forms import full_name, is_phone, wrong_length
from agentgym.envs.web._sites.reading import is_day

SIZE = 25
FIELDS = ("first", "last", "phone", "email", "company", "city", "birthday", "team")
GROUPS = ("Family", "Friends", "Work", "Neighbors", "Other")
FOUND = "instr(lower(first || ' ' || last || ' ' || company || ' ' || phone || ' ' || city), lower(?)) > 0"


def _list(site: SiteApplication, visit: Visit) -> Answer:
    asked = {key: visit.query.get(key, "").strip() for key in ("q", "team", "only")}
    where, given = "1", []
    if asked["q"]:
        where, given = FOUND, [asked["q"]]
    if asked["team"]:
        where, given = f"{where} AND team = ?", [*given, asked["team"]]
    where += {"favorites": " AND favorite = 1", "blocked": " AND blocked = 1"}.get(asked["only"], "")
    place = paged(visit, site.store.value(f"SELECT count(*) FROM contacts WHERE {where}", *given), SIZE)
    rows = site.store.all(f"SELECT * FROM contacts WHERE {where} ORDER BY first, last, id LIMIT ? OFFSET ?", *given,
                          SIZE, place["start"])  # fmt: skip
    return show("contacts", contacts=rows, asked=asked, groups=GROUPS, **place)


def _found(site: SiteApplication, visit: Visit) -> Row | None:
    return site.store.one("SELECT * FROM contacts WHERE id = ?", visit.path["number"])


def _contact(site: SiteApplication, visit: Visit) -> Answer:
    row = _found(site, visit)
    if row is None:
        return missing("contact")
    thread = site.store.value("SELECT id FROM threads WHERE phone = ?", row["phone"])
    return show("contact", row=row, name=full_name(row), thread=thread)


def _form(given: Mapping[str, Any], number: int, wrong: str = "") -> Answer:
    return show("contact_form", 422 if wrong else 200, given=given, number=number, wrong=wrong, groups=GROUPS)


def _new(site: SiteApplication, visit: Visit) -> Answer:
    return _form(dict.fromkeys(FIELDS, "") | {"team": "Other", "phone": visit.query.get("phone", "")}, 0)


def _edit(site: SiteApplication, visit: Visit) -> Answer:
    row = _found(site, visit)
    return missing("contact") if row is None else _form(dict(row), row["id"])


def _objections(site: SiteApplication, given: Mapping[str, str], number: int) -> list[str]:
    wrong = wrong_length("A first name", given["first"], "name")
    for key in ("last", "company", "city", "email"):
        wrong += wrong_length(key.capitalize(), given[key], "name", 0)
    if not is_phone(given["phone"]):
        wrong.append("A phone number has digits, such as 555-0142.")
    elif site.store.one("SELECT 1 FROM contacts WHERE phone = ? AND id != ?", given["phone"], number):
        wrong.append("Another contact has this number.")
    if given["email"] and "@" not in given["email"]:
        wrong.append("An email address has an @.")
    if given["birthday"] and not is_day(given["birthday"]):
        wrong.append("A birthday is written like 1990-05-01.")
    if given["team"] not in GROUPS:
        wrong.append(f"Choose a group: {', '.join(GROUPS)}.")
    return wrong


def _save(site: SiteApplication, visit: Visit) -> Answer:
    number = int(visit.path.get("number", "0"))
    if number and _found(site, visit) is None:
        return missing("contact")
    given = {key: visit.form.get(key, "") for key in FIELDS}
    wrong = _objections(site, given, number)
    if wrong:
        return _form(given, number, " ".join(wrong))
    store = site.store
    if number:
        before = store.value("SELECT phone FROM contacts WHERE id = ?", number)
        columns = ", ".join(f"{key} = ?" for key in FIELDS)
        store.do(f"UPDATE contacts SET {columns} WHERE id = ?", *given.values(), number)
        if not store.one("SELECT 1 FROM threads WHERE phone = ?", given["phone"]):
            store.do("UPDATE threads SET phone = ? WHERE phone = ?", given["phone"], before)
    else:
        marks = ", ".join("?" * len(FIELDS))
        number = store.do(f"INSERT INTO contacts VALUES (NULL, {marks}, 0, 0)", *given.values())
    return go_to(f"/contacts/{number}", notice="Saved.")


def _flip(site: SiteApplication, visit: Visit) -> Answer:
    row, name = _found(site, visit), visit.form.get("name", "")
    if row is None or name not in ("favorite", "blocked"):
        return missing("contact")
    site.store.do(f"UPDATE contacts SET {name} = 1 - {name} WHERE id = ?", row["id"])
    return go_to(f"/contacts/{row['id']}")


def _delete(site: SiteApplication, visit: Visit) -> Answer:
    row = _found(site, visit)
    if row is None:
        return missing("contact")
    site.store.do("DELETE FROM contacts WHERE id = ?", row["id"])
    return go_to("/contacts", notice=f"{full_name(row)} is deleted.")


ROUTES: Routes = [
    ("GET", "/contacts", _list),
    ("GET", "/contacts/new", _new),
    ("POST", "/contacts/new", _save),
    ("GET", "/contacts/{number:int}", _contact),
    ("GET", "/contacts/{number:int}/edit", _edit),
    ("POST", "/contacts/{number:int}/edit", _save),
    ("POST", "/contacts/{number:int}/flip", _flip),
    ("POST", "/contacts/{number:int}/delete", _delete),
]
