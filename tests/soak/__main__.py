"""Runs the pieces of the soak, prints their table as it goes, and keeps the figures that `docs/reliability.md` shows.

python -m tests.soak [--minutes 30] [--only PIECE] [--count N] [--out FILE]

Each piece runs until its count is reached or its share of the time is over, which grows by what others left; the table
says how often it tried. After a full run, of all pieces and 30 minutes, what was tried less often than it must be is
printed, and ends it with 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from tests.soak import exits, hostile, kills, resets
from tests.soak.demands import FULL, shortfalls
from tests.soak.page import RESULTS, record, table_line, write_page
from tests.soak.row import Row


@dataclass(frozen=True)
class Piece:
    """A piece.

    Attributes:
        run: From count and seconds to rows.
        count: How often it tries in a full run.
        share: Of the time.
    """

    run: Callable[[int, float], list[Row]]
    count: int
    share: float


# Shares by what each took on two cores. What a piece leaves of its time goes to those after it, the slowest last.
PIECES = {
    "hostile": Piece(hostile.run, 200_000, 0.06),
    "resets": Piece(resets.run_native, 10_000, 0.06),
    "evaluation": Piece(partial(kills.run, "evaluation"), 100, 0.12),
    "training": Piece(partial(kills.run, "training"), 100, 0.20),
    "tournament": Piece(partial(kills.run, "tournament"), 100, 0.20),
    "exits": Piece(exits.run, 122, 0.06),
    "browser-resets": Piece(resets.run_browser, 2_000, 0.30),
}


def share_of(name: str, left: float) -> float:
    """Seconds for a piece, of those that are left for it and all after it.

    Args:
        name: Of the piece.
        left: Seconds.
    """
    names = list(PIECES)
    return left * PIECES[name].share / sum(PIECES[each].share for each in names[names.index(name) :])


def main() -> None:
    """Read the arguments, run the pieces, and leave with 1 if one found something."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=FULL, help="time for all pieces together")
    parser.add_argument("--only", choices=PIECES, help="run this piece alone, with all the time")
    parser.add_argument("--count", type=int, help="try so often instead of the full number")
    parser.add_argument("--out", type=Path, help="keep the figures in this JSON file; `docs` for those of the manual")
    given = parser.parse_args()
    file = RESULTS if str(given.out) == "docs" else given.out
    good, found, began = True, [], time.monotonic()
    for name, piece in PIECES.items():
        if given.only in (None, name):
            left = max(0.0, began + 60 * given.minutes - time.monotonic())
            seconds = left if given.only else share_of(name, left)
            rows = piece.run(given.count or piece.count, seconds)
            found += rows
            for row in rows:
                print(table_line(row), flush=True)
                good = good and row.good
            if file is not None:  # after each piece, so that a run that is cut off has kept what it found
                record(rows, file)
            if file == RESULTS:
                write_page()
    lacking = shortfalls({"rows": [asdict(row) for row in found]})
    if given.only is None:
        for line in lacking:
            print(f"short of a full soak: {line}", flush=True)
    full = given.only is None and given.minutes >= FULL
    sys.exit(not good or (full and bool(lacking)))


if __name__ == "__main__":
    main()
