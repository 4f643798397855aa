"""What a full soak must have tried is counted, and what is lacking is said."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import asdict
from typing import Any

import pytest

from tests.envs.escapes.attempt import attempts
from tests.soak import __main__ as command
from tests.soak import pieces
from tests.soak.demands import DEMANDS, FULL, WAYS, shortfalls
from tests.soak.row import Row

ENOUGH = {
    "hostile": 62_000, "resets": 10_000, "browser-resets": 2_000, "exits": WAYS,
    "evaluation": 100, "training": 100, "tournament": 100, "hostile-programs": 1_000, "escapes": len(attempts()),
}  # fmt: skip


def rows(**counts: int) -> list[Row]:
    wanted = {**ENOUGH, **{name.replace("_", "-"): count for name, count in counts.items()}}
    return [Row(f"what {name} does", count, "", True, f"--only {name}") for name, count in wanted.items()]


def figures(**counts: int) -> dict[str, Any]:
    return {"rows": [asdict(row) for row in rows(**counts)]}


def test_enough_is_enough() -> None:
    assert shortfalls(figures()) == []
    assert {piece for _, pieces, _ in DEMANDS for piece in pieces} == set(pieces.PIECES) == set(ENOUGH)
    for name, piece in pieces.PIECES.items():
        assert piece.count >= ENOUGH[name], "a piece that reaches its count reaches what is demanded"


@pytest.mark.parametrize("name", ENOUGH)
def test_one_less_is_said(name: str) -> None:
    (line,) = shortfalls(figures(**{name.replace("-", "_"): ENOUGH[name] - 1}))
    assert " of " in line
    lines = shortfalls({"rows": [row for row in figures()["rows"] if row["command"] != f"--only {name}"]})
    assert f"{name}: never tried" in lines


def test_what_failed_is_said() -> None:
    found = figures()
    found["rows"][2]["good"] = False
    assert shortfalls(found) == ["what browser-resets does: failed"]


@pytest.mark.parametrize(("minutes", "count", "code"), [(FULL, 1_999, 1), (FULL, 2_000, 0), (FULL / 2, 1_999, 0)])
def test_a_full_run_that_fell_short_ends_with_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], minutes: float, count: int, code: int
) -> None:
    made = {row.command.removeprefix("--only "): row for row in rows(browser_resets=count)}
    quick = {
        name: pieces.Piece(lambda wanted, seconds, row=made[name]: [row], piece.count, piece.share)  # type: ignore[misc]
        for name, piece in pieces.PIECES.items()
    }
    monkeypatch.setattr(pieces, "PIECES", quick)
    monkeypatch.setattr(sys, "argv", ["soak", "--minutes", str(minutes)])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert int(ended.value.code or 0) == code
    short = "short of a full soak: resets of environments in a browser: 1,999 of 2,000" in capsys.readouterr().out
    assert short == (count < 2_000)


@pytest.mark.parametrize("beside", [False, True])
def test_time_that_a_piece_leaves_goes_to_those_after_it(beside: bool) -> None:
    mine = {name: piece for name, piece in pieces.PIECES.items() if piece.beside == beside}
    assert sum(piece.share for piece in mine.values()) == pytest.approx(1)
    left = 60 * FULL
    for name, piece in mine.items():
        seconds = left * pieces.share_of(name)
        assert seconds >= 60 * FULL * piece.share - 1e-6
        left -= seconds / 2
    assert pieces.share_of(list(mine)[-1]) == 1.0, "the last has all that is left"
    assert max(mine.values(), key=lambda piece: piece.share).share == list(mine.values())[-1].share


def own_process(count: int, seconds: float) -> list[Row]:
    return [Row(str(count), os.getpid(), f"{seconds:.0f}", True, "")]


def test_kills_run_beside_the_other_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {
        "here": pieces.Piece(own_process, 1, 1.0),
        "there": pieces.Piece(own_process, 2, 0.5, beside=True),
        "there too": pieces.Piece(own_process, 3, 0.5, beside=True),
    }
    monkeypatch.setattr(pieces, "PIECES", made)
    here, there, too = (rows[0] for rows in pieces.run_all(None, time.monotonic() + 1_000))
    assert here.count == os.getpid() != there.count == too.count
    assert {there.what, too.what} == {"2", "3"}
    assert int(here.found) >= 998
    assert 400 < min(int(there.found), int(too.found)) <= 500 < max(int(there.found), int(too.found))
