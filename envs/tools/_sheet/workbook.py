"""The workbook of a spreadsheet task: sheets with a table each, drawn from a seed, and what was changed in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from agentgym.core.rng import stream

Cell = str | int | float
Rows = tuple[tuple[Cell, ...], ...]
SHEETS, LINES, NOTES, ROLLS, REMEMBERED = (3, 4), (14, 28), 4, 1_600, 128
FIRST_DAY, DAYS = date(2022, 1, 1), 730
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November")


class Kind(NamedTuple):
    """A kind of table.

    Attributes:
        title: First word of the sheet's name.
        key: Header of the first column, whose values are all different, and the words they are made of.
        groups: Header and values of the columns that sort rows into groups.
        numbers: Header, least, greatest and decimals of the columns of numbers.
        day: Header of the last column, of dates.
    """

    title: str
    key: tuple[str, tuple[str, ...], tuple[str, ...]]
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    numbers: tuple[tuple[str, int, int, int], ...]
    day: str


PEOPLE = (
    ("Emma", "James", "Sophia", "Lucas", "Mia", "Ethan", "Chloe", "Andrew", "Olivia", "Noah", "Grace", "Hugo"),
    ("Harris", "Thompson", "Martin", "Garcia", "Johnson", "Brown", "Wilson", "Jackson", "Young", "Clark"),
)
KINDS = (
    Kind(
        "Inventory",
        ("Product", ("Smoked", "Fresh", "Frozen", "Organic", "Dried", "Local"),
         ("beef", "salmon", "apple", "carrot", "shrimp", "orange", "lamb", "banana")),
        (("Shelf", ("Cold", "Dry", "Counter", "Window")), ("Store", ("Store A", "Store B", "Store C", "Store D"))),
        (("Price", 50, 3000, 2), ("Quantity", 5, 300, 0), ("Sold", 1, 120, 0), ("Rating", 20, 50, 1)),
        "Delivered",
    ),
    Kind(
        "Grades",
        ("Name", *PEOPLE),
        (("Class", ("Class 1", "Class 2", "Class 3")), ("Group", ("Red", "Blue", "Green", "Yellow"))),
        (("Math", 40, 100, 0), ("English", 40, 100, 0), ("Physics", 40, 100, 0), ("Biology", 40, 100, 0)),
        "Enrolled",
    ),
    Kind(
        "Staff",
        ("Employee", *PEOPLE),
        (("Department", ("Sales", "Design", "Finance", "Support")), ("Office", ("Oslo", "Rome", "Prague", "Bern"))),
        (("Salary", 2000, 7000, 0), ("Hours", 20, 48, 0), ("Vacation", 10, 30, 0), ("Bonus", 0, 900, 0)),
        "Hired",
    ),
    Kind(
        "Orders",
        ("Order", tuple("ABCDEFGH"), tuple(f"-{number}" for number in range(101, 113))),
        (("Customer", ("Alder", "Birch", "Cedar", "Maple")), ("Status", ("placed", "paid", "shipped", "returned"))),
        (("Amount", 1000, 90000, 2), ("Items", 1, 40, 0), ("Weight", 5, 400, 1), ("Days", 1, 60, 0)),
        "Ordered",
    ),
    Kind(
        "Trips",
        ("Trip", ("Winter", "Spring", "Coastal", "Mountain", "Weekend", "Grand"),
         ("tour", "walk", "cruise", "ride", "school", "festival")),
        (("Country", ("Italy", "Norway", "Greece", "Japan")), ("Season", ("dry", "wet", "cold", "warm"))),
        (("Distance", 20, 900, 0), ("Cost", 100, 4000, 0), ("Nights", 1, 14, 0), ("Guests", 4, 60, 0)),
        "Departs",
    ),
    Kind(
        "Plants",
        ("Plant", ("Dwarf", "Giant", "Early", "Late", "Sweet", "Wild"),
         ("basil", "tomato", "squash", "pea", "thyme", "melon", "radish")),
        (("Bed", ("North", "South", "East", "West")), ("Soil", ("sand", "clay", "loam"))),
        (("Height", 5, 240, 0), ("Water", 10, 90, 0), ("Seeds", 3, 200, 0), ("Harvest", 1, 120, 1)),
        "Planted",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Workbook:
    """What is there at the start; shared by all episodes and never changed.

    Attributes:
        kinds: Kind of table by sheet.
        sheets: Rows by sheet, the header first.
        notes: Text by sheet and cell, such as `("Grades May", "A4")`.
    """

    kinds: Mapping[str, Kind]
    sheets: Mapping[str, Rows]
    notes: Mapping[tuple[str, str], str]


@dataclass(slots=True)
class Desk:
    """A workbook with what was changed in it.

    Attributes:
        seed: Of the workbook.
        opened: Name of the sheet in front; empty before one is opened.
        sheets: Rows of the sheets that differ from the workbook; None for one that was deleted.
        notes: Notes that differ, by sheet and cell.
        frozen: Rows that stay where they are when a sheet is sorted, where they are not just the header.
    """

    seed: int
    opened: str = ""
    sheets: dict[str, Rows | None] = field(default_factory=dict)
    notes: dict[tuple[str, str], str] = field(default_factory=dict)
    frozen: dict[str, int] = field(default_factory=dict)

    @property
    def workbook(self) -> Workbook:
        """The workbook as it was."""
        return make_workbook(self.seed)

    def rows(self, name: str) -> Rows | None:
        """The rows of a sheet; None if there is none of this name."""
        return self.sheets[name] if name in self.sheets else self.workbook.sheets.get(name)

    def put(self, name: str, rows: Rows | None) -> None:
        """Change or, with None, delete a sheet.

        Args:
            name: Its name.
            rows: Its rows from now on.
        """
        if rows is None:
            self.notes = {place: text for place, text in self.notes.items() if place[0] != name}
        if rows == self.workbook.sheets.get(name):
            self.sheets.pop(name, None)
        else:
            self.sheets[name] = rows

    def note(self, name: str, cell: str) -> str:
        """The note on a cell; empty if it has none.

        Args:
            name: The sheet.
            cell: Such as `A4`.
        """
        place = (name, cell)
        return self.notes.get(place, self.workbook.notes.get(place, ""))

    def annotate(self, name: str, cell: str, text: str) -> None:
        """Put a note on a cell in place of the one it has.

        Args:
            name: The sheet.
            cell: Such as `A4`.
            text: The note; empty takes it away.
        """
        place = (name, cell)
        if text == self.workbook.notes.get(place, ""):
            self.notes.pop(place, None)
        else:
            self.notes[place] = text

    def noted(self, name: str) -> dict[str, str]:
        """The notes of a sheet by cell."""
        cells = {cell for sheet, cell in (*self.workbook.notes, *self.notes) if sheet == name}
        texts = {cell: self.note(name, cell) for cell in sorted(cells)}
        return {cell: text for cell, text in texts.items() if text}


def compared(desk: Desk) -> Any:
    """What counts when two states are compared: cells and notes, not what is open or frozen."""
    return [dict(desk.sheets), dict(desk.notes)]


@lru_cache(REMEMBERED)
def make_workbook(seed: int) -> Workbook:
    """The workbook of a seed."""
    rng, calendar = stream("sheet.workbook", seed), stream("sheet.days", seed)
    rolls = iter(rng.integers(0, 2**40, size=ROLLS).tolist())
    order = rng.permutation(len(KINDS)).tolist()[: SHEETS[0] + next(rolls) % (SHEETS[1] - SHEETS[0] + 1)]
    kinds, sheets, notes = {}, {}, {}
    for kind in (KINDS[place] for place in order):
        name = f"{kind.title} {MONTHS[next(rolls) % len(MONTHS)]}"
        kinds[name], sheets[name] = kind, _table(kind, rolls, calendar)
        for _ in range(NOTES):
            row = 1 + next(rolls) % (len(sheets[name]) - 1)
            header, low, high, decimals = kind.numbers[next(rolls) % len(kind.numbers)]
            notes[name, f"A{row + 1}"] = f"Set {header} to {_number(low, high, decimals, next(rolls))}."
    return Workbook(kinds, sheets, notes)


def _number(low: int, high: int, decimals: int, roll: int) -> int | float:
    value = (low + roll % (high - low + 1)) / 10**decimals
    return int(value) if value == int(value) else round(value, decimals)


def _table(kind: Kind, rolls: Iterator[int], calendar: np.random.Generator) -> Rows:
    """A header, then rows in no order."""
    header, first, last = kind.key
    joint = "" if last[0].startswith("-") else " "
    rows: list[tuple[Cell, ...]] = [
        (header, *(title for title, _ in kind.groups), *(title for title, *_ in kind.numbers), kind.day)
    ]
    known = set()
    for _ in range(LINES[0] + next(rolls) % (LINES[1] - LINES[0] + 1)):
        key = first[next(rolls) % len(first)] + joint + last[next(rolls) % len(last)]
        if key in known:
            continue
        known.add(key)
        groups = [values[next(rolls) % len(values)] for _, values in kind.groups]
        numbers = [_number(low, high, decimals, next(rolls)) for _, low, high, decimals in kind.numbers]
        day = FIRST_DAY + timedelta(days=int(calendar.integers(DAYS)))
        rows.append((key, *groups, *numbers, day.isoformat()))
    return tuple(rows)
