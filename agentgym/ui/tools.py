"""A form for each tool of a world, made of its JSON Schema, and the call that a filled form stands for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym.core import ConfigError, unknown
from agentgym.core.json_text import read_json

PLAIN = ("string", "integer", "number", "boolean")
YES, NO = "true", "false"


@dataclass(frozen=True)
class Field:
    """An argument of a tool.

    Attributes:
        name: Of the argument.
        kind: `string`, `integer`, `number`, `boolean`, or `json` for lists, tables and what may be of several types.
        note: What the schema says of it.
        required: Whether it must be given.
        choices: The only values, where the schema lists them.
        long: Whether it may be long, so that its field is given more room.
    """

    name: str
    kind: str
    note: str
    required: bool
    choices: tuple[str, ...]
    long: bool


@dataclass(frozen=True)
class ToolForm:
    """A tool as a form."""

    name: str
    note: str
    fields: tuple[Field, ...]


def tool_forms(tools: Sequence[Mapping[str, Any]]) -> list[ToolForm]:
    """A form for each tool, in their order."""
    return [_form(tool.get("function", tool)) for tool in tools]


def _form(tool: Mapping[str, Any]) -> ToolForm:
    schema = tool.get("parameters", {})
    required = schema.get("required", ())
    fields = [_field(name, given, name in required) for name, given in schema.get("properties", {}).items()]
    return ToolForm(tool["name"], tool.get("description", ""), tuple(fields))


def _field(name: str, schema: Mapping[str, Any], required: bool) -> Field:
    kind = schema.get("type")
    choices = schema.get("enum", ())
    plain = kind in PLAIN and all(isinstance(choice, str) for choice in choices)
    return Field(
        name,
        str(kind) if plain else "json",
        schema.get("description", ""),
        required,
        tuple(choices) if plain else (),
        not plain or schema.get("maxLength", 0) > 1_000,
    )


def tool_call(tools: Sequence[Mapping[str, Any]], name: str, given: Mapping[str, str]) -> str:
    """The action that a filled form stands for: one JSON object.

    Args:
        tools: Of the world.
        name: Of the tool.
        given: What stands in the fields, by the name of the argument; an empty one that need not be given is left out.

    Raises:
        UnknownName: if there is no such tool.
        ConfigError: if a field holds no value of its type.
    """
    forms = {form.name: form for form in tool_forms(tools)}
    if name not in forms:
        raise unknown("tool", name, forms)
    arguments = {
        field.name: _value(field, given.get(field.name, ""))
        for field in forms[name].fields
        if given.get(field.name, "") or (field.required and field.kind == "string")
    }
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


def _value(field: Field, text: str) -> Any:
    """What the text of a field means. What the world makes of it, such as of a missing one, the world says itself."""
    try:
        if field.kind == "integer":
            return int(text)
        if field.kind == "number":
            return float(text)
        if field.kind == "json":
            return read_json(text)
        if field.kind == "boolean" and text not in (YES, NO):
            raise ValueError(text)
    except ValueError:
        kind = "JSON, such as [1, 2]" if field.kind == "json" else f"of type {field.kind}"
        raise ConfigError(f"{field.name} must be {kind}, got {text[:80]!r}") from None
    return text == YES if field.kind == "boolean" else text
