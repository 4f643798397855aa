"""From the tables of a recipe to dataclasses: every key known, every value of the right kind, or one line says so."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from agentgym.core import ConfigError, unknown
from agentgym.train.schedules import Schedule, read_schedule

T = TypeVar("T")


def build(kind: type[T], table: Any, where: str) -> T:
    """An object of a dataclass from a table of a recipe.

    Args:
        kind: A dataclass; its public fields are the keys.
        table: The table.
        where: What messages call it.

    Raises:
        ConfigError: for an unknown or missing key or a value of the wrong kind.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where} must be a table of settings, got {table!r}")
    hints = get_type_hints(kind)
    known = {field.name: field for field in fields(kind) if field.init}  # type: ignore[arg-type]
    for key in table:
        if key not in known:
            raise unknown(f"setting of {where}", key, sorted(known))
    for name, field in known.items():
        if name not in table and field.default is MISSING and field.default_factory is MISSING:
            raise ConfigError(f"{where} needs the setting {name!r}")
    return kind(**{key: fit(value, hints[key], f"{where}.{key}") for key, value in table.items()})


def pick(parts: Mapping[str, type[Any]], table: Any, where: str) -> Any:
    """The part that a table names by its key `name`, built from its other keys; a bare name stands for `{ name }`.

    Args:
        parts: The parts there are, by name.
        table: A table with `name` and the options of the part, a bare name, or a part.
        where: What messages call the table.
    """
    if isinstance(table, str):
        table = {"name": table}
    if not isinstance(table, Mapping) or "name" not in table:
        raise ConfigError(f"{where} must name one of: {', '.join(sorted(parts))}")
    options = dict(table)
    name = options.pop("name")
    if name not in parts:
        raise unknown(where, name, sorted(parts))
    return build(parts[name], options, f"{where} {name!r}")


def fit(value: Any, hint: Any, where: str) -> Any:
    """`value` as a field of type `hint` takes it: numbers checked, lists made tuples, tables made dataclasses.

    Args:
        value: As TOML has it.
        hint: Type of the field.
        where: What messages call the value.
    """
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    if Schedule in options:
        return read_schedule(value, where)
    if value is None and type(None) in options:
        return None
    problems = []
    for option in options:
        try:
            return _fit_one(value, option, where)
        except ConfigError as error:
            problems.append(error)
    raise problems[0]


def _fit_one(value: Any, hint: Any, where: str) -> Any:
    origin = get_origin(hint)
    if hint is Any:
        return value
    if is_dataclass(hint) and isinstance(hint, type):
        return build(hint, value, where)
    if origin is Literal:
        if value not in get_args(hint):
            raise unknown(where, str(value), [str(choice) for choice in get_args(hint)])
        return value
    if origin is tuple:
        return _fit_tuple(value, get_args(hint), where)
    if origin in (dict, Mapping) and isinstance(value, Mapping):
        return dict(value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(hint, type) and isinstance(value, hint) and not (hint in (int, float) and isinstance(value, bool)):
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{where} must be a finite number, got {value}")
        return value
    wanted = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}.get(
        hint, "a table" if origin in (dict, Mapping) else str(hint)
    )
    raise ConfigError(f"{where} must be {wanted}, got {value!r}")


def _fit_tuple(value: Any, hints: tuple[Any, ...], where: str) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)):
        raise ConfigError(f"{where} must be a list, got {value!r}")
    if len(hints) == 2 and hints[1] is Ellipsis:
        hints = (hints[0],) * len(value)
    if len(hints) != len(value):
        raise ConfigError(f"{where} must be a list of {len(hints)} values, got {value!r}")
    return tuple(fit(each, hint, where) for each, hint in zip(value, hints, strict=True))
