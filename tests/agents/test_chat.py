"""How an episode becomes a conversation, and an answer an action."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import pytest

import agentgym  # noqa: F401
from agentgym.agents import ChatAgent, agent_rng, extract_action
from agentgym.core import EndpointError, Message, Reply, ScriptedModel


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("left", "left"),
        ("  left \n\n", "left"),
        ("I think.\nleft", "left"),
        ("Action: left", "left"),
        ("action : left", "left"),
        ("**Action:** left", "left"),
        ("**Action: left**", "left"),
        ("- Action: `left`", "left"),
        ("Action:\n\nleft\nThat is best.", "left"),
        ("Action: left\nbecause the goal is there", "left"),
        ("Action: left\nAction: right", "right"),
        ("The action: left was bad.\nright", "right"),
        ("```\nleft\n```", "left"),
        ("Action:\n```\nleft\n```", "left"),
        ("<think>Action: up\nhm</think>\nleft", "left"),
        ("Action: search[red shoes: size 9]", "search[red shoes: size 9]"),
        ("Action: click[buy now]", "click[buy now]"),
        ("", ""),
        ("\n \n", ""),
        ("Action:", ""),
        ("```", ""),
    ],
)
def test_the_action_in_words(said: str, action: str) -> None:
    assert extract_action(said) == action


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ('{"name": "a", "arguments": {}}', {"name": "a", "arguments": {}}),
        (
            'I call\n```json\n{\n "name": "a",\n "arguments": {"x": {"y": 1}}\n}\n```',
            {"name": "a", "arguments": {"x": {"y": 1}}},
        ),
        ('{"name": "a", "arguments": {}} or {"name": "b", "arguments": {}}', {"name": "b", "arguments": {}}),
        ('not {json} but {"name": "a"}', {"name": "a"}),
        ('<think>{"name": "b"}</think>{"name": "a"}', {"name": "a"}),
    ],
)
def test_the_action_as_a_call(said: str, action: dict[str, Any]) -> None:
    assert json.loads(extract_action(said, calls=True)) == action


@pytest.mark.parametrize("said", ["no call", "{", '{"a": ', "{" * 5000])
def test_an_answer_without_a_call_is_left_to_the_world(said: str) -> None:
    assert extract_action(said, calls=True) == said.strip()


def play(window: int | None, turns: int) -> list[list[Message]]:
    """The conversations of an episode whose answers are numbered."""
    talks: list[list[Message]] = []

    def answer(messages: Any, seed: int) -> str:
        talks.append(list(messages))
        return f"answer {len(talks)}"

    env = gym.make("agentgym:AgentGym/FrozenLake-v0")
    agent = ChatAgent("test", ScriptedModel(answer), window=window)
    _, info = env.reset(seed=0)
    agent.begin(env, "see 0", info, agent_rng(0))
    for turn in range(turns):
        agent.act(f"see {turn}", info)
    return talks


def contents(talk: list[Message]) -> list[str]:
    return [message["content"] for message in talk[1:]]


def test_all_of_the_history() -> None:
    talks = play(None, 3)
    assert contents(talks[2]) == ["see 0", "answer 1", "see 1", "answer 2", "see 2"]


def test_a_window_keeps_the_first_observation_and_the_last_turns() -> None:
    talks = play(1, 4)
    assert contents(talks[0]) == ["see 0"]
    assert contents(talks[1]) == ["see 0", "answer 1", "see 1"]
    assert contents(talks[2]) == ["see 0\n\n[1 turn is left out here.]\n\nsee 1", "answer 2", "see 2"]
    assert contents(talks[3]) == ["see 0\n\n[2 turns are left out here.]\n\nsee 2", "answer 3", "see 3"]
    assert all([m["role"] for m in talk[1:]] == (["user", "assistant"] * 4)[: len(talk) - 1] for talk in talks)


def test_a_window_of_nothing() -> None:
    assert contents(play(0, 3)[2]) == ["see 0\n\n[2 turns are left out here.]\n\nsee 2"]


def test_an_episode_begins_with_an_empty_history() -> None:
    env = gym.make("agentgym:AgentGym/FrozenLake-v0")
    sizes: list[int] = []
    agent = ChatAgent("test", ScriptedModel(lambda messages, seed: str(sizes.append(len(messages)))))
    _, info = env.reset(seed=0)
    for _ in range(2):
        agent.begin(env, "see", info, agent_rng(0))
        assert agent.reply is None
        agent.act("see", info)
        agent.act("see", info)
    assert sizes == [2, 4, 2, 4]


def test_a_failed_call_leaves_no_reply_behind() -> None:
    """Otherwise its tokens would be counted twice."""
    env = gym.make("agentgym:AgentGym/FrozenLake-v0")

    class Failing:
        calls = 0

        def complete(self, messages: Any, *, seed: int = 0, max_tokens: int = 512) -> Reply:
            self.calls += 1
            if self.calls > 1:
                raise EndpointError("gone")
            return Reply("left", 5, 1)

    agent = ChatAgent("test", Failing())
    _, info = env.reset(seed=0)
    agent.begin(env, "see", info, agent_rng(0))
    assert agent.act("see", info) == "left"
    with pytest.raises(EndpointError):
        agent.act("see", info)
    assert agent.reply is None
