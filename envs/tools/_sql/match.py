"""Whether two results are the same: rows as a multiset, or in order where the question orders them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from agentgym.envs.tools._sql.guard import Cell, Row

NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")
DIGITS = 6  # significant digits in which numbers that are not whole must agree: sums depend on the order of rows


def plain(cell: Cell) -> Cell | tuple[str, str]:
    """A cell as it is compared: 3 and 3.0 are equal, and so are numbers that differ by rounding."""
    cell = _whole(cell)
    return ("real", f"{cell:.{DIGITS}g}") if isinstance(cell, float) else cell


def _whole(cell: Cell) -> Cell:
    """A number without a fraction as an integer, which is compared exactly."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53 else cell


def _value(cell: Cell) -> Cell:
    """A number, or a text that says one, such as a year cut out of a day, as that number."""
    if isinstance(cell, str) and NUMBER.fullmatch(cell):
        cell = float(cell) if "." in cell else int(cell)
    return _whole(cell)


def _close(one: Cell, other: Cell) -> bool:
    """Whether two cells are equal: whole numbers exactly, others within rounding, an infinity only with itself."""
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        most = max(abs(one), abs(other))
        whole = isinstance(one, int) and isinstance(other, int)
        return one == other or (not whole and math.isfinite(most) and abs(one - other) <= 10.0**-DIGITS * most)
    return type(one) is type(other) and one == other


def _clusters(numbers: Iterable[int | float]) -> dict[int | float, int]:
    """For each number the place of its cluster: those next to each other that are equal but for rounding share one."""
    places: dict[int | float, int] = {}
    last: int | float | None = None
    for number in sorted(set(numbers)):
        places[number] = len(places) if last is None or not _close(last, number) else places[last]
        last = number
    return places


def _sorted(results: Sequence[Sequence[Row]]) -> list[list[Row]]:
    """Results in one order, in which rows that agree but for rounding stand at the same place.

    Rows are sorted by their cells with close numbers taken as one, and only where all of these agree by the numbers.
    """
    places = _clusters(cell for rows in results for row in rows for cell in row if isinstance(cell, (int, float)))

    def rank(row: Row) -> tuple[list[tuple[str, int, str]], list[int | float]]:
        numbers = [cell for cell in row if isinstance(cell, (int, float))]
        texts = [
            ("number", places[cell], "") if isinstance(cell, (int, float)) else (type(cell).__name__, 0, str(cell))
            for cell in row
        ]
        return texts, numbers

    return [sorted(rows, key=rank) for rows in results]


def same(rows: Sequence[Row], gold: Sequence[Row], ordered: bool) -> bool:
    """Whether a result is right: the same rows, each as often, in any order unless the question orders them.

    Whole numbers must be the same, others may differ by rounding, and a number is equal to a text that says it.

    Args:
        rows: What was answered.
        gold: The right result.
        ordered: Whether the order of rows counts.
    """
    if len(rows) != len(gold):
        return False
    results: list[list[Row]] = [[tuple(map(_value, row)) for row in each] for each in (rows, gold)]
    one, other = results if ordered else _sorted(results)
    return all(
        len(left) == len(right) and all(map(_close, left, right)) for left, right in zip(one, other, strict=True)
    )


def same_set(rows: Sequence[Row], gold: Sequence[Row]) -> bool:
    """BIRD's execution accuracy: the same different rows, whatever their order and number.

    Args:
        rows: What was answered.
        gold: The right result.
    """
    return {tuple(map(plain, row)) for row in rows} == {tuple(map(plain, row)) for row in gold}
