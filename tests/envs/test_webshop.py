"""The shop played page by page: where each action leads, what is refused, what a purchase pays; both ids."""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.assets.webshop.fixture import published_files
from agentgym.core.errors import ConfigError, DataError, TaskError, UnknownName

SHOP = "AgentGym/WebShop-v1"
ORIGINAL = "AgentGym/WebShopOriginal-v0"


@pytest.fixture
def shop():
    env = gym.make(SHOP, split="val")
    env.reset(seed=0, options={"task": 0})
    return env


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return published_files(tmp_path_factory.mktemp("published"))


def play(env: gym.Env, *actions: str) -> tuple:
    for action in actions:
        answer = env.step(action)
    return answer


def on_item(env: gym.Env) -> str:
    """Open the first product of a search; its id."""
    play(env, "search[cotton shirt]")
    asin = env.unwrapped.catalog.get(env.unwrapped._state.found[0]).asin
    play(env, f"click[{asin}]")
    return asin


@pytest.mark.parametrize(
    "thought",
    ["think[The first one fits.]", "think[I should say click[buy now]]", "Action: think[So be it]", "Think[cut off"],
)
def test_a_thought_is_answered_ok_and_changes_nothing_but_the_turn(shop, thought) -> None:
    on_item(shop)
    world = shop.unwrapped
    before, clicks, turn = world.state_key(), world.admissible_actions(), world.turn
    text, reward, terminated, truncated, info = shop.step(thought)
    assert (text, reward, terminated, truncated, info["action_valid"]) == ("OK.", 0.0, False, False, True)
    assert info["events"] == []
    assert (world.state_key(), world.admissible_actions(), world.turn) == (before, clicks, turn + 1)
    assert "think[<thought>] is answered OK." in world.manual


@pytest.mark.parametrize("action", ["think", "think[]", "think: so", "think[so]\nclick[< prev]"])
def test_what_is_no_line_of_thought_is_read_as_before(shop, action) -> None:
    on_item(shop)
    assert shop.step(action)[0] != "OK."


def test_pages_lead_where_the_published_shop_leads(shop) -> None:
    state = shop.unwrapped._state
    asin = on_item(shop)
    assert state.page == "item"
    assert play(shop, "click[Description]")[4]["action_valid"]
    assert state.page == "description"
    play(shop, "click[< prev]", "click[features]", "click[< Prev]", "click[reviews]", "click[< prev]")
    assert state.page == "item"
    play(shop, "click[< prev]")
    assert (state.page, state.number) == ("results", 1)
    play(shop, "click[Next >]", "click[next >]")
    assert state.number == 3
    assert "Page 3 (Total results: 50) [SEP] < Prev [SEP] Next >" in play(shop, "click[< prev]", "click[next >]")[0]
    observation = play(shop, "click[back to search]")[0]
    assert observation.startswith("WebShop [SEP] Instruction: [SEP] ")
    assert (state.page, state.found, state.visited) == ("start", [], [asin])


def test_the_last_page_of_results_has_no_next(shop) -> None:
    observation = play(shop, "search[cotton shirt]", *["click[next >]"] * 4)[0]
    assert "Page 5 (Total results: 50)" in observation
    assert "Next >" not in observation
    assert not play(shop, "click[next >]")[4]["action_valid"]


def test_a_search_works_on_every_page_and_clears_the_product(shop) -> None:
    on_item(shop)
    play(shop, "click[description]")
    play(shop, "SEARCH[  Wireless   Mouse ]")
    state = shop.unwrapped._state
    assert (state.page, state.query, state.product, state.chosen) == ("results", "wireless mouse", -1, {})


def test_options_overwrite_and_are_forgotten_with_the_product(shop) -> None:
    world = shop.unwrapped
    goal = world._goal
    play(shop, world.oracle_action())
    play(shop, world.oracle_action())
    name, values = next((name, values) for name, values in world._product().options.items() if len(values) > 1)
    play(shop, f"click[{values[0]}]", f"click[{values[1].upper()}]")
    assert world._state.chosen == {name: values[1]}
    play(shop, "click[< prev]", f"click[{goal.asin}]")
    assert world._state.chosen == {}


def test_a_purchase_ends_the_episode_and_tells_its_terms(shop) -> None:
    world = shop.unwrapped
    while not world.ended:
        before = world._state.page
        observation, reward, terminated, truncated, info = shop.step(world.oracle_action())
    assert before == "item"
    assert (reward, terminated, truncated, info["success"], info["progress"]) == (1.0, True, False, True, 1.0)
    assert info["metrics"] == {"r_type": 1.0, "r_att": 1.0, "r_option": 1.0, "r_price": 1.0}
    (purchase,) = info["events"]
    assert (purchase["type"], purchase["asin"]) == ("purchase", world._goal.asin)
    assert "1.0" in observation
    assert world.task.instruction not in observation


def test_a_wrong_purchase_pays_part_and_is_no_success(shop) -> None:
    on_item(shop)
    _, reward, terminated, _, info = play(shop, "click[buy now]")
    assert terminated
    assert not info["success"]
    assert reward == info["progress"] < 1.0


@pytest.mark.parametrize(
    "action", ["click[buy now]", "click[description]", "search[]", "search", "buy now", "click[search]", "click[]"]
)
def test_what_the_page_does_not_offer_is_refused_with_the_page(shop, action: str) -> None:
    first = shop.unwrapped._view()
    observation, reward, _, _, info = shop.step(action)
    assert not info["action_valid"]
    assert reward == 0.0
    assert info["error"] in observation
    assert observation.endswith(first)


def test_the_turn_limit_is_thirty(shop) -> None:
    for turn in range(30):
        _, _, terminated, truncated, _ = shop.step("search[lamp]")
        assert (terminated, truncated) == (False, turn == 29)


@pytest.mark.parametrize("mode", ["text", "text_rich", "html"])
def test_modes_show_the_same_shop(mode: str) -> None:
    plain, other = (gym.make(SHOP, split="val", observation_mode=each) for each in ("text", mode))
    for env in (plain, other):
        env.reset(seed=1, options={"task": 5})
    rng = np.random.default_rng(0)
    while not plain.unwrapped.ended:
        action = plain.unwrapped.sample_action(rng)
        one, two = plain.step(action), other.step(action)
        assert one[1:] == two[1:]
        assert plain.unwrapped.state_key() == other.unwrapped.state_key()


def test_attributes_have_a_page_where_asked_for() -> None:
    env = gym.make(SHOP, split="val", show_attributes=True)
    env.reset(options={"task": 0})
    on_item(env)
    observation, *_, info = env.step("click[attributes]")
    assert info["action_valid"]
    assert all(attribute in observation for attribute in env.unwrapped._product().attributes)


def test_a_specification_is_played_and_a_bad_one_refused() -> None:
    env = gym.make(SHOP)
    spec = dict(env.unwrapped.tasks("train")[7].spec)
    _, info = env.reset(options={"task": spec})
    assert info["split"] == "custom"
    assert info["instruction"] == spec["instruction"]
    for wrong in ({"asin": "B000000000"}, {"options": {"color": "octarine"}}, {"attributes": []}, {"price_upper": -1}):
        with pytest.raises(TaskError):
            env.reset(options={"task": spec | wrong})


def test_no_product_and_no_family_is_in_two_splits() -> None:
    world = gym.make(SHOP).unwrapped
    families = {split: {family_of(world, task) for task in world.tasks(split)} for split in ("val", "test")}
    rng = np.random.default_rng(0)
    families["train"] = {family_of(world, world.tasks("train").draw(rng)) for _ in range(500)}
    assert len(set.union(*families.values())) == sum(map(len, families.values()))
    assert min(map(len, families.values())) > 70


def family_of(world, task) -> int:
    return world.catalog.position(task.spec["asin"]) // 12


def test_wrong_arguments_are_refused_in_one_line() -> None:
    for wrong in ({"observation_mode": "braille"}, {"split": "exam"}, {"show_attributes": "yes"}, {"max_turns": 0}):
        with pytest.raises((UnknownName, ConfigError)) as error:
            gym.make(SHOP, **wrong)
        assert "\n" not in str(error.value)


def test_the_original_reads_the_published_files(files: dict[str, str]) -> None:
    env = agentgym.make(ORIGINAL, split="test", **files)
    world = env.unwrapped
    sizes = {split: len(world.tasks(split)) for split in ("train", "val", "test")}
    assert sizes == {"train": 240, "val": 30, "test": 30}
    keys = [{world.content_key(task.spec) for task in world.tasks(split)} for split in sizes]
    assert len(set.union(*keys)) == sum(map(len, keys))
    for index in range(30):
        env.reset(options={"task": index})
        while not world.ended:
            _, reward, _, _, info = env.step(world.oracle_action())
        assert (reward, info["success"]) == (1.0, True)


@pytest.mark.full
def test_the_original_makes_synthetic_goals_where_no_people_wrote_any(files: dict[str, str]) -> None:
    world = agentgym.make(ORIGINAL, products=files["products"], attributes=files["attributes"]).unwrapped
    assert len(world.tasks("test")) == 500
    assert len(world.tasks("val")) == 1000
    task = world.tasks("test")[0]
    assert task.instruction.startswith("Find me ")
    assert set(task.spec["options"]) == set(world.catalog.get(world.catalog.position(task.spec["asin"])).options)


def test_the_original_pays_by_the_published_reading(files: dict[str, str]) -> None:
    """There, a chosen `large` satisfies a wanted `x-large`; in the generated shop it does not."""
    original = agentgym.make(ORIGINAL, **files)
    catalog = original.unwrapped.catalog
    product = next(
        product
        for product in map(catalog.get, range(len(catalog)))
        if {"large", "x-large"} <= set(product.options.get("size", ()))
    )
    spec = {
        "asin": product.asin,
        "instruction": "one x-large please",
        "attributes": [product.attributes[0]],
        "options": {"size": "x-large"},
        "price_upper": 1000.0,
    }
    rewards = {}
    for env in (original, gym.make(SHOP)):
        env.reset(options={"task": spec})
        play(env, f"search[{product.title.replace('[', '').replace(']', '')}]", f"click[{product.asin}]")
        rewards[env.unwrapped.card.name] = play(env, "click[large]", "click[buy now]")[1]
    assert rewards == {"WebShopOriginal-v0": 1.0, "WebShop-v1": pytest.approx(2 / 3)}


def test_missing_and_corrupt_files_are_named(files: dict[str, str], tmp_path: Path) -> None:
    broken = tmp_path / "items.json"
    broken.write_text('[{"asin": "B0')
    for products in (tmp_path / "nothing.json", broken):
        with pytest.raises(DataError) as error:
            agentgym.make(ORIGINAL, products=products, attributes=files["attributes"])
        assert str(products) in str(error.value)
        assert "\n" not in str(error.value)
    with pytest.raises(ConfigError, match="must be the path"):
        agentgym.make(ORIGINAL, products=None, attributes=files["attributes"])


def test_a_goal_is_found_by_the_number_of_the_original(files) -> None:
    env = gym.make(ORIGINAL, **files)
    world = env.unwrapped
    for split, place in (("test", 3), ("val", 45), ("train", 299)):
        task = world.tasks(split).by_id(str(place))
        assert world.goal_at(place) == task.spec
        observation, info = env.reset(options={"task": world.goal_at(place)})
        assert f"[SEP] {task.instruction} [SEP]" in observation
        assert info["split"] == "custom"
    for place in (-1, 300, True, "3"):
        with pytest.raises(TaskError, match="goals 0 to 299"):
            world.goal_at(place)
