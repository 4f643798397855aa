"""What a run file may name without being trusted: the worlds and wrappers of the suite, and plain data for them.

A record names its world as `module:id`, and the tables of its options and wrappers may name functions as
`module:name`. Whoever plays it again imports and calls these, so a file from elsewhere is a program. Without trust
nothing of the kind is played: the rule reads the file alone, so that it holds in every process that a world starts.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from agentgym.core import ConfigError, card
from agentgym.core.grammar import shorten
from agentgym.core.snapshot import json_key
from agentgym.rollout.wrapping import SHELF

OWN = "agentgym"
REMEDY = "look at it, and give --trust (from Python trust=True) if you trust who wrote it"


class PlayableRecord(Protocol):
    """A recorded episode, with what playing it again would import, call and read; see `EpisodeRecord`."""

    @property
    def env(self) -> str:
        """Id of the world."""

    @property
    def env_kwargs(self) -> Mapping[str, Any]:
        """Its constructor arguments."""

    @property
    def all_wrappers(self) -> Sequence[Mapping[str, Any]]:
        """Tables of the wrappers around the world and around each player."""


def check_trust(episodes: Sequence[PlayableRecord], source: str | Path) -> None:
    """Refuse records that name code or files from outside the suite, before anything is imported.

    Args:
        episodes: The records.
        source: Where they come from, for the message.

    Raises:
        ConfigError: naming the first module, function or file that playing them would import, call or read.
        UnknownName: if the suite has no such world.
    """
    for episode in episodes:
        reason = _outside(episode)
        if reason:
            raise ConfigError(f"{source} names {reason}; {REMEDY}")


def _outside(episode: PlayableRecord) -> str:
    """The first thing from outside the suite that an episode names, in words; empty if there is none."""
    module, _, name = episode.env.rpartition(":")
    if module not in ("", OWN):
        return f"the module {shorten(module)!r}, which would be imported"
    known = card(name)
    for option in known.requires:
        if option in episode.env_kwargs:
            return f"data of its own as the option {option!r} ({shorten(str(episode.env_kwargs[option]))!r})"
    if named := _file(episode.env_kwargs, known.names_files):
        return f"{named}, an option of the world"
    for table in episode.all_wrappers:
        if named := _file(table, _names_files(table)):
            return f"{named}, an argument of the wrapper {table['name']}"
    for text in (*_texts(episode.env_kwargs), *_texts(episode.all_wrappers)):
        if ":" in text:
            return f"{shorten(text)!r}, which may be a function (module:name) that would be imported, or an address"
    return ""


def _file(given: Mapping[str, Any], named: Mapping[str, str]) -> str:
    """The first argument that names a file or a folder, in words; empty if there is none.

    Args:
        given: The arguments.
        named: Those that may, each with the pattern of values that do.
    """
    for argument, pattern in named.items():
        value = given.get(argument)
        if value is not None and re.search(pattern, json_key(value)):
            return f"a file or folder as {argument!r} ({shorten(str(value))!r})"
    return ""


def _names_files(table: Mapping[str, Any]) -> dict[str, str]:
    """The arguments of a wrapper that name a file or a folder; none of one that the suite does not have."""
    shelf = importlib.import_module(SHELF)
    name = str(table.get("name", ""))
    return dict.fromkeys(getattr(getattr(shelf, name), "names_files", ()), "") if name in shelf.__all__ else {}


def _texts(data: Any) -> Iterator[str]:
    """Every text in plain data, keys included."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from _texts(value)
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _texts(value)
