"""Phone and Desktop: what the device holds, its apps and shells, the judge, templates, and players that do nothing."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import unquote_plus, urlencode

import gymnasium as gym
import numpy as np
import pytest

from tests.envs.browsing import needs_browser

pytest.importorskip("starlette", reason="the package starlette is not installed: pip install starlette")
from agentgym.core.schema import violation
from agentgym.envs.web._browser.site import Request
from agentgym.envs.web._device.drafts import HINTS, Ask, record
from agentgym.envs.web._device.judge import Verdict, added, changed, compare, removed
from agentgym.envs.web._device.shortcuts import app_named, commonest, first_result, first_screen, kind_of, usual_answer
from agentgym.envs.web._sites.database import Store
from agentgym.envs.web._sites.device.content import OWNERS, original
from agentgym.envs.web._sites.device.screens import APPS, find_screen
from agentgym.envs.web._sites.device.shells import build_desktop, build_phone
from agentgym.envs.web.device import NAMES, SCHEMA, TEMPLATES, DesktopEnv, PhoneEnv
from agentgym.wrappers import Macros


@pytest.fixture
def phone():
    return build_phone()


@pytest.fixture
def desktop():
    return build_desktop()


def get(site, path):
    return site.respond(Request("GET", f"http://phone.test{path}", {}))


def post(site, path, **form):
    return site.respond(Request("POST", f"http://phone.test{path}", {}, urlencode(form, doseq=True).encode()))


def page(site, path):
    return unescape(get(site, path).body.decode())


def task(number, seed=0):
    owner = (number + seed) % OWNERS
    draft = TEMPLATES[number](Ask(np.random.default_rng([number, seed]), owner))
    return record(NAMES[number], owner, draft, seed, (number + seed) % 10)


def test_what_is_asked_as_a_question_stands_in_frames_of_its_own():
    asked, seen = re.compile(r"(?:on )?(?:how|who|whose|when|what|where|which)\b"), set()
    for_nouns = re.compile(r"What is|Give me|Could you find (?!out)|Look up (?!and tell me)")
    for number, template in enumerate(TEMPLATES):
        draft = template(Ask(np.random.default_rng([number, 1]), number % OWNERS))
        for way, words in enumerate(draft.words):
            assert draft.kind != "content" or words[0].islower(), f"{words}: what to do begins with a verb"
            for frame in range(10):
                said = record(NAMES[number], number % OWNERS, draft, way, frame)["instruction"]
                if draft.kind == "information" and asked.match(words):
                    seen.add(words.split()[0])
                    assert not for_nouns.match(said), said
                if "," in words:
                    assert not re.search(r"[^,] and answer with it\.", said), said
    assert {"how", "who", "when", "what", "where", "which"} <= seen


def test_a_new_number_is_to_be_saved_in_every_phrasing():
    number = NAMES.index("joint_tasks.save_number")
    draft = TEMPLATES[number](Ask(np.random.default_rng(3), 0))
    for way, begins in enumerate(("save in the contacts the new phone number", "change the phone number of")):
        for frame in range(10):
            said = record(NAMES[number], 0, draft, way, frame)["instruction"]
            assert begins in said[:1].lower() + said[1:], said


# What it holds


@pytest.mark.parametrize("owner", [0, OWNERS - 1])
def test_the_content_is_large_and_agrees_with_itself(owner):
    base = Store(original(owner))
    sizes = {table: len(rows) for table, rows in base.tables().items()}
    assert sizes["contacts"] == 140
    assert sizes["messages"] > 600
    assert (sizes["events"], sizes["notes"], sizes["threads"]) == (260, 65, 56)
    assert sizes["files"] > 250
    wrong = {
        "conversations are with contacts": "SELECT count(*) FROM threads WHERE phone NOT IN (SELECT phone "
        "FROM contacts)",
        "names are one's own": "SELECT count(*) - count(DISTINCT first || last) FROM contacts",
        "events end after they begin": "SELECT count(*) FROM events WHERE begins >= ends",
        "hosts are contacts": "SELECT count(*) FROM events WHERE host != '' AND host NOT IN (SELECT first || ' ' || "
        "last FROM contacts)",
        "files lie in folders": "SELECT count(*) FROM files WHERE id > 1 AND parent NOT IN (SELECT id FROM files WHERE "
        "kind = 'folder')",
        "later messages have later numbers": "SELECT count(*) FROM messages AS one JOIN messages AS two ON "
        "two.thread = one.thread AND two.id > one.id AND two.sent < one.sent",
        "one network is joined": "SELECT count(*) != 1 FROM networks WHERE joined = 1",
    }
    assert {claim: base.value(query) for claim, query in wrong.items()} == dict.fromkeys(wrong, 0)


def test_owners_differ_and_copies_share_nothing(phone):
    assert Store(original(0)).tables() != Store(original(1)).tables()
    post(phone, "/notes/new", title="Mine", body="x", folder="Home")
    assert (
        phone.store.value("SELECT count(*) FROM notes") == build_phone().store.value("SELECT count(*) FROM notes") + 1
    )


def test_a_reset_is_a_copy():
    original(0)
    written = original.cache_info().misses
    build_desktop()
    assert original.cache_info().misses == written


# The apps


@pytest.mark.parametrize(
    ("path", "form", "told"),
    [
        ("/contacts/new", {"first": "A", "phone": "x", "team": "Other"}, "A phone number has digits"),
        ("/contacts/new", {"first": "", "phone": "555-1", "team": "Other"}, "A first name has 1 to 60 characters."),
        ("/contacts/1/edit", {"first": "A", "phone": "555-12", "team": "Kin"}, "Choose a group: Family"),
        ("/clock/new", {"time": "25:00"}, "A time is written like 07:30."),
        ("/clock/timers", {"minutes": "0"}, "A timer runs for 1 to 1440 minutes."),
        ("/clock/world", {"city": "Atlantis"}, "Choose a city of the list."),
        ("/calendar/new", {"title": "T", "day": "2026-02-30", "begins": "09:00", "ends": "10:00", "calendar": "Work"},
         "A day is written like 2026-05-01."),
        ("/calendar/new", {"title": "T", "day": "2026-03-20", "begins": "11:00", "ends": "10:00", "calendar": "Work"},
         "An event ends after it begins."),
        ("/messages/new", {"to": "Nobody Here", "body": "x"}, "is no contact and no phone number."),
        ("/messages/1", {"body": ""}, "A message has 1 to 4000 characters."),
        ("/notes/new", {"title": "T", "folder": "Attic"}, "Choose a folder: Personal"),
        ("/settings/set", {"name": "Brightness", "value": "101"}, "Brightness is a whole number from 0 to 100."),
        ("/settings/set", {"name": "Ringtone", "value": "Gong"}, "Choose one of: Harp"),
        ("/files/2/folder", {"name": "a/b"}, "A name has none of"),
        ("/files/2/move", {"folder": "/Documents/Letters"}, "A folder cannot be moved into itself."),
        ("/files/2/bin", {}, "Only an empty folder can be moved to the bin."),
    ],
)  # fmt: skip
def test_a_form_says_what_is_wrong_and_changes_nothing(phone, path, form, told):
    answer = post(phone, path, **form)
    assert answer.status == 422
    assert told in unescape(answer.body.decode())
    assert compare(Store(original(0)).tables(), phone.state(), []) == Verdict(0, 0)


@pytest.mark.parametrize(
    "path", ["/notes/9999", "/contacts/9999", "/files/9999", "/calendar/9999", "/none", "/settings/s/x"]
)
def test_what_is_not_there_is_said_so(phone, path):
    answer = get(phone, path)
    assert answer.status == 404
    assert "There is no" in answer.body.decode()


def test_text_of_the_agent_is_shown_as_text(phone):
    way = post(phone, "/notes/new", title="<b>x</b>", body="<script>1</script>", folder="Home").headers["location"]
    shown = get(phone, way).body.decode()
    assert "&lt;script&gt;1" in shown
    assert "<script>" not in shown


def test_a_network_asks_for_its_password_and_for_wi_fi(phone):
    row = phone.store.one("SELECT * FROM networks WHERE saved = 0")
    way = f"/settings/networks/{row['id']}/join"
    assert "The password is wrong." in post(phone, way, password="x").body.decode()
    post(phone, "/settings/set", name="Wi-Fi")
    assert "Wi-Fi is off" in post(phone, way, password=row["password"]).body.decode()
    post(phone, "/settings/set", name="Wi-Fi")
    assert post(phone, way, password=row["password"]).status == 303
    assert [one["id"] for one in phone.store.all("SELECT id FROM networks WHERE joined = 1")] == [row["id"]]


def test_a_file_goes_to_the_bin_and_comes_back_where_its_name_is_free(phone):
    row = phone.store.one("SELECT * FROM files WHERE kind = 'text' AND binned = 0")
    post(phone, f"/files/{row['id']}/bin")
    assert row["name"] in page(phone, "/files/bin")
    other = phone.store.one("SELECT * FROM files WHERE kind = 'text' AND binned = 0 AND parent = ?", row["parent"])
    post(phone, f"/files/{other['id']}/rename", name=row["name"])
    assert "There+is+something" in post(phone, f"/files/{row['id']}/restore").headers["location"]
    post(phone, f"/files/{other['id']}/rename", name="free.txt")
    post(phone, f"/files/{row['id']}/restore")
    assert phone.store.value("SELECT binned FROM files WHERE id = ?", row["id"]) == 0


@pytest.mark.parametrize("gone", [False, True])
def test_a_file_comes_back_to_the_root_where_its_folder_is_not_there(phone, gone):
    post(phone, "/files/1/folder", name="Box")
    box = phone.store.value("SELECT id FROM files WHERE name = 'Box'")
    row = phone.store.one("SELECT * FROM files WHERE kind = 'text' AND binned = 0")
    post(phone, f"/files/{row['id']}/move", folder="/Box")
    post(phone, f"/files/{row['id']}/bin")
    post(phone, f"/files/{box}/bin")
    assert post(phone, f"/files/{box}/folder", name="Inside").status == 404
    if gone:
        post(phone, f"/files/{box}/delete")
        post(phone, "/files/1/folder", name="Another")
    assert f"from {'/' if gone else '/Box'}<" in page(phone, "/files/bin")
    told = unquote_plus(post(phone, f"/files/{row['id']}/restore").headers["location"])
    assert told.endswith(f"“{row['name']}” is back{'.' if gone else ' in /; its folder is gone.'}")
    assert row["name"] in page(phone, "/files")
    assert post(phone, f"/files/{row['id']}/delete").status == 404


def test_nobody_blocked_is_written_to_and_a_new_number_takes_its_conversation_along(phone):
    row = phone.store.one("SELECT contacts.* FROM contacts JOIN threads ON threads.phone = contacts.phone")
    name = f"{row['first']} {row['last']}"
    form = {key: row[key] for key in ("first", "last", "email", "company", "city", "birthday", "team")}
    post(phone, f"/contacts/{row['id']}/edit", **form, phone="555-777")
    assert phone.store.value("SELECT count(*) FROM threads WHERE phone = '555-777'") == 1
    if not row["blocked"]:
        post(phone, f"/contacts/{row['id']}/flip", name="blocked")
    assert f"{name} is blocked." in unescape(post(phone, "/messages/new", to=name, body="Hi").body.decode())
    thread = phone.store.value("SELECT id FROM threads WHERE phone = '555-777'")
    before = phone.store.value("SELECT count(*) FROM messages")
    answer = post(phone, f"/messages/{thread}", body="Hi")
    assert answer.status == 422
    assert f"{name} is blocked." in unescape(answer.body.decode())
    assert phone.store.value("SELECT count(*) FROM messages") == before


# The shells


def test_the_phone_goes_back_home_and_to_recent_apps(phone):
    assert [app for app in APPS if f'href="/{app.lower()}"' in page(phone, "/")] == list(APPS)
    for path in ("/notes", "/notes/1", "/clock"):
        get(phone, path)
    assert post(phone, "/back").headers["location"] == "/notes/1"
    get(phone, "/notes/1")
    assert post(phone, "/back").headers["location"] == "/notes"
    recent = re.findall(r'<li><a href="([^"]+)">(\w+)</a>', page(phone, "/recent"))
    assert recent == [("/notes/1", "Notes"), ("/clock", "Clock")]
    get(phone, "/")
    assert post(phone, "/back").headers["location"] == "/"


def test_the_look_follows_the_settings(phone):
    before = page(phone, "/")
    post(phone, "/settings/set", name="Dark theme")
    assert ("dark" in re.search(r'<body class="([^"]*)"', before)[1]) != (
        "dark" in re.search(r'<body class="([^"]*)"', page(phone, "/"))[1]
    )
    assert phone.store.value("SELECT name FROM networks WHERE joined = 1") in page(phone, "/")
    post(phone, "/settings/set", name="Airplane mode")
    assert "No network" in page(phone, "/")


def test_windows_open_cover_each_other_and_go_on_where_they_were(desktop):
    for app in ("notes", "files"):
        assert get(desktop, f"/open/{app}").headers["location"] == "/"
    get(desktop, "/w/1/notes/2")
    shown = page(desktop, "/")
    assert re.findall(r'aria-label="(\w+) window"', shown) == ["Notes", "Files"]  # the one in front first
    title = desktop.store.value("SELECT title FROM notes WHERE id = 2")
    assert f"<h1>{title}</h1>" in shown
    post(desktop, "/minimize/1")
    assert title not in page(desktop, "/")
    post(desktop, "/raise/1")
    assert title in page(desktop, "/")
    assert post(desktop, "/w/1/notes/2/pin").headers["location"] == "/w/1/notes/2"
    post(desktop, "/close/2")
    assert re.findall(r'aria-label="(\w+) window"', page(desktop, "/")) == ["Notes"]
    assert (
        get(desktop, "/w/2/files").status
        == post(desktop, "/close/7").status
        == get(desktop, "/open/nothing").status
        == 404
    )


def test_every_screen_has_one_route_and_links_lead_to_screens(phone):
    assert find_screen("GET", "/notes/3/edit")[1] == {"number": "3"}
    assert find_screen("GET", "/notes/x") == (None, {})
    waiting, seen = ["/", "/recent"], set()
    while waiting and len(seen) < 120:
        path = waiting.pop(0)
        answer = get(phone, path)
        assert answer.status == 200, path
        for link in re.findall(r'href="(/[^"]*)"', answer.body.decode()):
            link = unescape(link)
            if link not in seen and link != "/style.css":
                seen.add(link)
                waiting.append(link)


# The judge

BEFORE = {"notes": [{"id": 1, "title": "a", "pinned": 0, "changed": "x"}, {"id": 2, "title": "b", "pinned": 0,
          "changed": "x"}]}  # fmt: skip


def after(*rows):
    return {"notes": [dict(zip(("id", "title", "pinned", "changed"), row, strict=True)) for row in rows]}


@pytest.mark.parametrize(
    ("rows", "goals", "met", "stray"),
    [
        ([(1, "a", 0, "x"), (2, "b", 0, "x")], [], 0, 0),
        ([(1, "a", 1, "y"), (2, "b", 0, "x")], [changed("notes", 1, pinned=1)], 1, 0),
        ([(1, "a", 1, "x"), (2, "b", 1, "x")], [changed("notes", 1, pinned=1)], 1, 1),
        ([(1, "a", 0, "x"), (2, "b", 0, "x")], [changed("notes", 1, pinned=1)], 0, 0),
        ([(1, "c", 1, "x"), (2, "b", 0, "x")], [changed("notes", 1, pinned=1)], 1, 1),
        ([(1, "a", 0, "x")], [removed("notes", 2)], 1, 0),
        ([(2, "b", 0, "x")], [removed("notes", 2)], 0, 1),
        ([(1, "a", 0, "x"), (2, "b", 0, "x"), (3, " c  d ", 0, "x")], [added("notes", title="c d")], 1, 0),
        ([(1, "a", 0, "x"), (2, "b", 0, "x"), (3, "c", 0, "x"), (4, "c", 0, "x")], [added("notes", title="c")], 1, 1),
        ([(1, "a", 0, "x"), (2, "b", 0, "x"), (3, "c", 0, "x")], [added("notes", title="c")] * 2, 1, 0),
    ],
)
def test_the_judge_counts_what_was_asked_and_what_was_not(rows, goals, met, stray):
    verdict = compare(BEFORE, after(*rows), goals)
    assert (verdict.met, verdict.stray) == (met, stray)


# The tasks


@pytest.mark.full
def test_templates_fit_every_owner_and_are_said_in_many_ways():
    assert len(TEMPLATES) == len(set(NAMES)) >= 40
    apps = set()
    for number, template in enumerate(TEMPLATES):
        for owner in range(OWNERS):
            draft = template(Ask(np.random.default_rng([number, owner]), owner))
            spec = record(NAMES[number], owner, draft, 0, 0)
            assert not violation(spec, SCHEMA, where=NAMES[number])
            assert bool(draft.answer) != bool(draft.goals)
        said = {record("", 0, draft, way, frame)["instruction"] for way in range(6) for frame in range(10)}
        assert len(said) >= 20, NAMES[number]
        opened = [step[1] for step in draft.plan if step[0] == "open"]
        assert 1 <= len(set(opened)) <= 3
        apps.add(len(set(opened)))
    assert apps == {1, 2, 3}


def test_shortcuts_look_once():
    asked = f"What is the phone number of Ada Abel? {HINTS['phone']}"
    assert kind_of(asked) == "phone"
    assert app_named(asked) == "Contacts"
    assert app_named("Turn on Wi-Fi.") == "Settings"
    opening = ["click", 'link "Contacts"']
    assert first_screen(asked, ['[4] link "Contacts"'], [], {}, opening) == "click [4]"
    assert first_screen(asked, ['[5] text "call 555-10"'], [opening], {}, opening) == "stop [555-10]"
    assert usual_answer(asked, [], [], {"phone": "555-1"}, opening) == "stop [555-1]"
    field = ['[7] searchbox "Search contacts"']
    assert first_result(asked, field, [opening], {}, opening) == 'fill [7] "Ada Abel"'
    specs = [{"instruction": f"x {HINTS['number']}", "answer": said} for said in ("2", "1", "1", "")]
    assert commonest(specs) == {"number": "1"}


@pytest.fixture(scope="module", params=[PhoneEnv, DesktopEnv])
def device(request):
    env = request.param()
    yield env
    env.close()


def played(env, spec):
    env.reset(seed=0, options={"task": spec})
    while not env.ended:
        *_, info = env.step(env.oracle_action())
        assert info["action_valid"], info["error"]
    return info


@needs_browser
@pytest.mark.parametrize("name", ["setting_tasks.switch", pytest.param("joint_tasks.brief", marks=pytest.mark.full)])
def test_an_oracle_does_it_and_stopping_at_once_does_not(device, name):
    number = NAMES.index(name)
    info = played(device, task(number))
    assert info["success"]
    assert info["metrics"] == {"goals": 1.0, "stray": 0.0, "answer": 1.0}
    device.reset(seed=0, options={"task": task(number)})
    assert not device.step("stop")[4]["success"]


@needs_browser
def test_there_is_no_address_bar(device):
    device.reset(seed=0, options={"task": task(0)})
    for action in ("goto http://phone.test/notes", "back", "new_tab", "goto('http://phone.test/')"):
        assert not device.step(action)[4]["action_valid"], action


@needs_browser
@pytest.mark.full
@pytest.mark.parametrize("number", range(len(TEMPLATES)))
def test_every_template_can_be_done_and_is_not_done_at_once(device, number):
    for seed in range(1, 3):
        assert played(device, task(number, seed))["success"]
    device.reset(seed=0, options={"task": task(number, 1)})
    assert not device.step("stop")[4]["success"]


@pytest.mark.full
@needs_browser
def test_a_macro_saves_turns_of_a_task_on_the_phone():
    """AppAgentX (Jiang et al. 2025, arXiv:2503.02268): the way into an app and its search, nine turns made six."""
    search = ['click <button "Home">', 'click <link "Contacts">', 'fill <searchbox "Search contacts"> <text>',
              'click <button "Search">']  # fmt: skip
    env = Macros(gym.make("AgentGym/Phone-v0", split="val"), macros=[search])
    try:
        _, info = env.reset(seed=0, options={"task": 3})
        assert info["instruction"] == "I need you to move Felix Quinn from the group Work to Neighbors."
        said, played = [], []
        while not env.ended:
            said.append(env.oracle_action())
            *_, info = env.step(said[-1])
            played += info["action"].splitlines()
        assert info["success"]
        assert said[0] == 'macro 1 "Felix Quinn"'
        assert (len(said), len(played)) == (6, 9)
    finally:
        env.close()
