"""Sessions that lose their process, their server or their patience."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

import agentgym
from agentgym.core.rng import stream
from agentgym.serve.client import Connection, ServerError
from tests.serve.conftest import Start


def test_sessions_go_on_after_their_process_was_killed(start: Start) -> None:
    server = start("Wordle-v0", "FrozenLake-v0")
    rng = stream("tests.serve.sessions.workers")
    here = agentgym.make_vec("FrozenLake-v0", 24)
    there = agentgym.connect(server.url, "FrozenLake-v0", 24)
    assert here.reset(seed=3)[0] == there.reset(seed=3)[0]
    for turn in range(30):
        if turn % 6 == 3:
            workers = server.workers()
            os.kill(workers[int(rng.integers(len(workers)))], signal.SIGKILL)
        actions = [("up", "down", "left", "right")[number] for number in rng.integers(4, size=24)]
        (text, reward, *_, told), (shown, got, *_, heard) = here.step(actions), there.step(actions)
        assert (text, reward.tolist(), list(told["task_id"])) == (shown, got.tolist(), list(heard["task_id"]))
        assert not any(heard["failure"])
    there.close()


@pytest.mark.full
def test_sessions_go_on_after_the_server_was_killed(start: Start, tmp_path: Path) -> None:
    server = start("FrozenLake-v0", "--state", str(tmp_path))
    port = int(server.url.rpartition(":")[2])
    here, env = agentgym.make("FrozenLake-v0"), agentgym.connect(server.url, "FrozenLake-v0")
    assert env.reset(seed=6) == here.reset(seed=6)
    saved, mark = env.snapshot(), agentgym.snapshot(here)
    for _ in range(2):
        for action in ("right", "down", "left"):
            assert env.step(action) == here.step(action)
        assert env.reset() == here.reset()
        assert env.step("down") == here.step("down")
        server.kill()
        server = start("FrozenLake-v0", "--state", str(tmp_path), port=port)
        assert env.step("right") == here.step("right")
        assert env.admissible_actions() == here.unwrapped.admissible_actions()
    env.restore(saved)
    agentgym.restore(here, mark)
    for action in ("down", "down"):
        assert env.step(action) == here.step(action)
    assert server.end() == -signal.SIGTERM  # as programs end that clean up and let the signal pass
    server = start("FrozenLake-v0", "--state", str(tmp_path), port=port)
    assert env.step("up") == here.step("up")
    env.close()


def test_an_answer_that_was_lost_with_the_server_comes_again(start: Start, tmp_path: Path) -> None:
    server = start("FrozenLake-v0", "--state", str(tmp_path))
    port = int(server.url.rpartition(":")[2])
    env = agentgym.connect(server.url, "FrozenLake-v0")
    env.reset(seed=6)
    turns = env._connection._turns
    turn, step = turns[env.session], env.step("right")
    server.kill()
    start("FrozenLake-v0", "--state", str(tmp_path), port=port)
    turns[env.session] = turn
    assert env.step("right") == step


def test_one_folder_belongs_to_one_server(start: Start, tmp_path: Path) -> None:
    start("FrozenLake-v0", "--state", str(tmp_path))
    with pytest.raises(AssertionError, match="in use by another server"):
        start("FrozenLake-v0", "--state", str(tmp_path))


@pytest.mark.full
def test_there_is_room_for_so_many(start: Start) -> None:
    server = start("FrozenLake-v0", "--sessions", "3", "--idle", "1")
    connection = Connection(server.url)
    opened = [connection.ask([{"op": "create", "env": "FrozenLake-v0"}])[0]["session"] for _ in range(3)]
    with pytest.raises(ServerError, match="all 3 sessions are in use"):
        connection.ask([{"op": "create", "env": "FrozenLake-v0"}])
    connection.ask([{"op": "close", "session": opened[0]}])
    connection.ask([{"op": "create", "env": "FrozenLake-v0"}])
    until = time.monotonic() + 30
    while time.monotonic() < until:  # idle sessions are looked for every few seconds
        time.sleep(0.5)
        try:
            connection.ask([{"op": "create", "env": "FrozenLake-v0"}])
            break
        except ServerError:
            continue
    with pytest.raises(ServerError, match="no such session"):
        connection.ask([{"op": "step", "session": opened[1], "action": "up"}])
