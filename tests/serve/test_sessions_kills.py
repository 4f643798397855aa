"""Clients, workers and the server are killed at random moments; the others play on, and nothing is lost or mixed up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import agentgym
from agentgym.core.rng import stream
from tests.serve.conftest import Running, Start

PLAYERS = 12
MOVES = ("up", "down", "left", "right")
CLIENT = """
import sys, agentgym
envs = agentgym.connect(sys.argv[1], "FrozenLake-v0", num_envs=4)
envs.reset(seed=1)
print("playing", flush=True)
while True:
    envs.step(["down"] * 4)
"""


class Fault:
    """Something that is killed, and started again where it must be."""

    def __init__(self, start: Start, folder: Path):
        self._start, self._folder = start, folder
        self.server: Running = start("FrozenLake-v0", "--state", str(folder))

    def client(self, rng: np.random.Generator) -> None:
        killed = subprocess.Popen([sys.executable, "-c", CLIENT, self.server.url], stdout=subprocess.PIPE, text=True)
        assert killed.stdout is not None
        assert killed.stdout.readline() == "playing\n"
        time.sleep(rng.random() * 0.2)
        killed.kill()
        killed.wait()
        killed.stdout.close()

    def worker(self, rng: np.random.Generator) -> None:
        time.sleep(rng.random() * 0.2)
        workers = self.server.workers()
        os.kill(workers[int(rng.integers(len(workers)))], signal.SIGKILL)

    def whole(self, rng: np.random.Generator) -> None:
        time.sleep(rng.random() * 0.2)
        self.server.kill()
        port = int(self.server.url.rpartition(":")[2])
        self.server = self._start("FrozenLake-v0", "--state", str(self._folder), port=port)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["client", "worker", "whole"])
@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=[pytest.mark.full, pytest.mark.timeout(3000)])])
def test_who_is_left_plays_on(start: Start, tmp_path: Path, kind: str, kills: int) -> None:
    fault, rng = Fault(start, tmp_path), stream("tests.serve.kills", kind)
    here = agentgym.make_vec("FrozenLake-v0", PLAYERS)
    there = agentgym.connect(fault.server.url, "FrozenLake-v0", PLAYERS)
    assert here.reset(seed=5)[0] == there.reset(seed=5)[0]
    turns, over, errors = 0, threading.Event(), []

    def kill(strike: Callable[[np.random.Generator], None]) -> None:
        moments = stream("tests.serve.kills.moments", kind)
        try:
            for _ in range(kills):
                before = turns
                strike(moments)
                while turns < before + 3 and not over.is_set():  # it went on
                    time.sleep(0.01)
        except BaseException as error:
            errors.append(error)
        finally:
            over.set()

    killer = threading.Thread(target=kill, args=(getattr(fault, kind),))
    killer.start()
    try:
        while not over.is_set():
            actions = [MOVES[number] for number in rng.integers(4, size=PLAYERS)]
            (text, reward, *_, told), (shown, got, *_, heard) = here.step(actions), there.step(actions)
            assert (text, reward.tolist()) == (shown, got.tolist())
            assert list(told["task_id"]) == list(heard["task_id"])
            assert not any(heard["failure"])
            turns += 1
    finally:
        over.set()
        killer.join()
    assert not errors
    assert turns >= 3 * kills
    there.close()
