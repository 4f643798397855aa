"""The sandbox by a trace of programs: whatever plays one is a process in a sandbox, and this process plays none."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType

import gymnasium as gym
import pytest

from agentgym.envs import CARDS
from agentgym.wrappers import CodeAction
from tests.envs.boxes import sandbox
from tests.envs.lingering import LOOK, lingering

LINGERS = 0.8  # seconds for which a program stays
RUNS = {"exec", "compile", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.spawn", "pty.spawn"}
OWN_IDS = {os.getuid(), os.geteuid()}


@dataclass
class Trace:
    """What was seen of a program that has a token as its name.

    Attributes:
        processes: For each process with that name, what the kernel says of it.
        played: Events of this process in which it was compiled, played, or handed to a new process.
    """

    token: str
    processes: dict[int, dict[str, str]] = field(default_factory=dict)
    played: list[str] = field(default_factory=list)

    def outside(self) -> list[str]:
        """What is wrong with where it ran; empty for a program that ran in a sandbox and nowhere else."""
        wrong = [f"this process: {event}" for event in self.played]
        for number, said in self.processes.items():
            if len(said["NSpid"].split()) < 2:
                wrong.append(f"{number} has no process numbers of its own")
            if said["NoNewPrivs"] != "1" or said["Seccomp"] != "2":
                wrong.append(f"{number} has no filter of system calls")
            if int(said["CapEff"], 16) or int(said["CapBnd"], 16):
                wrong.append(f"{number} has capabilities")
            if os.geteuid() == 0 and {*map(int, said["Uid"].split())} & OWN_IDS:
                wrong.append(f"{number} has this process's rights")
            for space in ("pid", "mnt", "net", "ipc", "uts"):
                if said.get(space, "other") == own_space(space):
                    wrong.append(f"{number} shares {space} with this process")
        return wrong


@functools.cache
def own_space(name: str) -> str:
    """The namespace of this process."""
    return os.readlink(f"/proc/self/ns/{name}")


def looked_at(folder: Path) -> dict[str, str]:
    """What the kernel says of a process: its status, and its namespaces where they may be read."""
    lines = (folder / "status").read_text(encoding="utf8", errors="replace").splitlines()
    said = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    for space in ("pid", "mnt", "net", "ipc", "uts"):
        with contextlib.suppress(PermissionError):
            said[space] = os.readlink(folder / "ns" / space)
    return said


def watch(trace: Trace, over: threading.Event) -> None:
    """Look for processes with the token until it is over."""
    while not over.is_set():
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and int(folder.name) != os.getpid():
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    if (folder / "comm").read_text(encoding="utf8", errors="replace").strip() == trace.token:
                        trace.processes[int(folder.name)] = looked_at(folder)
        time.sleep(LOOK)


_traces: list[Trace] = []


def heard(event: str, arguments: tuple[object, ...]) -> None:
    """Hears what this process compiles, plays and starts."""
    if _traces and event in RUNS:
        said = repr([(each.co_names, each.co_consts) if isinstance(each, CodeType) else each for each in arguments])
        for trace in _traces:
            if trace.token in said:
                trace.played.append(event)


@functools.cache
def listen() -> None:
    """Hear this process from now on; a hook cannot be taken away, so it is added once."""
    sys.addaudithook(heard)


@contextlib.contextmanager
def traced(token: str) -> Iterator[Trace]:
    """Trace what is played with a token in it."""
    listen()
    trace, over = Trace(token), threading.Event()
    watcher = threading.Thread(target=watch, args=(trace, over))
    _traces.append(trace)
    watcher.start()
    try:
        yield trace
    finally:
        over.set()
        watcher.join()
        _traces.remove(trace)


def said(tool: str, /, **arguments: object) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


def play_python_math(token: str) -> None:
    env = gym.make("AgentGym/PythonMath-v0")
    env.reset(seed=0)
    assert json.loads(env.step(said("python", code=lingering(token, LINGERS)))[0]) == {"output": ""}


def play_shell(token: str) -> None:
    env = gym.make("AgentGym/Shell-v0")
    env.reset(seed=0)
    command = f"cp $(command -v sleep) /tmp/{token} && /tmp/{token} {LINGERS} # {token}"
    assert json.loads(env.step(said("bash", command=command))[0]) == {"output": ""}


def play_repo_repair(token: str) -> None:
    env = gym.make("AgentGym/RepoRepair-v0")
    env.reset(seed=0)
    files = json.loads(env.step(said("list_files"))[0])["files"]
    path = next(path for path in files if path.endswith("/__init__.py") and "tests" not in path)
    *_, info = env.step(said("edit_lines", path=path, first=1, last=0, text=lingering(token, LINGERS)))
    assert info["action_valid"], info["error"]
    env.step(said("run_tests"))
    env.step(said("submit"))


def play_tiny_mle(token: str) -> None:
    pytest.importorskip("sklearn", reason="the extra mle is not installed")
    env = gym.make("AgentGym/TinyMLE-v0")
    env.reset(seed=0)
    for call in (said("write", path="train.py", text=lingering(token, LINGERS)), said("run", path="train.py")):
        *_, info = env.step(call)
        assert info["action_valid"], info["error"]


def play_code_action(token: str) -> None:
    env = CodeAction(gym.make("AgentGym/Office-v0"))
    env.reset(seed=0)
    *_, info = env.step(f"```python\n{lingering(token, LINGERS)}```")
    assert info["program"] == "exit"


PLAYED: dict[str, Callable[[str], None]] = {
    "AgentGym/PythonMath-v0": play_python_math,
    "AgentGym/RepoRepair-v0": play_repo_repair,
    "AgentGym/Shell-v0": play_shell,
    "AgentGym/TinyMLE-v0": play_tiny_mle,
}


def test_every_world_that_runs_programs_is_traced() -> None:
    assert {card.id for card in CARDS if card.program == "bubblewrap or Docker"} == set(PLAYED)


@pytest.mark.parametrize(
    "play",
    [
        play_python_math, play_code_action,
        *(pytest.param(each, marks=pytest.mark.full) for each in PLAYED.values() if each is not play_python_math),
    ],
)  # fmt: skip
def test_a_program_runs_in_a_sandbox_and_nowhere_else(play) -> None:
    sandbox()
    token = f"seen{os.getpid()}"
    with traced(token) as trace:
        play(token)
    assert trace.processes, "the program was not seen at all"
    assert trace.outside() == []


def test_a_program_outside_is_found() -> None:
    token = f"free{os.getpid()}"
    with traced(token) as trace:
        subprocess.run([sys.executable, "-S", "-c", lingering(token, LINGERS)], check=True)
    found = "; ".join(trace.outside())
    for part in ("this process: subprocess.Popen", "no process numbers", "no filter", "shares mnt", "shares net"):
        assert part in found, part


@pytest.mark.parametrize("run", [exec, lambda code: compile(code, "x", "exec")])
def test_a_program_that_this_process_plays_is_found(run) -> None:
    token = f"here{os.getpid()}"
    with traced(token) as trace:
        run(f"x = {token!r}")
    assert trace.outside()
