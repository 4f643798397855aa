"""Transcripts in a page, in a real browser: found, filtered, opened, and never run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentgym.report.evaluation import evaluation_page
from agentgym.report.viewer import embedded
from tests.report.conftest import HALF, HOSTILE, TURNED, Make, answer, episode, turn


@pytest.fixture
def opened(browser: Any, make_run: Make, tmp_path: Path) -> Iterator[Any]:
    """The page of a run of five episodes; what goes wrong in it or leaves it is noted."""
    talk = [
        turn("a lake with a <b>flag</b>", "left", reward=0.5),
        turn(
            HOSTILE,
            "jump\nup",
            valid=False,
            error="there is no such action",
            said=f"{HOSTILE} I say {TURNED}",
            reasoning=f"secret thought {HALF}",
            finish_reason="length",
            answer=answer(refusal="I would rather not", seconds=1.25, tries=3),
        ),
    ]
    episodes = [
        episode("one", True, task_kind="small"),
        episode("two " + HOSTILE, False, talk, task_kind=HOSTILE, prompt_tokens=60, completion_tokens=10),
        episode("three", False, [turn("x", "y")] * 9, task_kind="small"),
        episode("four", False, stop="failure", failure_kind="outage", failure=HOSTILE, task_kind="small"),
        episode("five", False, stop="failure", failure_kind="agent", failure="cannot go on", task_kind="small"),
    ]
    path = evaluation_page([make_run("run", episodes)]).write(tmp_path / "page.html")
    page = browser.new_page()
    page.set_default_timeout(10_000)
    page.wrong, page.asked = [], []
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on("console", lambda message: page.wrong.append(message.text))
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto(path.as_uri())
    yield page
    assert page.wrong == []
    assert page.asked == [path.as_uri()]
    assert page.title() == "FrozenLake-v0: endpoint"
    page.close()


def listed(page: Any) -> list[str]:
    """The first words of the task ids in the list."""
    return [name.split()[0] for name in page.locator("#rows b").all_inner_texts()]


def wait_for_count(page: Any, words: str) -> None:
    page.locator("#count", has_text=re.compile(f"^{words}$")).wait_for()


def test_all_episodes_are_listed(opened: Any) -> None:
    assert listed(opened) == ["one", "two", "three", "four", "five"]
    assert opened.locator("#rows .verdict").all_inner_texts() == ["won", "lost", "lost", "left out", "lost"]


def test_filters(opened: Any) -> None:
    for value, expected in (
        ("won", ["one"]),
        ("lost", ["two", "three", "five"]),
        ("left out", ["four"]),
        ("failed", ["four", "five"]),
    ):
        opened.select_option("#outcome", value)
        assert listed(opened) == expected
    opened.select_option("#outcome", "")
    opened.check("#refused")
    assert listed(opened) == ["two"]
    opened.uncheck("#refused")
    opened.select_option("#kind", "small")
    assert listed(opened) == ["one", "three", "four", "five"]
    opened.select_option("#order", "turns")
    assert listed(opened)[0] == "three"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("SECRET thought", ["two"]),  # what was thought, in whatever case
        ("rather not", ["two"]),  # a refusal
        ("no such action", ["two"]),  # why an action was refused
        ("</script><script>", ["two", "four"]),  # texts and failures, as they are and not as they are written down
        ("jump\\nup", []),  # the written form of a line end is nobody's word
        ("seen", []),  # nor are the names of the entries
        ("thre", ["three"]),  # task ids
        ("the end", ["one", "two", "three", "four", "five"]),  # what was seen last
    ],
)
def test_search(opened: Any, query: str, found: list[str]) -> None:
    opened.fill("#query", query)
    wait_for_count(opened, "5 episodes" if len(found) == 5 else f"{len(found)} of 5 episodes")
    assert listed(opened) == found


def test_a_transcript_is_opened_with_all_that_was_said(opened: Any) -> None:
    opened.click("#rows a >> nth=1")
    assert opened.url.endswith("#e1")
    reading = opened.locator("#reading")
    turns = reading.locator(".turn")
    turns.nth(1).wait_for()  # it is drawn when it is opened
    assert turns.count() == 2
    second = turns.nth(1)
    assert second.locator(".seen pre").inner_text() == HOSTILE.replace("\u2028", "\ufffd")
    assert second.locator(".said code").inner_text() == "jump\nup"
    assert second.locator(".answer").inner_text().endswith("I say pay \ufffdevil\ufffd \ufffdnow\ufffd")
    second.locator("summary").click()
    assert second.locator(".thought pre").inner_text() == "secret thought half \ufffd pair"
    assert "finish: length" in second.inner_text()
    assert "30 tokens read, 5 written · 1.25 s · 3 tries · 0.001 dollars" in second.inner_text()
    assert "Refused: there is no such action" in second.inner_text()
    assert "The model refused: I would rather not" in second.inner_text()
    assert "reward 0.5" in turns.nth(0).inner_text()
    assert turns.nth(0).locator("b").count() == 0  # tags of a world are text
    assert reading.locator("img, script").count() == 0


def test_the_neighbors_and_the_way_back(opened: Any) -> None:
    opened.goto(f"{opened.url}#e2")
    opened.locator("#reading h3", has_text="three").wait_for()
    opened.click("text=Next")
    opened.locator("#reading h3", has_text="four").wait_for()
    assert "Failure of the outage" in opened.locator("#reading").inner_text()
    opened.go_back()
    opened.locator("#reading h3", has_text="three").wait_for()
    assert opened.locator("#rows a[aria-current]").inner_text().startswith("lost")
    opened.asked[:] = opened.asked[:1]  # a fragment of the page is asked for under the page's address


def test_a_phone_shows_one_thing_at_a_time(opened: Any) -> None:
    opened.set_viewport_size({"width": 390, "height": 800})
    assert opened.locator("#reading").is_hidden()
    opened.click("#rows a >> nth=2")
    opened.locator("#reading .turn").first.wait_for()
    assert opened.locator(".list").is_hidden()
    assert opened.evaluate("() => document.documentElement.scrollWidth") <= 390
    opened.click("text=All episodes")
    opened.locator(".list").wait_for()


def test_only_the_script_of_the_page_runs(opened: Any) -> None:
    """Whatever got in as markup would not be run: the policy is by hash."""
    opened.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "document.title = 'owned'";
            document.body.append(script);
        }"""
    )
    assert opened.title() == "FrozenLake-v0: endpoint"
    assert any("Content Security Policy" in said for said in opened.wrong)
    opened.wrong.clear()


def test_embedded_data_is_no_markup_and_plain_text() -> None:
    written = embedded({"a": [HOSTILE, HALF, TURNED, float("nan"), 1, True, None], TURNED: 0})
    assert "<" not in written
    text = json.loads(written)
    assert text["a"][0] == HOSTILE.replace("\u2028", "\ufffd")
    assert text["a"][1:] == ["half \ufffd pair", "pay \ufffdevil\ufffd \ufffdnow\ufffd", None, 1, True, None]
    written.encode()
