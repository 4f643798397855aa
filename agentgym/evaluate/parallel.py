"""Jobs in worker processes that survive neither their parent nor an interrupt, while every finished result does."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from types import FrameType
from typing import Any, Protocol

from agentgym.core import AgentGymError

POLL = 0.2  # seconds after which an interrupt is noticed
GRACE = 1.0  # seconds in which workers may hand over what they have finished


class Worker(Protocol):
    """What works in a process of its own."""

    def play(self, job: Any) -> Any:
        """Do a job; picklable."""

    def close(self) -> None:
        """Free what it holds."""


class _Interrupts:
    """Notes the first Ctrl-C, so that it never falls between a result's arrival and its saving; the second one raises.

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


def play_parallel(
    build: Callable[[Any], Worker], config: Any, jobs: Iterable[Any], workers: int, keep: Callable[[Any], None]
) -> None:
    """Do every job in one of several processes.

    Args:
        build: Makes a worker from `config`, in its process; importable by name.
        config: Picklable.
        jobs: Picklable.
        workers: How many processes.
        keep: Called here with each result, in the order in which they finish.

    Raises:
        AgentGymError: as raised by a worker, or because a process died.
        KeyboardInterrupt: after Ctrl-C, once what was finished is kept.
        RuntimeError: with the traceback, for any other error of a worker.
    """
    todo = deque(jobs)
    team = {}
    busy: set[Connection] = set()
    with _Interrupts() as interrupts:
        try:
            for _ in range(workers):
                pipe, process = _hire(build, config)
                team[pipe] = process
                _send(pipe, todo.popleft())
                busy.add(pipe)
            while busy and not interrupts.seen:
                for pipe in _ready(busy, POLL):
                    keep(_receive(pipe, team[pipe]))
                    if todo:
                        _send(pipe, todo.popleft())
                    else:
                        busy.remove(pipe)
            if interrupts.seen:
                _collect(busy, team, keep)
                raise KeyboardInterrupt
        finally:
            for pipe, process in team.items():
                pipe.close()  # an idle worker sees the end of its jobs
                if pipe in busy:
                    process.terminate()
                process.join()


def _ready(busy: set[Connection], seconds: float) -> list[Connection]:
    return [pipe for pipe in wait(list(busy), seconds) if isinstance(pipe, Connection)]


def _collect(busy: set[Connection], team: dict[Connection, Any], keep: Callable[[Any], None]) -> None:
    """Keep what is finished within the time of grace."""
    until = time.monotonic() + GRACE
    while busy and (left := until - time.monotonic()) > 0:
        for pipe in _ready(busy, left):
            busy.remove(pipe)
            try:
                result = _receive(pipe, team[pipe])
            except AgentGymError:
                continue  # a worker in trouble has nothing to hand over, and the caller hears of the interrupt
            keep(result)


def _hire(build: Callable[[Any], Worker], config: Any) -> tuple[Connection, Any]:
    """Start a process; it inherits a mask that keeps the terminal's Ctrl-C from it."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(there, build, config), daemon=True)
    resource_tracker.ensure_running()  # it would unblock the signal if the first worker had to start it
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        there.close()  # so that each side notices the other's end
    return here, process


def _send(pipe: Connection, message: Any) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # that the other side is gone shows when reading
        pipe.send(message)


def _receive(pipe: Connection, process: Any) -> Any:
    try:
        result = pipe.recv()
    except (EOFError, OSError):
        process.join()
        raise AgentGymError(
            f"a worker process ended by itself (exit code {process.exitcode}): it was killed, ran out of memory, or "
            'the calling script does not guard its start with  if __name__ == "__main__":  ; try workers=1'
        ) from None
    if isinstance(result, Exception):
        raise result
    return result


def _work(pipe: Connection, build: Callable[[Any], Worker], config: Any) -> None:
    """What a worker process does: build, then job after job until the pipe is closed."""
    try:
        worker = build(config)
        try:
            while (job := _next(pipe)) is not None:
                _send(pipe, worker.play(job))
        finally:
            worker.close()
    except AgentGymError as error:
        _send(pipe, error)
    except Exception:
        _send(pipe, RuntimeError(f"a worker process failed:\n{traceback.format_exc()}"))


def _next(pipe: Connection) -> Any:
    try:
        return pipe.recv()
    except (EOFError, ConnectionResetError):
        return None  # no more jobs, or the parent is gone
