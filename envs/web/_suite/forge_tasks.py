"""Templates over the code host."""

from __future__ import annotations

from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._suite.drafts import FORGE, Ask, Draft, Template, answer, cells, deed, place

PROJECTS = """SELECT projects.*, users.name AS owner_name FROM projects JOIN users ON users.id = owner
    WHERE visibility = 'Public'"""
MINE = "AND projects.id IN (SELECT project FROM members WHERE user = (SELECT id FROM users WHERE name = 'walnut')" \
       " AND role IN ('Owner', 'Maintainer'))"  # fmt: skip
ITEMS = """SELECT items.*, author.name AS writer, assignee.name AS assigned FROM items JOIN users AS author ON
    author.id = items.author LEFT JOIN users AS assignee ON assignee.id = items.assignee WHERE confidential = 0 AND
    project = ?"""
SEEN = """(confidential = 0 OR (SELECT id FROM users WHERE name = 'walnut') IN (author, assignee) OR EXISTS (SELECT 1
    FROM members JOIN users ON users.id = user WHERE members.project = items.project AND name = 'walnut' AND
    role != 'Guest'))"""  # what the visitor sees
TITLES = (
    "Check the new defaults",
    "Write a first test",
    "Ask for a review",
    "Clean up old branches",
    "Plan the release",
)
REMARKS = ("I will take this.", "Please wait for the release.", "This is ready.", "Needs a test first.")
NAMES = ("harvest-log", "tide-table", "letter-box", "frost-alarm", "bread-timer", "map-corner")


def _project(ask: Ask, more: str = "") -> tuple[Row, str, str]:
    """A project, the way to it, and its name with its owner's."""
    row = ask.row(ask.forge, f"{PROJECTS} {more} ORDER BY projects.id")
    full = f"{row['owner_name']}/{row['name']}"
    return row, f"{FORGE}/p/{full}", full


def _item(ask: Ask, project: Row, more: str) -> Row:
    return ask.row(ask.forge, f"{ITEMS} AND {more} ORDER BY items.id", project["id"])


def licence(ask: Ask) -> Draft:
    """The licence of a project."""
    row, way, full = _project(ask)
    return answer(FORGE, way, f"the licence of the project {full}", row["licence"], "word")


def created(ask: Ask) -> Draft:
    """When a project was made."""
    row, way, full = _project(ask)
    return answer(FORGE, way, f"the date on which the project {full} was created", row["created"], "date")


def commits(ask: Ask) -> Draft:
    """How many commits somebody made."""
    row, way, full = _project(ask)
    person = ask.row(ask.forge, "SELECT DISTINCT users.id, users.name FROM commits JOIN users ON users.id = author "
                     "WHERE project = ? ORDER BY users.id", row["id"])  # fmt: skip
    count = ask.forge.value("SELECT count(*) FROM commits WHERE project = ? AND author = ?", row["id"], person["id"])
    return answer(FORGE, f"{way}/commits?author={person['name']}", f"the number of commits by {person['name']} in the "
                  f"project {full}", count, "number")  # fmt: skip


def labelled(ask: Ask) -> Draft:
    """How many open issues have a label."""
    row, way, full = _project(ask)
    label = ask.row(ask.forge, "SELECT * FROM labels WHERE project = ? ORDER BY id", row["id"])
    count = ask.forge.value("SELECT count(*) FROM item_labels JOIN items ON items.id = item WHERE label = ? AND kind = "
                            f"'issue' AND state = 'open' AND {SEEN}", label["id"])  # fmt: skip
    return answer(FORGE, f"{way}/issues?label={label['name']}", f"the number of open issues with the label "
                  f"{label['name']} in the project {full}", count, "number")  # fmt: skip


def opened_by(ask: Ask) -> Draft:
    """Who opened an issue."""
    row, way, full = _project(ask)
    item = _item(ask, row, "kind = 'issue'")
    return answer(FORGE, f"{way}/issues/{item['number']}", f"the account that opened issue #{item['number']} of the "
                  f"project {full}", item["writer"], "name")  # fmt: skip


def due(ask: Ask) -> Draft:
    """When a milestone is due."""
    row, way, full = _project(ask)
    one = ask.row(ask.forge, "SELECT * FROM milestones WHERE project = ? ORDER BY id", row["id"])
    return answer(FORGE, f"{way}/milestones", f"the date on which the milestone {one['title']} of the project {full} "
                  "is due", one["due"], "date")  # fmt: skip


def role(ask: Ask) -> Draft:
    """The role of a member."""
    row, way, full = _project(ask)
    one = ask.row(ask.forge, "SELECT users.name, role FROM members JOIN users ON users.id = user WHERE project = ? "
                  "ORDER BY users.id", row["id"])  # fmt: skip
    return answer(FORGE, f"{way}/members", f"the role of {one['name']} in the project {full}", one["role"], "word")


def port(ask: Ask) -> Draft:
    """A value in a file."""
    row, way, full = _project(ask)
    text = ask.forge.value("SELECT content FROM files WHERE project = ? AND path = 'config/default.toml'", row["id"])
    key = ask.pick(("timeout", "workers", "port"))
    value = dict(line.split(" = ") for line in text.split("\n") if line)[key]
    return answer(FORGE, f"{way}/files/config/default.toml", f"the value of `{key}` in config/default.toml of the "
                  f"project {full}", value, "number")  # fmt: skip


def open_item(ask: Ask) -> Draft:
    """The page of a merge request."""
    row, way, full = _project(ask)
    item = _item(ask, row, "kind = 'request'")
    return place(FORGE, f"{way}/requests/{item['number']}", f"merge request #{item['number']} of the project {full}")


def open_wiki(ask: Ask) -> Draft:
    """A page of a wiki."""
    row, way, full = _project(ask)
    page = ask.row(ask.forge, "SELECT * FROM wiki WHERE project = ? ORDER BY id", row["id"])
    return place(FORGE, f"{way}/wiki/{page['slug']}", f"the page “{page['title']}” in the wiki of the project {full}")


def star(ask: Ask) -> Draft:
    """Star a project."""
    _, way, full = _project(ask, "AND projects.id NOT IN (SELECT project FROM stars)")
    return deed("content", FORGE, f"star the project {full}", [["goto", way], ["click", 'button "Star"']],
                (way, "#star", "Unstar"))  # fmt: skip


def fork(ask: Ask) -> Draft:
    """Fork a project."""
    row, way, full = _project(ask, "AND owner != 6")
    return deed("content", FORGE, f"fork the project {full}", [["goto", way], ["click", 'button "Fork"']],
                (f"{FORGE}/p/walnut/{row['name']}", ".path", ["walnut", row["name"]]),
                (way, "#forks", f"{row['forks'] + 1} forks"))  # fmt: skip


def new_project(ask: Ask) -> Draft:
    """Make a project."""
    name, sight = ask.pick(NAMES), ask.pick(("Public", "Private"))
    plan = [["goto", f"{FORGE}/projects/new"], ["fill", 'textbox "Name"', name],
            ["select", 'combobox "Visibility"', sight], ["click", 'button "Create project"']]  # fmt: skip
    way = f"{FORGE}/p/walnut/{name}"
    return deed("content", FORGE, f"create a {sight.lower()} project with the name {name}", plan, (way, "h1", name),
                (way, "#visibility", sight))  # fmt: skip


def new_issue(ask: Ask) -> Draft:
    """Open an issue with a label."""
    row, way, full = _project(ask, MINE)
    title, label = ask.pick(TITLES), ask.pick(("bug", "feature", "documentation", "security"))
    last = ask.forge.value("SELECT max(number) FROM items WHERE project = ? AND kind = 'issue'", row["id"])
    plan = [["goto", f"{way}/issues/new"], ["fill", 'textbox "Title"', title], ["check", f'checkbox "{label}"'],
            ["click", 'button "Create issue"']]  # fmt: skip
    there = f"{way}/issues/{last + 1}"
    return deed("content", FORGE, f"open an issue “{title}” with the label {label} in the project {full}", plan,
                (there, "#title", title), (there, "#labels", label))  # fmt: skip


def comment(ask: Ask) -> Draft:
    """Comment on an issue."""
    row, way, full = _project(ask)
    item, said = _item(ask, row, "kind = 'issue'"), ask.pick(REMARKS)
    there = f"{way}/issues/{item['number']}"
    plan = [["goto", there], ["fill", 'textbox "Your comment"', said], ["click", 'button "Comment"']]
    return deed("content", FORGE, f"comment “{said}” on issue #{item['number']} of the project {full}", plan,
                (there, ".comments li:last-child .meta a", "walnut"),
                (there, ".comments li:last-child .said", said))  # fmt: skip


def close(ask: Ask) -> Draft:
    """Close an issue."""
    row, way, full = _project(ask, f"{MINE} AND projects.id IN (SELECT project FROM items WHERE kind = 'issue' AND "
                              "confidential = 0 AND state = 'open')")  # fmt: skip
    item = _item(ask, row, "kind = 'issue' AND state = 'open'")
    there = f"{way}/issues/{item['number']}"
    return deed("content", FORGE, f"close issue #{item['number']} of the project {full}", [["goto", there],
                ["click", 'button "Close issue"']], (there, "#state", "closed"))  # fmt: skip


def merge(ask: Ask) -> Draft:
    """Merge a merge request."""
    row, way, full = _project(ask, f"{MINE} AND projects.id IN (SELECT project FROM items WHERE kind = 'request' AND "
                              "state = 'open')")  # fmt: skip
    item = _item(ask, row, "kind = 'request' AND state = 'open'")
    there = f"{way}/requests/{item['number']}"
    return deed("content", FORGE, f"merge merge request #{item['number']} of the project {full}", [["goto", there],
                ["click", 'button "Merge"']], (there, "#state", "merged"))  # fmt: skip


def assign(ask: Ask) -> Draft:
    """Give an issue to a member."""
    row, way, full = _project(ask, MINE)
    item = _item(ask, row, "kind = 'issue'")
    person = ask.row(ask.forge, "SELECT users.name FROM members JOIN users ON users.id = user WHERE project = ? AND "
                     "users.id != ? ORDER BY users.id", row["id"], item["assignee"])["name"]  # fmt: skip
    there = f"{way}/issues/{item['number']}"
    plan = [["goto", there], ["select", 'combobox "Assignee"', person], ["click", 'button "Save changes"']]
    return deed("configuration", FORGE, f"assign issue #{item['number']} of the project {full} to {person}", plan,
                (there, "#assignee", person))  # fmt: skip


def new_milestone(ask: Ask) -> Draft:
    """Add a milestone."""
    _, way, full = _project(ask, MINE)
    title, day = (
        ask.pick(("3.0", "3.1", "Spring clean", "Next")),
        f"2026-{ask.pick(range(5, 10)):02}-{ask.pick(range(1, 29)):02}",
    )
    plan = [["goto", f"{way}/milestones"], ["fill", 'textbox "Title"', title], ["fill", 'textbox "Due"', day],
            ["click", 'button "Add milestone"']]  # fmt: skip
    return deed("configuration", FORGE, f"add a milestone {title} that is due on {day} to the project {full}", plan,
                *cells(f"{way}/milestones", "#milestones tbody tr:last-child", title, day, "open"))  # fmt: skip


def invite(ask: Ask) -> Draft:
    """Invite a member."""
    row, way, full = _project(ask, MINE)
    person = ask.row(ask.forge, "SELECT name FROM users WHERE id > 6 AND id NOT IN (SELECT user FROM members WHERE "
                     "project = ?) ORDER BY id", row["id"])["name"]  # fmt: skip
    given = ask.pick(("Reporter", "Developer", "Maintainer"))
    plan = [["goto", f"{way}/members"], ["fill", 'textbox "Account"', person], ["select", 'combobox "Role"', given],
            ["click", 'button "Save member"']]  # fmt: skip
    return deed("configuration", FORGE, f"invite {person} to the project {full} as {given}", plan,
                *cells(f"{way}/members", f"#member-{person}", person, given))  # fmt: skip


def describe(ask: Ask) -> Draft:
    """Change a description."""
    _, way, full = _project(ask, MINE)
    text = f"{ask.pick(TITLES)}, then {ask.pick(TITLES).lower()}"
    plan = [["goto", f"{way}/settings"], ["fill", 'textbox "Description"', text], ["click", 'button "Save settings"']]
    return deed("configuration", FORGE, f"change the description of the project {full} to “{text}”", plan,
                (way, "#description", text))  # fmt: skip


def archive(ask: Ask) -> Draft:
    """Archive a project."""
    _, way, full = _project(ask, MINE)
    plan = [["goto", f"{way}/settings"], ["check", 'checkbox "Archived"'], ["click", 'button "Save settings"']]
    return deed("configuration", FORGE, f"archive the project {full}", plan, (way, "#archived", "Archived"))


def status(ask: Ask) -> Draft:
    """Change the profile."""
    now = ask.forge.value("SELECT status FROM users WHERE name = 'walnut'")
    new = ask.pick([one for one in ("Available", "In a meeting", "On leave", "Reviewing", "Focusing") if one != now])
    site = f"https://{ask.pick(NAMES)}.example"
    plan = [["goto", f"{FORGE}/profile"], ["fill", 'textbox "Website"', site], ["select", 'combobox "Status"', new],
            ["click", 'button "Save profile"']]  # fmt: skip
    return deed("configuration", FORGE, f"set my status on the code host to {new} and my website to {site}", plan,
                (f"{FORGE}/u/walnut", "#status", new), (f"{FORGE}/u/walnut", "#website", site))  # fmt: skip


def write_wiki(ask: Ask) -> Draft:
    """Write a page of a wiki."""
    _, way, full = _project(ask, MINE)
    title, text = ask.pick(("Road map", "Meeting notes", "Glossary", "Contacts")), ask.pick(REMARKS)
    plan = [["goto", f"{way}/wiki/new"], ["fill", 'textbox "Title"', title], ["fill", 'textbox "Text"', text],
            ["click", 'button "Save page"']]  # fmt: skip
    slug = title.lower().replace(" ", "-")
    return deed("content", FORGE, f"write a page “{title}” with the text “{text}” in the wiki of the project {full}",
                plan, (f"{way}/wiki/{slug}", "h1", title), (f"{way}/wiki/{slug}", "#text", text))  # fmt: skip


def new_label(ask: Ask) -> Draft:
    """Add a label."""
    _, way, full = _project(ask, MINE)
    name = ask.pick(("needs work", "blocked", "later", "design", "legal"))
    plan = [["goto", f"{way}/labels"], ["fill", 'textbox "Name"', name], ["click", 'button "Add label"']]
    words = f"add the label “{name}” to the project {full}"
    return deed("configuration", FORGE, words, plan, (f"{way}/labels", "tbody tr:last-child a", name))


def end_milestone(ask: Ask) -> Draft:
    """Close a milestone."""
    row, way, full = _project(ask, MINE)
    one = ask.row(ask.forge, "SELECT * FROM milestones WHERE project = ? AND state = 'open' ORDER BY id", row["id"])
    button = f'button "Close milestone {one["title"]}"'
    words = f"close the milestone {one['title']} of the project {full}"
    target = (f"{way}/milestones", f"#milestone-{one['id']} td:nth-child(3)", "closed")
    return deed("configuration", FORGE, words, [["goto", f"{way}/milestones"], ["click", button]], target)


def hide(ask: Ask) -> Draft:
    """Make a project private."""
    _, way, full = _project(ask, MINE)
    plan = [["goto", f"{way}/settings"], ["select", 'combobox "Visibility"', "Private"]]
    plan.append(["click", 'button "Save settings"'])
    return deed("configuration", FORGE, f"make the project {full} private", plan, (way, "#visibility", "Private"))


def rename_issue(ask: Ask) -> Draft:
    """Change the title of an issue."""
    row, way, full = _project(ask, MINE)
    item, title = _item(ask, row, "kind = 'issue'"), ask.pick(TITLES)
    there = f"{way}/issues/{item['number']}"
    plan = [["goto", there], ["fill", 'textbox "Title"', title], ["click", 'button "Save changes"']]
    words = f"change the title of issue #{item['number']} of the project {full} to “{title}”"
    return deed("content", FORGE, words, plan, (there, "#title", title))


def promote(ask: Ask) -> Draft:
    """Change the role of a member."""
    row, way, full = _project(ask, MINE)
    one = ask.row(
        ask.forge,
        "SELECT users.name, role FROM members JOIN users ON users.id = user WHERE project = ? AND role != 'Owner' AND "
        "users.name != 'walnut' ORDER BY users.id",
        row["id"],
    )
    given = ask.pick([each for each in ("Guest", "Reporter", "Developer", "Maintainer") if each != one["role"]])
    plan = [["goto", f"{way}/members"], ["fill", 'textbox "Account"', one["name"]]]
    plan += [["select", 'combobox "Role"', given], ["click", 'button "Save member"']]
    words = f"change the role of {one['name']} in the project {full} to {given}"
    target = (f"{way}/members", f"#member-{one['name']} td:nth-child(2)", given)
    return deed("configuration", FORGE, words, plan, target)


TEMPLATES: tuple[Template, ...] = (
    licence, created, commits, labelled, opened_by, due, role, port, open_item, open_wiki, star, fork, new_project,
    new_issue, comment, close, merge, assign, new_milestone, invite, describe, archive, status, write_wiki,
    new_label, end_milestone, hide, rename_issue, promote,
)  # fmt: skip
