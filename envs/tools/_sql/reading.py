"""Reads questions back from their words: what the expert does, and the proof that they mean one thing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agentgym.envs.tools._sql.book import BOOK, Template
from agentgym.envs.tools._sql.phrases import PLAIN, Field, Filter, Reader, choices, read_filter, scope, shown, take
from agentgym.envs.tools._sql.questions import FILTERS, TABLES, WORDS, fields_for, links, root_of, tables_for
from agentgym.envs.tools._sql.schema import Schema, schemas


def read_question(domain: str, text: str) -> Iterator[tuple[Template, dict[str, Any]]]:
    """Every way to read a question: template and slots, from its words and the schema alone.

    Args:
        domain: Of the schema.
        text: The question.
    """
    for template in BOOK.values():
        readers = _readers(template, domain)
        for wording in template.wordings:
            for found, end in take(wording, text, 0, readers, {}):
                if end == len(text):
                    yield template, {slot: found[slot] for slot in template.slots}


def _readers(template: Template, domain: str) -> Callable[[str], Reader]:
    schema = schemas()[domain]

    def reader(slot: str) -> Reader:
        if slot in PLAIN:
            return PLAIN[slot]
        if slot in "sj":
            return PLAIN["x"]
        if slot in WORDS:
            return choices([(word, word) for word in WORDS[slot]])
        if slot == "i":
            return choices([(chr(letter), chr(letter)) for letter in range(65, 91)])
        return lambda text, at, found: _read_part(slot, template, schema, text, at, found)

    return reader


def _read_part(
    slot: str, template: Template, schema: Schema, text: str, at: int, found: Mapping[str, Any]
) -> Iterator[tuple[Any, int]]:
    """Read a table, a link, a field or a filter; where the table comes later, those of all tables are tried."""
    single = bool(found.get(""))
    held = [value if isinstance(value, Field) else value.field for value in found.values()
            if isinstance(value, (Field, Filter))]  # fmt: skip
    if slot in TABLES:
        for table in tables_for(template, slot, schema):
            if slot == "parents" and "children" in found:
                fitting = found["children"] in links(table, schema)
            else:
                fitting = "children" in template.slots or all(field.root is table for field in held)
            if fitting:
                yield from choices([(shown(table, single), table)])(text, at, found)
    elif slot == "children":
        parents = [found["parents"]] if "parents" in found else list(schema.tables.values())
        for parent in parents:
            for link in links(parent, schema):
                if all(field.root is link.child for field in held):
                    yield from choices([(link.child.many, link)])(text, at, found)
    else:
        root = root_of({name: value for name, value in found.items() if name})
        roots = [field.root for field in held[:1]]
        if root is not None and ("children" in found or "rows" in found):
            roots = [root]
        for table in roots or list(schema.tables.values()):
            if slot in FILTERS:
                yield from read_filter(scope(schema.name, table.name))(text, at, found)
            else:
                named = [(field.words, field) for field in fields_for(slot, schema.name, table.name)]
                yield from choices(named)(text, at, found)
