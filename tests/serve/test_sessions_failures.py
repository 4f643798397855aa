"""A session whose environment cannot go on ends as an environment failure, and no other session notices."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

import agentgym
from agentgym.core.rng import stream
from agentgym.serve.client import ServerError
from tests.processes import kill_keeper
from tests.serve.conftest import Running, Start, starter
from tests.serve.worlds import ENGINE, FRAGILE, MODULE

ENGINES = 3


@pytest.fixture(scope="module")
def fragile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with starter() as begin:
        yield begin(f"{MODULE}:{FRAGILE}", f"{MODULE}:{ENGINE}", "--step-timeout", "3", "--engines", str(ENGINES))


def begun(server: Running, env_id: str = FRAGILE, task: str = "sound") -> Any:
    env = agentgym.connect(server.url, env_id)
    env.reset(seed=1, options={"task": task})
    return env


def counted(server: Running) -> dict[str, int]:
    text = requests.get(f"{server.url}/metrics", timeout=60).text
    return {line.split()[0]: int(line.split()[1]) for line in text.splitlines() if not line.startswith("#")}


WHYS = {
    "die": "its process ended with exit status 7",
    "raise": "ZeroDivisionError: the world divided by nothing (_step, line",
    "hang": "it did not answer within 3 seconds",
}


@pytest.mark.parametrize("env_id", [FRAGILE, ENGINE])
@pytest.mark.parametrize("action", ["die", "raise", pytest.param("hang", marks=pytest.mark.full)])
def test_an_environment_that_cannot_go_on_fails_and_can_be_reset(fragile: Running, action: str, env_id: str) -> None:
    before = counted(fragile)
    others = [begun(fragile) for _ in range(6)]  # some of them in the process that ends
    env = begun(fragile, env_id)
    for number in (1, 2):
        assert [each.step("count")[0] for each in (*others, env)] == [f"counted {number}"] * 7
    text, reward, terminated, truncated, info = env.step(action)
    assert WHYS[action] in info["failure"]
    assert info["failure"] in text
    assert (reward, terminated, truncated, info["success"], info["action_valid"]) == (0.0, False, True, False, True)
    assert env.step("count")[4]["failure"] == info["failure"]  # what is over stays over, and earns nothing
    with pytest.raises(ServerError, match="the environment failed") as refused:
        env.admissible_actions()
    assert refused.value.status == 503
    for request in ({"op": "snapshot"}, {"op": "outcome"}):
        with pytest.raises(ServerError, match="reset it"):
            env._connection.ask([{**request, "session": env.session}])
    assert [each.step("count")[0] for each in others] == ["counted 3"] * 6
    assert not any(each.step("count")[4]["failure"] for each in others)
    assert env.reset(seed=1, options={"task": "sound"})[0].startswith("counted 0")
    assert env.step("count")[:2] == ("counted 1", 1.0)
    after = counted(fragile)
    names = ("failures", "retries")
    grown = {name: after[f"agentgym_{name}_total"] - before[f"agentgym_{name}_total"] for name in names}
    assert grown["failures"] == 1
    assert (grown["retries"] >= 2) == (action != "raise")  # an error ends the session at once, and no process
    for each in (*others, env):
        each.close()


def test_what_fails_is_logged_without_words_of_a_client(start: Start) -> None:
    server = start(f"{MODULE}:{FRAGILE}", "--idle", "1")
    env, idle = begun(server), begun(server)
    env.step("die")
    env.reset(options={"task": "sound"})
    env.step("raise")
    until = time.monotonic() + 30
    while counted(server)["agentgym_sessions_idle_total"] < 2 and time.monotonic() < until:
        time.sleep(0.2)
    assert server.end() == -signal.SIGTERM
    assert server.process.stderr is not None
    lines = [json.loads(line) for line in server.process.stderr.read().splitlines()]
    told = [{name: value for name, value in line.items() if name != "time"} for line in lines]
    died = "its process ended with exit status 7"
    assert [line for line in told if line["event"] == "failed"] == [
        {"event": "failed", "env": "Brittle-v0", "work": "step", "why": died},
        {"event": "failed", "env": "Brittle-v0", "work": "step", "why": "ZeroDivisionError"},
    ]
    assert [line["why"] for line in told if line["event"] == "worker_ended"][:3] == [died] * 3
    assert sum(line["closed"] for line in told if line["event"] == "idle") == 2
    assert told[-1] == {"event": "ended"}
    assert idle.session not in json.dumps(told)  # whoever reads the log can play nobody's session


def test_a_task_that_cannot_begin_fails_and_another_one_begins(fragile: Running) -> None:
    env = agentgym.connect(fragile.url, FRAGILE)
    text, info = env.reset(seed=1, options={"task": "stillborn"})
    assert info["failure"] == "its process ended with exit status 7"
    assert info["failure"] in text
    assert env.step("count")[3:] == (True, info)
    assert env.reset(options={"task": "sound"})[1]["failure"] == ""
    assert env.step("count")[0] == "counted 1"
    env.close()


def test_a_world_that_answers_otherwise_when_it_is_played_again_is_not_passed_off(start: Start) -> None:
    server = start(f"{MODULE}:{FRAGILE}")
    env, other = begun(server, task="strange"), begun(server)
    assert env.step("count")[0].startswith("counted 1 in ")
    other.step("count")
    for keeper in server.workers():
        kill_keeper(keeper)
    _, reward, _, truncated, info = env.step("count")
    assert info["failure"] == "it could not be continued after its process was gone: it answers otherwise"
    assert (reward, truncated) == (0.0, True)
    assert other.step("count")[0] == "counted 2"
    env.close(), other.close()


def test_a_failure_outlives_the_server(start: Start, tmp_path: Path) -> None:
    server = start(f"{MODULE}:{FRAGILE}", "--state", str(tmp_path))
    port = int(server.url.rpartition(":")[2])
    env = begun(server)
    failure = env.step("raise")[4]["failure"]
    server.kill()
    start(f"{MODULE}:{FRAGILE}", "--state", str(tmp_path), port=port)
    assert env.step("count")[4]["failure"] == failure
    assert env.reset(options={"task": "sound"})[0].startswith("counted 0")
    env.close()


@pytest.mark.full
@pytest.mark.parametrize("kills", [2, pytest.param(25, marks=pytest.mark.full)])
def test_engines_go_on_when_their_processes_are_killed(start: Start, kills: int) -> None:
    """An engine cannot be copied: it comes back by playing its log again, in a new process."""
    server = start(f"{MODULE}:{ENGINE}")
    rng, counts = stream("tests.serve.failures.engines"), [0] * 4
    engines = [begun(server, ENGINE) for _ in counts]
    for _ in range(kills):
        keepers = server.workers()
        assert len(keepers) == len(engines)  # a process each
        kill_keeper(keepers[int(rng.integers(len(keepers)))])
        for place, env in enumerate(engines):
            for _ in range(int(rng.integers(1, 4))):
                counts[place] += 1
                text, *_, info = env.step("count")
                assert (text, info["failure"]) == (f"counted {counts[place]}", "")
    for env in engines:
        env.close()
    until = time.monotonic() + 30
    while server.workers() and time.monotonic() < until:
        time.sleep(0.05)
    assert not server.workers()  # none is left behind


def test_engines_are_as_many_as_were_allowed(fragile: Running) -> None:
    engines = [begun(fragile, ENGINE) for _ in range(ENGINES)]
    with pytest.raises(ServerError, match=f"all {ENGINES} sessions of engines are in use") as refused:
        begun(fragile, ENGINE)
    assert refused.value.status == 429
    begun(fragile).close()  # what shares a process has room
    engines.pop().close()
    engines.append(begun(fragile, ENGINE))
    for env in engines:
        env.close()


def test_a_client_keeps_so_many_snapshots(start: Start) -> None:
    server = start(f"{MODULE}:{FRAGILE}", "--sessions", "3")
    env = begun(server)
    handles = [env.snapshot() for _ in range(3)]
    with pytest.raises(ServerError, match="3 snapshots are kept, which is the limit; forget some") as refused:
        env.snapshot()
    assert refused.value.status == 429
    env.step("count")
    env.forget(handles.pop())
    handles.append(env.snapshot())
    env.restore(handles[0])
    assert env.step("count")[0] == "counted 1"
    env.restore(handles[-1])
    assert env.step("count")[0] == "counted 2"
    env.close()
