"""A wiki of the user's own in WikiNav: pages and links from a file, up to 16 links from its root."""

from __future__ import annotations

import json

import pytest

from agentgym.core.errors import ConfigError, DataError, TaskError
from agentgym.envs.web._wiki import passages
from agentgym.envs.web._wiki.dump import open_dump
from agentgym.envs.web.wiki_nav import WikiNavEnv
from agentgym.envs.web.wiki_nav_browser import WikiNavBrowserEnv
from tests.envs.browsing import needs_browser

STATIONS = 40


def line_of_stations() -> dict[str, object]:
    """Stations on a line, every one of which leads to the next and to the first."""
    pages = [
        {
            "title": "Category: Lines",
            "text": "The line begins at [[Station 1|the first station]]. [[Nowhere]] is not on it.",
        }
    ]
    for number in range(1, STATIONS + 1):
        text = (
            f"Station {number} has {number * 7} lamps, {number + 3} benches and a clock that is {number} minutes late. "
            f"Trains go on to [[Station {number + 1}]] and back to [[category: lines|the beginning]]."
        )
        pages.append({"title": f"Station_{number}", "text": text})
    return {"root": "Category: Lines", "pages": pages}


@pytest.fixture
def dump(tmp_path):
    path = tmp_path / "wiki.json"
    path.write_text(json.dumps(line_of_stations()), encoding="utf8")
    return str(path)


def played(env, task) -> tuple[bool, float]:
    """Whether the oracle finds a page, and how many links away it was."""
    _, info = env.reset(seed=0, options={"task": task.id})
    while not env.ended:
        *_, info = env.step(env.oracle_action())
    assert env.task_kind == f"{info['metrics']['hops']:.0f} hops"
    return info["success"], info["metrics"]["hops"]


def test_a_dump_is_walked_up_to_sixteen_links(dump) -> None:
    seen = set()
    for split in ("train", "val", "test"):
        env = WikiNavEnv(dump=dump, hops=16, split=split)
        for task in env.tasks(split):
            success, hops = played(env, task)
            assert success
            seen.add(int(hops))
    assert seen == set(range(2, 17))
    near = WikiNavEnv(dump=dump, hops=3)
    assert {task.spec["target"] for split in ("train", "val", "test") for task in _panel(near, split)} == {
        "Station 2",
        "Station 3",
    }


def _panel(env, split):
    try:
        return list(env.tasks(split))
    except ConfigError:
        return []


def test_pages_are_read_with_their_links_and_what_is_no_page_is_words(dump) -> None:
    env = WikiNavEnv(dump=dump, hops=16)
    text, _ = env.reset(seed=1)
    assert "The line begins at the first station [1]." in text
    assert "Nowhere is not on it." in text
    text, *_ = env.step("link[1]")
    assert "Page: Station 1" in text
    assert "Trains go on to Station 2 [1] and back to the beginning [2]." in text
    text, *_ = env.step("link[Station 2]")
    assert "a clock that is 2 minutes late" in text
    env.reset(seed=1, options={"task": {"target": "station_9", "passage": 0}})
    assert "a clock that is 9 minutes late" in env.task.instruction
    assert "Station 9" not in env.task.instruction, "its own name is left out"


def test_the_expert_reads_any_wiki(dump) -> None:
    env = WikiNavEnv(dump=dump, hops=4)
    for split in ("train", "val", "test"):
        for task in _panel(env, split):
            env.reset(seed=0, options={"task": task.spec})
            while not env.ended:
                *_, info = env.step(env.expert_action())
            assert info["success"]


@pytest.mark.full
@needs_browser
def test_a_dump_is_a_site_in_the_browser(dump) -> None:
    env = WikiNavBrowserEnv(dump=dump, hops=5)
    try:
        text, info = env.reset(seed=0)
        assert info["failure"] == ""
        assert "the first station" in text
        assert played(env, env.tasks("train")[0])[0]
    finally:
        env.close()


def test_hops_beyond_the_encyclopaedia_and_files_that_are_no_dump_are_refused(tmp_path, dump) -> None:
    with pytest.raises(ConfigError, match="hops must be 2 to 7 here, got 8"):
        WikiNavEnv(hops=8)
    with pytest.raises(ConfigError, match="hops"):
        WikiNavEnv(dump=dump, hops=17)
    for content, words in (
        ("{", "is no JSON"),
        ('{"pages": []}', "pages"),
        ('{"pages": [{"title": "A"}, {"title": "B", "text": ""}]}', "page 0"),
        ('{"pages": [{"title": "A", "text": ""}, {"title": "a", "text": ""}]}', "'a' stands twice"),
        ('{"root": "C", "pages": [{"title": "A", "text": ""}, {"title": "B", "text": ""}]}', "the root 'C'"),
    ):
        path = tmp_path / "bad.json"
        path.write_text(content, encoding="utf8")
        open_dump.cache_clear()
        with pytest.raises(DataError, match=words):
            WikiNavEnv(dump=str(path))
    with pytest.raises(DataError, match="cannot be read"):
        WikiNavEnv(dump=str(tmp_path / "none.json"))
    path.write_text('{"pages": [{"title": "A", "text": "[[B]]"}, {"title": "B", "text": ""}]}', encoding="utf8")
    open_dump.cache_clear()
    with pytest.raises(ConfigError, match="no page 2 to 5 links"):
        WikiNavEnv(dump=str(path)).tasks("train")


@pytest.mark.parametrize("world", [WikiNavEnv, WikiNavBrowserEnv])
def test_no_trivia_is_made_of_a_dump(dump, world):
    with pytest.raises(ConfigError, match="a dump has none; leave out one of both"):
        world(dump=dump, ask="trivia")


def odd_wiki() -> dict[str, object]:
    """A root, a hub, and behind it pages that are long, short, alike, or oddly named."""
    twin = "There was a twin here that nobody could tell from the other one, whatever they said of it."
    behind = {
        "Empty": "",
        "Stub": "A stub.",
        "Twin 1": f"{twin} It knows [[Hub]].",
        "Twin 2": f"{twin} It knows [[Hub]].",
        "Long": " ".join(f"Sentence {number} of this page has no link and many words in it." for number in range(400)),
        "Endless": "word " * 500,
        "Glued": "-".join(["word"] * 900) + " and ten more words that stand behind it on this page alone.",
        "(Odd)": "This page has a name that is nothing but brackets, and yet it leads back to [[Hub|the great hub]].",
        "1": "Of the page 1 it is said that [[Hub|its hub]] is the first of all the many links that it has.",
    }
    hub = "This is the hub of them all. " + " ".join(f"[[{title}|see {number}]]" for number, title in enumerate(behind))
    return {
        "root": "Root",
        "pages": [
            {"title": "Root", "text": "All begins with the [[Hub|great hub]] of this wiki, and nothing else does."},
            {"title": "Hub", "text": hub},
            *({"title": title, "text": text} for title, text in behind.items()),
        ],
    }


@pytest.fixture
def odd(tmp_path):
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(odd_wiki()), encoding="utf8")
    return str(path)


def test_a_passage_is_short_and_stands_on_one_page_and_a_page_without_one_is_no_task(odd) -> None:
    env = WikiNavEnv(dump=odd)
    tasks = [task for split in ("train", "val", "test") for task in _panel(env, split)]
    assert {task.spec["target"] for task in tasks} == {"Long", "(Odd)", "1"}
    for task in tasks:
        quoted = task.instruction.partition('"')[2].removesuffix('"')
        assert 10 <= len(quoted.split()) <= 120
        page = env._book.find(task.spec["target"])
        said = [other for other in range(env._book.size) if quoted in passages.text(env._book, other)]
        assert said == [page], quoted
        assert played(env, task) == (True, 2.0)
    for title in ("Empty", "Stub", "Twin 1", "Endless", "Glued"):
        with pytest.raises(TaskError, match="has no passage of 10 to 120 words that stands on no other page"):
            env.reset(options={"task": {"target": title, "passage": 0}})


def test_a_page_named_by_brackets_or_a_number_keeps_its_links(odd) -> None:
    env = WikiNavEnv(dump=odd)
    for title, words in (("(Odd)", "the great hub"), ("1", "its hub")):
        env.reset(options={"task": {"target": title, "passage": 0}})
        assert words in env.task.instruction
        assert "[[" not in env.task.instruction
    assert "Of the page … it is said" in env.task.instruction


@pytest.mark.parametrize("world", [WikiNavEnv, WikiNavBrowserEnv])
def test_where_the_walk_begins_is_no_target(odd, world) -> None:
    env = world(dump=odd)
    with pytest.raises(TaskError, match="the walk begins at 'Root'"):
        env.check_task({"target": "Root", "passage": 0})


def test_a_link_is_followed_by_the_words_that_the_page_shows(odd) -> None:
    env = WikiNavEnv(dump=odd)
    env.reset(options={"task": {"target": "Long", "passage": 0}})
    text, *_, info = env.step("link[Great  hub]")
    assert not info["error"]
    assert "Page: Hub" in text
    *_, info = env.step("link[see 99]")
    assert "'see 99' is no link of this page; its links are 1 to 9." in info["error"]
    text, *_ = env.step("link[see 4]")
    assert "Page: Long" in text
    assert env.step("stop")[1] == 1.0


def test_whether_a_passage_stands_elsewhere_is_looked_up_once(odd, monkeypatch) -> None:
    read = []
    whole = passages.sentences
    monkeypatch.setattr(passages, "sentences", lambda book, page: read.append(page) or whole(book, page))
    open_dump.cache_clear()
    env = WikiNavEnv(dump=odd)
    for split in ("train", "val", "test"):
        _panel(env, split)
    assert len(read) <= 3 * env._book.size, "once for the pages, once for the passages of each, once for what is said"
