"""The code host: who sees a confidential issue, what searches find, what forms and archived projects refuse."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette", reason="the package starlette is not installed: pip install starlette")
from agentgym.envs.web._browser.site import Request
from agentgym.envs.web._sites.application import session_of
from agentgym.envs.web._sites.forge.app import build_forge

PUBLIC = """SELECT items.*, projects.name, owners.name AS owner_name, writers.name AS writer FROM items JOIN projects ON
    projects.id = project JOIN users AS owners ON owners.id = owner JOIN users AS writers ON writers.id = author WHERE
    confidential = 1 AND visibility = 'Public' AND state = 'open' AND assignee = 0 ORDER BY items.id"""


@pytest.fixture(scope="module")
def site():
    return build_forge()


@pytest.fixture(scope="module")
def issue(site):
    return site.store.one(PUBLIC)


def ask(site, who, path, **form):
    cookie = {"cookie": f"session={session_of(who)}"} if who else {}
    method = "POST" if form else "GET"
    return site.respond(Request(method, f"http://forge.test{path}", cookie, urlencode(form).encode()))


def outsider(site, issue, role):
    """An account with a role in the issue's project, given where it has none, that did not write the issue."""
    member = site.store.value(
        "SELECT name FROM users WHERE id != ? AND id NOT IN (SELECT user FROM members WHERE project = ?) ORDER BY id",
        issue["author"], issue["project"],
    )  # fmt: skip
    if role:
        site.store.do("INSERT INTO members SELECT ?, id, ?, '2026-01-01' FROM users WHERE name = ?", issue["project"],
                      role, member)  # fmt: skip
    return member


def test_some_issues_are_confidential_and_no_merge_request_is(site):
    kinds = site.store.all("SELECT kind, sum(confidential) AS n, count(*) AS m FROM items GROUP BY kind")
    counts = {row["kind"]: (row["n"], row["m"]) for row in kinds}
    assert counts["request"][0] == 0
    assert 0.02 < counts["issue"][0] / counts["issue"][1] < 0.08


@pytest.mark.parametrize(("role", "sees"), [(None, False), ("", False), ("Guest", False), ("Reporter", True)])
def test_a_confidential_issue_is_for_members_above_guests(issue, role, sees):
    site = build_forge()
    who = "" if role is None else outsider(site, issue, role)
    way = f"/p/{issue['owner_name']}/{issue['name']}"
    listed = ask(site, who, f"{way}/issues?q={issue['title']}&state=all").body.decode()
    assert (f"#{issue['number']} " in listed) is sees
    assert ask(site, who, f"{way}/issues/{issue['number']}").status == (200 if sees else 404)
    before = site.store.value("SELECT count(*) FROM comments")
    ask(site, who, f"{way}/issues/{issue['number']}/comment", body="I was here")
    assert site.store.value("SELECT count(*) FROM comments") == before + (1 if sees else 0)


def test_its_author_sees_it_without_a_role_and_counts_leave_it_out_for_others(issue):
    site = build_forge()
    way = f"/p/{issue['owner_name']}/{issue['name']}"
    label = site.store.value("SELECT id FROM labels WHERE project = ? ORDER BY id", issue["project"])
    site.store.do("DELETE FROM item_labels WHERE label = ?", label)
    site.store.do("INSERT INTO item_labels VALUES (?, ?)", issue["id"], label)
    site.store.do("DELETE FROM members WHERE project = ? AND user = ?", issue["project"], issue["author"])
    assert ask(site, issue["writer"], f"{way}/issues/{issue['number']}").status == 200
    pages = [ask(site, who, f"{way}/labels").body.decode() for who in (issue["writer"], "")]
    assert pages[0].count("<td>1</td>") == pages[1].count("<td>1</td>") + 1


MINE = """SELECT projects.id, projects.name, branch FROM projects JOIN users ON users.id = owner JOIN items ON
    items.project = projects.id WHERE users.name = 'walnut' ORDER BY projects.id"""


@pytest.fixture
def own():
    """The code host, and the way of a project of the visitor's own."""
    site = build_forge()
    row = site.store.one(MINE)
    return site, f"/p/walnut/{row['name']}", row


@pytest.mark.parametrize("due", ["2026-13-45", "2026-02-30", "\uff12\uff10\uff12\uff16-05-01", "2026-5-1", ""])
def test_a_milestone_is_due_on_a_day(own, due):
    site, way, _ = own
    before = site.store.value("SELECT count(*) FROM milestones")
    told = ask(site, "walnut", f"{way}/milestones", title="Next year", due=due).headers["location"]
    assert "a+date+such+as+2026-05-01" in told
    assert site.store.value("SELECT count(*) FROM milestones") == before
    ask(site, "walnut", f"{way}/milestones", title="Next year", due="2026-05-01")
    assert site.store.value("SELECT count(*) FROM milestones") == before + 1


@pytest.mark.parametrize("words", ["_", "%25", "t%25y", "a" * 60_000], ids=["_", "%", "t%y", "many"])
def test_a_search_looks_for_what_was_written(own, words):
    site, way, _ = own
    for path in (f"/explore?q={words}", f"/explore?topic={words}"):
        assert 'id="found">0 projects' in ask(site, "walnut", path).body.decode()
    assert "#1 " not in ask(site, "walnut", f"{way}/issues?state=all&q={words}").body.decode()


def test_a_search_finds_words_in_small_letters_and_large(own):
    site, way, row = own
    assert way in ask(site, "walnut", f"/explore?q={row['name'].upper()}").body.decode()


def test_an_archived_project_stays_as_it_is(own):
    site, way, row = own
    given = {"visibility": "Public", "branch": row["branch"]}
    ask(site, "walnut", f"{way}/settings", **given, archived="on")
    number = site.store.value("SELECT number FROM items WHERE kind = 'issue' AND project = ?", row["id"])
    page = site.store.value("SELECT slug FROM wiki WHERE project = ?", row["id"])
    forms = {
        "issues/new": {"title": "abc"}, f"issues/{number}/comment": {"body": "x"}, "labels": {"name": "zz"},
        f"issues/{number}/change": {"title": "zz"}, f"issues/{number}/state": {"deed": "close"},
        "milestones": {"title": "zz", "due": "2026-05-01"}, "wiki/new": {"title": "Q", "body": "x"},
        f"wiki/{page}/edit": {"title": "R", "body": "x"},
    }  # fmt: skip
    before = site.state()
    for path, form in forms.items():
        answer = ask(site, "walnut", f"{way}/{path}", **form)
        assert answer.status == 403, path
        assert "is archived" in answer.body.decode()
    assert site.state() == before
    ask(site, "walnut", f"{way}/settings", **given)
    for path, form in forms.items():
        assert ask(site, "walnut", f"{way}/{path}", **form).status == 303, path
