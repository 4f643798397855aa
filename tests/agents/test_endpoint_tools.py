"""Native tool calls and thoughts: what is asked, what is played, and what the model is shown of it again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentgym.agents import EndpointPolicy, make_agent
from agentgym.core import ConfigError, ScriptedModel
from agentgym.core.prose import without_thinking
from agentgym.evaluate import evaluate, open_pool
from agentgym.rollout import Episode, EpisodeSpec, RecordOptions, assign_roles, play
from tests.agents.server import Answer, ChatServer, call, completion
from tests.agents.tool_world import NAME


def played(server: ChatServer, world: str = NAME, task: str = "3", **options: Any) -> Episode:
    pool = open_pool(world, "test", {})
    policy = make_agent("endpoint", model="m", base_url=server.base_url, retries=0, **options)
    spec = EpisodeSpec(task, 0, 0, (0,))
    (running,) = play(pool, assign_roles(policy, pool), [spec], options=RecordOptions(infos=True), keep_failures=True)
    return running.first.acting.episode


def calling(*answers: Answer) -> ChatServer:
    return ChatServer(lambda number, request: answers[min(number, len(answers)) - 1])


def test_a_called_tool_is_played_and_answered_under_its_id() -> None:
    first = completion("I look.", ends="tool_calls", tool_calls=[call({"drawer": 1}, number=7)])
    with calling(first, completion(None, tool_calls=[call({"drawer": 3}, number=8)])) as server:
        episode = played(server, tools=True)
    assert episode.success
    assert [json.loads(turn.action) for turn in episode.turns] == [
        {"name": "look", "arguments": {"drawer": number}} for number in (1, 3)
    ]
    asked, again = (request["body"] for request in server.requests)
    (tool,) = asked["tools"]
    assert tool["function"]["name"] == "look"
    assert tool["function"]["parameters"]["required"] == ["drawer"]
    assert again["tools"] == asked["tools"]
    assert "interface for tool calls" in asked["messages"][0]["content"]
    assert all("tools" not in message for message in again["messages"])
    said, answered = again["messages"][-2:]
    assert said == {"role": "assistant", "content": "I look.", "tool_calls": [call({"drawer": 1}, number=7)]}
    assert answered == {"role": "tool", "tool_call_id": "call-7", "content": "Nothing."}


def test_several_calls_in_one_turn_are_refused_and_each_is_answered() -> None:
    """None is played, and the conversation stays one that servers take: every call has its answer."""
    two = [call({"drawer": 3}, number=7), call({"drawer": 1}, number=8)]
    with calling(completion("", tool_calls=two), completion("", tool_calls=[call({"drawer": 3})])) as server:
        episode = played(server, tools=True)
    assert [turn.valid for turn in episode.turns] == [False, True]
    assert [each["arguments"] for each in json.loads(episode.turns[0].action)] == [{"drawer": 3}, {"drawer": 1}]
    said, *answered = server.requests[1]["body"]["messages"][-3:]
    assert said["tool_calls"] == two
    assert [message["tool_call_id"] for message in answered] == ["call-7", "call-8"]
    for message in answered:
        assert "calls tools 2 times, and a turn takes one call" in message["content"]


@pytest.mark.parametrize("between", ["\n", ", ", "```\n```json\n", "</tool_call>\n<tool_call>"])
def test_several_calls_as_text_are_refused_too(between: str) -> None:
    words = between.join(['{"name": "look", "arguments": {"drawer": 3}}'] * 2)
    with calling(completion(f"I call\n<tool_call>{words}</tool_call>")) as server:
        episode = played(server)
    assert not any(turn.valid for turn in episode.turns)
    assert "calls tools several times" in server.requests[1]["body"]["messages"][-1]["content"]


@pytest.mark.parametrize(("most", "played"), [(1, [False, True, True]), (2, [True, True])])
def test_calls_through_the_interface_reach_the_wrapper_that_makes_tools_of_words(most: int, played: list[bool]) -> None:
    several = [call({}, name="inventory", number=number) for number in (1, 2)]
    with calling(completion("", tool_calls=several), completion("", tool_calls=several[:1])) as server:
        result = evaluate(
            "TextCraft-v1", "endpoint", episodes=1, workers=0, env_kwargs={"max_turns": 3},
            wrap=[f"NativeCalls={json.dumps({'style': 'openai', 'most': most})}"],
            agent_options={"model": "m", "base_url": server.base_url, "retries": 0, "tools": True},
        )  # fmt: skip
    assert [turn.valid for turn in result.episodes[0].turns] == played
    assert "calls no function" not in json.dumps([request["body"]["messages"][1:] for request in server.requests])


@pytest.mark.parametrize("arguments", ["{bad", '"text"', "[1]", "", "NaN", "[" * 9999, '{"drawer": 9}'])
def test_a_call_that_the_world_refuses(arguments: str) -> None:
    """The turn is lost, the model is told why, and the conversation stays one that servers take."""
    with calling(
        completion("", tool_calls=[call(arguments)]), completion("", tool_calls=[call({"drawer": 3})])
    ) as server:
        episode = played(server, tools=True)
    assert [turn.valid for turn in episode.turns] == [False, True]
    said, answered = server.requests[1]["body"]["messages"][-2:]
    assert isinstance(json.loads(said["tool_calls"][0]["function"]["arguments"]), dict)
    assert any(word in answered["content"] for word in ("arguments", "drawer", "at most 2048"))


def test_an_answer_in_words_is_read_as_before() -> None:
    words = 'I call {"name": "look", "arguments": {"drawer": 3}}'
    with calling(completion(words)) as server:
        assert played(server, tools=True).success
        assert played(server).success
    assert "tools" in server.requests[0]["body"]
    assert "tools" not in server.requests[1]["body"]
    assert "The last JSON object" in server.requests[1]["body"]["messages"][0]["content"]


def test_a_window_shows_a_tools_answer_whose_call_is_left_out_as_words() -> None:
    with calling(completion("", tool_calls=[call({"drawer": 1})])) as server:
        played(server, tools=True, window=1)
    roles = [message["role"] for message in server.requests[2]["body"]["messages"]]
    assert roles == ["system", "user", "assistant", "tool"]


def test_a_world_without_tools() -> None:
    with (
        calling(completion("left")) as server,
        pytest.raises(ConfigError, match=r"FrozenLake-v0 has no tools to call.*leave out tools \(--tools\)"),
    ):
        played(server, "agentgym:AgentGym/FrozenLake-v0", "0", tools=True)
    with pytest.raises(ConfigError, match="a ScriptedModel is offered no tools"):
        EndpointPolicy(ScriptedModel(lambda messages, seed: ""), calls=True)


def test_a_server_that_takes_no_tools() -> None:
    refusal = Answer({"error": {"message": "tools is not supported"}}, status=400)
    with calling(refusal) as server:
        assert "'tools', leave out --tools" in played(server, tools=True).failure


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("<think>hm</think>\n\nleft", "left"),
        ("<think>a</think>b<think>c</think>left", "left"),
        ("hm</think>left", "left"),
        ("<think>and so on", ""),
        ("left", "left"),
        ("I <think> so", "I <think> so"),
    ],
)
def test_thoughts_are_left_out(said: str, shown: str) -> None:
    assert without_thinking(said) == shown


@pytest.mark.parametrize("keep", [False, True])
def test_thoughts_are_on_record_and_shown_again_only_if_asked_for(keep: bool) -> None:
    said = '<think>one</think>{"name": "look", "arguments": {"drawer": 1}}'
    with calling(completion(said, reasoning_content="two")) as server:
        episode = played(server, keep_thinking=keep)
    turn = episode.turns[0]
    assert turn.reply is not None
    assert (turn.said, turn.reply.reasoning) == (said, "two")
    message = server.requests[1]["body"]["messages"][2]
    if keep:
        assert message == {"role": "assistant", "content": said, "reasoning_content": "two"}
    else:
        assert message == {"role": "assistant", "content": said.partition("</think>")[2]}


def test_a_refusal_is_shown_again_as_what_was_said() -> None:
    with calling(completion(None, refusal="I will not.")) as server:
        episode = played(server)
    assert episode.turns[0].reply is not None
    assert (episode.turns[0].valid, episode.turns[0].reply.refusal) == (False, "I will not.")
    assert server.requests[1]["body"]["messages"][2] == {"role": "assistant", "content": "I will not."}
