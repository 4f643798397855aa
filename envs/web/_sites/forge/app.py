"""The code host's pages: reading. What changes something stands in `deeds`."""

from __future__ import annotations

from typing import Any

from agentgym.envs.web._sites.application import (
    Answer,
    Routes,
    SiteApplication,
    Visit,
    missing,
    paged,
    refused,
    show,
    sign_in,
    sign_in_page,
    sign_out,
)
from agentgym.envs.web._sites.database import fresh_store
from agentgym.envs.web._sites.forge import deeds
from agentgym.envs.web._sites.forge.content import original
from agentgym.envs.web._sites.forge.deeds import found_project
from agentgym.envs.web._sites.reading import holds

HOST = "forge.test"
SIZE = 20
TOPICS = "', ' || topics || ','"
PROJECTS = """SELECT projects.*, users.name AS owner_name FROM projects JOIN users ON users.id = projects.owner
    WHERE (visibility = 'Public' OR projects.id IN (SELECT project FROM members WHERE user = ?))"""
ORDERS = {"stars": "stars DESC, projects.id", "name": "projects.name", "newest": "projects.created DESC, projects.id"}
ITEMS = """SELECT items.*, author.name AS writer, assignee.name AS assigned, milestones.title AS milestone_title,
    (SELECT count(*) FROM comments WHERE item = items.id) AS comment_count,
    (SELECT group_concat(labels.name, ', ') FROM item_labels JOIN labels ON labels.id = label WHERE item = items.id)
    AS label_names FROM items JOIN users AS author ON author.id = items.author
    LEFT JOIN users AS assignee ON assignee.id = items.assignee
    LEFT JOIN milestones ON milestones.id = items.milestone WHERE"""
SORTS = {"newest": "items.created DESC, items.id DESC", "oldest": "items.created, items.id",
         "most comments": "comment_count DESC, items.id"}  # fmt: skip


def build_forge(seed: int = 0) -> SiteApplication:
    """The code host at the beginning of an episode."""
    return SiteApplication("forge", ROUTES, fresh_store(original(seed)), {"item_orders": list(SORTS)})


def _home(site: SiteApplication, visit: Visit) -> Answer:
    if visit.user is None:
        return _explore(site, visit)
    own, store = visit.user["id"], site.store
    mine = store.all(
        "SELECT projects.*, users.name AS owner_name, role FROM members JOIN projects ON projects.id = project "
        "JOIN users ON users.id = owner WHERE members.user = ? ORDER BY role = 'Owner' DESC, projects.name", own
    )  # fmt: skip
    work = store.all(
        "SELECT items.*, projects.name AS project_name, users.name AS owner_name FROM items JOIN projects ON "
        "projects.id = project JOIN users ON users.id = owner WHERE assignee = ? AND state = 'open' "
        "ORDER BY items.created DESC LIMIT 100", own
    )  # fmt: skip
    return show("home", projects=mine, work=work)


def _explore(site: SiteApplication, visit: Visit) -> Answer:
    own = visit.user["id"] if visit.user else 0
    where, given = "", [own]
    words, language, topic = visit.query.get("q", ""), visit.query.get("language", ""), visit.query.get("topic", "")
    if words:
        where += f" AND ({holds('projects.name')} OR {holds('description')})"
        given += [words, words]
    if language:
        where, given = f"{where} AND language = ?", [*given, language]
    if topic:
        where, given = f"{where} AND {holds(TOPICS)}", [*given, f", {topic},"]
    order = visit.query.get("sort", "stars")
    order = order if order in ORDERS else "stars"
    count = site.store.value(f"SELECT count(*) FROM ({PROJECTS} {where})", *given)
    place = paged(visit, count, SIZE)
    rows = site.store.all(f"{PROJECTS} {where} ORDER BY {ORDERS[order]} LIMIT ? OFFSET ?", *given, SIZE, place["start"])
    languages = [row[0] for row in site.store.all("SELECT DISTINCT language FROM projects ORDER BY language")]
    return show("explore", projects=rows, q=words, language=language, topic=topic, languages=languages,
                orders=list(ORDERS), order=order, **place)  # fmt: skip


def _overview(site: SiteApplication, visit: Visit) -> Answer:
    found = found_project(site, visit)
    if isinstance(found, Answer):
        return found
    store, number = site.store, found.row["id"]
    own = visit.user["id"] if visit.user else 0
    readme = store.value("SELECT content FROM files WHERE project = ? AND path = 'README.md'", number) or ""
    return show(
        "project",
        **found.values,
        readme=readme,
        files=store.all("SELECT path, changed FROM files WHERE project = ? ORDER BY path", number),
        commits=store.value("SELECT count(*) FROM commits WHERE project = ?", number),
        branches=[row[0] for row in store.all("SELECT name FROM branches WHERE project = ?", number)],
        starred=store.one("SELECT * FROM stars WHERE user = ? AND project = ?", own, number) is not None,
    )


def _file(site: SiteApplication, visit: Visit) -> Answer:
    found = found_project(site, visit)
    if isinstance(found, Answer):
        return found
    file = site.store.one("SELECT * FROM files WHERE project = ? AND path = ?", found.row["id"], visit.path["path"])
    return missing("file") if file is None else show("file", **found.values, file=file)


def _commits(site: SiteApplication, visit: Visit) -> Answer:
    found = found_project(site, visit)
    if isinstance(found, Answer):
        return found
    author = visit.query.get("author", "").strip()
    rows = site.store.all(
        "SELECT commits.*, users.name AS writer FROM commits JOIN users ON users.id = author WHERE project = ?1 AND "
        "(?2 = '' OR users.name = ?2) ORDER BY commits.created DESC, commits.id DESC", found.row["id"], author
    )  # fmt: skip
    return show("commits", **found.values, commits=rows, author=author)


def _items(kind: str) -> Any:
    """The page that lists issues, or merge requests, of a project."""

    def page(site: SiteApplication, visit: Visit) -> Answer:
        """The items of a project of the `site` that the query of the `visit` asks for, sorted, a page of them."""
        found = found_project(site, visit)
        if isinstance(found, Answer):
            return found
        asked = {key: visit.query.get(key, "") for key in ("q", "state", "label", "author", "assignee", "milestone")}
        asked["state"] = asked["state"] or "open"
        where, given = f" items.project = ? AND items.kind = ? AND {found.seen}", [found.row["id"], kind]
        for key, test in (
            ("q", holds("items.title")),
            ("state", "items.state = ?"),
            ("author", "author.name = ?"),
            ("assignee", "assignee.name = ?"),
            ("milestone", "milestones.title = ?"),
            ("label", "? IN (SELECT labels.name FROM item_labels JOIN labels ON labels.id = label WHERE "
             "item = items.id)"),
        ):  # fmt: skip
            if asked[key] and not (key == "state" and asked[key] == "all"):
                where, given = f"{where} AND {test}", [*given, asked[key].strip()]
        order = visit.query.get("sort", "newest")
        order = order if order in SORTS else "newest"
        rows = site.store.all(f"{ITEMS} {where} ORDER BY {SORTS[order]}", *given)
        place = paged(visit, len(rows), SIZE)
        return show("items", kind=kind, items=rows[place["start"] : place["start"] + SIZE], asked=asked, order=order,
                    **place, **found.values, **found.choices)  # fmt: skip

    return page


def _item(kind: str) -> Any:
    """The page of one issue, or merge request."""

    def page(site: SiteApplication, visit: Visit) -> Answer:
        """The item of the `site` that the path of the `visit` names, with its comments in order."""
        found = found_project(site, visit)
        if isinstance(found, Answer):
            return found
        row = deeds.item_of(site, visit, found, kind)
        if row is None:
            return missing("issue" if kind == "issue" else "merge request")
        full = site.store.one(f"{ITEMS} items.id = ?", row["id"])
        said = site.store.all(
            "SELECT comments.*, users.name AS writer FROM comments JOIN users ON users.id = author WHERE item = ? "
            "ORDER BY comments.created, comments.id", row["id"]
        )  # fmt: skip
        return show("item", kind=kind, item=full, comments=said, **found.values, **found.choices)

    return page


def _labels(site: SiteApplication, visit: Visit) -> Answer:
    found = found_project(site, visit)
    if isinstance(found, Answer):
        return found
    rows = site.store.all(
        "SELECT labels.*, (SELECT count(*) FROM item_labels JOIN items ON items.id = item WHERE label = labels.id AND "
        f"state = 'open' AND {found.seen}) AS used FROM labels WHERE project = ? ORDER BY labels.id", found.row["id"]
    )  # fmt: skip
    return show("labels", wrong="", labels=rows, **found.values)


def _milestones(site: SiteApplication, visit: Visit) -> Answer:
    found = found_project(site, visit)
    if isinstance(found, Answer):
        return found
    count = f"SELECT count(*) FROM items WHERE milestone = milestones.id AND {found.seen}"
    rows = site.store.all(
        f"SELECT milestones.*, ({count} AND items.state = 'open') AS open_items, ({count}) AS all_items FROM "
        "milestones WHERE project = ? ORDER BY milestones.id", found.row["id"]
    )  # fmt: skip
    return show("milestones", wrong="", milestones=rows, **found.values)


def _wiki(site: SiteApplication, visit: Visit) -> Answer:
    found = found_project(site, visit)
    if isinstance(found, Answer):
        return found
    rows = site.store.all("SELECT * FROM wiki WHERE project = ? ORDER BY title", found.row["id"])
    return show("wiki", pages=rows, **found.values)


def _wiki_page(site: SiteApplication, visit: Visit) -> Answer:
    found = found_project(site, visit)
    if isinstance(found, Answer):
        return found
    row = site.store.one(
        "SELECT wiki.*, users.name AS writer FROM wiki JOIN users ON users.id = author WHERE project = ? AND slug = ?",
        found.row["id"], visit.path["slug"],
    )  # fmt: skip
    return missing("wiki page") if row is None else show("wiki_page", page=row, **found.values)


def _members(site: SiteApplication, visit: Visit) -> Answer:
    found = found_project(site, visit)
    if isinstance(found, Answer):
        return found
    rows = site.store.all(
        "SELECT members.*, users.name FROM members JOIN users ON users.id = user WHERE project = ? ORDER BY name",
        found.row["id"],
    )
    return show("members", wrong="", members=rows, roles=deeds.ROLES, **found.values)


def _settings(site: SiteApplication, visit: Visit) -> Answer:
    found = found_project(site, visit)
    if isinstance(found, Answer):
        return found
    if not found.maintains:
        return refused("Only maintainers may change the settings of a project.")
    branches = [row[0] for row in site.store.all("SELECT name FROM branches WHERE project = ?", found.row["id"])]
    return show("project_settings", wrong="", branches=branches, visibilities=deeds.VISIBILITIES, **found.values)


def _user(site: SiteApplication, visit: Visit) -> Answer:
    person = site.store.one("SELECT * FROM users WHERE name = ?", visit.path["name"])
    if person is None:
        return missing("account")
    own = visit.user["id"] if visit.user else 0
    owned = site.store.all(f"{PROJECTS} AND owner = ? ORDER BY projects.name", own, person["id"])
    starred = site.store.all(
        f"{PROJECTS} AND projects.id IN (SELECT project FROM stars WHERE user = ?) ORDER BY projects.name", own,
        person["id"],
    )  # fmt: skip
    commits = site.store.value("SELECT count(*) FROM commits WHERE author = ?", person["id"])
    return show("user", person=person, owned=owned, starred=starred, commits=commits)


P = "/p/{owner}/{project}"
ROUTES: Routes = [
    ("GET", "/", _home),
    ("GET", "/explore", _explore),
    ("GET", P, _overview),
    ("GET", P + "/files/{path:path}", _file),
    ("GET", P + "/commits", _commits),
    ("GET", P + "/issues", _items("issue")),
    ("GET", P + "/issues/{number:int}", _item("issue")),
    ("GET", P + "/requests", _items("request")),
    ("GET", P + "/requests/{number:int}", _item("request")),
    ("GET", P + "/labels", _labels),
    ("GET", P + "/milestones", _milestones),
    ("GET", P + "/wiki", _wiki),
    ("GET", P + "/members", _members),
    ("GET", P + "/settings", _settings),
    ("GET", "/u/{name}", _user),
    ("GET", "/sign-in", sign_in_page),
    ("POST", "/sign-in", sign_in),
    ("POST", "/sign-out", sign_out),
    *deeds.ROUTES,
    ("GET", P + "/wiki/{slug}", _wiki_page),
]
