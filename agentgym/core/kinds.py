"""Whether a stored record is of the kind that its reader expects, said in one line that names what is not.

A record is read by whoever finds the file: it may be of another command, of another version, or edited by hand. Its
kind is a dataclass, all of whose fields it must have and no others, or a `TypedDict`, which may have others besides.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from agentgym.core.errors import DataError
from agentgym.core.grammar import shorten

LARGEST = 2**63  # beyond which a whole number is none that anybody wrote down
WIDEST = 1e100  # beyond which a number is none that can be added and squared; no NaN and no infinity either
SHOWN = 40  # characters of a value that does not fit
PLAIN = {str: "a text", bool: "true or false", int: "a whole number", float: "a number", type(None): "null"}


def check_kind(record: Any, kind: Any, what: str) -> None:
    """Refuse a record that is of another kind.

    Args:
        record: As it was read from JSON.
        kind: What it should be: a dataclass, a `TypedDict`, or the type of a part of one.
        what: What it should be, in words.

    Raises:
        DataError: if it is not.
    """
    wrong = misfit(record, kind)
    if wrong:
        raise DataError(f"no {what}: {wrong}")


def misfit(value: Any, kind: Any) -> str:
    """What is wrong with a value, in words; "" if it is of a kind.

    Args:
        value: As it was read from JSON.
        kind: See `check_kind`.
    """
    if kind is Any or kind is object:
        return ""
    if kind in PLAIN:
        return "" if _is_plain(value, kind) else _not(value, PLAIN[kind])
    if is_dataclass(kind) or is_typeddict(kind):
        return _misfit_table(value, kind)
    origin, parts = get_origin(kind) or kind, get_args(kind)
    if origin is Literal:
        return "" if value in parts else _not(value, f"one of {', '.join(map(repr, parts))}")
    if origin in (Union, types.UnionType):
        wrongs = [misfit(value, part) for part in parts]
        return "" if "" in wrongs else wrongs[0]
    if origin in (dict, Mapping):
        return _misfit_mapping(value, parts[1] if parts else Any)
    if origin is tuple and parts and parts[-1] is not ...:
        return _misfit_places(value, parts)
    if origin in (list, tuple, Sequence):
        return _misfit_list(value, parts[0] if parts else Any)
    raise TypeError(f"{kind!r} is no kind of a stored record")


def _is_plain(value: Any, kind: Any) -> bool:
    if kind in (int, float):
        if type(value) is int:
            return -LARGEST <= value < LARGEST
        return kind is float and type(value) is float and -WIDEST <= value <= WIDEST
    return type(value) is kind


def _misfit_table(value: Any, kind: Any) -> str:
    if not isinstance(value, dict):
        return _not(value, "an object")
    hints, needed = _shape(kind)
    missing = sorted(needed - value.keys())
    if missing:
        return f"it has no {missing[0]!r}"
    unknown = sorted(value.keys() - hints.keys()) if is_dataclass(kind) else ()
    if unknown:
        return f"it has an entry {shorten(repr(unknown[0]), SHOWN)}, which is unknown"
    held = [name for name in hints if name in value]
    return next((f"{name!r} {wrong}" for name in held if (wrong := misfit(value[name], hints[name]))), "")


def _misfit_mapping(value: Any, kind: Any) -> str:
    if not isinstance(value, dict):
        return _not(value, "an object")
    if kind is Any:
        return ""
    return next((f"at {shorten(repr(key), SHOWN)} {wrong}" for key in value if (wrong := misfit(value[key], kind))), "")


def _misfit_list(value: Any, kind: Any) -> str:
    if not isinstance(value, list | tuple):
        return _not(value, "a list")
    if kind is Any:
        return ""
    return next((f"at place {place} {wrong}" for place, each in enumerate(value) if (wrong := misfit(each, kind))), "")


def _misfit_places(value: Any, kinds: Sequence[Any]) -> str:
    if not isinstance(value, list | tuple) or len(value) != len(kinds):
        return _not(value, f"a list of {len(kinds)}")
    wrongs = enumerate(map(misfit, value, kinds))
    return next((f"at place {place} {wrong}" for place, wrong in wrongs if wrong), "")


def _not(value: Any, expected: str) -> str:
    try:
        shown = repr(value)
    except (ValueError, RecursionError):  # a number of too many digits, or nested too deeply
        shown = type(value).__name__
    return f"should be {expected}, not {shorten(shown, SHOWN)}"


@cache
def _shape(kind: Any) -> tuple[Mapping[str, Any], frozenset[str]]:
    """The kinds of a table's entries, and which must be there."""
    if is_typeddict(kind):
        return get_type_hints(kind), kind.__required_keys__
    needed = {each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING}
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}, frozenset(needed)
