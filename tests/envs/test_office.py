"""Office: people and their database, answers and changes found a second time by SQL, apps that refuse, splits, code."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest

import agentgym
from agentgym import wrappers
from agentgym.envs._kit.tools import ToolError
from agentgym.envs._kit.tools.question_world import Problem, solve
from agentgym.envs.tools._office.apps.toolbox import TOOLBOX
from agentgym.envs.tools._office.desk import Desk, compared, desk_of
from agentgym.envs.tools._office.people.circle import APPS, CIRCLES, PEOPLE
from agentgym.envs.tools._office.people.database import make_rows
from agentgym.envs.tools._office.people.words import LURES
from agentgym.envs.tools._office.schema import TABLES, fill
from agentgym.envs.tools.office import CIRCLES_OF, SPLITS, OfficeEnv
from tests.envs.boxes import sandbox

BOOK = OfficeEnv.world.book


def said(tool: str, /, **arguments: Any) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


def opened(circle: int = 0, person: int = 0) -> Desk:
    """A desk that is logged in everywhere."""
    return Desk(circle, person, opened=list(APPS))


def asked(template: str, count: int = 6) -> Iterator[Problem]:
    """Some problems of a template, of people of one circle."""
    found = [solve(OfficeEnv.world, number * CIRCLES, template, 0) for number in range(count)]
    problems = [problem for problem in found if problem is not None]
    assert len(problems) >= 3
    yield from problems


def dumped(desk: Desk) -> set[tuple[Any, ...]]:
    """All rows of the database as it is now."""
    return {(name, *row) for name in TABLES for row in desk.ask(f"SELECT * FROM {name}")}


def played(problem: Problem) -> Desk:
    """The desk after the gold calls."""
    desk = Desk(problem.begin.circle, problem.begin.person)
    for name, arguments in problem.trace.calls:
        TOOLBOX.run(name, desk, arguments)
    return desk


def test_people_are_many_and_in_one_circle_only() -> None:
    seen: set[str] = set()
    for circle in (0, 7, 16, 23):
        rows = make_rows(circle)
        assert sum(map(len, rows.values())) > 4_000
        names = {row[1] for row in rows["people"]} | {row[2] for row in rows["contacts"]}
        assert len(rows["people"]) == PEOPLE
        assert len(names) > 120
        assert not names & seen
        seen |= names
        assert any(row[6] in LURES for row in rows["mails"]), "some mails give orders"
        assert all(set(map(len, rows[name])) == {len(TABLES[name])} for name in rows)


def test_a_circle_is_the_same_whenever_it_is_made() -> None:
    assert make_rows(3) == make_rows(3)
    assert make_rows(3) != make_rows(4)


def test_splits_have_people_and_templates_of_their_own() -> None:
    assert sorted(circle for circles in CIRCLES_OF.values() for circle in circles) == list(range(CIRCLES))
    assert set(SPLITS) <= set(BOOK.templates)
    env = agentgym.make("Office-v0").unwrapped
    known: dict[str, str] = {}
    for split in ("train", "val", "test"):
        for place in range(60):
            spec = env.tasks(split)[place].spec
            assert spec["seed"] % CIRCLES in CIRCLES_OF[split]
            assert known.setdefault(spec["template"], split) == split


def test_there_are_many_programs_over_one_to_four_apps() -> None:
    codes = {
        (each.program.__code__.co_code, repr(each.program.__code__.co_consts), each.program.__code__.co_names)
        for each in BOOK.templates.values()
    }
    assert len(codes) == len(BOOK.templates) >= 100
    used = {tool for name in SPLITS for problem in asked(name, 5) for tool, _ in problem.trace.calls}
    assert {tool.partition("_")[0] for tool in used} >= {
        "mail", "calendar", "notes", "files", "contacts", "payments", "music", "shop", "tasks",
    }  # fmt: skip


@pytest.mark.parametrize("count", [3, 4])
def test_tasks_of_several_apps_exist(count: int) -> None:
    """The gold calls are of as many apps as a template says; `briefing` alone sums up a fifth one."""
    names = [name for name, each in BOOK.templates.items() if each.hops == count]
    assert len(names) >= 6
    for name in names[::3]:
        for problem in asked(name, 4):
            calls = {tool.partition("_")[0] for tool, _ in problem.trace.calls}
            apps = calls - {"account", "login", "finish", "whoami"}
            assert len(apps) == count + (name == "briefing"), f"{name} uses {sorted(apps)}"


@pytest.mark.parametrize("template", ["hand_over", "call_off", "shop_by_note", "join_playlists", "reading_group"])
def test_the_difference_is_that_of_the_databases(template: str) -> None:
    """What counts as changed is what two dumps differ in."""
    for problem in asked(template):
        desk = played(problem)
        assert compared(desk) == problem.goal
        before, after = dumped(Desk(desk.circle, desk.person)), dumped(desk)
        new = {(name, *row) for (name, _), row in desk.changes.items() if row is not None}
        assert after - before == new
        assert {row[:2] for row in before ^ after} == set(desk.changes)


def test_answers_by_sql() -> None:
    for problem in asked("sent_for"):
        (row,) = problem.begin.ask(
            "SELECT SUM(amount) FROM transfers WHERE sender = ? AND note = ? AND created_at >= ?",
            problem.begin.person, problem.arguments["purpose"], problem.arguments["early_day"],
        )  # fmt: skip
        assert problem.trace.answer == pytest.approx(row[0] / 100)
    for problem in asked("most_mails_by_relation"):
        rows = problem.begin.ask(
            "SELECT c.name, COUNT(*) AS n FROM contacts c JOIN mails m ON m.owner = c.owner AND m.sender = c.email "
            "WHERE c.owner = ? AND c.relation = ? AND m.folder = 'inbox' GROUP BY c.id ORDER BY n DESC",
            problem.begin.person, problem.arguments["relation"],
        )  # fmt: skip
        assert problem.trace.answer == rows[0][0]
    for problem in asked("minutes_of_playlist"):
        (row,) = problem.begin.ask(
            "SELECT SUM(s.seconds) FROM playlists l JOIN playlist_songs p ON p.playlist_id = l.id "
            "JOIN songs s ON s.id = p.song_id WHERE l.owner = ? AND l.title = ?",
            problem.begin.person, problem.arguments["playlist"],
        )  # fmt: skip
        assert problem.trace.answer == pytest.approx(row[0] / 60, abs=0.0051)


def test_changes_by_sql() -> None:
    for problem in asked("pay_group"):
        desk, found = problem.begin, problem.goal
        rows = desk.ask(
            "SELECT r.requester, r.amount FROM requests r JOIN people p ON p.id = r.requester JOIN contacts c "
            "ON c.owner = r.payer AND c.email = p.email WHERE r.payer = ? AND r.status = 'pending' AND c.relation = ?",
            desk.person, problem.arguments["group"],
        )  # fmt: skip
        sent = sorted((row[2], row[3]) for row in found[1] if row[0] == "transfers")
        assert sent == sorted(rows)
        before = desk.base.rows["wallets"][desk.person + 1][2]
        assert found[0][f"wallets {desk.person + 1}"][2] == before - sum(row[1] for row in rows)
    for problem in asked("archive_old"):
        desk = problem.begin
        rows = desk.ask(
            "SELECT id FROM mails WHERE owner = ? AND folder = 'inbox' AND is_read AND NOT is_starred AND sent_at < ?",
            desk.person, problem.arguments["past_day"],
        )  # fmt: skip
        assert set(problem.goal[0]) == {f"mails {row[0]}" for row in rows}
        assert problem.goal[1] == []


def test_a_change_taken_back_leaves_no_trace() -> None:
    desk = opened()
    before = dumped(desk)
    made = TOOLBOX.run("files_create", desk, {"path": "/work/x.txt", "content": "x"})
    TOOLBOX.run("files_share", desk, {"file_id": made["file_id"], "email": desk.base.rows["people"][1][2]})
    assert compared(desk) == [{}, [
        ("files", 0, "/work/x.txt", 1, "x", desk.clock.stamp),
        ("shares", ("files", 0, "/work/x.txt", 1, "x", desk.clock.stamp), desk.base.rows["people"][1][2]),
    ]]  # fmt: skip
    TOOLBOX.run("files_delete", desk, {"file_id": made["file_id"]})
    assert (compared(desk), dumped(desk)) == ([{}, []], before)


def test_desks_of_one_database_do_not_see_each_other() -> None:
    one, other = opened(1, 2), opened(1, 2)
    song = one.ask("SELECT song_id FROM library WHERE owner = 2 AND is_liked = 0 ORDER BY id")[0][0]
    TOOLBOX.run("music_like", one, {"song_id": song, "liked": True})
    for desk, count in ((other, 0), (one, 1), (other, 0)):
        assert len(desk.ask("SELECT 1 FROM library WHERE owner = 2 AND is_liked AND song_id = ?", song)) == count
    plain = sqlite3.connect(":memory:", isolation_level=None)
    fill(plain, make_rows(1))
    assert plain.execute("SELECT * FROM library ORDER BY id").fetchall() == other.ask(
        "SELECT * FROM library ORDER BY id"
    )


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("login", {"app": "notes", "password": "x"}, "'notes' asks for no password; those that do are mail"),
        ("login", {"app": "mail", "password": "x"}, "That is not the password of mail; account_passwords gives it."),
        ("mail_list", {"page": 99}, "There is no page 99; with page_size 10 the pages are 1 to"),
        ("mail_list", {"page_size": 50}, "page_size is from 1 to 20, got 50."),
        ("mail_list", {"since": "May"}, "'May' is no date; write it as YYYY-MM-DD"),
        ("mail_read", {"mail_id": 10**8}, "You have no mail 100000000; mail_list gives the ids."),
        ("mail_send", {"to": [], "subject": "a", "body": "b"}, "A mail goes to 1 to 20 addresses."),
        ("mail_send", {"to": ["x"], "subject": "a", "body": "b"}, "'x' is no mail address; contacts_list gives"),
        ("files_create", {"path": "/../x", "content": ""}, "'/../x' is no path; write it as /folder/name.txt"),
        ("files_share", {"file_id": 1, "email": "a@b.example"}, "a@b.example has no account here"),
        ("calendar_create", {"title": "x", "start": "2023-01-02 10:00", "end": "2023-01-02 09:00"}, "The end 2023-01"),
        ("calendar_update", {"event_id": 1, "start": ""}, "'' is no time; write it as YYYY-MM-DD HH:MM"),
        ("calendar_update", {"event_id": 1}, "Nothing to change; give title, start, end or location."),
        ("payments_send", {"email": "{mate}", "amount": 10**6, "note": "x"}, "Your balance is $"),
        ("payments_send", {"email": "{mate}", "amount": 0.001, "note": "x"}, "An amount is in dollars, above 0"),
        ("payments_answer", {"request_id": 10**6, "answer": "paid"}, "There is no request 1000000 to_me"),
        ("music_rate", {"song_id": 1, "stars": 9}, "stars is from 1 to 5, got 9."),
        ("music_add_songs", {"playlist_id": 1, "song_ids": [1, 1]}, "song_ids holds a song twice"),
        ("shop_set_cart", {"product_id": 1, "quantity": 99}, "quantity is from 0 to 20, got 99."),
        ("shop_cancel", {"order_id": 4}, "Order 4 is delivered; only orders in transit can be cancelled."),
        ("tasks_update", {"task_id": 1}, "Nothing to change; give is_done, due_on, priority or project_id."),
        ("tasks_create", {"project_id": 999, "title": "x", "due_on": "2023-01-01"}, "You have no project 999"),
    ],
)
def test_apps_refuse_in_a_line_and_change_nothing(name: str, arguments: dict[str, Any], reason: str) -> None:
    desk = opened()
    arguments = {
        key: desk.base.rows["people"][1][2] if value == "{mate}" else value for key, value in arguments.items()
    }
    with pytest.raises(ToolError) as refused:
        TOOLBOX.run(name, desk, arguments)
    assert str(refused.value).startswith(reason)
    assert "\n" not in str(refused.value)
    assert desk.changes == {}


def test_what_belongs_to_others_is_closed_or_can_only_be_read() -> None:
    desk = Desk(2, 0)
    with pytest.raises(ToolError, match="You are not logged in to files; call login"):
        TOOLBOX.run("files_list", desk, {})
    desk = opened(2, 0)
    shared = TOOLBOX.run("files_shared_with_me", desk, {})["items"][0]
    assert TOOLBOX.run("files_show", desk, {"file_id": shared["id"]})["path"] == shared["path"]
    with pytest.raises(ToolError, match="is shared with you to be read; only its owner may change it"):
        TOOLBOX.run("files_delete", desk, {"file_id": shared["id"]})
    strange = next(row[0] for row in desk.base.rows["mails"].values() if row[1] != 0)
    with pytest.raises(ToolError, match="You have no mail"):
        TOOLBOX.run("mail_read", desk, {"mail_id": strange})
    invited = TOOLBOX.run("calendar_list", desk, {"page_size": 20})["items"]
    event = next(row["id"] for row in invited if row["answer"] != "organizer")
    with pytest.raises(ToolError, match="was made by somebody else; you can only answer"):
        TOOLBOX.run("calendar_cancel", desk, {"event_id": event})


def test_pages_hold_all_rows_once() -> None:
    desk = opened(5, 3)
    first = TOOLBOX.run("files_list", desk, {"page_size": 20})
    rows = [each for page in range(1, first["pages"] + 1)
            for each in TOOLBOX.run("files_list", desk, {"page": page, "page_size": 20})["items"]]  # fmt: skip
    assert [row["id"] for row in rows] == [
        row[0] for row in desk.ask("SELECT id FROM files WHERE owner = 3 ORDER BY path, id")
    ]
    assert len(rows) == first["found"] > 60


@pytest.mark.full
@pytest.mark.parametrize("template", list(BOOK.templates))
def test_every_template_is_solved_by_whoever_reads_it(template: str) -> None:
    """Of people of its split, in every wording; half the gold calls are not enough for a change."""
    circles = CIRCLES_OF[SPLITS.get(template, "train")]
    env = agentgym.make("Office-v0").unwrapped
    solved = 0
    for number in range(12):
        spec = {"seed": number * CIRCLES + circles[number % len(circles)], "template": template, "wording": number}
        problem = solve(OfficeEnv.world, spec["seed"], template, number)
        if problem is None:
            continue
        assert BOOK.read(problem.question) == [(problem.template, dict(problem.arguments))]
        env.reset(options={"task": spec})
        while not env.ended:
            *_, info = env.step(env.expert_action())
        assert info["success"], problem.question
        env.reset(options={"task": spec})
        if problem.template.answer == "state":
            assert not env.step(said("finish", answer="done"))[4]["success"]
        solved += 1
    assert solved >= 4


@pytest.mark.parametrize(
    "template",
    [
        pytest.param(name, marks=[pytest.mark.full] * (name not in ("hand_over", "sent_for", "reading_group")))
        for name in BOOK.templates
    ],
)
def test_the_gold_calls_and_one_unasked_change_lose(template: str) -> None:
    """Whatever was asked, an answer or a change: the rest of the database must be as it was."""
    circles = CIRCLES_OF[SPLITS.get(template, "train")]
    env = agentgym.make("Office-v0").unwrapped
    seeds = (number * CIRCLES + circles[number % len(circles)] for number in range(24))
    seed = next(seed for seed in seeds if solve(OfficeEnv.world, seed, template, 0) is not None)
    for unasked in (False, True):
        env.reset(options={"task": {"seed": seed, "template": template, "wording": 0}})
        while json.loads(last := env.oracle_action())["name"] != "finish":
            env.step(last)
        if unasked:
            assert env.step(said("notes_create", title="Nobody asked", body="for this"))[4]["action_valid"]
        *_, info = env.step(last)
        assert (env.ended, info["success"]) == (True, not unasked)


@pytest.mark.full
def test_a_program_of_python_solves_a_task() -> None:
    sandbox()
    env = wrappers.CodeAction(agentgym.make("Office-v0"), most=40)
    env.reset(options={"task": {"seed": desk_seed(2, 1), "template": "trash_promotions", "wording": 0}})
    code = (
        "login(app='mail', password=account_passwords()['mail'])\n"
        "page, pages, found = 1, 1, []\n"
        "while page <= pages:\n"
        "    said = mail_list(label='promotions', unread=True, starred=False, page=page)\n"
        "    found += said['items']\n"
        "    page, pages = page + 1, said['pages']\n"
        "for mail in found:\n"
        "    mail_update(mail_id=mail['id'], folder='trash')\n"
        "finish(answer='done')\n"
    )
    text, reward, over, _, info = env.step(f"```python\n{code}```")
    assert (reward, over, info["success"], info["program"]) == (1.0, True, True, "exit"), text


def desk_seed(circle: int, person: int) -> int:
    """A seed of a person."""
    seed = person * CIRCLES + circle
    desk = desk_of(seed)
    assert (desk.circle, desk.person) == (circle, person)
    return seed
