"""The sandbox: what goes in and comes out, limits, the pool, what a machine without one is told."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

import agentgym
from agentgym.core import ConfigError, EngineFailure, MissingExtra
from agentgym.envs._kit.sandbox import Entry, Job, Limits, NotStarted, Sandbox, find_backing, pool, seccomp
from agentgym.envs._kit.sandbox.bubblewrap import Bubblewrap
from agentgym.envs._kit.sandbox.docker import Docker
from agentgym.envs._kit.sandbox.fork_server import SocketTube
from agentgym.envs._kit.sandbox.inside import CREATE_RULESET
from agentgym.envs._kit.sandbox.job import Broken, checked_path, head_of, packed, unpacked
from agentgym.envs._kit.sandbox.keeper import ProcessTube
from agentgym.envs._kit.sandbox.tool import LONGEST_SHOWN, Lost, told
from agentgym.wrappers import CodeAction
from tests.envs.boxes import ANEW, EACH, backing

NUMBERS = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")


@pytest.fixture(params=EACH, scope="module")
def box(request):
    sandbox = Sandbox(backing(request.param), warm=1)
    yield sandbox
    sandbox.close()


def test_files_go_in_and_come_out(box) -> None:
    files = {
        "in": Entry(kind="folder", mode=0o755),
        "in/a.txt": b"one\ntwo\n",
        "run.sh": Entry(b"#!/bin/sh\nsort -r in/a.txt > out.txt; ln -s out.txt link; mkdir empty\n", mode=0o755),
    }
    result = box.run(Job(("./run.sh",), files, collect=True))
    assert (result.ended, result.code, result.stderr, result.backing) == ("exit", 0, "", box.backing.name)
    assert result.files["out.txt"].data == b"two\none\n"
    assert result.files["link"] == Entry(b"out.txt", "link", 0o777)
    assert result.files["empty"].kind == "folder"
    assert result.files["run.sh"].mode == 0o755


def test_a_program_reads_and_writes_text(box) -> None:
    result = box.python(
        "import sys\nprint(sys.stdin.read().upper())\nprint('é', file=sys.stderr)\nsys.exit(3)", "hello"
    )
    assert (result.stdout, result.stderr, result.code) == ("HELLO\n", "é\n", 3)


def test_a_traceback_begins_with_the_program(box) -> None:
    result = box.python("def f():\n    return 1 / 0\nf()")
    assert result.stderr.startswith('Traceback (most recent call last):\n  File "main.py", line 3, in <module>')
    assert result.stderr.endswith("ZeroDivisionError: division by zero\n")
    assert "SyntaxError" in box.python("for").stderr


def test_programs_are_alike_in_every_run(box) -> None:
    code = "import random\nprint(random.random(), hash('a'), list({'x', 'y', 'z'}))"
    assert len({box.python(code).stdout for _ in range(3)}) == 1


def test_a_program_that_is_not_there_is_no_failure(box) -> None:
    result = box.run(Job(("no-such-program",)))
    assert result.code == 127
    assert "No such file" in result.stderr


def test_a_job_may_ask_for_less_and_not_for_more(box) -> None:
    result = box.run(Job(("python", "m.py"), {"m.py": b"print('x' * 5000)"}, limits=replace(Limits(), output=100)))
    assert (result.ended, len(result.stdout)) == ("output", 100)
    more = replace(Limits(), output=10**9, memory=10**12)
    result = box.run(Job(("python", "m.py"), {"m.py": b"print('x' * 10**6)\nb = bytearray(10**9)"}, limits=more))
    assert len(result.stdout) == Limits().output


def landlock() -> int:
    """The version of Landlock that the kernel of this machine has; 0 for none."""
    return max(0, ctypes.CDLL(None, use_errno=True).syscall(CREATE_RULESET, None, 0, 1))


def test_landlock_closes_what_mounts_and_permissions_leave_open(box) -> None:
    """Devices may be written by everybody and are mounted so; Landlock leaves `/dev/null` alone of them."""
    if not landlock():
        pytest.skip("this kernel has no Landlock")
    code = (
        "import errno, os\n"
        "for path in ('/dev/zero', '/dev/full', '/dev/null', '/work/x', '/tmp/x'):\n"
        "    try:\n"
        "        os.close(os.open(path, os.O_WRONLY | os.O_CREAT * path.endswith('x')))\n"
        "        print(path, 'open')\n"
        "    except OSError as error:\n"
        "        print(path, errno.errorcode[error.errno])\n"
    )
    result = box.python(code)
    assert result.stdout.split("\n")[:-1] == [
        "/dev/zero EACCES", "/dev/full EACCES", "/dev/null open", "/work/x open", "/tmp/x open",
    ]  # fmt: skip
    assert result.landlock == landlock()


def test_threads_share_a_pool(box) -> None:
    found: list[str] = []
    threads = [threading.Thread(target=lambda n=n: found.append(box.python(f"print({n})").stdout)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [f"{number}\n" for number in range(4)]


def test_what_is_started_ahead_and_was_ended_is_started_again(box) -> None:
    box.fill()
    for keeper in list(box._waiting):
        keeper.wait()
        if isinstance(keeper.tube, SocketTube):
            signal.pidfd_send_signal(keeper.tube.first, signal.SIGKILL)
            keeper.tube.wait(10)
        elif isinstance(keeper.tube, ProcessTube):
            signal.pidfd_send_signal(keeper.tube._first, signal.SIGKILL)
            keeper.tube.process.wait()
        else:
            keeper.tube.api.kill(keeper.tube.name)
    assert box.python("print(1)").stdout == "1\n"


@pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../b", "", "a//b", "a\0b", "a/" * 41 + "b", "x" * 201, "."])
def test_paths_lead_nowhere_else(path) -> None:
    with pytest.raises(ConfigError, match="relative path"):
        checked_path(path)
    with pytest.raises(ConfigError):
        packed(Job(("true",), {path: b""}))


def answer(**changed) -> bytes:
    head = {"ended": "exit", "code": 0, "cpu": 0.1, "stdout": 2, "stderr": 0, "files": [], **changed}
    said = json.dumps(head).encode()
    return struct.pack("<I", len(said)) + said + b"hi"


def reader(data: bytes):
    rest = [data]

    def read(size: int) -> bytes:
        if len(rest[0]) < size:
            raise Broken("short")
        part, rest[0] = rest[0][:size], rest[0][size:]
        return part

    return read


def test_an_answer_is_read() -> None:
    read = reader(answer())
    assert unpacked("x", Limits(), head_of(read), read).stdout == "hi"


@pytest.mark.parametrize(
    "forged",
    [
        answer(stdout=10**9), answer(stdout=-1), answer(stdout="2"), answer(ended="won"), answer(files=7),
        answer(files=[["../a", "file", 0, 0]]), answer(files=[["a", "socket", 0, 0]]), answer(code="x"),
        answer(files=[[f"{n}", "file", 0, 0] for n in range(3000)]), answer(files=[["a", "file", 0, 10**9]]),
        answer(files=[[str(n), "file", 0, 16 << 20] for n in range(3)]), answer(cpu=None), answer(code=1e400),
        struct.pack("<I", 2**31) + b"x", struct.pack("<I", 4) + b"nope", b"\x01", answer()[:-1],
        struct.pack("<I", 20_000) + b"[" * 20_000,
    ],
)  # fmt: skip
def test_a_forged_answer_is_none(forged) -> None:
    read = reader(forged)
    with pytest.raises(Broken):
        unpacked("x", Limits(), head_of(read), read)


@pytest.fixture
def nothing_installed(monkeypatch):
    """A machine on which no sandbox is found."""
    pool._tried.cache_clear()
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/d.sock")
    yield
    pool._tried.cache_clear()


@pytest.mark.parametrize(
    "make",
    [
        lambda: agentgym.make("PythonMath-v0"), lambda: agentgym.make("RepoRepair-v0"),
        lambda: agentgym.make("Shell-v0"), lambda: CodeAction(agentgym.make("Todo-v0")),
    ],
)  # fmt: skip
def test_what_runs_programs_is_not_made_without_a_sandbox(nothing_installed, make) -> None:
    with pytest.raises(MissingExtra, match=r"no sandbox was found.*apt-get install bubblewrap"):
        make()


def test_a_machine_without_a_sandbox_is_told_what_to_install(nothing_installed, monkeypatch) -> None:
    with pytest.raises(MissingExtra, match="apt-get install bubblewrap") as caught:
        find_backing()
    assert "agentgym-suite[docker]" in str(caught.value)
    assert "\n" not in str(caught.value)
    monkeypatch.setenv(pool.VARIABLE, "chroot")
    with pytest.raises(ConfigError, match="bubblewrap, docker"):
        find_backing()


class Dead:
    """A backing that starts nothing."""

    name = "dead"

    def start(self, limits):
        raise NotStarted("it did not start")


def test_a_sandbox_that_does_not_start_is_a_failure_of_the_engine() -> None:
    with pytest.raises(EngineFailure, match="did not start"):
        Sandbox(Dead(), warm=0).python("print(1)")


def test_a_pool_belongs_to_one_process() -> None:
    sandbox = Sandbox(Dead(), warm=0)
    sandbox._owner = os.getpid() + 1
    with pytest.raises(ConfigError, match="belongs to the process"):
        sandbox.python("print(1)")


def test_the_keeper_is_only_for_a_sandbox() -> None:
    keeper = Path(pool.__file__).with_name("inside.py")
    done = subprocess.run([sys.executable, str(keeper)], capture_output=True, text=True, check=False)
    assert done.returncode
    assert "must be the first of a sandbox" in done.stderr


@pytest.mark.skipif(not NUMBERS.exists(), reason=f"there is no {NUMBERS}")
def test_the_filter_knows_the_numbers_of_system_calls() -> None:
    words = [line.split()[1:] for line in NUMBERS.read_text().splitlines() if line.startswith("#define __NR_")]
    known = {name.removeprefix("__NR_"): int(number) for name, number in words}
    for name, (number, _) in seccomp.NUMBERS.items():
        assert known.get(name) == number, name


def verdict(call: int, *arguments: int, machine: str = "x86_64") -> int:
    """What the filter says of a call: it is read as the kernel reads it."""
    audit = seccomp.MACHINES[machine][0]
    data = struct.pack("<IIQ6Q", call, audit, 0, *(*arguments, *[0] * (6 - len(arguments))))
    steps = list(struct.iter_unpack("<HBBI", seccomp.program(machine)))
    held = at = 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        if code == seccomp.RETURN:
            return value
        if code == seccomp.LOAD:
            (held,) = struct.unpack_from("<I", data, value)
        else:
            met = {
                seccomp.JUMP_EQUAL: held == value,
                seccomp.JUMP_SET: bool(held & value),
                seccomp.JUMP_LEAST: held >= value,
            }[code]
            at += yes if met else no


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_the_filter_refuses_what_it_names_and_nothing_else(machine) -> None:
    column = seccomp.MACHINES[machine][1]
    number = {name: numbers[column] for name, numbers in seccomp.NUMBERS.items() if numbers[column] >= 0}
    looked = {"clone", "socket", "socketpair", "prlimit64", "ioctl", "clone3"}
    for name in number.keys() - looked:
        assert verdict(number[name], machine=machine) == seccomp.ERROR | 1, name
    assert verdict(number["clone3"], machine=machine) == seccomp.ERROR | 38
    assert verdict(number["clone"], 17, machine=machine) == seccomp.ALLOW
    for bit in (0x20000, 0x10000000, 0x40000000):
        assert verdict(number["clone"], 17 | bit, machine=machine) == seccomp.ERROR | 1
    assert verdict(number["socket"], 1, machine=machine) == seccomp.ALLOW
    assert verdict(number["socket"], 2, machine=machine) == seccomp.ERROR | 1
    assert verdict(number["prlimit64"], 0, machine=machine) == seccomp.ALLOW
    assert verdict(number["prlimit64"], 1, machine=machine) == seccomp.ERROR | 1
    assert verdict(number["ioctl"], 1, 0x5412, machine=machine) == seccomp.ERROR | 1
    assert verdict(number["ioctl"], 1, 0x5401, machine=machine) == seccomp.ALLOW
    unnamed = set(range(500)) - set(number.values())
    assert {verdict(call, machine=machine) for call in unnamed} == {seccomp.ALLOW}


def test_another_processor_is_refused() -> None:
    assert verdict(0x40000001) == seccomp.KILL
    with pytest.raises(MissingExtra, match="install Docker"):
        seccomp.program("mips")


def test_a_player_is_told_how_it_ended() -> None:
    made = pool.Result
    assert told(made("x", "exit", 0, "<f at 0x7f0011223344>\n"), Limits()) == {"output": "<f at 0x...>"}
    assert told(made("x", "exit", 1, "", "no"), Limits()) == {"output": "", "error": "no"}
    assert told(made("x", "exit", 0, "a", "careful"), Limits())["warnings"] == "careful"
    assert "4 seconds" in told(made("x", "time"), Limits())["error"]
    assert "256 MiB" in told(made("x", "memory"), Limits())["error"]
    assert "signal 11" in told(made("x", "signal", 11), Limits())["error"]
    assert len(told(made("x", "exit", 0, "y" * 10**6), Limits())["output"]) < LONGEST_SHOWN + 100
    assert "\x1b" not in told(made("x", "exit", 0, "\x1b[2J"), Limits())["output"]
    with pytest.raises(Lost):
        told(made("x", "lost"), Limits())


def test_a_docker_that_does_not_answer_is_missing() -> None:
    pytest.importorskip("docker", reason="the extra docker is not installed")
    with pytest.raises(MissingExtra, match="no daemon of Docker answers"):
        Docker("unix:///nowhere/d.sock")


def test_no_bubblewrap_is_missing(monkeypatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MissingExtra, match="apt-get install bubblewrap"):
        Bubblewrap()


def test_a_pool_that_is_closed_at_once_leaves_nothing(tmp_path) -> None:
    """Closed while bubblewrap is half-way, which must not leave its first process waiting for the other."""
    made = backing(ANEW[0])
    for _ in range(5):
        pool_of_two = Sandbox(made, warm=2)
        pool_of_two.fill()
        started = [keeper.tube.process.pid for keeper in pool_of_two._waiting]
        pool_of_two.close()
        assert not [number for number in started if Path(f"/proc/{number}").exists()]
    for _ in range(100):
        if not orphans():
            return
        time.sleep(0.1)
    raise AssertionError(f"left behind: {orphans()}")


def orphans() -> list[str]:
    """Processes of bubblewrap in this process's group that have lost their parent."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                words = (folder / "stat").read_text().rpartition(")")[2].split()
                if words[1] == "1" and words[2] == str(os.getpgrp()) and b"bwrap" in (folder / "cmdline").read_bytes():
                    found.append(folder.name)
    return found
