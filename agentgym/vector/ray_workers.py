"""Workers as actors of Ray, on any machine of a cluster, behind the interface of `WorkerProcess`.

    agentgym eval Wordle-v0 --agent expert --workers ray:8
    agentgym train grpo --rollout.workers "{ processes = 8, ray = true }"

The cluster is the one that `RAY_ADDRESS` names, or one that was started on this machine (`ray start --head`); without
either, one is started for the time of the command. Each actor takes one CPU of it. An actor that is lost, with its
machine or alone, breaks as a process does, and whoever asks it does what it does then: what an actor held is made again
in another one, and what it had not answered is asked again.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from multiprocessing.connection import Pipe
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

from agentgym.core import ConfigError, require
from agentgym.vector.frames import FrameError, FrameReader, unpacked
from agentgym.vector.pool import PENDING, Broken, WorkerLost, WorkerProcess
from agentgym.vector.worker import CLOSE_LIMIT, Raised, answered, shape_of

RAY = "ray:"
_connecting = threading.Lock()


class RayWorker(WorkerProcess):
    """One actor that holds one object; see `WorkerProcess` for what it can do.

    Args:
        factory: Makes the object, there; picklable.
        environment: Environment variables that differ from those of the cluster's processes.
        output: Not possible, as another machine writes no files here.

    Raises:
        ConfigError: if the factory cannot be pickled, or `output` is given.
        MissingExtra: if ray is not installed.
    """

    def __init__(
        self,
        factory: Callable[[], Any],
        *,
        environment: Mapping[str, str] | None = None,
        output: tuple[Path, Path] | None = None,
    ):
        if output is not None:
            raise ConfigError("an actor of Ray writes no files here; leave out output, or use processes")
        self._ray = connected()
        self.pipe, self._bell = Pipe(duplex=False)  # a byte for each answer that has come, so that many can be awaited
        self._frames, self._ringing = FrameReader(), threading.Lock()
        self._asked: deque[Any] = deque()
        try:
            data = bytes(ForkingPickler.dumps(factory))
        except Exception as error:  # pickling runs the code of what is pickled
            self._shut()
            raise ConfigError(f"arguments and wrappers must be picklable to reach another process: {error}") from None
        kind = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(Held)
        env = {"env_vars": dict(environment)} if environment else {}
        chosen = {"scheduling_strategy": "SPREAD", **({"runtime_env": env} if env else {})}
        self._actor = kind.options(**chosen).remote(data, [str(folder) for folder in sys.path])
        self._expect(self._actor.begin.remote())

    @property
    def alive(self) -> bool:
        """Whether the actor has not been found dead; what it was asked last may still say so."""
        return self._actor is not None

    def ask(self, command: str, arguments: Any) -> None:
        """Send a command to the actor; its answer is what `take` gives next.

        Args:
            command: See `agentgym.vector.worker.main`.
            arguments: Of the command, pickled to reach it.

        Raises:
            Broken: if the actor has ended.
        """
        if self._actor is None:
            raise Broken("its actor has ended")
        self._expect(self._actor.do.remote(bytes(ForkingPickler.dumps((command, arguments)))))

    def take(self) -> Any:
        """What has come: the next answer, or `PENDING` if there is none; see `WorkerProcess.take`."""
        if not self._asked or not self.pipe.poll(0):
            return PENDING
        self.pipe.recv_bytes()
        try:
            return unpacked(self._ray.get(self._asked.popleft()))
        except self._ray.exceptions.RayError as error:
            raise WorkerLost(f"its actor was lost ({type(error).__name__})") from None
        except FrameError as error:
            raise Broken(str(error)) from None

    def exit_reason(self) -> str:
        """How the actor ended."""
        return "its actor has ended"

    def end(self, patience: float = 0.0) -> None:
        """End the actor, after `patience` seconds in which it may answer what it was asked."""
        if self._actor is None:
            return
        if patience and self._asked:
            self._ray.wait(list(self._asked), num_returns=len(self._asked), timeout=patience)
        with contextlib.suppress(self._ray.exceptions.RayError):
            self._ray.kill(self._actor)
        self._actor = None
        self._asked.clear()
        self._shut()

    def close(self) -> None:
        """Let the object close what it holds, then end the actor."""
        with contextlib.suppress(Broken):
            self.ask("close", None)
        self.end(CLOSE_LIMIT)

    def _expect(self, reference: Any) -> None:
        self._asked.append(reference)
        reference._on_completed(lambda result: self._ring())

    def _ring(self) -> None:
        with self._ringing, contextlib.suppress(OSError):  # nobody waits any more
            self._bell.send_bytes(b".")

    def _shut(self) -> None:
        with self._ringing:
            self._bell.close()
        self.pipe.close()


class Held:
    """The actor: makes an object and does with it what it is told.

    Args:
        factory: Pickled; makes the object.
        path: Where the caller finds modules; folders that exist here as well are looked into.
    """

    def __init__(self, factory: bytes, path: list[str]):
        sys.path += [folder for folder in path if folder not in sys.path and Path(folder).exists()]
        self._factory = factory
        self._held: Any = None

    def begin(self) -> bytes:
        """Make the object; its shape, or what it raised."""
        try:
            self._held = ForkingPickler.loads(self._factory)()
            return bytes(ForkingPickler.dumps(shape_of(self._held)))
        except Exception as error:
            return bytes(ForkingPickler.dumps(Raised.of(error)))

    def do(self, told: bytes) -> bytes:
        """The answer to a command, or what it raised."""
        command, arguments = ForkingPickler.loads(told)
        if command == "close":
            self._held.close()
            return bytes(ForkingPickler.dumps(None))
        return bytes(answered(self._held, command, arguments))


def connected() -> Any:
    """The package `ray`, connected to a cluster.

    Raises:
        MissingExtra: if it is not installed.
        ConfigError: if the cluster cannot be reached.
    """
    ray = require("ray", extra="ray", purpose="workers of Ray")
    with _connecting:
        if not ray.is_initialized():
            try:
                ray.init(include_dashboard=None, log_to_driver=False, logging_level="ERROR", configure_logging=False)
            except (ConnectionError, RuntimeError, ValueError) as error:
                line = str(error).splitlines()[0] if str(error) else type(error).__name__
                raise ConfigError(f"no cluster of Ray can be reached ({line}); see RAY_ADDRESS") from None
    return ray


def read_workers(given: int | str | None) -> tuple[int | None, type[WorkerProcess]]:
    """How many workers are wanted, and what they are.

    Args:
        given: A number of processes on this machine, `ray:N` for N actors of Ray, or None for as many as suit.

    Raises:
        ConfigError: if it is none of these.
    """
    text = str(given).strip()
    of_ray = text.startswith(RAY)
    number = text.removeprefix(RAY)
    if given is None:
        return None, WorkerProcess
    if not number.isascii() or not number.isdigit() or (of_ray and int(number) < 1):
        raise ConfigError(f"workers must be a number from 0, or ray:N with N from 1, got {text[:40]!r}")
    return int(number), RayWorker if of_ray else WorkerProcess
