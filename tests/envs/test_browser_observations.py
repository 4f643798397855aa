"""What an agent is told of a page: tabs, numbers in every way to observe, paging, places, focus, errors and time."""

# ruff: noqa: E501 (pages stand as they are)
from __future__ import annotations

import re

import pytest

from agentgym.core import ConfigError
from agentgym.envs.web._browser.site import PageSite
from tests.envs.browsing import PagesEnv, needs_browser, own, say

pytestmark = needs_browser


def test_tabs_are_listed_with_titles_and_addresses(world):
    pages = {
        "/": "<title>Home</title><a href=/b target=_blank>B</a>",
        "/b": "<title>Bee</title><a href=/c>C</a>",
        "/c": "<title>Sea</title>",
    }
    env, text = world(pages)
    assert "Tab " not in text
    text, _ = say(env, f"click [{own(text, 'B')}]")
    assert 'Tab 2 of 2: "Bee" http://a.test/b' in text
    assert 'Tab 1: "Home" http://a.test/' in text
    text, _ = say(env, f"click [{own(text, 'C')}]")
    text, _ = say(env, "switch_tab [1]")
    assert 'Tab 1 of 2: "Home" http://a.test/' in text
    assert 'Tab 2: "Sea" http://a.test/c' in text


ORDER = """<title>Order</title><h1>Order tea</h1><p>Take <a href=/b>the list</a> with you.</p><ul><li>one<li>two</ul>
<label>Name <input value=Ann></label><button onclick="x.textContent='sent '+document.querySelector('input').value">Send</button>
<div style="display:none"><button>Hidden</button></div><div onclick="x.textContent='box'">A box</div><p id=x>nothing</p>"""


def numbered(text, words, observe):
    """The number of an element in a page's words."""
    found = re.search(rf'bid="(\d+)"[^>]*>{words}' if observe == "dom" else rf"\[(\d+)\] {words}", text)
    assert found, (words, text)
    return int(found[1])


@pytest.mark.parametrize("observe", ["dom", "text"])
def test_elements_have_numbers_in_every_way_to_observe(world, observe):
    env, text = world({"/": ORDER, "/b": "<title>List</title>nothing to buy"}, observe=observe)
    assert "Hidden" not in text or observe == "dom"
    field = int(re.search(r'<input[^>]*bid="(\d+)"', text)[1]) if observe == "dom" else numbered(text, "Name", observe)
    text, info = say(env, f'fill [{field}] "Bo"')
    assert info["action_valid"], info["error"]
    text, _ = say(env, f"click [{numbered(text, 'Send', observe)}]")
    assert "sent Bo" in text
    text, _ = say(env, f"click [{numbered(text, 'A box', observe)}]")
    assert "box" in text
    text, _ = say(env, f"click [{numbered(text, 'the list', observe)}]")
    assert "nothing to buy" in text


def test_text_reads_as_a_reader_does(world):
    _, text = world(ORDER, observe="text")
    lines = text.split("\n")
    assert "Order tea" in lines
    assert re.search(r"^Take\n\[\d+\] the list\nwith you\.$", text, re.MULTILINE)
    assert re.search(r'^\[\d+\] Name \(textbox value="Ann"\)$', text, re.MULTILINE)
    assert re.search(r"^\[\d+\] Send$", text, re.MULTILINE)
    assert "- one" in lines
    assert "nothing" in lines


@pytest.mark.full
def test_the_source_holds_frames_of_any_origin(world):
    page = "<iframe src=/in></iframe><iframe src=http://b.test/></iframe><button>Top</button>"
    inner = "<button onclick=\"this.textContent='did it'\">Inner</button>"
    env, text = world(
        {"/": page, "/in": inner.replace("Inner", "Near")}, others={"b.test": PageSite({"/": inner})}, observe="dom"
    )
    assert text.count("<!-- in frame ") == 2
    for name in ("Near", "Inner"):
        text, info = say(env, f"click [{numbered(text, name, 'dom')}]")
        assert info["action_valid"], info["error"]
    assert text.count("did it</button>") == 2
    assert env.context.active.evaluate("document.querySelectorAll('[bid]').length") == 0, "the page itself is as it was"


MANY = (
    "<h1>Top</h1>"
    + "".join(f"<p>Paragraph {number} of the long story that is told here.</p>" for number in range(600))
    + "<button>End</button>"
)


@pytest.mark.parametrize(
    "observe", ["outline", *(pytest.param(way, marks=pytest.mark.full) for way in ("text", "dom"))]
)
def test_six_hundred_paragraphs_are_paged_through(world, observe):
    env, text = world(MANY, observe=observe)
    assert "scroll down to read them]" in text
    assert "scroll up" not in text
    seen: set[int] = set()
    for _ in range(80):
        assert len(text) <= env.observation_length
        seen |= {int(number) for number in re.findall(r"Paragraph (\d+) of", text)}
        text, info = say(env, "scroll down")
        if not info["action_valid"]:
            break
    assert seen == set(range(600))
    assert "scroll up to read them]" in text
    text, info = say(
        env,
        f"click [{numbered(text, 'End', 'dom') if observe == 'dom' else numbered(text, '(?:button .)?End', observe)}]",
    )
    assert info["action_valid"], info["error"]
    for _ in range(80):
        text, info = say(env, "scroll up")
        if not info["action_valid"]:
            break
    assert "Paragraph 0 of" in text


def test_places_focus_errors_and_time_are_told_where_they_are_asked_for(world):
    page = """<button style="position:absolute;left:30px;top:40px;width:100px;height:20px">Near</button>
    <input aria-label=In style="position:absolute;left:30px;top:100px;width:90px;height:30px"><button style="position:absolute;left:30px;top:2000px;width:100px;height:20px">Far</button>"""
    env, text = world(page, tell=["time", "error", "boxes", "visibility", "focus"])
    assert "(turn 0, 1 s on the page's clock; no focus; last error: none)" in text
    assert 'button "Near" at 30,40 size 100x20\n' in text + "\n"
    assert 'button "Far" at 30,2000 size 100x20 (out of view)' in text
    field, far = own(text, "In"), own(text, "Far")
    text, _ = say(env, f"focus [{field}]")
    assert f"; focus on [{field}]; " in text
    assert "turn 1, 2 s" in text
    text, info = say(env, "click [99]")
    assert f"last error: {info['error']})" in text
    assert "turn 2, 2 s" in text, "a refused action moves no clock"
    text, _ = say(env, f"click [{far}]")
    assert "turn 3, 3 s" in text
    assert "last error: none" in text
    assert re.search(r'button "Far" focused at 30,\d+ size 100x20(?! \(out)', text)
    assert 'button "Near" at 30,-' in text
    assert text.count("(out of view)") == 2
    _, plain = world(page)
    assert "turn" not in plain
    assert " at 30" not in plain


@pytest.mark.full
def test_what_is_told_is_the_same_again(world):
    texts = []
    for _ in range(2):
        env, text = world(ORDER, tell=["time", "boxes", "focus"])
        texts.append([text, say(env, f"click [{own(text, 'Send')}]")[0]])
    assert texts[0] == texts[1]


@pytest.mark.parametrize(("tell", "words"), [("time", "list"), (["smell"], "smell"), (7, "list")])
def test_what_cannot_be_told(tell, words):
    with pytest.raises((ConfigError, LookupError), match=words):
        PagesEnv({"/": ""}, tell=tell)
