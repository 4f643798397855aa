"""What a full soak must have tried, and what figures lack of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tests.envs.escapes.attempt import attempts
from tests.soak import exits

FULL = 30.0  # minutes of a full soak
WAYS = len(exits.PAGES) + len(exits.ACTIONS)
DEMANDS = (  # in words, the pieces whose counts are added, and the least sum
    ("hostile steps", ("hostile",), 62_000),
    ("resets of environments in this process", ("resets",), 10_000),
    ("resets of environments in a browser", ("browser-resets",), 2_000),
    ("hostile steps over other programs", ("hostile-programs",), 1_000),
    ("ways out of the browser", ("exits",), WAYS),
    ("ways out of the sandbox", ("escapes",), len(attempts())),
    ("kills of evaluation", ("evaluation",), 100),
    ("kills of tournament", ("tournament",), 100),
    ("kills of training", ("training",), 100),
)


def shortfalls(figures: Mapping[str, Any]) -> list[str]:
    """What was tried less often than a full soak must, or is not as it must be, a line each.

    Args:
        figures: What `docs/reliability.json` holds: `rows`, each with `what`, `count`, `good` and `command`.
    """
    rows: Iterable[Mapping[str, Any]] = figures["rows"]
    counts: dict[str, int] = {}
    for row in rows:
        piece = row["command"].removeprefix("--only ")
        counts[piece] = counts.get(piece, 0) + row["count"]
    lacking = []
    for words, pieces, least in DEMANDS:
        tried = sum(counts.get(piece, 0) for piece in pieces)
        if tried < least:
            lacking.append(f"{words}: {tried:,} of {least:,}")
        lacking += [f"{piece}: never tried" for piece in pieces if not counts.get(piece)]
    return [*lacking, *(f"{row['what']}: failed" for row in rows if not row["good"])]
