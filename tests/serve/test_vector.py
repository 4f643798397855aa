from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError
from agentgym.core.rng import stream
from agentgym.serve.client import Connection, ServerError
from tests.serve.conftest import Running, starter
from tests.serve.test_sessions_failures import counted
from tests.serve.worlds import FRAGILE, MODULE

ROOM = 4  # sessions of one client


@pytest.fixture(scope="module")
def narrow() -> Iterator[Running]:
    """A server that has little room."""
    with starter() as begin:
        yield begin(f"{MODULE}:{FRAGILE}", "--per-client", str(ROOM))


def test_a_vector_plays_as_it_plays_here(server: Running) -> None:
    here = agentgym.make_vec("FrozenLake-v0", 40)
    there = agentgym.connect(server.url, "FrozenLake-v0", 40)
    (texts, infos), (shown, told) = here.reset(seed=7), there.reset(seed=7)
    rng = stream("tests.serve.vector")
    for _ in range(12):
        assert texts == shown
        assert list(infos["task_id"]) == list(told["task_id"])
        actions = [("up", "down", "left", "right")[number] for number in rng.integers(4, size=40)]
        live = rng.random(40) < 0.8
        texts, *arrays, infos = here.step(actions, live=live)
        shown, *others, told = there.step(actions, live=live)
        assert all(np.array_equal(mine, theirs) for mine, theirs in zip(arrays, others, strict=True))
    assert here.call("admissible_actions") == there.call("admissible_actions")
    there.close()


def test_what_one_is_refused_the_others_have_played(narrow: Running) -> None:
    envs = agentgym.connect(narrow.url, FRAGILE, num_envs=2, autoreset_mode="Disabled")
    envs.reset(seed=1, options={"task": "sound"})
    with pytest.raises(ServerError, match="at most 65536 characters"):
        envs.step(["count", "x" * 70_000])
    assert envs.step(["count", "count"])[0] == ("counted 2", "counted 1")
    envs.close()


def test_a_vector_for_which_there_is_no_room_leaves_none_open(narrow: Running) -> None:
    for _ in range(2):
        with pytest.raises(ServerError, match=f"all {ROOM} sessions are in use"):
            agentgym.connect(narrow.url, FRAGILE, num_envs=2 * ROOM)
    assert counted(narrow)["agentgym_sessions"] == 0
    agentgym.connect(narrow.url, FRAGILE, num_envs=ROOM).close()
    for number in (0, -1):
        with pytest.raises(ConfigError, match="num_envs must be at least 1"):
            agentgym.connect(narrow.url, FRAGILE, num_envs=number)


def test_a_vector_can_be_closed_whatever_became_of_its_sessions(narrow: Running) -> None:
    envs = agentgym.connect(narrow.url, FRAGILE, num_envs=3)
    other = Connection(narrow.url)
    other.ask([{"op": "close", "session": envs._sessions[1]}])
    other.close()
    envs.close()
    envs.close()
    assert counted(narrow)["agentgym_sessions"] == 0
