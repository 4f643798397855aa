"""Notes: texts and lists to tick off, in folders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.envs.web._sites.application import Answer, Routes, SiteApplication, Visit, go_to, missing, paged, show
from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._sites.device.forms import wrong_length

SIZE = 25
FOLDERS = ("Personal", "Work", "Home", "Travel", "Ideas")


def _list(site: SiteApplication, visit: Visit) -> Answer:
    asked = {key: visit.query.get(key, "").strip() for key in ("q", "folder")}
    where, given = "1", []
    if asked["q"]:
        where = "(instr(lower(title || ' ' || body), lower(?)) > 0 OR id IN (SELECT note FROM items WHERE " \
                "instr(lower(items.body), lower(?)) > 0))"  # fmt: skip
        given = [asked["q"], asked["q"]]
    if asked["folder"]:
        where, given = f"{where} AND folder = ?", [*given, asked["folder"]]
    place = paged(visit, site.store.value(f"SELECT count(*) FROM notes WHERE {where}", *given), SIZE)
    rows = site.store.all(f"SELECT * FROM notes WHERE {where} ORDER BY pinned DESC, changed DESC, id LIMIT ? OFFSET ?",
                          *given, SIZE, place["start"])  # fmt: skip
    return show("notes", notes=rows, asked=asked, folders=FOLDERS, **place)


def _found(site: SiteApplication, visit: Visit) -> Row | None:
    return site.store.one("SELECT * FROM notes WHERE id = ?", visit.path["number"])


def _note(site: SiteApplication, visit: Visit, wrong: str = "") -> Answer:
    row = _found(site, visit)
    if row is None:
        return missing("note")
    items = site.store.all("SELECT * FROM items WHERE note = ? ORDER BY id", row["id"])
    return show("note", 422 if wrong else 200, row=row, items=items, wrong=wrong)


def _form(given: Mapping[str, Any], number: int, wrong: str = "") -> Answer:
    return show("note_form", 422 if wrong else 200, given=given, number=number, wrong=wrong, folders=FOLDERS)


def _new(site: SiteApplication, visit: Visit) -> Answer:
    return _form({"title": "", "body": "", "folder": "Personal"}, 0)


def _edit(site: SiteApplication, visit: Visit) -> Answer:
    row = _found(site, visit)
    return missing("note") if row is None else _form(dict(row), row["id"])


def _save(site: SiteApplication, visit: Visit) -> Answer:
    number = int(visit.path.get("number", "0"))
    if number and _found(site, visit) is None:
        return missing("note")
    given = {key: visit.form.get(key, "").replace("\r\n", "\n") for key in ("title", "body", "folder")}
    wrong = wrong_length("A title", given["title"], "name") + wrong_length("A note", given["body"], "text", 0)
    if given["folder"] not in FOLDERS:
        wrong.append(f"Choose a folder: {', '.join(FOLDERS)}.")
    if wrong:
        return _form(given, number, " ".join(wrong))
    store = site.store
    if number:
        store.do("UPDATE notes SET title = ?, body = ?, folder = ?, changed = ? WHERE id = ?", *given.values(),
                 store.now, number)  # fmt: skip
    else:
        number = store.do("INSERT INTO notes VALUES (NULL, ?, ?, ?, 0, ?)", *given.values(), store.now)
    return go_to(f"/notes/{number}", notice="Saved.")


def _pin(site: SiteApplication, visit: Visit) -> Answer:
    site.store.do("UPDATE notes SET pinned = 1 - pinned WHERE id = ?", visit.path["number"])
    return go_to(f"/notes/{visit.path['number']}")


def _delete(site: SiteApplication, visit: Visit) -> Answer:
    row = _found(site, visit)
    if row is None:
        return missing("note")
    site.store.do("DELETE FROM items WHERE note = ?", row["id"])
    site.store.do("DELETE FROM notes WHERE id = ?", row["id"])
    return go_to("/notes", notice=f"“{row['title']}” is deleted.")


def _add_item(site: SiteApplication, visit: Visit) -> Answer:
    text = visit.form.get("item", "")
    wrong = wrong_length("An item", text)
    if wrong or _found(site, visit) is None:
        return _note(site, visit, " ".join(wrong))
    site.store.do("INSERT INTO items VALUES (NULL, ?, ?, 0)", visit.path["number"], text)
    return go_to(f"/notes/{visit.path['number']}")


def _tick(site: SiteApplication, visit: Visit) -> Answer:
    site.store.do("UPDATE items SET done = 1 - done WHERE note = ? AND id = ?", visit.path["number"],
                  visit.path["item"])  # fmt: skip
    return go_to(f"/notes/{visit.path['number']}")


def _drop_item(site: SiteApplication, visit: Visit) -> Answer:
    site.store.do("DELETE FROM items WHERE note = ? AND id = ?", visit.path["number"], visit.path["item"])
    return go_to(f"/notes/{visit.path['number']}")


N = "/notes/{number:int}"
ROUTES: Routes = [
    ("GET", "/notes", _list),
    ("GET", "/notes/new", _new),
    ("POST", "/notes/new", _save),
    ("GET", N, _note),
    ("GET", N + "/edit", _edit),
    ("POST", N + "/edit", _save),
    ("POST", N + "/pin", _pin),
    ("POST", N + "/delete", _delete),
    ("POST", N + "/items", _add_item),
    ("POST", N + "/items/{item:int}/tick", _tick),
    ("POST", N + "/items/{item:int}/drop", _drop_item),
]
