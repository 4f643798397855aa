"""Programs that can be found among the machine's processes while they run, and an end to the sandbox they run in."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

LOOK = 0.05  # seconds between two looks at the machine's processes
NAMED = "import ctypes, time\nctypes.CDLL(None).prctl(15, b{token!r}, 0, 0, 0)\ntime.sleep({seconds})\n"


def lingering(token: str, seconds: float) -> str:
    """A program of Python that gives its process a name, and stays for a while.

    Args:
        token: The name, at most 15 characters.
        seconds: How long it stays.
    """
    return NAMED.format(token=token, seconds=seconds)


@contextlib.contextmanager
def keepers_killed(token: str) -> Iterator[list[int]]:
    """Kill the first process of every sandbox in which a process has this name.

    Args:
        token: The name.

    Returns:
        The processes that were killed, as they are.
    """
    killed: list[int] = []
    over = threading.Event()
    hunter = threading.Thread(target=_hunt, args=(token, killed, over))
    hunter.start()
    try:
        yield killed
    finally:
        over.set()
        hunter.join()


def _hunt(token: str, killed: list[int], over: threading.Event) -> None:
    while not over.is_set():
        for folder in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if folder.name.isdigit() and (folder / "comm").read_text(encoding="utf8").strip() == token:
                    lines = (folder / "status").read_text(encoding="utf8").splitlines()
                    parent = int(next(line.split()[1] for line in lines if line.startswith("PPid:")))
                    if parent > 1 and parent != os.getpid():
                        os.kill(parent, signal.SIGKILL)
                        killed.append(parent)
        time.sleep(LOOK)
