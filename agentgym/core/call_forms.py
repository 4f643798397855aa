"""Calls of tools as models of several makers write them by their own chat templates, read as name and arguments.

Most templates call a tool by a JSON object, which `agentgym.core.tool_grammar` reads. Others have a form of their own:
names and arguments apart (gpt-oss, DeepSeek, Kimi, Mistral), elements (Qwen3-Coder and Qwen3.5, GLM-4.5), or bare keys
with quotes that are tokens (Gemma 4). Everything takes time linear in the length of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from agentgym.core.json_text import read_json

Kinds = Mapping[str, Mapping[str, Any]]
"""The JSON Schema of each argument, by the name of the tool."""
NAME = re.compile(r"\s*(?:functions\.)?([\w.-]+)")
QUOTE = '<|"|>'  # of Gemma 4
BARE_KEY = re.compile(r"([{,]\s*)([\w.-]+)(?=\s*:)")


@dataclass(frozen=True)
class Form:
    """A way to call a tool.

    Attributes:
        begin: Where a call begins.
        end: Where it ends; it may be missing at the end of the text.
        read: Name and arguments of what stands between; None if it is no call.
    """

    begin: str
    end: str
    read: Callable[[str, Kinds], tuple[str, Any] | None]


def native_calls(text: str, kinds: Kinds) -> list[dict[str, Any]]:
    """The calls in an answer that are written in a form of their own, in order.

    Args:
        text: What a model said, special tokens included where they belong to a call.
        kinds: JSON Schemas of the arguments, which tell whether `7` is a text.

    Returns:
        Each with `name` and `arguments`; nothing if there is none, or one is damaged.
    """
    for form in FORMS:
        if form.begin in text:
            found = [form.read(inside, kinds) for inside in _insides(text, form)]
            if all(found) and found:
                return [{"name": each[0], "arguments": each[1]} for each in found if each]
    return []


def has_native_call(text: str) -> bool:
    """Whether a text holds the beginning of a call in a form of its own."""
    return any(form.begin in text for form in FORMS)


def _insides(text: str, form: Form) -> Iterator[str]:
    """What stands between each beginning and its end."""
    for part in text.split(form.begin)[1:]:
        yield part.partition(form.end)[0]


def _apart(middle: str) -> Callable[[str, Kinds], tuple[str, Any] | None]:
    """Reads a name, something between, and arguments in JSON."""

    def read(inside: str, kinds: Kinds) -> tuple[str, Any] | None:
        """A call whose name and JSON arguments stand apart, `inside` two marks; `kinds` of arguments are not needed."""
        head, found, rest = inside.partition(middle)
        if head.strip() == "function":  # DeepSeek's kind of tool; the name stands in the first line of the rest
            head, _, rest = rest.partition("\n")
        name = NAME.match(head)
        said = rest.strip().removeprefix("```json").removesuffix("```")
        return _called(name[1], said) if found and name else None

    return read


def _elements(inside: str, kinds: Kinds) -> tuple[str, Any] | None:
    """Reads Qwen's elements: `NAME>`, then `<parameter=KEY>` and a value for each argument."""
    name, found, body = inside.partition(">")
    arguments: dict[str, Any] = {}
    for part in body.split("<parameter=")[1:]:
        key, closed, value = part.partition(">")
        if not closed:
            return None
        _take(arguments, kinds, name.strip(), key.strip(), value.partition("</parameter>")[0])
    return (name.strip(), arguments) if found and NAME.fullmatch(name) else None


def _pairs(inside: str, kinds: Kinds) -> tuple[str, Any] | None:
    """Reads GLM's pairs: the name, then `<arg_key>` and `<arg_value>` for each argument."""
    head, *parts = inside.split("<arg_key>")
    name, arguments = head.strip(), dict[str, Any]()
    if not NAME.fullmatch(name):
        return None
    for part in parts:
        key, closed, rest = part.partition("</arg_key>")
        _, opened, value = rest.partition("<arg_value>")
        if not (closed and opened):
            return None
        _take(arguments, kinds, name, key.strip(), value.partition("</arg_value>")[0])
    return name, arguments


def _bare(inside: str, kinds: Kinds) -> tuple[str, Any] | None:
    """Reads Gemma's form: the name, then an object whose keys are bare and whose texts stand between `<|"|>`."""
    name, opened, rest = inside.partition("{")
    parts = (opened + rest).split(QUOTE)
    said = "".join(json.dumps(part) if odd % 2 else BARE_KEY.sub(r'\1"\2"', part) for odd, part in enumerate(parts))
    return _called(name.strip(), said) if NAME.fullmatch(name) else None


def _called(name: str, said: str) -> tuple[str, Any] | None:
    try:
        return name, read_json(said.strip() or "{}")
    except ValueError:
        return None


def _take(arguments: dict[str, Any], kinds: Kinds, name: str, key: str, said: str) -> None:
    """Take an argument down: a text as it stands, without the line ends around it, anything else as JSON."""
    schema = kinds.get(name, {}).get("properties", {}).get(key, {})
    value: Any = said.strip("\n")
    if schema.get("type") != "string":
        with suppress(ValueError):  # a text where no schema tells, or what the schema will refuse
            value = read_json(said.strip())
    arguments[key] = value


FORMS = (
    Form("<function=", "</function>", _elements),
    Form("<|tool_call>call:", "<tool_call|>", _bare),
    Form("to=functions.", "<|call|>", _apart("<|message|>")),
    Form("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", _apart("<｜tool▁sep｜>")),
    Form("<|tool_call_begin|>", "<|tool_call_end|>", _apart("<|tool_call_argument_begin|>")),
    Form("[TOOL_CALLS]", "[TOOL_CALLS]", _apart("[ARGS]")),
    Form("<tool_call>", "</tool_call>", _pairs),
)
