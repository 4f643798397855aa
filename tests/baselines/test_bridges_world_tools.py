"""A world as functions, and as the tools of LangGraph and of the OpenAI Agents SDK where these are installed."""

from __future__ import annotations

import pytest

import agentgym
from agentgym.baselines.bridges.world_tools import OVER, WorldTools
from tests.baselines.calling import calling, oracle_calls

LANGGRAPH = "LangGraph is not installed: pip install langgraph langchain-openai"
AGENTS = "the OpenAI Agents SDK is not installed: pip install openai-agents"
LAKE = {"size": 3, "slippery": False}


@pytest.mark.parametrize(("world", "arguments"), [("Todo-v0", {}), ("FrozenLake-v0", LAKE)])
def test_functions_play_as_the_world_itself(world: str, arguments: dict[str, object]) -> None:
    calls, shown, total = oracle_calls(world, 3, **arguments)
    tools = WorldTools(agentgym.make(world, split="test", **arguments))
    assert tools.call("act", {"action": "up"}) == OVER
    assert tools.begin(3) == shown[0]
    names = {each["name"] for each in tools.functions}
    assert {call["name"] for call in calls} <= names
    assert [tools.call(each["name"], each["arguments"]) for each in calls] == shown[1:]
    assert (tools.total, tools.over, tools.info["success"]) == (total, True, True)
    assert tools.call(calls[0]["name"], calls[0]["arguments"]) == OVER


@pytest.mark.parametrize(("world", "arguments"), [("Todo-v0", {}), ("FrozenLake-v0", LAKE)])
def test_langgraph_plays_to_the_end(world: str, arguments: dict[str, object]) -> None:
    pytest.importorskip("langgraph", reason=LANGGRAPH)
    openai = pytest.importorskip("langchain_openai", reason=LANGGRAPH)
    from agentgym.baselines.bridges import langgraph_world

    calls, shown, total = oracle_calls(world, 3, **arguments)
    tools = WorldTools(agentgym.make(world, split="test", **arguments))
    with calling(calls) as (address, asked):
        model = openai.ChatOpenAI(model="scripted", base_url=address, api_key="none")
        messages = langgraph_world.play(tools, model, 3)
    assert [each.content for each in messages if each.type == "tool"] == shown[1:]
    assert (tools.total, tools.info["success"], len(asked)) == (total, True, len(calls))
    assert asked[0]["messages"][0]["content"] == tools.manual
    assert [each["function"]["name"] for each in asked[0]["tools"]] == [each["name"] for each in tools.functions]


@pytest.mark.parametrize(("world", "arguments"), [("Todo-v0", {}), ("FrozenLake-v0", LAKE)])
def test_the_agents_sdk_plays_to_the_end(world: str, arguments: dict[str, object]) -> None:
    pytest.importorskip("agents", reason=AGENTS)
    from openai import AsyncOpenAI

    from agentgym.baselines.bridges import openai_agents_world

    calls, shown, total = oracle_calls(world, 3, **arguments)
    tools = WorldTools(agentgym.make(world, split="test", **arguments))
    with calling(calls) as (address, asked):
        client = AsyncOpenAI(base_url=address, api_key="none", max_retries=0)
        result = openai_agents_world.play(tools, client, "scripted", 3)
    assert result.final_output == shown[-1]
    assert (tools.total, tools.info["success"], len(asked)) == (total, True, len(calls))
    heard = [each["content"] for each in asked[-1]["messages"] if each["role"] == "tool"]
    assert heard == shown[1 : len(calls)]
