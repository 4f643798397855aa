"""Makes an attempt on a backing, and says whether it was held."""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _pytest.outcomes import Skipped

from agentgym.envs._kit.sandbox import Entry, Job, Limits, Result, Sandbox
from tests.envs.boxes import BACKINGS, backing
from tests.envs.escapes import reaching, using

SECRET, MARK = "a secret of this machine", "ESCAPED"
LIMITS = Limits(seconds=8.0, cpu=3, memory=192 << 20, processes=12, disk=24 << 20, file_bytes=8 << 20, files=300)
CALLED = """
import json, sys
try:
    found = {name}(json.load(sys.stdin))
    if found:
        print({mark!r}, str(found)[:200])
except Exception as error:
    print("refused:", type(error).__name__, error)
"""

Verdict = Callable[["Place", Result], str]


def attempts() -> dict[str, Callable[..., Any]]:
    """Every attempt by name."""
    found = {}
    for module in (reaching, using):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__:
                found[name] = function
    return found


@dataclass
class Place:
    """What an attack is after: a file, sockets and a process of the machine outside."""

    folder: Path
    host: dict[str, Any]

    @property
    def canary(self) -> Path:
        """A file with the secret."""
        return self.folder / "canary.txt"


@contextlib.contextmanager
def prey() -> Iterator[Place]:
    """A folder with a secret, and sockets that tell it to whoever connects."""
    with tempfile.TemporaryDirectory(prefix="prey-") as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "canary.txt").write_text(SECRET, encoding="utf8")
        (folder / "canary.txt").chmod(0o666)
        abstract = f"agentgym-{os.getpid()}-{folder.name}"
        doors = [socket.socket(), socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)]
        for door, address in zip(doors, (("127.0.0.1", 0), str(folder / "door"), f"\0{abstract}"), strict=True):
            stack.enter_context(door)
            door.bind(address)
            door.listen()
            threading.Thread(target=tell, args=(door,), daemon=True).start()
        host = {
            "canary": str(folder / "canary.txt"), "trap": str(folder / "trap"), "socket": str(folder / "door"),
            "abstract": abstract, "port": doors[0].getsockname()[1], "pid": os.getpid(), "group": os.getpgrp(),
            "checkout": str(Path(__file__).parents[3]), "processes": LIMITS.processes, "memory": LIMITS.memory,
            "disk": LIMITS.disk, "file_bytes": LIMITS.file_bytes, "files": LIMITS.files,
        }  # fmt: skip
        yield Place(folder, host)
        for door in doors:
            with contextlib.suppress(OSError):
                door.shutdown(socket.SHUT_RDWR)


def tell(door: socket.socket) -> None:
    """Tell the secret to whoever connects, until the door is closed."""
    with contextlib.suppress(OSError):
        while True:
            guest, _ = door.accept()
            guest.sendall(SECRET.encode())
            guest.close()


def written(name: str) -> bytes:
    """The program of an attempt."""
    source = inspect.getsource(attempts()[name])
    return (source + CALLED.format(name=name, mark=MARK)).encode()


def job(name: str, place: Place) -> Job:
    """The run of an attempt."""
    said = json.dumps(place.host).encode()
    return Job(("python", "attempt.py"), {"attempt.py": written(name)}, said, LIMITS, collect=True)


def judged(place: Place, result: Result) -> str:
    """How an attempt got out; empty if it was held."""
    if MARK in result.stdout:
        return result.stdout.partition(MARK)[2].strip()[:120] or "it says so"
    if SECRET in result.stdout or any(SECRET.encode() in entry.data for entry in result.files.values()):
        return "the secret came back"
    if place.canary.read_text(encoding="utf8") != SECRET or {*os.listdir(place.folder)} != {"canary.txt", "door"}:
        return "something outside was changed"
    if result.ended == "lost":
        return "the keeper was ended"
    if max(len(result.stdout), len(result.stderr)) > LIMITS.output or result.code == 77:
        return "the answer is not the keeper's"
    return misplaced(result.files)


def misplaced(files: Any) -> str:
    """What is wrong with files that came back."""
    if len(files) > LIMITS.files or sum(len(entry.data) for entry in files.values()) > LIMITS.disk:
        return "more files came back than may"
    for path, entry in files.items():
        if not isinstance(entry, Entry) or not path.isprintable() or path.startswith("/") or ".." in path.split("/"):
            return f"a file came back as {path!r}"
    return ""


def living(name: str) -> list[str]:
    """Processes of the sandbox that are still there, by their command lines."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                if name.encode() in (folder / "cmdline").read_bytes():
                    found.append(folder.name)
    return found


def attempt(sandbox: Sandbox, name: str) -> tuple[str, Result]:
    """Make an attempt: how it got out, empty if it was held; and the run."""
    with prey() as place:
        result = sandbox.run(job(name, place))
        return judged(place, result), result


def each_attempt(kinds: Sequence[str] = BACKINGS) -> Iterator[tuple[str, str, str, str]]:
    """Make every attempt on every backing that is there.

    Args:
        kinds: Names of the backings.

    Yields:
        The backing, the attempt, how it got out or "", and how its run ended; of a backing that is not there once,
        with the reason in place of an attempt's end and no attempt.
    """
    for kind in kinds:
        try:
            sandbox = Sandbox(backing(kind), LIMITS)
        except Skipped as reason:
            yield kind, "", "", str(reason)
            continue
        with contextlib.closing(sandbox):
            for name in attempts():
                out, result = attempt(sandbox, name)
                yield kind, name, out, result.ended
