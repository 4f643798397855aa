"""A worker whose parent is gone ends at once and says nothing about it, whatever it was about to do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agentgym.vector.pool import WorkerProcess
from tests.core.processes import ROOT
from tests.processes import below, runs

READY = 60.0  # seconds
PROGRAM = """
from agentgym.evaluate import evaluate
evaluate("FrozenLake-v0", "random", episodes=500, trials=20, workers=2, out={out!r})
"""


class Loud:
    """Tells the world when it is closed, in every way there is.

    Args:
        note: A file it makes when it is made, and removes when it is closed.
    """

    def __init__(self, note: Path):
        self._note = note
        note.touch()

    def wait(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)

    def close(self) -> None:
        """Fail."""
        self._note.unlink()
        os.write(2, b"closing\n")
        print("closing", flush=True)
        raise BrokenPipeError("what it held is gone too")


@pytest.mark.parametrize("when", ["before it is made", "before it has told", "idle", "at work"])
def test_a_worker_without_a_parent_is_silent(tmp_path: Path, when: str) -> None:
    """Its pipe closes, as the system closes it when the parent is killed."""
    note, output = tmp_path / "note", (tmp_path / "out", tmp_path / "err")
    worker = WorkerProcess(partial(Loud, note), output=output)
    if when != "before it is made":
        assert worker.pipe.poll(READY)
    if when in ("idle", "at work"):
        assert worker.answer(READY) is None
    if when == "at work":
        worker.ask("call", ("wait", (0.2,), {}))
    worker._socket.close()
    worker.pipe.close()
    worker.process.wait(READY)
    assert not note.exists(), "what it held is closed"
    assert [file.read_bytes() for file in output] == [b"", b""]


@pytest.mark.parametrize("begun", [False, pytest.param(True, marks=pytest.mark.full)])
def test_an_evaluation_that_is_killed_leaves_no_process_and_no_word(tmp_path: Path, begun: bool) -> None:
    """As soon as its workers start, and while they play."""
    out, err = tmp_path / "run", tmp_path / "err"
    with err.open("wb") as stream:
        code = PROGRAM.format(out=str(out))
        parent: Any = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=stream, stderr=stream)
    until, workers = time.monotonic() + READY, list[int]()
    try:
        while len(workers) < 4 or (begun and not (out / "episodes.jsonl").exists()):  # each with its keeper
            assert time.monotonic() < until, "no workers were started"
            assert parent.poll() is None, err.read_text()
            workers = below(parent.pid)
            time.sleep(0.01)
        before = err.read_bytes()
    finally:
        parent.kill()
        parent.wait()
    until = time.monotonic() + READY
    while any(map(runs, workers)):
        assert time.monotonic() < until, "a worker stays"
        time.sleep(0.05)
    assert err.read_bytes() == before == b""
