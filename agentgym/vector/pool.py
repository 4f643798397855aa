"""Objects in processes of their own: one process (`WorkerProcess`), and jobs dealt to several (`WorkerPool`)."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from types import FrameType
from typing import Any

from agentgym.core import AgentGymError, ConfigError
from agentgym.vector import keeper
from agentgym.vector.frames import FrameError, FrameReader, packed, unpacked
from agentgym.vector.worker import CLOSE_LIMIT, Raised

START_LIMIT = 120.0  # seconds to make an object: engines start servers and browsers
POLL = 0.2  # seconds after which an interrupt is noticed
KEEPER_LIMIT = 10.0  # seconds for a keeper to end a worker and all that it started
GRACE = 1.0  # seconds in which workers may hand over what they have finished
TOLD_LIMIT = 60.0  # seconds in which a process must have read what it is told
PIECE = 1 << 20  # bytes that are read at once
PENDING = object()  # instead of an answer that is not whole yet


class Broken(Exception):
    """A process is gone or had to be ended; the message says why."""


class WorkerLost(Broken):
    """A worker is gone through no fault of what it held, such as its machine; what it was asked may be asked again."""


class WorkerProcess:
    """One process that holds one object.

    It is a fresh interpreter and no fork, since a fork of a program with threads may hang, and no child of
    `multiprocessing`, which would run the caller's script again. Between it and this process stands a keeper
    (`agentgym.vector.keeper`), which ends it together with all that it started, also when this process is killed. The
    terminal's Ctrl-C does not reach it.

    Args:
        factory: Makes the object, there; picklable.
        environment: Environment variables that differ from those of this process.
        output: Files for what it and all that it starts print on standard output and standard error; None prints here.

    Raises:
        ConfigError: if the factory cannot be pickled, or the system has no process groups.
    """

    def __init__(
        self,
        factory: Callable[[], Any],
        *,
        environment: Mapping[str, str] | None = None,
        output: tuple[Path, Path] | None = None,
    ):
        if os.name != "posix":
            raise ConfigError("processes of their own need a POSIX system; play in this process")
        self.pipe, theirs = Pipe()
        number, path = theirs.fileno(), json.dumps([str(folder) for folder in sys.path])
        with theirs, contextlib.ExitStack() as files:
            stdout, stderr = (files.enter_context(file.open("wb")) for file in output) if output else (None, None)
            self.process = subprocess.Popen(
                [sys.executable, "-P", keeper.__file__, str(number), str(os.getpid()), path],
                pass_fds=[number],
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        self._socket, self._frames = socket.socket(fileno=os.dup(self.pipe.fileno())), FrameReader()
        try:
            with contextlib.suppress(Broken):  # that the process is gone shows when its answer is read
                self._send(factory)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            self.end()
            raise ConfigError(f"arguments and wrappers must be picklable to reach another process: {error}") from None

    @property
    def alive(self) -> bool:
        """Whether the process has not ended."""
        return self.process.poll() is None

    def ask(self, command: str, arguments: Any) -> None:
        """Send a command; its answer is what `take` or `answer` gives next.

        Args:
            command: See `agentgym.vector.worker.main`.
            arguments: Of the command.

        Raises:
            Broken: if the process is gone, or does not read what it is told.
        """
        self._send((command, arguments))

    def take(self) -> Any:
        """What has come: the next answer, or `PENDING` if it is not whole yet. It never waits.

        Raises:
            Broken: if the process is gone, or what it sent is no answer.
        """
        frames = self._frames
        try:
            while piece := self._socket.recv(min(frames.wanted, PIECE), socket.MSG_DONTWAIT):
                if (frame := frames.put(piece)) is not None:
                    return unpacked(frame)
        except BlockingIOError:
            return PENDING
        except OSError:
            raise Broken(self.exit_reason()) from None
        except FrameError as error:
            raise Broken(str(error)) from None
        raise Broken(self.exit_reason())

    def answer(self, seconds: float | None) -> Any:
        """The next answer, once it is whole.

        Args:
            seconds: How long to wait for it; None waits for ever.

        Raises:
            Broken: if the process is gone, what it sent is no answer, or it took longer.
        """
        until = None if seconds is None else time.monotonic() + seconds
        while (answer := self.take()) is PENDING:
            left = None if until is None else until - time.monotonic()
            if (left is not None and left <= 0) or not self.pipe.poll(left):
                half = "" if self._frames.between else "; it sent half an answer"
                raise Broken(f"it did not answer within {seconds:g} seconds{half}")
        return answer

    def _send(self, told: Any) -> None:
        data = memoryview(packed(ForkingPickler.dumps(told)))
        until = time.monotonic() + TOLD_LIMIT
        try:
            while data:
                try:
                    data = data[self._socket.send(data, socket.MSG_DONTWAIT) :]
                except BlockingIOError:
                    if not select.select((), (self._socket,), (), max(0.0, until - time.monotonic()))[1]:
                        raise Broken(f"it did not read what it was told within {TOLD_LIMIT:g} seconds") from None
        except OSError:
            raise Broken(self.exit_reason()) from None

    def exit_reason(self) -> str:
        """How the process ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1.0)
        code = self.process.returncode
        if code is not None and code < 0:
            return f"its process was ended by {_signal_name(-code)}"
        return f"its process ended with exit status {code}"

    def close(self) -> None:
        """Let the object close what it holds, then end the process."""
        with contextlib.suppress(Broken):
            self.ask("close", None)
        self.end(CLOSE_LIMIT)

    def end(self, patience: float = 0.0) -> None:
        """End the process and all that it started, after `patience` seconds in which it may end by itself."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(patience)
        self.process.terminate()  # the keeper, which takes all the others along
        self.process.send_signal(signal.SIGCONT)  # it may have been stopped
        try:
            self.process.wait(KEEPER_LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._socket.close()
        self.pipe.close()


class WorkerPool:
    """Equal objects in processes of their own, each given one job after the other; a context manager.

    Args:
        factory: Makes the object, in its process; picklable.
        processes: How many.
        advice: What the caller's user can do when a process died: it was killed, or memory was short.
        kind: What a worker is.
        spare: Workers that may be lost: each is replaced, and does its job in another one. Jobs must then come out
            alike wherever they are done.
    """

    def __init__(
        self,
        factory: Callable[[], Any],
        processes: int,
        *,
        advice: str = "try workers=1",
        kind: type[WorkerProcess] = WorkerProcess,
        spare: int = 0,
    ):
        self._factory, self._kind, self._spare = factory, kind, spare
        self._workers = [kind(factory) for _ in range(processes)]
        self._ready_ones: set[int] = set()
        self._advice = advice

    def run(
        self,
        method: str,
        jobs: Iterable[Any],
        keep: Callable[[Any], None],
        look: Callable[[], None] | None = None,
    ) -> None:
        """Do every job in one of the processes.

        A first Ctrl-C lets the jobs that are done be kept, so it never falls between a result's arrival and its saving.

        Args:
            method: Of the object; called with a job.
            jobs: Picklable.
            keep: Called here with each result, in the order in which they come.
            look: Called here every `POLL` seconds while jobs are done, and after the last.

        Raises:
            AgentGymError: because a process died.
            KeyboardInterrupt: after Ctrl-C, once what was finished is kept.
            Exception: what the object raised, if this process knows its kind.
        """
        todo = deque(jobs)
        busy: dict[Connection, WorkerProcess] = {}
        given: dict[Connection, Any] = {}

        def give(worker: WorkerProcess) -> None:
            if todo:
                busy[worker.pipe], given[worker.pipe] = worker, todo.popleft()
                _give(worker, method, given[worker.pipe])

        with _Interrupts() as interrupts:
            for place in range(len(self._workers)):
                give(self._ready(place))
            while busy and not interrupts.seen:
                for pipe in _waiting(busy, POLL):
                    worker = busy[pipe]
                    try:
                        result = self._result(worker)
                    except _Lost:
                        del busy[pipe]
                        todo.appendleft(given.pop(pipe))
                        give(self._replaced(worker))
                        continue
                    if result is PENDING:
                        continue
                    keep(result)
                    del busy[pipe], given[pipe]
                    give(worker)
                if look:
                    look()
            if interrupts.seen:
                self._collect(busy, keep)
                raise KeyboardInterrupt

    def _collect(self, busy: dict[Connection, WorkerProcess], keep: Callable[[Any], None]) -> None:
        """Keep what is finished within the time of grace."""
        until = time.monotonic() + GRACE
        while busy and (left := until - time.monotonic()) > 0:
            for pipe in _waiting(busy, left):
                try:
                    result = self._result(busy[pipe])
                except (AgentGymError, _Lost):  # it has nothing to hand over, and the caller hears of the interrupt
                    del busy[pipe]
                    continue
                if result is not PENDING:
                    del busy[pipe]
                    keep(result)

    def _ready(self, place: int) -> WorkerProcess:
        """The worker of a place, once it has made its object."""
        while place not in self._ready_ones:
            try:
                self._result(self._workers[place], START_LIMIT)
                self._ready_ones.add(place)
            except _Lost:
                self._replace(place)
        return self._workers[place]

    def _replaced(self, worker: WorkerProcess) -> WorkerProcess:
        """Another one in the place of a worker that was lost."""
        place = self._workers.index(worker)
        self._replace(place)
        return self._ready(place)

    def _replace(self, place: int) -> None:
        self._spare -= 1
        self._ready_ones.discard(place)
        self._workers[place].end()
        self._workers[place] = self._kind(self._factory)

    def _result(self, worker: WorkerProcess, seconds: float | None = None) -> Any:
        """What a process has answered; without a limit `PENDING` where it is not whole yet."""
        try:
            answer = worker.take() if seconds is None else worker.answer(seconds)
        except Broken as broken:
            if self._spare > 0:
                raise _Lost from None
            what = "ended by itself", "it was killed or ran out of memory"
            if worker.alive:
                what = "does not get ready", "the machine is too busy, or what it makes hangs"
            raise AgentGymError(f"a worker process {what[0]} ({broken}): {what[1]}; {self._advice}") from None
        if isinstance(answer, Raised):
            raise answer.error(0)
        return answer

    def close(self) -> None:
        """End every process; one that is idle closes what it holds."""
        until = time.monotonic() + CLOSE_LIMIT
        for worker in self._workers:
            with contextlib.suppress(Broken):
                worker.ask("close", None)
        for worker in self._workers:
            worker.end(max(0.0, until - time.monotonic()))

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None:
            self.close()
        else:
            for worker in self._workers:
                worker.end()


class _Lost(Exception):
    """A worker is gone, and may be replaced."""


class _Interrupts:
    """Notes the first Ctrl-C; the second one raises.

    Only the main thread may set a handler; elsewhere interrupts do not arrive anyway.
    """

    def __init__(self) -> None:
        self.seen = False
        self._main = threading.current_thread() is threading.main_thread()

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.seen:
            raise KeyboardInterrupt
        self.seen = True

    def __enter__(self) -> _Interrupts:
        if self._main:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        if self._main:
            signal.signal(signal.SIGINT, self._before)


def _signal_name(number: int) -> str:
    """The name of a signal; most of the real-time signals have none."""
    known = {each.value: each.name for each in signal.Signals}
    return known.get(number, f"signal {number}")


def _waiting(busy: Iterable[Connection], seconds: float) -> list[Connection]:
    return [pipe for pipe in wait(list(busy), seconds) if isinstance(pipe, Connection)]


def _give(worker: WorkerProcess, method: str, job: Any) -> None:
    with contextlib.suppress(Broken):  # that the process is gone shows when its answer is read
        worker.ask("call", (method, (job,), {}))
