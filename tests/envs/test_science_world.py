"""ScienceWorld's own simulator behind the contract: its texts, its order, its menus, its scores."""

from __future__ import annotations

import importlib.util

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, MissingExtra, TaskError, UnknownName
from agentgym.core.grammar import Call
from agentgym.envs.text._science_world.tasks import TASKS, ids

INSTALLED = importlib.util.find_spec("scienceworld") is not None
original = pytest.mark.skipif(
    not INSTALLED, reason='scienceworld is not installed: run  pip install "agentgym-suite[worlds]"'
)


def make(**kwargs):
    return gym.make("AgentGym/ScienceWorld-v0", **kwargs).unwrapped


def play_out(env):
    """The oracle's episode: actions, and the results."""
    actions, results = [], []
    while not env.ended:
        actions.append(env.oracle_action())
        results.append(env.step(actions[-1]))
    return actions, results


@pytest.mark.skipif(INSTALLED, reason="scienceworld is installed here")
def test_without_the_package_one_line_names_the_extra():
    with pytest.raises(MissingExtra) as caught:
        make()
    assert "\n" not in str(caught.value)
    assert 'pip install "agentgym-suite[worlds]"' in str(caught.value)


def test_the_splits_hold_every_variation_once():
    found = {split: ids(split) for split in ("train", "val", "test")}
    assert [len(each) for each in found.values()] == [3592, 1796, 1819]
    assert len(set().union(*found.values())) == 7207
    assert len(TASKS) == 30


@pytest.mark.full
@original
def test_an_episode_reads_like_the_packages_own():
    """The gold path, played by the package's own interface in the same order of things, gives the same answers."""
    from agentgym.envs.text._science_world.engine import Simulator

    env = make(tasks="find-animal")
    text, info = env.reset(seed=0, options={"task": "find-animal/3"})
    gold = env.reference()
    theirs = Simulator()
    theirs.load("find-animal", 3, "")
    step = theirs._classes.method("scienceworld.runtime.pythonapi.PythonInterface", "step", str)
    look = theirs._classes.invoke(step, theirs._interface, "look around")
    assert text.startswith(f"{info['instruction']}\n\n{look}")
    for action in gold:
        assert env.step(action)[0] == theirs._classes.invoke(step, theirs._interface, action).strip()
    assert env.ended
    assert env._state.score == 100


@original
@pytest.mark.full
def test_what_the_parser_remembers_changes_no_answer(monkeypatch):
    """The same requests, clear, ambiguous and unknown ones, in worlds whose parser remembers and does not."""
    from agentgym.envs._kit.java import Classes
    from agentgym.envs.text._science_world import engine

    worlds = [engine.Simulator()]
    kept = {engine.OBJECT: engine._changed(engine.package().JAR_PATH)[engine.OBJECT]}
    monkeypatch.setattr(engine, "_changed", lambda jar: kept)
    monkeypatch.setattr(Classes, "remember", lambda *names: {})
    worlds.append(engine.Simulator())
    said = [
        "open door", "1", "open door to kitchen", "go to kitchen", "look around", "open cupboard", "pick up metal pot",
        "move metal pot to sink", "activate sink", "look at metal pot", "pour metal pot into sink", "open the moon",
        "look at substance in metal pot", "focus on water in metal pot", "wait", "look at sink", "open fridge",
        "look in fridge", "pick up glass cup", "inventory", "look at agent",
    ]  # fmt: skip
    for variation in (0, 3):
        for world in worlds:
            world.load("boil", variation, "")
        assert worlds[0].valid() == worlds[1].valid()
        for action in said:
            assert worlds[0].step(action) == worlds[1].step(action), action
        assert worlds[0].valid() == worlds[1].valid()
        assert worlds[0].objects() == worlds[1].objects()
    assert worlds[0]._tokens.size() > 100


@original
def test_the_simulators_own_splits_and_tasks():
    from agentgym.envs.text._science_world.engine import INTERFACE, Simulator
    from agentgym.envs.text._science_world.tasks import variations

    world = Simulator()
    ask = {
        name: world._classes.method(INTERFACE, name)
        for name in ("getVariationsTrain", "getVariationsDev", "getVariationsTest")
    }
    for task in ("identify-life-stages-1", "identify-life-stages-2", "grow-plant", "use-thermometer"):
        world.load(task, 0, "")
        for (name, method), split in zip(ask.items(), ("train", "val", "test"), strict=True):
            theirs = world._classes.invoke(method, world._interface).toString()
            assert theirs == str(list(variations(task, split))), (task, name)


@original
def test_the_gold_path_succeeds_and_pays_one():
    env = make(tasks=["chemistry-mix"])
    env.reset(seed=0, options={"task": 0})
    _, results = play_out(env)
    assert results[-1][2:4] == (True, False)
    assert results[-1][4]["success"]
    assert results[-1][4]["metrics"]["raw_score"] == 100
    assert sum(result[1] for result in results) == pytest.approx(1)
    assert results[-1][4]["metrics"]["goals"] == env._state.goals.of_ordered


@original
@pytest.mark.full
@pytest.mark.parametrize(
    ("split", "task"), [("test", "mendelian-genetics-known-plant/93"), ("val", "test-conductivity/606")]
)
def test_where_the_gold_path_ends_at_the_wrong_box_the_oracle_takes_the_other(split, task):
    env = make(split=split)
    env.reset(seed=0, options={"task": task})
    _, results = play_out(env)
    assert results[-1][4]["success"]
    env.close()


@pytest.mark.full
@original
def test_the_oracle_finds_its_way_back_from_a_detour():
    env = make(tasks="find-animal")
    env.reset(seed=0, options={"task": 0})
    for action in ("look around", "inventory", "wait1"):
        env.step(action)
    assert play_out(env)[1][-1][4]["success"]


@original
def test_a_wrong_focus_fails_the_task_at_minus_100():
    env = make(tasks="find-animal")
    env.reset(seed=0, options={"task": 0})
    _, reward, terminated, _, info = env.step("focus on picture")
    assert (terminated, info["success"], reward) == (True, False, 0.0)
    assert (info["metrics"]["raw_score"], info["metrics"]["score"]) == (-100.0, 0.0)


@original
def test_an_ambiguous_request_gives_a_menu():
    env = make(tasks="boil")
    env.reset(seed=0, options={"task": 0})
    assert not env.step("1")[-1]["action_valid"]
    text, *_, info = env.step("open door")
    assert text.startswith("Ambiguous request: Please enter the number")
    assert info["action_valid"]
    assert env.admissible_actions() == sorted(str(number) for number in range(text.count("\t")))
    assert env.step("2")[0] == "The door is now open."
    env.step("open door")
    assert env.step("look around")[0] == "'look around' is no number of the menu. Action cancelled."
    assert env.step("look around")[0].startswith("This room is called the hallway.")


@original
def test_what_the_simulator_does_not_know_is_refused_and_changes_nothing():
    env = make(tasks="boil")
    env.reset(seed=0, options={"task": 0})
    key = env.state_key()
    for action in ("open the moon", "frobnicate", "teleport to kitchen"):
        text, reward, *_, info = env.step(action)
        assert (info["action_valid"], reward) == (False, 0.0), text
        assert env.state_key() == key


@original
@pytest.mark.full
def test_every_valid_action_of_the_simulator_is_an_action_here():
    env = make(tasks="power-component", simplifications="teleportAction")
    env.reset(seed=0, options={"task": 0})
    for action in ("teleport to kitchen", "open fridge"):
        env.step(action)
    listed = env.admissible_actions()
    assert len(listed) > 300
    assert all(isinstance(env.parse(action), Call) for action in listed)
    rng = np.random.default_rng(0)
    for place in rng.choice(len(listed), 15, replace=False):
        saved = env.snapshot()
        assert env.step(listed[place])[-1]["action_valid"], listed[place]
        env.restore(saved)


@original
def test_a_step_asks_for_nothing_but_its_answer(monkeypatch):
    """Valid actions, view and inventory are asked for when somebody wants them; sub-goals when the score changes."""
    from agentgym.envs._kit.java import Machine

    env = make(tasks="find-animal")
    env.reset(seed=0, options={"task": "find-animal/3"})
    gold = env.reference()
    asked, call = [], Machine.call

    def counted(self, function, *arguments):
        asked.append([each for each in arguments if isinstance(each, str)])
        return call(self, function, *arguments)

    monkeypatch.setattr(Machine, "call", counted)
    score = 0.0
    for action in gold:
        asked.clear()
        *_, info = env.step(action)
        changed, score = info["metrics"]["raw_score"] != score, info["metrics"]["raw_score"]
        assert asked == [[action]] + changed * [["getGoalProgressStr"]]
    assert score == 100
    env.reset(seed=0, options={"task": "find-animal/3"})
    asked.clear()
    assert env.admissible_actions()
    assert len(asked) > 1


@original
def test_simplifications():
    env = make(tasks="boil", simplifications="easy")
    text, _ = env.reset(seed=0, options={"task": 0})
    assert "A door to the kitchen (that is open)" in text
    assert env.step("teleport to kitchen")[0] == "You teleport to the kitchen."
    with pytest.raises(UnknownName, match="did you mean 'openDoors'"):
        make(simplifications="opendoors")
    with pytest.raises(ConfigError, match="makes power-component impossible"):
        make(tasks="3-1", simplifications="noElectricalAction")
    with pytest.raises(ConfigError, match="stands alone"):
        make(simplifications=["easy", "openDoors"])


@original
def test_tasks_by_name_number_and_specification():
    env = make(tasks=["4-4", "boil"], split="test")
    assert [task.id for task in env.tasks("test")][:2] == ["boil/21", "boil/22"]
    env.reset(options={"task": {"task": "melt", "variation": 29, "simplifications": ""}})
    assert env.task_kind == "melt"
    for spec, wrong in (
        ({"task": "melt", "variation": 30, "simplifications": ""}, "variations 0 to 29"),
        ({"task": "melt", "variation": 0, "simplifications": "openDoors,teleportAction"}, "must be written as"),
    ):
        with pytest.raises(TaskError, match=wrong):
            env.reset(options={"task": spec})


@pytest.mark.full
@original
def test_a_snapshot_replays_the_episode():
    env = make(tasks="find-animal")
    env.reset(seed=0, options={"task": 1})
    for _ in range(4):
        env.step(env.oracle_action())
    saved, key = env.snapshot(), env.state_key()
    after = [result[0] for result in play_out(env)[1]]
    agentgym.restore(env, saved)
    assert env.state_key() == key
    assert [result[0] for result in play_out(env)[1]] == after
