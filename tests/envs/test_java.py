"""The Java machine of a process: worlds apart in it, its end, and what of it stays when many episodes are played."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest

pytest.importorskip("scienceworld", reason='run  pip install "agentgym-suite[worlds]"')

import agentgym  # noqa: F401  (registers the ids)
from agentgym.core.errors import EngineFailure
from agentgym.envs._kit import java
from agentgym.envs._kit.engine_pool import EnginePool
from agentgym.envs.text._science_world import engine
from tests.processes import ends

ID = "AgentGym/ScienceWorld-v0"
PLAYER = """
import sys, time, gymnasium as gym, agentgym
from agentgym.envs.text._science_world import engine
env = gym.make("AgentGym/ScienceWorld-v0")
env.reset(seed=0, options={"task": 0})
print(engine.POOL._places[0].world.machine.process.pid, flush=True)
time.sleep(600)
"""


def make():
    return gym.make(ID, tasks="find-animal").unwrapped


def running():
    """The machine of the simulator."""
    return java.machine(ID, engine.package().BASEPATH)


@pytest.mark.full
def test_a_machine_killed_in_mid_episode_is_a_failure_and_the_next_reset_works():
    env = make()
    first, _ = env.reset(seed=0, options={"task": 0})
    env.step("look around")
    os.kill(running().process.pid, signal.SIGKILL)
    text, reward, terminated, truncated, info = env.step("look around")
    assert (reward, terminated, truncated, info["success"]) == (0.0, False, True, False)
    assert "Java process ended" in info["failure"]
    assert text.startswith("The environment failed")
    assert env.reset(seed=0, options={"task": 0})[0] == first
    assert env.step("look around")[-1]["failure"] == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_machine_dies_with_the_process_whatever_kills_it(number):
    with subprocess.Popen([sys.executable, "-c", PLAYER], stdout=subprocess.PIPE, text=True) as player:
        machine = int(player.stdout.readline())
        player.send_signal(number)
        player.wait()
    assert ends(machine)


@pytest.mark.full
def test_worlds_stand_apart_and_in_any_of_them_an_episode_is_the_same():
    envs = [make(), make()]
    for env, task in zip(envs, (0, 7), strict=True):
        env.reset(seed=0, options={"task": task})
    alone = [[env.step(action)[0] for action in ("look around", "wait", "look around")] for env in envs]
    for env, task in zip(envs, (7, 0), strict=True):
        env.reset(seed=0, options={"task": task})
    together = [[env.step(action)[0] for env in envs] for action in ("look around", "wait", "look around")]
    assert [list(column) for column in zip(*together, strict=True)] == alone[::-1]


@pytest.mark.full
def test_more_environments_than_worlds_take_turns(monkeypatch):
    monkeypatch.setattr(engine, "POOL", EnginePool(engine.Simulator, 1))
    one, two = make(), make()
    for env in (one, two):
        env.reset(seed=0, options={"task": 0})
    actions = one.reference()
    played = [[env.step(action)[0] for env in (one, two)] for action in actions[:4]]
    assert all(first == second for first, second in played)
    assert len(engine.POOL) == 1


@pytest.mark.full
def test_a_world_is_free_again_when_its_environment_is_gone(monkeypatch):
    monkeypatch.setattr(engine, "POOL", EnginePool(engine.Simulator, 3))
    for _ in range(3):
        env = make()
        env.reset(seed=0, options={"task": 0})
        del env
        gc.collect()
    assert len(engine.POOL) == 1


def test_an_error_of_the_engine_is_a_failure_in_one_line():
    world = engine.Simulator()
    world.load("boil", 0, "")
    broken = world._classes.method("scala.Option", "get")
    nothing = world._classes.loader.loadClass("scala.None$").getField("MODULE$").get(None)
    with pytest.raises(EngineFailure, match="NoSuchElementException") as caught:
        world.machine.call(world._classes.invoke, broken, nothing)
    assert "\n" not in str(caught.value)


@pytest.mark.full
def test_an_object_dropped_during_a_request_waits_for_the_next_and_opens_no_connection():
    world = engine.Simulator()
    machine, client = world.machine, world.machine.gateway._gateway_client

    def request():
        connection = client._get_connection()  # as in the middle of a request: the connection is in use
        held.clear()
        gc.collect()
        client._give_back_connection(connection)

    machine.call(machine.jvm.java.lang.System.nanoTime)
    before = len(client.deque)
    held = [machine.call(machine.jvm.java.util.ArrayList)]
    machine.call(request)
    assert len(client.deque) == before
    assert len(machine._unused) >= 1
    machine.call(machine.jvm.java.lang.System.nanoTime)
    assert not machine._unused


def footprint():
    """Threads, descriptors and resident megabytes of the Java process, and descriptors of this one."""
    pid = running().process.pid
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    descriptors = [len(os.listdir(f"/proc/{each}/fd")) for each in (pid, os.getpid())]
    return int(status["Threads"]), int(status["VmRSS"].split()[0]) / 1024, *descriptors


def resets(count):
    """Play the beginning of many tasks; the footprint after a quarter of them, and at the end."""
    env, found = make(), []
    for number in range(count):
        env.reset(seed=number)
        env.step("look around")
        env.step("open door to kitchen")
        if number + 1 in (count // 4, count):
            gc.collect()
            found.append(footprint())
    return found


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_resets_leave_threads_processes_and_memory_flat():
    process = running().process.pid
    early, late = resets(2000)
    assert running().process.pid == process
    assert late[0] <= early[0]
    assert late[2:] == early[2:]
    assert late[1] <= early[1] + 150
