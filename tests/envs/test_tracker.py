"""The project tracker: what it holds, its query language, roles, forms, and what becomes of a ticket."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette", reason="the package starlette is not installed: pip install starlette")
from agentgym.envs.web._browser.site import Request
from agentgym.envs.web._sites.application import session_of
from agentgym.envs.web._sites.database import Store
from agentgym.envs.web._sites.tracker.access import JOINED
from agentgym.envs.web._sites.tracker.app import as_query, build_tracker
from agentgym.envs.web._sites.tracker.content import original
from agentgym.envs.web._sites.tracker.query import QueryError, quoted, read_query
from agentgym.envs.web._sites.tracker.reports import burndown


@pytest.fixture
def site():
    return build_tracker()


@pytest.fixture(scope="module")
def base():
    return Store(original(0))


def get(site, path, who="heron"):
    cookie = {"cookie": f"session={session_of(who)}"} if who else {}
    return site.respond(Request("GET", f"http://tracker.test{path}", cookie))


def post(site, path, who="heron", **form):
    cookie = {"cookie": f"session={session_of(who)}"} if who else {}
    return site.respond(Request("POST", f"http://tracker.test{path}", cookie, urlencode(form).encode()))


def where(base, role, more="1"):
    """The key of a project in which the visitor has a role."""
    query = f"SELECT key FROM members JOIN projects ON projects.id = project WHERE user = 1 AND role = ? AND {more}"
    return base.value(query, role)


def ticket_of(base, key, more="1"):
    """The name of a ticket of a project."""
    query = f"SELECT number FROM tickets WHERE project = (SELECT id FROM projects WHERE key = ?) AND {more} ORDER BY id"
    return f"{key}-{base.value(query, key)}"


def field(site, name, of):
    """What the page of a ticket shows in one of its fields."""
    found = re.search(rf'id="{of}"[^>]*>(?:<a[^>]*>)?([^<]*)<', get(site, f"/browse/{name}").body.decode())
    assert found is not None
    return found[1]


def count(base, query, user="heron"):
    read = read_query(query, user)
    return base.value(f"SELECT count(*) FROM {JOINED} WHERE {read.where}", *read.given)


# What it holds


def test_the_content_is_large_and_agrees_with_itself(base):
    assert [base.value(f"SELECT count(*) FROM {table}") for table in ("projects", "tickets", "users")] == [
        40,
        8000,
        150,
    ]
    for table in ("comments", "changes"):
        assert base.value(f"SELECT count(*) FROM {table}") > 10_000
    wrong = {
        "the last change of state is its state": """SELECT count(*) FROM tickets WHERE state != coalesce((SELECT after
            FROM changes WHERE ticket = tickets.id AND field = 'state' ORDER BY id DESC), 'Open')""",
        "done, resolved and resolution go together": """SELECT count(*) FROM tickets WHERE (state = 'Done') !=
            (resolution != '') OR (resolution = '') != (resolved = '')""",
        "tickets belong to members who may work on them": """SELECT count(*) FROM tickets WHERE assignee != 0 AND
            NOT EXISTS (SELECT 1 FROM members WHERE user = assignee AND members.project = tickets.project AND role !=
            'Reporter')""",
        "parents, sprints, versions and components are of the project": """SELECT count(*) FROM tickets LEFT JOIN
            tickets AS up ON up.id = tickets.parent LEFT JOIN sprints ON sprints.id = tickets.sprint LEFT JOIN versions
            ON versions.id = tickets.version LEFT JOIN components ON components.id = tickets.component WHERE
            coalesce(up.project, tickets.project) != tickets.project OR coalesce(sprints.project, tickets.project) !=
            tickets.project OR coalesce(versions.project, tickets.project) != tickets.project OR
            coalesce(components.project, tickets.project) != tickets.project""",
        "a sub-task has a parent that is no epic": """SELECT count(*) FROM tickets LEFT JOIN tickets AS up ON up.id =
            tickets.parent WHERE tickets.type = 'Sub-task' AND coalesce(up.type, 'Epic') IN ('Epic', 'Sub-task')""",
        "nothing happens before a ticket is created, or later than now": """SELECT count(*) FROM changes JOIN tickets ON
            tickets.id = ticket WHERE changes.created < tickets.created OR changes.created > '2026-03-14 12:00' OR
            updated < changes.created""",
        "a ticket has no link to itself": "SELECT count(*) FROM links WHERE source = target",
    }
    assert {claim: base.value(query) for claim, query in wrong.items()} == dict.fromkeys(wrong, 0)


def test_a_copy_shares_nothing_and_tells_its_state(site):
    name = "BIL-5"
    assert post(site, f"/browse/{name}/watch").status == 303
    watching = "SELECT count(*) FROM watchers"
    assert site.store.value(watching) != build_tracker().store.value(watching)
    assert len(site.state()["projects"]) == 40


# Its query language


def test_queries_find_what_they_say(base):
    assert count(base, "") == 8000
    bugs, mine = count(base, "type = bug"), count(base, "assignee = me")
    assert bugs + count(base, "type != Bug") == bugs + count(base, "NOT type = Bug") == 8000
    assert count(base, "type in (Bug, Task)") == bugs + count(base, "type = Task")
    assert count(base, "type = Bug OR assignee = me") == bugs + mine - count(base, "type = Bug AND assignee = me")
    assert count(base, "type = Bug AND assignee = me OR assignee = me") == mine
    assert count(base, "type = Bug AND (assignee = me OR assignee != me)") == bugs
    assert count(base, "assignee is empty") == base.value("SELECT count(*) FROM tickets WHERE assignee = 0")
    assert count(base, "priority >= Critical") == count(base, "priority in (Critical, Blocker)")
    assert count(base, "due < 2026-03-14") + count(base, "due >= 2026-03-14") == count(base, "due is not empty")
    assert count(base, 'state = "In review"') == base.value("SELECT count(*) FROM tickets WHERE state = 'In review'")
    assert count(base, "label = security") == base.value("SELECT count(*) FROM labels WHERE label = 'security'")
    assert count(base, "parent = ATL-1") == base.value("SELECT count(*) FROM tickets WHERE parent = 1")
    assert count(base, 'text ~ "\' OR 1 = 1 --"') == count(base, 'text ~ "100%_"') == 0


def test_an_order_ranks_and_puts_what_has_no_value_last(base):
    def order(query, column):
        read = read_query(query, "heron")
        rows = base.all(f"SELECT tickets.{column} FROM {JOINED} WHERE {read.where} ORDER BY {read.order}", *read.given)
        return list(dict.fromkeys(row[0] for row in rows))

    assert order("project = ATL ORDER BY priority DESC", "priority") == [
        "Blocker",
        "Critical",
        "Major",
        "Minor",
        "Trivial",
    ]
    days = order("project = ATL ORDER BY due", "due")
    assert days == [*sorted(days[:-1]), ""]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("color = red", "“color” is no field"),
        ("type = Bag", "There is no type “Bag”; choose among Bug"),
        ("type Bug", "Expected =, !=, ~"),
        ("type = Bug type = Task", "Expected AND, OR or ORDER BY in place of “type”."),
        ("type = Bug AND", "“the end” is no field"),
        ("type in (Bug", "Expected , or ) in place of “the end”."),
        ("(type = Bug", "Expected ) in place of “the end”."),
        ('text ~ "a', "a text in quotes ends with a quote"),
        ("due < soon", "“soon” is no date for due; write it like 2026-03-01."),
        ("points > many", "“many” is no number for points"),
        ("assignee ~ her", "~ and !~ are for title and text"),
        ("assignee > a", "> is for created"),
        ("resolution is nothing", "Expected EMPTY"),
        ("ORDER BY color", "“color” is no field"),
        ("ORDER type", "Expected BY"),
        ("(" * 14 + "type = Bug" + ")" * 14, "at most 12 brackets"),
        ("NOT " * 14 + "type = Bug", "at most 12 brackets"),
        ("x" * 1001, "at most 1000 characters"),
    ],
)
def test_a_query_that_cannot_be_read_says_why(query, told):
    with pytest.raises(QueryError, match=re.escape(told)):
        read_query(query, "heron")


def test_a_guest_is_not_me():
    with pytest.raises(QueryError, match="signed in"):
        read_query("assignee = me", "")


def test_the_form_of_filters_writes_a_query():
    asked = {"project": "ATL", "state": "In review", "assignee": "nobody", "text": 'a "b"'}
    assert as_query(asked) == r'project = ATL AND state = "In review" AND assignee is empty AND text ~ "a \"b\""'
    assert as_query({"state": "unresolved"}) == "resolution is empty"
    assert [quoted(one) for one in ("Bug", "me", "not", "a b", "")] == ["Bug", '"me"', '"not"', '"a b"', '""']


def test_a_wrong_query_is_answered_on_the_page(site):
    answer = get(site, "/search?query=type+%3D+Bag")
    assert answer.status == 422
    assert "There is no type" in answer.body.decode()


# Who may do what


def test_a_private_project_is_not_there_for_others(site, base):
    key = base.value("SELECT key FROM projects WHERE visibility = 'Private' AND id NOT IN (SELECT project FROM members "
                     "WHERE user = 1)")  # fmt: skip
    assert {get(site, path).status for path in (f"/p/{key}", f"/p/{key}/board", f"/browse/{key}-1")} == {404}
    assert "0 tickets" in get(site, f"/search?query=project+%3D+{key}").body.decode()
    query = "SELECT users.name FROM members JOIN users ON users.id = user JOIN projects ON projects.id = project"
    member = base.value(f"{query} WHERE key = ?", key)
    assert get(site, f"/p/{key}", member).status == get(site, f"/browse/{key}-1", member).status == 200


@pytest.mark.parametrize(
    ("role", "path", "form"),
    [
        ("", "/browse/{t}/comment", {"body": "x"}),
        ("Reporter", "/browse/{t}/resolve", {"resolution": "Fixed"}),
        ("Reporter", "/browse/{t}/edit", {"title": "Other"}),
        ("Developer", "/p/{key}/versions", {"name": "9.9"}),
        ("Developer", "/browse/{t}/delete", {}),
        ("Lead", "/p/{key}/settings", {"name": "Other"}),
        ("Lead", "/p/{key}/members", {"name": "lapwing", "role": "Lead"}),
    ],
)
def test_what_takes_a_higher_role_is_refused_and_changes_nothing(site, base, role, path, form):
    mine = "SELECT project FROM members WHERE user = 1"
    others = f"SELECT key FROM projects WHERE visibility = 'Public' AND id NOT IN ({mine})"
    key = where(base, role) if role else base.value(others)
    before = site.store.writes
    answer = post(site, path.format(key=key, t=ticket_of(base, key, "reporter != 1")), **form)
    assert answer.status == 403
    assert "takes the role" in answer.body.decode() or "role Developer" in answer.body.decode()
    assert site.store.writes == before


def test_guests_read_and_are_sent_to_sign_in(site, base):
    key = base.value("SELECT key FROM projects WHERE visibility = 'Public'")
    assert get(site, "/", "").status == get(site, f"/browse/{key}-1", "").status == 200
    assert get(site, f"/p/{key}/tickets/new", "").headers["location"].startswith("/sign-in")
    assert post(site, "/browse/BIL-5/watch", "").status == 303


def test_an_archived_project_stays_as_it_is(site, base):
    key = where(base, "Administrator")
    row = base.one(
        "SELECT projects.*, users.name AS lead_name FROM projects JOIN users ON users.id = lead WHERE key = ?", key
    )
    names = ("name", "description", "category", "method", "visibility", "assign")
    assert post(site, f"/p/{key}/settings", **{name: row[name] for name in names}, lead=row["lead_name"], archived="on")
    assert post(site, f"/browse/{key}-1/comment", body="Still here?").status == 403
    assert "Archived" in get(site, f"/p/{key}").body.decode()


# What becomes of a ticket


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"title": "ab"}, "A title has 3 to 160 characters."),
        ({"type": "Wish"}, "Choose a type: Bug"),
        ({"due": "tomorrow"}, "A due date is written like 2026-05-01."),
        ({"due": "2026-02-30"}, "A due date is written like 2026-05-01."),
        ({"points": "-1"}, "Points are a whole number from 0 to 100."),
        ({"estimate": "long"}, "An estimate is a whole number of hours"),
        ({"assignee": "nobody-here"}, "There is no assignee “nobody-here” here."),
        ({"parent": "ATL-1"}, "A parent is another ticket of the project"),
        ({"type": "Sub-task"}, "A sub-task needs a parent."),
        ({"labels": "x" * 31}, "A label has at most 30 characters."),
    ],
)
def test_a_form_says_what_is_wrong_and_keeps_what_was_typed(site, base, given, told):
    form = {"title": "A title", "body": "Typed before", "type": "Bug", "priority": "Major", **given}
    answer = post(site, f"/p/{where(base, 'Developer')}/tickets/new", **form)
    assert answer.status == 422
    assert told in answer.body.decode()
    assert "Typed before" in answer.body.decode()
    assert site.store.writes == 0


def test_a_ticket_from_its_report_to_its_end(site, base):
    key = where(base, "Developer")
    form = {"title": "<b>Leaks</b>", "type": "Bug", "priority": "Minor", "labels": "b, A new one,b"}
    name = post(site, f"/p/{key}/tickets/new", **form).headers["location"].split("?")[0].removeprefix("/browse/")
    page = get(site, f"/browse/{name}").body.decode()
    assert "&lt;b&gt;Leaks" in page
    assert (field(site, name, "labels"), field(site, name, "state")) == ("a-new-one, b", "Open")
    assert post(site, f"/browse/{name}/move", state="Testing").status == 403  # not from here
    for state in ("In progress", "In review", "Testing"):
        post(site, f"/browse/{name}/move", state=state)
    post(site, f"/browse/{name}/edit", **form, points="5", due="2026-04-01")
    post(site, f"/browse/{name}/assign", mine="on")
    post(site, f"/browse/{name}/work", hours="25")
    post(site, f"/browse/{name}/work", hours="3", note="Tests")
    post(site, f"/browse/{name}/resolve", resolution="Fixed")
    fields = {of: field(site, name, of) for of in ("state", "resolution", "points", "due", "assignee", "logged")}
    assert list(fields.values()) == ["Done", "Fixed", "5", "2026-04-01", "heron", "3 hours"]
    told = site.store.all("SELECT field, before, after FROM changes WHERE ticket = (SELECT max(id) FROM tickets)")
    assert [tuple(row) for row in told if row["field"] == "state"] == [
        ("state", "Open", "In progress"), ("state", "In progress", "In review"), ("state", "In review", "Testing"),
        ("state", "Testing", "Done"),
    ]  # fmt: skip
    assert "heron" in [row["after"] for row in told if row["field"] == "assignee"]
    post(site, f"/browse/{name}/move", state="Open")
    assert (field(site, name, "resolution"), field(site, name, "resolved")) == ("unresolved", "no")


def test_open_sub_tasks_hold_a_ticket_and_links_have_two_ends(site, base):
    key = where(base, "Developer")
    name = ticket_of(base, key, "type = 'Story' AND resolution = ''")
    form = {"title": "First step", "type": "Sub-task", "priority": "Minor", "parent": name}
    assert post(site, f"/p/{key}/tickets/new", **form).status == 303
    assert "open+sub-tasks" in post(site, f"/browse/{name}/resolve", resolution="Fixed").headers["location"]
    other = ticket_of(base, key, "type = 'Epic'")
    assert "There+is+no+other" in post(site, f"/browse/{name}/links", kind="blocks", target=name).headers["location"]
    post(site, f"/browse/{name}/links", kind="blocks", target=other.lower())
    assert "is blocked by" in get(site, f"/browse/{other}").body.decode()
    post(site, f"/browse/{other}/links/remove", other=name)
    assert f'aria-label="Remove the link to {name}"' not in get(site, f"/browse/{other}").body.decode()


def test_a_sprint_ends_and_its_open_tickets_go_on(site, base):
    key = where(base, "Lead", "method = 'Scrum'")
    query = "SELECT sprints.* FROM sprints JOIN projects ON projects.id = project WHERE key = ? AND sprints.state = ?"
    now, coming = base.one(query, key, "active"), base.one(query, key, "future")
    inside = "SELECT count(*) FROM tickets WHERE sprint = ? AND resolution = ''"
    open_before = base.value(inside, now["id"]) + base.value(inside, coming["id"])
    way = f"/p/{key}/sprints"
    refused = post(site, f"{way}/{coming['id']}/start", begins="2026-03-23", ends="2026-04-03").headers["location"]
    assert "no+other+is+active" in refused
    post(site, f"{way}/{now['id']}/complete", rest=coming["name"])
    assert (site.store.value(inside, now["id"]), site.store.value(inside, coming["id"])) == (0, open_before)
    post(site, f"{way}/{coming['id']}/start", begins="2026-03-23", ends="2026-04-03")
    assert site.store.one(query, key, "active")["id"] == coming["id"]


def test_a_project_keeps_an_administrator(site):
    assert "capital letters" in post(site, "/projects/new", key="x1", name="Mine").body.decode()
    form = {"key": "MINE", "name": "Mine alone", "category": "Data", "method": "Kanban", "visibility": "Private"}
    assert post(site, "/projects/new", **form).status == 303
    assert "at+least+one+administrator" in post(site, "/p/MINE/members", name="heron", role="Lead").headers["location"]
    assert get(site, "/p/MINE", "lapwing").status == 404
    post(site, "/p/MINE/members", name="lapwing", role="Developer")
    assert get(site, "/p/MINE", "lapwing").status == 200


def test_a_burndown_by_hand():
    tickets = [(3, "2026-03-09 10:00"), (5, "2026-03-11 23:59"), (2, "2026-03-20 08:00"), (8, "")]
    table = burndown("2026-03-09", "2026-03-13", tickets, "2026-03-12")
    assert table == [("2026-03-09", 15, "18.0", 1), ("2026-03-10", 15, "13.5", 1), ("2026-03-11", 10, "9.0", 2),
                     ("2026-03-12", 10, "4.5", 2)]  # fmt: skip


@pytest.mark.full
def test_every_link_leads_to_a_page(site):
    """The pages of two projects, and one of each kind of those that all share."""
    waiting, seen = ["/", "/projects", "/search", "/filters", "/profile"], set()
    while waiting and len(seen) < 250:
        path = waiting.pop(0)
        answer = get(site, path)
        assert answer.status == 200, path
        for link in re.findall(r'href="(/[^"]*)"', answer.body.decode()):
            link = link.replace("&amp;", "&")
            if link not in seen and link != "/style.css":
                seen.add(link)
                waiting.append(link)
