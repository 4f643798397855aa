"""Households by seed: options, rooms and splits, the planner and the explorer."""

from __future__ import annotations

import json
from collections import deque

import gymnasium as gym
import numpy as np
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.assets.household import tables
from agentgym.core import ConfigError, TaskError
from agentgym.envs.text._household.engine import won
from agentgym.envs.text._household.game import compile_game
from agentgym.envs.text._household.generate import KINDS, SPLIT_ROOMS, HomeOptions, generate, layout
from agentgym.envs.text._household.planner import plan
from tests.envs.kitchen import HEAT, LOOK, SIMPLE, kitchen


@pytest.mark.parametrize(
    "wrong",
    [
        {"rooms": 5},
        {"rooms": 0},
        {"objects": 0},
        {"quest": 4},
        {"quest": True},
        {"distractors": -1},
        {"reward": "more"},
    ],
)
def test_wrong_options_are_refused(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        gym.make("AgentGym/Household-v1", **wrong)


@pytest.mark.full
def test_options_change_what_they_name():
    for seed in range(20):
        wide = generate(seed, HomeOptions(rooms=3, objects=4, quest=2, distractors=7))
        kinds = {name.partition(" ")[0] for name in wide["rooms"]}
        assert len(kinds) == 3
        assert len(wide["goals"]) == 2
        wanted = {goal["object"] for goal in wide["goals"]}
        things = [record["name"].rpartition(" ")[0] for record in wide["objects"]]
        assert all(things.count(kind) == 4 for kind in wanted)
        assert sum(kind not in wanted | {"desklamp"} for kind in things) <= 7
    env = gym.make("AgentGym/Household-v1", rooms=3, quest=2)
    env.reset(seed=1)
    game = compile_game(env.unwrapped.task.spec)
    assert env.unwrapped.max_turns == 2 * (2 * len(plan(game, game.start)) + 2 * 4)
    env = gym.make("AgentGym/Household-v1", rooms=3, quest=2, wording="0.3")
    env.reset(seed=1)
    assert env.unwrapped.max_turns == 2 * 100


@pytest.mark.parametrize(
    "options", [HomeOptions(), HomeOptions(4, 2, 3, 30), HomeOptions(2, 1, 2, 0), HomeOptions(1, 3, 1, 60)]
)
def test_every_generated_game_is_solvable(options):
    for seed in range(60):
        spec = generate(seed, options)
        game = compile_game(spec)
        assert not won(game, game.start), seed
        env = gym.make("AgentGym/Household-v1")
        env.unwrapped.check_task(spec)


def test_things_are_only_where_they_may_be():
    for seed in range(100):
        for record in generate(seed, HomeOptions())["objects"]:
            kind, (place,) = record["name"].rpartition(" ")[0], record["in"]
            assert kind == "desklamp" or kind in tables().contains[place.rpartition(" ")[0]]


@pytest.mark.full
def test_rooms_of_the_splits_are_apart_and_each_room_keeps_its_layout():
    world = gym.make("AgentGym/Household-v1").unwrapped
    rooms = {
        split: {room for task in world.tasks(split) for room in task.spec["rooms"]}
        for split in ("val_seen", "val_unseen", "test_seen", "test_unseen")
    }
    rooms["train"] = {room for index in range(300) for room in world.tasks("train")[index].spec["rooms"]}
    for split in ("val_unseen", "test_unseen"):
        assert not rooms[split] & (rooms["train"] | rooms["val_seen"] | rooms["test_seen"])
    assert not rooms["val_unseen"] & rooms["test_unseen"]
    assert len(rooms["val_seen"] & rooms["train"]) > 40
    assert [task.id for task in world.tasks("val")] == [
        task.id for part in ("val_seen", "val_unseen") for task in world.tasks(part)
    ]
    layouts = [tuple(one.kind for one in layout(kind, number)) for kind in KINDS for number in range(40)]
    assert len(set(layouts)) > 100  # rooms differ
    assert sum(map(len, SPLIT_ROOMS.values())) == 40


def shortest(spec):
    """Length of the shortest solution, by breadth-first search over every admissible command."""
    env = gym.make("AgentGym/Household-v1", max_turns=1000)
    env.reset(options={"task": spec})
    frontier, reached = deque([(env.unwrapped.snapshot(), 0)]), {env.unwrapped.state_key()}
    while frontier:
        saved, depth = frontier.popleft()
        env.unwrapped.restore(saved)
        for action in env.unwrapped.admissible_actions():
            if action.startswith(("examine", "help", "inventory", "look", "close")):
                continue
            env.unwrapped.restore(saved)
            if env.step(action)[-1]["success"]:
                return depth + 1
            key = env.unwrapped.state_key()
            if key not in reached:
                reached.add(key)
                frontier.append((env.unwrapped.snapshot(), depth + 1))
    raise AssertionError("there is no solution")


@pytest.mark.parametrize(
    "goal", [(SIMPLE, "mug", "sidetable"), (LOOK, "mug", "desklamp"), (HEAT, "apple", "sidetable")]
)
def test_the_oracle_s_plan_is_shortest(goal):
    spec = kitchen(goal)
    spec["receptacles"] = [record for record in spec["receptacles"] if record["name"] != "sinkbasin 1"]
    spec["objects"] = [record for record in spec["objects"] if record["name"] not in ("knife 1", "apple 2")]
    game = compile_game(spec)
    assert len(plan(game, game.start)) == shortest(spec)


def test_the_oracle_wins_from_wherever_chance_has_led():
    env = gym.make("AgentGym/Household-v1", split="val", rooms=2, quest=2, max_turns=400)
    for index in range(10):
        rng = np.random.default_rng(index)
        env.reset(seed=index, options={"task": index})
        for _ in range(40):
            if not env.unwrapped.ended:
                env.step(env.unwrapped.sample_action(rng))
        while not env.unwrapped.ended:
            env.step(env.unwrapped.oracle_action())
        assert env.unwrapped.step("look")[-1]["success"], index


def test_the_expert_knows_only_what_it_has_seen():
    """Things that are behind doors it has not opened change nothing in what it does."""
    for seed in range(30):
        spec = generate(seed, HomeOptions())
        openable = [record["name"] for record in spec["receptacles"] if record["name"].split()[0] in tables().openable]
        if len(openable) < 2:
            continue
        moved = json.loads(json.dumps(spec))
        for record in moved["objects"]:
            kinds = [name for name in openable if record["name"].split()[0] in tables().contains[name.split()[0]]]
            if record["in"][0] in kinds:
                record["in"] = [kinds[-1 - kinds.index(record["in"][0])]]
        one, other = (gym.make("AgentGym/Household-v1").unwrapped for _ in range(2))
        try:
            texts = [env.reset(options={"task": task})[0] for env, task in ((one, spec), (other, moved))]
        except TaskError:
            continue  # the other household may be won from the start
        while texts[0] == texts[1] and not one.ended:
            actions = [env.expert_action() for env in (one, other)]
            assert actions[0] == actions[1], seed
            texts = [env.step(actions[0])[0] for env in (one, other)]
