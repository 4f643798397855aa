from __future__ import annotations

from typing import Any

import pytest
import requests
from openenv.core import GenericEnvClient
from websockets.sync.client import connect

import agentgym
from tests.serve.conftest import Running


def client(address: str) -> Any:
    """OpenEnv's client that waits for answers: until release 0.2.1 the only one, later what `sync` makes of it."""
    made = GenericEnvClient(base_url=address)
    return made.sync() if hasattr(made, "sync") else made


def test_its_client_plays_an_episode(server: Running) -> None:
    here = agentgym.make("Wordle-v0", split="test")
    with client(f"{server.url}/openenv/Wordle-v0/test") as env:
        for seed in (3, 4):
            text, info = here.reset(seed=seed, options={"task": seed})
            begun = env.reset(seed=seed, task=seed, episode_id="mine")
            assert (begun.observation, begun.reward, begun.done) == ({"text": text, "info": info}, None, False)
            assert env.state() == {
                "episode_id": "mine",
                "step_count": 0,
                "task_id": info["task_id"],
                "split": "test",
            }
            done = False
            while not done:
                action = here.unwrapped.expert_action()
                text, reward, terminated, truncated, info = here.step(action)
                step, done = env.step({"action": action}), terminated or truncated
                assert (step.observation, step.reward, step.done) == ({"text": text, "info": info}, reward, done)
            assert env.state()["step_count"] == info["metrics"].get("guesses", env.state()["step_count"])


def test_what_is_wrong_is_said_and_the_session_goes_on(server: Running) -> None:
    with client(f"{server.url}/openenv/Wordle-v0") as env:
        with pytest.raises(RuntimeError, match="reset"):
            env.step({"action": "crane"})
        env.reset(seed=1)
        for action in ({}, {"action": 3}, {"words": "crane"}):
            with pytest.raises(RuntimeError, match="action must be a text"):
                env.step(action)
        with pytest.raises(RuntimeError, match="nonsense"):
            env.reset(nonsense=1)
        with pytest.raises(RuntimeError, match="episode_id must be a text"):
            env.reset(episode_id=["x"])
        assert not env.step({"action": "crane"}).done


def test_a_session_ends_with_its_connection(server: Running) -> None:
    def opened() -> int:
        text = requests.get(f"{server.url}/metrics", timeout=60).text
        return int(text.partition("\nagentgym_sessions ")[2].split()[0])

    before = opened()
    with connect(f"{server.ws}/openenv/Wordle-v0/ws") as socket:
        socket.send('{"type":"reset"}')
        socket.recv()
        assert opened() == before + 1
        socket.send("nonsense")
        assert "INVALID_JSON" in socket.recv()
        socket.send('{"type":"mcp"}')
        assert "UNKNOWN_TYPE" in socket.recv()
        socket.send('{"type":"close"}')
        with pytest.raises(Exception, match="1000"):
            socket.recv()
    assert opened() == before


def test_worlds_describe_themselves(server: Running) -> None:
    base = f"{server.url}/openenv/Wordle-v0"
    assert requests.get(f"{base}/health", timeout=60).json() == {"status": "healthy"}
    assert requests.get(f"{base}/metadata", timeout=60).json()["name"] == "AgentGym/Wordle-v0"
    assert requests.get(f"{base}/schema", timeout=60).json()["action"]["required"] == ["action"]
    for nowhere in ("Nothing-v0", "Wordle-v0/nowhere"):
        assert requests.get(f"{server.url}/openenv/{nowhere}/health", timeout=60).status_code == 404
