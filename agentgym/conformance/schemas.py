"""The schemas that an environment brings: other programs read them, so they must be schemas of the standard."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agentgym.conformance.env_under_test import EnvUnderTest
from agentgym.conformance.errors import Violation


def schemas(env: EnvUnderTest) -> str:
    """O3: `task_schema` and the parameters of every tool are JSON Schemas (draft 2020-12)."""
    driver = env.world()
    driver.reset(seed=1)
    _fits_the_standard(driver.world.task_schema, "task_schema")
    tools = [tool["function"] for player in driver.players for tool in driver.told("tools", player)]
    for tool in tools:
        _fits_the_standard(tool["parameters"], f"the parameters of {tool['name']}")
    return f"task_schema and {len(tools)} tools" if tools else "task_schema"


def _fits_the_standard(schema: Mapping[str, Any], where: str) -> None:
    from jsonschema import Draft202012Validator, SchemaError  # a tenth of a second, for this check alone

    try:
        Draft202012Validator.check_schema(json.loads(json.dumps(schema, default=dict)))
    except SchemaError as error:
        raise Violation(
            f"{where} is no JSON Schema: at {error.json_path}, {error.message:.150}.", "mend the keyword's value."
        ) from None
