"""What environments leave behind in their process is counted."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from agentgym.conformance.process import ROUNDS, growth

kept: list[Any] = []


def begin() -> None:
    kept.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=True))


def wait() -> None:
    kept.append(threading.Event())
    threading.Thread(target=kept[-1].wait).start()


def end(each: Any) -> None:
    if isinstance(each, threading.Event):
        each.set()
    elif isinstance(each, int):
        os.close(each)
    else:
        each.communicate()


@pytest.mark.full
@pytest.mark.parametrize(
    ("leave", "what"),
    [(begin, "processes"), (wait, "threads"), (lambda: kept.append(os.dup(0)), "descriptors")],
    ids=["a process", "a thread", "a descriptor"],
)
def test_what_stays_for_each_environment_is_counted(leave: Callable[[], None], what: str) -> None:
    try:
        assert growth(leave)[what] == ROUNDS
    finally:
        while kept:
            end(kept.pop())


def test_what_is_kept_once_is_no_leak() -> None:
    def pooled() -> None:
        if not kept:
            begin()

    try:
        assert growth(pooled) == {"threads": 0, "processes": 0, "descriptors": 0}
    finally:
        end(kept.pop())
