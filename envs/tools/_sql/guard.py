"""A SQLite database that may only be asked: one SELECT at a time, within limits, the same answer on every machine.

What holds a statement back, in the order in which it meets it: its length and characters, its first word, the growth of
its CTEs, SQLite's own limits, the authorizer (what it may touch and call), the progress handler (how many steps of
SQLite's machine it may take, and as a last resort how much time of the processor), and the size of what it returns.
The database itself is read-only besides (`query_only`, and the file is opened so).
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from agentgym.core.grammar import shorten
from agentgym.core.text import objection
from agentgym.envs._kit.tools import ToolError
from agentgym.envs.tools._sql import clock, heap
from agentgym.envs.tools._sql.text import common_tables, growth, tokens

PULSE = 2_000  # steps of SQLite's machine between two looks at the limits
HEAP = 256 * 2**20  # bytes that SQLite may take for a statement
# A cached statement would not ask the authorizer again.
OPENED: dict[str, Any] = {"check_same_thread": False, "cached_statements": 0}
MOST_COPIES = 2_000  # of CTE bodies
Cell = int | float | str | bytes | None
Row = tuple[Cell, ...]

CALLABLE = """
    abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce cos cosh count cume_dist date
    datetime degrees dense_rank exp first_value floor glob group_concat hex ifnull iif instr julianday lag
    last_value lead length like likelihood likely ln log log10 log2 lower ltrim max min mod nth_value ntile
    nullif percent_rank pi pow power quote radians rank replace round row_number rtrim sign sin sinh sqrt
    strftime substr substring sum tan tanh time total trim trunc typeof unicode unixepoch unlikely upper
"""  # those that always give the same and whose work is bounded by the length of a cell
FUNCTIONS = frozenset(CALLABLE.split())
CATALOG = frozenset({"sqlite_master", "sqlite_schema"})
LIMITS = {  # of SQLite, whatever the database
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_COLUMN: 200,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 60,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 20,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
WRITING = """
    insert update delete replace create drop alter reindex analyze begin commit end rollback savepoint release
    vacuum
"""
WRITES = frozenset(WRITING.split())
READ_ONLY = "The database is read-only: write one SELECT statement."
ALONE = "Only this one database can be read: ATTACH and DETACH are not taken."
PRAGMAS = "PRAGMA is not taken; what it would tell stands in the schema: tables, columns, keys."
DENIED = {
    sqlite3.SQLITE_ATTACH: ALONE,
    sqlite3.SQLITE_DETACH: ALONE,
    sqlite3.SQLITE_PRAGMA: PRAGMAS,
}


class Limits:
    """What one statement may take.

    Attributes:
        steps: Of SQLite's machine, counted alike everywhere.
        seconds: Of the processor, for single steps that take long.
        cell: Bytes of a text, a blob or a row while it is computed.
        rows: Of the result.
        size: Characters of the whole result, roughly.
        length: Characters of the statement.
    """

    __slots__ = ("cell", "length", "rows", "seconds", "size", "steps")

    def __init__(self, steps: int, seconds: float, cell: int, rows: int, size: int, length: int):
        self.steps, self.seconds, self.cell = steps, seconds, cell
        self.rows, self.size, self.length = rows, size, length


@dataclass(frozen=True)
class Result:
    """What a statement gave.

    Attributes:
        columns: Their names.
        rows: In the order in which they came.
        tables: Which were read, sorted.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    tables: tuple[str, ...]


class Outline(NamedTuple):
    """The tokens of a statement, and the names of its CTEs."""

    tokens: list[str]
    named: set[str]


class GuardedDatabase:
    """A connection that only answers SELECT statements.

    Args:
        connection: Of a database that is complete; nobody else uses it from here on.
        tables: Names of what may be read, in lower case.
        limits: Of each statement.
    """

    def __init__(self, connection: sqlite3.Connection, tables: frozenset[str], limits: Limits):
        self._connection, self._tables, self._limits = connection, tables | CATALOG, limits
        self._lock = threading.Lock()
        self._reason, self._read, self._named = "", set[str](), set[str]()
        self._pulses, self._until, self._most = 0, 0.0, limits.steps // PULSE
        connection.isolation_level = None
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        for limit, value in {**LIMITS, sqlite3.SQLITE_LIMIT_LENGTH: limits.cell}.items():
            connection.setlimit(limit, value)
        connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, limits.length * 4)  # bytes
        for pragma in ("query_only=ON", "trusted_schema=OFF", "temp_store=MEMORY"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        heap.bound_where_it_stays(HEAP, connection)
        clock.install(connection, self._refuse)
        connection.set_authorizer(self._authorize)
        connection.set_progress_handler(self._look, PULSE)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def ask(self, sql: str) -> Result:
        """The result of one SELECT.

        Args:
            sql: Any text.

        Raises:
            ToolError: if it is no SELECT, is refused, fails, or takes or returns too much; one line that says why.
        """
        said = self._check(sql)
        with self._lock:
            self._reason, self._named = "", said.named
            self._read = {name for word, name in pairwise(said.tokens) if word in ("from", "join")} - said.named
            self._pulses = 0
            try:
                columns, rows = self._run(sql)
            except MemoryError:
                raise ToolError("The statement needs too much memory; join or sort less.") from None
            except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
                raise ToolError(self._reason or _said(error)) from None
            return Result(columns, rows, tuple(sorted(self._read & self._tables - CATALOG)))

    def _run(self, sql: str) -> tuple[tuple[str, ...], tuple[Row, ...]]:
        """Columns and rows of a statement."""
        with heap.bounded(HEAP), contextlib.closing(self._connection.execute(sql)) as cursor:
            return tuple(each[0] for each in cursor.description or ()), tuple(self._fetch(cursor))

    def _check(self, sql: str) -> Outline:
        """Refuse what SQLite need not see."""
        if len(sql) > self._limits.length:
            raise ToolError(f"The statement has {len(sql)} characters; at most {self._limits.length} are read.")
        unfit = objection(sql)
        if unfit:
            raise ToolError(f"In the statement, {unfit}")
        said = tokens(sql)
        first = said[0] if said else ""
        if first not in ("select", "with", "values"):
            if first in ("attach", "detach", "pragma"):
                raise ToolError(PRAGMAS if first == "pragma" else ALONE)
            if first in WRITES:
                raise ToolError(READ_ONLY)
            start = f"it begins with {shorten(first, 20)!r}" if first else "it is empty"
            raise ToolError(f"A statement begins with SELECT or WITH; {start}.")
        bodies = common_tables(said)
        if growth(said, bodies) > MOST_COPIES:
            raise ToolError("The WITH clauses name each other too often; use fewer of them.")
        return Outline(said, {name for name in bodies if not name.startswith(("sqlite_", "pragma_"))})

    def _fetch(self, cursor: sqlite3.Cursor) -> list[Row]:
        rows: list[Row] = []
        size = 0
        for row in cursor:
            size += sum(len(cell) if isinstance(cell, (str, bytes)) else 8 for cell in row)
            if len(rows) >= self._limits.rows or size > self._limits.size:
                raise ToolError(
                    f"The result is too large (over {len(rows)} rows); select less, or count instead of listing."
                )
            rows.append(row)
        return rows

    def _refuse(self, reason: str) -> None:
        self._reason = self._reason or reason

    def _look(self) -> bool:
        self._pulses += 1
        if self._pulses == 1:  # most statements are done before the first look, and are spared the clock
            self._until = time.thread_time() + self._limits.seconds
        if self._pulses > self._most or time.thread_time() > self._until:
            self._refuse("The statement takes too long and was stopped; join or nest less.")
            return True
        return False

    def _authorize(self, action: int, one: str | None, two: str | None, *where: Any) -> int:
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            name = str(one).lower()
            if name in self._tables:
                self._read.add(name)
                return sqlite3.SQLITE_OK
            if name in self._named:  # SQLite asks for a recursive CTE as for a table
                return sqlite3.SQLITE_OK
            self._refuse(f"{shorten(str(one), 40)!r} cannot be read; read the tables of the schema.")
        elif action == sqlite3.SQLITE_FUNCTION:
            if str(two).lower() in FUNCTIONS:
                return sqlite3.SQLITE_OK
            clocks = str(two).lower().startswith("current_")
            why = clock.CLOCK.format(two) if clocks else f"The function {shorten(str(two), 40)} is not available here."
            self._refuse(why)
        else:
            self._refuse(DENIED.get(action, READ_ONLY))
        return sqlite3.SQLITE_DENY


def _said(error: Exception) -> str:
    """SQLite's message as one sentence."""
    text = shorten(str(error), 200)
    if "one statement at a time" in text:
        return "Only one statement is taken at a time; leave out what follows the first."
    if "bindings" in text:
        return "There are no parameters to bind; write values where ? or :name stands."
    return f"SQLite: {text}."


def connect_memory() -> sqlite3.Connection:
    """An empty database in memory, to be filled and then guarded."""
    return sqlite3.connect(":memory:", **OPENED)
