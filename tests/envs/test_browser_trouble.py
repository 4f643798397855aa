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

from agentgym.core import MissingExtra
from agentgym.envs.web._browser import cdp, engine
from agentgym.envs.web._browser.find import find_browser
from agentgym.envs.web._browser.site import Response
from tests.envs.browsing import PagesEnv, needs_browser, own

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


def test_a_failing_site_is_an_engine_failure_and_no_fault_of_the_agent():
    class Broken:
        def respond(self, request):
            raise ZeroDivisionError("oops")

    env, _, info = start('<iframe src="http://bad.test/"></iframe>', others={"bad.test": Broken()})
    assert "ZeroDivisionError" in info["failure"]
    env.close()


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


def test_random_actions_on_a_page_of_everything(open_page):
    page = """<a href="/">self</a><input><textarea></textarea><select><option>a<option>b</select><button onclick="open('/')">w</button>
    <button onclick="alert(1)">a</button><details><summary>s</summary>d</details><iframe src="/"></iframe>"""
    env, _ = open_page({"/": page})
    rng = np.random.default_rng([3, 3])
    for _ in range(40):
        info = env.step(env.sample_action(rng))[4]
        assert info["failure"] == "", info["failure"]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


def gone(pid: int) -> bool:
    for _ in range(100):
        if not alive(pid):
            return True
        time.sleep(0.05)
    return False


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
        "env = PagesEnv({'/': '<p>x'}); env.reset(seed=0); print(env.context.wire.pid, env.context.wire.folder, flush=True)\n"
        f"{end}\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    pid, folder = done.stdout.split()
    assert gone(int(pid)), done.stderr
    if "kill" in end or "_exit" in end:  # nobody was left to do it; the next browser does
        cdp.remove_orphans()
    assert not Path(folder).exists()


def test_no_browser_outlives_its_last_world(monkeypatch):
    monkeypatch.setattr(engine, "LINGER", 0.1)
    engine.close_engine()
    env, _, _ = start("<p>x")
    pid = env.context.wire.pid
    assert alive(pid)
    env.close()
    env.close()
    assert gone(pid)


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
    assert gone(int(pid))


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
