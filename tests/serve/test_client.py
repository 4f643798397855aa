from __future__ import annotations

import os
import signal
import socket
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import agentgym
from agentgym.core import ConfigError, SnapshotError
from agentgym.core.rng import stream
from agentgym.serve.client import RemoteEnv, RemoteSnapshot, ServerError
from tests.serve.conftest import WORLDS, Running, starter
from tests.serve.worlds import A_WHILE, FRAGILE, MODULE


@pytest.fixture(scope="module")
def brittle() -> Iterator[Running]:
    """A server of a world that takes its time."""
    with starter() as begin:
        yield begin(f"{MODULE}:{FRAGILE}")


def begun(server: Running) -> Any:
    env = agentgym.connect(server.url, FRAGILE)
    env.reset(seed=1, options={"task": "sound"})
    return env


@pytest.mark.parametrize("name", WORLDS)
def test_a_served_world_passes_gymnasiums_checks(server: Running, name: str) -> None:
    env = agentgym.connect(server.url, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*render_fps.*")  # words have no frames
        warnings.filterwarnings("ignore", message=".*is not within the observation space.*flattened.*")
        check_env(env)
    env.close()


@pytest.mark.parametrize("name", WORLDS)
def test_it_plays_as_the_world_plays_here(server: Running, name: str) -> None:
    here, there = agentgym.make(name), agentgym.connect(server.url, name)
    rng = stream("tests.serve.client", name)
    assert here.reset(seed=11) == there.reset(seed=11)
    for _ in range(30):
        assert here.unwrapped.admissible_actions() == there.admissible_actions()
        action = here.unwrapped.sample_action(rng) if rng.random() < 0.9 else "no such thing"
        step = here.step(action)
        assert step == there.step(action)
        if step[2] or step[3]:
            assert here.step("x") == there.step("x")  # after the end
            assert here.reset() == there.reset()  # both go on with their generators
    assert (here.unwrapped.manual, here.unwrapped.tools) == (there.manual, there.tools)
    there.close()


def test_options_choose_split_task_and_limit(server: Running) -> None:
    env = agentgym.connect(server.url, "AgentGym/Wordle-v0", split="test", max_turns=2)
    task = agentgym.make("Wordle-v0", split="test").unwrapped.tasks("test")[3].id
    _, info = env.reset(options={"task": task})
    assert (info["task_id"], info["split"], env.facts["max_turns"]) == (task, "test", 2)
    assert [env.step("crane")[3], env.step("crane")[3]] == [False, True]
    env.close()


def test_pictures_come_as_arrays(server: Running) -> None:
    here = agentgym.make("FrozenLake-v0", render_mode="rgb_array")
    there = agentgym.connect(server.url, "FrozenLake-v0", render_mode="rgb_array")
    here.reset(seed=1), there.reset(seed=1)
    picture = there.render()
    assert picture.dtype == np.uint8
    assert np.array_equal(picture, here.render())
    there.close()


def test_a_snapshot_is_a_handle(server: Running) -> None:
    env = agentgym.connect(server.url, "FrozenLake-v0")
    env.reset(seed=4)
    env.step("right")
    saved = env.snapshot()
    key = env.state_key()
    first = [env.step(action) for action in ("down", "right", "down")]
    env.restore(saved)
    assert env.state_key() == key
    assert [env.step(action) for action in ("down", "right", "down")] == first
    twin = env.fork()
    assert twin.session != env.session
    env.restore(saved)
    assert [twin.step("up"), env.step("down")][1] == first[0]
    env.forget(saved)
    with pytest.raises(ServerError, match="no such snapshot"):
        env.restore(saved)
    with pytest.raises(SnapshotError, match="is not of"):
        env.restore(RemoteSnapshot(server.url, "AgentGym/Wordle-v0", saved.handle))
    twin.close(), env.close()


def test_a_snapshot_fits_equal_sessions_only(server: Running) -> None:
    env, other = agentgym.connect(server.url, "Wordle-v0"), agentgym.connect(server.url, "Wordle-v0", split="test")
    env.reset(seed=1), other.reset(seed=1)
    with pytest.raises(ServerError, match="restore it in an equal session"):
        other.restore(env.snapshot())
    env.close(), other.close()


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"env": "Nothing-v0"}, "unknown environment"),
        ({"env": "Wordle-v0", "split": "nowhere"}, "split"),
        ({"env": "Wordle-v0", "max_turns": "many"}, "'max_turns' cannot be"),
        ({"env": "Wordle-v0", "render_mode": "human"}, "'render_mode' cannot be"),
    ],
)
def test_what_cannot_be_opened_is_said(server: Running, request_: dict[str, str], words: str) -> None:
    with pytest.raises(ServerError, match=words):
        RemoteEnv(server.url, request_.pop("env"), **request_)


def test_refused_resets_change_nothing(server: Running) -> None:
    env = agentgym.connect(server.url, "Wordle-v0")
    with pytest.raises(ServerError, match="reset"):
        env.step("crane")
    env.reset(seed=1)
    for options in ({"task": "no such task"}, {"nonsense": 1}):
        with pytest.raises(ServerError):
            env.reset(options=options)
    with pytest.raises(gym.error.Error, match="Seed must be"):
        env.reset(seed=-1)
    here = agentgym.make("Wordle-v0")
    here.reset(seed=1)
    assert env.step("crane") == here.step("crane")
    with pytest.raises(TypeError, match="an action is a string"):
        env.step(3)  # type: ignore[arg-type]
    env.close()


def test_a_broken_connection_is_opened_again(server: Running) -> None:
    env, here = agentgym.connect(server.url, "Wordle-v0"), agentgym.make("Wordle-v0")
    env.reset(seed=2), here.reset(seed=2)
    for word in ("crane", "slate", "pound"):
        env._connection._socket.socket.close()
        assert env.step(word) == here.step(word)
    env.close()


def test_what_had_no_answer_is_played_once(server: Running) -> None:
    env, here = agentgym.connect(server.url, "Wordle-v0"), agentgym.make("Wordle-v0")
    env.reset(seed=2), here.reset(seed=2)
    turns = env._connection._turns
    turn = turns[env.session]
    first = env.step("crane")
    turns[env.session] = turn  # as if the answer had been lost
    assert env.step("crane") == first == here.step("crane")
    turns[env.session] = turn
    with pytest.raises(ServerError, match="another request was that of turn"):
        env.step("pound")
    turns[env.session] = turn + 1
    assert env.step("slate") == here.step("slate")
    turns[env.session] = turn
    with pytest.raises(ServerError, match="the session is at turn"):
        env.step("pound")
    env.close()


def test_an_interrupted_action_is_played_once_and_answers_no_other(brittle: Running) -> None:
    def strike(*_: Any) -> None:
        raise KeyboardInterrupt

    env, before = begun(brittle), signal.signal(signal.SIGUSR1, strike)
    timer = threading.Timer(A_WHILE / 4, os.kill, (os.getpid(), signal.SIGUSR1))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            env.step("wait")
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, before)
    assert env.step("bogus")[4]["action_valid"] is False
    assert [env.step("count")[0] for _ in range(2)] == ["counted 2", "counted 3"]
    env.close()


def test_a_connection_that_breaks_under_way_is_waited_for(brittle: Running) -> None:
    env = begun(brittle)
    wire = env._connection._socket.socket
    timer = threading.Timer(A_WHILE / 4, wire.shutdown, (socket.SHUT_RDWR,))
    timer.start()
    assert env.step("wait")[0] == "counted 1"
    timer.join()
    assert env._connection._socket.socket is not wire
    assert env.step("count")[0] == "counted 2"
    env.close()


def test_what_cannot_be_sent_is_not_asked_again(brittle: Running) -> None:
    env = begun(brittle)
    with pytest.raises(TypeError, match="JSON"):
        env.reset(options={"task": object()})
    with pytest.raises(ServerError, match="longer than the server takes") as refused:
        env.step("x" * 5_000_000)
    assert refused.value.status == 413
    assert env.step("count")[0] == "counted 1"
    env.close()


def test_it_is_made_again_by_its_spec(server: Running) -> None:
    env = agentgym.connect(server.url, "Wordle-v0", split="test")
    assert env.spec is not None
    twin = gym.make(env.spec)
    assert twin.reset(seed=5) == env.reset(seed=5)
    twin.close(), env.close()


def test_an_address_must_be_one() -> None:
    with pytest.raises(ConfigError, match="no address"):
        agentgym.connect("wordle", "Wordle-v0")
