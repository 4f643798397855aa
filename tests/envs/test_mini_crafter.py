"""MiniCrafter: gathering, making, needs, sleep, fights, creatures, views, the score, and the scripted player."""

from math import expm1, log

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.games import mini_crafter
from agentgym.envs.games._mini_crafter import creatures, land, rules, views

YARD = [
    "#########",
    "#.......#",
    "#.T~i...#",
    "#.@#....#",
    "#.......#",
    "#...d...#",
    "#...c...#",
    "#.......#",
    "#########",
]


def make(**kwargs):
    return gym.make("AgentGym/MiniCrafter-v0", **kwargs).unwrapped


def start(rows=YARD, seed=0, **kwargs):
    env = make(**kwargs)
    env.reset(seed=seed, options={"task": {"rows": rows}})
    return env


def give(env, **items):
    for name, count in items.items():
        env._state.items[rules.PLACE[name]] = count


def count(env, name):
    return env._state.items[rules.PLACE[name]]


def test_wood_needs_nothing_and_stone_a_pickaxe():
    env = start()
    env.step("move north")
    text, reward, _, _, info = env.step("do")
    assert (reward, count(env, "wood"), info["metrics"]["collect_wood"]) == (1.0, 1, 1.0)
    assert "You collect wood. Achievement unlocked: collect wood." in text
    assert info["events"] == [{"type": "unlock", "achievement": "collect_wood"}]
    env.step("move east")
    *_, info = env.step("do")
    assert (info["action_valid"], info["error"]) == (False, "You need a wood pickaxe to collect stone.")
    give(env, wood_pickaxe=1)
    assert env.step("do")[1] == 1.0
    assert count(env, "stone") == 1


def test_a_refused_action_stops_time_and_pays_nothing():
    env = start(["#####", "#...#", "#.@Z#", "#...#", "#####"])
    before = env.state_key()
    for _ in range(50):
        _, reward, *_, info = env.step("make iron sword")
        assert (reward, info["action_valid"]) == (0.0, False)
    assert env.state_key() == before


def test_tools_need_materials_and_a_table_beside_you():
    env = start()
    give(env, wood=9, stone=9, coal=2, iron=2)
    assert env.step("make wood pickaxe")[4]["error"] == "You need a table beside you."
    assert env.step("place furnace")[4]["error"] == "You need a table beside you."
    for action in ("place table", "make wood pickaxe", "make stone sword"):
        assert env.step(action)[1] == 1.0
    assert env.step("make iron sword")[4]["error"] == "You need a table and a furnace beside you."
    env.step("move west")
    env.step("move east")
    env.step("move east")
    assert env.step("place furnace")[4]["error"].startswith("You cannot place a furnace")
    env.step("do")
    assert count(env, "wood") == 5


def test_a_full_bag_loses_what_it_cannot_hold():
    env = start()
    give(env, wood=9)
    env.step("move north")
    env.step("do")
    assert count(env, "wood") == 9


def test_needs_follow_the_published_clock():
    env = start()
    for turn in range(1, 32):
        env.step("noop")
        hungry, thirsty, tired = count(env, "food"), count(env, "drink"), count(env, "energy")
        assert (hungry, thirsty, tired) == (9 - (turn >= 26), 9 - (turn >= 21), 9 - (turn >= 31))


def test_without_food_health_falls_every_sixteen_steps_and_the_end_is_death():
    env = start()
    give(env, food=0, drink=0, energy=0)
    total, steps = 0.0, 0
    while not env.ended:
        _, reward, terminated, _, info = env.step("noop")
        total, steps = total + reward, steps + 1
    assert (terminated, info["success"], steps) == (True, False, 16 * 9)
    assert total == pytest.approx(-0.9)


def test_sleep_restores_energy_and_waking_rested_is_an_achievement():
    env = start()
    assert env.step("sleep")[4]["error"].startswith("You are not tired")
    give(env, energy=8)
    env.step("sleep")
    text = ""
    for turn in range(12):  # noqa: B007 - the last one is looked at
        text, reward, *_ = env.step("do")
        if not env._state.sleeping:
            break
        assert "You are asleep and see nothing." in text
    assert (turn, reward, count(env, "energy")) == (9, 1.0, 9)
    assert "Achievement unlocked: wake up." in text


def test_a_sleeper_is_hit_hard_and_wakes():
    env = start(["#####", "#...#", "#.@Z#", "#...#", "#####"])
    give(env, energy=3)
    text, reward, *_ = env.step("sleep")
    assert count(env, "health") == 2
    assert reward == pytest.approx(-0.7)
    assert "wake up" in text


def test_a_fight_takes_as_many_hits_as_the_sword_says():
    for sword, hits in ((None, 5), ("wood_sword", 3), ("stone_sword", 2), ("iron_sword", 1)):
        state = rules.begin(land.read(("#####", "#...#", "#.@Z#", "#...#", "#####")))
        if sword:
            state.items[rules.PLACE[sword]] = 1
        (target,) = state.beings
        dealt = 0
        while state.beings:
            rules.do(state, target, lambda: 0.5)
            dealt += 1
        assert dealt == hits
        assert state.unlocked == rules.BIT["defeat_zombie"]


def test_a_plant_ripens_unless_a_zombie_stands_beside_it():
    env = start(["#####", "#...#", "#.@.#", "#...#", "#####"])
    give(env, sapling=1)
    env.step("place plant")
    assert env.step("do")[4]["error"] == "The plant is not ripe yet."
    env._state.clock += rules.RIPENS + 1
    give(env, food=3)
    assert "R" in env._view()
    env.step("do")
    assert count(env, "food") == 7
    state = env._state
    zombie = state.cell + env._land.side + 1
    state.beings[zombie] = rules.BORN[land.ZOMBIE[0]]
    rng = iter([0.95, 0.0, *[0.5] * 9])  # it wanders, into the wall or not, and ends beside the plant
    creatures._zombie(state, zombie, state.beings[zombie], -1, -1, env._land.side, lambda: next(rng))
    assert land.SAPLING not in state.terrain or zombie not in state.beings


def test_lava_kills():
    env = start(["#####", "#...#", "#.@!#", "#...#", "#####"])
    text, reward, terminated, _, info = env.step("move east")
    assert (terminated, info["success"], reward) == (True, False, -0.9)
    assert "You walk into lava." in text


def test_views_agree_and_hide_what_is_far():
    env = start(view="both")
    text = env._view()
    assert "- tree 1 step to your north\n" in text
    assert "- water 2 steps to your north-east\n" in text
    assert "\n  #.@#...\n" in text
    assert "diamond" not in make(view="words").reset(seed=0)[0]
    assert "Map:" not in start(view="words")._view()
    assert "You see:" not in start(view="map")._view()
    frame = views.picture(env._state, env._land.side)
    assert (frame.shape, frame.dtype) == ((64, 64, 3), np.uint8)
    env._state.clock = 210
    assert views.picture(env._state, env._land.side).sum() < frame.sum()


def test_every_land_has_what_the_achievements_need():
    for size in (24, 32, 64):
        for seed in range(6):
            text = "".join(land.generate(seed, size))
            assert len(text) == size * size
            assert text.count("@") == 1
            for sign, least in land.NEEDED.items():
                assert text.count(sign.decode()) + text.count("K") * (sign == land.TUNNEL) >= least


def test_creatures_stay_on_their_ground_and_never_share_a_cell():
    env = make(split="val")
    env.reset(seed=3, options={"task": 3})
    grounds = {land.COW[0]: land.GRASS, land.ZOMBIE[0]: rules.WALKABLE, land.SKELETON[0]: land.TUNNEL}
    for _ in range(250):
        if env.ended:
            break
        env.step("noop")
        assert env._state.cell not in env._state.beings
        for cell, being in env._state.beings.items():
            assert env._state.terrain[cell] in grounds[being & 255]


def test_score_is_the_geometric_mean_of_the_rates():
    ends = [dict.fromkeys(rules.ACHIEVEMENTS, 1.0), dict.fromkeys(rules.ACHIEVEMENTS, 0.0)]
    rates = mini_crafter.unlock_rates(ends)
    assert set(rates.values()) == {0.5}
    assert mini_crafter.score(rates) == pytest.approx(50.0)
    rates |= {"collect_diamond": 0.0}
    assert mini_crafter.score(rates) == pytest.approx(expm1(21 / 22 * log(51)))
    with pytest.raises(ConfigError, match="at least one"):
        mini_crafter.unlock_rates([])


def test_the_scripted_player_goes_far_and_never_says_what_is_refused():
    env = make(split="val")
    unlocked = []
    for place in range(2):
        env.reset(seed=place, options={"task": place})
        while not env.ended:
            *_, info = env.step(env.expert_action())
            assert info["action_valid"], info["error"]
        unlocked.append(sum(info["metrics"].values()))
    assert sum(unlocked) / len(unlocked) >= 12  # random actions unlock 4


def test_the_expert_knows_only_what_was_in_view():
    env = make(split="val")
    env.reset(seed=0, options={"task": 1})
    choice = env.expert_action()
    window = set(np.flatnonzero(np.frombuffer(env._state.known.to_bytes(len(env._state.terrain), "little"), np.uint8)))
    hidden = bytes(sign if cell in window else land.DIAMOND[0] for cell, sign in enumerate(env._state.terrain))
    env._state.terrain = hidden
    assert env.expert_action() == choice


@pytest.mark.parametrize(
    ("rows", "wrong"), [(["@...."] * 5, "exactly one player"), (["....."] * 5, "one player"), (["@?..."] * 5, "of ")]
)
def test_lands_that_are_none_are_refused(rows, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": {"rows": rows}})


def test_impossible_options_are_refused():
    with pytest.raises(ConfigError, match="size must be"):
        make(size=10)
    with pytest.raises(ConfigError, match="view must be"):
        make(view="radar")
    with pytest.raises(UnknownName, match="medium"):
        make(level="mediun")


def test_the_card_tells_the_metrics():
    assert tuple(agentgym.card("MiniCrafter-v0").metrics) == rules.ACHIEVEMENTS
