"""Forms of tools: made of every world's schemas, and read back as calls that the world can read."""

from __future__ import annotations

import json

import pytest

from agentgym.core import ConfigError, UnknownName
from agentgym.envs import CARDS
from agentgym.evaluate import open_pool
from agentgym.ui.tools import tool_call, tool_forms

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "Whose."},
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "sure": {"type": "boolean"},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "rows": {"type": "array"},
        "either": {"type": ["string", "null"]},
    },
    "required": ["name", "rows"],
}
TOOLS = [{"type": "function", "function": {"name": "count", "description": "Counts.", "parameters": SCHEMA}}]


def test_a_form_is_what_the_schema_says() -> None:
    (form,) = tool_forms(TOOLS)
    assert (form.name, form.note) == ("count", "Counts.")
    kinds = {field.name: field.kind for field in form.fields}
    assert kinds == {"name": "string", "count": "integer", "share": "number", "sure": "boolean", "kind": "string",
                     "rows": "json", "either": "json"}  # fmt: skip
    assert [field.name for field in form.fields if field.required] == ["name", "rows"]
    assert form.fields[4].choices == ("a", "b")


def test_a_filled_form_is_a_call() -> None:
    given = {"name": 'x "y"', "count": "3", "share": "0.5", "sure": "false", "kind": "", "rows": '[1, "é"]'}
    call = json.loads(tool_call(TOOLS, "count", given))
    arguments = {"name": 'x "y"', "count": 3, "share": 0.5, "sure": False, "rows": [1, "é"]}
    assert call == {"name": "count", "arguments": arguments}
    assert json.loads(tool_call(TOOLS, "count", {"rows": "[]"}))["arguments"] == {"name": "", "rows": []}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"count": "three"}, "count must be of type integer, got 'three'"),
        ({"share": "much"}, "share must be of type number"),
        ({"sure": "perhaps"}, "sure must be of type boolean"),
        ({"rows": "1, 2"}, "rows must be JSON"),
        ({"rows": "[" * 50_000}, "rows must be JSON"),
    ],
)
def test_a_field_that_holds_something_else_is_named(given: dict[str, str], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        tool_call(TOOLS, "count", given)
    with pytest.raises(UnknownName, match="count"):
        tool_call(TOOLS, "coumt", {})


@pytest.mark.parametrize("world", [card.id for card in CARDS if card.tools and not card.requires and not card.extras])
def test_every_tool_of_every_world_has_a_form_whose_call_is_read(world: str) -> None:
    pool = open_pool(world, "train", {})
    forms = {form.name: form for form in tool_forms(pool.tools)}
    assert forms
    for example in pool.examples:
        call = json.loads(example)
        fields = {field.name: field for field in forms[call["name"]].fields}
        given = {
            name: value if fields[name].kind == "string" else json.dumps(value)
            for name, value in call["arguments"].items()
        }
        assert json.loads(tool_call(pool.tools, call["name"], given)) == {"arguments": {}, **call}
    pool.close()
