"""Keepers that a server forks: what runs share of it is nothing, what it costs, and what happens when it is gone."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentgym.envs._kit.sandbox import Sandbox, bubblewrap
from agentgym.envs._kit.sandbox.bubblewrap import Bubblewrap
from agentgym.envs._kit.sandbox.fork_server import SocketTube
from tests.envs.boxes import MADE, backing
from tests.processes import ends, runs

STAYS = """
import os, socket, sys, time
open('/tmp/mine', 'w').write('a secret')
open('/work/mine', 'w').write('a secret')
door = socket.socket(socket.AF_UNIX)
door.bind('\\0meet')
door.listen()
time.sleep(1.5)
print(sorted(os.listdir('/tmp')), sorted(os.listdir('/work')), os.getuid())
"""
LOOKS = """
import os, signal, socket
print(os.listdir('/tmp'), os.listdir('/work'), sorted(filter(str.isdigit, os.listdir('/proc'))))
try:
    socket.socket(socket.AF_UNIX).connect('\\0meet')
    print('met')
except OSError as error:
    print(type(error).__name__)
print(os.getuid(), os.listdir('/proc/self/fd'))
try:
    os.kill(-1, signal.SIGKILL)
except OSError:
    pass
"""


@pytest.fixture(params=("bubblewrap", "bubblewrap as a user"))
def made(request) -> Bubblewrap:
    """A backing with a server."""
    found = backing(request.param)
    assert isinstance(found, Bubblewrap)
    if not found.forks:
        pytest.skip("here no server can make namespaces")
    return found


@pytest.fixture
def box(made) -> Iterator[Sandbox]:
    sandbox = Sandbox(made, warm=2)
    yield sandbox
    sandbox.close()


def children(process: int) -> list[int]:
    """The processes that another one has started, and those that these have."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(words[1]) == process and words[0] != "Z":
                found += [int(folder.name), *children(int(folder.name))]
    return found


def test_runs_at_the_same_time_see_nothing_of_each_other(box) -> None:
    first: list[str] = []
    thread = threading.Thread(target=lambda: first.append(box.python(STAYS).stdout))
    thread.start()
    time.sleep(0.6)
    second = box.python(LOOKS).stdout.splitlines()
    thread.join()
    assert second[0] == "[] ['main.py'] ['1', '2']"
    assert second[1] in ("ConnectionRefusedError", "PermissionError")
    *seen, user = first[0].split()
    assert " ".join(seen) == "['mine'] ['main.py', 'mine']", "it was ended or changed by the other one"
    if box.backing.superuser:
        assert second[2].split()[0] != user, "what the kernel counts by user is counted for each run"


def test_a_run_leaves_nothing_to_the_next(box) -> None:
    assert box.python("import math, json\nmath.pi = 3\njson.x = 1\nopen('/tmp/x', 'w').write('y')\nprint(1)").stdout
    code = "import math, json, os, sys\nprint(math.pi > 3, hasattr(json, 'x'), os.listdir('/tmp'))"
    code += "\nprint('keeper' in sys.modules)"
    assert box.python(code).stdout == "True False []\nFalse\n"


def test_a_program_holds_no_way_to_the_server(box) -> None:
    """Only the three standard files are open, and none of them is a socket."""
    code = (
        "import os\n"
        "print([os.readlink(f'/proc/self/fd/{each}').split(':')[0] for each in range(3)])\n"
        "for each in range(3, 64):\n"
        "    try:\n"
        "        print(os.fstat(each))\n"
        "    except OSError:\n"
        "        pass\n"
    )
    said = box.python(code).stdout
    assert "socket" not in said
    assert said.count("\n") == 1


def test_a_server_that_was_ended_is_replaced(made) -> None:
    sandbox = Sandbox(made, warm=1)
    assert sandbox.python("print(1)").stdout == "1\n"
    server = made._servers[None].process  # others have packages
    own = children(server.pid)
    os.kill(own[0], 9)
    server.wait(10)
    assert all(ends(each) for each in own), "with the server everything ends that it made"
    assert sandbox.python("print(2)").stdout == "2\n"
    assert made._servers[None].process is not server
    sandbox.close()


def test_closing_leaves_nothing_behind() -> None:
    backing("bubblewrap")
    made = MADE["bubblewrap"]()
    if not made.forks:
        pytest.skip("here no server can make namespaces")
    sandbox = Sandbox(made, warm=3)
    sandbox.fill()
    for keeper in sandbox._waiting:
        keeper.wait()
    (server,) = made._servers.values()
    everything = [server.process.pid, *children(server.process.pid)]
    assert len(everything) == 5, "bubblewrap, the server, and three keepers"
    waiting = list(sandbox._waiting)
    sandbox.close()
    assert all(isinstance(keeper.tube, SocketTube) and keeper.tube.ended() for keeper in waiting)
    made.close()
    assert not [each for each in everything if runs(each)]
    assert not made._servers


def test_where_no_server_can_make_namespaces_each_keeper_is_started_anew(monkeypatch) -> None:
    if os.geteuid():
        pytest.skip("the superuser's rights are what is taken from the server here")
    backing("bubblewrap")
    monkeypatch.setattr(bubblewrap, "MAKING", bubblewrap.NEEDED)
    made = Bubblewrap()
    assert not made.forks
    assert not made._servers
    sandbox = Sandbox(made, warm=0)
    assert sandbox.python("print(1)").stdout == "1\n"
    sandbox.close()


SPENT = """
import resource
from agentgym.envs._kit.sandbox import Limits, Sandbox
from agentgym.envs._kit.sandbox.bubblewrap import Bubblewrap
made = Bubblewrap(forks={forks})
sandbox = Sandbox(made, Limits(), warm=1)
for _ in range({count}):
    assert sandbox.python("print(1 + 1)").stdout == "2\\n"
sandbox.close()
made.close()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print((used.ru_utime + used.ru_stime) / {count})
"""


def spent(forks: bool, count: int) -> float:
    """Processor seconds of one run, of everything that was started for some: no other child is in the count."""
    script = SPENT.format(forks=forks, count=count)
    return float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)


@pytest.mark.full
def test_a_forked_keeper_costs_a_fraction_of_one_that_is_started() -> None:
    """Processor time, which hardly depends on who else computes; the server's own start is counted with its runs."""
    backing("bubblewrap")
    if not MADE["bubblewrap"]().forks:
        pytest.skip("here no server can make namespaces")
    assert spent(True, 40) < 0.4 * spent(False, 10)
