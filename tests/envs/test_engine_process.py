"""An engine in a process of its own: what it answers, and what becomes of it when it fails, hangs or is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from agentgym.core import EngineFailure
from agentgym.envs._kit.engine_process import EngineProcess
from tests.processes import ends

ENGINE = """
import ctypes, os, sys, time

class Engine:
    def __init__(self, start):
        self.place = start

    def go(self, steps):
        self.place += steps
        print("noise of an engine")
        os.write(2, b"more noise")
        return self.place

    def fail(self):
        raise ValueError("no way")

    def end(self):
        os._exit(3)

    def hang(self):
        time.sleep(600)

    def own(self):
        return os.getpid()

    def hold(self):
        ctypes.PyDLL(None).sleep(600)  # with the interpreter lock

    def tell(self, length):
        return "x" * length
"""
PLAYER = """
import sys, threading, time
from agentgym.envs._kit.engine_process import EngineProcess

def play():
    process = EngineProcess("the track", sys.argv[1], 5)
    print(process.call("own"), flush=True)
    made.append(process)

made = []
starter = threading.Thread(target=play)  # an engine outlives the thread that started it
starter.start()
starter.join()
print(made[0].call("go", 1), flush=True)
made[0].call(sys.argv[2])
"""


@pytest.fixture
def track(tmp_path):
    file = tmp_path / "track.py"
    file.write_text(ENGINE)
    made = []

    def make(start=0, **kwargs):
        made.append(EngineProcess("the track", file, start, **kwargs))
        return made[-1]

    yield make
    for each in made:
        each.end()


def test_engines_stand_apart_and_print_nothing(track, capfd):
    one, two = track(5), track(50)
    assert [one.call("go", 1), two.call("go", -1), one.call("go", 1)] == [6, 49, 7]
    assert len(one.call("tell", 300_000)) == 300_000
    assert one.alive
    assert capfd.readouterr() == ("", "")


def test_an_error_of_the_engine_is_a_failure_and_the_process_goes_on(track):
    process = track(5)
    with pytest.raises(EngineFailure, match="the track failed: ValueError: no way"):
        process.call("fail")
    with pytest.raises(EngineFailure, match="no attribute 'fly'"):
        process.call("fly")
    assert process.call("go", 1) == 6


@pytest.mark.parametrize("how", ["itself", "killed"])
def test_a_process_that_ended_is_a_failure_again_and_again(track, how):
    process = track()
    process.call("go", 1)
    if how == "killed":
        os.kill(process.process.pid, signal.SIGKILL)
        assert ends(process.process.pid)
    for _ in range(2):
        with pytest.raises(EngineFailure, match="the process of the track ended"):
            process.call("end")
        assert not process.alive
    process.end()


def test_an_engine_that_does_not_answer_is_ended(track):
    process = track(patience=0.3)
    with pytest.raises(EngineFailure, match=r"did not answer within 0\.3 seconds"):
        process.call("hang")
    assert not process.alive
    assert ends(process.process.pid)


def test_a_process_that_was_forked_leaves_the_engine_to_its_parent(track):
    process = track(5)
    copy = os.fork()
    if copy == 0:
        os._exit(int(process.alive or not process.process.stdin.closed))
    assert os.waitpid(copy, 0)[1] == 0
    assert process.call("go", 1) == 6


@pytest.mark.parametrize("busy", ["hang", "hold"])
def test_an_engine_dies_with_its_process_whatever_kills_that(track, tmp_path, busy):
    track()
    command = [sys.executable, "-c", PLAYER, str(tmp_path / "track.py"), busy]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as player:
        engine = int(player.stdout.readline())
        assert int(player.stdout.readline()) == 6
        player.send_signal(signal.SIGKILL)
        player.wait()
    assert ends(engine)


def test_an_engine_is_ended_though_it_is_busy(track):
    process = track(patience=0.3)
    engine = process.call("own")
    with pytest.raises(EngineFailure, match=r"did not answer within 0\.3 seconds"):
        process.call("hold")
    assert ends(engine)
