"""Tool calls as actions: one object lists the tools and parses the JSON object that calls one."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym.core.call_forms import native_calls
from agentgym.core.errors import GrammarError
from agentgym.core.grammar import Call, Invalid, shorten
from agentgym.core.json_text import last_object, read_json
from agentgym.core.prose import ANY_TEXT, without_thinking
from agentgym.core.schema import check_schema, violation
from agentgym.core.text import objection


@dataclass(frozen=True)
class Tool:
    """One tool: its name, what it does, and the JSON Schema of its arguments object."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    examples: tuple[Mapping[str, Any], ...] = ()


BETWEEN = (*" \t\r\n,;", "```json", "```", "<tool_call>", "</tool_call>")  # what may stand between two calls
SEVERAL = "the reply calls tools {} times, and a turn takes one call: first one, then the next"


class ToolGrammar:
    """Tool calls: one JSON object `{"name": ..., "arguments": {...}}` an action.

    What other forms chat templates have for it is read as well: see `agentgym.core.call_forms`.

    Raises:
        GrammarError: if a schema uses a keyword that is not checked, or an example does not fit its schema.
    """

    def __init__(self, tools: Sequence[Tool], rules: str = ""):
        self._tools = {tool.name: tool for tool in tools}
        self.rules = rules.strip()
        if len(self._tools) < len(tools):
            raise GrammarError("two tools share a name; give each its own")
        for tool in tools:
            check_schema(tool.parameters, where=f"the parameters of {tool.name}")
        for example in self.examples:
            parsed = self.parse(example)
            if isinstance(parsed, Invalid):
                raise GrammarError(f"the example {example} does not parse: {parsed.reason}")

    @property
    def line(self) -> str:
        """The grammar in one line."""
        return 'Actions: one JSON object {"name": <tool>, "arguments": {...}}; tools: ' + ", ".join(self._tools)

    @property
    def manual(self) -> str:
        """Rules, tools with their schemas, and worked examples."""
        lines = [self.rules, ""] if self.rules else []
        lines.append('Answer with one JSON object a turn, {"name": <tool>, "arguments": {...}}. The tools:')
        for tool in self._tools.values():
            lines.append(f"- {tool.name}: {tool.description} Arguments: {json.dumps(dict(tool.parameters))}")
        return "\n".join([*lines, *(f"For example: {example}" for example in self.examples)])

    @property
    def examples(self) -> tuple[str, ...]:
        """Every worked example as the JSON text an agent would write."""
        return tuple(
            json.dumps({"name": tool.name, "arguments": dict(arguments)})
            for tool in self._tools.values()
            for arguments in tool.examples
        )

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tool list in the form chat APIs take, built anew on each call."""
        return [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": json.loads(json.dumps(dict(tool.parameters))),
                },
            }
            for tool in self._tools.values()
        ]

    @property
    def first_words(self) -> None:
        """`ANY_TEXT`: a call is found by its brackets."""
        return ANY_TEXT

    def parse(self, action: str) -> Call | Invalid:
        """Read one action, alone, as the last JSON object in prose, or in a form of `call_forms`; never raises."""
        try:
            said = read_json(action, finite=True)
        except ValueError as error:
            if native := native_calls(without_thinking(action), {n: t.parameters for n, t in self._tools.items()}):
                return self.parse(json.dumps(native))
            found = last_calls(without_thinking(action))
            if found and found[-1] != action.strip():
                return self.parse(found[0]) if len(found) == 1 else Invalid(f"{SEVERAL.format('several')}. {self.line}")
            return Invalid(f"the action is no JSON ({shorten(str(error))}). {self.line}")
        if isinstance(said, list) and said and all(map(_is_call, said)):
            if len(said) > 1:
                return Invalid(f"{SEVERAL.format(len(said))}. {self.line}")
            said = said[0]
        if isinstance(said, dict) and set(said) == {"name", "parameters"}:  # as Llama calls tools
            said = {"name": said["name"], "arguments": said["parameters"]}
        if not isinstance(said, dict) or set(said) != {"name", "arguments"}:
            return Invalid(f'the action must be an object with the keys "name" and "arguments" only. {self.line}')
        tool = self._tools.get(said["name"]) if isinstance(said["name"], str) else None
        if tool is None:
            return Invalid(self._no_tool(shorten(str(said["name"]))))
        arguments = said["arguments"]
        unfit = objection(arguments) if "\\" in action or not action.isprintable() else ""
        if unfit:
            return Invalid(f"{tool.name}: {unfit}")
        wrong = violation(arguments, tool.parameters, where="arguments")
        return Invalid(f"{tool.name}: {wrong}.") if wrong else Call(tool.name, arguments)

    def _no_tool(self, name: str) -> str:
        """Why a name is none of a tool, with the nearest one that is."""
        close = difflib.get_close_matches(name.casefold(), {known.casefold(): known for known in self._tools}, n=1)
        meant = next((known for known in self._tools if close and known.casefold() == close[0]), "")
        hint = f"did you mean {meant!r}? " if meant else ""
        return f"there is no tool {name!r}; {hint}the tools are: {', '.join(self._tools)}."


def last_calls(text: str) -> tuple[str, ...]:
    """The last JSON object of a text, and the call right before it, if there is one: then the reply holds several.

    Args:
        text: Without thoughts.

    Returns:
        The objects as they stand; nothing if there is none.
    """
    found = last_object(text)
    if not found:
        return ()
    end = text.rindex(found)
    while between := next((sign for sign in BETWEEN if text.endswith(sign, 0, end)), ""):
        end -= len(between)
    before = last_object(text[:end]) if text.endswith("}", 0, end) else ""
    return (before, found) if before and text.endswith(before, 0, end) and _holds_call(before) else (found,)


def _holds_call(text: str) -> bool:
    try:
        return _is_call(read_json(text))
    except ValueError:
        return True  # too deep, or too long a number: no call that anybody can tell from another


def _is_call(said: Any) -> bool:
    return isinstance(said, dict) and "name" in said
