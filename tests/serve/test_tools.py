from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests
from mcp import Client

import agentgym
from tests.serve.conftest import Running, Start
from tests.serve.worlds import FRAGILE, MODULE


def in_a_thread(play: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Play in a thread of its own: where a browser was driven before, this one has a loop that runs already."""
    with ThreadPoolExecutor(1) as threads:
        threads.submit(lambda: asyncio.run(play())).result()


def test_its_client_plays_a_world_of_words(server: Running) -> None:
    here = agentgym.make("Wordle-v0", split="test").unwrapped

    async def play() -> None:
        async with Client(f"{server.url}/mcp/Wordle-v0/test") as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["reset", "step"]
            begun = await client.call_tool("reset", {"seed": 1, "task": 4})
            assert begun.content[0].text == here.reset(seed=1, options={"task": 4})[0]
            ended = False
            while not ended:
                action = here.expert_action()
                text, reward, terminated, truncated, info = here.step(action)
                step = await client.call_tool("step", {"action": action})
                assert (step.content[0].text, step.is_error) == (text, False)
                told = {"reward": reward, "terminated": terminated, "truncated": truncated, "info": info}
                assert step.structured_content == told
                ended = terminated or truncated
            assert (await client.call_tool("step", {"action": "crane"})).is_error  # the episode is over

    in_a_thread(play)


def test_its_client_calls_a_worlds_own_tools(server: Running) -> None:
    here = agentgym.make("Todo-v0").unwrapped

    async def play() -> None:
        async with Client(f"{server.url}/mcp/Todo-v0") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            own = {each["function"]["name"]: each["function"] for each in here.tools}
            assert set(tools) == {"reset", "step", *own}
            assert all(tools[name].input_schema == own[name]["parameters"] for name in own)
            await client.call_tool("reset", {"seed": 1, "task": 4})
            here.reset(seed=1, options={"task": 4})
            ended = False
            while not ended:
                call = json.loads(here.expert_action())
                text, reward, terminated, truncated, _ = here.step(json.dumps(call))
                step = await client.call_tool(call["name"], call["arguments"])
                assert (step.content[0].text, step.structured_content["reward"]) == (text, reward)
                ended = terminated or truncated
            assert step.structured_content["info"]["success"]

    in_a_thread(play)


def rpc(url: str, body: Any, session: str = "") -> requests.Response:
    return requests.post(url, data=json.dumps(body), headers={"Mcp-Session-Id": session} if session else {}, timeout=60)


def test_a_session_ends_when_its_client_says_so(server: Running) -> None:
    url = f"{server.url}/mcp/Wordle-v0"
    begun = rpc(url, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}})
    assert begun.json()["result"]["protocolVersion"] == "2025-06-18"
    session = begun.headers["Mcp-Session-Id"]
    assert rpc(url, {"jsonrpc": "2.0", "id": 2, "method": "ping"}, session).json()["result"] == {}
    assert rpc(url, {"jsonrpc": "2.0", "method": "notifications/initialized"}, session).status_code == 202
    assert requests.delete(url, headers={"Mcp-Session-Id": session}, timeout=60).status_code == 204
    assert rpc(url, {"jsonrpc": "2.0", "id": 3, "method": "ping"}, session).status_code == 404


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ([], -32600),
        ({"id": 1}, -32600),
        ({"id": 1, "method": "initialize", "params": [1]}, -32602),
        ({"id": 1, "method": "server/discover"}, -32601),
    ],
)
def test_what_is_no_request_is_told(server: Running, body: Any, code: int) -> None:
    assert rpc(f"{server.url}/mcp/Wordle-v0", body).json()["error"]["code"] == code


def test_wrong_calls_are_told(server: Running) -> None:
    url = f"{server.url}/mcp/Todo-v0"
    session = rpc(url, {"id": 1, "method": "initialize", "params": {}}).headers["Mcp-Session-Id"]

    def call(name: Any, arguments: Any) -> Any:
        return rpc(
            url, {"id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}}, session
        ).json()

    for name in ("nothing", {}, [], 3, None):
        assert call(name, {})["error"]["code"] == -32602
    for arguments in ([1], [], "", 0, False):
        assert call("step", arguments)["error"]["code"] == -32602
    assert call("reset", {"seed": 1, "sed": 2})["error"]["message"] == "reset takes seed and task, nothing else"
    assert call("step", {"action": "x", "turn": 2})["error"]["message"] == "step takes action, nothing else"
    assert call("reset", {"seed": "x"})["result"]["isError"]
    assert call("step", {"action": "x"})["result"]["isError"]  # before reset
    assert not call("reset", {"seed": 1})["result"]["isError"]
    assert call("step", {"action": 3})["result"]["isError"]
    assert rpc(url, {"id": 3, "method": "resources/list"}, session).json()["error"]["code"] == -32601
    elsewhere = rpc(f"{server.url}/mcp/Wordle-v0", {"id": 4, "method": "ping"}, session)
    assert (elsewhere.status_code, "one of Todo-v0" in elsewhere.json()["error"]["message"]) == (404, True)


def test_its_client_is_told_why_it_is_refused(server: Running) -> None:
    async def play() -> None:
        with pytest.raises(BaseExceptionGroup) as caught:
            async with Client(f"{server.url}/mcp/Wordle-v0/nowhere"):
                pass
        assert caught.group_contains(Exception, match="unknown split of AgentGym/Wordle-v0 'nowhere'")

    in_a_thread(play)


def test_its_client_resets_an_environment_that_failed(start: Start) -> None:
    server = start(f"{MODULE}:{FRAGILE}")

    async def play() -> None:
        async with Client(f"{server.url}/mcp/{FRAGILE.partition('/')[2]}") as client:
            await client.call_tool("reset", {"seed": 1, "task": "sound"})
            for action, words in (("raise", "the world divided by nothing"), ("count", "the environment failed")):
                step = await client.call_tool("step", {"action": action})
                assert step.is_error
                assert words in step.content[0].text.lower()
            begun = await client.call_tool("reset", {"seed": 1, "task": "sound"})
            assert (begun.is_error, begun.content[0].text.partition("\n")[0]) == (False, "counted 0")
            assert (await client.call_tool("step", {"action": "count"})).content[0].text == "counted 1"

    in_a_thread(play)
