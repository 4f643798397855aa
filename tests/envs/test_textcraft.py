"""TextCraft: the words of the original, the recipes shipped and published, plans, splits and probes."""

import re
from collections import Counter
from pathlib import Path

import gymnasium as gym
import pytest

from agentgym.assets import crafting
from agentgym.core import ConfigError, DataError, TaskError
from agentgym.envs._kit.recipe_book import FAR, RecipeBook
from agentgym.envs.text._textcraft.plan import Planner
from agentgym.envs.text._textcraft.published import open_book

PUBLISHED = Path(__file__).parents[2] / "../shared/data/textcraft/recipes.json"
FACTS = crafting.load_recipes()
BOOK = RecipeBook(FACTS.recipes, FACTS.tags)
published = pytest.mark.skipif(not PUBLISHED.exists(), reason=f"the published recipes are not at {PUBLISHED}")


def make(**kwargs):
    return gym.make("AgentGym/TextCraft-v1", **kwargs).unwrapped


def at(goal, draw=0, **kwargs):
    env = make(**kwargs)
    env.reset(seed=0, options={"task": {"goal": goal, "draw": draw}})
    return env


def said(env, *actions):
    return [env.step(action)[0] for action in actions]


def follow(env, agent):
    while not env.ended:
        _, reward, _, _, info = env.step(getattr(env, f"{agent}_action")())
    return reward, info["success"]


def test_a_whole_episode_in_the_words_of_the_original():
    env = at("stick")
    assert said(env, "inventory", "get 1 oak log", "craft 4 oak planks using 1 oak log", "inventory") == [
        "Inventory: You are not carrying anything.",
        "Got 1 oak log",
        "Crafted 4 minecraft:oak_planks",
        "Inventory: [oak planks] (4) ",
    ]
    text, reward, terminated, truncated, info = env.step("craft 4 stick using 2 oak planks")
    assert (text, reward, terminated, truncated) == ("Crafted 4 minecraft:stick", 1.0, True, False)
    assert info["success"]
    assert info["metrics"] == {"depth": 1.0}


@pytest.mark.parametrize(
    ("action", "answer"),
    [
        ("get 1 stick", "Could not find stick"),
        ("get 1 planks", "Could not find planks"),
        ("get 1 unobtainium", "Could not find unobtainium"),
        ("craft 1 torch using 1 coal, 1 stick", "Could not find enough items to craft minecraft:torch"),
        ("craft 4 oak planks using 2 oak log", "Could not find a valid recipe for minecraft:oak_planks"),
        ("craft 4 planks using 1 oak log", "Could not find a valid recipe for minecraft:planks"),
        ("craft 4 oak planks using oak log", "Wrong item format: oak log"),
        ("craft stick from 2 planks", "Could not extract recipe from craft stick from 2 planks"),
        ("get oak log", "Could not execute get oak log"),
        ("get 0 oak log", "Could not execute get 0 oak log"),
        ("dance", "Could not execute dance"),
    ],
)
def test_refusals_change_nothing(action, answer):
    env = at("torch")
    env.step("get 5 oak log")
    before = env.snapshot().digest(turn=False)
    text, reward, _, _, info = env.step(action)
    assert text == answer or text.startswith(f"{answer}. Actions: ")
    assert (reward, info["action_valid"], info["error"]) == (0.0, False, text)
    assert env.snapshot().digest(turn=False) == before


@pytest.mark.parametrize("thought", ["think: I need planks.", "> think: craft stick using 2 planks", "Think: a: b"])
def test_a_thought_is_answered_ok_and_changes_nothing_but_the_turn(thought):
    env = at("torch")
    env.step("get 5 oak log")
    before, turn = env.state_key(), env.turn
    text, reward, terminated, truncated, info = env.step(thought)
    assert (text, reward, terminated, truncated, info["action_valid"]) == ("OK.", 0.0, False, False, True)
    assert info["metrics"] == {"depth": 2.0}
    assert (env.state_key(), env.turn) == (before, turn + 1)
    assert "think: <thought> is answered OK." in env.manual
    assert said(env, "think")[0] != "OK."
    assert env.step("inventory: ")[0] == "Inventory: [oak log] (5) "


def test_any_item_of_a_kind_serves_but_one_item_serves_alone():
    env = at("chest")
    said(env, "get 2 oak log", "get 2 birch log")
    said(env, *["craft oak planks using 1 oak log"] * 2, *["craft birch planks using 1 birch log"] * 2)
    assert said(env, "craft chest using 4 oak planks, 4 birch planks") == [
        "Could not find a valid recipe for minecraft:chest"
    ]
    assert said(env, "CRAFT 99 minecraft:chest using 8 Birch_Planks") == ["Crafted 1 minecraft:chest"]


def test_the_commands_hold_the_goals_tree_and_at_most_the_distractors_asked_for():
    tree = {recipe.product for recipe in BOOK.tree("torch")}
    shown = {}
    for count in (0, 10, 30):
        text, _ = make(distractors=count, decoys=0).reset(seed=0, options={"task": {"goal": "torch", "draw": 3}})
        lines = text.partition("\n\nGoal: craft torch.")[0].splitlines()[1:]
        shown[count] = lines
        assert len(lines) == len(BOOK.tree("torch")) + count
        assert tree <= {line.split(" using ")[0].split(" ", 2)[2].replace(" ", "_") for line in lines}
    again, _ = make(decoys=0).reset(seed=9, options={"task": {"goal": "torch", "draw": 3}})
    other, _ = make(decoys=0).reset(seed=9, options={"task": {"goal": "torch", "draw": 4}})
    assert "\n".join(shown[10]) in again
    assert set(other.splitlines()) != set(again.splitlines())


def circles_of(env):
    """The circles that are shown, each from the command that ends it to the one that begins it."""
    loops = {recipe.product: recipe for recipe in env._scene.circles if recipe.product in env._scene.between}
    for end in env._scene.circles:
        if end.product not in env._scene.between:
            way = [end]
            while way[-1].needs[0][0] != end.product:
                way.append(loops[way[-1].needs[0][0]])
            yield way


@pytest.mark.parametrize("goal", ["torch", "chest", "spruce_door", "mud_brick_slab", "lectern"])
def test_circles_end_in_the_goal_and_nothing_is_gained_by_one(goal):
    env = at(goal)
    text, _ = env.reset(seed=0, options={"task": env.task.spec})
    found = list(circles_of(env))
    assert [way[0].product for way in found].count(goal) == 3
    assert {way[0].product for way in found} <= {recipe.product for recipe in BOOK.tree(goal)}
    for way in found:
        assert len(way) in (2, 3)
        spent = way[0].needs[0][1] * way[-1].needs[0][1]
        assert way[0].count <= spent
        for recipe in way:
            assert sum(count for _, count in recipe.needs) <= 9
            assert f"{command_of(recipe)}\n" in text
    assert env._scene.between.isdisjoint(BOOK.gatherable)


def command_of(recipe):
    needs = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in recipe.needs)
    return f"craft {recipe.count} {recipe.product.replace('_', ' ')} using {needs}"


def test_a_circle_can_be_followed_and_what_stands_in_it_is_made_in_no_other_way():
    env = at("chest")
    *_, begin = next(way for way in circles_of(env) if way[0].product != "chest")
    other = begin.product.replace("_", " ")
    assert said(env, f"get 1 {other}") == [f"Could not find {other}"]
    env._state.carried = {begin.needs[0][0]: 64}
    assert said(env, command_of(begin)) == [f"Crafted 1 minecraft:{begin.product}"]
    uses = Planner(BOOK).plan(begin.product, {}).craft[-1][1]
    env._state.carried = dict(uses)
    known = f"craft {other} using {', '.join(f'{count} {name}' for name, count in uses)}"
    assert said(env, known) == [f"Could not find a valid recipe for minecraft:{begin.product}"]
    plain = at("chest", decoys=0)
    plain._state.carried = dict(uses)
    assert said(plain, known)[0].startswith("Crafted ")


def test_the_expert_leaves_aside_circles_and_nothing_else():
    """Sticks are made of planks, although bamboo takes fewer kinds of things: seven by pairs cost more commands."""
    for goal in ("ladder", "chest", "lectern"):
        env, plain = at(goal), at(goal, decoys=0)
        kept = {(recipe.product, recipe.needs) for recipe in env._scene.reading.book.recipes}
        assert {(recipe.product, recipe.needs) for recipe in plain._scene.shown} <= kept
        ends = {(way[0].product, way[0].needs) for way in circles_of(env)}
        assert kept.isdisjoint(ends)
    env = at("ladder")
    assert follow(env, "expert") == (1.0, True)
    assert env.turn == Planner(BOOK).plan("ladder", {}).length


def test_who_takes_a_command_by_a_rule_is_led_astray_and_who_reads_is_not():
    env = make(split="test")
    assert len(env.tasks("test")) >= 100
    assert sum(BOOK.depth[task.id] == 1 for task in env.tasks("test")) <= 0.1 * len(env.tasks("test"))
    won = {}
    for name in (*env.card.shortcuts, "expert"):
        wins = []
        for place in range(0, 120, 2):
            env.reset(seed=place, options={"task": place})
            while not env.ended:
                *_, info = env.step(env.expert_action() if name == "expert" else env.shortcut_action(name))
                assert info["action_valid"]
            wins.append(info["success"])
        won[name] = sum(wins) / len(wins)
    assert won.pop("expert") == 1.0
    assert max(won.values()) <= 0.5
    plain = make(split="test", decoys=0)  # without circles one needs no reading
    plain.reset(seed=0, options={"task": 5})
    while not plain.ended:
        *_, info = plain.step(plain.shortcut_action("first matching recipe"))
    assert info["success"]


def test_every_shipped_goal_has_a_plan_that_the_engine_accepts():
    depths = Counter(BOOK.depth[item] for item in BOOK.by_product)
    assert depths == {1: 182, 2: 343, 3: 164, 4: 38, 5: 3}
    planner = Planner(BOOK)
    for goal in BOOK.by_product:
        plan = planner.plan(goal, {})
        stock = dict(plan.get)
        for recipe, uses in plan.craft:
            assert len(uses) == len(recipe.needs)
            for (need, count), (item, used) in zip(recipe.needs, uses, strict=True):
                assert used == count
                assert BOOK.fits(need, item)
                stock[item] = stock.get(item, 0) - count
                assert stock[item] >= 0
            stock[recipe.product] = stock.get(recipe.product, 0) + recipe.count
        assert stock[goal] >= 1


@pytest.mark.parametrize(
    ("goal", "length"), [("oak_planks", 2), ("stick", 2), ("chest", 4), ("torch", 4), ("wooden_pickaxe", 5)]
)
def test_plans_are_as_short_as_a_person_finds(goal, length):
    assert Planner(BOOK).plan(goal, {}).length == length


def test_a_plan_uses_what_is_carried():
    plan = Planner(BOOK).plan("wooden_pickaxe", {"stick": 2, "birch_planks": 3})
    assert plan.get == ()
    assert [(recipe.product, uses) for recipe, uses in plan.craft] == [
        ("wooden_pickaxe", (("birch_planks", 3), ("stick", 2)))
    ]


def test_recipes_of_the_table_are_those_of_the_game():
    def needs(product):
        return [(recipe.count, dict(recipe.needs), recipe.by_hand) for recipe in BOOK.by_product[product]]

    assert needs("piston") == [(1, {"planks": 3, "cobblestone": 4, "iron_ingot": 1, "redstone": 1}, False)]
    assert needs("torch") == [(4, {"coals": 1, "stick": 1}, True)]
    assert needs("anvil") == [(1, {"iron_block": 3, "iron_ingot": 4}, False)]
    assert needs("crafting_table") == [(1, {"planks": 4}, True)]
    assert needs("light_gray_dye")[-1] == (3, {"black_dye": 1, "white_dye": 2}, True)
    for recipe in BOOK.recipes:
        pieces = sum(count for _, count in recipe.needs)
        assert pieces <= 9, f"{recipe} does not fit the grid"
        assert pieces <= 4 or not recipe.by_hand, f"{recipe} does not fit the hand's grid"


@published
def test_the_shipped_table_agrees_with_the_published_recipes():
    """Every published recipe of an item in both tables is in ours, kinds of logs and later names apart."""
    theirs = open_book(str(PUBLISHED))
    common = sorted(BOOK.by_product.keys() & theirs.by_product.keys())
    assert len(common) == 538

    def plain(recipe):
        later = {"coal": "coals", "scute": "turtle_scute"}  # the published loader keeps the first of alternatives
        names = [(re.sub(r"_(log|stem)$", r"_\1s", name), count) for name, count in recipe.needs]
        return recipe.count, tuple(sorted((later.get(name, name), count) for name, count in names))

    for item in common:
        ours = {plain(recipe) for recipe in BOOK.by_product[item]}
        missing = {plain(recipe) for recipe in theirs.by_product[item]} - ours
        assert not missing, f"{item}: {missing}"


@published
def test_published_recipes_give_their_544_goals_with_the_published_depths():
    book = open_book(str(PUBLISHED))
    assert Counter(book.depth[item] for item in book.by_product) == {1: 125, 2: 291, 3: 117, 4: 11}
    env = make(recipes=str(PUBLISHED))
    panels = [env.tasks(split) for split in ("train", "val", "test")]
    goals = [task.id for panel in panels for task in panel]
    assert len(goals) == len(set(goals)) == 544
    assert len(book.by_product) + len(book.gatherable) == 676
    for split, panel in zip(("train", "val", "test"), panels, strict=True):
        env = make(recipes=str(PUBLISHED), split=split)
        for place in range(0, len(panel), 7):
            env.reset(seed=0, options={"task": place})
            assert follow(env, "oracle") == (1.0, True)


def test_every_depth_is_in_every_split_and_depths_can_be_chosen():
    for split in ("train", "val", "test"):
        found = {BOOK.depth[task.id] for task in make().tasks(split)}
        assert {1, 2, 3, 4} <= found
    deep = make(depths=[4, 5])
    goals = [task.id for split in ("train", "val", "test") for task in deep.tasks(split)]
    assert len(goals) == 41
    assert {BOOK.depth[goal] for goal in goals} == {4, 5}
    for task in deep.tasks("test"):
        assert task == make().tasks("test").by_id(task.id)


@pytest.mark.parametrize("agent", ["oracle", "expert"])
def test_players_solve_goals_under_other_distractors_from_anywhere(agent):
    for place, goal in enumerate(["lectern", "orange_banner", "crossbow", "waxed_chiseled_copper", "repeater"]):
        env = at(goal, draw=100 + place)
        said(env, "get 3 oak log", "craft oak planks using 1 oak log", "get 1 string")
        assert follow(env, agent) == (1.0, True)


def test_progress_rises_with_the_stages_and_never_by_repeating_one():
    env = at("chest")
    said(env, "get 9 oak log")
    told = [env.step("craft oak planks using 1 oak log")[4]["progress"] for _ in range(3)]
    assert told == [0.5, 0.5, 0.5]
    assert env.step("craft chest using 8 oak planks")[4]["progress"] == 1.0


def test_bad_arguments_and_tasks_say_what_is_wrong(tmp_path):
    with pytest.raises(ConfigError, match="distractors"):
        make(distractors=-1)
    with pytest.raises(ConfigError, match="decoys"):
        make(decoys=6)
    with pytest.raises(ConfigError, match="depths"):
        make(depths=[9])
    with pytest.raises(DataError, match=r"recipes\.json"):
        make(recipes=str(tmp_path / "none.json"))
    for text in ("[]", "{", '{"a": 1}', '{"a": {"type": "minecraft:crafting_shaped"}}'):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(DataError):
            make(recipes=str(tmp_path / "bad.json"))
    for goal in ("oak_log", "nothing", "planks"):
        with pytest.raises(TaskError, match="no item that can be crafted"):
            at(goal)


def test_a_tag_that_nothing_crafts_is_gathered_by_its_name_or_its_items():
    assert BOOK.depth["coals"] == 0
    assert {"coals", "coal", "charcoal", "logs", "oak_log"} <= BOOK.gatherable
    assert BOOK.depth.get("nothing", FAR) == FAR
    for fuel in ("coal", "charcoal", "coals"):
        env = at("torch")
        said(
            env, f"get 1 {fuel}", "get 1 oak log", "craft oak planks using 1 oak log", "craft stick using 2 oak planks"
        )
        assert said(env, f"craft torch using 1 {fuel}, 1 stick") == ["Crafted 4 minecraft:torch"]


def test_ansi_shows_the_goal_and_what_is_carried():
    env = at("stick", render_mode="ansi")
    said(env, "get 2 oak log")
    assert env.render().endswith("> get 2 oak log\nGot 2 oak log\n(goal: stick; carrying 2 oak log)")
