"""Each piece of the soak in little, and that it would notice what it looks for."""

from __future__ import annotations

import itertools
import json
import mmap
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentgym.core import Driver, EnvCard
from agentgym.envs import CARDS
from tests.envs.boxes import sandbox
from tests.envs.browsing import needs_browser
from tests.soak import escapes, exits, hostile, kills, page, resets
from tests.soak.pieces import PIECES
from tests.soak.row import Row

FIGURES = json.loads(page.RESULTS.read_text(encoding="utf8"))
SECONDS = 300.0
NATIVE = hostile.native()


@pytest.mark.full
def test_hostile_words() -> None:
    (row,) = hostile.run(300, SECONDS)
    assert row.good, row.found
    assert row.count == 300


@pytest.mark.full
def test_hostile_words_over_other_programs() -> None:
    (row,) = hostile.run_programs(100, SECONDS)
    assert row.good, row.found
    assert row.count == 100


def test_every_world_that_needs_no_files_hears_hostile_words() -> None:
    heard = [card.id for card in (*NATIVE, *hostile.programs())]
    assert len(heard) == len(set(heard))
    assert set(heard) == {card.id for card in CARDS if not card.requires}


def test_ways_out_of_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox()
    (row,) = escapes.run(2, SECONDS)
    assert row.good, row.found
    assert row.count == 2
    monkeypatch.setattr(escapes, "each_attempt", lambda: [("bubblewrap", "forks", "it wrote a file", "exit")])
    (row,) = escapes.run(1, SECONDS)
    assert not row.good
    assert "1 got out" in row.found


def test_a_world_that_raises_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(card: EnvCard) -> Iterator[float]:
        yield 0.0
        raise ZeroDivisionError(card.id)

    monkeypatch.setattr(hostile, "play", play)
    monkeypatch.setattr(hostile, "native", lambda: NATIVE[:2])
    (row,) = hostile.run(10, SECONDS)
    assert not row.good
    assert f"ZeroDivisionError: {NATIVE[0].id}" in row.found


@pytest.mark.full
def test_resets_of_native_worlds() -> None:
    (row,) = resets.run_native(130, SECONDS)
    assert row.count == 130
    assert "+0 descriptors" in row.found


@pytest.mark.full
@needs_browser
def test_resets_of_browser_worlds() -> None:
    (row,) = resets.run_browser(resets.ROUNDS * len(resets.browser()), SECONDS)
    assert row.good, row.found


@pytest.mark.full
def test_a_leak_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []

    def begin(driver: Driver, name: str, number: int) -> None:
        kept.append(os.open(os.devnull, os.O_RDONLY))

    monkeypatch.setattr(resets, "begin", begin)
    row = resets.reset_all(NATIVE[:1], 10, SECONDS, "leaks", "")
    for descriptor in kept:
        os.close(descriptor)
    assert not row.good
    kept.clear()

    def grow(driver: Driver, name: str, number: int) -> None:
        region = mmap.mmap(-1, 4 << 20)  # pages of its own: the heap may have as many free ones left
        region.write(b"x" * (4 << 20))
        kept.append(region)

    monkeypatch.setattr(resets, "begin", grow)
    assert not resets.reset_all(NATIVE[:1], 10, SECONDS, "leaks", "").good


@pytest.mark.full
def test_a_leak_in_another_process_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser holds its pages in processes of its own, which it starts."""
    program = "import sys\nkept = []\nfor line in sys.stdin: kept.append(b'x' * (4 << 20)); print(flush=True)"
    started: list[subprocess.Popen[bytes]] = []

    def grow(driver: Driver, name: str, number: int) -> None:
        if not started:
            started.append(subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=-1))
        (child,) = started
        assert child.stdin
        assert child.stdout
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.stdout.readline()

    monkeypatch.setattr(resets, "begin", grow)
    row = resets.reset_all(NATIVE[:1], 10, SECONDS, "leaks", "")
    started[0].communicate()
    assert not row.good, row.found


@needs_browser
def test_ways_out_of_the_browser() -> None:
    (row,) = exits.run(3, SECONDS)
    assert row.good, row.found
    assert row.count == 3
    assert "with leave 3 of 3 reach the listener" in row.found


@needs_browser
def test_a_way_out_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = exits.attempt
    monkeypatch.setattr(exits, "attempt", lambda page, action, hosts=(): attempt(page, action, ("127.0.0.1",)))
    (row,) = exits.run(1, SECONDS)
    assert not row.good
    assert "picture: connection" in row.found


@pytest.mark.full
@pytest.mark.parametrize("name", ["evaluation", "tournament"])  # tests/train/test_checkpoint.py kills a training
def test_a_killed_run_goes_on_to_the_same_records(name: str) -> None:
    (row,) = kills.run(name, 1, SECONDS)
    assert row.good, row.found
    assert row.count == 1


@pytest.mark.full
def test_other_records_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = itertools.count()
    monkeypatch.setattr("tests.kills.result", lambda kind, folder: {"number": next(numbers)})
    (row,) = kills.run("evaluation", 1, SECONDS)
    assert not row.good
    assert row.count == 0
    assert "ended otherwise than unbroken" in row.found


def test_the_page_is_that_of_its_figures() -> None:
    for kind, worlds in (("this process", hostile.native()), ("a browser", resets.browser())):
        what = f"environments in {kind}, {len(worlds)} of them"
        assert any(what in row["what"] for row in FIGURES["rows"]), "run it again"
    assert page.PAGE.read_text(encoding="utf8") == page.text()
    shown = {row["command"].removeprefix("--only ") for row in FIGURES["rows"]}
    assert shown == set(PIECES)


def test_figures_of_other_pieces_stay(tmp_path: Path) -> None:
    one, other = Row("a", 1, "x", True, "--only a"), Row("b", 1, "y|z", False, "--only b")
    page.record([one, other], tmp_path / "f.json")
    page.record([Row("a", 2, "w", True, "--only a")], tmp_path / "f.json")
    rows = [Row(**row) for row in json.loads((tmp_path / "f.json").read_text())["rows"]]
    assert [(row.what, row.count) for row in rows] == [("a", 2), ("b", 1)]
    assert page.table_line(rows[1]) == "| b | 1 | **failed**: y\\|z | `python -m tests.soak --only b` |"


def test_growth_is_that_of_the_floor_and_no_leak_hides_in_the_noise() -> None:
    noise = [100.0 * (number % 7 == 3) for number in range(400)]
    assert resets.grown(noise) == 0.0, "a heap that is emptied now and then does not grow"
    assert resets.grown(noise[::-1]) == 0.0
    leak = [each + number / 10 for number, each in enumerate(noise)]
    assert resets.grown(leak) == pytest.approx(20, abs=0.2), "0.1 MB a reading, over 200 readings"
    assert resets.grown([1.0, 2.0, 4.0]) == 2.0
    assert resets.grown([]) == 0.0
