"""Reads the JSON and the TOML of others, and finds JSON in a model's text, in time linear in its length.

Python's readers and writers of JSON, and whatever walks through data, give up with a RecursionError at a depth that
depends on who called them. So text that comes from elsewhere is read here, where what nests too deeply is no JSON.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from typing import Any

DEEPEST = 100  # levels
NESTS = (dict, list, tuple)

TOKEN = re.compile(
    r"""[ \t\n\r]*(?:
      (?P<string>"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+")
    | (?P<scalar>true|false|null|NaN|-?Infinity|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)
    | (?P<sign>[{}\[\],:])
    )""",
    re.VERBOSE,
)
KEY = re.compile(r'[ \t\n\r]*"')  # what follows the bracket of an object, were it no JSON further on
CLOSING = {"{": "}", "[": "]"}
# What may come next: after a sign, or after a value, inside an object or a list.
BEGINS = {"{": {"string", "}"}, "[": {"string", "scalar", "{", "[", "]"}}
VALUE = {"string", "scalar", "{", "["}


def read_json(text: str | bytes, *, deepest: int = DEEPEST, finite: bool = False) -> Any:
    """The value that a text of JSON holds, as `json.loads` reads it.

    Args:
        text: What was written elsewhere.
        deepest: Levels of objects and lists that it may have.
        finite: Whether NaN, the infinities and numbers too large for a float are refused.

    Raises:
        ValueError: if it is no JSON, has more levels, or a number that is refused.
    """
    try:
        found = json.loads(text, parse_constant=_no_number, parse_float=_number) if finite else json.loads(text)
    except RecursionError:
        found = None
    else:
        if not nests_deeper(found, deepest):
            return found
    raise ValueError(f"nested more than {deepest} levels deep")


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text[:20]} is no number that can be kept")
    return value


def read_toml(text: str) -> dict[str, Any]:
    """The table that a text of TOML holds.

    Args:
        text: What was written elsewhere.

    Raises:
        ValueError: if it is no TOML, or nested too deeply for Python's reader.
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def nests_deeper(value: Any, deepest: int = DEEPEST) -> bool:
    """Whether plain data has more than so many levels of tables and lists; they are counted one after the other.

    Args:
        value: The data.
        deepest: How many it may have.
    """
    level = [value] if isinstance(value, NESTS) else []
    for _ in range(deepest):
        if not level:
            return False
        parts = (each.values() if isinstance(each, dict) else each for each in level)
        level = [part for each in parts for part in each if isinstance(part, NESTS)]
    return bool(level)


def last_value(text: str, kind: str = "{") -> Any:
    """The last JSON object, or list, that is not inside another and that Python can read; None if there is none.

    Where a value turns out to be no JSON, what is complete inside it counts, and the search goes on where it broke off.

    Args:
        text: Any text.
        kind: `{` for an object, `[` for a list.
    """
    found: tuple[int, int] | None = None
    place = 0
    while (place := text.find(kind, place)) >= 0:
        complete, place = _walk(text, place, kind)
        found = complete or found
    if found is None:
        return None
    try:
        return read_json(text[found[0] : found[1]])
    except ValueError:  # a number of thousands of digits, or too many levels
        return None


def last_object(text: str) -> str:
    """The last JSON object of a text that is not inside another, as it stands; "" if there is none.

    Unlike `last_value` it takes nothing out of a value that breaks off, and nothing that such a value follows: what was
    said last is what was meant, and here it is no JSON.

    Args:
        text: Any text.
    """
    found, place = "", 0
    while (place := text.find("{", place)) >= 0:
        begin = place
        complete, place = _walk(text, begin, "{")
        if complete is not None and complete[0] == begin:
            found = text[slice(*complete)]
        elif complete is not None or KEY.match(text, begin + 1):
            found = ""
    return found


def _walk(text: str, begin: int, kind: str) -> tuple[tuple[int, int] | None, int]:
    """Read one value as far as it is JSON.

    Args:
        text: The text.
        begin: Where a bracket opens the value.
        kind: The bracket that opens what is looked for.

    Returns:
        Begin and end of what was closed last, if anything was, and where to look on. That is where the value ends or
        breaks off; a string before that place may have been none, so it is looked into.
    """
    opened: list[tuple[str, int]] = []
    complete: tuple[int, int] | None = None
    wanted, place, string = {text[begin]}, begin, -1
    while (match := TOKEN.match(text, place)) is not None:
        said = match["sign"] or str(match.lastgroup)
        if said not in wanted:
            break
        place, string = match.end(), match.start(said) if said == "string" else -1
        if said in CLOSING:
            opened.append((said, place - 1))
            wanted = BEGINS[said]
            continue
        holder, start = opened[-1]
        if said == ":":
            wanted = VALUE
        elif said == ",":
            wanted = {"string"} if holder == "{" else VALUE
        elif said == CLOSING[holder]:
            opened.pop()
            if holder == kind:
                complete = (start, place)
            if not opened:
                return complete, place
            wanted = {",", CLOSING[opened[-1][0]]}
        elif holder == "{" and wanted is not VALUE:
            wanted = {":"}
        else:
            wanted = {",", CLOSING[holder]}
    return complete, string + 1 if string >= 0 else place
