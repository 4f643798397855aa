"""The state of an episode: a person's view of a database that people share, and the rows that were changed in it."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from agentgym.envs.tools._office.people.circle import CIRCLES, PEOPLE, Clock, clock_of
from agentgym.envs.tools._office.people.database import make_rows
from agentgym.envs.tools._office.schema import DELETE, PUT, REFERENCES, TABLES, Row, fill

REMEMBERED = 24  # databases
Changes = dict[tuple[str, int], "Row | None"]


class Base:
    """The database of a circle of people as it was, and one copy of it that follows whoever looks.

    Args:
        circle: Number of the circle.
    """

    def __init__(self, circle: int) -> None:
        rows = make_rows(circle)
        self.rows: Mapping[str, Mapping[int, Row]] = {
            name: {row[0]: row for row in rows.get(name, ())} for name in TABLES
        }
        self.next_id = {name: max(found, default=0) + 1 for name, found in self.rows.items()}
        self.clock: Clock = clock_of(circle)
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        fill(self._connection, rows)
        self._applied: Changes = {}
        self._lock = threading.Lock()

    def ask(self, changes: Changes, sql: str, values: Sequence[Any]) -> list[Row]:
        """What a statement finds in the database with some changes.

        Args:
            changes: What differs from the database as it was.
            sql: One SELECT statement of this package; a model's text is only ever among the values.
            values: Of its placeholders.
        """
        with self._lock:
            if self._applied != changes:
                self._follow(changes)
            return self._connection.execute(sql, values).fetchall()

    def _follow(self, changes: Changes) -> None:
        """Change those rows of the copy that differ."""
        for key in [key for key in self._applied if key not in changes]:
            self._put(key, self.rows[key[0]].get(key[1]))
        for key, row in changes.items():
            if key not in self._applied or self._applied[key] != row:
                self._put(key, row)
        self._applied = dict(changes)

    def _put(self, key: tuple[str, int], row: Row | None) -> None:
        name, number = key
        self._connection.execute(*((DELETE[name], (number,)) if row is None else (PUT[name], row)))


@lru_cache(REMEMBERED)
def _base(circle: int, process: int) -> Base:
    return Base(circle)


@dataclass(slots=True)
class Desk:
    """Whose accounts the tools open, and what was changed.

    Attributes:
        circle: Number of the circle of people, whose database it is.
        person: Number of the person.
        changes: Rows that differ from the database as it was, by table and id; None for one that was deleted.
        made: Rows made so far, by table.
        opened: Apps that the person has logged in to.
    """

    circle: int
    person: int
    changes: Changes = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)
    opened: list[str] = field(default_factory=list)

    @property
    def base(self) -> Base:
        """The database as it was."""
        return _base(self.circle, os.getpid())

    @property
    def clock(self) -> Clock:
        """What time it is."""
        return self.base.clock

    def ask(self, sql: str, *values: Any) -> list[Row]:
        """Rows that a statement of this package finds.

        Args:
            sql: The statement.
            values: Of its placeholders.
        """
        return self.base.ask(self.changes, sql, values)

    def row(self, table: str, number: int) -> dict[str, Any] | None:
        """A row by column; None if there is none.

        Args:
            table: Its table.
            number: Its id.
        """
        key = (table, number)
        found = self.changes[key] if key in self.changes else self.base.rows[table].get(number)
        return None if found is None else dict(zip(TABLES[table], found, strict=True))

    def update(self, table: str, number: int, **values: Any) -> dict[str, Any]:
        """Change columns of a row that is there, and give it.

        Args:
            table: Its table.
            number: Its id.
            values: By column.
        """
        found = {**(self.row(table, number) or {}), **values}
        self._keep(table, number, tuple(found.values()))
        return found

    def insert(self, table: str, **values: Any) -> int:
        """Put a new row into a table, and give its id.

        Args:
            table: The table.
            values: By column, all but the id.
        """
        count = self.made.get(table, 0)
        number = self.base.next_id[table] + count
        self.made[table] = count + 1
        self._keep(table, number, (number, *(values[column] for column in TABLES[table][1:])))
        return number

    def delete(self, table: str, number: int) -> None:
        """Delete a row.

        Args:
            table: Its table.
            number: Its id.
        """
        self._keep(table, number, None)

    def _keep(self, table: str, number: int, row: Row | None) -> None:
        if row == self.base.rows[table].get(number):
            self.changes.pop((table, number), None)
        else:
            self.changes[table, number] = row


def desk_of(seed: int) -> Desk:
    """The desk of a seed: one of all people."""
    return Desk(seed % CIRCLES, seed // CIRCLES % PEOPLE)


def compared(desk: Desk) -> Any:
    """The difference of the database: rows that were changed or deleted, and new rows by content in place of ids."""
    known = desk.base.rows
    old = {f"{name} {number}": row for (name, number), row in desk.changes.items() if number in known[name]}
    new = [_content(desk, name, row) for (name, number), row in desk.changes.items() if number not in known[name]]
    return [old, sorted(new, key=repr)]


def _content(desk: Desk, table: str, row: Row | None) -> tuple[Any, ...]:
    """A new row without its id; a new row that it refers to stands in it."""
    parts: list[Any] = [table]
    for column, value in list(zip(TABLES[table], row or (), strict=False))[1:]:
        target = REFERENCES.get((table, column))
        if target and value not in desk.base.rows[target]:
            value = _content(desk, target, desk.changes.get((target, value)))
        parts.append(value)
    return tuple(parts)
