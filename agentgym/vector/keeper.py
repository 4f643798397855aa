"""The process between a worker and whoever started it: it ends the worker together with all that the worker started.

Run as a script. It forks the worker and stays behind, imports nothing of the package and runs no code of an
environment, so nothing that an environment does, such as holding the interpreter lock for ever, keeps it from its work.
On Linux whatever loses its parent below it becomes its child (`PR_SET_CHILD_SUBREAPER`, prctl(2)), also what has made
itself a daemon. When the worker ends, all of that is ended; when whoever started it is gone, or it is told to end by
SIGTERM, the worker is ended too. Its own exit status is the worker's. Should it be killed itself, the worker dies with
it (`PR_SET_PDEATHSIG`).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from pathlib import Path

DESERTED = signal.SIGUSR1  # ends a worker at once that holds nothing yet when whoever started it is gone
GRACE = 2.0  # seconds in which a worker may close what it holds when whoever started it is gone
POLL = 0.5  # seconds between two looks at who the parent is, where the system tells nobody that a process is gone
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
FIRST_TO_GO = "1000"  # the kernel ends a worker that eats all memory before it ends anything else


class Keeper:
    """Keeps one worker.

    Args:
        parent: Process id of whoever started the keeper.

    Attributes:
        deserted: Whether whoever started it is gone.
    """

    def __init__(self, parent: int):
        self._parent, self._pid = parent, os.getpid()
        self._told_to_end = False
        self._wake, write = os.pipe()
        for end in (self._wake, write):
            os.set_blocking(end, False)
        self._write = write
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, self._hear)
        signal.signal(signal.SIGTERM, self._hear)
        _prctl(PR_SET_CHILD_SUBREAPER, 1)
        self._poll = select.poll()
        self._poll.register(self._wake, select.POLLIN)
        self._watched, self.deserted = -1, os.getppid() != parent
        with contextlib.suppress(AttributeError, OSError):  # systems without it are asked every `POLL` seconds
            self._watched = os.pidfd_open(parent)
            self._poll.register(self._watched, select.POLLIN)
        self._status: int | None = None
        self._worker = 0

    def fork(self) -> bool:
        """Whether this is the worker."""
        self._worker = os.fork()
        if self._worker:
            return False
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for number in (self._wake, self._write, self._watched):
            if number >= 0:
                os.close(number)
        os.setsid()  # a world that ends its process group does not reach the keeper
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self._pid:
            os._exit(1)
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(FIRST_TO_GO, encoding="ascii")
        return True

    def keep(self) -> None:
        """Wait for the end of the worker or of whoever started it, end all that is left, and exit like the worker."""
        while not (self._ended() or self._told_to_end or self.deserted):
            self._rest(None if self._watched >= 0 else POLL)
            self.deserted |= os.getppid() != self._parent
        if self.deserted and not self._ended():
            os.kill(self._worker, DESERTED)
        until = time.monotonic() + GRACE
        while not (self._ended() or self._told_to_end) and (left := until - time.monotonic()) > 0:
            self._rest(min(left, POLL))
        self._end_all()
        status = self._status
        assert status is not None
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if number not in (signal.SIGKILL, signal.SIGSTOP):
                signal.signal(number, signal.SIG_DFL)
            os.kill(self._pid, number)
        os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)

    def _hear(self, number: int, frame: object) -> None:
        self._told_to_end |= number == signal.SIGTERM

    def _rest(self, seconds: float | None) -> None:
        """Until something happens, or for so many seconds."""
        ready = [number for number, _ in self._poll.poll(None if seconds is None else 1000 * seconds)]
        if self._wake in ready:
            os.read(self._wake, 4096)
        if self._watched in ready:
            self._poll.unregister(self._watched)  # it would stay ready
            self.deserted = True

    def _ended(self) -> bool:
        """Whether the worker has ended; buries whatever else has."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == self._worker:
                self._status = status
            if not pid:
                return self._status is not None

    def _end_all(self) -> None:
        """End the worker and whatever is left of what it started."""
        while True:
            children = _children(self._pid)
            if children is None:  # no /proc: what stayed in the worker's process group
                children = []
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._worker, signal.SIGKILL)
            for child in children:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            try:
                pid, status = os.waitpid(-1, 0)
            except ChildProcessError:
                return
            if pid == self._worker:
                self._status = status


def _children(pid: int) -> list[int] | None:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return None


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    pipe, path = int(sys.argv[1]), sys.argv[3]
    keeper = Keeper(int(sys.argv[2]))
    if keeper.deserted:
        os._exit(1)
    if keeper.fork():
        del sys.argv[1:]
        sys.path[:] = json.loads(path)
        from agentgym.vector.worker import main

        main(pipe, DESERTED)
    else:
        os.close(pipe)
        keeper.keep()
