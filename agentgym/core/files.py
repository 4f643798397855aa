"""Files and folders that appear whole or not at all, and one line of complaint where they cannot be written or read.

Whatever ends the process, and at whatever moment, a name holds what was written there last or what it held before: the
content goes to a hidden name, is synchronised, and takes its own name by a rename, which the folder synchronises too.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import shutil
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from agentgym.core.errors import DataError
from agentgym.core.json_text import DEEPEST, read_json

MANIFEST = "manifest.json"
PARTIAL, REPLACED = ".partial", ".replaced"  # endings of the hidden names
LOCK, SETTINGS = "run.lock", "run.json"
OF_RUNS = (LOCK, SETTINGS)  # files that stand in the folder of a run
RECORDED = (".json", ".jsonl")  # endings of what is recorded there
LOG = logging.getLogger("agentgym")
"""What is found damaged and left out or mended is told here, a line each; by default that is standard error."""


def write_whole(path: str | Path, content: str | bytes) -> Path:
    """Write a file that takes its name when all of it is on disk.

    Args:
        path: The file; its folder is made if it is missing.
        content: A text is written in UTF-8.

    Returns:
        The path.

    Raises:
        DataError: if it cannot be written; what the name held before is still there.
    """
    path = Path(path)
    partial = None
    try:
        partial = hidden(path, PARTIAL)
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
        sync(path.parent)
    except OSError as error:
        if partial is not None:
            with suppress(OSError):
                partial.unlink()
        raise cannot_write(path, error) from error
    return path


def write_apart(path: str | Path, content: str | bytes) -> Path:
    """Write a file that somebody named; see `write_whole`. What a record is made of is not written over.

    Args:
        path: The file.
        content: A text is written in UTF-8.

    Raises:
        DataError: if it cannot be written, or if the name is of a file that a run has recorded.
    """
    path = Path(path)
    if path.suffix in RECORDED and path.exists() and any((path.parent / name).exists() for name in OF_RUNS):
        raise DataError(f"{path} is part of the record of {path.parent}, which stays as it is; give another file")
    return write_whole(path, content)


@contextmanager
def whole_folder(target: Path, about: Mapping[str, Any] | None = None) -> Iterator[Path]:
    """A folder to write files into, which takes its name when all of them are on disk, with a checksum of each.

    Args:
        target: The folder; one that is there is replaced.
        about: JSON-safe data that `check_whole` gives back.

    Yields:
        The folder under its hidden name.

    Raises:
        DataError: if something cannot be written; what the name held before is still there.
    """
    partial, replaced = hidden(target, PARTIAL), hidden(target, REPLACED)
    try:
        settle(target)
        partial.mkdir()
        yield partial
        inside = sorted(partial.rglob("*"))
        files = [each for each in inside if each.is_file()]
        sums = {file.relative_to(partial).as_posix(): _checksum(file) for file in files}
        for place in (*files, *(each for each in inside if each.is_dir())):
            sync(place)
        write_whole(partial / MANIFEST, json.dumps({**(about or {}), "files": sums}, indent=1))
        if target.exists():
            target.rename(replaced)
        partial.rename(target)
        sync(target.parent)
        remove(replaced)
    except BaseException as error:
        with suppress(OSError):
            settle(target)
        if isinstance(error, DataError) or not isinstance(error, Exception):
            raise
        raise cannot_write(target, error) from error  # on a full disk libraries raise errors of many kinds


def settle(target: Path) -> None:
    """Clean up after a `whole_folder` that was killed, or one that is done.

    If it was killed between its two renames, nothing has the name: then what was replaced takes it again.

    Args:
        target: The name; the hidden ones beside it are gone afterwards.
    """
    replaced = hidden(target, REPLACED)
    if replaced.exists() and not target.exists():
        replaced.rename(target)
        sync(target.parent)
    for leftover in (hidden(target, PARTIAL), replaced):
        remove(leftover)


def check_whole(folder: Path, *, without: Collection[str] = ()) -> dict[str, Any]:
    """Compare every file of a folder with the checksum that `whole_folder` wrote.

    Args:
        folder: The folder.
        without: Names of files that are not looked at.

    Returns:
        What was said about the folder.

    Raises:
        DataError: naming the first file that is missing or another.
    """
    about = read_object(folder / MANIFEST)
    sums = about.pop("files", None)
    if not isinstance(sums, dict):
        raise DataError(f"{folder / MANIFEST} is damaged")
    for name in sums.keys() - set(without):
        try:
            same = _checksum(folder / name) == sums[name]
        except OSError as error:
            raise DataError(f"{folder / name} cannot be read ({error.strerror})") from None
        if not same:
            raise DataError(f"{folder / name} is damaged")
    return about


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object that a file holds.

    Raises:
        DataError: if there is no such file, or it holds something else.
    """
    try:
        return parse_object(read_file(path))
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror})") from None
    except DataError as error:
        raise DataError(f"{path} is damaged: {error}") from None


def read_file(path: Path) -> bytes:
    """What a file holds; a pipe or a device in its place is not waited for.

    Raises:
        OSError: if it cannot be read, or is something else than a file.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL, "it is no file")
        with open(handle, "rb", closefd=False) as stream:
            return stream.read()
    finally:
        os.close(handle)


def parse_object(text: bytes | str) -> dict[str, Any]:
    """A JSON object.

    Raises:
        DataError: if the text is no JSON, too deeply nested to be read, or no object.
    """
    try:
        found = read_json(text, deepest=2 * DEEPEST)  # a record holds what was read elsewhere
    except ValueError as error:
        raise DataError(f"no JSON ({error})") from None
    if not isinstance(found, dict):
        raise DataError(f"no JSON object, but {type(found).__name__}")
    return found


def cannot_write(path: Path, error: BaseException) -> DataError:
    """The complaint about a place that cannot be written to.

    Args:
        path: The place.
        error: What came of it.
    """
    reason = (isinstance(error, OSError) and error.strerror) or f"{type(error).__name__}: {error}"
    advice = "what was written before is kept; make room or give another place, and start the same command again"
    return DataError(f"{path} could not be written ({reason}); {advice}")


def hidden(path: Path, ending: str) -> Path:
    """The name beside `path` under which something is written or put away.

    Args:
        path: A file or folder.
        ending: `PARTIAL` or `REPLACED`.

    Raises:
        OSError: if the path has no name of its own.
    """
    if not path.name:  # such as `.` and `/`
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return path.with_name(f".{path.name}{ending}")


def remove(path: Path) -> None:
    """Remove a file or a folder with all it holds, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _checksum(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
