"""Typed tools from Python functions: the signature and the docstring become the JSON Schema that an agent reads."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from agentgym.core.errors import ConfigError, GrammarError
from agentgym.core.tool_grammar import Tool, ToolGrammar

LONGEST_TEXT, MOST_ITEMS, LARGEST = 400, 400, 10**9  # of an argument; more is refused before the tool runs
SIMPLE: Mapping[Any, Mapping[str, Any]] = {
    str: {"type": "string", "maxLength": LONGEST_TEXT},
    int: {"type": "integer", "minimum": -LARGEST, "maximum": LARGEST},
    float: {"type": "number", "minimum": -LARGEST, "maximum": LARGEST},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}
ARGUMENT = re.compile(r"^ {4}(\w+): (.*)$")


class ToolError(Exception):
    """What a tool raises, before it changes anything, where a call cannot be done; the agent reads the message.

    One line: what was wrong, what was expected, what to do.
    """


@dataclass(frozen=True)
class ToolFunction:
    """A tool and the function behind it.

    Attributes:
        tool: Name, description and schema, as an agent reads them.
        run: Takes the world's data and the arguments by name, and returns plain JSON data.
        seconds: What a call costs in virtual seconds.
    """

    tool: Tool
    run: Callable[..., Any]
    seconds: float = 1.0

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.tool.name


def tool(
    example: Mapping[str, Any] | None = None, *, name: str = "", seconds: float = 1.0
) -> Callable[[Callable[..., Any]], ToolFunction]:
    """Make a tool of a function whose first parameter is the world's data and whose others are typed.

    Types are `str`, `int`, `float`, `bool`, `list[...]`, `Literal[...]`, unions of these with None, and `Any`. The
    docstring's first paragraph is the description, its `Args:` describe the arguments. A parameter with a default may
    be left out.

    Args:
        example: Arguments of a worked example, which the manual shows.
        name: The tool's name if it is not the function's.
        seconds: What a call costs in virtual seconds.

    Raises:
        ConfigError: if a parameter has no type, or one that is no JSON.
    """

    def made(function: Callable[..., Any]) -> ToolFunction:
        said, described = _documented(function)
        parameters = _parameters(function, described)
        shown = () if example is None else (dict(example),)
        return ToolFunction(Tool(name or function.__name__, said, parameters, shown), function, seconds)

    return made


def _documented(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """The description of a function in one line, and what its docstring says of each argument."""
    text = inspect.getdoc(function) or ""
    head, _, tail = text.partition("\nArgs:\n")
    described: dict[str, str] = {}
    last = ""
    for line in tail.splitlines():
        match = ARGUMENT.match(line)
        if match:
            last, described[match[1]] = match[1], match[2].strip()
        elif last and line.startswith(" " * 8):
            described[last] += " " + line.strip()
        else:
            last = ""
    return " ".join(head.partition("\n\n")[0].split()), described


def _parameters(function: Callable[..., Any], described: Mapping[str, str]) -> dict[str, Any]:
    """The schema of a function's arguments, the first parameter left out."""
    hints = get_type_hints(function)
    properties, required = {}, []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.name not in hints:
            raise ConfigError(f"the parameter {parameter.name!r} of the tool {function.__name__} needs a type")
        schema = _schema(hints[parameter.name], f"{parameter.name} of {function.__name__}")
        if parameter.name in described:
            schema["description"] = described[parameter.name]
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        properties[parameter.name] = schema
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _schema(hint: Any, where: str) -> dict[str, Any]:
    """The JSON Schema of a type."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint in SIMPLE:
        return dict(SIMPLE[hint])
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is list:
        return {"type": "array", "items": _schema(inner[0], where), "maxItems": MOST_ITEMS}
    if origin in (Union, types.UnionType):
        parts = [_schema(each, where) for each in inner]
        if "enum" in parts[0] and inner[1:] == (type(None),):
            return {"enum": [*parts[0]["enum"], None]}
        merged = {key: value for part in parts for key, value in part.items() if key != "type"}
        if all(isinstance(part.get("type"), str) for part in parts):
            return {"type": [part["type"] for part in parts], **merged}
    raise ConfigError(f"{where}: {hint} has no JSON Schema; use str, int, float, bool, list, Literal, None or Any")


def listed_tools(
    tools: Iterable[Mapping[str, Any]], functions: Mapping[str, Callable[..., Any]], seconds: float = 1.0
) -> list[ToolFunction]:
    """Tools from a list in the form of the Model Context Protocol, with a Python callable for each.

    Args:
        tools: Objects with `name`, `description` and `inputSchema` (or `parameters`), a JSON Schema; `examples`, a list
            of arguments objects, may be given too. The form of chat APIs, `{"type": "function", "function": {...}}`,
            is understood as well.
        functions: By the tool's name; each takes the world's data and the arguments by name.
        seconds: What a call costs in virtual seconds.

    Raises:
        ConfigError: if a tool has no name, no schema or no callable.
    """
    found = []
    for entry in tools:
        said = entry.get("function", entry)
        name, schema = said.get("name", ""), said.get("inputSchema", said.get("parameters"))
        if not name or not isinstance(schema, Mapping):
            raise ConfigError(f"a tool needs a name and an inputSchema, got {str(dict(said))[:100]}")
        if name not in functions:
            raise ConfigError(f"no callable is given for the tool {name!r}; functions has {', '.join(functions)}")
        shown = tuple(dict(example) for example in said.get("examples", ()))
        found.append(ToolFunction(Tool(name, said.get("description", ""), schema, shown), functions[name], seconds))
    return found


@dataclass(frozen=True, eq=False)
class Toolbox:
    """The tools of a world, or of one player of a game.

    Attributes:
        functions: The tools with their functions.
        final: The tool that ends the episode; the world itself plays it.
        rules: Sentences for the head of the manual.
        spoken: The tool with which the agent talks to a user, if there is one; the world itself plays it too.
        grammar: What renders the manual and reads the calls.
    """

    functions: Sequence[ToolFunction]
    final: Tool
    rules: str = ""
    spoken: Tool | None = None
    grammar: ToolGrammar = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "functions", tuple(self.functions))
        object.__setattr__(self, "_known", {each.name: each for each in self.functions})
        tools = [*(each.tool for each in self.functions), *self._played]
        object.__setattr__(self, "grammar", ToolGrammar(tools, self.rules))
        if not self.grammar.examples:
            raise GrammarError("a toolbox needs at least one worked example; give a tool one")

    def __getitem__(self, name: str) -> ToolFunction:
        known: dict[str, ToolFunction] = self._known  # type: ignore[attr-defined]
        return known[name]

    @property
    def _played(self) -> list[Tool]:
        """The tools that the world itself plays."""
        return [self.final] if self.spoken is None else [self.spoken, self.final]

    @property
    def names(self) -> list[str]:
        """Names of all tools, the final one last."""
        return [*(each.name for each in self.functions), *(each.name for each in self._played)]

    def only(self, names: Iterable[str], rules: str = "") -> Toolbox:
        """The part of it that one player of a game has.

        Args:
            names: Of the tools it has beside those that the world itself plays.
            rules: Its own rules; empty for those of the whole.
        """
        wanted = set(names)
        kept = tuple(each for each in self.functions if each.name in wanted)
        return replace(self, functions=kept, rules=rules or self.rules)

    def run(self, name: str, data: Any, arguments: Mapping[str, Any]) -> Any:
        """Call a tool.

        Args:
            name: Of a tool other than the final one.
            data: What the tools read and change.
            arguments: That fit the tool's schema.

        Raises:
            ToolError: if the call cannot be done; then nothing has changed.
        """
        return self[name].run(data, **arguments)
