"""All tasks, one of them by name and seed, and whether a home is what a task asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from agentgym.core.rng import stream
from agentgym.core.snapshot import json_key
from agentgym.envs._kit.sandbox import FOLDER, LINK, Entry
from agentgym.envs._kit.tools import Unfit
from agentgym.envs._kit.tools.questions import TRIES, presentable
from agentgym.envs.code._shell import (  # each puts its tasks into the book
    archives,
    files,
    git,
    processes,
    settings,
    tables,
    texts,
)
from agentgym.envs.code._shell.book import BOOK, Kind, kind_of
from agentgym.envs.code._shell.home import Home, make_home
from agentgym.envs.code._shell.repository import described
from agentgym.envs.code._shell.stored import members, unzipped

TOPICS = (texts, tables, files, settings, archives, git, processes)
REMEMBERED = 512


@dataclass(frozen=True, eq=False)
class Posed:
    """A task worked out: shared by all episodes of it, never changed.

    Attributes:
        kind, arguments: What is asked.
        begin: The home at the start.
        answer: What is to be said; None for a change.
        after: The home as it should be at the end.
    """

    kind: Kind
    arguments: Mapping[str, Any]
    begin: Home
    answer: Any
    after: Home


@lru_cache(REMEMBERED)
def pose(name: str, seed: int) -> Posed | None:
    """A task; None if there is no such kind, or the home has nothing for it.

    Args:
        name: Of the kind.
        seed: Of the home and the arguments.
    """
    kind = kind_of(name)
    if kind is None:
        return None
    begin, rng = make_home(seed), stream("code.shell.arguments", seed, name)
    for _ in range(TRIES):
        arguments = BOOK.draw(kind, rng, begin)
        if arguments is None:
            continue
        after = begin.copy()
        try:
            answer = kind.program(after, **arguments)
        except Unfit:
            continue
        changed = bool(after.goals or after.archives) or _plain(after.files) != _plain(begin.files)
        if presentable(kind.answer, answer) and changed == (kind.answer == "state"):
            return Posed(kind, arguments, begin, answer, after)
    return None


def read(instruction: str) -> tuple[Kind, dict[str, Any]] | None:
    """A task as its words say it: the kind and the arguments; None if it is none of the book's."""
    found = BOOK.read(instruction)
    kind = kind_of(found[0][0].name) if found else None
    return None if kind is None else (kind, found[0][1])


def _plain(entries: Mapping[str, Entry]) -> dict[str, tuple[bytes, str, int]]:
    """What counts of files: content, kind, permissions; how a repository is kept is looked at apart."""
    return {
        path: (entry.data, entry.kind, 0 if entry.kind == LINK else entry.mode)
        for path, entry in entries.items()
        if "/.git/" not in path
    }


def _loose(mode: int, kind: str) -> int:
    """What counts of the permissions of something new: whether it is a program, unless its mode was asked for."""
    return 0 if kind == FOLDER else mode & 0o100


def done(posed: Posed, entries: Mapping[str, Entry]) -> bool:
    """Whether a home is what a task asks for, with nothing else changed.

    Args:
        posed: The task.
        entries: The home.
    """
    wanted, found, known = _plain(posed.after.files), _plain(entries), posed.begin.files
    if wanted.keys() != found.keys():
        return False
    for path, (data, kind, mode) in wanted.items():
        other, its_kind, its_mode = found[path]
        if path in posed.after.archives:
            if _unpacked(path, other) != posed.after.archives[path]:
                return False
            continue
        exact = path in known or mode not in (0o644, 0o755)
        fits = mode == its_mode if exact else _loose(mode, kind) == _loose(its_mode, its_kind)
        if (data, kind) != (other, its_kind) or not fits:
            return False
    return all(_kept(posed, place, entries) for place in posed.begin.repositories)


def _unpacked(path: str, data: bytes) -> dict[str, bytes] | None:
    """What an archive holds; a file that is only packed has no name in it."""
    if path.endswith((".tar.gz", ".tar")):
        return members(data)
    plain = unzipped(data)
    return None if plain is None else {"": plain}


def _kept(posed: Posed, place: str, entries: Mapping[str, Entry]) -> bool:
    """Whether a repository is what it should be; a message that is nowhere asked for may be any."""
    known = posed.begin.repositories[place].commits
    wanted = posed.after.goals.get(place) or described(posed.begin.files, f"{place}/.git", known)
    found = described(entries, f"{place}/.git", known)
    if found is None or wanted is None:
        return False
    asked: Any = wanted["refs"]
    refs = {name: _without_message(each, asked.get(name)) for name, each in found["refs"].items()}
    return json_key({**found, "refs": refs}) == json_key(wanted)


def _without_message(commit: Any, wanted: Any) -> Any:
    free = isinstance(commit, list) and isinstance(wanted, list) and wanted[2] is None
    return [*commit[:2], None] if free else commit
