"""What visitors do on the map: lists of places, ratings, reports of what is wrong, and their settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

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
from agentgym.envs.web._sites.atlas.content import words
from agentgym.envs.web._sites.atlas.finding import FULL, spot_of
from agentgym.envs.web._sites.atlas.routes import MODES
from agentgym.envs.web._sites.database import Row

LONGEST_NAME, LONGEST_NOTE, LONGEST_TEXT = 60, 200, 1000
Deed = Callable[[SiteApplication, Visit, Row], Answer]


def _on_list(deed: Deed) -> Page:
    """A page for the owner of a list."""

    @wraps(deed)
    def page(site: SiteApplication, visit: Visit) -> Answer:
        """Do the deed on the list that the path of the `visit` names, if the `site` has it for the visitor to see."""
        row = site.store.one("SELECT * FROM lists WHERE id = ?", visit.path["number"])
        if row is None or (row["owner"] != visitor(visit)["id"] and not row["shared"]):
            return missing("list")
        if row["owner"] != visitor(visit)["id"]:
            return refused("The list is somebody else's.")
        return deed(site, visit, row)

    return members_only(page)


def _at_place(deed: Deed) -> Page:
    """A page that does something with a place."""

    @wraps(deed)
    def page(site: SiteApplication, visit: Visit) -> Answer:
        """Do the deed at the place that the path of the `visit` names, if the `site` has it."""
        row = site.store.one("SELECT * FROM places WHERE id = ?", visit.path["number"])
        return missing("place") if row is None else deed(site, visit, row)

    return members_only(page)


@members_only
def _lists(site: SiteApplication, visit: Visit) -> Answer:
    own = visitor(visit)["id"]
    count = "(SELECT count(*) FROM kept WHERE list = lists.id) AS n"
    mine = site.store.all(f"SELECT lists.*, {count} FROM lists WHERE owner = ? ORDER BY id", own)
    others = site.store.all(f"SELECT lists.*, {count}, users.name AS owner_name FROM lists JOIN users ON users.id = "
                            "owner WHERE shared = 1 AND owner != ? ORDER BY lists.id", own)  # fmt: skip
    return show("lists", mine=mine, others=others, wrong="", given={"name": "", "about": ""})


def _list(site: SiteApplication, visit: Visit) -> Answer:
    row = site.store.one("SELECT lists.*, users.name AS owner_name FROM lists JOIN users ON users.id = owner WHERE "
                         "lists.id = ?", visit.path["number"])  # fmt: skip
    own = visit.user["id"] if visit.user else 0
    if row is None or (row["owner"] != own and not row["shared"]):
        return missing("list")
    places = site.store.all(f"SELECT kept.note, found.* FROM kept JOIN ({FULL}) AS found ON found.id = place WHERE "
                            "list = ? ORDER BY kept.id", row["id"])  # fmt: skip
    return show("list", row=row, places=places, mine=row["owner"] == own, wrong="")


@members_only
def _new_list(site: SiteApplication, visit: Visit) -> Answer:
    own, name, about = visitor(visit)["id"], visit.form.get("name", ""), visit.form.get("about", "")
    wrong = "" if 1 <= len(name) <= LONGEST_NAME else f"A name has 1 to {LONGEST_NAME} characters."
    if site.store.one("SELECT 1 FROM lists WHERE owner = ? AND name = ?", own, name):
        wrong = "You have a list of this name."
    if wrong:
        return show("lists", 422, mine=[], others=[], wrong=wrong, given={"name": name, "about": about})
    number = site.store.do("INSERT INTO lists VALUES (NULL, ?, ?, ?, ?, ?)", own, name, about[:LONGEST_NOTE],
                           int("shared" in visit.form), site.store.now[:10])  # fmt: skip
    return go_to(f"/lists/{number}", notice="The list is there.")


@_on_list
def _change_list(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    name = visit.form.get("name", "")
    same = "SELECT 1 FROM lists WHERE owner = ? AND name = ? AND id != ?"
    if site.store.one(same, row["owner"], name, row["id"]) or not 1 <= len(name) <= LONGEST_NAME:
        wrong = f"A name has 1 to {LONGEST_NAME} characters, and no other list of yours has it."
        return go_to(f"/lists/{row['id']}", notice=wrong)
    site.store.do("UPDATE lists SET name = ?, about = ?, shared = ? WHERE id = ?", name,
                  visit.form.get("about", "")[:LONGEST_NOTE], int("shared" in visit.form), row["id"])  # fmt: skip
    return go_to(f"/lists/{row['id']}", notice="The list is saved.")


@_on_list
def _delete_list(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    site.store.do("DELETE FROM kept WHERE list = ?", row["id"])
    site.store.do("DELETE FROM lists WHERE id = ?", row["id"])
    return go_to("/lists", notice=f"The list “{row['name']}” is deleted.")


@_on_list
def _note(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    site.store.do("UPDATE kept SET note = ? WHERE list = ? AND place = ?", visit.form.get("note", "")[:LONGEST_NOTE],
                  row["id"], visit.form.get("place", ""))  # fmt: skip
    return go_to(f"/lists/{row['id']}")


@_on_list
def _drop(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    site.store.do("DELETE FROM kept WHERE list = ? AND place = ?", row["id"], visit.form.get("place", ""))
    return go_to(f"/lists/{row['id']}")


@_at_place
def _keep(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    own, name = visitor(visit)["id"], visit.form.get("list", "")
    goal = site.store.value("SELECT id FROM lists WHERE owner = ? AND name = ?", own, name)
    if goal is None:
        return go_to(f"/place/{row['id']}", notice="Choose one of your lists.")
    site.store.do("INSERT OR IGNORE INTO kept VALUES (NULL, ?, ?, '')", goal, row["id"])
    return go_to(f"/place/{row['id']}", notice=f"{row['name']} is on the list “{name}”.")


@_at_place
def _rate(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    stars, body = visit.form.get("stars", ""), visit.form.get("body", "")
    if stars not in tuple("12345") or len(body) > LONGEST_TEXT:
        return go_to(f"/place/{row['id']}", notice=f"Give 1 to 5 stars, and at most {LONGEST_TEXT} characters.")
    site.store.do("INSERT OR REPLACE INTO ratings VALUES (NULL, ?, ?, ?, ?, ?)", row["id"], visitor(visit)["id"],
                  int(stars), body, site.store.now)  # fmt: skip
    return go_to(f"/place/{row['id']}", notice="Thank you for your rating.")


@_at_place
def _report(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    kind, body = visit.form.get("kind", ""), visit.form.get("body", "")
    if kind not in words()["report_kinds"] or not 1 <= len(body) <= LONGEST_TEXT:
        return go_to(f"/place/{row['id']}", notice="Choose what is wrong, and write what you have seen.")
    site.store.do("INSERT INTO reports VALUES (NULL, ?, ?, ?, ?, 'Open', ?)", row["id"], visitor(visit)["id"], kind,
                  body, site.store.now)  # fmt: skip
    return go_to(f"/place/{row['id']}", notice="Thank you; we will look at it.")


@_at_place
def _home(site: SiteApplication, visit: Visit, row: Row) -> Answer:
    site.store.do("UPDATE users SET home = ? WHERE id = ?", row["id"], visitor(visit)["id"])
    return go_to(f"/place/{row['id']}", notice="This is your home; write “home” in the form for directions.")


@members_only
def _settings_page(site: SiteApplication, visit: Visit) -> Answer:
    own = visitor(visit)
    return show("settings", wrong="", own=own, home=spot_of(site.store, f"p{own['home']}"))


@members_only
def _settings(site: SiteApplication, visit: Visit) -> Answer:
    own, label = visitor(visit), visit.form.get("mode", "")
    mode = next((key for key, said in MODES.items() if said == label), None)
    if mode is None:
        wrong = f"Choose how you travel: {', '.join(MODES.values())}."
        return show("settings", 422, wrong=wrong, own=own, home=spot_of(site.store, f"p{own['home']}"))
    site.store.do("UPDATE users SET mode = ?, about = ? WHERE id = ?", mode, visit.form.get("about", "")[:LONGEST_TEXT],
                  own["id"])  # fmt: skip
    return go_to("/settings", notice="Your settings are saved.")


P, LIST = "/place/{number:int}", "/lists/{number:int}"
ROUTES: Routes = [
    ("GET", "/lists", _lists),
    ("POST", "/lists", _new_list),
    ("GET", LIST, _list),
    ("POST", LIST, _change_list),
    ("POST", LIST + "/delete", _delete_list),
    ("POST", LIST + "/note", _note),
    ("POST", LIST + "/drop", _drop),
    ("POST", P + "/keep", _keep),
    ("POST", P + "/rate", _rate),
    ("POST", P + "/report", _report),
    ("POST", P + "/home", _home),
    ("GET", "/settings", _settings_page),
    ("POST", "/settings", _settings),
]
