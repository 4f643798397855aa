"""Goals over families: what tells a product from its siblings, and what players earn who do not shop."""

from __future__ import annotations

import numpy as np
import pytest

import agentgym
from agentgym.assets.webshop import FAMILY
from agentgym.core.errors import TaskError, UnknownName
from agentgym.core.rng import task_generator
from agentgym.envs.web._shop.contest import FAMILIES, FOUND_WITHIN, draw_goal, keywords
from agentgym.envs.web._shop.kinds import is_of_kind
from agentgym.envs.web._shop.reward import score
from agentgym.envs.web._shop.wish import plain
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
        assert catalog.position(spec["asin"]) in catalog.search(keywords(spec["instruction"]), FOUND_WITHIN)


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


def test_no_product_of_another_kind_or_maker_meets_a_goal_in_full(shop) -> None:
    catalog = generated_catalog()
    listing: dict[str, set[int]] = {}
    for position in range(len(catalog)):
        for attribute in catalog.get(position).attributes:
            listing.setdefault(attribute, set()).add(position)
    makers = met_elsewhere = 0
    panel = shop.tasks("test")
    for place in range(0, len(panel), 3):
        goal = shop._goal_of(panel[place].spec)
        own = catalog.get(catalog.position(goal.asin))
        named = f" {plain(own.brand)} " in f" {plain(goal.instruction)} "
        assert goal.brand == (own.brand if named else ""), goal.instruction
        makers += named
        for position in sorted(set.intersection(*(listing[attribute] for attribute in goal.attributes))):
            product = catalog.get(position)
            if score(product, goal, dict(goal.options)).total == 1.0 and product.asin != goal.asin:
                met_elsewhere += 1
                assert product.query == own.query or is_of_kind(product, goal), (goal.instruction, product.title)
                assert product.brand == own.brand or not named, (goal.instruction, product.title)
    assert makers > 3
    assert met_elsewhere > 20, "a product of the same kind that has all that is asked for is as good"


def test_a_task_names_the_maker_of_its_product_or_none(shop) -> None:
    spec = dict(shop.tasks("test")[0].spec)
    own = generated_catalog().get(generated_catalog().position(spec["asin"]))
    shop.check_task({**spec, "brand": own.brand})
    with pytest.raises(TaskError, match="is made by"):
        shop.check_task({**spec, "brand": "Nobody"})
