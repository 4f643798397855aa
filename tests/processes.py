"""Whether a process of this machine still runs, its children, and a wait for its end."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

LOOK = 0.05  # seconds


def runs(pid: int) -> bool:
    """Whether a process runs; a zombie has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def ends(pid: int, seconds: float = 10.0) -> bool:
    """Whether a process, which need not be a child of this one, ends in time."""
    until = time.monotonic() + seconds
    while runs(pid) and time.monotonic() < until:
        time.sleep(LOOK)
    return not runs(pid)


def children(pid: int) -> list[int]:
    """The processes that a process has started and that were not waited for."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(path.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(path.parent.name))
    return found


def below(pid: int) -> list[int]:
    """All that a process and those it started have started and that still runs, the last started last."""
    found = []
    for child in sorted(children(pid)):
        found += [child, *below(child)]
    return [each for each in found if runs(each)]


def kill_keeper(pid: int) -> None:
    """Kill a keeper and wait until what it kept is gone too: that dies with it, but a moment later."""
    kept = children(pid)
    os.kill(pid, signal.SIGKILL)
    assert all(ends(each) for each in (pid, *kept))
