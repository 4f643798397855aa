"""Draws questions, and keeps those worth asking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from agentgym.core.rng import stream
from agentgym.core.snapshot import json_key
from agentgym.envs._kit.tools import ToolError
from agentgym.envs.tools._sql import deep_questions, group_questions, plain_questions
from agentgym.envs.tools._sql.book import AGGREGATES, BOOK, DIRECTIONS, TIMES, Gold, Link, Template
from agentgym.envs.tools._sql.guard import Row
from agentgym.envs.tools._sql.match import same
from agentgym.envs.tools._sql.phrases import (
    DAYS,
    GROUPS,
    MONTHS,
    NUMERIC,
    SLOT,
    Field,
    Filter,
    filter_kinds,
    scope,
    shown,
)
from agentgym.envs.tools._sql.rows import Base, make_base
from agentgym.envs.tools._sql.schema import Schema, Table

MODULES = (plain_questions, group_questions, deep_questions)  # each puts its programs into the book
TRIES = 24  # draws of arguments before a template counts as one that does not fit a database
MOST_ROWS = 60  # of an answer
WORDINGS = 24
REMEMBERED = 512
ORDER = (
    "parents",
    "rows",
    "children",
    "group",
    "group2",
    "number",
    "number2",
    "gappy",
    "day",
    "day2",
    "where",
    "also",
)  # in which slots are drawn; all others come after them
TABLES, FILTERS, FIELDS = ("rows", "parents"), ("where", "also"), ORDER[3:10]
WORDS = {"a": tuple(AGGREGATES), "o": tuple(DIRECTIONS), "t": tuple(TIMES), "w": plain_questions.WEEKDAYS}
BOUNDS = {"k": 0, "x": -(10**15), "s": -(10**15), "j": -(10**6), "d": "0000-01-01", "i": ""}  # which everything passes
FEW, DAYS_PASSED = (2, 6), (5, 50)  # least, and most plus one, of small numbers


@dataclass(frozen=True, eq=False)
class Question:
    """A question worked out; shared and never changed.

    Attributes:
        template, arguments: What is asked.
        text: In words.
        notes: The evidence: what one must know of the columns and codes in it.
        gold: Its SQL.
        rows: The right result.
        tables: The tables that it reads.
    """

    template: Template
    arguments: Mapping[str, Any]
    text: str
    notes: tuple[str, ...]
    gold: Gold
    rows: tuple[Row, ...]
    tables: tuple[str, ...]

    @property
    def key(self) -> str:
        """What is asked, whatever the wording and the data."""
        return json_key([self.template.name, {name: shown(value) for name, value in self.arguments.items()}])


@lru_cache(REMEMBERED)
def make_question(domain: str, database: int, name: str, draw: int, wording: int) -> Question | None:
    """The question of a specification; None if the template finds nothing worth asking in the database.

    Args:
        domain, database: As in `make_base`.
        name: Of the template.
        draw: Seed of the arguments.
        wording: How it is said.
    """
    base, template = make_base(domain, database), BOOK[name]
    rng = stream("sql.arguments", domain, database, name, draw)
    for _ in range(TRIES):
        arguments = _draw(template, base, rng)
        if arguments is None:
            continue
        gold = template.gold(base.schema, arguments)
        result = base.asked.ask(gold.sql)
        if _worthy(template, arguments, gold, result.rows, base):
            text = worded(template, arguments, wording)
            return Question(template, arguments, text, _notes(arguments), gold, result.rows, result.tables)
    return None


def worded(template: Template, arguments: Mapping[str, Any], wording: int) -> str:
    """A question in words.

    Args:
        template: What is asked.
        arguments: Its slots.
        wording: Any whole number; stands for a wording and the forms of its filters.
    """
    count = len(template.wordings)
    forms = {"where": wording // count, "also": wording // count // 2}
    return SLOT.sub(
        lambda slot: shown(
            arguments[slot[1]].child if isinstance(arguments[slot[1]], Link) else arguments[slot[1]],
            bool(slot[2]),
            forms.get(slot[1], 0),
        ),
        template.wordings[wording % count],
    )


def _notes(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    told: dict[str, None] = {}
    for value in arguments.values():
        if isinstance(value, Filter):
            told.update(dict.fromkeys(value.notes))
        elif isinstance(value, Field) and value.column.note:
            told[value.column.note] = None
    return tuple(told)


# Whether a question is worth asking.


def _worthy(template: Template, arguments: Mapping[str, Any], gold: Gold, rows: tuple[Row, ...], base: Base) -> bool:
    """Whether an answer says something, is not decided by a tie, and changes with every condition of the question."""
    if not 1 <= len(rows) <= MOST_ROWS or any(cell is None for row in rows for cell in row) or rows == ((0,),):
        return False
    if gold.keys and _tied(gold, base):
        return False
    for slot, value in arguments.items():
        if isinstance(value, Filter) or slot in BOUNDS:
            looser = {**arguments, slot: BOUNDS.get(slot)}
            if same(_answer(template, looser, base), rows, gold.ordered):
                return False
    return not any(same(found, rows, False) for found in _shortcuts(arguments, base))


def _tied(gold: Gold, base: Base) -> bool:
    ranks: list[Any] = [row[0] for row in base.asked.ask(gold.keys).rows]
    if gold.top < 0:
        return ranks != [-1]
    decided = len(ranks) - 1 if gold.top == 0 else min(gold.top, len(ranks) - 1)
    return any(abs(ranks[at] - ranks[at + 1]) < 1e-6 if not isinstance(ranks[at], str) else ranks[at] == ranks[at + 1]
               for at in range(decided)) or len(ranks) < max(1, gold.top)  # fmt: skip


def _answer(template: Template, arguments: Mapping[str, Any], base: Base) -> tuple[Row, ...]:
    """The result for arguments of which one has been loosened or left out."""
    try:
        return base.asked.ask(template.gold(base.schema, arguments).sql).rows
    except ToolError:  # such as an OR with nothing on one side, which is no query at all
        return ()


def _shortcuts(arguments: Mapping[str, Any], base: Base) -> Iterator[tuple[Row, ...]]:
    """What a query says that looks at a table named in the question and at nothing else."""
    for value in arguments.values():
        table = value.child if isinstance(value, Link) else value
        if isinstance(table, Table):
            yield base.asked.ask(f"SELECT COUNT(*) FROM {table.name}").rows
            if table.label is not None and table.size <= MOST_ROWS:
                yield base.asked.ask(f"SELECT {table.label.name} FROM {table.name}").rows


# Drawing arguments.


def _draw(template: Template, base: Base, rng: np.random.Generator) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    ranks = {slot: at for at, slot in enumerate(ORDER)}
    for slot in sorted(template.slots, key=lambda each: ranks.get(each, len(ORDER))):
        options = _options(slot, template, base, found, rng)
        if not options:
            return None
        found[slot] = options[int(rng.integers(len(options)))]
    return found


def root_of(found: Mapping[str, Any]) -> Table | None:
    """The table whose rows a question is about, from the slots that are known."""
    table = found["children"].child if "children" in found else found.get("rows", found.get("parents"))
    return table if isinstance(table, Table) else None


def tables_for(template: Template, slot: str, schema: Schema) -> list[Table]:
    """The tables that may stand in a slot of a template.

    Args:
        template: One of the book's.
        slot: One of `TABLES`.
        schema: Of the database.
    """
    found = [table for table in schema.tables.values() if table.label or slot not in template.named]
    return [table for table in found if links(table, schema)] if slot == "parents" else found


def links(table: Table, schema: Schema) -> list[Link]:
    """The tables of `schema` with a foreign key to `table`, once for each such key."""
    return [
        Link(other, key.name) for other in schema.tables.values() for key in other.parents if key.target == table.name
    ]


def fields_for(slot: str, domain: str, table: str) -> list[Field]:
    """The fields that may stand in a slot for a table.

    Args:
        slot: One of `FIELDS`.
        domain: Of the schema.
        table: Name of the table.
    """
    reach = scope(domain, table)
    if slot in ("group", "group2"):
        return [each for each in reach if each.column.kind in GROUPS or (each.path and each.column.kind == "label")]
    days = slot in ("day", "day2")
    own = [each for each in reach if not each.path and each.column.kind in (DAYS if days else NUMERIC)]
    if days:
        return own[:1] if slot == "day" and len(own) > 1 else own
    return [each for each in own if each.column.gaps] if slot == "gappy" else own


def _options(
    slot: str, template: Template, base: Base, found: Mapping[str, Any], rng: np.random.Generator
) -> list[Any]:
    """What may stand in a slot; values of the data are drawn already."""
    schema, root = base.schema, root_of(found)
    if slot in TABLES:
        return tables_for(template, slot, schema)
    if slot == "children":
        return links(found["parents"], schema)
    if slot in WORDS:
        return list(WORDS[slot])
    if slot in "kj":
        return list(range(*(FEW if slot == "k" else DAYS_PASSED)))
    assert root is not None
    if slot in FIELDS:
        taken = [value.column for value in found.values() if isinstance(value, Field)]
        return [each for each in fields_for(slot, schema.name, root.name) if each.column not in taken]
    if slot in FILTERS:
        return _filters(schema, base, root, found, rng)
    return _value(slot, base, found, root, rng)


def _column(base: Base, field: Field) -> list[Any]:
    return [value for value in base.values[field.column.table][field.column.name] if value is not None]


def _neat(value: Any) -> Any:
    """A number as questions write it: without the fraction if that is 0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _middle(values: list[Any], rng: np.random.Generator, low: float = 0.15, high: float = 0.85) -> Any:
    ranked = sorted(values)
    return _neat(ranked[int((low + (high - low) * rng.random()) * (len(ranked) - 1))])


def _value(slot: str, base: Base, found: Mapping[str, Any], root: Table, rng: np.random.Generator) -> list[Any]:
    """A number, a day, a year or a letter that fits what the slots before hold."""
    if slot == "i":
        assert root.label is not None
        names = base.values[root.name][root.label.name]
        return [name[0] for name in names]
    if slot in "duy":
        days = _column(base, found["day"])
        if slot == "y":
            return [int(day[:4]) for day in days]
        return [day for day in days if slot == "d" or day > found["d"]]
    values = _column(base, found["number"])
    if slot == "s":
        return [_neat(round(float(_middle(values, rng)) * int(rng.integers(2, 8)), 1))]
    if slot == "z":
        values = [value for value in values if value > found["x"]]
    narrow = (0.35, 0.6) if "group" in found and slot == "x" else (0.15, 0.85)
    return [_middle(values, rng, *narrow)] if values else []


def _filters(
    schema: Schema, base: Base, root: Table, found: Mapping[str, Any], rng: np.random.Generator
) -> list[Filter]:
    """A filter on a field that no other slot holds."""
    taken = [value.column for value in found.values() if isinstance(value, Field)]
    taken += [value.field.column for value in found.values() if isinstance(value, Filter)]
    keys = {"parents": found["children"].key} if "children" in found else {}
    fields = [
        each
        for each in scope(schema.name, root.name)
        if filter_kinds(each) and each.column not in taken and not (keys and each.path[:1] == (keys["parents"],))
    ]
    if not fields:
        return []
    field = fields[int(rng.integers(len(fields)))]
    kinds = filter_kinds(field)
    kind = kinds[int(rng.integers(len(kinds)))]
    said = _said(kind, field, _column(base, field), rng)
    return [] if said is None else [Filter(field, kind, said)]


def _said(kind: str, field: Field, values: list[Any], rng: np.random.Generator) -> tuple[Any, ...] | None:
    """The values in a filter; None if the data have none that fit."""
    column = field.column
    if kind == "missing":
        return ()
    if kind == "is":
        value = values[int(rng.integers(len(values)))]
        return (column.meanings[column.values.index(str(value))] if column.meanings else value,)
    one, other = sorted((_middle(values, rng), _middle(values, rng)))
    if kind == "between":
        return (one, other) if one < other else None
    if kind == "year":
        return (int(one[:4]),)
    return (MONTHS[int(one[5:7]) - 1],) if kind == "month" else (one,)
