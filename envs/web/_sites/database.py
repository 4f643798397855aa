"""Databases of sites: built once a process, copied for an episode as soon as it changes something."""

from __future__ import annotations

import sqlite3
import tomllib
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from typing import Any

NOW = datetime(2026, 3, 14, 12, 0)  # when an episode begins, on every site
SERIALIZED = 3  # of `sqlite3.threadsafety`: threads may share a connection
Row = sqlite3.Row


@lru_cache(maxsize=8)
def read_words(package: str | None) -> dict[str, Any]:
    """The word lists of a site.

    Args:
        package: Where its file `words.toml` lies.
    """
    return tomllib.loads(files(str(package)).joinpath("words.toml").read_text(encoding="utf8"))


def open_database(package: str | None) -> sqlite3.Connection:
    """An empty database in memory with the tables of a site.

    Args:
        package: Where its file `schema.sql` lies.
    """
    made = _connect()
    made.executescript(files(str(package)).joinpath("schema.sql").read_text(encoding="utf8"))
    return made


def copy_database(original: sqlite3.Connection) -> sqlite3.Connection:
    """A copy in memory that shares nothing with the original."""
    made = _connect()
    original.backup(made)
    return made


def fresh_store(original: sqlite3.Connection) -> Store:
    """A database as an original has it, for one episode: copied with the first change, and read in place until then.

    Where SQLite does not keep threads apart by itself, it is copied at once.

    Args:
        original: Of the process; nothing can change it from now on.
    """
    if sqlite3.threadsafety < SERIALIZED:
        return Store(copy_database(original))
    original.execute("PRAGMA query_only = ON")
    return Store(original, shared=True)


def _connect() -> sqlite3.Connection:
    made = sqlite3.connect(":memory:", check_same_thread=False)
    made.row_factory = sqlite3.Row
    return made


def insert_rows(base: sqlite3.Connection, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Put rows into a table; its columns in order.

    Args:
        base: The database.
        table: Its name.
        rows: As many values each as there are columns.
    """
    found = list(rows)
    if found:
        base.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(found[0]))})", found)


class Store:
    """A site's database during an episode.

    Args:
        base: The connection.
        shared: Whether others read it as well, so that it is copied before it is changed.

    Attributes:
        writes: Changes so far: each takes a minute of the site's time.
    """

    def __init__(self, base: sqlite3.Connection, *, shared: bool = False):
        self._base, self._shared = base, shared
        self.writes = 0

    def all(self, query: str, *given: Any) -> list[Row]:
        """Every row that `query` finds; `given` are the values of its question marks, in order."""
        return self._base.execute(query, given).fetchall()

    def one(self, query: str, *given: Any) -> Row | None:
        """The first row that `query` finds; None if there is none. `given` are the values of its question marks."""
        found: Row | None = self._base.execute(query, given).fetchone()
        return found

    def value(self, query: str, *given: Any) -> Any:
        """The first column of the first row that `query` finds with the values `given`; None if there is none."""
        found = self.one(query, *given)
        return None if found is None else found[0]

    def do(self, statement: str, *given: Any) -> int:
        """Change something by `statement` with the values `given`; the number of the row that was added last."""
        if self._shared:
            self._base, self._shared = copy_database(self._base), False
        self.writes += 1
        return int(self._base.execute(statement, given).lastrowid or 0)

    @property
    def now(self) -> str:
        """The site's time, such as `2026-03-14 12:03`."""
        return stamp(NOW + timedelta(minutes=self.writes))

    def tables(self) -> Mapping[str, list[dict[str, Any]]]:
        """All that the site knows, by table: what a judge of states may read."""
        names = [row[0] for row in self.all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return {name: [dict(row) for row in self.all(f"SELECT * FROM {name}")] for name in names}


def stamp(moment: datetime) -> str:
    """A moment as sites write it."""
    return moment.strftime("%Y-%m-%d %H:%M")


def ago(minutes: int) -> str:
    """A moment before an episode begins."""
    return stamp(NOW - timedelta(minutes=minutes))
