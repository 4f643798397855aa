"""In a fresh process: plays what it is told and reports what it saw of the outside world.

It prints nothing, so that whatever stands on its standard output and error was written by the world.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import agentgym
from agentgym.conformance import golden_record, process, vectors
from agentgym.conformance.api import DRESSINGS
from agentgym.conformance.errors import describe
from agentgym.conformance.play import PLENTY, Play, act, begin, transcribe
from agentgym.conformance.state import restored
from agentgym.conformance.texts import CANARY, injections
from agentgym.conformance.workers import SPAWNED
from agentgym.core import HostWarning, drive

NETWORK = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind"}
GROUPS = "/sys/fs/cgroup"  # limits of the kernel on processes, which are written like files and are none
CHANGES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate", "shutil.copyfile"}
RELATIVE = {"os.mkdir": 2, "os.remove": 1, "os.rmdir": 1}  # place of the open folder that a path is relative to, or -1
PROGRAMS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"}
OWN = ("127.0.0.1", "localhost", "::1")  # this machine, where a world may speak with a program that it started
SHIFT = 1.0e9  # seconds, some thirty years


class Watch:
    """An audit hook that notes, and for the network refuses, what a world may not do."""

    def __init__(self) -> None:
        self.network: list[str] = []
        self.writes: list[str] = []
        self.programs: list[str] = []
        self.ports: list[str] = []  # of this machine, that were asked
        self.code: list[str] = []
        self.on = True
        self._temporary = tuple({str(Path(folder).resolve()) for folder in (tempfile.gettempdir(), "/dev", GROUPS)})
        sys.addaudithook(self._hear)

    def _hear(self, event: str, given: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event in NETWORK:
            self._connect(event, given)
        elif event == "open":
            self._open(*given)
        elif event in CHANGES:
            self._write(_changed(event, given))
        elif event in PROGRAMS:
            self.programs.append(f"{event}: {given[0]}")
        elif event in ("compile", "import") and CANARY in str(given[0]):
            self.code.append(f"{event} of {str(given[0])[:80]!r}")

    def _connect(self, event: str, given: tuple[Any, ...]) -> None:
        address = given[1] if event.startswith(("socket.connect", "socket.sendto", "socket.bind")) else given[0]
        if isinstance(address, (str, bytes)) and event in ("socket.connect", "socket.bind"):
            return  # a local socket between processes
        if self.programs and (address in OWN or (isinstance(address, tuple) and address[0] in OWN)):
            self.ports.append(f"{event} {address!r}"[:120])
            return
        self.network.append(f"{event} {address!r}"[:120])
        raise OSError("the network is off while conformance is checked")

    def _open(self, path: Any, mode: Any, flags: Any) -> None:
        writes = (
            any(sign in mode for sign in "wax+") if isinstance(mode, str) else bool(flags & (os.O_WRONLY | os.O_RDWR))
        )
        if writes and isinstance(path, (str, bytes)):
            self._write(os.fsdecode(path))

    def _write(self, path: str) -> None:
        full = str(Path(path).resolve())
        in_memory = full.startswith("/memfd:")  # a nameless file of the process itself
        if "__pycache__" not in full and not in_memory and not full.startswith(self._temporary):
            self.writes.append(full)


def _changed(event: str, given: tuple[Any, ...]) -> str:
    """The path that an event changes."""
    path = str(given[1] if event == "shutil.copyfile" else given[0])
    folder = given[RELATIVE[event]] if event in RELATIVE else -1
    descriptor = Path(f"/proc/self/fd/{folder}")
    return str(descriptor.resolve() / path) if folder >= 0 and descriptor.exists() else path


class Clock:
    """Stands in for the clocks of module `time`, so that they can be set ahead while the process runs."""

    def __init__(self) -> None:
        self.ahead = 0.0
        for name in ("time", "monotonic", "perf_counter"):
            seconds, nanoseconds = getattr(time, name), getattr(time, f"{name}_ns")
            setattr(time, name, lambda now=seconds: now() + self.ahead)
            setattr(time, f"{name}_ns", lambda now=nanoseconds: now() + int(self.ahead * 1e9))


def plays(env_id: str, kwargs: dict[str, Any], wanted: Sequence[dict[str, Any]]) -> list[list[str]]:
    """The transcripts of the wanted plays, each in an environment of its own.

    Args:
        env_id: An id with its module prefix.
        kwargs: Constructor arguments.
        wanted: The fields of each `Play`.
    """
    transcripts = []
    for entry in wanted:
        play = Play(**entry)
        driver = drive(agentgym.make(env_id, **kwargs, **({"split": play.split} if play.split else {})))
        transcripts.append(transcribe(driver, play).lines)
        driver.close()
    return transcripts


def _started(env_id: str, kwargs: dict[str, Any], wanted: Sequence[dict[str, Any]]) -> dict[str, list[list[str]]]:
    """The same plays in processes that are forked and spawned from this one, as a user's own pool does it."""
    done: dict[str, list[list[str]]] = {}
    os.environ["PYTHONHASHSEED"] = SPAWNED
    for method in ("fork", "spawn"):
        if method in multiprocessing.get_all_start_methods():
            with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
                done[method] = pool.submit(plays, env_id, kwargs, wanted).result()
    return done


def _generators() -> list[str]:
    state = np.random.get_state(legacy=True)
    assert isinstance(state, tuple)
    return [str(random.getstate()), str(state[0]), str(np.asarray(state[1]).tolist()), str(state[2:])]


def _inject(env_id: str, kwargs: dict[str, Any]) -> None:
    """Say texts that would betray themselves if they were run."""
    driver = drive(agentgym.make(env_id, **kwargs, max_turns=PLENTY).unwrapped)
    begin(driver, Play("random", 0))
    for text in injections(driver.world):
        if driver.ended:
            begin(driver, Play("random", 0))
        act(driver, dict.fromkeys(driver.to_act, text))


def _visit(env_id: str, kwargs: dict[str, Any]) -> None:
    """Make an environment, begin an episode, and close it."""
    driver = drive(agentgym.make(env_id, **kwargs))
    begin(driver, Play("random", 0))
    driver.close()


class Witness:
    """What a fresh process holds.

    Args:
        env_id: The id with its module prefix.
        kwargs: Constructor arguments, JSON-safe.
        printed: Files that hold what the process has printed.
    """

    def __init__(self, env_id: str, kwargs: Mapping[str, Any], printed: Sequence[Path]):
        self._id, self._kwargs, self._printed = env_id, dict(kwargs), printed
        self._watch = Watch()

    def run(self, job: Mapping[str, Any]) -> str:
        """Do a job: its plays, and whatever else it asks for.

        Args:
            job: What `Workers.start` was given.

        Returns:
            What was seen, as JSON; under `raised` what the world raised, beside the network calls until then.
        """
        try:
            return json.dumps(_do(self._id, self._kwargs, job, self._watch, self._printed))
        except Exception as error:
            self._watch.on = False
            return json.dumps({"raised": describe(error), "network": self._watch.network})

    def close(self) -> None:
        """It holds nothing."""


def _do(
    env_id: str, kwargs: dict[str, Any], job: Mapping[str, Any], watch: Watch, printed: Sequence[Path]
) -> dict[str, Any]:
    warnings.simplefilter("ignore", HostWarning)  # the world is asked to be silent, not the machine
    clock = Clock()
    importlib.import_module(env_id.rpartition(":")[0])
    before, standing = _generators(), process.standing()
    answer: dict[str, Any] = {"plays": plays(env_id, kwargs, job["plays"])}
    answer["generators_untouched"] = _generators() == before
    if job.get("inject"):
        _inject(env_id, kwargs)
    answer["process"] = process.changed(standing)
    watch.on = False
    answer |= {name: sorted(set(getattr(watch, name))) for name in ("network", "writes", "programs", "ports", "code")}
    sys.stdout.flush()
    sys.stderr.flush()
    answer["printed"] = "".join(path.read_text(errors="replace") for path in printed)
    if job.get("leftovers"):
        answer["leftovers"] = process.growth(lambda: _visit(env_id, kwargs))
    if job.get("shift_clock"):
        clock.ahead = SHIFT
        answer["later"] = plays(env_id, kwargs, job["plays"])
        clock.ahead = 0.0
    if job.get("restore"):
        answer["restored"] = {
            name: restored(DRESSINGS[name](agentgym.make(env_id, **kwargs)), saved["path"], saved["actions"])
            for name, saved in job["restore"].items()
        }
    if job.get("vector"):
        answer["vector"] = vectors.compare(env_id, kwargs)
    if job.get("golden"):
        answer["golden"] = golden_record.record(env_id, kwargs)
    if job.get("panels"):
        answer["panels"] = golden_record.find_seeds(env_id, kwargs)
    if job.get("start_methods"):  # last, for it sets another hash seed
        answer["started"] = _started(env_id, kwargs, job["plays"])
    return answer
