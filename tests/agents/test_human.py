"""A person who types."""

from __future__ import annotations

from collections.abc import Callable

import gymnasium as gym
import pytest

import agentgym  # noqa: F401
from agentgym.agents import HumanAgent, Quit, agent_rng


def seated(*lines: str) -> tuple[Callable[[], str], list[str]]:
    """A person with these lines to say, and what the program told them."""
    left, told = list(lines), []

    def ask() -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    agent = HumanAgent(ask, told.append)
    env = gym.make("agentgym:AgentGym/FrozenLake-v0")
    observation, info = env.reset(seed=0)
    agent.begin(env, observation, info, agent_rng(0))
    return lambda: agent.act(observation, info), told


def test_lines_are_actions_as_they_are() -> None:
    act, told = seated("left", "", " go up ")
    assert [act(), act(), act()] == ["left", "", " go up "]
    assert told == []


def test_commands_to_the_program_are_no_actions() -> None:
    act, told = seated(":actions", ":HELP", "  :help", ":dance", "up")
    assert act() == "up"
    assert told[0] == "down\nleft\nright\nup"
    assert told[1] == told[2]
    assert "take a step left" in told[1]
    assert told[3].startswith("There is no :dance.")


@pytest.mark.parametrize("lines", [(":quit",), (":q", "left"), ()])
def test_leaving(lines: tuple[str, ...]) -> None:
    act, _ = seated(*lines)
    with pytest.raises(Quit):
        act()
