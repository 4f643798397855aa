"""Checks of single keyword arguments of worlds: each returns the value to keep or raises `ConfigError`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.core.errors import ConfigError, unknown
from agentgym.core.text_model import TextModel

LONGEST = 2e6  # seconds, 23 days: `poll` counts milliseconds in 31 bits
LARGEST_MEMORY = 1e9  # MiB


def check_action(action: Any, player: str = "") -> str:
    """`action`, or a reply that holds one, if it is a string.

    Args:
        action: What was given.
        player: Who said it, where there are several.

    Raises:
        TypeError: if it is none.
    """
    if not isinstance(action, str):
        raise TypeError(f"an action is a string, got {type(action).__name__}{player and f' from {player}'}")
    return action


def check_limit(name: str, value: float, unit: str, most: float = LONGEST) -> None:
    """Refuse a limit that is not above 0, or larger than what keeps it can count.

    Args:
        name: What the limit is called.
        value: What was given.
        unit: Of the limit, such as `seconds`.
        most: The largest; that of clocks by default.

    Raises:
        ConfigError: if it is none.
    """
    if not _is_number(value) or not 0 < value <= most:
        raise ConfigError(f"{name} must be above 0 {unit} and at most {most:,.0f}, got {value!r}")


def check_count(name: str, value: Any, least: int = 1) -> int:
    """`value` as an int if it is a whole number, numpy's included, of at least `least`.

    Args:
        name: What the value is called.
        value: What was given.
        least: The least value.

    Raises:
        ConfigError: if it is not.
    """
    if not _is_whole(value) or value < least:
        raise ConfigError(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(value)


def check_whole(name: str, value: Any, low: int, high: int) -> int:
    """`value` as an int if it is a whole number, numpy's included, from `low` to `high`.

    Args:
        name: What the value is called.
        value: What was given.
        low, high: The least and the greatest value.

    Raises:
        ConfigError: if it is not.
    """
    if not _is_whole(value) or not low <= value <= high:
        raise ConfigError(f"{name} must be a whole number from {low} to {high}, got {value!r}")
    return int(value)


def keep_counts(settings: Any, **least: int) -> None:
    """Check fields of a frozen dataclass that are whole numbers, and keep them as ints.

    Args:
        settings: The object, while it is made; None is left in a field whose default it is.
        least: The least value, by the name of a field.

    Raises:
        ConfigError: naming the field that is none.
    """
    for name, low in least.items():
        value = getattr(settings, name)
        if value is not None or type(settings).__dataclass_fields__[name].default is not None:
            object.__setattr__(settings, name, check_count(name, value, low))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def check_share(name: str, value: Any, low: float, high: float) -> float:
    """`value` as a float if it is a number, numpy's included, from `low` to `high`.

    Args:
        name: What the value is called.
        value: What was given.
        low, high: The least and the greatest value.

    Raises:
        ConfigError: if it is not.
    """
    if not _is_number(value) or not low <= value <= high:
        raise ConfigError(f"{name} must be a share from {low:g} to {high:g}, got {value!r}")
    return float(value)


def check_switch(name: str, value: Any) -> bool:
    """`value` as a bool if it is True or False, numpy's included.

    Args:
        name: What the value is called.
        value: What was given.

    Raises:
        ConfigError: if it is not.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ConfigError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_one_of(name: str, value: Any, choices: Iterable[Any]) -> Any:
    """`value` if it is among the choices.

    Args:
        name: What the value is called.
        value: What was given.
        choices: The values that would do.

    Raises:
        ConfigError: if it is not.
    """
    known = list(choices)
    if isinstance(value, bool) or value not in known:
        raise ConfigError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")
    return value


def check_chosen(name: str, value: Any, known: Sequence[str], what: str) -> tuple[str, ...]:
    """`value` as a tuple if it is a list of known names: in their order and without repetition.

    Args:
        name: What the value is called, which is what is chosen, such as `sites`.
        value: What was given.
        known: The names that would do.
        what: What each of them is of, such as `site of WebSuite`.

    Raises:
        ConfigError: if it is no list, or an empty one.
        UnknownName: for a name that is none of them, with the nearest that is.
    """
    if isinstance(value, str) or not isinstance(value, Sequence) or not value:
        raise ConfigError(f"{name} is a list of {name}, from {', '.join(known)}, got {value!r}")
    for each in value:
        if each not in known:
            raise unknown(what, str(each), known)
    return tuple(each for each in known if each in value)


def check_model(name: str, value: Any) -> TextModel:
    """`value` if it is a text model.

    Args:
        name: What the value is called.
        value: What was given.

    Raises:
        ConfigError: if it is not.
    """
    if not hasattr(value, "complete"):
        raise ConfigError(f"{name} must be a text model with complete(messages), or None, got {value!r}")
    model: TextModel = value
    return model


def check_mapping(name: str, value: Any, values: type | tuple[type, ...], example: str) -> None:
    """Refuse what is no mapping from texts to values of one kind.

    Args:
        name: What the value is called.
        value: What was given.
        values: The type of the values, or several that would do.
        example: A value that would do, as it is written.

    Raises:
        ConfigError: if it is none.
    """
    if not isinstance(value, Mapping) or not all(
        isinstance(key, str) and isinstance(each, values) for key, each in value.items()
    ):
        raise ConfigError(f"{name} must be a mapping such as {example}, got {value!r}")


def check_callable(name: str, value: Any, kind: str) -> Callable[..., Any]:
    """`value` if it can be called.

    Args:
        name: What the value is called.
        value: What was given.
        kind: What is expected, such as `a function of a text`.

    Raises:
        ConfigError: if it cannot.
    """
    if not callable(value):
        raise ConfigError(f"{name} must be {kind}, got {value!r}")
    found: Callable[..., Any] = value
    return found


def check_path(name: str, value: Any, kind: str) -> Path:
    """`value` as a `Path` if it is one or a text; nothing need be there.

    Args:
        name: What the value is called.
        value: What was given.
        kind: What the path is of, such as `a folder`.

    Raises:
        ConfigError: if it is no path.
    """
    if not isinstance(value, (str, os.PathLike)):
        raise ConfigError(f"{name} must be the path of {kind}, got {value!r}")
    return Path(value)
