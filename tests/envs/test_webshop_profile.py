"""The shop for somebody: profiles, results in their order, and a budget of actions."""

from __future__ import annotations

import pytest

from agentgym.core.errors import ConfigError
from agentgym.envs.web._shop.profile import drawn_profile
from agentgym.envs.web.webshop import WebShopEnv, generated_catalog


def found(env: WebShopEnv, words: str) -> list[int]:
    env.reset(seed=1)
    env.step(f"search[{words}]")
    return list(env._state.found)


def brand_of(position: int) -> str:
    return generated_catalog().get(position).brand


def test_the_same_query_ranks_differently_for_each_profile() -> None:
    plain = found(WebShopEnv(), "running shoes")
    last = plain[-1]
    loyal = WebShopEnv(profile={"brands": [brand_of(last)]}, rerank=True)
    mine = found(loyal, "running shoes")
    assert sorted(mine) == sorted(plain)
    assert mine != plain
    assert mine.index(last) < plain.index(last)
    cheap, dear = (found(WebShopEnv(profile={"spends": sum_}, rerank=True), "running shoes") for sum_ in (5, 400))
    price = generated_catalog().get
    first = [sum(price(each).price for each in order[:10]) for order in (cheap, dear)]
    assert first[0] < first[1]
    bought = WebShopEnv(profile={"bought": [price(plain[30]).asin]}, rerank=True)
    assert found(bought, "running shoes").index(plain[30]) < 30
    assert found(WebShopEnv(profile="drawn"), "running shoes") == plain, "a profile alone reorders nothing"


def test_who_shops_is_told_at_the_start_and_drawn_for_each_goal() -> None:
    env = WebShopEnv(profile="drawn", rerank=True, split="val")
    text, _ = env.reset(seed=0)
    assert text.startswith("Shopper: bought before: ")
    assert "usually spends about" in text
    again, _ = WebShopEnv(profile="drawn", rerank=True, split="val").reset(seed=0)
    assert again == text
    others = {env.reset(seed=seed)[0].split("\n")[0] for seed in range(6)}
    assert len(others) > 1
    assert not env.step("search[shoes]")[0].startswith("Shopper")
    goal = env._goal
    told = drawn_profile(goal.asin, env.catalog)
    assert goal.asin not in {product.asin for product in told.bought}, "what is sought is not told"


@pytest.mark.full
def test_the_oracle_buys_in_any_order_and_within_a_budget() -> None:
    env = WebShopEnv(profile="drawn", rerank=True, budget=12, split="val")
    for seed in range(30):
        env.reset(seed=seed)
        spent = 0.0
        while not env.ended:
            _, _, _, _, info = env.step(env.oracle_action())
            spent += info["costs"]["cost"]
        assert info["success"]
        assert spent == env._state.paid <= 12


def test_actions_are_paid_from_the_budget_and_what_is_too_dear_is_refused() -> None:
    env = WebShopEnv(budget=4)
    text, info = env.reset(seed=3)
    assert "Budget: 4 of 4 is left." in text
    assert info["costs"] == {"cost": 0.0}
    text, *_, info = env.step("search[shirt]")
    assert "Budget: 2 of 4 is left." in text
    assert info["costs"] == {"cost": 2.0}
    env.step("think[which one?]")
    asin = next(name for name, (kind, _) in env._buttons().items() if kind == "product")
    text, _, _, _, info = env.step(f"click[{asin}]")
    assert "Budget: 1 of 4 is left." in text
    before = env._key_state()
    text, _, _, _, info = env.step("search[hat]")
    assert info["error"] == "This costs 2, and 1 of the budget is left."
    assert env._key_state() == before
    *_, truncated, info = env.step("click[features]")
    assert truncated, "the way back to where it can be bought is not paid"
    assert not info["error"]


def test_an_episode_ends_when_nothing_can_be_bought_any_more() -> None:
    env = WebShopEnv(budget=5)
    env.reset(seed=3)
    env.step("search[shirt]")
    *_, ended, truncated, info = env.step("click[back to search]")
    assert truncated, "2 are left: a search, and nothing for a product of its results"
    assert not ended
    env = WebShopEnv(budget=3)
    env.reset(seed=3)
    *_, truncated, info = env.step("search[qqqq]")
    assert truncated, "1 is left, and no product was found to spend it on"
    env = WebShopEnv(budget=3)
    env.reset(seed=3)
    *_, ended, truncated, info = env.step("search[shirt]")
    assert not truncated
    asin = next(name for name, (kind, _) in env._buttons().items() if kind == "product")
    *_, ended, truncated, info = env.step(f"click[{asin}]")
    assert not ended
    assert not truncated, "it can still be bought"
    *_, ended, truncated, info = env.step("click[buy now]")
    assert ended
    assert info["costs"] == {"cost": 0.0}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rerank": True}, "give a profile"),
        ({"profile": "somebody"}, "profile is 'drawn' or a mapping"),
        ({"profile": {"age": 7}}, "profile is 'drawn' or a mapping"),
        ({"profile": {"brands": "Acme"}}, "list of texts"),
        ({"profile": {"spends": -1}}, "number of dollars"),
        ({"profile": {"bought": ["NOSUCH"]}}, "no product 'NOSUCH'"),
        ({"budget": 0}, "budget"),
        ({"budget": 2}, "budget"),
    ],
)
def test_what_is_no_profile_is_refused_in_one_line(given, words) -> None:
    with pytest.raises(ConfigError, match=words):
        WebShopEnv(**given)
