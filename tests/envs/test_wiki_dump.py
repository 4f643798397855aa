"""A wiki of the user's own in WikiNav: pages and links from a file, up to 16 links from its root."""

from __future__ import annotations

import json

import pytest

from agentgym.core.errors import ConfigError, DataError
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
