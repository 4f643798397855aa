"""Reads large JSON files piece by piece: a list of several gigabytes needs the memory of a few of its elements."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from agentgym.core.errors import DataError, require

CHUNK = 1 << 14  # bytes read at a time
LONGEST_VALUE = 1 << 26  # bytes of one element; more means that the file is damaged
DEEPEST_VALUE = 1_000  # open brackets, those in texts included; memory grows with the square of how deep values nest
SPACE = b" \t\r\n"


class _Source:
    """A file as ijson reads it, which gives up on a value that is too long or too deep to be meant.

    Args:
        file: At its beginning.
        bracket: What its JSON must begin with.

    Raises:
        ValueError: It begins with something else.
    """

    def __init__(self, file: BinaryIO, bracket: str) -> None:
        head = file.read(1 << 16)
        begun = head.removeprefix(codecs.BOM_UTF8).lstrip(SPACE)
        if not begun.startswith(bracket.encode()):
            found = repr(begun[:1].decode("latin-1")) if begun else "the end"
            raise ValueError(f"expected {bracket!r}, found {found}")
        file.seek(len(head) - len(begun))
        self._file = file
        self.next_value()

    def next_value(self) -> None:
        """A value has been read to its end."""
        self._length = self._depth = 0

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; none at the end of the file."""
        chunk = self._file.read(size)
        self._length += len(chunk)
        self._depth += sum(map(chunk.count, (b"[", b"{"))) - sum(map(chunk.count, (b"]", b"}")))
        if self._length > LONGEST_VALUE + size:
            raise ValueError(f"no end of a value within {LONGEST_VALUE} bytes")
        if self._depth > DEEPEST_VALUE:
            raise ValueError(f"more than {DEEPEST_VALUE} brackets are open")
        return chunk


def _stream(path: Path, what: str, brackets: str) -> Iterator[Any]:
    """The elements of a list, or the names and values of an object, as `brackets` says."""
    ijson = require("ijson", extra="web", purpose="reading large JSON files")
    number = 0
    advice = "check that the file is complete and the right one, and fetch it again if it is not"
    kind = "list" if brackets == "[]" else "object"
    try:
        with path.open("rb") as file:
            source = _Source(file, brackets[0])
            how = {"use_float": True, "buf_size": CHUNK}
            found = ijson.items(source, "item", **how) if kind == "list" else ijson.kvitems(source, "", **how)
            for number, element in enumerate(found, start=1):  # noqa: B007 (for messages)
                source.next_value()
                yield element
    except FileNotFoundError:
        raise DataError(f"{path} does not exist; expected the file of {what}, a JSON {kind}; give its path") from None
    except (OSError, ValueError, ijson.JSONError) as error:
        raise DataError(
            f"{path} is no JSON {kind} of {what}: after {number} good ones, {_reason(error)}; {advice}"
        ) from None


def _reason(error: Exception) -> str:
    """The first line of what ijson says, which is text or bytes and shows the place on further lines."""
    said = error.args[0] if error.args else ""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(error)
    return text.partition("\n")[0].strip()


def stream_list(path: Path, what: str) -> Iterator[Any]:
    """The elements of a file that holds one JSON list, in order.

    Integers must fit into 64 bits, numbers with a fraction or an exponent into a float.

    Args:
        path: The file, UTF-8.
        what: What it holds, for messages, such as "products".

    Raises:
        DataError: while iterating, if the file is missing, unreadable, cut short or of another form.
        MissingExtra: while iterating, if ijson is not installed.
    """
    return _stream(path, what, "[]")


def stream_object(path: Path, what: str) -> Iterator[tuple[str, Any]]:
    """The names and values of a file that holds one JSON object, in order; `path` and `what` as for `stream_list`."""
    return _stream(path, what, "{}")
