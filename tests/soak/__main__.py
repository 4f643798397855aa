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
from dataclasses import asdict
from pathlib import Path

from tests.soak.demands import FULL, shortfalls
from tests.soak.page import RESULTS, record, table_line, write_page
from tests.soak.pieces import PIECES, run_all


def main() -> None:
    """Read the arguments, run the pieces, and leave with 1 if one found something."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=FULL, help="time for all pieces together")
    parser.add_argument("--only", choices=PIECES, help="run this piece alone, with all the time")
    parser.add_argument("--count", type=int, help="try so often instead of the full number")
    parser.add_argument("--out", type=Path, help="keep the figures in this JSON file; `docs` for those of the manual")
    given = parser.parse_args()
    file = RESULTS if str(given.out) == "docs" else given.out
    end = time.monotonic() + 60 * given.minutes
    if given.only is None:
        results = run_all(given.count, end)
    else:
        piece = PIECES[given.only]
        results = iter([piece.run(given.count or piece.count, 60 * given.minutes)])
    good, found = True, []
    for rows in results:
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
