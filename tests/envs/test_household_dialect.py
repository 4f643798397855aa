"""Household in the words of published runs: thoughts, and ALFWorld 0.3."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest

import agentgym  # noqa: F401  (registers the ids)
from tests.envs.kitchen import kitchen, play

MUG = ["go to countertop 1", "take mug 2 from countertop 1", "go to sidetable 1"]


@pytest.mark.parametrize("thought", ["think: the mug is on countertop 1.", "> think: go to fridge 1", "Think: a; b"])
def test_a_thought_is_answered_ok_and_changes_nothing_but_the_turn(thought):
    before, _ = play(kitchen(), *MUG)
    after, answers = play(kitchen(), *MUG, thought)
    text, reward, terminated, truncated, info = answers[-1]
    assert (text, reward, terminated, truncated, info["action_valid"]) == ("OK.", 0.0, False, False, True)
    assert after.state_key() == before.state_key()
    assert after.admissible_actions() == before.admissible_actions()
    assert (before.turn, after.turn) == (3, 4)


@pytest.mark.parametrize("action", ["think:", "think", "think: find it\nlook"])
def test_what_is_no_line_of_thought_is_read_as_before(action):
    _, answers = play(kitchen(), action)
    assert answers[-1][0] != "OK."


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        (["go to fridge 1"], "You arrive at loc 2. The fridge 1 is closed."),
        (["go to countertop 1"], "You arrive at loc 0. On the countertop 1, you see a apple 1, and a mug 2."),
        ([*MUG, "put mug 2 in/on sidetable 1"], "You put the mug 2 in/on the sidetable 1."),
        ([*MUG, "move  Mug 2 to SIDETABLE 1"], "You put the mug 2 in/on the sidetable 1."),
        (["go to sidetable 1", "use desklamp 1"], "You turn on the desklamp 1."),
    ],
)
def test_the_older_words(actions, sentence):
    assert play(kitchen(), *actions, wording="0.3")[1][-1][0] == sentence
    shown = sentence.partition(". ")[2] if sentence.startswith("You arrive at loc ") else sentence
    assert play(kitchen(), *actions, wording="react")[1][-1][0] == shown  # as published agents cut it


def test_published_agents_begin_without_banner_and_empty_lines():
    env = gym.make("AgentGym/Household-v1", wording="react")
    text, _ = env.reset(seed=0, options={"task": kitchen()})
    room, task, *_ = text.split("\n")
    assert room.startswith("You are in the middle of a room. Looking quickly around you, you see a countertop 1, ")
    assert task == "Your task is to: put a clean apple in fridge."
    assert "put mug 2 in/on sidetable 1" in play(kitchen(), *MUG, wording="react")[0].admissible_actions()


def test_the_older_help_names_put():
    text = play(kitchen(), "help", wording="0.3")[1][-1][0]
    assert "put (object) in/on (receptacle):" in text
    assert "move (object)" not in text


def test_the_older_words_list_what_they_accept_and_play_the_same_tasks():
    world, _ = play(kitchen(), *MUG, wording="0.3")
    listed = world.admissible_actions()
    assert "put mug 2 in/on sidetable 1" in listed
    assert not [action for action in listed if action.startswith("move")]
    for action in listed:
        assert world.fork(reseed=0).step(action)[-1]["action_valid"], action
    new, old = (gym.make("AgentGym/Household-v1", split="val", wording=wording) for wording in ("0.4", "0.3"))
    for index in range(5):
        room, other = (env.reset(options={"task": index})[0].split("\n\n")[1] for env in (new, old))
        assert room == other
        while not old.unwrapped.ended:
            old.step(old.unwrapped.oracle_action())
            new.step(new.unwrapped.oracle_action())
        assert new.unwrapped.ended
        specs = [json.loads(json.dumps(env.unwrapped.task.spec)) for env in (old, new)]
        assert specs[0]["objects"] == specs[1]["objects"]
        assert new.unwrapped._state == old.unwrapped._state
