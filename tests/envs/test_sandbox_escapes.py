"""Attempts to get out of the sandbox, on each backing: none succeeds, and those that are harmless would without it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from agentgym.envs._kit.sandbox import Entry, Result, Sandbox
from tests.envs.boxes import BACKINGS, EACH, backing
from tests.envs.escapes.__main__ import FIRST, LAST, PAGE
from tests.envs.escapes.attempt import LIMITS, SECRET, attempt, attempts, judged, living, prey, written

HARMLESS = (  # attempts that are made without a sandbox as well, and succeed there
    "reads_a_file_outside", "reads_it_through_dots", "reads_it_through_a_link", "links_hard_to_it",
    "lists_the_checkout", "reads_the_environment_outside", "reaches_this_machine", "reaches_a_socket_file",
    "reaches_an_abstract_socket", "signals_whoever_asked", "sends_a_datagram",
    "traces_its_own_child", "takes_memory_without_a_name", "starts_threads", "opens_many_files",
)  # fmt: skip
SLOW = ("runs_for_ever", "sleeps_for_ever", "ignores_every_signal")


@pytest.fixture(params=EACH, scope="module")
def box(request):
    sandbox = Sandbox(backing(request.param), LIMITS, warm=0)
    yield sandbox
    sandbox.close()


def test_the_published_table_is_of_these_attempts() -> None:
    """It is written by `python -m tests.envs.escapes --out docs`."""
    text = (Path(__file__).parents[2] / "docs" / PAGE).read_text(encoding="utf8")
    lines = text[text.index(FIRST) + len(FIRST) : text.index(LAST)].strip().splitlines()
    head, _, *rows, last = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    assert head == ["an attempt that", *BACKINGS]
    assert [row[0] for row in rows] == [name.replace("_", " ") for name in attempts()]
    assert all(cell.startswith("held (") for row in rows for cell in row[1:])
    assert last == ["all", *[f"**0 of {len(attempts())}** got out"] * len(BACKINGS)]


def test_there_are_enough() -> None:
    assert len(attempts()) >= 40


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.full] * (name in SLOW)) for name in attempts()])
def test_none_gets_out(box, name) -> None:
    out, result = attempt(box, name)
    assert not out, f"{name} got out: {out} ({result.ended}, {result.stdout[:200]!r}, {result.stderr[:200]!r})"
    assert result.backing == box.backing.name


@pytest.mark.parametrize("name", HARMLESS)
def test_without_a_sandbox_it_would(name, tmp_path) -> None:
    (tmp_path / "attempt.py").write_bytes(written(name))
    with prey() as place:
        command = [sys.executable, "-S", "attempt.py"]
        said = json.dumps(place.host)
        done = subprocess.run(command, cwd=tmp_path, input=said, capture_output=True, text=True, check=False)
        assert judged(place, Result("none", "exit", done.returncode, done.stdout, done.stderr)), done.stdout


@pytest.mark.parametrize(
    ("result", "wrong"),
    [
        (Result("x", "lost"), "the keeper was ended"),
        (Result("x", "exit", stdout=f"so: {SECRET}"), "the secret came back"),
        (Result("x", "exit", 77), "the answer is not the keeper's"),
        (Result("x", "exit", files={"a": Entry(SECRET.encode())}), "the secret came back"),
        (Result("x", "exit", files={"../a": Entry()}), "a file came back as '../a'"),
        (Result("x", "exit", files={str(n): Entry() for n in range(301)}), "more files came back than may"),
    ],
)
def test_what_got_out_is_seen(result, wrong) -> None:
    with prey() as place:
        assert judged(place, result) == wrong


def test_a_change_outside_is_seen() -> None:
    with prey() as place:
        (place.folder / "trap").mkdir()
        assert judged(place, Result("x", "exit")) == "something outside was changed"


def test_nothing_lives_on(box) -> None:
    with prey() as place:
        token = f"left-behind-{place.folder.name}"
        code = (
            "import os, subprocess, sys, time\n"
            "for _ in range(3):\n"
            f"    subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(60)', '{token}'],\n"
            "                     start_new_session=True)\n"
            "time.sleep(0.2)\n"
            "print(sum(open(f'/proc/{each}/cmdline').read().count('left-behind') for each in os.listdir('/proc')\n"
            "          if each.isdigit() and each != str(os.getpid())))\n"
        )
        result = box.python(code)
        assert result.stdout == "3\n", result
        for _ in range(100):
            if not living(token):
                break
            time.sleep(0.1)
        assert living(token) == []


def test_a_run_that_was_attacked_leaves_the_next_alone(box) -> None:
    with prey() as place:
        for name in ("ends_every_process", "floods_the_output", "forks_many"):
            attempt(box, name)
        assert place.canary.exists()
    assert box.python("print('well')").stdout == "well\n"


def test_time_runs_out(box) -> None:
    short = Sandbox(box.backing, replace(LIMITS, seconds=1.5), warm=0)
    assert short.python("import time\ntime.sleep(60)").ended == "time"
    short.close()
