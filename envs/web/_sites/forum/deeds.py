"""What visitors do in the forum: write, vote, subscribe, save, report, moderate."""

from __future__ import annotations

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

FLAIRS = ["Question", "Discussion", "Guide", "News", "Show and tell", "Help"]
BOARD_RULES = "3 to 20 letters and digits in lower case"


def moderated(site: SiteApplication, visit: Visit) -> Row | Answer:
    """The board of `site` that the address of `visit` names and the visitor moderates, or why there is none."""
    board = site.store.one("SELECT * FROM boards WHERE name = ?", visit.path["board"])
    if board is None:
        return missing("board")
    own = visit.user["id"] if visit.user else 0
    if site.store.one("SELECT * FROM moderators WHERE board = ? AND user = ?", board["id"], own) is None:
        return refused("Only moderators of the board may do this.")
    return board


def _thread(site: SiteApplication, visit: Visit) -> tuple[Row, str] | None:
    """The post of an address and the way to it."""
    post = site.store.one("SELECT * FROM posts WHERE id = ? AND removed = 0", visit.path["post"])
    if post is None:
        return None
    return post, f"/b/{site.store.value('SELECT name FROM boards WHERE id = ?', post['board'])}/{post['id']}"


@members_only
def _submit_page(site: SiteApplication, visit: Visit) -> Answer:
    given = {"board": visit.query.get("board", ""), "title": "", "body": "", "flair": "Discussion"}
    return show("submit", wrong="", **_choices(site), **given)


def _choices(site: SiteApplication) -> dict[str, list[str]]:
    return {"names": [row["name"] for row in site.store.all("SELECT name FROM boards ORDER BY name")], "flairs": FLAIRS}


@members_only
def _submit(site: SiteApplication, visit: Visit) -> Answer:
    given = {key: visit.form.get(key, "") for key in ("board", "title", "body", "flair")}
    board = site.store.one("SELECT * FROM boards WHERE name = ?", given["board"])
    own = visitor(visit)["id"]
    wrong = ""
    if board is None:
        wrong = "Choose a board."
    elif not 3 <= len(given["title"]) <= 200:
        wrong = "A title has 3 to 200 characters."
    elif given["flair"] not in FLAIRS:
        wrong = "Choose a kind of post."
    elif site.store.one("SELECT * FROM bans WHERE board = ? AND user = ?", board["id"], own):
        wrong = "You may not write in this board."
    if wrong or board is None:
        return show("submit", 422, wrong=wrong, **_choices(site), **given)
    number = site.store.do(
        "INSERT INTO posts VALUES (NULL, ?, ?, ?, ?, ?, ?, 1, 0, 0, 0, 0, '')",
        board["id"], own, given["title"], given["body"], given["flair"], site.store.now,
    )  # fmt: skip
    return go_to(f"/b/{board['name']}/{number}", notice="Your post is published.")


@members_only
def _reply(site: SiteApplication, visit: Visit) -> Answer:
    found, body = _thread(site, visit), visit.form.get("body", "")
    if found is None:
        return missing("post")
    post, way = found
    if post["locked"]:
        return refused("This thread is locked.")
    if not body:
        return go_to(way, notice="A reply needs a text.")
    parent = visit.form.get("parent", "0")
    parent = parent if site.store.one("SELECT * FROM replies WHERE id = ? AND post = ?", parent, post["id"]) else "0"
    site.store.do(
        "INSERT INTO replies VALUES (NULL, ?, ?, ?, ?, ?, 1, 0, '')", post["id"], int(parent), visitor(visit)["id"],
        body, site.store.now,
    )  # fmt: skip
    site.store.do("UPDATE posts SET replies = replies + 1 WHERE id = ?", post["id"])
    return go_to(way, notice="Your reply is published.")


@members_only
def _answer_page(site: SiteApplication, visit: Visit) -> Answer:
    found = site.store.one(
        "SELECT replies.*, users.name AS writer FROM replies JOIN users ON users.id = author WHERE replies.id = ?",
        visit.path["reply"],
    )
    return missing("reply") if found is None else show("answer", reply=found, base=f"/b/{visit.path['board']}")


@members_only
def _vote(site: SiteApplication, visit: Visit) -> Answer:
    kind, target = visit.form.get("kind", "post"), visit.form.get("target", "")
    found, table = _thread(site, visit), {"post": "posts", "reply": "replies"}.get(kind)
    if found is None or table is None or site.store.one(f"SELECT * FROM {table} WHERE id = ?", target) is None:
        return missing("post")
    wanted = 1 if visit.form.get("value") == "up" else -1
    own, store = visitor(visit)["id"], site.store
    before = store.value("SELECT value FROM votes WHERE user = ? AND kind = ? AND target = ?", own, kind, target) or 0
    after = 0 if before == wanted else wanted  # the same vote again takes it back
    store.do("INSERT OR REPLACE INTO votes VALUES (?, ?, ?, ?)", own, kind, int(target), after)
    store.do(f"UPDATE {table} SET score = score + ? WHERE id = ?", after - before, int(target))
    return go_to(found[1])


@members_only
def _save(site: SiteApplication, visit: Visit) -> Answer:
    found = _thread(site, visit)
    if found is None:
        return missing("post")
    own, post = visitor(visit)["id"], found[0]["id"]
    if site.store.one("SELECT * FROM saved WHERE user = ? AND post = ?", own, post):
        site.store.do("DELETE FROM saved WHERE user = ? AND post = ?", own, post)
    else:
        site.store.do("INSERT INTO saved VALUES (?, ?)", own, post)
    return go_to(found[1])


@members_only
def _report(site: SiteApplication, visit: Visit) -> Answer:
    found, reason = _thread(site, visit), visit.form.get("reason", "")
    if found is None:
        return missing("post")
    if not reason:
        return go_to(found[1], notice="A report needs a reason.")
    site.store.do(
        "INSERT INTO reports VALUES (NULL, ?, ?, ?, ?, 0)", found[0]["id"], visitor(visit)["id"], reason, site.store.now
    )
    return go_to(found[1], notice="The moderators have your report.")


@members_only
def _edit_page(site: SiteApplication, visit: Visit) -> Answer:
    found = _thread(site, visit)
    if found is None or found[0]["author"] != visitor(visit)["id"]:
        return refused("You can change your own posts only.")
    return show("edit", post=found[0], way=found[1], flairs=FLAIRS)


@members_only
def _edit(site: SiteApplication, visit: Visit) -> Answer:
    found = _thread(site, visit)
    if found is None or found[0]["author"] != visitor(visit)["id"]:
        return refused("You can change your own posts only.")
    flair = visit.form.get("flair", "")
    site.store.do(
        "UPDATE posts SET body = ?, flair = ?, edited = ? WHERE id = ?", visit.form.get("body", ""),
        flair if flair in FLAIRS else found[0]["flair"], site.store.now, found[0]["id"],
    )  # fmt: skip
    return go_to(found[1], notice="Your post is changed.")


@members_only
def _delete(site: SiteApplication, visit: Visit) -> Answer:
    found = _thread(site, visit)
    if found is None or found[0]["author"] != visitor(visit)["id"]:
        return refused("You can delete your own posts only.")
    site.store.do("UPDATE posts SET removed = 1 WHERE id = ?", found[0]["id"])
    return go_to(f"/u/{visitor(visit)['name']}", notice="Your post is deleted.")


@members_only
def _subscribe(site: SiteApplication, visit: Visit) -> Answer:
    board = site.store.one("SELECT * FROM boards WHERE name = ?", visit.path["board"])
    if board is None:
        return missing("board")
    own = visitor(visit)["id"]
    if site.store.one("SELECT * FROM subscriptions WHERE user = ? AND board = ?", own, board["id"]):
        site.store.do("DELETE FROM subscriptions WHERE user = ? AND board = ?", own, board["id"])
    else:
        site.store.do("INSERT INTO subscriptions VALUES (?, ?)", own, board["id"])
    return go_to(f"/b/{board['name']}")


@members_only
def _block(site: SiteApplication, visit: Visit) -> Answer:
    person = site.store.one("SELECT * FROM users WHERE name = ?", visit.path["name"])
    own = visitor(visit)["id"]
    if person is None or person["id"] == own:
        return missing("account")
    if site.store.one("SELECT * FROM blocks WHERE user = ? AND blocked = ?", own, person["id"]):
        site.store.do("DELETE FROM blocks WHERE user = ? AND blocked = ?", own, person["id"])
    else:
        site.store.do("INSERT INTO blocks VALUES (?, ?)", own, person["id"])
    return go_to(f"/u/{person['name']}")


@members_only
def _settings_page(site: SiteApplication, visit: Visit) -> Answer:
    blocked = site.store.all(
        "SELECT users.name FROM blocks JOIN users ON users.id = blocked WHERE user = ? ORDER BY name",
        visitor(visit)["id"],
    )
    return show("settings", wrong="", person=visitor(visit), blocked=blocked)


@members_only
def _settings(site: SiteApplication, visit: Visit) -> Answer:
    given = {key: visit.form.get(key, "") for key in ("email", "place", "about")}
    if "@" not in given["email"].strip("@"):
        return show("settings", 422, wrong="Give a whole e-mail address.", person=given, blocked=[])
    site.store.do(
        "UPDATE users SET email = ?, place = ?, about = ? WHERE id = ?", *given.values(), visitor(visit)["id"]
    )
    return go_to("/settings", notice="Your settings are saved.")


@members_only
def _write_page(site: SiteApplication, visit: Visit) -> Answer:
    return show("write", wrong="", to=visit.query.get("to", ""), subject=visit.query.get("subject", ""), body="")


@members_only
def _write(site: SiteApplication, visit: Visit) -> Answer:
    given = {key: visit.form.get(key, "") for key in ("to", "subject", "body")}
    person = site.store.one("SELECT * FROM users WHERE name = ?", given["to"])
    if person is None or not given["subject"] or not given["body"]:
        wrong = "There is no such account." if person is None else "A message needs a subject and a text."
        return show("write", 422, wrong=wrong, **given)
    number = site.store.do(
        "INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, 0)", visitor(visit)["id"], person["id"], given["subject"],
        given["body"], site.store.now,
    )  # fmt: skip
    return go_to(f"/messages/{number}", notice="Your message is sent.")


@members_only
def _board_page(site: SiteApplication, visit: Visit) -> Answer:
    return show("new_board", wrong="", name="", title="", description="", category="Living", **_categories(site))


def _categories(site: SiteApplication) -> dict[str, list[str]]:
    rows = site.store.all("SELECT DISTINCT category FROM boards ORDER BY category")
    return {"categories": [row["category"] for row in rows]}


@members_only
def _new_board(site: SiteApplication, visit: Visit) -> Answer:
    given = {key: visit.form.get(key, "") for key in ("name", "title", "description", "category")}
    name, store, wrong = given["name"], site.store, ""
    if not (3 <= len(name) <= 20 and name.isalnum() and name.isascii() and name == name.lower()):
        wrong = f"The name of a board has {BOARD_RULES}."
    elif store.one("SELECT * FROM boards WHERE name = ?", name):
        wrong = "There is a board of this name."
    elif not given["title"] or given["category"] not in _categories(site)["categories"]:
        wrong = "A board needs a title and a category."
    if wrong:
        return show("new_board", 422, wrong=wrong, **given, **_categories(site))
    number = store.do(
        "INSERT INTO boards VALUES (NULL, ?, ?, ?, ?, ?)", name, given["title"], given["category"],
        given["description"],         store.now[:10],
    )  # fmt: skip
    store.do("INSERT INTO moderators VALUES (?, ?)", number, visitor(visit)["id"])
    store.do("INSERT INTO subscriptions VALUES (?, ?)", visitor(visit)["id"], number)
    return go_to(f"/b/{name}", notice="The board is open.")


@members_only
def _moderate(site: SiteApplication, visit: Visit) -> Answer:
    """Pin, lock or remove a post, or settle a report."""
    board = moderated(site, visit)
    if isinstance(board, Answer):
        return board
    post = site.store.one("SELECT * FROM posts WHERE id = ? AND board = ?", visit.path["post"], board["id"])
    deed = visit.form.get("deed", "")
    if post is None:
        return missing("post")
    if deed in ("pinned", "locked"):
        site.store.do(f"UPDATE posts SET {deed} = ? WHERE id = ?", 1 - post[deed], post["id"])
        return go_to(f"/b/{board['name']}/{post['id']}")
    if deed == "remove":
        site.store.do("UPDATE posts SET removed = 1 WHERE id = ?", post["id"])
    site.store.do("UPDATE reports SET settled = 1 WHERE post = ?", post["id"])
    return go_to(f"/b/{board['name']}/queue", notice="Removed." if deed == "remove" else "Kept.")


@members_only
def _ban(site: SiteApplication, visit: Visit) -> Answer:
    board = moderated(site, visit)
    if isinstance(board, Answer):
        return board
    person = site.store.one("SELECT * FROM users WHERE name = ?", visit.form.get("name", ""))
    if person is None:
        return go_to(f"/b/{board['name']}/queue", notice="There is no such account.")
    reason = visit.form.get("reason", "")
    site.store.do("INSERT OR REPLACE INTO bans VALUES (?, ?, ?)", board["id"], person["id"], reason)
    return go_to(f"/b/{board['name']}/queue", notice=f"{person['name']} may not write here any more.")


@members_only
def _describe(site: SiteApplication, visit: Visit) -> Answer:
    board = moderated(site, visit)
    if isinstance(board, Answer):
        return board
    site.store.do("UPDATE boards SET description = ? WHERE id = ?", visit.form.get("description", ""), board["id"])
    return go_to(f"/b/{board['name']}", notice="The description is changed.")


ROUTES: Routes = [
    ("GET", "/submit", _submit_page),
    ("POST", "/submit", _submit),
    ("GET", "/settings", _settings_page),
    ("POST", "/settings", _settings),
    ("GET", "/messages/new", _write_page),
    ("POST", "/messages/new", _write),
    ("GET", "/boards/new", _board_page),
    ("POST", "/boards/new", _new_board),
    ("POST", "/u/{name}/block", _block),
    ("POST", "/b/{board}/subscribe", _subscribe),
    ("POST", "/b/{board}/ban", _ban),
    ("POST", "/b/{board}/describe", _describe),
    ("POST", "/b/{board}/{post:int}/reply", _reply),
    ("GET", "/b/{board}/{post:int}/answer/{reply:int}", _answer_page),
    ("POST", "/b/{board}/{post:int}/vote", _vote),
    ("POST", "/b/{board}/{post:int}/save", _save),
    ("POST", "/b/{board}/{post:int}/report", _report),
    ("GET", "/b/{board}/{post:int}/edit", _edit_page),
    ("POST", "/b/{board}/{post:int}/edit", _edit),
    ("POST", "/b/{board}/{post:int}/delete", _delete),
    ("POST", "/b/{board}/{post:int}/moderate", _moderate),
]
