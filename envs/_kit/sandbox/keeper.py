"""A keeper as it is seen from outside: it is started ahead, given one job, and asked for the answer."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol

from agentgym.envs._kit.sandbox.cgroups import Group
from agentgym.envs._kit.sandbox.job import LENGTH, Broken, Job, Result, head_of, packed, unpacked

READY = b"ready "
STARTING = 60.0  # seconds until a keeper is ready
GRACE = 10.0  # seconds for an answer after the time of a run is over
CHUNK = 1 << 16
LONGEST_LINE, LONGEST_COMPLAINT = 400, 2_000


class NotStarted(Exception):
    """A sandbox did not start; the message says why."""


class Tube(Protocol):
    """What a backing gives of a keeper that it has started: a way to talk to it and to end it."""

    def fileno(self) -> int:
        """What can be waited for."""

    def send(self, data: bytes) -> None:
        """Hand it all of the data; raises `OSError` if it is gone."""

    def receive(self, size: int) -> bytes:
        """Some bytes of what it writes; none at the end."""

    def begin(self) -> None:
        """It is ready: bound what it may use, where that was not done when it was started."""

    def complaint(self) -> str:
        """Why it did not start, as far as it says."""

    def close(self) -> None:
        """End it and everything in it."""

    def ended(self) -> bool:
        """Whether it has ended after `close`; then everything of it is taken away."""

    def wait(self, seconds: float) -> None:
        """Wait until it has ended, at most so long."""


class Keeper:
    """One sandbox, for one run.

    Args:
        backing: Its name.
        tube: Leads to it.
    """

    def __init__(self, backing: str, tube: Tube) -> None:
        self.backing, self.tube = backing, tube
        self.landlock = -1

    def wait(self) -> None:
        """Wait until it is ready.

        Raises:
            NotStarted: with what it says, if it is not.
        """
        if self.landlock >= 0:
            return
        line = b""
        with contextlib.suppress(Broken, OSError):
            while not line.endswith(b"\n"):
                line += self._some(LONGEST_LINE, STARTING)  # it says no more before it has a job
        if not line.startswith(READY):
            said = " ".join(line.decode("utf8", "replace").split()) or self.tube.complaint()
            raise NotStarted(f"{self.backing} did not start: {said}")
        self.landlock = int(line.split()[1])
        self.tube.begin()

    def prepare(self) -> None:
        """What `wait` does, if it takes no waiting; what fails is told by `wait`."""
        if self.landlock < 0 and select.select([self.tube], [], [], 0)[0]:
            with contextlib.suppress(NotStarted, OSError):
                self.wait()

    def run(
        self, job: Job, answer: Callable[[str], str] | None = None, meanwhile: Callable[[], None] = lambda: None
    ) -> Result:
        """Play a job; the sandbox is gone afterwards.

        Args:
            job: The job.
            answer: Answers calls of the functions that the job names, text for text.
            meanwhile: Called once the job is under way.

        Raises:
            NotStarted: if it was gone before.
        """
        try:
            self.wait()
            if select.select([self.tube], [], [], 0)[0]:  # it says nothing before it has a job, so this is its end
                raise NotStarted(f"{self.backing} was gone before the run")
            try:
                self.tube.send(packed(job))
            except OSError as error:
                raise NotStarted(f"{self.backing} was gone before the run: {error}") from error
            meanwhile()
            return replace(self._answer(job, answer), landlock=self.landlock)
        except (Broken, OSError):
            return Result(self.backing, "lost", landlock=max(0, self.landlock))
        finally:
            self.tube.close()

    def _answer(self, job: Job, answer: Callable[[str], str] | None) -> Result:
        """What the keeper says in the end; calls are answered on the way."""

        def read(size: int) -> bytes:
            return self._read(size, job.limits.seconds + GRACE)

        while True:
            head = head_of(read)
            if not isinstance(head, dict) or "call" not in head:
                return unpacked(self.backing, job.limits, head, read)
            if answer is None:
                raise Broken("a call that nobody answers")
            said = answer(str(head["call"])).encode()
            self.tube.send(LENGTH.pack(len(said)) + said)

    def _read(self, size: int, seconds: float) -> bytes:
        return b"".join(self._parts(size, seconds))

    def _parts(self, size: int, seconds: float) -> Iterator[bytes]:
        while size:
            part = self._some(size, seconds)
            size -= len(part)
            yield part

    def _some(self, size: int, seconds: float) -> bytes:
        """Some bytes.

        Raises:
            Broken: if there are no more, or none in time.
        """
        if not select.select([self.tube], [], [], seconds)[0]:
            raise Broken("no answer in time")
        part = self.tube.receive(min(size, CHUNK))
        if not part:
            raise Broken("no answer")
        return part


def complaint_of(process: subprocess.Popen[bytes]) -> str:
    """What a program that did not start wrote to standard error.

    Args:
        process: The program.
    """
    assert process.stderr is not None
    place, said = process.stderr.fileno(), ""
    if select.select([place], [], [], 1.0)[0]:
        said = os.read(place, LONGEST_COMPLAINT).decode("utf8", "replace")
    return " ".join(said.split()) or "it said nothing"


class ProcessTube:
    """The pipes of a program that holds a sandbox, and tells the number of its first process.

    Args:
        process: The program.
        said: A file in memory in which it tells that number, as JSON under `child-pid`.
        group: Bounds its memory and its processes.
        give_back: Called with the group when it has ended.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], said: int, group: Group, give_back: Callable[[Group], None]
    ) -> None:
        self.process, self.group, self._give_back, self._gone = process, group, give_back, False
        self._said, self._first = said, -1

    def fileno(self) -> int:
        """What it writes."""
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def send(self, data: bytes) -> None:
        """Write all of the data into it."""
        assert self.process.stdin is not None
        place, view = self.process.stdin.fileno(), memoryview(data)
        while view:
            view = view[os.write(place, view[:CHUNK]) :]

    def receive(self, size: int) -> bytes:
        """What there is of its output."""
        return os.read(self.fileno(), size)

    def begin(self) -> None:
        """Put its first process into the group, so that all that it starts is in it."""
        first = json.loads(os.pread(self._said, 4096, 0).split(b"\n")[0])["child-pid"]
        self._first = os.pidfd_open(first)  # its number may be given to another process one day
        self.group.take([first])

    def complaint(self) -> str:
        """What it wrote to standard error."""
        return complaint_of(self.process)

    def close(self) -> None:
        """End its first process, with which all others end; one that is not ready yet ends at the end of its input."""
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        if self._first >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
        for place in (self._said, self._first):
            if place >= 0:
                os.close(place)
        self._said = self._first = -1

    def ended(self) -> bool:
        """Whether it has ended."""
        if self.process.poll() is None:
            return False
        if not self._gone:
            self._gone = True
            self._give_back(self.group)
        return True

    def wait(self, seconds: float) -> None:
        """Wait for its end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
