"""Crafter's own engine behind the contract: its lands, its steps, repeatable dice, BALROG's words."""

from __future__ import annotations

import importlib.util

import gymnasium as gym
import numpy as np
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.core import ConfigError, MissingExtra
from agentgym.envs.games.crafter import ACTIONS, NAMES

INSTALLED = importlib.util.find_spec("crafter") is not None
original = pytest.mark.skipif(
    not INSTALLED, reason='crafter is not installed: run  pip install "agentgym-suite[worlds]"'
)
SMALL = {"seed": 3, "side": 32}  # a small land is made in a third of the time


def make(**kwargs):
    return gym.make("AgentGym/Crafter-v0", size=32, **kwargs).unwrapped


def start(seed=0, **kwargs):
    env = make(**kwargs)
    return env, env.reset(seed=seed, options={"task": SMALL})[0]


def walk(env, count, seed=0):
    rng = np.random.default_rng(seed)
    seen = []
    while not env.ended and len(seen) < count:
        seen.append(env.step(env.sample_action(rng)))
    return seen


@pytest.mark.skipif(INSTALLED, reason="crafter is installed here")
def test_without_the_package_one_line_names_the_extra():
    with pytest.raises(MissingExtra) as caught:
        make()
    assert "\n" not in str(caught.value)
    assert 'pip install "agentgym-suite[worlds]"' in str(caught.value)


@original
def test_the_land_and_a_step_are_the_packages_own():
    import crafter

    theirs = crafter.Env(area=(32, 32), seed=SMALL["seed"])
    theirs.reset()
    env, _ = start()
    assert (env._engine._world._mat_map == theirs._world._mat_map).all()
    assert [type(thing).__name__ for thing in env._engine._world.objects] == [
        type(thing).__name__ for thing in theirs._world.objects
    ]
    assert tuple(ACTIONS) == tuple(
        name.replace("_", " ").title().replace("Move Left", "Move West").replace("Move Right", "Move East")
        .replace("Move Up", "Move North").replace("Move Down", "Move South")
        for name in theirs.action_names
    )  # fmt: skip
    for number in (1, 3, 5):
        env.step(NAMES[number])
        theirs.step(number)
        assert tuple(env._engine._player.pos) == tuple(theirs._player.pos)
        assert env._engine._player.inventory == theirs._player.inventory


@original
def test_the_words_are_balrogs():
    env, text = start()
    assert "You see:\n- grass 1 step to your " in text
    assert "\n\nYou face " in text
    assert " at your front.\n\nYour status:\n- health: 9/9\n- food: 9/9\n- drink: 9/9\n- energy: 9/9\n\n" in text
    assert "You have nothing in your inventory." in text
    env._engine._player.inventory["wood"] = 2
    text, *_, info = env.step("place_stone")
    assert "Your inventory:\n- wood: 2" in text
    assert info["action_valid"]


@original
def test_equal_seeds_give_equal_episodes_and_others_do_not():
    runs = [walk(start(seed)[0], 60) for seed in (1, 1, 2)]
    texts = [[step[0] for step in run] for run in runs]
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


@original
def test_a_snapshot_replays_to_the_same_state():
    env, _ = start()
    walk(env, 30)
    saved, key = env.snapshot(), env.state_key()
    after = [step[0] for step in walk(env, 10, seed=9)]
    env.restore(saved)
    assert env.state_key() == key
    assert [step[0] for step in walk(env, 10, seed=9)] == after


@original
def test_achievements_pay_and_are_told():
    env, _ = start()
    player, world = env._engine._player, env._engine._world
    ahead = player.pos + np.array(player.facing)
    world[ahead] = "tree"
    text, reward, _, _, info = env.step("interact")
    assert text.startswith("Achievement unlocked: collect wood.\nYou see:")
    assert (reward, info["events"]) == (1.0, [{"type": "unlock", "achievement": "collect_wood"}])
    assert info["metrics"]["collect_wood"] == 1.0
    assert info["metrics"]["progression"] == pytest.approx(100 / 22)
    assert env.step("jump")[4]["metrics"]["collect_wood"] == 1.0


@original
def test_lava_kills():
    env, _ = start()
    player, world = env._engine._player, env._engine._world
    world[player.pos + np.array((1, 0))] = "lava"
    text, reward, terminated, truncated, info = env.step("Move East")
    assert "You died." in text
    assert (terminated, truncated, info["success"]) == (True, False, False)
    assert reward == pytest.approx(-0.9)


@original
def test_pictures_use_up_no_dice():
    env, _ = start(render_mode="rgb_array")
    env._engine._world.daylight = 0.1
    key = env.state_key()
    frames = [env.render(), env.render()]
    assert (frames[0].shape, frames[0].dtype) == ((64, 64, 3), np.uint8)
    assert (frames[0] == frames[1]).all()
    assert env.state_key() == key


@original
def test_impossible_sides_are_refused():
    with pytest.raises(ConfigError, match="size must be"):
        gym.make("AgentGym/Crafter-v0", size=16)
