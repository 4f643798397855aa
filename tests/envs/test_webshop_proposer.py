"""Goals that a visitor of the shop makes up, and a judge that reads the pages: in text and in the browser."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.core.errors import ConfigError
from agentgym.core.task_request import specified_task
from agentgym.envs.web._shop.proposer import Seen as SeenProduct
from agentgym.envs.web._shop.proposer import ShopProposer, facts_of, phrased
from agentgym.envs.web._shop.window import Item, item, named, passages, rows, strings
from agentgym.envs.web.webshop import WebShopEnv, shop_judge, shop_proposer
from agentgym.wrappers import JudgeReward, WithholdReward
from tests.envs.browsing import needs_browser

JUDGE = "agentgym.envs.web.webshop:shop_judge"
LINES = (
    "Before you buy, read on, for versions vary: standing all day, wide width, knit mesh, rubber sole.",
    "PULL TAB: Pull tab at the back, so no crushed heels.",
    "Layers of cushioning take the ache out of standing all day.",
    "These running shoes have a wide width.",
    "Rubber Sole? Not this one.",
    "Has the look of it, but is not knit mesh.",
)
PAGE = Item("Elry Men's Running Shoes, Pull Tab", "$36.99", {"size": ("11.5", "11")})


def proposals(world: Any, seed: int, **options: Any) -> list[Any]:
    return list(ShopProposer(**options).propose(world, np.random.default_rng(seed), []))


def test_goals_are_of_products_that_were_read_and_the_shop_takes_them() -> None:
    world = WebShopEnv(split="train")
    found = [goal for seed in range(4) for goal in proposals(world, seed)]
    assert len(found) > 20
    kept = 0
    for goal in found:
        task = specified_task(world, goal)
        product = world.catalog.get(world.catalog.position(goal["asin"]))
        assert product.price < goal["price_upper"] <= product.price + 20
        assert all(words in task.instruction for words in (*goal["attributes"], *goal["options"].values()))
        kept += set(goal["attributes"]) <= set(product.attributes)
    assert 0.8 * len(found) < kept, "mostly what the pages say is what the shop has on record"
    assert len({goal["instruction"].split()[0:3].__str__() for goal in found}) > 6, "in many phrasings"


def test_no_goal_of_the_shop_is_read() -> None:
    """Episodes begin with other tasks of the panel, and what is proposed is the same."""

    class Elsewhere(WebShopEnv):
        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            return super().reset(seed=seed, options={"task": 77})

    here, there = (proposals(kind(split="train"), 5) for kind in (WebShopEnv, Elsewhere))
    assert here
    assert here == there
    with pytest.raises(ConfigError, match="is no shop"):
        proposals(agentgym.make("TextCraft-v1").unwrapped, 0)
    with pytest.raises(ConfigError, match="must be at least 1"):
        shop_proposer(searches=0)


def test_facts_are_what_a_page_lists_and_nowhere_denies() -> None:
    assert facts_of(SeenProduct("B0", PAGE, LINES, ())) == ["standing all day", "wide width"]
    headed = (*LINES[1:3], "REFLECTIVE HEEL: Reflective heel tab for runs after dark.")
    assert facts_of(SeenProduct("B0", PAGE, headed, ())) == ["reflective heel"], "headings, where nothing is contested"
    assert facts_of(SeenProduct("B0", PAGE, LINES, ("Arch Support",))) == ["arch support"]
    words = {phrased("running shoes", ["wide width"], {"size": "11"}, 40, np.random.default_rng(n)) for n in range(200)}
    assert len(words) > 100
    assert all("wide width" in each and "11" in each and "40" in each for each in words)


@pytest.mark.parametrize("mode", ["text", "text_rich"])
def test_pages_are_read_as_they_are_shown(mode: str) -> None:
    world = WebShopEnv(split="train", observation_mode=mode)
    world.reset(seed=0)
    shown = rows(strings(world.step("search[running shoes]")[0]))
    assert len(shown) == 10
    product = world.catalog.get(world.catalog.position(shown[3][0]))
    assert shown[3] == (product.asin, product.title, product.price_text)
    text = world.step(f"click[{product.asin}]")[0]
    page = item(strings(text))
    assert page is not None
    assert (page.title, page.price, page.options) == (product.title, product.price_text, dict(product.options))
    assert named(text, "click[Buy Now]") == "Buy Now"
    lines = passages(strings(world.step("click[features]")[0]))
    assert lines == list(product.bullets)
    assert item(lines) is None


def graded(env: Any, goal: Any, *skipped: str) -> tuple[float, bool]:
    """What the judge gives the oracle, which reads the features first, but for clicks on these; and the truth."""
    env.reset(seed=0, options={"task": goal})
    product = env.unwrapped.catalog.get(env.unwrapped.catalog.position(goal["asin"]))
    actions = [f"search[{product.title}]", f"click[{product.asin}]", "click[features]", "click[< prev]"]
    actions += [f"click[{value}]" for value in goal["options"].values()]
    for action in [*(each for each in actions if each not in skipped), "click[buy now]"]:
        _, reward, _, _, info = env.step(action)
    assert info["reward_terms"]["withheld"] == -info["reward_terms"]["world"]
    return reward, info["success"]


def test_the_judge_sees_what_was_bought_and_not_the_score() -> None:
    world = WebShopEnv(split="train")
    goals = [goal for seed in range(3) for goal in proposals(world, seed, option=1.0) if goal["options"]]
    env = JudgeReward(WithholdReward(agentgym.make("WebShop-v1", split="train")), model=JUDGE, last=60, ending=False)
    found = [graded(env, goal) for goal in goals]
    assert sum((reward >= 0.5) == success for reward, success in found) > 0.8 * len(found)
    assert sum(reward == 1 for reward, _ in found) > 0.8 * len(found)
    told = env._asked(True)[-1]["content"]
    assert "Your score" not in told
    first = goals[0]
    value = next(iter(first["options"].values()))
    reward, success = graded(env, first, f"click[{value}]")
    assert reward < 0.5
    assert not success
    reward, _ = graded(env, first, "click[features]")
    assert reward < 0.5, "what nobody has read is no evidence"
    reward, _ = graded(env, {**first, "price_upper": 1.0, "instruction": first["instruction"] + ", under $1"})
    assert reward < 0.5
    assert shop_judge().complete(env._asked(False)).text.endswith("Score: 0")


@needs_browser
@pytest.mark.full
def test_in_the_browser_the_same_goals_come_of_the_same_pages() -> None:
    pytest.importorskip("starlette", reason="the package starlette is not installed: pip install starlette")
    site: Any = agentgym.make("WebShopBrowser-v1", split="train")
    text = WebShopEnv(split="train", max_turns=40)
    options = {"searches": 1, "products": 2}
    found = proposals(site.unwrapped, 2, **options)
    assert found == proposals(text, 2, **options)
    assert found
    env = JudgeReward(WithholdReward(site), model=JUDGE, last=60, ending=False)
    env.reset(seed=0, options={"task": found[0]})
    while not env.ended:
        _, reward, _, _, info = env.step(env.expert_action())
    assert info["judge"]["asked"] == 1
    assert info["success"]
    assert reward > 0, "it has seen a purchase"
    site.close()
