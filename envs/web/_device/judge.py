"""Whether a device is as a task wants it: every change that is asked for was made, and no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Tables = Mapping[str, Sequence[Mapping[str, Any]]]
Rows = dict[int, Mapping[str, Any]]
UNTOLD = {  # what changes by itself, or by looking, and counts only where a task asks for it
    "threads": {"unread"}, "messages": {"sent"}, "files": {"changed"}, "notes": {"changed"},
}  # fmt: skip
GOALS: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "table": {"type": "string"},
            "change": {"enum": ["add", "set", "remove"]},
            "id": {"type": "integer"},
            "has": {"type": "object"},
        },
        "required": ["table", "change", "id", "has"],
        "additionalProperties": False,
    },
}


@dataclass(frozen=True)
class Verdict:
    """How a device differs from what it was, measured by what a task asks for.

    Attributes:
        met: Goals that are met.
        stray: Changes that no goal asks for: rows added or removed, values of rows set.
    """

    met: int
    stray: int


def added(table: str, **has: Any) -> dict[str, Any]:
    """A goal: there is a new row with these values.

    Args:
        table: Its table.
        has: Values by column.
    """
    return {"table": table, "change": "add", "id": 0, "has": has}


def changed(table: str, number: int, **has: Any) -> dict[str, Any]:
    """A goal: a row has these values now, and its others as before.

    Args:
        table: Its table.
        number: Of the row.
        has: Values by column.
    """
    return {"table": table, "change": "set", "id": number, "has": has}


def removed(table: str, number: int) -> dict[str, Any]:
    """A goal: a row is gone.

    Args:
        table: Its table.
        number: Of the row.
    """
    return {"table": table, "change": "remove", "id": number, "has": {}}


def compare(before: Tables, after: Tables, goals: Sequence[Mapping[str, Any]]) -> Verdict:
    """Measure what was done.

    Args:
        before: What the device knew, by table.
        after: What it knows now.
        goals: What was asked for; see `added`, `changed` and `removed`.
    """
    met, stray = 0, 0
    for table in before:
        old, new = _by_id(before[table]), _by_id(after[table])
        wanted = [goal for goal in goals if goal["table"] == table]
        came, went = [new[key] for key in new.keys() - old.keys()], old.keys() - new.keys()
        set_ = {goal["id"]: goal["has"] for goal in wanted if goal["change"] == "set"}
        gone = {goal["id"] for goal in wanted if goal["change"] == "remove"}
        matched = _matched([goal["has"] for goal in wanted if goal["change"] == "add"], came)
        met += matched + len(gone & went) + sum(key in new and _has(new[key], has) for key, has in set_.items())
        stray += len(came) - matched + len(went - gone)
        for key in old.keys() & new.keys():
            stray += _strayed(old[key], new[key], {*set_.get(key, ()), *UNTOLD.get(table, ())})
    return Verdict(met, stray)


def _by_id(rows: Sequence[Mapping[str, Any]]) -> Rows:
    return {row["id"]: row for row in rows}


def _matched(wanted: Sequence[Mapping[str, Any]], came: Sequence[Mapping[str, Any]]) -> int:
    """How many wishes new rows fulfil, each one wish."""
    left, count = list(came), 0
    for has in wanted:
        found = next((row for row in left if _has(row, has)), None)
        if found is not None:
            left.remove(found)
            count += 1
    return count


def _has(row: Mapping[str, Any], has: Mapping[str, Any]) -> bool:
    return all(_plain(row[column]) == _plain(value) for column, value in has.items())


def _plain(value: Any) -> Any:
    return " ".join(value.split()) if isinstance(value, str) else value


def _strayed(old: Mapping[str, Any], new: Mapping[str, Any], free: set[str]) -> int:
    return sum(old[column] != new[column] for column in old if column not in free)
