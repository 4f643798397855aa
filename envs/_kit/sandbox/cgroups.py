"""Groups of the kernel that bound the memory and the processes of a sandbox, where this process may make them."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT, PREFIX = Path("/sys/fs/cgroup"), "agentgym"
KEPT = 16  # groups that are empty and wait for another sandbox
LIMITS = {  # controller: files in which its limit stands, in version 1 and in version 2
    "memory": ("memory.limit_in_bytes", "memory.max"),
    "pids": ("pids.max", "pids.max"),
}
_numbers = itertools.count()


@cache
def sweep(process: int) -> None:
    """Take away groups that processes which are gone have left, once in a process."""
    for _, parent, _ in _parents():
        for place in parent.glob(f"{PREFIX}-*"):
            if not Path("/proc", place.name.split("-")[1]).exists():
                with contextlib.suppress(OSError):
                    place.rmdir()


class Group:
    """A group with limits; without effect where none can be made.

    Args:
        number: Of the sandbox, in this process.
        memory: Bytes.
        processes: Threads included.
    """

    def __init__(self, number: int, memory: int, processes: int) -> None:
        self.places: list[Path] = []
        self.memory, self.processes = memory, processes
        name = f"{PREFIX}-{os.getpid()}-{number}"
        sweep(os.getpid())
        for controller, parent, version in _parents():
            place = parent / name
            file = place / LIMITS[controller][version]
            with contextlib.suppress(OSError):
                place.mkdir(exist_ok=True)
                if file.exists():
                    file.write_text(str(memory if controller == "memory" else processes), encoding="ascii")
                    self.places.append(place)

    def __bool__(self) -> bool:
        return bool(self.places)

    def take(self, processes: Iterable[int]) -> None:
        """Put processes in; one that has ended is passed over."""
        for number in processes:
            for place in dict.fromkeys(self.places):
                with contextlib.suppress(ProcessLookupError):
                    (place / "cgroup.procs").write_text(str(number), encoding="ascii")

    def remove(self) -> None:
        """Take the group away once its processes have ended."""
        for place in dict.fromkeys(self.places):
            with contextlib.suppress(OSError):
                place.rmdir()


class Groups:
    """Groups; an empty one is used again by a sandbox with the same limits, for making one takes long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._empty: dict[tuple[int, int], list[Group]] = {}

    def take(self, memory: int, processes: int) -> Group:
        """A group without processes.

        Args:
            memory: Bytes.
            processes: Threads included.
        """
        with self._lock:
            empty = self._empty.get((memory, processes))
            return empty.pop() if empty else Group(next(_numbers), memory, processes)

    def give_back(self, group: Group) -> None:
        """Take back a group whose processes have ended.

        Args:
            group: As `take` gave it.
        """
        with self._lock:
            empty = self._empty.setdefault((group.memory, group.processes), [])
            if len(empty) < KEPT:
                empty.append(group)
                return
        group.remove()

    def close(self) -> None:
        """Take away those that are empty."""
        with self._lock:
            for group in itertools.chain.from_iterable(self._empty.values()):
                group.remove()
            self._empty = {}


def _parents() -> list[tuple[str, Path, int]]:
    """Where groups can be made: controller, folder and version."""
    found = [(name, ROOT / name, 0) for name in LIMITS if os.access(ROOT / name / "cgroup.procs", os.W_OK)]
    if not found and (ROOT / "cgroup.controllers").exists():
        with open("/proc/self/cgroup", encoding="ascii") as file:
            own = next((line.split("::", 1)[1].strip() for line in file if line.startswith("0::")), "/")
        parent = ROOT / own.lstrip("/")
        if os.access(parent, os.W_OK):
            given = (parent / "cgroup.subtree_control").read_text(encoding="ascii").split()
            found = [(name, parent, 1) for name in LIMITS if name in given]
    return found
