"""WebSuite: every template can be done and is not done by doing nothing; its sites; its phrasings."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.envs.browsing import needs_browser

pytest.importorskip("starlette", reason="the package starlette is not installed: pip install starlette")
from agentgym.core.schema import violation
from agentgym.envs.web._browser.site import Request
from agentgym.envs.web._sites.application import session_of
from agentgym.envs.web._sites.forge.app import build_forge
from agentgym.envs.web._sites.forum.app import build_forum
from agentgym.envs.web._sites.tracker.app import build_tracker
from agentgym.envs.web._suite.drafts import FRAMES, Ask, record
from agentgym.envs.web._suite.players import next_step
from agentgym.envs.web._webarena.configs import CONFIG
from agentgym.envs.web.web_suite import NAMES, TEMPLATES, WebSuiteEnv


def task(number, seed=0):
    return record(
        NAMES[number], NAMES, TEMPLATES[number](Ask(np.random.default_rng([number, seed]))), (number + seed) % 10
    )


@pytest.mark.full
def test_tasks_are_records_of_webarena_in_ten_phrasings():
    assert len(TEMPLATES) == len(set(NAMES)) >= 60
    assert all(len(frames) == len(set(frames)) == 10 for frames in FRAMES.values())
    specs = [task(number) for number in range(len(TEMPLATES))]
    assert not any(violation(spec, CONFIG, where="task") for spec in specs)
    assert len({spec["intent"] for spec in specs}) == len(specs)
    assert {len(spec["sites"]) for spec in specs} == {1, 2}
    for name in ("forge", "forum", "tracker"):
        assert sum(name in spec["sites"] for spec in specs) >= 20
    draft = TEMPLATES[0](Ask(np.random.default_rng(1)))
    assert len({record(NAMES[0], NAMES, draft, frame)["intent"] for frame in range(10)}) == 10


@pytest.mark.full
def test_sites_are_large_and_reset_in_a_moment():
    forum, forge, tracker = build_forum(), build_forge(), build_tracker()
    posts = sum(forum.store.value(f"SELECT count(*) FROM {table}") for table in ("posts", "replies"))
    assert (posts, forge.store.value("SELECT count(*) FROM projects")) == (20_000, 200)
    assert tracker.store.value("SELECT count(*) FROM tickets") == 8_000
    taken = []
    for _ in range(5):
        begin = time.perf_counter()
        build_forum(), build_forge(), build_tracker()
        taken.append(time.perf_counter() - begin)
    assert min(taken) < 0.15  # three sites, 50 ms each
    asked = Request("POST", "http://forum.test/submit", {"cookie": f"session={session_of('plainwalnut')}"},
                    b"board=coffee&title=Only+here&body=x&flair=Guide")  # fmt: skip
    assert forum.respond(asked).status == 303
    assert forum.store.value("SELECT count(*) FROM posts WHERE title = 'Only here'") == 1
    assert build_forum().store.value("SELECT count(*) FROM posts WHERE title = 'Only here'") == 0
    assert len(forum.state()["posts"]) == 4001


@pytest.mark.parametrize(
    ("path", "body", "cookie", "status", "words"),
    [
        ("/", b"", "", 200, "Sign in"),
        ("/b/none", b"", "", 404, "There is no board here"),
        ("/submit", b"board=coffee&title=Hello", "", 303, ""),
        ("/submit", b"board=coffee&title=He&flair=Help", "plainwalnut", 422, "A title has 3 to 200 characters."),
        ("/b/coffee/queue", b"", "plainwalnut.forged", 403, "Only moderators"),
        ("/search?q=%25%27", b"", "", 200, "0 posts found"),
        ("/sign-in", b"name=plainwalnut&password=wrong", "", 422, "wrong"),
    ],
)
def test_the_forum_says_what_is_wrong(path, body, cookie, status, words):
    cookie = session_of(cookie) if cookie and "." not in cookie else cookie
    request = Request("POST" if body else "GET", f"http://forum.test{path}", {"cookie": f"session={cookie}"}, body)
    answer = build_forum().respond(request)
    assert answer.status == status
    assert words in answer.body.decode()


def test_text_of_visitors_is_shown_as_text():
    site = build_forge()
    cookie = {"cookie": f"session={session_of('walnut')}"}
    site.respond(Request("POST", "http://forge.test/profile", cookie, b"about=%3Cscript%3E1%3C%2Fscript%3E"))
    page = site.respond(Request("GET", "http://forge.test/u/walnut", cookie)).body.decode()
    assert "&lt;script&gt;1" in page
    assert "<script>" not in page


def test_a_plan_goes_on_where_it_was_left_and_begins_again_elsewhere():
    plan = [["goto", "a"], ["click", "b"], ["stop", ""]]
    assert next_step(plan, []) == plan[0]
    assert next_step(plan, [["scroll", ""], ["goto", "a"]]) == plan[1]
    assert next_step(plan, [["goto", "a"], ["click", "b"]]) == plan[2]
    assert next_step(plan, [["goto", "a"], ["scroll", ""]]) == plan[0]


@pytest.fixture(scope="module")
def suite():
    env = WebSuiteEnv()
    yield env
    env.close()


def played(env, spec):
    env.reset(seed=0, options={"task": spec})
    while not env.ended:
        *_, info = env.step(env.oracle_action())
        assert info["action_valid"], info["error"]
    return info["success"]


@needs_browser
@pytest.mark.parametrize("number", [0, 46, NAMES.index("tracker_tasks.report")])
def test_an_oracle_does_it_and_stopping_at_once_does_not(suite, number):
    assert played(suite, task(number))
    suite.reset(seed=0, options={"task": task(number)})
    assert not suite.step("stop")[4]["success"]


@needs_browser
@pytest.mark.full
@pytest.mark.parametrize("number", range(len(TEMPLATES)))
def test_every_template_can_be_done_and_is_not_done_at_once(suite, number):
    for seed in range(1, 4):
        assert played(suite, task(number, seed))
        for word in ("stop", "infeasible [cannot be done]"):
            suite.reset(seed=0, options={"task": task(number, seed)})
            assert not suite.step(word)[4]["success"]
