"""The pieces of the soak and their shares of its time: two processes work at once, and the slowest piece comes last.

Kills wait for processes of theirs most of the time, so they run in a process of their own beside the other pieces,
whose memory and descriptors are measured.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial

from tests.soak import escapes, exits, hostile, kills, resets
from tests.soak.row import Row


@dataclass(frozen=True)
class Piece:
    """A piece.

    Attributes:
        run: From count and seconds to rows.
        count: How often it tries in a full run.
        share: Of the time.
        beside: Whether it runs in the second process, beside those that do not.
    """

    run: Callable[[int, float], list[Row]]
    count: int
    share: float
    beside: bool = False


# Shares by what each took on two cores. What a piece leaves of its time goes to those after it, the slowest last.
PIECES = {
    "hostile": Piece(hostile.run, 200_000, 0.07),
    "hostile-programs": Piece(hostile.run_programs, 20_000, 0.06),
    "resets": Piece(resets.run_native, 10_000, 0.15),
    "escapes": Piece(escapes.run, 237, 0.05),
    "exits": Piece(exits.run, 122, 0.07),
    "browser-resets": Piece(resets.run_browser, 2_000, 0.60),
    "evaluation": Piece(partial(kills.run, "evaluation"), 100, 0.20, beside=True),
    "training": Piece(partial(kills.run, "training"), 100, 0.40, beside=True),
    "tournament": Piece(partial(kills.run, "tournament"), 100, 0.40, beside=True),
}


def run_all(count: int | None, end: float) -> Iterator[list[Row]]:
    """Run all pieces in two processes; their rows, piece by piece, as they end.

    Args:
        count: How often each tries; by default its full number.
        end: When all must have ended, by the monotonic clock of this machine.
    """
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as second:
        beside = [
            second.submit(_run, piece, share_of(name), count, end) for name, piece in PIECES.items() if piece.beside
        ]
        for name, piece in PIECES.items():
            if not piece.beside:
                yield _run(piece, share_of(name), count, end)
        for future in as_completed(beside):
            yield future.result()


def share_of(name: str) -> float:
    """A piece's share of the time that is left for it and those after it in the same process.

    Args:
        name: Of the piece.
    """
    names = [each for each, piece in PIECES.items() if piece.beside == PIECES[name].beside]
    return PIECES[name].share / sum(PIECES[each].share for each in names[names.index(name) :])


def _run(piece: Piece, share: float, count: int | None, end: float) -> list[Row]:
    return piece.run(count or piece.count, share * max(0.0, end - time.monotonic()))
