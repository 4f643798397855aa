"""Goals over families: what tells a product from its siblings, and what players earn who do not shop."""

from __future__ import annotations

import numpy as np
import pytest

import agentgym
from agentgym.assets.webshop import FAMILY
from agentgym.core.errors import UnknownName
from agentgym.core.rng import task_generator
from agentgym.envs.web._shop.contest import FAMILIES, draw_goal, keywords
from agentgym.envs.web.webshop import generated_catalog

GOALS = 120
NAMES = tuple(agentgym.card("WebShop-v1").shortcuts)


@pytest.fixture(scope="module")
def shop():
    env = agentgym.make("WebShop-v1", split="test").unwrapped
    yield env
    env.close()


@pytest.fixture(scope="module")
def goals() -> list:
    return [draw_goal(generated_catalog(), seed % FAMILIES, task_generator(seed, 0)) for seed in range(GOALS)]


def test_the_catalogue_has_as_many_families_as_there_are_goals_for() -> None:
    assert len(generated_catalog()) == FAMILIES * FAMILY


def siblings(spec) -> list:
    catalog = generated_catalog()
    first = catalog.position(spec["asin"]) // FAMILY * FAMILY
    return [catalog.get(position) for position in range(first, first + FAMILY)]


def test_one_affordable_sibling_has_all_that_is_asked_for(goals: list) -> None:
    for spec in goals:
        within = [product for product in siblings(spec) if product.price <= spec["price_upper"]]
        assert 5 <= len(within) <= 8
        fitting = [
            product.asin
            for product in within
            if set(spec["attributes"]) <= set(product.attributes)
            and all(value in product.options.get(name, ()) for name, value in spec["options"].items())
        ]
        assert fitting == [spec["asin"]]


def test_every_goal_has_a_price_and_asks_for_what_the_family_contests(goals: list) -> None:
    for spec in goals:
        assert spec["instruction"].endswith(f", and price lower than {spec['price_upper']:.2f} dollars")
        listed = [sum(name in product.attributes for product in siblings(spec)) for name in spec["attributes"]]
        assert any(0 < count < FAMILY for count in listed)


def test_the_place_among_affordable_siblings_tells_nothing(goals: list) -> None:
    places = []
    for spec in goals:
        within = sorted(
            (product.price, product.asin) for product in siblings(spec) if product.price <= spec["price_upper"]
        )
        places.append([asin for _, asin in within].index(spec["asin"]) / (len(within) - 1))
    assert abs(np.mean(places) - 0.5) < 0.12


def test_a_search_for_the_instruction_brings_up_the_product(goals: list) -> None:
    catalog = generated_catalog()
    for spec in goals:
        assert catalog.position(spec["asin"]) in catalog.search(keywords(spec["instruction"]), 2 * FAMILY)


@pytest.mark.parametrize("name", NAMES)
def test_a_shortcut_earns_little(shop, name: str) -> None:
    won = []
    for task in range(40):
        shop.reset(seed=task, options={"task": task * 12})
        while not shop.ended:
            *_, info = shop.step(shop.shortcut_action(name))
            assert info["action_valid"]
        won.append(info["success"])
    assert np.mean(won) <= 0.35  # of 40; the card states the whole panel, below its bound of 0.25


def test_a_memoriser_earns_what_chance_would_among_affordable_siblings(goals: list) -> None:
    chance = np.mean([1 / sum(one.price <= spec["price_upper"] for one in siblings(spec)) for spec in goals])
    card = agentgym.card("WebShop-v1")
    for split, size in (("val", 300), ("test", 500)):
        margin = 2.33 * np.sqrt(chance * (1 - chance) / size)  # exceeded by one of a hundred that guess
        assert card.scores[split]["shortcut:memory of train"].success <= chance + margin, split
    assert card.scores["test"]["shortcut:memory"].success <= chance, "the generic one, which says the actions again"


def test_an_unknown_shortcut_is_named(shop) -> None:
    shop.reset(options={"task": 0})
    with pytest.raises(UnknownName):
        shop.shortcut_action("luck")


def test_the_card_states_every_shortcut_below_its_bound() -> None:
    card = agentgym.card("WebShop-v1")
    for name in card.shortcuts:
        assert card.scores["test"][f"shortcut:{name}"].success <= card.shortcut_bound == 0.25
