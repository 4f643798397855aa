"""What belongs to a process as a whole: a world that changes it changes what stands beside it in the same process.

Environment variables are left out, for libraries set some when they are imported.
"""

from __future__ import annotations

import contextlib
import gc
import locale
import os
import resource
import signal
import socket
import sqlite3
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROUNDS = 6  # environments that are made and closed one after the other, after those that may begin what is kept
LIMITS = [name for name in dir(resource) if name.startswith("RLIMIT_")]


def standing() -> dict[str, Any]:
    """The settings of this process, by what they are called in a complaint."""
    mask = os.umask(0o077)
    os.umask(mask)
    with sqlite3.connect(":memory:") as database:
        heap = database.execute("PRAGMA hard_heap_limit").fetchone()
    database.close()
    named = {number: signal.getsignal(number) for number in signal.valid_signals()}
    return {
        "os.getcwd()": os.getcwd(),
        "os.umask": mask,
        "the locale": locale.setlocale(locale.LC_ALL),
        "the heap limit of SQLite, which holds for every database of the process": heap,
        "sys.getrecursionlimit()": sys.getrecursionlimit(),
        "sys.getswitchinterval()": sys.getswitchinterval(),
        "sys.get_int_max_str_digits()": sys.get_int_max_str_digits(),
        "gc.isenabled()": gc.isenabled(),
        "socket.getdefaulttimeout()": socket.getdefaulttimeout(),
        "numpy.geterr()": np.geterr(),
        "standard output or error": (sys.stdout, sys.stderr),
        "an exception hook": (sys.excepthook, threading.excepthook, sys.unraisablehook),
        **{f"resource.{name}": resource.getrlimit(getattr(resource, name)) for name in LIMITS},
        **{f"the handler of signal {number}": handler for number, handler in named.items()},
    }


def changed(before: dict[str, Any]) -> list[str]:
    """What is another than it was.

    Args:
        before: What `standing` said then.
    """
    now = standing()
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def held() -> dict[str, int]:
    """How many threads, children and open descriptors this process has, those of its threads included."""
    gc.collect()
    own = Path("/proc/self")
    children = 0
    for task in (own / "task").glob("*/children"):
        with contextlib.suppress(OSError):  # a thread that has just ended
            children += len(task.read_text().split())
    return {
        "threads": threading.active_count(),
        "processes": children,
        "descriptors": len(os.listdir(own / "fd")) if (own / "fd").exists() else 0,
    }


def growth(play: Callable[[], None]) -> dict[str, int]:
    """By how much what the process holds grows while environments come and go.

    A pool may be kept as long as its process, so that a first environment may leave something; one more for each
    environment is a leak.

    Args:
        play: Makes an environment, uses it and closes it.
    """
    play()
    seen = [held()]
    for _ in range(ROUNDS):
        play()
        seen.append(held())
    return {name: seen[-1][name] - seen[0][name] for name in seen[0]}
