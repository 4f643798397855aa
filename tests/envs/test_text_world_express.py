"""TextWorldExpress's own engine behind the contract: its eight games, folds, gold paths and parameters."""

from __future__ import annotations

import importlib.util
import os
import signal

import gymnasium as gym
import pytest

import agentgym
from agentgym.core import ConfigError, MissingExtra, TaskError, UnknownName
from agentgym.core.grammar import Call
from agentgym.envs.text._text_world_express.games import FOLDS, NAMES, TWICE

INSTALLED = importlib.util.find_spec("textworld_express") is not None
original = pytest.mark.skipif(
    not INSTALLED, reason='textworld-express is not installed: run  pip install "agentgym-suite[worlds]"'
)


def make(**kwargs):
    return gym.make("AgentGym/TextWorldExpress-v0", **kwargs).unwrapped


def play_out(env):
    results = []
    while not env.ended:
        results.append(env.step(env.oracle_action()))
    return results


@pytest.mark.skipif(INSTALLED, reason="textworld-express is installed here")
def test_without_the_package_one_line_names_the_extra():
    with pytest.raises(MissingExtra) as caught:
        make()
    assert 'pip install "agentgym-suite[worlds]"' in str(caught.value)


@original
@pytest.mark.parametrize("game", NAMES)
def test_the_gold_path_wins_in_every_fold_and_each_action_listed_is_one(game):
    for split in FOLDS:
        env = make(games=game, split=split)
        for place in range(3):
            env.reset(seed=0, options={"task": place})
            total = 0.0
            while not env.ended:
                assert all(isinstance(env.parse(action), Call) for action in env.admissible_actions())
                _, reward, *_, info = env.step(env.oracle_action())
                assert info["action_valid"], info["error"]
                total += reward
            assert info["success"], (game, split, place)
            assert total == pytest.approx(1)
            assert env.task_kind == game


@original
def test_folds_seeds_and_names_are_the_packages_own():
    from agentgym.envs.text._text_world_express.engine import INTERFACE, Games

    world = Games()
    names = world._classes.method(INTERFACE, "getGameNames")
    assert world._classes.invoke(names, world._interface).toString() == str(list(NAMES)).replace("'", "")
    for split, method in (("train", "getSeedsTrain"), ("val", "getSeedsDev"), ("test", "getSeedsTest")):
        seeds = world._classes.invoke(world._classes.method(INTERFACE, method), world._interface).toString()
        ids = [task.id for task in make(games="coin").tasks(split)]
        assert str(ids) == str([f"coin/{seed}" for seed in seeds[1:-1].split(", ")])


@original
def test_a_wrong_answer_fails_the_task():
    env = make(games="arithmetic")
    env.reset(seed=0, options={"task": 0})
    right = env.reference()[-1]
    for action in ("take 33 papayas", "put 33 papayas in box"):
        assert action != right
        _, _, terminated, _, info = env.step(action)
    assert (terminated, info["success"]) == (True, False)


@original
def test_what_is_not_possible_is_refused_and_changes_nothing():
    env = make(games="coin")
    env.reset(seed=0, options={"task": 0})
    key = env.state_key()
    for action in ("take the moon", "fly", "move south"):
        _, reward, *_, info = env.step(action)
        assert (info["action_valid"], reward) == (False, 0.0)
        assert env.state_key() == key
    assert env.step("  GO  north ")[-1]["action_valid"]


@original
def test_parameters():
    env = make(games="coin", params={"numLocations": 3, "includeDoors": 0})
    env.reset(seed=0, options={"task": 5})
    assert env.task.spec["params"] == "includeDoors=0,numLocations=3"
    assert not any("door" in action for action in env.admissible_actions())
    assert play_out(env)[-1][-1]["success"]
    memory = make(games="simonsays", params={"memorization": 1, "gameLength": 7})
    assert memory.reset(seed=0, options={"task": 0})[0].count(", ") >= 7
    with pytest.raises(UnknownName, match="did you mean 'numLocations'"):
        make(games="coin", params={"numlocations": 3})
    with pytest.raises(ConfigError, match="numLocations must be a whole number from 1 to 11"):
        make(games="coin", params={"numLocations": 12})
    with pytest.raises(ConfigError, match="single game"):
        make(params={"numLocations": 3})
    with pytest.raises(TaskError, match="must be written as"):
        env.reset(options={"task": {**env.task.spec, "params": "numLocations=3,includeDoors=0"}})


@original
def test_a_snapshot_replays_the_episode():
    env = make(games="cookingworld")
    env.reset(seed=0, options={"task": 1})
    for _ in range(10):
        env.step(env.oracle_action())
    saved, key = env.snapshot(), env.state_key()
    after = [result[0] for result in play_out(env)]
    agentgym.restore(env, saved)
    assert env.state_key() == key
    assert [result[0] for result in play_out(env)] == after


@original
def test_an_engine_killed_in_mid_episode_is_a_failure_and_the_next_reset_works():
    from agentgym.envs._kit import java
    from agentgym.envs.text._text_world_express import engine

    env = make(games="twc")
    first, _ = env.reset(seed=0, options={"task": 0})
    os.kill(java.machine(env.card.id, engine.package().BASEPATH).process.pid, signal.SIGKILL)
    _, reward, terminated, truncated, info = env.step("look around")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert "Java process ended" in info["failure"]
    assert env.reset(seed=0, options={"task": 0})[0] == first


@original
@pytest.mark.full
def test_the_seeds_that_nobody_can_win_are_those_left_out():
    """As the program finds them that goes over all games and folds."""
    from tests.benchmarks.sweep_text_world_express import lost

    assert set(lost("peckingorder", "val")) == TWICE
    assert not set(lost("peckingorder", "test"))
