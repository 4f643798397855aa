"""WebArena's config files and evaluators, and the world that plays them on recorded pages."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agentgym.core import ConfigError, DataError, TaskError
from agentgym.core.text_model import ScriptedModel
from agentgym.envs.web._webarena.configs import ConfigBook, open_names, place, read_configs
from agentgym.envs.web._webarena.evaluators import Rules, answers_match, contents_hold, includes, url_matches
from agentgym.envs.web._webarena.fixture import config_file
from agentgym.envs.web._webarena.helpers import AS_LOCATOR, AS_URL, read_helper
from agentgym.envs.web._webarena.view import BrowserView
from agentgym.envs.web.webarena import WebArenaEnv
from tests.envs.browsing import needs_browser

PUBLISHED = Path(
    os.environ.get("AGENTGYM_WEBARENA") or Path(__file__).parents[2] / "../shared/data/webarena/test.raw.json"
)
NAMES = ("SHOPPING", "SHOPPING_ADMIN", "REDDIT", "GITLAB", "MAP")


@pytest.mark.skipif(not PUBLISHED.exists(), reason=f"WebArena's published config file is not at {PUBLISHED}")
def test_all_published_tasks_are_read():
    addresses = {name: f"http://localhost:{7000 + place}" for place, name in enumerate(NAMES)}
    book = ConfigBook(PUBLISHED, addresses, None)
    split = {name: book.panel(name) for name in ("train", "val", "test")}
    assert sum(len(panel) for panel in split.values()) == len(book.records) == 812
    templates = [{task.spec["intent_template_id"] for task in panel} for panel in split.values()]
    assert sum(map(len, templates)) == len(set.union(*templates)) == 190
    assert not any(open_names(record) for record in book.records.values())
    assert len(ConfigBook(PUBLISHED, addresses, ["map"]).records) == 109
    with pytest.raises(DataError, match="the address of MAP"):
        ConfigBook(PUBLISHED, dict.fromkeys(NAMES[:4], "http://a.test"), None)


NOTHING = {"exact_match": ""}


def record(**judged):
    return {"start_url": "__MAP__", "intent": "do", "eval": {"eval_types": ["string_match"], **judged}}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"start_url": "x"}, "intent"),
        (record(), "is empty"),
        (record(reference_answers={"like": "a"}), "known: exact_match"),
        (record(reference_answers={"must_include": "a"}), "wrong kind"),
        (record(eval_types=["taste"]), "taste"),
        (record(eval_types=["url_match"]), "needs a reference_url"),
        (record(eval_types=["program_html"]), "needs targets"),
        (record(eval_types=["program_html"],
                program_html=[{"url": "last", "locator": "func:system('x')", "required_contents": NOTHING}]),
         "is none of"),
        (record(eval_types=["program_html"],
                program_html=[{"url": "last", "locator": "alert(1)", "required_contents": {"exact_match": ""}}]),
         "begins with none"),
    ],
)  # fmt: skip
def test_a_config_that_is_none_is_refused_in_one_line(tmp_path, given, words):
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps([given]), encoding="utf8")
    with pytest.raises(DataError, match=words) as caught:
        read_configs(file)
    assert "\n" not in str(caught.value)


def test_a_folder_of_configs_is_read_in_the_order_of_its_numbers(tmp_path):
    for number in (10, 2):
        given = {**record(reference_answers={"exact_match": "a"}), "task_id": number}
        (tmp_path / f"{number}.json").write_text(json.dumps(given), encoding="utf8")
    assert [one["task_id"] for one in read_configs(tmp_path)] == [2, 10]
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match="holds no config"):
        read_configs(tmp_path / "none")


def test_addresses_are_put_in_everywhere():
    given = {"a": ["__SHOPPING__/x", "__SHOPPING_ADMIN__", "__page__", "(__SHOPPING__)"], "b": 1}
    put = place(given, {"SHOPPING": "http://s", "SHOPPING_ADMIN": "http://s/admin"})
    assert put == {"a": ["http://s/x", "http://s/admin", "__page__", "(__SHOPPING__)"], "b": 1}


@pytest.mark.parametrize(
    ("text", "wanted", "right"),
    [
        ("it is 5.", "5", True), ("15", "5", False), ("5,000", "5", False), ("a, 5, b", "5", True),
        ("$5", "5", True), ("(5)", "5", True), ("5%", "5", True), ("5.5", "5", False), ("x-5", "5", False),
        ("5's", "5", True), ("at:5", "5", False), ("a", "a", True), ("bat", "a", False),
    ],
)  # fmt: skip
def test_a_single_character_must_be_a_word(text, wanted, right):
    assert includes(text, wanted, alone=True) is right


def test_answers_are_compared_as_each_kind_says():
    def right(answers, said, **rules):
        config = {"intent": "how many", "eval": {"reference_answers": answers, "string_note": "no such shop"}}
        return answers_match(config, said, Rules(**rules))

    assert right({"exact_match": "Ada"}, " 'ADA' ")
    assert not right({"exact_match": "Ada"}, "it is Ada")
    assert right({"must_include": ["1.5 km", "bus"]}, "By BUS, 1.5 km")
    assert not right({"must_include": ["1.5 km", "bus"]}, "by bus")
    assert right({"must_include": ["12"]}, "11, 12, or 13")
    assert not right({"must_include": ["12"]}, "11, 12, or 13", strict=True)
    assert right({"fuzzy_match": ["red, green"]}, "green, red")
    assert not right({"fuzzy_match": ["2 hours"]}, "3 hours")
    assert right({"fuzzy_match": "N/A"}, "n/a")
    assert not right({"fuzzy_match": "N/A"}, "there is no such shop")
    model = ScriptedModel(lambda messages, seed: '{"same": true}' if "no such shop" in messages[0]["content"] else "no")
    assert right({"fuzzy_match": "N/A"}, "there is none", model=model)


def test_addresses_are_compared_by_host_path_and_named_keys():
    assert url_matches("http://a/b |OR| http://c?x=1", "http://a/b/d?x=1")
    assert not url_matches("http://a/b |OR| http://c?x=1", "http://a/b/d")
    assert not url_matches("http://a/b", "http://a/b/d", strict=True)
    assert url_matches("http://a/b/", "http://a/b#top", strict=True)
    assert url_matches("http://a/b?x=1", "http://a/b?x=1&y=2")
    assert not url_matches("http://a/b?x=1", "http://a/b?x=1&y=2", strict=True)
    assert not url_matches("http://a/b?x=1", "http://a/b?x=1&x=2", strict=True)
    assert not url_matches("http://a/b", "http://a/b?page=2", strict=True)
    assert url_matches("http://a/b", "http://a/b?page=1&sort=name&notice=Saved&q=", strict=True)


def test_contents_hold_by_their_alternatives():
    assert contents_hold({"must_include": ["a |OR| b", "c"]}, "B and C")
    assert not contents_hold({"must_include": ["a |OR| b", "c"]}, "a and b")
    assert contents_hold({"exact_match": ""}, " ")


def test_helpers_are_read_from_the_table_alone():
    assert read_helper("func:reddit_get_post_url('__last_url__')", AS_URL).arguments == ("__last_url__",)
    assert read_helper('func:gitlab_get_project_memeber_role(__page__, "ab")', AS_LOCATOR).arguments[1] == "ab"
    for wrong in ("func:print('a')", "func:reddit_get_post_url()", "func:reddit_get_post_url(open('x'))"):
        assert read_helper(wrong, AS_URL) is None


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    env = WebArenaEnv(**config_file(tmp_path_factory.mktemp("arena")))
    yield env
    env.close()


def play(world, index, *actions):
    world.reset(seed=0, options={"task": dict(world._book.records[str(index)])})
    return [world.step(action) for action in actions][-1]


@needs_browser
@pytest.mark.parametrize(
    ("index", "actions", "paid"),
    [
        (0, ["stop [$89.00]"], 1.0),
        (0, ["stop [N/A]"], 0.0),
        (1, ["stop [17]"], 0.0),
        (2, ["goto /arc.html", "stop"], 1.0),
        (2, ["stop"], 0.0),
        (3, ["infeasible [nothing names one]"], 1.0),
        (2, ["goto /arc.html", "infeasible [done]"], 0.0),
        (20, ["goto /f/books/1/-/comment/2/", "stop"], 1.0),
        (20, ["goto /f/pics/1/-/comment/2/", "stop"], 0.0),
    ],
)
def test_episodes_are_judged_where_they_end(world, index, actions, paid):
    _, reward, terminated, _, info = play(world, index, *actions)
    assert (reward, terminated, info["success"], info["failure"]) == (paid, True, bool(paid), "")
    assert len(world.context.tabs) == 1


@needs_browser
def test_a_locator_gives_what_playwright_gives(world):
    play(world, 0, "goto /f/books/1/")
    tab = world.context.active
    with BrowserView(world.context) as view:
        for locator in (
            "document.querySelector('.by').outerText", "document.querySelector('.none').outerText",
            "document.querySelector('.none')", "document.querySelectorAll('a').length", "document.hidden",
            "[...document.querySelectorAll('a')].map(one => one.textContent)", "document.body.children[9]",
            "document.querySelector('[class=\"by\"').textContent", "document.x.y(",
            "document.createElement('a').valueAsNumber",
        ):  # fmt: skip
            try:
                wanted = str(tab.do(tab.page.evaluate(f"() => {locator}")))
            except Exception:  # whatever Playwright raises: the published evaluators read it as nothing
                wanted = None
            assert view.evaluate(locator) == wanted, locator


@needs_browser
def test_bad_arguments_are_told_in_one_line(world, tmp_path):
    given = config_file(tmp_path)
    with pytest.raises(ConfigError, match="give one that begins with http"):
        WebArenaEnv(**{**given, "addresses": {"SHOPPING": "somewhere"}})
    with pytest.raises(ConfigError, match="the address of SHOPPING: the host 'localhost:7770' stands behind a name"):
        WebArenaEnv(**{**given, "addresses": {"SHOPPING": "http://ann:pw@localhost:7770"}})
    for broken in ("http://[::1", "http://", "http://localhost:shop"):
        with pytest.raises(ConfigError, match="the address of SHOPPING"):
            WebArenaEnv(**{**given, "addresses": {"SHOPPING": broken}})
    with pytest.raises(ConfigError, match="no task on the sites map"):
        WebArenaEnv(**given, sites=["map"])
    with pytest.raises(TaskError, match="on none of the sites"):
        world.reset(options={"task": {**world._book.records["0"], "start_url": "http://else.test/"}})


@needs_browser
def test_a_storage_state_signs_in_and_several_start_pages_are_tabs(tmp_path):
    given = config_file(tmp_path)
    state = {
        "cookies": [{"name": "who", "value": "ada", "domain": "shopping.test", "path": "/"}],
        "origins": [{"origin": "http://shopping.test", "localStorage": [{"name": "cart", "value": "3"}]}],
    }
    (tmp_path / "shop_state.json").write_text(json.dumps(state), encoding="utf8")
    env = WebArenaEnv(**given, storage=str(tmp_path))
    try:
        both = "http://shopping.test |AND| http://reddit.test/f/books/1/"
        spec = {**env._book.records["0"], "storage_state": "./.auth/shop_state.json", "start_url": both}
        text, _ = env.reset(seed=0, options={"task": spec})
        assert "Tab 2 of 2" in text
        assert 'Tab 1: "' in text
        assert "http://shopping.test/" in text
        env.step("switch_tab [1]")
        with BrowserView(env.context) as view:
            assert view.evaluate("document.cookie") == "who=ada"
            assert env.context.active.evaluate("localStorage.getItem('cart')") == "3"
        with pytest.raises(DataError, match="cannot be read"):
            env.reset(options={"task": {**spec, "storage_state": "./.auth/none.json"}})
    finally:
        env.close()
