"""BrowserGym's action set in its own words: each of its calls is read, and does in a page what it says."""

# ruff: noqa: E501 (pages stand as they are)
from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

from agentgym.core.grammar import Call, Invalid
from agentgym.envs.web._browser.action_parsers import SIGNATURES, read
from agentgym.envs.web._browser.site import PageSite
from tests.envs.browsing import needs_browser, own, say

# The functions of browsergym-core 0.14.3 that an agent may call, in the order of its manual.
PUBLISHED = """
send_msg_to_user(text)
report_infeasible(reason)
noop(wait_ms=1000)
fill(bid, value, enable_autocomplete_menu=False)
check(bid)
uncheck(bid)
select_option(bid, options)
click(bid, button='left', modifiers=[])
dblclick(bid, button='left', modifiers=[])
hover(bid)
press(bid, key_comb)
focus(bid)
clear(bid)
drag_and_drop(from_bid, to_bid)
scroll(delta_x, delta_y)
scroll_at(x, y, dx, dy)
mouse_move(x, y)
mouse_up(x, y, button='left')
mouse_down(x, y, button='left')
mouse_click(x, y, button='left')
mouse_dblclick(x, y, button='left')
mouse_drag_and_drop(from_x, from_y, to_x, to_y)
keyboard_press(key)
keyboard_up(key)
keyboard_down(key)
keyboard_type(text)
keyboard_insert_text(text)
goto(url)
go_back()
go_forward()
new_tab()
tab_close()
tab_focus(index)
upload_file(bid, file)
mouse_upload_file(x, y, file)
"""


def parameters(source: str) -> dict[str, tuple[tuple[str, ...], dict[str, object]]]:
    """Names of functions, each with the parameters it needs and the defaults of the others."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            names = [each.arg for each in node.args.args]
            needed = len(names) - len(node.args.defaults)
            values = [ast.literal_eval(each) for each in node.args.defaults]
            found[node.name] = (tuple(names[:needed]), dict(zip(names[needed:], values, strict=True)))
    return found


def test_the_table_is_the_published_one():
    stubs = "\n".join(f"def {line}: ..." for line in PUBLISHED.split("\n") if line)
    assert parameters(stubs) == SIGNATURES


@pytest.mark.skipif(importlib.util.find_spec("browsergym") is None, reason="browsergym-core is not installed")
def test_the_table_is_that_of_the_package_here():
    source = importlib.util.find_spec("browsergym.core.action.functions").origin
    assert parameters(Path(source).read_text(encoding="utf8")) == SIGNATURES


GIVEN = {"text": "'a'", "reason": "'a'", "value": "'a'", "options": "['a']", "key_comb": "'Enter'", "key": "'Enter'",
         "file": "'a'", "url": "'http://a.test/'"}  # fmt: skip


@pytest.mark.parametrize("line", [line for line in PUBLISHED.split("\n") if line])
def test_each_is_read_by_place_by_name_and_with_its_options(line):
    name = line.partition("(")[0]
    (needed, defaults) = parameters(f"def {line}: ...")[name]
    values = [GIVEN.get(key, "'a7'" if "bid" in key else "7") for key in needed]
    named = [f"{key}={value}" for key, value in zip(needed, values, strict=True)]
    options = [f"{key}={value!r}" for key, value in defaults.items()]
    least = read(f"{name}({', '.join(values)})", "")
    assert isinstance(least, Call), least
    assert read(f"{name}({', '.join([*reversed(named), *options])})", "") == least
    more = read(f"{name}({', '.join([*values, *options, 'extra=1'])})", "")
    assert isinstance(more, Invalid)


KEYS = """<input aria-label=In><p id=p>up</p><script>addEventListener('keydown',e=>p.textContent=e.key+' down');
addEventListener('keyup',e=>p.textContent=e.key+' up');addEventListener('click',e=>document.title=e.shiftKey?'shifted':'plain')</script>"""


@needs_browser
def test_keys_are_held_down_until_they_are_let_go(world):
    env, text = world(KEYS)
    field = own(text, "In")
    assert '"Shift down"' in say(env, "keyboard_down('Shift')")[0]
    assert "held down already" in say(env, "keyboard_down('Shift')")[1]["error"]
    assert '"shifted"' in say(env, f"click('{field}')")[0]
    say(env, "keyboard_type('words')")
    say(env, "keyboard_press('Home')")  # with Shift it marks them all
    text, _ = say(env, "keyboard_up('Shift')")
    assert '"Shift up"' in text
    assert "not held down" in say(env, "keyboard_up('Shift')")[1]["error"]
    assert 'value="b"' in say(env, "keyboard_press('b')")[0]
    assert "one key" in say(env, "keyboard_down('Shift+a')")[1]["error"]
    assert "on no keyboard" in say(env, "keyboard_down('é')")[1]["error"]


@needs_browser
def test_a_file_is_given_where_the_page_was_clicked(world):
    page = """<button style="position:fixed;left:0;top:0;width:200px;height:40px" onclick="f.click()">Choose</button>
    <input type=file id=f multiple style="display:none" onchange="p.textContent=[...f.files].map(x=>x.name)"><p id=p></p>"""
    env, _ = world(page)
    env.files = {"a.txt": b"one", "b.txt": b"two"}
    text, info = say(env, "mouse_upload_file(20, 20, ['a.txt', 'b.txt'])")
    assert info["action_valid"], info["error"]
    assert '"a.txt,b.txt"' in text
    assert "outside" in say(env, "mouse_upload_file(9000, 20, 'a.txt')")[1]["error"]


@needs_browser
@pytest.mark.full
def test_ids_may_have_the_letters_of_a_frame(world):
    frame = "<iframe src=http://b.test/></iframe>"
    inner = PageSite({"/": "<button onclick=\"this.textContent='done'\">Inner</button>"})
    env, text = world(frame, others={"b.test": inner})
    text, info = say(env, f"click('a{own(text, 'Inner')}')")
    assert info["action_valid"], info["error"]
    assert 'button "done"' in text
    assert "names no element" in say(env, "click('a')")[1]["error"]


@needs_browser
@pytest.mark.full
def test_what_is_told_the_user_ends_a_task_only_where_it_is_the_answer(world):
    env, _ = world("<p>Home</p>")
    assert env.step("send_msg_to_user('42')")[2]
    env, _ = world("<p>Home</p>", chat=True)
    assert 'say "<text>"' in env.manual
    answers = []
    judged = env._judge
    env._judge = lambda call, outcome: answers.append(dict(call.slots)) or judged(call, outcome)
    for action in ("send_msg_to_user('one')", 'say "two"'):
        text, _, ended, _, info = env.step(action)
        assert not ended
        assert info["action_valid"], info["error"]
        assert text.startswith("You told the user: ")
        assert "Home" in text
    assert env.step("stop")[2]
    assert answers[-1] == {"answer": "two"}


SEVERAL = """fill('{name}', 'Ann\\nLee')  # a comment is not read
# nor is this
{second}
click('{send}')"""


@needs_browser
@pytest.mark.full
def test_several_calls_a_turn_are_done_until_one_is_refused(world):
    page = """<label>Name <input onkeydown="n.textContent=event.key"></label><button onclick="n.textContent='sent'">Send</button><button disabled>Later</button><p id=n>none</p>"""
    env, text = world(page)
    names = {"name": own(text, "Name"), "send": own(text, "Send"), "later": own(text, "Later")}
    good = SEVERAL.replace("  # a comment is not read", "").format(
        **names, second="press('{name}', 'Home')".format(**names)
    )
    assert 'value="Ann' not in say(env, good)[0], "one a turn unless more are allowed"
    env, text = world(page, calls=3)
    assert "up to 3" in env.manual
    text, info = say(env, good)
    assert info["action_valid"], info["error"]
    assert '"sent"' in text
    env, text = world(page, calls=3)
    text, info = say(
        env,
        good.replace("press", "click")
        .replace(", 'Home'", "")
        .replace(f"click('{names['name']}')", f"click('{names['later']}')", 1),
    )
    assert info["action_valid"], "the first was done"
    assert text.startswith("Call 2 of 3 was not done: ")
    assert "is disabled" in text
    assert '"none"' in text
    assert "at most 3" in say(env, good + "\nnoop()")[1]["error"]
    before = env._state.view
    _, info = say(env, "click('999')\nclick('1')")
    assert not info["action_valid"]
    _, info = say(env, "noop()\nfly()")
    assert "call 2 of 2" in info["error"]
    assert env._state.view == before
