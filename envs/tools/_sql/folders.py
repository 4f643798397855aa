"""Folders in the formats of BIRD and Spider: questions in JSON, a SQLite file for each database.

BIRD: `train.json`, `dev.json` with `db_id`, `question`, `evidence`, `SQL`; databases in `train_databases/` and
`dev_databases/` as `NAME/NAME.sqlite`, with what columns mean in `NAME/database_description/TABLE.csv`. Spider:
`train_spider.json`, `train_others.json`, `dev.json`, `test.json` with `db_id`, `question`, `query`; databases in
`database/` (those of the test file in `test_database/`), what columns mean in `tables.json`.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from agentgym.core.errors import DataError, TaskError
from agentgym.envs.tools._sql.catalog import Described, describe
from agentgym.envs.tools._sql.guard import OPENED, GuardedDatabase, Limits

FILES: Mapping[str, tuple[str, ...]] = {  # questions of each split; those that are there are read
    "train": ("train.json", "train_spider.json", "train_others.json"),
    "val": ("dev.json",),
    "test": ("test.json",),
}
PLACES: Mapping[str, tuple[str, ...]] = {  # databases of each split, the first one that is there
    "train": ("train_databases", "database"),
    "val": ("dev_databases", "database"),
    "test": ("test_databases", "test_database", "database"),
}
GIVEN = Limits(steps=2_000_000_000, seconds=30.0, cell=1_000_000, rows=100_000, size=16_000_000, length=4_000)
NAME = re.compile(r"[\w][\w .-]{0,100}")
MEANINGS = "database_description"
OPEN = 32  # databases at once


@dataclass(frozen=True)
class Record:
    """A question of a folder."""

    id: str
    database: str
    question: str
    evidence: str
    sql: str
    difficulty: str


@dataclass(frozen=True, eq=False)
class Folder:
    """The questions of a folder by split, and where its databases are."""

    path: Path
    records: Mapping[str, Mapping[str, Record]]

    def panel(self, split: str) -> Mapping[str, Record]:
        """The questions of a split by id.

        Raises:
            TaskError: if the folder has none.
        """
        if not self.records.get(split):
            there = ", ".join(name for name, found in self.records.items() if found)
            raise TaskError(f"{self.path} has no questions for split {split!r}; it has some for {there}")
        return self.records[split]

    def file(self, split: str, database: str) -> Path:
        """The SQLite file of a database.

        Args:
            split: Of the question.
            database: Its name.

        Raises:
            DataError: if there is none.
        """
        for place in PLACES[split]:
            for ending in (".sqlite", ".db"):
                path = self.path / place / database / f"{database}{ending}"
                if path.is_file():
                    return path
        raise DataError(f"{self.path}: no {database}/{database}.sqlite in {' or '.join(PLACES[split])}")


@lru_cache(8)
def read_folder(path: str | Path) -> Folder:
    """The questions of a folder.

    Args:
        path: With the files of BIRD or of Spider.

    Raises:
        DataError: if the folder holds no questions, or a file is of another format.
    """
    folder = Path(path)
    records: dict[str, dict[str, Record]] = {}
    for split, names in FILES.items():
        records[split] = {}
        for name in names:
            if (folder / name).is_file():
                records[split].update({record.id: record for record in _records(folder / name)})
    if not any(records.values()):
        wanted = ", ".join(name for names in FILES.values() for name in names)
        raise DataError(f"{path} holds no questions of BIRD or Spider; one of {wanted} must be there")
    return Folder(folder, records)


def _records(path: Path) -> list[Record]:
    try:
        listed = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise DataError(f"{path} is no JSON: {error}") from None
    found = []
    for at, entry in enumerate(listed if isinstance(listed, list) else [None]):
        gold = entry.get("SQL", entry.get("query")) if isinstance(entry, dict) else None
        texts = [gold, entry.get("db_id"), entry.get("question")] if isinstance(entry, dict) else [None]
        if not all(isinstance(text, str) and text for text in texts):
            raise DataError(f"{path}: record {at} needs db_id, question and SQL (BIRD) or query (Spider), as texts")
        assert isinstance(gold, str)
        if not NAME.fullmatch(entry["db_id"]):
            raise DataError(f"{path}: record {at} has the db_id {entry['db_id'][:40]!r}, which is no name of a folder")
        told = {key: str(entry.get(key) or "") for key in ("evidence", "difficulty")}
        found.append(Record(f"{path.stem}-{at}", entry["db_id"], entry["question"], sql=gold, **told))
    return found


@lru_cache(OPEN)
def open_file(name: str, file: str, notes: str) -> tuple[Described, GuardedDatabase]:
    """A database of a folder, read-only.

    Args:
        name: What it is called.
        file: Its path.
        notes: Path of the folder of questions, for what Spider says of columns.

    Raises:
        DataError: if the file is no database.
    """
    path = Path(file)
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, **OPENED)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        described = describe(name, connection, _meanings(name, path.parent, Path(notes)))
    except sqlite3.DatabaseError as error:
        raise DataError(f"{file} is no database of SQLite: {error}") from None
    tables = frozenset(table.name.lower() for table in described.tables)
    return described, GuardedDatabase(connection, tables, GIVEN)


def _meanings(name: str, beside: Path, folder: Path) -> dict[str, dict[str, str]]:
    """What columns mean, by table and column, as BIRD or Spider says it."""
    found: dict[str, dict[str, str]] = {}
    for file in sorted((beside / MEANINGS).glob("*.csv")):
        text = file.read_bytes().decode("utf-8-sig", "replace")
        for row in csv.DictReader(io.StringIO(text)):
            parts = [row.get("column_name"), row.get("column_description"), row.get("value_description")]
            told = "; ".join(dict.fromkeys(" ".join(part.split()) for part in parts if part and part.strip()))
            found.setdefault(file.stem, {})[(row.get("original_column_name") or "").strip()] = told
    listed = folder / "tables.json"
    if not found and listed.is_file():
        for schema in json.loads(listed.read_text("utf-8")):
            if schema.get("db_id") == name:
                _add_spider(schema, found)
    return found


def _add_spider(schema: Mapping[str, Any], found: dict[str, dict[str, str]]) -> None:
    tables = schema["table_names_original"]
    for (table, column), (_, words) in zip(schema["column_names_original"], schema["column_names"], strict=True):
        if table >= 0 and words.lower().replace(" ", "_") != column.lower():
            found.setdefault(tables[table], {})[column] = words
