"""Memory is told apart by whose it is, so that no kind of process hides the leak of another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak import resets
from tests.soak.hostile import native
from tests.soak.memory import KINDS, kind_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (b"/x/.venv/bin/python3.11\0-m\0tests.soak\0", "python"),
        (b"/x/playwright/driver/node\0cli.js\0run-driver\0", "driver"),
        (b"/x/chrome-headless-shell\0--headless\0", "browser"),
        (b"/usr/bin/chromium\0--headless\0--type=renderer\0--lang=en\0", "renderer"),
        (b"chrome-headless-shell --type=renderer --lang=en", "renderer"),  # a zygote's child writes its words anew
        (b"/usr/bin/chromium\0--type=gpu-process\0", "helper"),
        (b"/bin/sh\0-c\0", "helper"),
        (b"", "helper"),
    ],
)
def test_kinds_of_processes(command: bytes, kind: str) -> None:
    assert kind_of(command) == kind
    assert kind in KINDS


HOLDING = """
import mmap, os, subprocess, sys
from tests.soak.memory import children, held_by_kind

def held(without=()):
    return held_by_kind(without)["python"]

held()
before = held()
kept = mmap.mmap(-1, 16 << 20)
kept.write(b"x" * (16 << 20))
own = held() - before
child = subprocess.Popen(
    [sys.executable, "-c", "kept = b'x' * (32 << 20); print(flush=True); input()"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE,
)
child.stdout.readline()
print(own, held() - before, held([child.pid]) - before, child.pid in children(os.getpid()))
child.communicate(b"\\n")
"""


def test_private_memory_of_a_process_and_its_children() -> None:
    """In a process of its own: what a worker of the suite shared with its parents, any write may make private."""
    done = subprocess.run([sys.executable, "-c", HOLDING], cwd=ROOT, capture_output=True, text=True, check=True)
    own, both, without, known = done.stdout.split()
    assert float(own) == pytest.approx(16, abs=4)
    assert float(both) > 40
    assert float(without) < 24
    assert known == "True"


@pytest.mark.full
def test_a_kind_that_grows_is_not_hidden_by_one_that_shrinks(monkeypatch: pytest.MonkeyPatch) -> None:
    def held(without: object) -> dict[str, float]:
        number = next(readings)
        return {"python": 100.0, "driver": 80.0 + number, "renderer": 200.0 - 2 * number}

    readings = iter(range(1000))
    monkeypatch.setattr(resets, "held_by_kind", held)
    row = resets.reset_all(native()[:1], 40, 600.0, "leaks", "")
    assert not row.good
    assert "driver +20.0 MB" in row.found
    assert "renderer -40.0 MB" in row.found
