"""WebSuite: every template can be done and is not done by doing nothing; its sites; its phrasings."""

from __future__ import annotations

import re
import sqlite3
from datetime import date, timedelta

import numpy as np
import pytest

from tests.envs.browsing import needs_browser
from tests.envs.plain_browser import PlainBrowser

pytest.importorskip("starlette", reason="the package starlette is not installed: pip install starlette")
from agentgym.core.schema import violation
from agentgym.envs.web._browser.site import Request
from agentgym.envs.web._sites import database
from agentgym.envs.web._sites.application import session_of
from agentgym.envs.web._sites.atlas import content as atlas_content
from agentgym.envs.web._sites.atlas.app import build_map
from agentgym.envs.web._sites.backoffice.app import build_backoffice
from agentgym.envs.web._sites.database import copy_database
from agentgym.envs.web._sites.forge import content as forge_content
from agentgym.envs.web._sites.forge.app import build_forge
from agentgym.envs.web._sites.forum import content as forum_content
from agentgym.envs.web._sites.forum.app import build_forum
from agentgym.envs.web._sites.phrasings import FRAMES
from agentgym.envs.web._sites.plans import next_step
from agentgym.envs.web._sites.shop import content as shop_content
from agentgym.envs.web._sites.shop.app import build_shop, new_store
from agentgym.envs.web._sites.tracker import content as tracker_content
from agentgym.envs.web._sites.tracker.app import build_tracker
from agentgym.envs.web._suite.drafts import ACCOUNTS, HINTS, Ask, record
from agentgym.envs.web._suite.shortcuts import about, commonest, first_result, front_page, kind_of, usual_answer
from agentgym.envs.web._webarena.configs import CONFIG
from agentgym.envs.web._webarena.evaluators import evaluate
from agentgym.envs.web.web_suite import NAMES, STRICT, TEMPLATES, WebSuiteEnv


def task(number, seed=0):
    return record(
        NAMES[number], NAMES, TEMPLATES[number](Ask(np.random.default_rng([number, seed]))), (number + seed) % 10
    )


@pytest.mark.full
def test_tasks_are_records_of_webarena_in_ten_phrasings():
    assert len(TEMPLATES) == len(set(NAMES)) >= 60
    assert all(len(frames) == len(set(frames)) == 10 for frames in FRAMES.values())
    specs = [task(number) for number in range(len(TEMPLATES))]
    assert not any(violation(spec, CONFIG, where="task") for spec in specs)
    assert len({spec["intent"] for spec in specs}) == len(specs)
    assert {len(spec["sites"]) for spec in specs} == {1, 2}
    for name in ("forge", "forum", "tracker", "shop", "backoffice", "map"):
        assert sum(name in spec["sites"] for spec in specs) >= 20
    draft = TEMPLATES[0](Ask(np.random.default_rng(1)))
    assert len({record(NAMES[0], NAMES, draft, frame)["intent"] for frame in range(10)}) == 10


def every_site():
    """The six sites as an episode begins with them."""
    store = new_store()
    return [build_forum(), build_forge(), build_tracker(), build_shop(store), build_backoffice(store), build_map()]


@pytest.mark.full
def test_sites_are_large_and_written_once():
    forum, forge, tracker, store = build_forum(), build_forge(), build_tracker(), new_store()
    assert store.value("SELECT count(*) FROM products") == 5_000
    assert build_map().store.value("SELECT count(*) FROM places") == 2_500
    posts = sum(forum.store.value(f"SELECT count(*) FROM {table}") for table in ("posts", "replies"))
    assert (posts, forge.store.value("SELECT count(*) FROM projects")) == (20_000, 200)
    assert tracker.store.value("SELECT count(*) FROM tickets") == 8_000
    contents = [site.original for site in (forum_content, forge_content, tracker_content, shop_content, atlas_content)]
    written = [original.cache_info().misses for original in contents]
    every_site()
    assert [original.cache_info().misses for original in contents] == written, "an episode begins with copies"
    asked = Request("POST", "http://forum.test/submit", {"cookie": f"session={session_of('plainwalnut')}"},
                    b"board=coffee&title=Only+here&body=x&flair=Guide")  # fmt: skip
    assert forum.respond(asked).status == 303
    assert forum.store.value("SELECT count(*) FROM posts WHERE title = 'Only here'") == 1
    assert build_forum().store.value("SELECT count(*) FROM posts WHERE title = 'Only here'") == 0
    assert len(forum.state()["posts"]) == 4001


@pytest.mark.full
def test_a_site_is_copied_with_its_first_change_and_by_nobody_who_reads(monkeypatch):
    copied = []
    monkeypatch.setattr(database, "copy_database", lambda base: copied.append(base) or copy_database(base))
    one, other = every_site(), every_site()
    for site in one:
        assert site.respond(Request("GET", "http://any.test/", {})).status in (200, 303)
        assert site.state()
    assert not copied
    for place in (0, 1, 2, 3, 5):
        mine, yours = one[place].store, other[place].store
        before = mine.tables()
        mine.do("UPDATE users SET password = 'changed'")
        assert {row["password"] for row in mine.tables()["users"]} == {"changed"}
        assert yours.tables() == before
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            yours.all("DELETE FROM users")  # what reads cannot change what all share
    assert len(copied) == 5
    assert one[4].store is one[3].store, "a shop and its administration have one database"


@pytest.mark.parametrize(
    ("path", "body", "cookie", "status", "words"),
    [
        ("/", b"", "", 200, "Sign in"),
        ("/b/none", b"", "", 404, "There is no board here"),
        ("/submit", b"board=coffee&title=Hello", "", 303, ""),
        ("/submit", b"board=coffee&title=He&flair=Help", "plainwalnut", 422, "A title has 3 to 200 characters."),
        ("/b/coffee/queue", b"", "plainwalnut.forged", 403, "Only moderators"),
        ("/search?q=%25%27", b"", "", 200, "0 posts found"),
        ("/sign-in", b"name=plainwalnut&password=wrong", "", 422, "wrong"),
    ],
)
def test_the_forum_says_what_is_wrong(path, body, cookie, status, words):
    cookie = session_of(cookie) if cookie and "." not in cookie else cookie
    request = Request("POST" if body else "GET", f"http://forum.test{path}", {"cookie": f"session={cookie}"}, body)
    answer = build_forum().respond(request)
    assert answer.status == status
    assert words in answer.body.decode()


def test_text_of_visitors_is_shown_as_text():
    site = build_forge()
    cookie = {"cookie": f"session={session_of('walnut')}"}
    site.respond(Request("POST", "http://forge.test/profile", cookie, b"about=%3Cscript%3E1%3C%2Fscript%3E"))
    page = site.respond(Request("GET", "http://forge.test/u/walnut", cookie)).body.decode()
    assert "&lt;script&gt;1" in page
    assert "<script>" not in page


def test_a_plan_goes_on_where_it_was_left_and_begins_again_elsewhere():
    plan = [["goto", "a"], ["click", "b"], ["stop", ""]]
    assert next_step(plan, []) == plan[0]
    assert next_step(plan, [["scroll", ""], ["goto", "a"]]) == plan[1]
    assert next_step(plan, [["goto", "a"], ["click", "b"]]) == plan[2]
    assert next_step(plan, [["goto", "a"], ["scroll", ""]]) == plan[0]


@pytest.mark.parametrize(
    ("intent", "named"),
    [
        ("What is the price of the product “Tarn Mug, Red”? Answer", "Tarn Mug, Red"),
        ("Tell me the licence of the project juniper/frost-alarm.", "juniper/frost-alarm"),
        ("Find the type of the ticket ATL-12.", "ATL-12"),
        ("Tell me the total of my order 1000042.", "1000042"),
        ("Open it.", ""),
    ],
)
def test_shortcuts_know_what_an_instruction_names(intent, named):
    assert about(intent) == named


def test_shortcuts_say_what_looks_like_an_answer():
    asked = "What is the price of “Tarn Mug”? Answer with the amount alone, such as $12.50."
    lines = ['[1] link "Cart $0.00"', '[2] link "Tarn Mug"', 'text "$8.10"', 'text "$9.99"']
    start = "http://shop.test"
    assert kind_of(asked) == "amount"
    assert usual_answer(asked, lines, [], {"amount": "$3.00"}, start) == "stop [$3.00]"
    assert front_page(asked, lines, [], {}, start) == "stop [$0.00]"
    assert first_result(asked, lines, [], {}, start) == "goto http://shop.test/search?q=Tarn+Mug"
    assert first_result(asked, lines, [["goto", "x"]], {}, start) == "click [2]"
    assert first_result(asked, lines, [["goto", "x"], ["click", "y"]], {}, start) == "stop [$8.10]"
    assert first_result("Open “Tarn Mug”.", lines, [["goto", "x"], ["click", "y"]], {}, start) == "stop"


def test_the_usual_answer_is_the_commonest_and_not_the_first():
    def spec(said, kind="number"):
        wanted = None if said is None else {"exact_match": said}
        return {"intent": f"Count. {HINTS[kind]}", "eval": {"reference_answers": wanted}}

    told = commonest([spec("3"), spec("2"), spec("2"), spec("x", "name"), spec(None)])
    assert told == {"number": "2", "name": "x"}


HOSTS = ("forum.test", "forge.test", "tracker.test", "shop.test", "backoffice.test", "map.test")
OWN_CHOICE = ("office_tasks.hire", 'password box "Password"')
LEFT_ALONE = {  # fields of a button's form that the words are about, though the plan leaves them as they are
    "shop_tasks.send_back": ('button "Request return"', ['textbox "Quantity"']),
    "shop_tasks.new_address": ('button "Save address"', ['combobox "Country"']),
    "office_tasks.redirect_parcel": (
        'button "Save address"', ['textbox "Recipient"', 'combobox "Country"', 'textbox "Phone"'],
    ),
    "office_tasks.promote": ('button "Save promotion"', ['textbox "First day"', 'combobox "Kind of discount"']),
}  # fmt: skip
ONCE_PASSED = (  # with something wrong
    "forum_tasks.quote_to_forum", "tracker_tasks.tell_forum", "map_tasks.tell_hours", "office_tasks.new_product",
    "office_tasks.redirect_parcel", "shop_tasks.review", "forge_tasks.new_label",
)  # fmt: skip


def browsed(spec, plan):
    """Where a plan leads."""
    browser = PlainBrowser(dict(zip(HOSTS, every_site(), strict=True)), ACCOUNTS)
    browser.open(spec["start_url"])
    for step in plan:
        browser.do(step)
    return browser


def does(spec, plan):
    """Whether a plan can be done and does the task."""
    try:
        return evaluate(spec, plan[-1][1], browsed(spec, plan), STRICT)
    except LookupError:  # an element of a step is not there
        return False


def others(field, said):
    """Values of a field near a right one, and far from it."""
    if field.tag == "select":
        return [[one for one in field.options if one not in ("", said)][-1]]
    if re.fullmatch(r"\d+(\.\d\d)?", said):
        return [f"{float(said) + 1:.{len(said.partition('.')[2])}f}"]
    if re.fullmatch(r"\d{4}-\d\d-\d\d", said):
        return [str(date.fromisoformat(said) - timedelta(days=1))]
    return [f"{said} x", "Something else"]


def wrong_plans(name, spec):
    """The plan of a task with one thing wrong: a step is left out, or something else is written or chosen."""
    plan = spec["plan"]
    for at, (deed, *given) in enumerate(plan):
        head, tail = plan[:at], plan[at + 1 :]
        if deed in ("click", "check", "uncheck"):
            yield [*head, *tail]
        if deed in ("fill", "select") and (name, given[0]) != OWN_CHOICE:
            for one in others(browsed(spec, head).element(given[0]), given[1]):
                yield [*head, [deed, given[0], one], *tail]
        button, alone = LEFT_ALONE.get(name, ("", []))
        if deed == "click" and given[0] == button:
            for words in alone:
                field = browsed(spec, head).element(words)
                for one in others(field, field.value):
                    yield [*head, ["select" if field.tag == "select" else "fill", words, one], *plan[at:]]


def wrongly_done(name, seed=1):
    """Wrong plans that do a task all the same, which its own plan does."""
    spec = task(NAMES.index(name), seed)
    assert does(spec, spec["plan"])
    return [plan for plan in wrong_plans(name, spec) if does(spec, plan)]


@pytest.mark.parametrize("name", ONCE_PASSED)
def test_a_deed_with_one_thing_wrong_is_not_done(name):
    assert wrongly_done(name) == []


@pytest.mark.full
@pytest.mark.parametrize("number", range(len(TEMPLATES)))
def test_every_deed_with_one_thing_wrong_is_not_done(number):
    if task(number)["eval"]["program_html"]:
        assert wrongly_done(NAMES[number]) == []


def test_nobody_sends_back_more_than_was_asked_for():
    sent = 0
    for seed in range(6):
        spec = task(NAMES.index("shop_tasks.send_back"), seed)
        plan = [*spec["plan"][:-2], ["fill", 'textbox "Quantity"', "2"], *spec["plan"][-2:]]
        sent += browsed(spec, plan).status == 200
        assert not does(spec, plan)
    assert sent, "where two were bought, two can be sent back"


def test_what_is_ordered_again_keeps_its_quantities():
    name = "shop_tasks.again"
    spec = next(one for seed in range(40) if len((one := task(NAMES.index(name), seed))["eval"]["program_html"]) > 1)
    cart = browsed(spec, spec["plan"]).page
    other = next(one.name for one in cart.find_all("[name=quantity]") if one.name not in spec["plan"][2][1])
    more = [["fill", f'textbox "{other}"', "11"], ["click", f'button "{other.replace("Quantity of", "Update")}"']]
    assert does(spec, spec["plan"])
    assert not does(spec, [*spec["plan"][:-1], *more, ["stop", ""]])


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("forum_tasks.search_page", "board=cooking"),
        ("forum_tasks.search_page", "q=something+else"),
        ("shop_tasks.open_category", "material=Gold"),
        ("office_questions.open_orders", "customer=zzz"),
        ("office_questions.open_orders", "page=2"),
        ("tracker_questions.open_board", "type=Bug"),
    ],
)
def test_a_page_with_a_filter_more_is_another(name, more):
    spec = task(NAMES.index(name))
    way = spec["plan"][0][1]
    assert does(spec, [["goto", f"{way}&page=1&notice=Hello&sort=name&author=&board="], ["stop", ""]])
    assert not does(spec, [["goto", f"{way}&{more}"], ["stop", ""]])


@pytest.fixture(scope="module")
def suite():
    env = WebSuiteEnv()
    yield env
    env.close()


def played(env, spec):
    env.reset(seed=0, options={"task": spec})
    while not env.ended:
        *_, info = env.step(env.oracle_action())
        assert info["action_valid"], info["error"]
    return info["success"]


@needs_browser
@pytest.mark.parametrize(
    "number", [0, 46, *(NAMES.index(name) for name in ("tracker_tasks.report", "office_tasks.bill", "map_tasks.home"))]
)
def test_an_oracle_does_it_and_stopping_at_once_does_not(suite, number):
    assert played(suite, task(number))
    suite.reset(seed=0, options={"task": task(number)})
    assert not suite.step("stop")[4]["success"]


@needs_browser
@pytest.mark.full
@pytest.mark.parametrize("number", range(len(TEMPLATES)))
def test_every_template_can_be_done_and_is_not_done_at_once(suite, number):
    for seed in range(1, 4):
        assert played(suite, task(number, seed))
        for word in ("stop", "infeasible [cannot be done]"):
            suite.reset(seed=0, options={"task": task(number, seed)})
            assert not suite.step(word)[4]["success"]
