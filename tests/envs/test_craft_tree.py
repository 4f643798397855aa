"""CraftTree: the game's facts as the world keeps them, dangers, tasks, and the two players."""

import gymnasium as gym
import numpy as np
import pytest

from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.text._craft_tree import state as s
from agentgym.envs.text._craft_tree.acquisition import TIERS, chain, goals, obtainable, tier
from agentgym.envs.text._craft_tree.actions import words
from agentgym.envs.text._craft_tree.facts import BIOMES, BLOCKS, DAY, DEPTHS, FUEL, PLENTY, SMELTING
from agentgym.envs.text._craft_tree.map_page import seen
from agentgym.envs.text._craft_tree.terrain import CELLS, SIDE, find, land


def at(goal="enchanting_table", world=1, **kwargs):
    env = gym.make("AgentGym/CraftTree-v0", **kwargs).unwrapped
    env.reset(seed=0, options={"task": {"goal": goal, "world": world}})
    return env


def with_bag(goal="enchanting_table", world=1, here=(), **bag):
    env = at(goal, world)
    env._state.bag.update(bag)
    env._state.here[env._state.place].update(dict(here))
    return env


def told(env, *actions):
    return [env.step(action)[0].partition("\n")[0] for action in actions]


def refused(env, action):
    """The refusal of an action, which must leave everything but the turn alone."""
    before = env.snapshot().digest(turn=False)
    text, reward, terminated, _, info = env.step(action)
    assert not info["action_valid"], f"{action!r} was done: {text}"
    assert (reward, terminated) == (0.0, False)
    assert env.snapshot().digest(turn=False) == before
    return info["error"]


@pytest.mark.parametrize(
    ("block", "tool"),
    [("stone", "wooden"), ("coal_ore", "wooden"), ("iron_ore", "stone"), ("copper_ore", "stone"),
     ("lapis_ore", "stone"),
     ("gold_ore", "iron"), ("redstone_ore", "iron"), ("diamond_ore", "iron"), ("emerald_ore", "iron"),
     ("obsidian", "diamond")],
)  # fmt: skip
def test_a_block_is_harvested_with_its_pickaxe_and_no_lesser_one(block, tool):
    ladder = ["wooden", "stone", "iron", "diamond"]
    for material in ladder:
        env = with_bag(here={block: 5}, **{f"{material}_pickaxe": 1})
        assert "takes" in refused(env, f"mine 2 {block.replace('_', ' ')}")
        env.step(f"equip {material} pickaxe")
        if ladder.index(material) < ladder.index(tool):
            assert "takes" in refused(env, f"mine 2 {block}")
        else:
            info = env.step(f"mine 2 {block}")[4]
            assert info["action_valid"]
            assert env._state.bag[BLOCKS[block].drop] >= 2


@pytest.mark.parametrize(("tool", "uses"), [("wooden", 59), ("golden", 32), ("stone", 131), ("iron", 250)])
def test_tools_last_as_long_as_in_the_game(tool, uses):
    env = with_bag(here={"stone": PLENTY}, **{f"{tool}_pickaxe": 1})
    env.step(f"equip {tool} pickaxe")
    while env._state.held:
        env.step("mine 7 stone")
    assert env._state.bag == {"cobblestone": uses}
    assert env._state.worn == {}


def test_two_tools_of_a_name_are_used_one_after_the_other():
    env = with_bag(here={"stone": PLENTY}, wooden_pickaxe=2)
    said = told(env, "equip wooden pickaxe", "mine 50 stone", "mine 20 stone")
    assert said[0] == "You hold the wooden pickaxe, 118 uses left."
    assert said[2].endswith("Your wooden pickaxe breaks.")
    assert (env._state.bag["wooden_pickaxe"], env._state.worn) == (1, {"wooden_pickaxe": 11})


@pytest.mark.parametrize(
    ("fuel", "count", "burnt"),
    [("coal", 8, 1), ("coal", 9, 2), ("charcoal", 8, 1), ("oak_planks", 3, 2), ("stick", 4, 8), ("lava_bucket", 20, 1),
     ("coal_block", 20, 1)],
)  # fmt: skip
def test_fuel_burns_as_long_as_in_the_game(fuel, count, burnt):
    env = with_bag(furnace=1, raw_iron=count, **{fuel: burnt})
    told(env, "place furnace")
    begin = env._state.tick
    text = told(env, f"smelt {count} raw iron with {fuel}")[0]
    assert text.startswith(f"You smelt {count} raw iron with {burnt} ")
    assert env._state.bag == {"iron_ingot": count} | ({"bucket": 1} if fuel == "lava_bucket" else {})
    assert env._state.tick - begin == 200 * count
    if burnt > 1:
        env = with_bag(furnace=1, raw_iron=count, **{fuel: burnt - 1})
        env.step("place furnace")
        assert "takes them and" in refused(env, f"smelt {count} raw iron with {fuel}")


def test_a_log_burns_to_smelt_another():
    env = with_bag(furnace=1, oak_log=5)
    env.step("place furnace")
    assert "takes them and" in refused(env, "smelt 4 oak log with oak log")
    env.step("smelt 3 oak log with oak log")
    assert env._state.bag == {"charcoal": 3}


def test_stations_are_needed_placed_and_taken_along_and_never_doubled():
    env = with_bag(oak_planks=20, stick=8, crafting_table=1, furnace=1, cobblestone=3)
    assert "crafting table" in refused(env, "craft 1 wooden pickaxe")
    assert told(env, "place crafting table", "craft 1 wooden pickaxe")[1] == "You craft 1 wooden pickaxe."
    assert "stands here already" in refused(with_two(env, "crafting_table"), "place crafting table")
    assert "breaks without a pickaxe" in (env.step("place furnace") and refused(env, "take furnace"))
    told(env, "equip wooden pickaxe", "take furnace", "take crafting table")
    assert (env._state.bag["furnace"], env._state.bag["crafting_table"], env._state.built) == (1, 2, {})


def with_two(env, station):
    env._state.bag[station] = 1
    return env


def test_items_of_a_kind_may_be_mixed_and_each_is_taken_once():
    env = with_bag(oak_planks=3, birch_planks=1)
    told(env, "craft 1 crafting table")
    assert env._state.bag == {"crafting_table": 1}
    env = with_bag(oak_planks=6, oak_slab=1, crafting_table=1)
    env.step("place crafting table")
    assert "You lack" in refused(env, "craft 1 barrel")
    assert "craft 1 barrel" not in env.admissible_actions()


def test_digging_down_takes_a_pickaxe_that_lasts_and_gives_stone():
    env = with_bag(wooden_pickaxe=1)
    assert "takes a pickaxe" in refused(env, "move down")
    told(env, "equip wooden pickaxe", "move down")
    assert (env._state.level, env._state.bag["cobblestone"], s.in_hand(env._state)) == (1, 24, 35)
    assert "on the surface only" in refused(env, "move north")
    told(env, "move up", "move down")
    assert s.in_hand(env._state) == 35
    env.step("move down")
    assert "16 uses" in refused(env, "explore")


def test_night_falls_monsters_bite_and_a_bed_or_a_shelter_helps():
    hits = {}
    for hour in (3_000, 15_000):
        hits[hour] = 0
        for world in range(60):
            env = at(world=world)
            env._state.tick = hour
            hits[hour] += sum(event["type"] == "hurt" for event in env.step("explore")[4]["events"])
    assert hits[3_000] == 0
    assert 4 <= hits[15_000] <= 30
    env = with_bag(white_bed=1, dirt=8)
    assert "at night only" in refused(env, "sleep")
    env._state.tick = 15_000
    assert env.step("sleep")[4]["action_valid"]
    assert env._state.tick == DAY
    env._state.tick = DAY + 15_000
    env.step("shelter")
    assert (env._state.hour, env._state.bag["dirt"]) == (23_000, 8)


def test_torches_keep_monsters_out_of_tunnels():
    hits = {}
    for torches in (0, 1):
        hits[torches] = 0
        for world in range(60):
            env = with_bag(world=world, iron_pickaxe=1, **({"torch": 1} if torches else {}))
            told(env, "equip iron pickaxe", "move down")
            hits[torches] += sum(event["type"] == "hurt" for event in env.step("explore")[4]["events"])
            assert "torch" not in env._state.bag
    assert hits[1] == 0 < hits[0]


def test_death_ends_the_episode_without_success():
    env = with_bag(here={"creeper": 9})
    env._state.health = 8
    text, reward, terminated, truncated, info = env.step("attack creeper")
    assert "You die." in text
    assert (reward, terminated, truncated, info["success"]) == (0.0, True, False, False)


def test_armour_and_swords_lessen_damage():
    def left(**bag):
        env = with_bag(here={"spider": 1}, **bag)
        told(env, *(f"equip {item}" for item in bag), "attack spider")
        return env._state.health

    mail = {f"iron_{piece}": 1 for piece in ("helmet", "chestplate", "leggings", "boots")}
    assert left() < left(wooden_sword=1)
    assert left() < left(**mail)


def test_wounds_heal_at_the_cost_of_food():
    env = with_bag(dirt=8, bread=2)
    env._state.health = 5
    env.step("shelter")
    assert (env._state.health, env._state.food) == (
        10,
        18,
    )  # five food and saturation above 17, six thousandths a heart
    env._state.food = 10
    env.step("eat bread")
    assert (env._state.food, env._state.saturation) == (15, 6)
    env._state.food, env._state.health = 0, 10
    env.step("shelter")
    assert env._state.health == 1


def test_ores_lie_as_deep_as_in_the_game():
    chance = [{row[0]: row[1] for row in table} for table in DEPTHS]
    diamond = [table.get("diamond_ore", 0) for table in chance]
    assert diamond[:3] == [0, 0, 0]
    assert diamond[3] < diamond[4] < diamond[5]
    assert "coal_ore" not in chance[3]
    assert max(range(6), key=lambda level: chance[level].get("iron_ore", 0)) == 2
    found = sum(dict(find(0, "forest", 0, 5, number)).get("diamond_ore", 0) > 0 for number in range(2_000))
    assert abs(found / 2_000 - 90 / 256) < 0.05


def test_every_biome_lies_on_every_land_and_the_start_has_trees():
    for seed in range(30):
        ground = land(seed)
        assert len(ground.biomes) == CELLS == SIDE * SIDE
        assert set(ground.biomes) == set(BIOMES)
        assert any(name.endswith("_log") for name, _ in BIOMES[ground.biomes[ground.start]].sight)


def test_goals_cover_the_tree_in_tiers():
    assert sum(map(len, goals())) == len(obtainable()) == 681
    items = ("stick", "coal", "iron_ingot", "diamond", "diamond_pickaxe", "obsidian")
    assert [TIERS[tier(item)] for item in items] == ["wood", "stone", "iron", "diamond", "diamond", "beyond"]
    steps = [next(iter(step)) for step in chain("diamond_pickaxe")]
    order = ["wooden_pickaxe", "stone_pickaxe", "iron_ingot", "iron_pickaxe", "diamond", "diamond_pickaxe"]
    assert [step for step in steps if step in order] == order
    assert set(SMELTING.values()) & set(obtainable())
    assert "nether_bricks" not in obtainable()
    assert set(FUEL) > {"coal", "lava_bucket"}


@pytest.mark.parametrize("name", TIERS)
def test_the_oracle_reaches_goals_of_every_tier(name):
    env = gym.make("AgentGym/CraftTree-v0", tiers=[name]).unwrapped
    for place in range(12):
        env.reset(seed=0, options={"task": place})
        assert TIERS[tier(env.task.spec["goal"])] == name
        while not env.ended:
            info = env.step(env.oracle_action())[4]
            assert info["action_valid"], info["error"]
        assert info["success"], env.task


def test_the_expert_makes_a_diamond_pickaxe_without_seeing_what_is_hidden():
    wins = 0
    for world in range(10):
        env, other = at("diamond_pickaxe", world), at("diamond_pickaxe", world)
        while not env.ended:
            action = env.expert_action()
            assert action == other.expert_action()
            info = env.step(action)[4]
            other.step(action)
        wins += info["success"]
    assert wins >= 9


def test_progress_counts_what_was_had_once():
    env = with_bag("wooden_pickaxe", here={"oak_log": 9})
    progress = [env.step("mine 1 oak log")[4]["progress"] for _ in range(3)]
    assert progress[0] == progress[2] == pytest.approx(1 / len(chain("wooden_pickaxe")))
    assert env.step("craft 4 oak planks")[4]["progress"] > progress[0]


@pytest.mark.parametrize(
    "action",
    ["mine 0 dirt", "mine 65 dirt", "mine -1 dirt", "mine x dirt", "mine ² dirt", "mine 1 diamond", "attack dragon",
     "craft 1 nothing", "craft 1 stick", "smelt 1 stick with coal", "smelt 1 sand with sand", "place dirt",
     "take furnace", "equip crown", "fill water", "eat stick", "sleep", "shelter", "move up", "move sideways", "fly"],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_in_words(action):
    assert len(refused(at(), action)) > 10


def test_the_handbook_knows_every_item_and_takes_no_time():
    env = at()
    for item in ("diamond_pickaxe", "iron_ingot", "diamond", "planks", "obsidian"):
        text = told(env, f"recipe {item}")[0]
        assert "knows no way" not in text
    assert "found in: below at y -16, below at y -40, below at y -58" in told(env, "recipe diamond")[0]
    assert "knows no way" in told(env, "recipe philosopher stone")[0]
    assert env._state.tick == 0


def test_bad_arguments_and_tasks():
    with pytest.raises(ConfigError, match="tiers"):
        gym.make("AgentGym/CraftTree-v0", tiers=[])
    with pytest.raises(UnknownName, match="diamond"):
        gym.make("AgentGym/CraftTree-v0", tiers=["diamonds"])
    with pytest.raises(TaskError, match="cannot be had"):
        at("nether_bricks")


def test_ansi_has_a_map_of_what_was_seen():
    env = at(render_mode="ansi")
    env.step("move north")
    picture = env.render()
    assert "@" in picture
    assert "(goal: enchanting table)" in picture
    assert "   ." in picture


def test_the_page_shows_the_land_the_tools_and_the_way():
    env = gym.make("AgentGym/CraftTree-v0", render_mode="html")
    env.reset(options={"task": {"goal": "stone_pickaxe", "world": 5}})
    over = False
    while not over:
        before = env.render()
        _, _, terminated, truncated, info = env.step(env.unwrapped.oracle_action())
        over = terminated or truncated
    after = env.render()
    assert info["success"]
    assert after.startswith("<!doctype html>")
    assert after.count('class="cell') == 81
    assert before.count("<br>you") == after.count("<br>you") == 1
    assert before.count("chip done") < after.count("chip done")
    uses = env.unwrapped._state.bag["stone_pickaxe"] * 131
    assert "1 stone pickaxe" in after
    assert f"{uses} uses" in after


def test_the_page_of_a_test_shows_what_was_seen_and_no_way_to_the_goal():
    env = gym.make("AgentGym/CraftTree-v0", split="test", render_mode="html")
    rng = np.random.default_rng(0)
    for place in range(5):
        env.reset(options={"task": place})
        world, page = env.unwrapped, env.render()
        shown = seen(world._state)
        assert page.count('class="cell') == 81
        assert page.count('class="cell unseen"') == 81 - len(shown) > 70
        assert "The way to the goal" not in page
        assert "chip done" not in page
        tail = page.partition("<h2>Carried</h2>")[2]
        assert not [step for step in world._reference()["steps"] if f">{words(step)}<" in tail]
        for _ in range(8):
            env.step(world.sample_action(rng))
        assert len(seen(world._state)) >= len(shown)
        assert env.render().count('class="cell unseen"') == 81 - len(seen(world._state))
