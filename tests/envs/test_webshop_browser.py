"""The shop as a web site: the same goals and rewards as in text, and a history that works."""

from __future__ import annotations

import numpy as np
import pytest

from agentgym.envs.web.webshop import WebShopEnv
from tests.envs.browsing import needs_browser, own

pytest.importorskip("starlette", reason="the package starlette is not installed: pip install starlette")
from agentgym.envs.web.webshop_browser import WebShopBrowserEnv

pytestmark = needs_browser


@pytest.fixture(scope="module")
def site():
    env = WebShopBrowserEnv(split="val")
    yield env
    env.close()


def in_text(index, actions):
    """Play words in the shop in text; its last answer."""
    env = WebShopEnv(split="val", max_turns=100)
    env.reset(seed=0, options={"task": index})
    told = None
    for action in actions:
        told = env.step(action)
    return told


@pytest.mark.full
@pytest.mark.parametrize("index", range(4))
@pytest.mark.parametrize("player", ["oracle", "expert", "hasty"])
def test_the_same_episode_pays_the_same_in_text_and_in_the_browser(site, index, player):
    site.reset(seed=0, options={"task": index})
    rng = np.random.default_rng([index, 5])
    said = []
    while not site.ended:
        site._stand()
        if player == "hasty" and site._shop._state.page == "item":
            word = "click[buy now]"
        elif player == "hasty" and site._shop._state.page == "results":
            on_page = [name for name, (kind, _) in site._shop._buttons().items() if kind == "product"]
            word = f"click[{on_page[int(rng.integers(len(on_page)))]}]"
        else:
            word = site._shop._expert() if player == "expert" else site._shop._oracle()
        action = site._in_browser(word)
        _, reward, terminated, _, info = site.step(action)
        if not action.startswith("fill") and not (word.startswith("search") and action.startswith("click")):
            said.append(word)
    _, wanted, ended, _, told = in_text(index, said)
    assert (reward, terminated, info["success"]) == (wanted, ended, told["success"])
    assert info["metrics"] == told["metrics"]
    bought = [event for event in info["events"] if event["type"] == "purchase"]
    assert bought == [event for event in told["events"] if event["type"] == "purchase"]


def test_going_back_in_the_browser_goes_back_in_the_shop(site):
    text, _ = site.reset(seed=0, options={"task": 1})
    site.step(f'fill [{own(text, "searchbox")}] "shirt"')
    first, *_ = site.step("press Enter")
    opened, *_ = site.step(f"click [{own(first, 'button')}]")
    assert "Search" in opened
    back, *_ = site.step("back")
    assert "Page: " in back
    site.step("forward")
    for _ in range(2):
        back, *_ = site.step("back")
    assert site.context.active.url.endswith("/visit/0")


def test_stopping_without_a_purchase_pays_nothing(site):
    site.reset(seed=0, options={"task": 2})
    _, reward, terminated, _, info = site.step("stop")
    assert (reward, terminated, info["success"]) == (0.0, True, False)


def test_forged_requests_do_no_harm(site):
    site.reset(seed=0, options={"task": 3})
    text, *_ = site.step("goto http://shop.test/visit/999")
    assert "no such page" in text
    text, _, terminated, _, info = site.step("goto http://shop.test/visit/0")
    assert not terminated
    assert info["failure"] == ""
    forged = "fetch('/visit/0',{method:'POST',body:new URLSearchParams({click:'buy now'})}).then(r=>r.url)"
    assert site.context.active.evaluate_in_page(forged).endswith("/visit/0")
    assert not site.step("wait")[2]
