"""The forum's pages: reading. What changes something stands in `deeds`."""

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
    paged,
    show,
    sign_in,
    sign_in_page,
    sign_out,
)
from agentgym.envs.web._sites.database import Row, fresh_store
from agentgym.envs.web._sites.forum import deeds
from agentgym.envs.web._sites.forum.content import original
from agentgym.envs.web._sites.reading import holds

HOST = "forum.test"
SIZE = 25
ORDERS = {
    "new": "posts.created DESC, posts.id DESC",
    "top": "posts.score DESC, posts.id DESC",
    "discussed": "posts.replies DESC, posts.id DESC",
    "old": "posts.created, posts.id",
}
POSTS = """SELECT posts.*, users.name AS writer, boards.name AS board_name FROM posts
    JOIN users ON users.id = posts.author JOIN boards ON boards.id = posts.board WHERE posts.removed = 0"""


def build_forum(seed: int = 0) -> SiteApplication:
    """The forum at the beginning of an episode."""
    return SiteApplication("forum", ROUTES, fresh_store(original(seed)), {"orders": list(ORDERS)})


def _listed(site: SiteApplication, visit: Visit, where: str = "", *given: Any) -> Mapping[str, Any]:
    """A page of posts, in the order that the address asks for."""
    order = visit.query.get("sort", "new")
    order = order if order in ORDERS else "new"
    count = site.store.value(f"SELECT count(*) FROM ({POSTS} {where})", *given)
    place = paged(visit, count, SIZE)
    first = "posts.pinned DESC, " if "posts.board" in where else ""
    rows = site.store.all(
        f"{POSTS} {where} ORDER BY {first}{ORDERS[order]} LIMIT ? OFFSET ?", *given, SIZE, place["start"]
    )
    return {"posts": rows, "order": order, **place}


def _front(site: SiteApplication, visit: Visit) -> Answer:
    if visit.query.get("feed") == "all" or visit.user is None:
        return show("front", feed="all", **_listed(site, visit))
    mine = "AND posts.board IN (SELECT board FROM subscriptions WHERE user = ?)"
    return show("front", feed="home", **_listed(site, visit, mine, visit.user["id"]))


def _boards(site: SiteApplication, visit: Visit) -> Answer:
    rows = site.store.all(
        """SELECT boards.*, (SELECT count(*) FROM subscriptions WHERE board = boards.id) AS members,
        (SELECT count(*) FROM posts WHERE board = boards.id AND removed = 0) AS posts FROM boards
        ORDER BY category, title"""
    )
    return show("boards", boards=rows)


def _board(site: SiteApplication, visit: Visit) -> Answer:
    board = site.store.one("SELECT * FROM boards WHERE name = ?", visit.path["board"])
    if board is None:
        return missing("board")
    return show("board", **_about(site, visit, board), **_listed(site, visit, "AND posts.board = ?", board["id"]))


def _about(site: SiteApplication, visit: Visit, board: Row) -> Mapping[str, Any]:
    """What stands beside the posts of a board."""
    store, own = site.store, visit.user["id"] if visit.user else 0
    moderators = store.all(
        "SELECT users.* FROM moderators JOIN users ON users.id = user WHERE board = ? ORDER BY name", board["id"]
    )
    return {
        "board": board,
        "moderators": moderators,
        "members": store.value("SELECT count(*) FROM subscriptions WHERE board = ?", board["id"]),
        "subscribed": store.one("SELECT * FROM subscriptions WHERE user = ? AND board = ?", own, board["id"])
        is not None,
        "moderates": any(one["id"] == own for one in moderators),
    }


def _post(site: SiteApplication, visit: Visit) -> Answer:
    store = site.store
    post = store.one(f"{POSTS} AND posts.id = ?", visit.path["post"])
    if post is None:
        return missing("post")
    (board,) = store.all("SELECT * FROM boards WHERE id = ?", post["board"])
    own = visit.user["id"] if visit.user else 0
    rows = store.all(
        "SELECT replies.*, users.name AS writer FROM replies JOIN users ON users.id = author WHERE post = ? "
        "ORDER BY created, replies.id",
        post["id"],
    )
    votes = {(row["kind"], row["target"]): row["value"] for row in store.all("SELECT * FROM votes WHERE user = ?", own)}
    kept = store.one("SELECT * FROM saved WHERE user = ? AND post = ?", own, post["id"]) is not None
    return show("post", post=post, replies=_threaded(rows), votes=votes, kept=kept, **_about(site, visit, board))


def _threaded(rows: list[Row]) -> list[tuple[int, Row]]:
    """Replies with their depth, each below the one that it answers."""
    below: dict[int, list[Row]] = {}
    known = {row["id"] for row in rows}
    for row in rows:
        below.setdefault(row["parent"] if row["parent"] in known else 0, []).append(row)
    found: list[tuple[int, Row]] = []
    waiting = [(0, row) for row in reversed(below.get(0, []))]
    while waiting:
        depth, row = waiting.pop()
        found.append((depth, row))
        waiting += [(min(depth + 1, 6), one) for one in reversed(below.get(row["id"], []))]
    return found


def _user(site: SiteApplication, visit: Visit) -> Answer:
    store = site.store
    found = store.one("SELECT * FROM users WHERE name = ?", visit.path["name"])
    if found is None:
        return missing("account")
    own, number = visit.user["id"] if visit.user else 0, found["id"]
    given = {
        "person": found,
        "post_count": store.value("SELECT count(*) FROM posts WHERE author = ? AND removed = 0", number),
        "reply_count": store.value("SELECT count(*) FROM replies WHERE author = ? AND removed = 0", number),
        "karma": store.value(
            "SELECT (SELECT coalesce(sum(score), 0) FROM posts WHERE author = ?1 AND removed = 0) + "
            "(SELECT coalesce(sum(score), 0) FROM replies WHERE author = ?1 AND removed = 0)", number
        ),
        "boards": store.all(
            "SELECT boards.* FROM moderators JOIN boards ON boards.id = board WHERE user = ? ORDER BY name", number
        ),
        "blocked": store.one("SELECT * FROM blocks WHERE user = ? AND blocked = ?", own, number) is not None,
    }  # fmt: skip
    if visit.query.get("show") != "replies":
        return show("user", tab="posts", **given, **_listed(site, visit, "AND posts.author = ?", number))
    rows = store.all(
        "SELECT replies.*, posts.title, posts.id AS post_id, boards.name AS board_name FROM replies JOIN posts ON "
        "posts.id = replies.post JOIN boards ON boards.id = posts.board WHERE replies.author = ? AND "
        "replies.removed = 0 ORDER BY replies.created DESC, replies.id DESC LIMIT 200", number
    )  # fmt: skip
    return show("user", tab="replies", replies=rows, page=1, pages=1, **given)


def _search(site: SiteApplication, visit: Visit) -> Answer:
    words = visit.query.get("q", "").split()[:8]
    board, author = visit.query.get("board", ""), visit.query.get("author", "").strip()
    where, given = "", []
    for word in words:
        where += f" AND ({holds('posts.title')} OR {holds('posts.body')})"
        given += [word, word]
    if board:
        where, given = f"{where} AND boards.name = ?", [*given, board]
    if author:
        where, given = f"{where} AND users.name = ?", [*given, author]
    names = [row["name"] for row in site.store.all("SELECT name FROM boards ORDER BY name")]
    asked = {"q": visit.query.get("q", ""), "in_board": board, "author": author, "names": names}
    if not where:
        return show("search", posts=[], order="new", page=1, pages=1, count=0, **asked)
    return show("search", **asked, **_listed(site, visit, where, *given))


def _saved(site: SiteApplication, visit: Visit) -> Answer:
    if visit.user is None:
        return go_to("/sign-in", back="/saved")
    mine = "AND posts.id IN (SELECT post FROM saved WHERE user = ?)"
    return show("saved", **_listed(site, visit, mine, visit.user["id"]))


def _messages(site: SiteApplication, visit: Visit) -> Answer:
    if visit.user is None:
        return go_to("/sign-in", back="/messages")
    sent = visit.query.get("box") == "sent"
    mine, other = ("sender", "receiver") if sent else ("receiver", "sender")
    rows = site.store.all(
        f"SELECT messages.*, users.name AS other FROM messages JOIN users ON users.id = {other} WHERE {mine} = ? "
        "ORDER BY created DESC, messages.id DESC",
        visit.user["id"],
    )
    return show("messages", messages=rows, box="sent" if sent else "received")


def _message(site: SiteApplication, visit: Visit) -> Answer:
    own = visit.user["id"] if visit.user else 0
    found = site.store.one(
        "SELECT messages.*, users.name AS writer, (SELECT name FROM users WHERE id = receiver) AS reader FROM messages "
        "JOIN users ON users.id = sender WHERE messages.id = ? AND ? IN (sender, receiver)", visit.path["message"], own
    )  # fmt: skip
    if found is None:
        return missing("message")
    if found["receiver"] == own and not found["seen"]:
        site.store.do("UPDATE messages SET seen = 1 WHERE id = ?", found["id"])
    return show("letter", letter=found)


def _queue(site: SiteApplication, visit: Visit) -> Answer:
    board = deeds.moderated(site, visit)
    if isinstance(board, Answer):
        return board
    rows = site.store.all(
        "SELECT reports.*, posts.title, posts.removed, users.name AS writer FROM reports JOIN posts ON posts.id = post "
        "JOIN users ON users.id = posts.author WHERE posts.board = ? AND settled = 0 ORDER BY reports.id", board["id"]
    )  # fmt: skip
    banned = site.store.all(
        "SELECT users.name, reason FROM bans JOIN users ON users.id = user WHERE board = ? ORDER BY name", board["id"]
    )
    return show("queue", reports=rows, banned=banned, wrong="", **_about(site, visit, board))


ROUTES: Routes = [
    ("GET", "/", _front),
    ("GET", "/boards", _boards),
    ("GET", "/b/{board}", _board),
    ("GET", "/b/{board}/queue", _queue),
    ("GET", "/b/{board}/{post:int}", _post),
    ("GET", "/u/{name}", _user),
    ("GET", "/search", _search),
    ("GET", "/saved", _saved),
    ("GET", "/messages", _messages),
    ("GET", "/messages/{message:int}", _message),
    ("GET", "/sign-in", sign_in_page),
    ("POST", "/sign-in", sign_in),
    ("POST", "/sign-out", sign_out),
    *deeds.ROUTES,
]
