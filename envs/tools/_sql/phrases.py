"""What questions are made of: fields that can be reached from a table, filters on them, and how both are said and read.

Every phrase is a wording with slots, and one reader takes wordings apart again, whatever their slots hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from agentgym.envs.tools._sql.schema import Column, Schema, Table, schemas

SLOT = re.compile(r"\{(\w+)(\.one)?\}")
HOPS = 2  # foreign keys at most between a table and a field of its scope
NUMERIC = frozenset({"int", "real", "money"})
DAYS = frozenset({"day", "dmy"})
GROUPS = frozenset({"cat", "mixed", "code"})
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
NUMBER, DATE, YEAR = re.compile(r"-?\d+(?:\.\d+)?"), re.compile(r"\d{4}-\d\d-\d\d"), re.compile(r"\d{4}")
Said = tuple[Any, ...]
Reader = Callable[[str, int, Mapping[str, Any]], Iterator[tuple[Any, int]]]

FORMS: Mapping[str, tuple[str, ...]] = {  # how each kind of filter is said
    "is": ("whose {w} is {v}", "with {v} as the {w}"),
    "above": ("whose {w} is above {x}", "with {w} over {x}"),
    "below": ("whose {w} is below {x}", "with {w} under {x}"),
    "between": ("whose {w} lies between {x} and {z}", "with {w} from {x} to {z}"),
    "year": ("whose {w} falls in {y}", "with {w} in the year {y}"),
    "month": ("whose {w} falls in {m} of any year", "with {w} in some {m}"),
    "after": ("whose {w} is after {d}", "with {w} later than {d}"),
    "before": ("whose {w} is before {d}", "with {w} earlier than {d}"),
    "missing": ("whose {w} is not recorded", "with no {w} on record"),
}
TESTS: Mapping[str, str] = {  # `c` is the clean expression, `p` the bare column
    "is": "{c} = {0}",
    "above": "{c} > {0}",
    "below": "{c} < {0}",
    "between": "{c} BETWEEN {0} AND {1}",
    "after": "{c} > {0}",
    "before": "{c} < {0}",
    "missing": "{p} IS NULL",
}


@dataclass(frozen=True)
class Field:
    """A column as it is reached from a table.

    Attributes:
        root: The table from which it is reached.
        path: Foreign keys on the way, by name; empty for a column of the table itself.
        column: The column.
        words: What questions call it.
    """

    root: Table
    path: tuple[str, ...]
    column: Column
    words: str


@dataclass(frozen=True)
class Filter:
    """A condition on the rows of a table.

    Attributes:
        field: What it looks at.
        kind: A key of `FORMS`.
        said: The values in it, as in the question.
    """

    field: Field
    kind: str
    said: Said

    @property
    def notes(self) -> list[str]:
        """What one must know to write it in SQL."""
        column = self.field.column
        told = [column.note] if column.note else []
        if column.kind == "code" and self.kind == "is":
            told.append(f"{self.said[0]} means {column.table}.{column.name} = {literal(_code(column, self.said[0]))}")
        return told

    def test(self, place: str) -> str:
        """The condition in SQL.

        Args:
            place: Its column as it is named in the statement.
        """
        column, kind = self.field.column, self.kind
        if kind in ("year", "month"):
            wanted = f"{self.said[0]}" if kind == "year" else f"{MONTHS.index(self.said[0]) + 1:02d}"
            return f"{part(column, place, kind)} = {literal(wanted)}"
        said = [_code(column, self.said[0])] if column.kind == "code" and kind == "is" else list(self.said)
        return TESTS[kind].format(*map(literal, said), c=column.clean(place), p=place)


def part(column: Column, place: str, unit: str) -> str:
    """The year or the month of a day as text in SQL.

    Args:
        column: Of days.
        place: The column as it is named in the statement.
        unit: `year` or `month`.
    """
    if column.kind == "dmy":
        return f"SUBSTR({place}, {'7, 4' if unit == 'year' else '4, 2'})"
    return f"STRFTIME('%{'Y' if unit == 'year' else 'm'}', {place})"


def literal(value: Any) -> str:
    """A value as SQL writes it."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else say(value)


def say(value: Any) -> str:
    """A value as a question says it."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value)


def _code(column: Column, meaning: str) -> Any:
    code = column.values[column.meanings.index(meaning)]
    return int(code) if column.type == "INTEGER" else code


@cache
def scope(domain: str, table: str) -> tuple[Field, ...]:
    """All columns that can be reached from a table in one way only, in a fixed order.

    Args:
        domain: Of the schema.
        table: Name of the table.
    """
    schema = schemas()[domain]
    root = schema.tables[table]
    ways = list(_ways(schema, root, ()))
    reached = [target.name for _, target in ways]
    found = []
    for path, target in ways:
        if reached.count(target.name) > 1 or (path and target is root):
            continue
        for column in target.columns:
            if column.kind in ("pk", "key"):
                continue
            said = column.words if not path else f"{target.one}'s {column.words}"
            found.append(Field(root, path, column, target.one if path and column.kind == "label" else said))
    return tuple(found)


def _ways(schema: Schema, table: Table, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Table]]:
    yield path, table
    if len(path) < HOPS:
        for key in table.parents:
            yield from _ways(schema, schema.tables[key.target], (*path, key.name))


def filter_kinds(field: Field) -> tuple[str, ...]:
    """The kinds of filter that a field takes."""
    kind = field.column.kind
    gone = ("missing",) if field.column.gaps and not field.path else ()
    if kind in GROUPS or (kind == "label" and field.path):
        return "is", *gone
    if kind in NUMERIC:
        return "above", "below", "between", *gone
    return ("year", "month", "after", "before", *gone) if kind in DAYS else ()


def word(form: str, values: Mapping[str, Any]) -> str:
    """A wording with its slots filled.

    Args:
        form: With slots such as `{E}` or `{E.one}`.
        values: By slot: texts, numbers, tables, fields, filters.
    """
    return SLOT.sub(lambda slot: shown(values[slot[1]], bool(slot[2])), form)


def shown(value: Any, single: bool = False, form: int = 0) -> str:
    """A value as questions say it.

    Args:
        value: A text, a number, a table, a field, a filter or a pair of a filter and the number of its form.
        single: Whether a table is named as one row.
        form: Which form of a filter.
    """
    if isinstance(value, Table):
        return value.one if single else value.many
    if isinstance(value, Field):
        return value.words
    if isinstance(value, Filter):
        forms = FORMS[value.kind]
        slots = SLOT.findall(forms[form % len(forms)])
        names = [name for name, _ in slots if name != "w"]
        order = {"x": 0, "z": 1}
        said = {name: value.said[order.get(name, 0)] for name in names}
        return word(forms[form % len(forms)], {"w": value.field.words, **said})
    return say(value)


def take(
    form: str, text: str, at: int, readers: Callable[[str], Reader], found: Mapping[str, Any]
) -> Iterator[tuple[dict[str, Any], int]]:
    """Every way to read a text as a wording: the values of its slots, and where it ends.

    Args:
        form: The wording.
        text: What is read.
        at: Where it begins.
        readers: The reader of each slot, which is told what the slots before hold.
        found: Values that are known already.
    """
    match = SLOT.search(form)
    if match is None:
        if text.startswith(form, at):
            yield dict(found), at + len(form)
        return
    head = form[: match.start()]
    if not text.startswith(head, at):
        return
    name, rest = match[1], form[match.end() :]
    for value, end in readers(name)(text, at + len(head), {**found, "": match[2] is not None}):
        if name in found and found[name] != value:
            continue
        yield from take(rest, text, end, readers, {**found, name: value})


def _by_pattern(pattern: re.Pattern[str], kind: Callable[[str], Any]) -> Reader:
    def read(text: str, at: int, found: Mapping[str, Any]) -> Iterator[tuple[Any, int]]:
        """What the pattern matches in `text` from place `at` on, and where it ends, whatever was `found` before."""
        match = pattern.match(text, at)
        if match:
            yield kind(match[0]), match.end()

    return read


def number(text: str) -> Any:
    """The number that a text says."""
    return float(text) if "." in text else int(text)


def choices(values: Sequence[tuple[str, Any]]) -> Reader:
    """A reader of one of some texts.

    Args:
        values: Text and value.
    """

    def read(text: str, at: int, found: Mapping[str, Any]) -> Iterator[tuple[Any, int]]:
        """Each value whose words stand in `text` at place `at`, and where they end, whatever was `found` before."""
        for said, value in values:
            if text.startswith(said, at):
                yield value, at + len(said)

    return read


PLAIN: Mapping[str, Reader] = {
    "x": _by_pattern(NUMBER, number), "z": _by_pattern(NUMBER, number), "k": _by_pattern(NUMBER, number),
    "d": _by_pattern(DATE, str), "u": _by_pattern(DATE, str), "y": _by_pattern(YEAR, int),
    "m": choices([(month, month) for month in MONTHS]),
}  # fmt: skip


def read_filter(fields: Sequence[Field]) -> Reader:
    """A reader of filters on some fields."""

    def read(text: str, at: int, found: Mapping[str, Any]) -> Iterator[tuple[Any, int]]:
        """Each filter that stands in `text` at place `at`, and where it ends, whatever was `found` before."""
        if not text.startswith(("whose ", "with "), at):
            return
        for field in fields:
            if field.words not in text:
                continue
            column = field.column
            values = choices([(value, value) for value in (column.meanings or column.values)])
            own = {"v": values, "w": choices([(field.words, field.words)]), **PLAIN}
            for kind in filter_kinds(field):
                for form in FORMS[kind]:
                    for got, end in take(form, text, at, own.__getitem__, {}):
                        said = tuple(got[name] for name in ("v", "x", "z", "y", "m", "d") if name in got)
                        yield Filter(field, kind, said), end

    return read
