"""The server's worker processes, spoken to without waiting: jobs go out in batches, answers come back as callbacks."""

from __future__ import annotations

import asyncio
import os
import socket
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from multiprocessing.reduction import ForkingPickler
from typing import Any

from agentgym.serve.host import Done, Host, SessionJob
from agentgym.vector.frames import FrameError, FrameReader, packed, unpacked
from agentgym.vector.pool import START_LIMIT, Broken, WorkerProcess
from agentgym.vector.worker import EnvFactory, Raised

BATCH = 64  # jobs that go to a process at once: what waits behind a slow one

Answer = Callable[[Done | Broken], None]


class Untouched(Broken):
    """A process is gone, and had not begun with the job."""


@dataclass(slots=True)
class _Sent:
    """A job, whom to tell, and whether it goes out alone, as one that may have ended a process."""

    job: SessionJob
    answer: Answer
    alone: bool


class Worker(asyncio.Protocol):
    """One process of the pool. Jobs are done in the order in which they are given.

    Args:
        served: What its environments are made from.
        limit: Seconds for a batch of jobs; a process that takes longer is ended.
        ended: Called with this worker and the reason once it cannot be used.
    """

    def __init__(self, served: Mapping[str, EnvFactory], limit: float, ended: Callable[[Worker, str], None]):
        self.sessions: set[str] = set()
        self.gone = ""
        self._served, self._limit, self._ended = served, limit, ended
        self._waiting: deque[_Sent] = deque()
        self._flying: list[_Sent] = []
        self._ready = self._due = False
        self._process: WorkerProcess | None = None
        self._transport: Any = None
        self._frames = FrameReader()
        self._loop = asyncio.get_running_loop()
        self._watch: asyncio.TimerHandle | None = None
        self._starting = self._loop.create_task(self._start())

    @property
    def pid(self) -> int | None:
        """Process id of its keeper; None before it has started."""
        return None if self._process is None else self._process.process.pid

    def submit(self, job: SessionJob, answer: Answer, alone: bool = False) -> None:
        """Give it a job.

        Args:
            job: What to do.
            answer: Called with what became of it, or with the reason for which the process is gone.
            alone: Whether it shares no batch with others, which would be lost with it.
        """
        if self.gone:
            self._loop.call_soon(answer, Untouched(self.gone))
            return
        self._waiting.append(_Sent(job, answer, alone))
        self._soon()

    def end(self, reason: str) -> None:
        """End the process; whoever waits is told the reason."""
        if self.gone:
            return
        self.gone = reason
        if self._watch is not None:
            self._watch.cancel()
        if self._transport is not None:
            self._transport.abort()
        flying, waiting = self._flying, self._waiting
        self._flying, self._waiting = [], deque()
        if self._process is not None:
            self._loop.run_in_executor(None, self._process.end)
        self._ended(self, reason)
        for sent in flying:
            sent.answer(Broken(reason))
        for sent in waiting:
            sent.answer(Untouched(reason))

    async def _start(self) -> None:
        try:
            self._process = await asyncio.to_thread(WorkerProcess, partial(Host, self._served))
            end = socket.socket(fileno=os.dup(self._process.pipe.fileno()))
            end.setblocking(False)
            await self._loop.create_connection(lambda: self, sock=end)
        except Exception as error:
            self.end(f"its process did not start: {error}")
            return
        self._watch = self._loop.call_later(START_LIMIT, self.end, f"its process took over {START_LIMIT:g} seconds")

    async def _bury(self) -> None:
        assert self._process is not None
        self.end(await asyncio.to_thread(self._process.exit_reason))

    # What asyncio calls.

    def connection_made(self, transport: Any) -> None:
        """The pipe is open."""
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        """The process is gone."""
        if not self.gone:
            self._ready = False  # nothing more is written
            self._starting = self._loop.create_task(self._bury())

    def data_received(self, data: bytes) -> None:
        """Bytes from the process."""
        try:
            for frame in self._frames.feed(data):
                answers = unpacked(frame)
                if self.gone:
                    return
                self._take(answers)
        except FrameError as error:
            self.end(str(error))

    def _take(self, answers: Any) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        if isinstance(answers, Raised):
            self.end(f"its process failed: {answers.name}: {answers.message}")
            return
        flying, self._flying = self._flying, []
        if not self._ready:
            self._ready = True  # the first answer tells that the process has made its host
        self._flush()  # the process works on the next batch while answers are handed out
        for sent, done in zip(flying, answers or (), strict=True):
            sent.answer(done)

    def _soon(self) -> None:
        if self._ready and not self._flying and not self._due:
            self._due = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._due = False
        if self.gone or not self._ready or self._flying or not self._waiting:
            return
        waiting = self._waiting
        self._flying = [waiting.popleft()]
        while waiting and len(self._flying) < BATCH and not (self._flying[0].alone or waiting[0].alone):
            self._flying.append(waiting.popleft())
        batch = [sent.job for sent in self._flying]
        data = ForkingPickler.dumps(("call", ("work", (batch,), {})))
        self._transport.write(packed(data))
        self._watch = self._loop.call_later(self._limit, self.end, f"it did not answer within {self._limit:g} seconds")


class SessionWorkers:
    """All processes: some that hold many light environments each, and one for each engine.

    Args:
        served: By name, what environments are made from.
        apart: Names of those that take a process of their own.
        processes: How many hold the light ones.
        limit: Seconds for a batch of jobs.
        lost: Called with the sessions of a process that is gone, and the reason.
    """

    def __init__(
        self,
        served: Mapping[str, EnvFactory],
        apart: frozenset[str],
        processes: int,
        limit: float,
        lost: Callable[[set[str], str], None],
    ):
        self._served, self._apart, self._limit, self._lost = served, apart, limit, lost
        self._light = {name: factory for name, factory in served.items() if name not in apart}
        self._shared: list[Worker | None] = [None] * processes
        self._own: set[Worker] = set()
        self.ended = 0

    def start(self) -> None:
        """Start the processes of light environments."""
        if self._light:
            self._shared = [self._new(self._light) for _ in self._shared]

    def place(self, session: str, env: str) -> Worker:
        """The process where a session is put: its own, or the one that holds fewest.

        Args:
            session: Which.
            env: Name of its environment.
        """
        if env in self._apart:
            worker = self._new({env: self._served[env]})
            self._own.add(worker)
        else:
            number = min(range(len(self._shared)), key=lambda at: len(held.sessions) if (held := self._at(at)) else 0)
            worker = self._at(number) or self._new(self._light)
            self._shared[number] = worker
        worker.sessions.add(session)
        return worker

    def leave(self, session: str, worker: Worker) -> None:
        """Forget where a session was; a process of its own ends.

        Args:
            session: Which.
            worker: Where it was.
        """
        worker.sessions.discard(session)
        if worker in self._own:
            self._own.discard(worker)
            worker.end("its session is closed")

    @property
    def all(self) -> list[Worker]:
        """Those that can be used."""
        return [worker for worker in [*self._shared, *self._own] if worker is not None and not worker.gone]

    def close(self) -> None:
        """End every process."""
        for worker in self.all:
            worker.end("the server is shutting down")

    def _at(self, number: int) -> Worker | None:
        worker = self._shared[number]
        return None if worker is None or worker.gone else worker

    def _new(self, served: Mapping[str, EnvFactory]) -> Worker:
        return Worker(served, self._limit, self._gone)

    def _gone(self, worker: Worker, reason: str) -> None:
        self.ended += 1
        self._own.discard(worker)
        self._lost(worker.sessions, reason)
