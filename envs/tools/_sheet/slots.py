"""The arguments of questions about a workbook: how each is written, read and drawn; and what programs look up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym.envs._kit.tools import EXACT, Book, Program, Slot, Unfit, one, pick
from agentgym.envs.tools._sheet.cells import address
from agentgym.envs.tools._sheet.workbook import Desk

NAME, NUMBER = '[^"]+', r"\d+(?:\.\d+)?"
TITLES = ("Rank", "Note", "Score", "Share", "Level", "Result", "Checked", "Index")
Row = dict[str, Any]


def _sheet(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    return pick(rng, [name for name in desk.workbook.sheets if name != said.get("sheet")])


def _column(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    kind = desk.workbook.kinds[said["sheet"]]
    return pick(rng, [title for title, *_ in kind.numbers if title != said.get("column")])


def _far_column(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    return pick(rng, [title for title, *_ in desk.workbook.kinds[said["other_sheet"]].numbers])


def _day(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    return desk.workbook.kinds[said["sheet"]].day


def _date(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    """A day of the column, so that some rows are later and some earlier."""
    return pick(rng, [str(row[-1]) for row in desk.workbook.sheets[said["sheet"]][1:]])


def _group(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    kind = desk.workbook.kinds[said["sheet"]]
    return pick(rng, [title for title, _ in kind.groups if title != said.get("group")])


def _value(group: str, other: str) -> Callable[[np.random.Generator, Desk, Mapping[str, Any]], Any]:
    def draw(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
        """A value of the group in the sheet that was `said`, on this `desk`, drawn by `rng`; another than was said."""
        known = dict(desk.workbook.kinds[said["sheet"]].groups)[said[group]]
        return pick(rng, [value for value in known if value != said.get(other)])

    return draw


def _key(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    return pick(rng, [row[0] for row in desk.workbook.sheets[said["sheet"]][1:] if row[0] != said.get("key")])


def _limit(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    """A value of the column, so that some rows are above it and some below."""
    header, *rows = desk.workbook.sheets[said["sheet"]]
    return pick(rng, [row[header.index(said["column"])] for row in rows])


def _title(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    return f"{pick(rng, TITLES)} {int(rng.integers(1, 100))}"


def _whole(low: int, high: int, step: int = 1) -> Slot:
    return Slot(r"\d+", int, lambda rng, desk, said: step * int(rng.integers(low, high + 1)))


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


SLOTS: Mapping[str, Slot] = {
    "sheet": Slot(NAME, str, _sheet),
    "other_sheet": Slot(NAME, str, _sheet),
    "column": Slot(NAME, str, _column),
    "other_column": Slot(NAME, str, _column),
    "far_column": Slot(NAME, str, _far_column),
    "day": Slot(NAME, str, _day),
    "group": Slot(NAME, str, _group),
    "other_group": Slot(NAME, str, _group),
    "value": Slot(NAME, str, _value("group", "value")),
    "other_value": Slot(NAME, str, _value("group", "value")),
    "far_value": Slot(NAME, str, _value("other_group", "")),
    "key": Slot(NAME, str, _key),
    "other_key": Slot(NAME, str, _key),
    "date": Slot(r"\d{4}-\d\d-\d\d", str, _date),
    "limit": Slot(NUMBER, _number, _limit),
    "number": _whole(2, 40),
    "percent": _whole(1, 15, 5),
    "top": _whole(2, 5),
    "title": Slot(NAME, str, _title),
}
BOOK = Book(SLOTS)


@dataclass(frozen=True)
class Table:
    """A sheet as it was read.

    Attributes:
        header: Titles of the columns.
        rows: Below it, by title; `line` is the row's number in the sheet, from 1.
    """

    header: list[str]
    rows: list[Row]

    def cell(self, row: Row, title: str) -> str:
        """The name of a cell.

        Args:
            row: One of the rows.
            title: Of the column.
        """
        return address(row["line"] - 1, self.header.index(title))

    def number(self, title: str) -> int:
        """The number of a column, from 1."""
        return self.header.index(title) + 1

    def name(self, row: Row) -> str:
        """What stands in a row's first column."""
        return str(row[self.header[0]])

    def where(self, title: str, value: Any) -> list[Row]:
        """The rows with a value in a column.

        Args:
            title: Of the column.
            value: Of the cell.
        """
        return [row for row in self.rows if row[title] == value]

    def of(self, key: str) -> Row:
        """The row of a name."""
        found: Row = one(self.where(self.header[0], key))
        return found

    def names(self, rows: Iterable[Row]) -> list[str]:
        """The names of rows."""
        return [self.name(row) for row in rows]

    def fill(self, title: str, values: Sequence[Any]) -> tuple[str, dict[str, Any]]:
        """The call that writes a value into a column of every row.

        Args:
            title: Of the column.
            values: One a row.
        """
        first, last = self.cell(self.rows[0], title), self.cell(self.rows[-1], title)
        given = {"start_position": first, "end_position": last, "values_list": [[value] for value in values]}
        return ("update_range", given)

    def delete(self, rows: Iterable[Row]) -> tuple[str, dict[str, Any]]:
        """The call that deletes rows."""
        return ("delete_batch_data", {"dimension": "row", "index_list": [row["line"] for row in rows]})

    def append(self, title: str, values: Sequence[Any]) -> tuple[str, dict[str, Any]]:
        """The call that adds a column on the right.

        Args:
            title: Its title.
            values: One a row.
        """
        return ("insert_cols", {"values_list": [[title, *values]], "col_idx": len(self.header) + 1})


def table(sheet: str) -> Program:
    """Open a sheet and read it."""
    yield ("open_sheet", {"name": sheet})
    header, *rows = yield ("get_all_values", {})
    return Table(header, [{"line": at, **dict(zip(header, row, strict=True))} for at, row in enumerate(rows, 2)])


def sort(found: Table, title: str, order: str) -> tuple[str, dict[str, Any]]:
    """The call that sorts a sheet.

    Args:
        found: The sheet.
        title: Of the column.
        order: `asc` or `des`.
    """
    return ("sort_sheet_by_col", {"col_num": found.number(title), "order": order})


def total(rows: Iterable[Row], title: str) -> float:
    """The sum of a column.

    Args:
        rows: Of a sheet.
        title: Of the column.
    """
    return round(sum(row[title] for row in rows), 4)


def mean(rows: Sequence[Row], title: str) -> float:
    """The mean of a column; answers may round it to two decimals. Without rows there is no question.

    Args:
        rows: Of a sheet.
        title: Of the column.
    """
    if not rows:
        raise Unfit
    return round(sum(row[title] for row in rows) / len(rows), EXACT)


def cents(value: float) -> float:
    """A number to two decimals; a half of the last one, which some round up and some to even, makes no question."""
    if abs(abs(value) * 1000 % 10 - 5) < 1e-6:
        raise Unfit
    return round(value, 2)


def top(rows: Sequence[Row], title: str, count: int, sign: int = 1) -> list[Row]:
    """The rows with the greatest, with `sign=-1` the least values; a tie at the border makes no question.

    Args:
        rows: Of a sheet.
        title: Of the column.
        count: How many.
        sign: Which end.
    """
    ranked = sorted(rows, key=lambda row: -sign * row[title])
    if len(ranked) <= count or ranked[count - 1][title] == ranked[count][title]:
        raise Unfit
    return ranked[:count]


def sums(rows: Iterable[Row], group: str, title: str) -> dict[str, float]:
    """The sum of a column by group.

    Args:
        rows: Of a sheet.
        group: Title of the column that groups.
        title: Of the column that is summed.
    """
    found: Counter[str] = Counter()
    for row in rows:
        found[row[group]] += row[title]
    return {key: round(value, 4) for key, value in found.items()}
