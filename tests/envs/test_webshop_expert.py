"""The shopping expert: that it wins, and that it does so by searching and reading alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import agentgym  # noqa: F401  registers the environments
from agentgym.envs.web._shop.expert import Shopper
from agentgym.envs.web._shop.pages import SUB_PAGES
from agentgym.envs.web._shop.products import Product
from agentgym.envs.web._shop.wish import read_wish, stem, terms
from agentgym.envs.web.webshop import State, WebShopEnv, generated_catalog

SAMPLE = 150  # train goals; the card says what it scores on whole panels
SHOWN_BY = {
    "row": {"asin", "title", "price_text"},
    "item": {"asin", "title", "price_text", "options", "rating"},
    "description": {"description"},
    "features": {"bullets"},
    "reviews": {"reviews"},
    "attributes": {"attributes"},
}


class ShownProduct:
    """A product of which only the fields on the pages read can be had."""

    def __init__(self, product: Product, read: tuple[str, ...]) -> None:
        self._product = product
        self._fields = set().union(*(SHOWN_BY[page] for page in read))

    def __getattr__(self, name: str) -> Any:
        if name not in self._fields:
            raise AssertionError(f"the expert took {name!r} of {self._product.asin}, which no page has shown")
        return getattr(self._product, name)


class ShownCatalog:
    """A catalogue that knows what the agent has read, and cannot be searched."""

    def __init__(self, state: State) -> None:
        self._catalog, self._read = generated_catalog(), state.read

    def position(self, asin: str) -> int | None:
        return self._catalog.position(asin)

    def get(self, position: int) -> ShownProduct:
        product = self._catalog.get(position)
        return ShownProduct(product, self._read.get(product.asin, ()))


@pytest.fixture(scope="module")
def shop() -> Iterator[WebShopEnv]:
    env = gym.make("AgentGym/WebShop-v1")
    yield env.unwrapped
    env.close()


def begin(shop: WebShopEnv, task: int) -> None:
    shop.reset(seed=task, options={"task": task})


def chooses(shop: WebShopEnv) -> bool:
    """Whether the expert is about to choose the value of an option."""
    values = {value for row in shop._product().options.values() for value in row} if shop._state.page == "item" else ()
    return shop.expert_action()[6:-1] in values


def play(shop: WebShopEnv) -> tuple[float, int, list[Any]]:
    """Let the expert play to the end; the last reward, the number of turns, and the info of each."""
    infos = []
    reward = 0.0
    while not shop.ended:
        _, reward, _, _, info = shop.step(shop.expert_action())
        infos.append(info)
    return float(reward), len(infos), infos


def test_it_wins_most(shop: WebShopEnv) -> None:
    rewards = []
    for task in range(SAMPLE):
        begin(shop, task)
        reward, turns, infos = play(shop)
        assert all(info["action_valid"] for info in infos), task
        assert turns <= shop.max_turns
        assert shop._state.page == "done", f"task {task} ended without a purchase"
        rewards.append(reward)
    assert np.mean(np.array(rewards) == 1.0) >= 0.8
    assert np.mean(rewards) >= 0.92


def test_the_page_of_attributes_makes_it_no_worse() -> None:
    shop = gym.make("AgentGym/WebShop-v1", show_attributes=True).unwrapped
    rewards = []
    for task in range(60):
        begin(shop, task)
        rewards.append(play(shop)[0])
    assert np.mean(np.array(rewards) == 1.0) >= 0.75


def test_it_uses_only_what_the_pages_have_shown(shop: WebShopEnv) -> None:
    pages = set()
    for task in range(40):
        begin(shop, task)
        while not shop.ended:
            pages.add(shop._state.page)
            turns = shop.max_turns - shop.turn
            shown = ShownCatalog(shop._state)
            action = Shopper(shop.task_instruction, shown, shop._state, turns, SUB_PAGES[:2]).act()  # type: ignore[arg-type]
            assert action == shop.expert_action()
            shop.step(action)
    assert pages - {"description"} == {"start", "results", "item", "features"}


def test_the_guard_of_that_test_works() -> None:
    product = generated_catalog().get(0)
    row = ShownProduct(product, ("row",))
    assert row.title == product.title
    with pytest.raises(AssertionError, match="no page has shown"):
        _ = row.options
    with pytest.raises(AssertionError, match="no page has shown"):
        _ = ShownProduct(product, ("row", "item", "features")).attributes


def test_asking_it_changes_nothing_and_gives_the_same_again(shop: WebShopEnv) -> None:
    begin(shop, 7)
    while not shop.ended:
        before = deepcopy(shop._state)
        action = shop.expert_action()
        assert shop.expert_action() == action
        assert shop._state == before
        shop.step(action)


def test_from_wherever_chance_has_led_it_acts_validly_and_buys(shop: WebShopEnv) -> None:
    rng = np.random.default_rng(0)
    for task in range(40):
        begin(shop, task)
        for _ in range(int(rng.integers(1, 9))):
            if not shop.ended:
                clicks = [action for action in shop.admissible_actions() or [] if action != "click[buy now]"]
                words = shop.task_instruction.replace("[", " ").split()
                searches = [f"search[{words[int(rng.integers(len(words)))]}]", "search[qqqq]"]
                choices = clicks * 2 + searches
                shop.step(choices[int(rng.integers(len(choices)))])
        while not shop.ended:
            action = shop.expert_action()
            assert action.startswith("search[") or action in (shop.admissible_actions() or []), (task, action)
            *_, info = shop.step(action)
            assert info["action_valid"], (task, action)
        assert shop._state.page == "done", task


def test_out_of_turns_it_buys_rather_than_choose(shop: WebShopEnv) -> None:
    for task in range(SAMPLE):
        begin(shop, task)
        while not shop.ended and not chooses(shop):
            shop.step(shop.expert_action())
        if not shop.ended:
            break
    assert not shop.ended, "no task in which it chooses"
    assert Shopper(shop.task_instruction, shop.catalog, shop._state, 1, SUB_PAGES[:2]).act() == "click[buy now]"


@pytest.mark.parametrize(
    ("instruction", "cap"),
    [
        ("a shirt under $40", 40.0),
        ("a shirt, and price lower than 50.00 dollars", 50.0),
        ("i have 30 dollars to spend on a 20 inch lamp", 30.0),
        ("a pack of 2 mugs", float("inf")),
    ],
)
def test_the_cap_is_read(instruction: str, cap: float) -> None:
    assert read_wish(instruction).cap == cap


@pytest.mark.parametrize(
    ("instruction", "kind", "phrases", "words"),
    [
        (
            "im looking for a queen size bedspread set in the color redwood",
            ("size", "bedspread", "set"),
            {"queen size"},
            {"queen", "bedspread", "set", "redwood"},
        ),
        (
            "open toe, lightweight women's sandals which are made of ethylene vinyl, size 7",
            ("lightweight", "women", "sandal"),
            {"open toe", "ethylene vinyl"},
            {"open", "toe", "lightweight", "women", "sandal", "ethylene", "vinyl", "7"},
        ),
        (
            "my niece is visiting, so i need easy to use curling irons. we rent",
            ("easy", "curling", "iron"),
            {"easy to use", "curling iron"},
            {"easy", "use", "curling", "iron"},
        ),
        (
            "i need a pack of 4 black, mid century chair made out of solid wood",
            ("mid", "century", "chair"),
            {"mid century", "solid wood"},
            {"pack", "4", "black", "mid", "century", "chair", "solid", "wood"},
        ),
    ],
)
def test_a_wish_is_taken_apart(instruction: str, kind: tuple[str, ...], phrases: set[str], words: set[str]) -> None:
    wish = read_wish(instruction)
    assert wish.kind[-2:] == kind[-2:]
    assert phrases <= set(wish.phrases)
    assert set(wish.words) == words


def test_an_option_value_must_stand_in_the_wish_whole() -> None:
    wish = read_wish("a shirt in x-large, size: 8 ounce (pack of 3)")
    named = [value for value in ("X-Large", "large", "8 ounce (pack of 3)", "8 ounce (pack of 2)") if wish.names(value)]
    assert named == ["X-Large", "8 ounce (pack of 3)"]


def test_stems_and_terms() -> None:
    assert [stem(word) for word in ("brushes", "candies", "dress", "men's", "inches", "bus")] == [
        "brush", "candy", "dress", "men", "inch", "bus",
    ]  # fmt: skip
    assert {"easy to clean", "easy", "non slip"} <= terms("Easy-to-Clean, Non-Slip mats")


@pytest.mark.parametrize("instruction", ["?", "[ ]", "under $5", "the", "日本"])
def test_any_text_gives_a_search(instruction: str) -> None:
    state = State()
    action = Shopper(instruction, generated_catalog(), state, 15, SUB_PAGES).act()
    assert re.fullmatch(r"search\[[^\[\]]+\]", action)
