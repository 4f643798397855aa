"""A context that serves many episodes shows nothing of the last to the next."""

# ruff: noqa: E501 (pages stand as they are)
from __future__ import annotations

import gc
import itertools
import time

import pytest

from agentgym.envs.web._browser import context_pool
from agentgym.envs.web._browser.site import Request, Response
from tests.envs.browsing import PagesEnv, needs_browser, own

pytestmark = needs_browser

STYLE = "a{color:#00f}a:visited{color:#f00}button:hover,html:hover{background:#fc0}:focus{outline:9px solid #0a0}"
GREEDY = """<script>
  document.title = 'ran'; window.name = 'mine'; document.cookie = 'script=1'; localStorage.a = sessionStorage.a = 1;
  indexedDB.open('kept'); caches.open('kept'); navigator.serviceWorker?.register('/worker.js'); history.pushState({}, '', '/pushed');
</script><img src=x onerror="localStorage.b=1"><button onclick="localStorage.c=1;document.title='ran'">Keep</button>
<a href="javascript:localStorage.d=1">Script</a>"""
HOME = f"""<style>{STYLE}</style><h1>Home</h1>{GREEDY}<form action=/next><input name=q autocomplete=on><input type=checkbox>
<button>Go</button></form><a href=/next>Next</a> <a href=/next target=_blank>Tab</a> <a href=/file>File</a>
<div style="height:3000px">tall</div>"""


class Greedy:
    """A site that sets cookies and whose pages try to keep whatever can be kept; says what it is sent."""

    def __init__(self):
        self.asked: list[tuple[str, str]] = []

    def respond(self, request: Request) -> Response:
        self.asked.append((request.path, request.headers.get("cookie", "")))
        if request.path == "/file":
            return Response(
                b"x", 200, {"content-disposition": "attachment; filename=f.txt", "content-type": "text/csv"}
            )
        kept = {"set-cookie": "site=1; Max-Age=9999", "cache-control": "max-age=9999"}
        return Response(HOME.encode(), 200, {"content-type": "text/html; charset=utf-8", **kept})


class StillEnv(PagesEnv):
    """A still world over `Greedy`, a new site for each episode."""

    still = True

    def __init__(self, **given):
        super().__init__({}, **given)
        self.sites: list[Greedy] = []

    def _sites(self, task):
        self.sites.append(Greedy())
        return {"a.test": self.sites[-1]}


@pytest.fixture
def world():
    while context_pool._spare:
        context_pool._spare.pop().close()
    env = StillEnv(render_mode="rgb_array")
    env.reset(seed=0)
    yield env
    env.close()


STORED = """(async()=>JSON.stringify([document.title, window.name, document.cookie, localStorage.length, sessionStorage.length,
  (await indexedDB.databases()).length, scrollX + scrollY, innerWidth, innerHeight, history.length, !!window.opener,
  document.activeElement.tagName, document.querySelector('input').value, document.querySelectorAll('input:checked').length,
  document.querySelectorAll(':hover').length, location.href]))()"""


def seen(env):
    """All that a page, a reader or a site could know."""
    kept = env.context.active.evaluate_in_page(STORED)
    cookies = env.context.wire.call("Storage.getCookies", {"browserContextId": env.context.id})["cookies"]
    return env._state.view, kept, len(cookies), env.render().tobytes(), dict(env.downloads), len(env.context.tabs)


def live(env):
    """An episode that leaves something of every kind behind."""
    text = env._state.view
    for action in (
        f"click [{own(text, 'Keep')}]", f"click [{own(text, 'Script')}]", f"fill [{own(text, 'textbox')}] \"secret\"",
        f"check [{own(text, 'checkbox')}]", f"click [{own(text, 'File')}]", f"click [{own(text, 'Next')}]",
        "back", "scroll down", "goto http://evil.test/", "mouse_move(40, 60)", "goto http://a.test/third",
    ):  # fmt: skip
        _, _, _, _, info = env.step(action)
        assert info["failure"] == ""
    assert env.downloads


def test_an_episode_in_a_wiped_context_is_one_in_a_new_context(world):
    fresh = seen(world)
    first = world.context
    for _ in range(2):
        live(world)
        world.reset(seed=0)
        assert world.context is first
        assert seen(world) == fresh
        assert "no page to go back to" in world.step("back")[4]["error"]
        assert "no page to go forward to" in world.step("forward")[4]["error"]
    for site in world.sites[1:]:
        assert site.asked[0] == ("/", ""), "a cookie of the last episode, or a late request, reached the next site"


def test_scripts_of_a_still_world_do_not_run(world):
    text, *_ = world.step(f"click [{own(world._state.view, 'Keep')}]")
    assert '"ran"' not in text
    kept = world.context.active.evaluate_in_page("[window.name, localStorage.length, sessionStorage.length].join()")
    assert kept == ",0,0"
    served = "navigator.serviceWorker ? navigator.serviceWorker.getRegistrations().then(all => all.length) : 0"
    assert not world.context.active.evaluate_in_page(served)


def test_a_context_with_more_than_its_page_is_not_used_again(world):
    first = world.context
    world.step(f"click [{own(world._state.view, 'Tab')}]")
    assert len(first.tabs) == 2
    world.reset(seed=0)
    assert world.context is not first
    second = world.context
    world.step("mouse_down(40, 60)")
    world.reset(seed=0)
    assert world.context is not second
    third = world.context
    world.step(f"click [{own(world._state.view, 'Tab')}]")
    world.step("switch_tab [1]")
    world.step("close_tab")
    assert len(third.tabs) == 1
    world.reset(seed=0)
    assert world.context is not third


def test_closed_and_dropped_worlds_leave_their_context_to_the_next(world):
    fresh = seen(world)
    first = world.context
    live(world)
    world.close()
    second = StillEnv(render_mode="rgb_array")
    second.reset(seed=0)
    assert second.context is first
    assert seen(second) == fresh
    live(second)
    del second
    gc.collect()
    until = time.monotonic() + 10
    while first not in context_pool._spare and time.monotonic() < until:
        time.sleep(0.05)  # the collector does not wait for whoever holds the pool, and tries again
    third = StillEnv(render_mode="rgb_array")
    third.reset(seed=0)
    assert third.context is first
    assert seen(third) == fresh
    other = StillEnv(viewport=(500, 400))
    other.reset(seed=0)
    assert other.context is not first
    third.close()
    other.close()


def test_crashed_pages_are_not_used_again(world):
    first = world.context
    first.active.send("Page.crash")
    assert "crashed" in world.step("wait")[4]["failure"]
    text, info = world.reset(seed=0)
    assert info["failure"] == ""
    assert "Home" in text
    assert world.context is not first


def test_a_context_is_closed_after_so_many_episodes(world, monkeypatch):
    """Playwright keeps a record of each request until the context is closed: 0.1 MB an episode."""
    monkeypatch.setattr("agentgym.envs.web._browser.context.MOST_EPISODES", 3)
    monkeypatch.setattr(context_pool, "MOST_EPISODES", 3)
    contexts, texts = [], set()
    for _ in range(9):
        text, info = world.reset(seed=0)
        assert info["failure"] == ""
        texts.add(text)
        contexts.append(world.context)
    changes = sum(one is not other for one, other in itertools.pairwise(contexts))
    assert changes == 2
    assert len(texts) == 1, "a new context shows what a wiped one does"
    assert sum(not each.broken and each.wire.alive for each in context_pool._spare) == 0, "worn ones are not kept"
