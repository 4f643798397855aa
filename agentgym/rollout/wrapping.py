"""Wrappers by name, as recipes, runs and command lines write them."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentgym.core import ConfigError, unknown
from agentgym.core.json_text import read_json

SHELF = "agentgym.wrappers"
PICTURES: Mapping[str, Any] = {"name": "Screenshot"}
OF_THE_AGENT = ("actions", "observations", "hints", "log", "memory")  # modules whose wrappers change words alone


def named_wrapper(table: Any) -> functools.partial[Any]:
    """A wrapper with its arguments, to be put around an environment.

    Args:
        table: The `name` of a wrapper of `agentgym.wrappers`, and its arguments.

    Raises:
        UnknownName: if there is no such wrapper, or it takes no such argument.
        ConfigError: if it is no table, or lacks an argument that it needs.
    """
    shelf = importlib.import_module(SHELF)
    if not isinstance(table, Mapping):
        raise ConfigError(f"each of world.wrappers is a table with the name of a wrapper, got {table!r}")
    name = table.get("name")
    if name not in shelf.__all__:
        raise unknown("wrapper", name, shelf.__all__)
    arguments = {key: value for key, value in table.items() if key != "name"}
    kind = getattr(shelf, table["name"])
    parameters = list(inspect.signature(kind.__init__).parameters.values())[2:]  # after self and env
    for key in arguments:
        if key not in [each.name for each in parameters]:
            raise unknown(f"argument of {name}", key, [each.name for each in parameters])
    for each in parameters:
        if each.default is each.empty and each.name not in arguments:
            raise ConfigError(f"the wrapper {name} needs the argument {each.name!r}")
    return functools.partial(kind, **arguments)


def wrap_tables(given: Sequence[str | Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Tables of the wrappers through which an agent plays, the first innermost.

    Args:
        given: Each a name such as `ReAct`, a name with a JSON object of arguments such as `History={"turns": 4}`, or a
            table with the `name` and the arguments.

    Raises:
        UnknownName: if there is no such wrapper, or it takes no such argument.
        ConfigError: if the arguments are no JSON object, or the wrapper does not put words into words.
    """
    tables = tuple(_table(each) for each in wrap_list(given))
    for table in tables:
        kind = named_wrapper(table).func
        if _module(kind) == "numeric":
            raise ConfigError(f"{table['name']} makes words numbers, and agents read words; leave it out of wrap")
        if table["name"] == PICTURES["name"]:
            raise ConfigError("pictures are shown by the option pictures (--pictures); leave Screenshot out of wrap")
    return tables


def wrap_list(given: Any) -> list[Any]:
    """Wrappers as they are given, as a list.

    Args:
        given: A list or a tuple.

    Raises:
        ConfigError: if it is neither, such as a single name.
    """
    if not isinstance(given, (list, tuple)):
        raise ConfigError(f"wrap is a list of wrappers such as ['ReAct'], got {given!r}")
    return list(given)


def keeps_history(table: Mapping[str, Any]) -> bool:
    """Whether a wrapper makes observations repeat earlier turns."""
    return bool(getattr(named_wrapper(table).func, "keeps_history", False))


def is_of_the_agent(table: Mapping[str, Any]) -> bool:
    """Whether a wrapper changes words alone, so that the task stays the same: neither pay, nor turns, nor rules."""
    return _module(named_wrapper(table).func) in OF_THE_AGENT


def _module(kind: Callable[..., Any]) -> str:
    return kind.__module__.removeprefix(f"{SHELF}.").partition(".")[0]


def _table(given: str | Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(given, str):
        if not isinstance(given, Mapping):
            raise ConfigError(f"wrap takes names of wrappers and tables with a name, got {given!r}")
        return dict(given)
    name, equals, text = given.partition("=")
    if not equals:
        return {"name": name}
    try:
        arguments = read_json(text)
    except ValueError as error:
        raise ConfigError(f"the arguments of {name} must be a JSON object, got {text!r} ({error})") from None
    if not isinstance(arguments, dict) or "name" in arguments:
        raise ConfigError(f'the arguments of {name} must be a JSON object such as {{"turns": 4}}, got {text!r}')
    return {"name": name, **arguments}
