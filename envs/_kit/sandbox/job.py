"""What a sandbox is asked and what it answers: limits, files, results, and how they travel as bytes."""

from __future__ import annotations

import json
import re
import stat
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from agentgym.core.errors import ConfigError
from agentgym.envs._kit.sandbox.packages import Packages

LENGTH = struct.Struct("<I")
LONGEST_HEAD = 4_000_000  # bytes of the head of an answer
FILE, FOLDER, LINK = "file", "folder", "link"
NAME = re.compile(r"[^/\0]{1,200}")
MOST_PARTS = 40
ENDS = ("exit", "signal", "time", "memory", "output", "lost")
PYTHON = "python"  # as the first word of a program: the sandbox's own interpreter, already running


class Broken(Exception):
    """What came out of a sandbox is no answer."""


@dataclass(frozen=True)
class Limits:
    """What a run may use.

    Attributes:
        seconds: Real time.
        cpu: Seconds of processor time of each process.
        memory: Bytes, of all processes and their files together.
        processes: At one time, threads included.
        file_bytes: Of the largest file.
        disk: Bytes of all files that are written.
        files: Files, folders and links that are handed back.
        output: Bytes of standard output and of standard error, each.
        open_files: Of each process.
        packages: Installed packages that programs of Python may import beside the standard library; None for none.
    """

    seconds: float = 20.0
    cpu: int = 4
    memory: int = 256 << 20
    processes: int = 16
    file_bytes: int = 16 << 20
    disk: int = 32 << 20
    files: int = 2_000
    output: int = 64 << 10
    open_files: int = 64
    packages: Packages | None = None


@dataclass(frozen=True)
class Entry:
    """A file, a folder or a symbolic link below the working folder of a run.

    Attributes:
        data: Content of a file, or where a link points to.
        kind: `file`, `folder` or `link`.
        mode: Permission bits of a file or a folder.
        changed: Time of its last change, in seconds as the system counts them; 0 for the moment of the run. What comes
            back has none.
    """

    data: bytes = b""
    kind: str = FILE
    mode: int = 0o644
    changed: int = 0


@dataclass(frozen=True)
class Job:
    """A run.

    Attributes:
        program: Its words. `python` in front stands for the interpreter that the sandbox has already started, which
            then plays the file named second.
        files: By path below the working folder, as bytes or as entries; folders come before what is in them.
        stdin: What it reads.
        limits: What it may use.
        collect: Whether the working folder comes back.
        functions: Names that a program of the sandbox's own interpreter finds defined; calls are answered outside.
    """

    program: Sequence[str]
    files: Mapping[str, bytes | Entry] = field(default_factory=dict)
    stdin: bytes = b""
    limits: Limits = field(default_factory=Limits)
    collect: bool = False
    functions: Sequence[str] = ()


@dataclass(frozen=True)
class Result:
    """What a run left.

    Attributes:
        backing: Which sandbox it ran in.
        ended: `exit`, `signal` (another one than those below), `time`, `memory`, `output` (more was written than may
            be), or `lost` (the sandbox itself is gone).
        code: Exit status, or the number of the signal.
        stdout, stderr: What was written, cut at the limit.
        files: The working folder, if it was asked for.
        cpu: Seconds of processor time.
        landlock: Version of Landlock that closed the sandbox besides; 0 where the kernel has none.
    """

    backing: str
    ended: str
    code: int = 0
    stdout: str = ""
    stderr: str = ""
    files: Mapping[str, Entry] = field(default_factory=dict)
    cpu: float = 0.0
    landlock: int = 0


def checked_path(path: str) -> str:
    """A path below the working folder, as it was given.

    Raises:
        ConfigError: if it is absolute, leads upwards, or is no plain name.
    """
    parts = path.split("/")
    if len(parts) > MOST_PARTS or not all(NAME.fullmatch(part) and part not in (".", "..") for part in parts):
        raise ConfigError(f"a file of a sandbox needs a relative path without . and .., got {path[:80]!r}")
    return path


def packed(job: Job) -> bytes:
    """A job as it is sent: the length of a JSON head, the head, and the contents of the files."""
    listed, contents = [], []
    for path, given in job.files.items():
        entry = given if isinstance(given, Entry) else Entry(given)
        listed.append([checked_path(path), entry.kind, entry.mode, len(entry.data), entry.changed])
        contents.append(entry.data)
    head = {
        "program": list(job.program), "stdin": len(job.stdin), "files": listed, "limits": asdict(job.limits),
        "collect": job.collect, "functions": list(job.functions),
    }  # fmt: skip
    said = json.dumps(head).encode()
    return b"".join([LENGTH.pack(len(said)), said, job.stdin, *contents])


def head_of(read: Callable[[int], bytes]) -> Any:
    """The head of an answer, or of a call on the way to it: JSON.

    Args:
        read: Gives so many bytes, or raises `Broken`.

    Raises:
        Broken: if it is none.
    """
    (size,) = LENGTH.unpack(read(LENGTH.size))
    if size > LONGEST_HEAD:
        raise Broken(f"a head of {size} bytes")
    try:
        return json.loads(read(size))
    except (ValueError, RecursionError) as error:
        raise Broken(str(error)) from error


def unpacked(backing: str, limits: Limits, head: Any, read: Callable[[int], bytes]) -> Result:
    """An answer, every part of which is doubted: a program may have forged it.

    Args:
        backing: Which sandbox answers.
        limits: Those of the run.
        head: Of the answer.
        read: As in `head_of`.

    Raises:
        Broken: if it is none.
    """
    try:
        ended, code, cpu = str(head["ended"]), int(head["code"]), float(head["cpu"])
        sizes = [_size(head["stdout"], limits.output), _size(head["stderr"], limits.output)]
        listed = list(_listed(head["files"], limits))
    except (ValueError, KeyError, TypeError, RecursionError, ConfigError, OverflowError) as error:
        raise Broken(str(error)) from error
    if ended not in ENDS:
        raise Broken(ended)
    stdout, stderr = (read(each).decode("utf8", "replace") for each in sizes)
    files = {path: Entry(read(size), kind, mode) for path, kind, mode, size in listed}
    return Result(backing, ended, code, stdout, stderr, files, cpu)


def _size(value: Any, most: int) -> int:
    if not isinstance(value, int) or not 0 <= value <= most:
        raise Broken(f"a size of {str(value)[:20]}, where at most {most} are expected")
    return value


def _listed(said: Any, limits: Limits) -> Iterator[tuple[str, str, int, int]]:
    """The entries of a head, checked."""
    total = 0
    if len(said) > limits.files:
        raise Broken(f"{len(said)} files")
    for path, kind, mode, size in said:
        if kind not in (FILE, FOLDER, LINK):
            raise Broken("a file of no kind")
        total += _size(size, limits.file_bytes)
        yield checked_path(path), kind, stat.S_IMODE(int(mode)), size
    _size(total, limits.disk)
