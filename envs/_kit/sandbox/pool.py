"""Which sandbox this machine has, and a pool that keeps some started ahead."""

from __future__ import annotations

import atexit
import os
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Protocol

from agentgym.core.errors import ConfigError, EngineFailure, MissingExtra
from agentgym.envs._kit.sandbox.bubblewrap import Bubblewrap
from agentgym.envs._kit.sandbox.docker import Docker
from agentgym.envs._kit.sandbox.job import PYTHON, Job, Limits, Result
from agentgym.envs._kit.sandbox.keeper import Keeper, NotStarted

VARIABLE = "AGENTGYM_SANDBOX"
BACKINGS = {"bubblewrap": Bubblewrap, "docker": Docker}
WARM = 2  # keepers started ahead
TRIES = 3
ENDING = 3.0  # seconds that closing waits for each sandbox to be gone
HELLO, TRIAL_SECONDS = b"print('hello')", 10.0


class Backing(Protocol):
    """What starts keepers."""

    @property
    def name(self) -> str:
        """What results call it."""

    def start(self, limits: Limits) -> Keeper:
        """A keeper that waits for one job within these limits; raises `NotStarted`."""


class Sandbox:
    """Runs programs, each in a sandbox of its own that is started ahead and used once.

    A pool belongs to the process that made it; threads may share it.

    Args:
        backing: What starts keepers.
        limits: Of every run.
        warm: How many are started ahead.
    """

    def __init__(self, backing: Backing, limits: Limits | None = None, warm: int = WARM) -> None:
        self.backing, self.limits, self.warm = backing, limits or Limits(), warm
        self._owner, self._lock = os.getpid(), threading.Lock()
        self._waiting: deque[Keeper] = deque()
        self._used: list[Keeper] = []
        atexit.register(self.close)

    def run(self, job: Job, answer: Callable[[str], str] | None = None) -> Result:
        """Run a program.

        Args:
            job: Its limits of time and output may be below those of the pool; the others are the pool's.
            answer: Answers calls of the functions that the job names, text for text.

        Raises:
            EngineFailure: if no sandbox can be started.
        """
        own = self.limits
        asked = replace(
            own,
            seconds=min(own.seconds, job.limits.seconds),
            cpu=min(own.cpu, job.limits.cpu),
            output=min(own.output, job.limits.output),
        )
        problem = ""
        for _ in range(TRIES):
            try:
                keeper = self._take()
                try:
                    return keeper.run(replace(job, limits=asked), answer, self._prepare)
                finally:
                    self._fill(keeper)
            except NotStarted as error:
                problem = str(error)
        raise EngineFailure(problem)

    def python(self, code: str, stdin: str = "") -> Result:
        """Run a program of Python, which is the file `main.py`.

        Args:
            code: The program.
            stdin: What it reads.
        """
        return self.run(Job((PYTHON, "main.py"), {"main.py": code.encode()}, stdin.encode(), self.limits))

    def fill(self) -> None:
        """Start as many ahead as are kept."""
        self._fill(None)

    def close(self) -> None:
        """End those that wait; a later run starts others."""
        with self._lock:
            waiting, self._waiting = self._waiting, deque()
        for keeper in waiting if self._owner == os.getpid() else ():
            keeper.tube.close()
            self._used.append(keeper)
        for keeper in self._used if self._owner == os.getpid() else ():
            keeper.tube.wait(ENDING)
            keeper.tube.ended()
        self._used = []

    def _take(self) -> Keeper:
        if self._owner != os.getpid():
            raise ConfigError("a sandbox belongs to the process that made it; make one in each process")
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
        return self.backing.start(self.limits)

    def _prepare(self) -> None:
        """Get those that wait ready while a program runs, so that the next one finds them so."""
        with self._lock:
            for keeper in self._waiting:
                keeper.prepare()

    def _fill(self, used: Keeper | None) -> None:
        with self._lock:
            if used is not None:
                self._used.append(used)
            self._used = [keeper for keeper in self._used if not keeper.tube.ended()]
            while len(self._waiting) < self.warm:
                self._waiting.append(self.backing.start(self.limits))


def find_backing(name: str = "") -> Backing:
    """What this machine has: bubblewrap, else Docker; the variable `AGENTGYM_SANDBOX` names one.

    Args:
        name: `bubblewrap` or `docker`; empty for the variable, or the first that works.

    Raises:
        MissingExtra: if there is none, with what to install.
    """
    wanted = name or os.environ.get(VARIABLE, "")
    if wanted and wanted not in BACKINGS:
        raise ConfigError(f"{VARIABLE} must be one of {', '.join(BACKINGS)}, got {wanted!r}; correct or unset it")
    problems = []
    for each in [wanted] if wanted else BACKINGS:
        try:
            return _tried(each, os.getpid())
        except MissingExtra as error:
            problems.append(f"{each}: {error}")
    raise MissingExtra(
        f"no sandbox was found, and programs of agents run nowhere else ({'; '.join(problems)}): run  "
        "apt-get install bubblewrap,  or start Docker and run  pip install 'agentgym-suite[docker]'"
    )


@cache
def _tried(name: str, process: int) -> Backing:
    """A backing that has run a program on this machine; each process has its own, for a connection is not shared."""
    backing = BACKINGS[name]()
    trial = Sandbox(backing, Limits(seconds=TRIAL_SECONDS), warm=0)
    try:
        result = trial.python(HELLO.decode())
    except EngineFailure as error:
        raise MissingExtra(f"it is installed and does not work here: {error}") from error
    finally:
        trial.close()
    if result.stdout != "hello\n":
        raise MissingExtra(f"it is installed and does not work here: {result.ended}, {result.stderr[:200]}")
    return backing


_shared: dict[tuple[int, str, Limits], Sandbox] = {}


def shared_sandbox(limits: Limits | None = None) -> Sandbox:
    """The pool that all worlds of this process share for some limits.

    Args:
        limits: Of every run; None for the usual ones.

    Raises:
        MissingExtra: if this machine has no sandbox.
    """
    backing, wanted = find_backing(), limits or Limits()
    key = (os.getpid(), backing.name, wanted)
    if key not in _shared:
        _shared[key] = Sandbox(backing, wanted)
    return _shared[key]
