"""The commands of a grammar as functions with named arguments, and the way back to an action."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from agentgym.core import Call, ConfigError, Grammar, Invalid, ToolGrammar
from agentgym.core.grammar import SLOT, ActionGrammar, Command, shorten
from agentgym.core.prose import Free
from agentgym.wrappers.base import LanguageEnv, TextWrapper


@dataclass(frozen=True)
class Slot:
    """One argument: its name, its JSON Schema, and whether it must be given."""

    name: str
    schema: Mapping[str, Any] = field(hash=False)
    required: bool = True


@dataclass(frozen=True)
class Signature:
    """One command as a function.

    Attributes:
        name: The function's name, an identifier.
        command: The name of the grammar's command or tool.
        form: The words with `<slots>`; empty for a tool, whose action is a JSON object.
        free: How free the text of the last slot is.
    """

    name: str
    command: str
    form: str
    help: str
    slots: tuple[Slot, ...]
    free: Free = ""

    def shown(self) -> str:
        """The function as a model reads it, such as `take(object, receptacle)`."""
        return f"{self.name}({', '.join(slot.name for slot in self.slots)})"

    def tool(self) -> dict[str, Any]:
        """The function in the form chat APIs take."""
        parameters = {
            "type": "object",
            "properties": {slot.name: dict(slot.schema) for slot in self.slots},
            "required": [slot.name for slot in self.slots if slot.required],
            "additionalProperties": False,
        }
        described = {"name": self.name, "description": self.help, "parameters": parameters}
        return {"type": "function", "function": json.loads(json.dumps(described))}


@lru_cache(maxsize=64)
def signatures(grammars: tuple[ActionGrammar, ...]) -> tuple[Signature, ...]:
    """The functions of some grammars, in their order."""
    found = []
    for grammar in grammars:
        if isinstance(grammar, Grammar):
            found += [_of_command(command) for command in grammar.commands]
        elif isinstance(grammar, ToolGrammar):
            found += [_of_tool(tool["function"]) for tool in grammar.tools]
    return tuple(found)


def check_signatures(wrapper: TextWrapper) -> None:
    """Refuse a world whose commands cannot be told apart as functions.

    Raises:
        ConfigError: if the grammar is of a kind of its own or two commands have one name.
    """
    kind, world = type(wrapper).__name__, wrapper.world.card.id
    for grammar in wrapper.inner_grammars:
        if not isinstance(grammar, (Grammar, ToolGrammar)):
            raise ConfigError(f"{kind} needs a Grammar or a ToolGrammar; {world} has a {type(grammar).__name__}")
    names = [one.name for one in signatures(wrapper.inner_grammars)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(f"{kind}: two commands of {world} would both be called {twice[0]!r}; use ReAct or Tags")


def identifier(name: str) -> str:
    """A command's name as an identifier."""
    plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "act"
    plain = f"do_{plain}" if plain[0].isdigit() else plain
    return f"{plain}_" if keyword.iskeyword(plain) else plain


def _of_command(command: Command) -> Signature:
    slots = []
    for said in SLOT.findall(command.form):
        name = said.replace(" ", "_")
        choices = {"enum": list(command.choices[name])} if name in command.choices else {}
        slots.append(Slot(name, {"type": "string", **choices}))
    return Signature(identifier(command.name), command.name, command.form, command.help, tuple(slots), command.free)


def _of_tool(tool: Mapping[str, Any]) -> Signature:
    schema = tool["parameters"]
    needed = set(schema.get("required", ()))
    slots = tuple(Slot(name, inner, name in needed) for name, inner in schema.get("properties", {}).items())
    return Signature(identifier(tool["name"]), tool["name"], "", tool["description"], slots)


def words(wrapper: TextWrapper, name: str, given: Mapping[str, Any] | Sequence[Any]) -> str | Invalid:
    """The action of a function call.

    Args:
        wrapper: The wrapper that reads the call.
        name: The function's name, or the command's.
        given: Arguments by name, or in order.
    """
    known = signatures(wrapper.inner_grammars)
    wanted = next((one for one in known if name in (one.name, one.command)), None)
    if wanted is None:
        return Invalid(f"there is no function {shorten(name)!r}; the functions are: {_all(known)}.")
    if not isinstance(given, Mapping):
        if len(given) > len(wanted.slots):
            return Invalid(f"{wanted.shown()} takes {len(wanted.slots)} arguments, got {len(given)}.")
        given = dict(zip((slot.name for slot in wanted.slots), given, strict=False))
    strange = [key for key in given if key not in {slot.name for slot in wanted.slots}]
    lacking = [slot.name for slot in wanted.slots if slot.required and slot.name not in given]
    if strange or lacking:
        what = f"has no argument {shorten(str(strange[0]))!r}" if strange else f"lacks the argument {lacking[0]!r}"
        return Invalid(f"the call of {wanted.shown()} {what}.")
    if not wanted.form:
        return json.dumps({"name": wanted.command, "arguments": dict(given)}, ensure_ascii=False)
    action = _filled(wanted, given)
    if isinstance(action, Invalid):
        return action
    call = wrapper.inner.parse(action)
    if isinstance(call, Call) and call.name != wanted.command:
        return Invalid(f"the arguments of {wanted.shown()} turn it into another action: {shorten(action)}.")
    return action


def _all(known: Sequence[Signature]) -> str:
    return ", ".join(one.shown() for one in known)


def _filled(wanted: Signature, given: Mapping[str, Any]) -> str | Invalid:
    parts = SLOT.split(wanted.form)
    for index in range(1, len(parts), 2):
        value = given[parts[index].replace(" ", "_")]
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            return Invalid(f"{parts[index]!r} of {wanted.shown()} must be text, got {type(value).__name__}.")
        text = str(value).strip()
        if wanted.free == "lines" and index == len(parts) - 2:
            text = " ".join(text.split("\n"))
        if not text or "\n" in text:
            return Invalid(f"{parts[index]!r} of {wanted.shown()} must be one line of text, got {shorten(text)!r}.")
        parts[index] = text
    return "".join(parts)


def arguments(
    inner: TextWrapper | LanguageEnv, known: Sequence[Signature], action: str
) -> tuple[Signature, dict[str, Any]]:
    """The function call that an action in words stands for.

    Args:
        inner: What the action is played in; it reads it.
        known: The functions that there are.
        action: The action, in the words of `inner`.

    Raises:
        ConfigError: if it is no action, which a list of valid actions does not hold.
    """
    call = inner.parse(action)
    if isinstance(call, Call):
        for one in known:
            if one.command == call.name:
                return one, {slot.name: call.slots[slot.name] for slot in one.slots if slot.name in call.slots}
    raise ConfigError(f"{shorten(action)!r} is no action of {inner}")


__all__ = ["Signature", "Slot", "arguments", "check_signatures", "identifier", "signatures", "words"]
