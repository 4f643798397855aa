"""Instances of published benchmarks that a user has: records in files of JSON, and what their tests say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentgym.core.errors import DataError
from agentgym.core.json_text import read_json

LARGEST_RECORDS = 2_000_000_000  # bytes of a file of instances
ALONE = "there is no {} for instances; oracle_action plays the gold answer"
GIVEN = "the tasks of a file are its instances; give the id of one, or an index"
REPORTED = re.compile(r"^(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) +([^\s(]\S*(?: \[[^\]\n]*\])?)", re.MULTILINE)
UNITTEST = re.compile(r"^(\w+ \([\w.<>]+\)).*?\.\.\. (ok|FAIL|ERROR|skipped|expected failure)", re.MULTILINE)
PASSING = {"PASSED", "XFAIL", "ok", "expected failure"}


def record_files(path: Path) -> Iterator[tuple[Path, list[Any]]]:
    """Each file with its records.

    Args:
        path: Of a file of JSON or JSON Lines, or of a folder with such files.

    Raises:
        DataError: if one cannot be read.
    """
    files = sorted(each for each in path.rglob("*") if each.suffix in (".json", ".jsonl")) if path.is_dir() else [path]
    for file in files:
        yield file, _records(file)


def _records(file: Path) -> list[Any]:
    """The records of a file."""
    try:
        if file.stat().st_size > LARGEST_RECORDS:
            raise DataError(f"{file} has more than {LARGEST_RECORDS} bytes; split it")
        text = file.read_text("utf8")
        if file.suffix == ".jsonl":
            return [read_json(line) for line in text.splitlines() if line.strip()]
        read = read_json(text)
    except (OSError, ValueError) as error:
        raise DataError(f"{file} cannot be read as instances ({str(error)[:120]}); give JSON or JSON Lines") from error
    if isinstance(read, dict):
        return [read] if "instance_id" in read else list(read.values())
    return read if isinstance(read, list) else [read]


def read_statuses(output: str) -> dict[str, str]:
    """Status of each test by its name, as pytest's summary or unittest's lines tell it.

    Args:
        output: Of a run of tests.
    """
    found = {match[2]: match[1] for match in REPORTED.finditer(output)}
    return found | {match[1]: match[2] for match in UNITTEST.finditer(output)}
