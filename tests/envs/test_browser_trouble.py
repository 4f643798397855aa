# ruff: noqa: E501 (pages stand as they are)
"""Pages that misbehave and browsers that die: each gives words, never a hang, and nothing is left running."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from agentgym.core import EngineFailure, MissingExtra
from agentgym.core.text import objection
from agentgym.envs.web._browser import engine, profile
from agentgym.envs.web._browser.find import find_browser
from agentgym.envs.web._browser.site import FolderSite, Response
from tests.envs.browsing import PagesEnv, needs_browser, own
from tests.processes import ends, runs

pytestmark = needs_browser
ROOT = Path(__file__).parents[2]


class Redirects:
    """Sends every visitor on, for ever."""

    def respond(self, request):
        number = int(request.url.rsplit("/", 1)[1] or 0) + 1
        return Response(b"", 302, {"location": f"http://loop.test/{number}"})


def start(pages, **given):
    env = PagesEnv(pages if isinstance(pages, dict) else {"/": pages}, **given)
    text, info = env.reset(seed=0)
    return env, text, info


@pytest.fixture
def open_page():
    made = []

    def make(pages, **given):
        env, text, info = start(pages, **given)
        made.append(env)
        assert info["failure"] == ""
        return env, text

    yield make
    for env in made:
        env.close()


def test_pages_that_never_settle(open_page):
    busy = """<p id=p></p><script>setInterval(()=>p.textContent=Math.random(),0);
    (function again(){requestAnimationFrame(again)})();(function next(){setTimeout(next,0)})()</script>"""
    env, _ = open_page(busy)
    began = time.monotonic()
    assert env.step("wait")[4]["failure"] == ""
    assert time.monotonic() - began < 10


@pytest.mark.full
def test_endless_redirects_and_pages_that_send_themselves_on(open_page):
    pages = {
        "/": '<a href="http://loop.test/0">Loop</a><a href="/again">Again</a>',
        "/again": "<script>location.reload()</script>",
    }
    env, text = open_page(pages, others={"loop.test": Redirects()})
    text, _, _, _, info = env.step(f"click [{own(text, 'Loop')}]")
    assert "could not be opened" in text
    assert "REDIRECTS" in text
    text, *_ = env.step("back")
    text, _, _, truncated, info = env.step(f"click [{own(text, 'Again')}]")
    assert info["failure"] or "loading" in text or "/again" in text
    assert not truncated or info["failure"]


def test_a_script_without_end_is_stopped(open_page, monkeypatch):
    from agentgym.envs.web._browser import tab

    monkeypatch.setattr(tab, "PATIENCE", 1.0)
    env, text = open_page("<button onclick=\"document.title='x';for(;;);\">Hang</button><p>here</p>")
    text, _, _, _, info = env.step(f"click [{own(text, 'Hang')}]")
    assert "ran without end and was stopped" in text
    assert "here" in text
    assert info["failure"] == ""


def test_dialogs_without_end(open_page, monkeypatch):
    from agentgym.envs.web._browser import tab

    monkeypatch.setattr(tab, "PATIENCE", 1.0)
    env, text = open_page('<button onclick="for(;;)alert(1)">Nag</button>')
    text, _, _, _, info = env.step(f"click [{own(text, 'Nag')}]")
    assert "times)" in text or info["failure"]


@pytest.mark.full
def test_a_hundred_thousand_nodes(open_page):
    page = "<script>document.write('<p>line</p>'.repeat(1e5))</script><button>End</button>"
    env, text = open_page(page)
    assert len(text) <= env.observation_length
    assert "very large" in text
    began = time.monotonic()
    text, *_ = env.step("scroll down")
    assert "Scrolled to" in text
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "page",
    [
        "", "<", "<html", "<table><tr><td>a<table><td>b", "<svg><circle r=5", "\x00\x01\ufffd", "<p>" * 3000, "<b><i></b></i>",
        "<script>throw 1</script><p>on", "<script>document.open();document.write('<p id=q>new');document.close();setTimeout(()=>q.textContent='later',200)</script>",
        "<script>document.documentElement.remove()</script>", "<frameset><frame src=/x></frameset>",
        "<script>Object.prototype.toString=null;Array.prototype.map=()=>1;JSON.stringify=()=>'x';window.Event=1</script><p>on",
        "<iframe srcdoc='<iframe srcdoc=\"<iframe srcdoc=deep></iframe>\"></iframe>'></iframe>", "<img src=x onerror=alert(1)>",
    ],
)  # fmt: skip
def test_broken_pages(open_page, page):
    env, text = open_page(page)
    for action in ("click [1]", "wait", "press Tab"):
        assert env.step(action)[4]["failure"] == ""
    assert "http://a.test/" in text


def test_a_crashed_page_is_marked_and_replaced(open_page):
    env, _ = open_page("<p>fine")
    env.context.active.send("Page.crash")
    _, reward, terminated, truncated, info = env.step("wait")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert "crashed" in info["failure"]
    assert "fine" in env.reset(seed=1)[0]
    assert env.step("wait")[4]["failure"] == ""


def test_a_killed_browser_is_marked_and_replaced(open_page):
    env, _ = open_page("<p>fine")
    os.killpg(env.context.wire.pid, signal.SIGKILL)
    info = env.step("wait")[4]
    assert "ended" in info["failure"]
    assert "fine" in env.reset(seed=1)[0]


class Failing:
    """Raises whatever it is asked; the browser's own failure where told so."""

    def __init__(self, error):
        self.error = error

    def respond(self, request):
        raise self.error


def test_a_site_that_fails_at_the_start_page_is_an_engine_failure_and_no_fault_of_the_agent():
    env, _, info = start(
        '<iframe src="http://bad.test/"></iframe>', others={"bad.test": Failing(ZeroDivisionError("oops"))}
    )
    assert "ZeroDivisionError: oops" in info["failure"]
    env.close()


def test_what_a_site_raises_later_is_a_page_of_status_500(open_page):
    env, text = open_page(
        '<a href="http://bad.test/">Go</a>', others={"bad.test": Failing(ZeroDivisionError("secret"))}
    )
    text, reward, terminated, truncated, info = env.step(f"click [{own(text, 'Go')}]")
    assert "500 Internal Server Error (ZeroDivisionError)" in text
    assert "secret" not in text
    assert (reward, terminated, truncated, info["failure"], info["action_valid"]) == (0.0, False, False, "", True)
    assert env.context.active.status == 500
    assert "Go" in env.step("back")[0]


def test_a_site_whose_engine_fails_ends_the_episode(open_page):
    env, text = open_page('<a href="http://bad.test/">Go</a>', others={"bad.test": Failing(EngineFailure("gone"))})
    info = env.step(f"click [{own(text, 'Go')}]")[4]
    assert "gone" in info["failure"]


@pytest.mark.parametrize(
    "said",
    [
        "goto http://a.test/%00", "goto /%00", "goto http://a.test/?q=%1b", "new_tab http://a.test/%00", "goto('http://a.test/%00')",
        "goto //[", "goto http://[", "goto http://a.test:99999/", "goto /%e2%80%ae", "goto http://a.test/\ud800", "goto \ud800.test",
        "goto('http://a.test/\\ud800')", "fill [1] \"\udfff\"", "fill('1', 'x\\udfff')", "type [1] \"\u202e\"", "press \ud83d", "stop \ud800",
        "send_msg_to_user('\\ud800')", "select [1] \"\u2066\"", "keyboard_type('\\x1b')", "\ud800",
    ],
    ids=ascii,
)  # fmt: skip
def test_no_text_voids_an_episode(open_page, said):
    env, _ = open_page("<input>")
    text, reward, terminated, truncated, info = env.step(said)
    assert not info["action_valid"]
    assert info["error"] in text
    assert objection([text, info]) == ""
    assert (reward, terminated, truncated, info["failure"]) == (0.0, False, False, "")
    assert env.step('fill [1] "\\ud83e\\udd8a"')[4]["action_valid"], "halves of one character are that character"


def test_null_bytes_in_links_are_answered_by_a_site_of_files(tmp_path):
    (tmp_path / "index.html").write_text('<a href="/%00">Zero</a>', encoding="utf8")
    env, _, _ = start('<a href="http://files.test/">Files</a>', others={"files.test": FolderSite(tmp_path)})
    text = env.step("goto http://files.test/")[0]
    text, _, _, _, info = env.step(f"click [{own(text, 'Zero')}]")
    assert info["failure"] == ""
    assert "500" in text or "not found" in text
    env.close()


@pytest.mark.parametrize("observe", ["outline", "text", "dom"])
def test_what_a_page_shows_is_plain_text(open_page, observe):
    page = """<meta charset=utf-8><p id=p></p><select id=s><option id=o></select><button onclick="alert('\\ud800\\u202e')">B</button>
    <script>p.textContent='a \\ud800 b \\u202e c \\x07 d';document.title='\\udc00\\u202e';o.textContent='\\u202ex'</script>"""
    env, text = open_page(page, observe=observe)
    assert "\N{REPLACEMENT CHARACTER}" in text
    text, _, _, _, info = env.step("click_at 5,5")
    assert objection([text, info, env.admissible_actions()]) == ""
    if observe == "outline":
        text, _, _, _, info = env.step(f"click [{own(text, 'B')}]")
        assert info["events"][0]["type"] == "dialog"
        assert objection([text, info]) == ""


def test_hostile_words(open_page):
    env, _ = open_page("<input><button>Go</button>")
    rng = np.random.default_rng([7, 1])
    pieces = ["click", "fill", "type", "[1]", "[2]", "[99]", '"', "'", "(", ")", "[", "]", ",", "goto", "press", "Control+", "0,0", "-5,1e9",
              "click('1')", "\n", "\\", "é", "\u202e", "select", "drag", "None", "{}", "stop_", "%00", "scroll", "upload"]  # fmt: skip
    for _ in range(150):
        action = " ".join(pieces[int(rng.integers(len(pieces)))] for _ in range(int(rng.integers(1, 6))))
        _, _, _, _, info = env.step(action)
        assert info["failure"] == ""
        assert info["action_valid"] or info["error"]
    for action in ("click(" * 400 + ")" * 400, "fill('1', " + "[" * 300 + "]" * 300 + ")", "press " + "Control+" * 200):
        assert not env.step(action)[4]["action_valid"]


@pytest.mark.full
def test_random_actions_on_a_page_of_everything(open_page):
    page = """<a href="/">self</a><input><textarea></textarea><select><option>a<option>b</select><button onclick="open('/')">w</button>
    <button onclick="alert(1)">a</button><details><summary>s</summary>d</details><iframe src="/"></iframe>"""
    env, _ = open_page({"/": page})
    rng = np.random.default_rng([3, 3])
    for _ in range(40):
        info = env.step(env.sample_action(rng))[4]
        assert info["failure"] == "", info["failure"]


def test_a_dropped_world_closes_its_pages():
    env, _, _ = start("<p>x")
    name, contexts = env.context.id, env.context._engine.contexts
    assert name in contexts
    del env
    gc.collect()
    assert name not in contexts


@pytest.mark.parametrize(
    "end", ["os.kill(os.getpid(), 9)", "raise RuntimeError('x')", "sys.exit(3)", "os._exit(0)", "pass"]
)
def test_no_browser_outlives_its_process(end):
    code = (
        "import os, sys; from tests.envs.browsing import PagesEnv\n"
        "env = PagesEnv({'/': '<p>x'}); env.reset(seed=0); print(env.context.wire.pid, env.context.wire.profile.path, flush=True)\n"
        f"{end}\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    pid, folder = done.stdout.split()
    assert ends(int(pid)), done.stderr
    if "kill" in end or "_exit" in end:  # nobody was left to do it; a later browser does, when all of this one's ended
        for _ in range(100):
            profile.remove_orphans()
            if not Path(folder).exists():
                break
            time.sleep(0.05)
    assert not Path(folder).exists()


def test_no_browser_outlives_its_last_world(monkeypatch):
    monkeypatch.setattr(engine, "LINGER", 0.1)
    engine.close_engine()
    env, _, _ = start("<p>x")
    pid = env.context.wire.pid
    assert runs(pid)
    env.close()
    env.close()
    assert ends(pid)


def test_a_browser_that_ended_closes_nobody_elses_files(open_page):
    """Their numbers are given out again; a fork later must not take them for the browser's."""
    env, _ = open_page("<p>x")
    ended = env.context.wire
    numbers = list(ended._open)
    assert len(numbers) == 2
    env.close()
    ended.close()
    ended._reader.join(10)
    spare = os.open(os.devnull, os.O_RDONLY)
    for number in numbers:
        os.dup2(spare, number)
    ended.forget()  # what a forked child does first
    for number in {spare, *numbers}:
        os.close(number)  # fails if somebody has closed it


@pytest.mark.full
def test_a_forked_process_starts_its_own(open_page):
    env, _ = open_page("<p>x")
    mine = env.context.wire.pid
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            twin, text, _ = start("<p>forked")
            os.write(write, f"{twin.context.wire.pid} {'forked' in text}".encode())
            twin.close()
            engine.close_engine()
        finally:
            os._exit(0)
    os.close(write)
    pid, worked = os.read(read, 100).decode().split()
    os.waitpid(child, 0)
    assert worked == "True"
    assert int(pid) != mine
    assert env.step("wait")[4]["failure"] == ""
    assert ends(int(pid))


def test_one_line_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.delenv("AGENTGYM_BROWSER", raising=False)
    with pytest.raises(MissingExtra, match="apt-get install chromium-headless-shell") as caught:
        find_browser()
    assert "\n" not in str(caught.value)
    monkeypatch.setenv("AGENTGYM_BROWSER", "/no/such/program")
    with pytest.raises(MissingExtra, match="no program"):
        find_browser()
    program = tmp_path / "chromium_headless_shell-1200" / "chrome-linux" / "headless_shell"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.delenv("AGENTGYM_BROWSER")
    assert find_browser() == str(program)
