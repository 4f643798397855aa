"""The browser world: what is seen, what is done, and what is said about everything that happens on the way."""

# ruff: noqa: E501 (pages stand as they are)
from __future__ import annotations

import asyncio
import random
import threading

import pytest

from agentgym.core import ConfigError
from agentgym.envs.web._browser.action_parsers import read
from agentgym.envs.web._browser.site import PageSite, Response
from tests.envs.browsing import PagesEnv, needs_browser, own, say

pytestmark = needs_browser

FORM = """<title>Form</title><h1>Order</h1>
<label>Name <input name=n></label> <label>Note <textarea></textarea></label>
<label>Size <select><option>S<option>M<option disabled>L</select></label>
<label>Many <select multiple><option>a<option>b<option>c</select></label>
<label><input type=checkbox> Gift</label>
<label>Date <input type=date></label> <label>Level <input type=range min=0 max=10></label>
<label>Fixed <input readonly value=x></label> <button disabled>Later</button>
<button style="display:none">Hidden</button>
<button id=go onclick="document.title='Done';out.textContent='Sent '+document.querySelector('[name=n]').value">Send</button>
<p id=out></p>"""


@pytest.mark.parametrize(
    ("said", "slot", "meant"),
    [
        ('select [5] "Blue".', "options", ["Blue"]),
        ('select [5] "a", "c"!', "options", ["a", "c"]),
        ("fill [7] 'Ann Lee';", "text", "Ann Lee"),
        ('fill [7] "The end."', "text", "The end."),
        ("type [7] [Hello.].", "text", "Hello."),
        ("fill [7] The end.", "text", "The end."),
        ('fill [7] ".".', "text", "."),
        ("new_tab.", "url", ""),
        ("stop.", "answer", ""),
        ("press .", "keys", ["."]),
    ],
)
def test_punctuation_after_a_closing_quote_is_no_part_of_the_argument(said, slot, meant):
    assert read(said, "")[slot] == meant


def test_a_browser_leaves_pythons_own_generator_alone(world):
    state = random.getstate()
    world(FORM)
    assert random.getstate() == state


def test_a_form_is_read_and_filled(world):
    env, text = world(FORM)
    assert 'heading "Order" level=1' in text
    assert 'combobox "Size" value="S" options: "S", "M", "L"' in text
    assert 'button "Later" disabled' in text
    assert "Hidden" not in text
    text, info = say(env, f'fill [{own(text, "Name")}] "Ann \\"A\\" Lee"')
    assert 'textbox "Name" value="Ann \\"A\\" Lee" focused' in text
    text, _ = say(env, f'type [{own(text, "Name")}] "!"')
    assert 'Lee!"' in text
    text, _ = say(env, f'select [{own(text, "Size")}] "M"')
    assert 'combobox "Size" value="M"' in text
    text, _ = say(env, f'select [{own(text, "Many")}] "a", "c"')
    assert 'value="a", "c"' in text
    text, _ = say(env, f"check [{own(text, 'Gift')}]")
    assert 'checkbox "Gift" checked' in text
    text, _ = say(env, f'fill [{own(text, "Date")}] "2024-02-29"')
    assert 'value="2024-02-29"' in text
    text, _ = say(env, f'fill [{own(text, "Level")}] "7"')
    assert 'value="7"' in text
    text, info = say(env, f"click [{own(text, 'Send')}]")
    assert 'Sent Ann \\"A\\" Lee!' in text
    assert info["action_valid"]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("click [{Later}]", "is disabled"),
        ("click [999]", "there is no element [999]"),
        ('fill [{Send}] "x"', "takes no text"),
        ('fill [{Fixed}] "x"', "is read-only"),
        ('select [{Size}] "XL"', 'has no option "XL"; it has: "S", "M", "L"'),
        ('select [{Size}] "L"', "is disabled"),
        ('select [{Size}] "S", "M"', "takes one option only"),
        ('select [{Name}] "S"', "is no list"),
        ("click [{Size}]", "is a list; choose with"),
        ('fill [{Date}] "tomorrow"', "write it as 2024-12-31"),
        ('fill [{Level}] "70"', "from 0 to 10"),
        ("check [{Send}]", "cannot be checked"),
        ('upload [{Name}] "a.txt"', "you have no file 'a.txt'"),
        ("scroll up", "nothing can be scrolled up"),
        ("back", "no page to go back to"),
        ("forward", "no page to go forward to"),
        ("close_tab", "the only tab"),
        ("switch_tab [3]", "there is no tab 3"),
        ("goto red shoes", "is no address"),
        ("goto http://", "names no host"),
        ("goto http://evil.test/", "is not allowed here"),
        ("goto file:///etc/passwd", "are not opened here"),
        ("goto javascript:alert(1)", "are not opened here"),
        ("goto chrome://version", "are not opened here"),
        ("click_at 5000,10", "outside the page's window"),
        ("press Ctrl+Banana", "there is no key 'Banana'"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(world, action, words):
    env, text = world(FORM)
    names = {name: own(text, name) for name in ("Later", "Send", "Fixed", "Size", "Name", "Date", "Level")}
    before = env.context.active.evaluate("document.body.innerHTML")
    view, info = say(env, action.format(**names))
    assert words.lower() in info["error"].lower()
    assert not info["action_valid"]
    assert env.context.active.evaluate("document.body.innerHTML") == before
    assert view.endswith(env._state.view)


def test_numbers_stay_with_their_elements_and_are_not_given_twice(world):
    page = """<button onclick="list.prepend(Object.assign(document.createElement('li'),{textContent:'new'}))">Add</button>
    <ul id=list><li>one<li>two</ul><a href="/b">next</a>"""
    env, text = world({"/": page, "/b": "<button>Other</button>"})
    two = own(text, "two")
    text, _ = say(env, f"click [{own(text, 'Add')}]")
    assert own(text, "two") == two
    assert own(text, "new") > two
    add = own(text, "Add")
    text, _ = say(env, f"click [{own(text, 'next')}]")
    assert own(text, "Other") > two
    assert "no element" in say(env, f"click [{add}]")[1]["error"]


def test_dialogs_are_answered_and_told(world):
    page = """<button onclick="alert('first');x.textContent=confirm('sure?')+prompt('name','Ann')">Ask</button><p id=x></p>"""
    env, text = world(page)
    text, info = say(env, f"click [{own(text, 'Ask')}]")
    assert "(alert): 'first'" in text
    assert "(confirm): 'sure?'; it was answered OK" in text
    assert '"trueAnn"' in text
    assert [event["kind"] for event in info["events"]] == ["alert", "confirm", "prompt"]


def test_tabs_pop_ups_and_their_limit(world):
    page = """<a href="/b" target=_blank>Open</a>
    <button onclick="for(let i=0;i<40;i++)window.open('/b')">Storm</button>"""
    env, text = world({"/": page, "/b": "<title>B</title>bee"})
    storm = own(text, "Storm")
    text, _ = say(env, f"click [{own(text, 'Open')}]")
    assert "The page opened a new tab" in text
    assert 'Tab 2 of 2: "B"' in text
    text, _ = say(env, "switch_tab [1]")
    assert own(text, "Storm") == storm
    text, _ = say(env, f"click [{storm}]")
    assert "at most 10 are allowed" in text
    assert len(env.context.tabs) == 10
    text, _ = say(env, "close_tab")
    assert "of 9" in text


def test_frames_of_any_origin_and_shadow_roots(world):
    outer = """<h1>Top</h1><iframe src="/same"></iframe><iframe src="http://b.test/"></iframe><x-box></x-box>
    <script>customElements.define('x-box',class extends HTMLElement{constructor(){super();
    this.attachShadow({mode:'closed'}).innerHTML='<button>Deep</button><p id=s></p>';}})</script>"""
    inner = "<button onclick=\"this.textContent='did it'\">Inner</button>"
    env, text = world({"/": outer, "/same": inner.replace("Inner", "Near")}, others={"b.test": PageSite({"/": inner})})
    for name in ("Near", "Inner"):
        text, info = say(env, f"click [{own(text, name)}]")
        assert info["action_valid"], info["error"]
    assert text.count('button "did it"') == 2
    assert 'button "Deep"' in text
    assert say(env, f"click [{own(text, 'Deep')}]")[1]["action_valid"]


def test_what_a_closed_disclosure_holds_is_seen_once_it_is_open(world):
    page = (
        "<details><summary>More</summary><button onclick=\"this.textContent='Done'\">Deep</button>kept words</details>"
    )
    env, text = world(page)
    assert "Deep" not in text
    assert "kept words" not in text
    text, info = say(env, f"click [{own(text, 'More')}]")
    assert info["action_valid"], info["error"]
    assert 'button "Deep"' in text
    assert "kept words" in text
    text, _ = say(env, f"click [{own(text, 'Deep')}]")
    assert 'button "Done"' in text


def test_covered_and_off_screen_elements(world):
    page = """<button>Under</button><div style="position:fixed;inset:0;background:#fff8" role=dialog aria-label="Cookies">
    <button onclick="this.parentElement.remove()">Accept</button></div><div style="height:5000px"></div><button>Far</button>"""
    env, text = world(page)
    _, info = say(env, f"click [{own(text, 'Under')}]")
    assert f"is covered by [{own(text, 'Accept')}]" in info["error"]
    text, _ = say(env, f"click [{own(text, 'Accept')}]")
    assert "Cookies" not in text
    text, info = say(env, f"click [{own(text, 'Far')}]")
    assert info["action_valid"]
    assert "Scrolled to" in text


def test_time_stands_still_and_moves_a_second_with_each_action(world):
    page = """<p id=p></p><script>let n=0;setInterval(()=>p.textContent=++n+' '+new Date().toISOString()+' '+Math.random(),100)</script>"""
    first, text = world(page)
    second, again = world(page)
    assert text == again
    assert '"10 2025-01-15T12:00:01.000Z' in text
    assert '"20 ' in say(first, "wait")[0]
    assert '"20 ' not in say(second, "click [99]")[0]


def test_downloads_stay_in_memory_and_uploads_come_from_it(world):
    class Files:
        def respond(self, request):
            return Response(
                b"a,b\n1,2\n", 200, {"content-type": "text/csv", "content-disposition": "attachment; filename=t.csv"}
            )

    page = """<a href="http://files.test/t.csv">Get</a><input type=file aria-label="Proof"
    onchange="files[0].text().then(t=>out.textContent=files[0].name+':'+t)"><p id=out></p>"""
    env, text = world(page, others={"files.test": Files()})
    env.files = {"r.txt": b"paid"}
    text, info = say(env, f"click [{own(text, 'Get')}]")
    assert "Downloaded 't.csv' (8 bytes)." in text
    assert env.downloads == {"t.csv": b"a,b\n1,2\n"}
    assert {"type": "download", "name": "t.csv", "bytes": 8} in info["events"]
    text, _ = say(env, f'upload [{own(text, "Proof")}] "r.txt"')
    assert "r.txt:paid" in text


def test_other_hosts_are_out_of_reach_of_every_request(world):
    page = """<a href="http://evil.test/">Go</a><img src="http://127.0.0.1:9/x.png"><p id=p>waiting</p>
    <script>fetch('http://evil.test/').then(()=>p.textContent='reached',()=>p.textContent='blocked')</script>"""
    env, text = world(page)
    assert '"blocked"' in text
    text, info = say(env, f"click [{own(text, 'Go')}]")
    assert "The page wanted to open http://evil.test/, which is not allowed here" in text
    assert 'link "Go"' in text
    assert "blocked" in [event["type"] for event in info["events"]]


def test_drag_and_drop_of_both_kinds(world):
    page = """<div id=a draggable=true style="width:60px;height:30px" ondragstart="event.dataTransfer.setData('text','card')">Card</div>
    <div id=b role=group aria-label=Bin style="width:200px;height:80px" ondragover="event.preventDefault()"
     ondrop="this.textContent='got '+event.dataTransfer.getData('text')">Bin</div>"""
    env, text = world(page)
    text, _ = say(env, f"drag [{own(text, 'Card')}] [{own(text, 'Bin')}]")
    assert "got card" in text


@pytest.mark.parametrize(
    "how",
    [
        "drag [{word}] [{goal}]",
        pytest.param("mouse_down 20,20\nmouse_move 60,60\nmouse_up 60,60", marks=pytest.mark.full),
    ],
)
def test_the_words_of_a_password_are_not_dragged(world, how):
    env, text = world("<input type=password id=a aria-label=Word style='position:fixed;left:5px;top:5px'>"
                      "<p style='position:fixed;top:80px'>Bin</p><button onclick='this.textContent=a.value'>Show</button>")  # fmt: skip
    word, goal, show = own(text, "Word"), own(text, "Bin"), own(text, "Show")
    for action in (f'type [{word}] "hello"', "press Control+a", *how.format(word=word, goal=goal).splitlines()):
        text, info = say(env, action)
        assert not info["failure"], action
    assert 'button "hello"' in say(env, f"click [{show}]")[0]


def test_submissions_and_navigations_are_events(world):
    pages = {"/": '<form action="/s"><input name=q aria-label=Q><button>Find</button></form>', "/s": "<h1>Results</h1>"}
    env, text = world(pages)
    say(env, f'fill [{own(text, "Q")}] "tea"')
    text, info = say(env, "press Enter")
    assert "Results" in text
    kinds = {event["type"]: event["url"] for event in info["events"]}
    assert kinds == {"submit": "http://a.test/s?q=tea", "navigate": "http://a.test/s?q=tea"}
    text, _ = say(env, "back")
    assert 'textbox "Q"' in text
    assert "Results" in say(env, "forward")[0]


@pytest.mark.parametrize(("observe", "words"), [("text", "Order"), ("dom", "<h1>Order</h1>")])
def test_other_ways_to_observe(world, observe, words):
    assert words in world(FORM, observe=observe)[1]


def test_pictures_with_and_without_marks(world):
    plain, _ = world(FORM, render_mode="rgb_array", viewport=(400, 300))
    marked, _ = world(FORM, render_mode="rgb_array", viewport=(400, 300), picture="marks")
    one, two = plain.render(), marked.render()
    assert one.shape == two.shape == (300, 400, 3)
    assert one.dtype == "uint8"
    assert (one != two).any()


def test_marks_stand_once_on_what_can_be_acted_upon_and_is_in_view(world):
    page = """<p>Plain <a href=/>first</a> words <a href=/>second</a> more</p><h1>Head</h1><div style="height:40px;overflow:auto">
    <button>In</button><div style="height:90px">x</div><button>Below</button></div><button>Under</button>
    <div style="position:absolute;top:150px;left:0;width:300px;height:80px;background:#fff">cover</div>
    <label><input type=checkbox style="opacity:0;position:absolute"><i style="position:relative">Tick</i></label>
    <div style="height:900px"></div><button>Far</button>"""
    env, text = world(page, render_mode="rgb_array", picture="marks", viewport=(300, 300))
    marked = [int(box[0]) for box in env.page.boxes]
    assert len(set(marked)) == len(marked)
    shown = {
        name: own(text, name) in marked for name in ("first", "second", "In", "Below", "Far", "Plain", "Head", "Tick")
    }
    assert shown == {
        "first": True, "second": True, "In": True, "Below": False, "Far": False, "Plain": False, "Head": False, "Tick": True,
    }  # fmt: skip


def test_marks_frame_a_link_with_its_icon_and_no_more_than_is_shown(world):
    page = """<style>i{display:inline-block;width:20px;height:20px;background:#00f}</style><a href=/ style="position:absolute;left:10px;top:10px"><i></i>Archive of letters</a>
    <div style="position:absolute;left:10px;top:60px;width:100px;height:30px;overflow:hidden"><button style="height:50px;width:200px;margin:0">Big</button></div>"""
    env, text = world(page, render_mode="rgb_array", picture="marks", viewport=(300, 200))
    boxes = {int(box[0]): box[1:] for box in env.page.boxes}
    left, _, width, _ = boxes[own(text, "Archive")]
    assert left == 10
    assert width > 60, "the words are within the frame"
    assert boxes[own(text, "Big")] == [10, 60, 100, 30]


def test_an_element_that_was_removed_is_no_longer_there(world):
    env, text = world("""<button onclick="this.nextSibling.remove()">Remove</button><button>Old</button>""")
    old = own(text, "Old")
    say(env, f"click [{own(text, 'Remove')}]")
    for action in (f"click [{old}]", f'fill [{old}] "x"', f"hover [{old}]", f"drag [{old}] to [1]", f"focus [{old}]"):
        _, info = say(env, action)
        assert not info["action_valid"]
        assert f"[{old}]" in info["error"]


def test_inside_a_running_event_loop_and_in_threads(world):
    async def play():
        env, text = world(FORM)
        return say(env, f'fill [{own(text, "Name")}] "loop"')[0]

    assert "loop" in asyncio.run(play())
    seen = {}

    def work(name):
        env, text = world(FORM)
        seen[name] = say(env, f'fill [{own(text, "Name")}] "{name}"')[0]

    threads = [threading.Thread(target=work, args=(f"thread{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(name in text for name, text in seen.items())
    assert len(seen) == 4


def test_bad_arguments():
    for given, words in (
        ({"observe": "smell"}, "smell"),
        ({"picture": "oil"}, "oil"),
        ({"viewport": (10, 10)}, "viewport"),
    ):
        with pytest.raises((ConfigError, LookupError), match=words):
            PagesEnv({"/": ""}, **given)


def test_the_mouse_makes_nothing_clickable(world):
    """What shows a hand only while the mouse is over it reads the same before and after: hovering keeps real time."""
    style = "<style>p:hover, p:hover b { cursor: pointer } i { cursor: pointer }</style>"
    env, before = world(f"{style}<p>say <b>this</b></p><i>press</i>")
    assert before.count("clickable") == 1
    after, _ = say(env, "hover [1]")
    over = env.context.active.evaluate("getComputedStyle(document.querySelector('p')).cursor")
    assert over == "pointer", "the mouse is where it is meant to be"
    assert after.count("clickable") == 1
