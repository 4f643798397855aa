"""JSON lines, of which a kill can damage the last one and nothing else."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from agentgym.core.errors import DataError
from agentgym.core.files import LOG, cannot_write, parse_object, read_file, sync

T = TypeVar("T")


def read_lines(path: str | Path, parse: Callable[[bytes], T] | None = None) -> list[T]:
    """The records of a JSON-lines file; a damaged last line is left out, and that is told.

    Args:
        path: The file.
        parse: Makes a record of a line, or raises `DataError`; None takes any JSON object as it is.

    Raises:
        DataError: if the file cannot be read, or another line is damaged.
    """
    path = Path(path)
    try:
        content = read_file(path)
    except FileNotFoundError:
        raise DataError(f"there is no file {path}; the run has not recorded anything yet") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror})") from None
    whole = whole_length(content) or content.rfind(b"\n") + 1  # where the only line is damaged, it is no such file
    if whole < len(content):
        LOG.warning("%s: the last line is damaged and left out", path)
    records: list[Any] = []
    for number, line in enumerate(content[:whole].split(b"\n")[:-1], 1):
        try:
            records.append((parse or parse_object)(line))
        except DataError as error:
            raise DataError(f"{path}, line {number}: {error}; mend or remove the line") from None
    return records


def whole_length(content: bytes | mmap.mmap) -> int:
    """Bytes up to the end of the last whole line: one that has its line end and is a JSON object."""
    end = content.rfind(b"\n") + 1
    begin = content.rfind(b"\n", 0, max(0, end - 1)) + 1
    try:
        if end:
            parse_object(content[begin:end])
    except DataError:
        return begin
    return end


def mend(path: Path) -> None:
    """Cut a damaged last line off a file, and tell so."""
    if not path.stat().st_size:
        return
    with path.open("r+b") as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            size, whole = len(content), whole_length(content)
        if whole < size:
            LOG.warning("%s: the last line is damaged; its %d bytes are cut off", path, size - whole)
            file.truncate(whole)


def append_lines(path: Path, lines: bytes) -> None:
    """Add lines to a file; they are on disk when this returns, or none of them is.

    Args:
        path: The file; made if it is missing.
        lines: JSON objects, each with its line end.

    Raises:
        DataError: if they cannot be written, such as on a full disk.
    """
    try:
        new = not path.exists()
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            before = os.fstat(handle).st_size
            try:
                _write_all(handle, lines)
            except BaseException as error:  # an interrupt leaves all of the lines or none
                if isinstance(error, OSError) or os.fstat(handle).st_size < before + len(lines):
                    os.ftruncate(handle, before)
                raise
        finally:
            os.close(handle)
        if new:
            sync(path.parent)
    except OSError as error:
        raise cannot_write(path, error) from error


def _write_all(handle: int, content: bytes) -> None:
    """Write and synchronise; on a full disk the first part may be written before the rest is refused."""
    written = 0
    while written < len(content):
        written += os.write(handle, content[written:])
    os.fsync(handle)
