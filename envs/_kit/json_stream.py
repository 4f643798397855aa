"""Reads large JSON files piece by piece: a list of several gigabytes needs the memory of a few of its elements."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from agentgym.core.errors import DataError

CHUNK = 1 << 22  # characters read at a time
LONGEST_VALUE = 1 << 26  # characters of one element; more means that the file is damaged
_SPACE = re.compile(r"[ \t\r\n]*")


class _Text:
    """A window over the text of a file, with the reading position `place`."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._decode = json.JSONDecoder().raw_decode
        self._window = ""
        self._place = 0

    def _grow(self) -> bool:
        """Read on; False at the end of the file."""
        if len(self._window) - self._place > LONGEST_VALUE:
            raise ValueError(f"no end of a value within {LONGEST_VALUE} characters")
        more = self._file.read(CHUNK)
        if more:
            self._window = self._window[self._place :] + more
            self._place = 0
        return bool(more)

    def peek(self) -> str:
        """The next character that is no space, not consumed; empty at the end of the file."""
        while True:
            match = _SPACE.match(self._window, self._place)
            assert match is not None  # the pattern matches the empty string
            self._place = match.end()
            if self._place < len(self._window):
                return self._window[self._place]
            if not self._grow():
                return ""

    def expect(self, allowed: str) -> str:
        """Consume the next character, which must be one of `allowed`."""
        found = self.peek()
        if not found or found not in allowed:
            raise ValueError(f"expected {' or '.join(map(repr, allowed))}, found {repr(found) if found else 'the end'}")
        self._place += 1
        return found

    def value(self) -> Any:
        """Consume one JSON value."""
        self.peek()
        while True:
            try:
                value, end = self._decode(self._window, self._place)
            except ValueError:
                if not self._grow():  # the value is really wrong, not just cut by the window
                    raise
            else:
                # A number can go on beyond the edge of the window, as in 12 and .5 or 1e and 9.
                cut = end == len(self._window) or self._window[end] in ".eE"
                if not cut or not self._grow():
                    self._place = end
                    return value
        raise AssertionError


def _elements(text: _Text, brackets: str) -> Iterator[tuple[str | None, Any]]:
    """The elements of a list, or the keys and values of an object, as `brackets` says."""
    text.expect(brackets[0])
    if text.peek() == brackets[1]:
        text.expect(brackets[1])
    else:
        separator = ","
        while separator == ",":
            key = None
            if brackets == "{}":
                key = text.value()
                if not isinstance(key, str):
                    raise ValueError(f"expected a name in quotes, found {key!r}")
                text.expect(":")
            yield key, text.value()
            separator = text.expect("," + brackets[1])
    if text.peek():
        raise ValueError("there is more text after its end")


def _stream(path: Path, what: str, brackets: str) -> Iterator[tuple[str | None, Any]]:
    number = 0
    advice = "check that the file is complete and the right one, and fetch it again if it is not"
    kind = "list" if brackets == "[]" else "object"
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, element in enumerate(_elements(_Text(file), brackets), start=1):  # noqa: B007 (for messages)
                yield element
    except FileNotFoundError:
        raise DataError(f"{path} does not exist; expected the file of {what}, a JSON {kind}; give its path") from None
    except (OSError, ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise DataError(f"{path} is no JSON {kind} of {what}: after {number} good ones, {reason}; {advice}") from None


def stream_list(path: Path, what: str) -> Iterator[Any]:
    """The elements of a file that holds one JSON list, in order.

    Args:
        path: The file, UTF-8.
        what: What it holds, for messages, such as "products".

    Raises:
        DataError: while iterating, if the file is missing, unreadable, cut short or of another form.
    """
    return (value for _, value in _stream(path, what, "[]"))


def stream_object(path: Path, what: str) -> Iterator[tuple[str, Any]]:
    """The names and values of a file that holds one JSON object, in order; like `stream_list` otherwise."""
    return ((str(name), value) for name, value in _stream(path, what, "{}"))
