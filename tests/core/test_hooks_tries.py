"""Worlds whose turns are tries of the task: a higher turn limit gives no more of them, and they count what is left."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import load_env_creator

from agentgym.envs import CARDS

COUNTED = {
    "AgentGym/Wordle-v0": "Tries left",
    "AgentGym/Mastermind-v0": "Guesses left",
    "AgentGym/GuessCity-v0": "Questions left",
    "AgentGym/TwentyQuestions-v0": "Questions left",
}


def test_these_are_all() -> None:
    assert {
        each.id for each in CARDS if not each.extras and getattr(load_env_creator(each.entry_point), "has_tries", False)
    } == set(COUNTED)


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("nonsense", [False, True], ids=["a guess comes last", "nonsense comes last"])
def test_a_higher_turn_limit_gives_no_more_tries_than_the_task_has(name: str, nonsense: bool) -> None:
    env = gym.make(name, max_turns=200)
    env.reset(seed=1)
    world, rng = env.unwrapped, np.random.default_rng(0)
    most = world.max_turns  # type: ignore[attr-defined]
    assert most < 200
    for turn in range(1, most + 1):
        last = nonsense and turn == most
        text, _, terminated, truncated, info = env.step("" if last else world.sample_action(rng))  # type: ignore[attr-defined]
        assert not info["success"]
        assert (terminated or truncated) == (turn == most)
        assert f"{COUNTED[name]}: {most - turn}" in text or turn == most
    assert (terminated, truncated) == (not nonsense, nonsense)
