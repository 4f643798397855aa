"""What a full soak must have tried is counted, and what is lacking is said."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any

import pytest

from tests.soak import __main__ as command
from tests.soak.demands import DEMANDS, FULL, WAYS, shortfalls
from tests.soak.row import Row

ENOUGH = {
    "hostile": 62_000, "resets": 10_000, "browser-resets": 2_000, "exits": WAYS,
    "evaluation": 100, "training": 100, "tournament": 100,
}  # fmt: skip


def rows(**counts: int) -> list[Row]:
    wanted = {**ENOUGH, **{name.replace("_", "-"): count for name, count in counts.items()}}
    return [Row(f"what {name} does", count, "", True, f"--only {name}") for name, count in wanted.items()]


def figures(**counts: int) -> dict[str, Any]:
    return {"rows": [asdict(row) for row in rows(**counts)]}


def test_enough_is_enough() -> None:
    assert shortfalls(figures()) == []
    assert {piece for _, pieces, _ in DEMANDS for piece in pieces} == set(command.PIECES) == set(ENOUGH)
    for name, piece in command.PIECES.items():
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
    pieces = {
        name: command.Piece(lambda wanted, seconds, row=made[name]: [row], piece.count, piece.share)  # type: ignore[misc]
        for name, piece in command.PIECES.items()
    }
    monkeypatch.setattr(command, "PIECES", pieces)
    monkeypatch.setattr(sys, "argv", ["soak", "--minutes", str(minutes)])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert int(ended.value.code or 0) == code
    short = "short of a full soak: resets of browser worlds: 1,999 of 2,000" in capsys.readouterr().out
    assert short == (count < 2_000)


def test_time_that_a_piece_leaves_goes_to_those_after_it() -> None:
    assert sum(piece.share for piece in command.PIECES.values()) == pytest.approx(1)
    assert list(command.PIECES)[-1] == "browser-resets", "the slowest has all that is left"
    left = 60 * FULL
    for name, piece in command.PIECES.items():
        seconds = command.share_of(name, left)
        assert seconds >= 60 * FULL * piece.share - 1e-6
        left -= seconds / 2
    assert command.share_of("browser-resets", 7.0) == pytest.approx(7.0)
