"""Whether a process of this machine still runs, and a wait for its end."""

from __future__ import annotations

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
