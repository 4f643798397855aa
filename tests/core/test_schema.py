"""The schema checker agrees with the `jsonschema` package on all it checks, and refuses to be asked for more."""

from __future__ import annotations

import re
from typing import Any

import jsonschema
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from agentgym.core import GrammarError
from agentgym.core.schema import CHECKED, TYPES, check_schema, violation

NAMES = st.sampled_from(["a", "b", "c"])
SIZES = st.integers(0, 3)
scalars = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([-1.5, 0.0, 2.0, 2.5]) | st.text("xy", max_size=4)
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=12
)


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(sorted(TYPES)) | st.lists(st.sampled_from(sorted(TYPES)), min_size=1, unique=True),
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "required": st.lists(NAMES, unique=True),
            "additionalProperties": st.booleans() | inner,
            "items": inner,
            "enum": st.lists(scalars, min_size=1),
            "minimum": st.integers(-3, 3),
            "maximum": st.integers(-3, 3),
            "minLength": SIZES,
            "maxLength": SIZES,
            "minItems": SIZES,
            "maxItems": SIZES,
            "description": st.just("words"),
        },
    )


schemas = st.recursive(_schemas(st.just({})), _schemas, max_leaves=8)


def holds_whole_float(value: Any) -> bool:
    """Where the standard and we differ on purpose: 2.0 is no integer here."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return any(map(holds_whole_float, value))
    return isinstance(value, float) and value.is_integer()


@given(values, schemas)
@example(True, {"enum": [1]})
@example(0, {"enum": [False]})
@example(2, {"enum": [2.0]})
@example({"a": True}, {"additionalProperties": {"type": "integer"}})
def test_agrees_with_jsonschema(value: Any, schema: dict[str, Any]) -> None:
    assume(not holds_whole_float(value))
    check_schema(schema, where="the schema")
    assert (violation(value, schema, where="it") == "") is jsonschema.Draft202012Validator(schema).is_valid(value)


@given(values)
def test_a_schema_that_says_nothing_fits_all(value: Any) -> None:
    assert violation(value, {}, where="it") == ""


@pytest.mark.parametrize(
    ("value", "schema", "message"),
    [
        (2.0, {"type": "integer"}, "it must be of type integer, got float"),
        (float("inf"), {"type": "number"}, "it must be of type number, got float"),
        (float("nan"), {"type": ["number", "null"]}, "it must be of type number or null, got float"),
        (True, {"type": "number"}, "it must be of type number, got bool"),
        (4, {"enum": [1, 2]}, "it must be one of [1, 2], got 4"),
        (4, {"maximum": 3}, "it must be at most 3, got 4"),
        (4, {"minimum": 5}, "it must be at least 5, got 4"),
        ("abc", {"maxLength": 2}, "it must have at most 2 characters, got 3"),
        ([1], {"minItems": 2}, "it must have at least 2 items, got 1"),
        ([1, "x"], {"items": {"type": "integer"}}, "it[1] must be of type integer, got str"),
        ({}, {"required": ["a"]}, "it lacks 'a'"),
        ({"b": 1}, {"properties": {"a": {}}, "additionalProperties": False}, "it has the unknown key 'b'; known: a"),
        ({"b": 1}, {"additionalProperties": False}, "it has the unknown key 'b'; known: none"),
        ({"a": {"b": 1}}, {"properties": {"a": {"required": ["c"]}}}, "it.a lacks 'c'"),
    ],
)
def test_the_clause_says_where_and_what(value: Any, schema: dict[str, Any], message: str) -> None:
    check_schema(schema, where="the schema")
    assert violation(value, schema, where="it") == message


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"pattern": "x"}, "top: the schema keyword 'pattern' is not checked; use additionalProperties, enum"),
        ({"properties": {"a": {"$ref": "#"}}}, "top.a: the schema keyword '$ref'"),
        ({"items": {"oneOf": []}}, "top.items: the schema keyword 'oneOf'"),
        ({"additionalProperties": {"not": {}}}, "top.additionalProperties: the schema keyword 'not'"),
        ({"type": "float"}, "top: 'float' is no JSON type"),
        ({"type": ["string", "text"]}, "top: 'text' is no JSON type"),
        ({"items": [{"type": "string"}]}, "top.items: a schema is an object, got"),
        ({"items": True}, "top.items: a schema is an object, got True"),
        ({"enum": [[1]]}, "top: the values of an enum must be"),
    ],
)
def test_what_would_go_unchecked_is_refused(schema: dict[str, Any], message: str) -> None:
    with pytest.raises(GrammarError, match=re.escape(message)):
        check_schema(schema, where="top")


def test_every_checked_keyword_stands_in_the_comparison() -> None:
    drawn = {"type", "properties", "required", "additionalProperties", "items", "enum"}
    sizes = {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}
    assert drawn | sizes == CHECKED
