"""Homes: files of believable content, made from a seed."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from agentgym.core.rng import stream
from agentgym.envs._kit.sandbox import FILE, FOLDER, Entry
from agentgym.envs.code._shell.archived import put_archives, put_repository
from agentgym.envs.code._shell.contents import put_data, put_logs, put_notes, put_pictures, put_settings
from agentgym.envs.code._shell.machine import BEGINNING
from agentgym.envs.code._shell.programs import put_jobs, put_projects
from agentgym.envs.code._shell.repository import Repository

REMEMBERED = 64
OLDEST = 400 * 86_400  # seconds before the beginning


@dataclass
class Home:
    """A home, as it is made, looked at and changed by what works out a task.

    Attributes:
        files: By path; folders are listed too.
        repositories: By path of the checked-out folder.
        goals: What a repository should come to, by its path; only of those that a task changes.
        archives: What an archive should hold, by its path; only of those that a task makes.
    """

    files: dict[str, Entry] = field(default_factory=dict)
    repositories: dict[str, Repository] = field(default_factory=dict)
    goals: dict[str, dict[str, object]] = field(default_factory=dict)
    archives: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def copy(self) -> Home:
        """One that can be changed apart from this one."""
        return Home(dict(self.files), self.repositories, dict(self.goals), copy(self.archives))

    def put(self, path: str, data: bytes | str, mode: int = 0o644) -> None:
        """Write a file, with the folders above it.

        Args:
            path: Of the file.
            data: Its content.
            mode: Permission bits.
        """
        self.folder(path.rpartition("/")[0])
        self.files[path] = Entry(data.encode() if isinstance(data, str) else data, mode=mode)

    def folder(self, path: str) -> None:
        """Make a folder and those above it."""
        parts = path.split("/") if path else []
        for size in range(1, len(parts) + 1):
            self.files.setdefault("/".join(parts[:size]), Entry(b"", FOLDER, 0o755))

    def drop(self, path: str) -> None:
        """Take away a file, or a folder with what is in it."""
        gone = [name for name in self.files if name == path or name.startswith(f"{path}/")]
        self.files = {name: each for name, each in self.files.items() if name not in gone}

    def move(self, path: str, to: str) -> None:
        """Give a file another path.

        Args:
            path: Of the file.
            to: Its new one.
        """
        self.folder(to.rpartition("/")[0])
        self.files[to] = self.files.pop(path)

    def text(self, path: str) -> str:
        """What stands in a file."""
        return self.files[path].data.decode()

    def holds(self, path: str) -> bool:
        """Whether a file holds anything."""
        return bool(self.files[path].data)

    def lines(self, path: str) -> list[str]:
        """The lines of a file."""
        return self.text(path).splitlines()

    def rows(self, path: str) -> list[dict[str, str]]:
        """The rows of a table with a header, by column."""
        cut = "\t" if path.endswith(".tsv") else ","
        head, *rest = (line.split(cut) for line in self.lines(path))
        return [dict(zip(head, each, strict=True)) for each in rest]

    def under(self, folder: str = "", ending: str = "") -> list[str]:
        """Paths of the files in a folder and below, in order; nothing of `.git`.

        Args:
            folder: Its path; empty for the home.
            ending: Of the names that count.
        """
        start = f"{folder}/" if folder else ""
        found = [path for path, entry in self.files.items() if entry.kind == FILE and path.startswith(start)]
        return sorted(path for path in found if path.endswith(ending) and ".git/" not in path)

    def edit(self, path: str, data: bytes | str) -> None:
        """Change what stands in a file, and nothing else of it.

        Args:
            path: Of the file.
            data: Its new content.
        """
        content = data.encode() if isinstance(data, str) else data
        self.files[path] = Entry(content, mode=self.files[path].mode)


def _aged(home: Home, rng: np.random.Generator) -> Iterator[tuple[str, Entry]]:
    """Every entry with a time of its last change."""
    ages = rng.integers(1, OLDEST, size=len(home.files)).tolist()
    for (path, entry), age in zip(sorted(home.files.items()), ages, strict=True):
        yield path, Entry(entry.data, entry.kind, entry.mode, BEGINNING - age)


@lru_cache(REMEMBERED)
def make_home(seed: int) -> Home:
    """The home of a seed; shared, so it is copied before it is changed."""
    rng, home = stream("code.shell.home", seed), Home()
    for put in (
        put_logs, put_data, put_notes, put_pictures, put_settings, put_projects, put_jobs, put_archives, put_repository,
    ):  # fmt: skip
        put(home, rng)
    home.files = dict(_aged(home, rng))
    return home
