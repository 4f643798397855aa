"""MiniHack's levels, compiled by the package, for the engine to play."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium as gym

from agentgym.core.errors import ConfigError, DataError, require, unknown
from agentgym.envs.games._nethack.keys import KEYS

VERSION = "1.0.2"
STAIRS = "Explore the level and reach the staircase down."
QUEST = "Find the way to the staircase down: take what lies about, use it to get past lava, and fight what attacks you."
PUSH = (
    "Push the four boulders onto the four fountains. Walk into a boulder to push it; it moves if the place behind it "
    "is free, and cannot be pulled."
)
ROOMS = [
    f"Room-{kind}{size}x{size}"
    for size in (5, 15)
    for kind in ("", "Random-", "Dark-", "Monster-", "Trap-", "Ultimate-")
]
MAZES = [f"MazeWalk-{mapped}{size}" for size in ("9x9", "15x15", "45x19") for mapped in ("", "Mapped-")]
GOALS = {
    **dict.fromkeys(ROOMS, STAIRS),
    **dict.fromkeys(("Corridor-R2", "Corridor-R3", "Corridor-R5"), STAIRS),
    **dict.fromkeys(MAZES, STAIRS),
    **dict.fromkeys(("CorridorBattle", "CorridorBattle-Dark"), STAIRS),
    **dict.fromkeys(("Quest-Easy", "Quest-Medium", "Quest-Hard"), QUEST),
}
BOXOBAN = {  # name to the folder of its puzzles
    "Boxoban-Unfiltered": "unfiltered/train", "Boxoban-Medium": "medium/train", "Boxoban-Hard": "hard",
}  # fmt: skip
BALROG = (
    "MazeWalk-9x9", "MazeWalk-15x15", "Corridor-R3", "CorridorBattle-Dark", "Quest-Easy", "Quest-Medium",
)  # fmt: skip
BALROG_OPTIONS = {"character": "@", "autopickup": False}  # of its configuration; the rest are MiniHack's own
BALROG_BOXOBAN = ("Boxoban-Medium", "Boxoban-Hard")
PUSHES = ("north", "east", "south", "west")
PUZZLE_TURNS = 400
WORDS = (
    *(word for word in KEYS if word.split()[-1] in ("north", "east", "south", "west")),
    *(word for word in KEYS if word.split()[-1] in ("northeast", "southeast", "southwest", "northwest")),
    "down", "wait", "more", "esc", "apply", "close", "drop", "eat", "fight", "fire", "force", "inventory", "kick",
    "look", "loot", "open", "pickup", "pray", "puton", "quaff", "read", "remove", "search", "swap", "takeoff", "throw",
    "wear", "wield", "zap",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Level:
    """What the package says of a level.

    Attributes:
        options: NetHack's options.
        character: Who the player is.
        turns: The level's own turn limit.
        words: The actions it takes.
        asks: Whether every question is put to the player, and any key can be typed.
        puzzle: Whether boulders must stand on fountains; otherwise the staircase down is the goal.
        data: NetHack's data file with the level in it.
    """

    options: tuple[str, ...]
    character: str
    turns: int
    words: tuple[str, ...]
    asks: bool
    puzzle: bool
    data: bytes


def package(purpose: str) -> ModuleType:
    """The module `minihack`.

    Raises:
        MissingExtra: if the package is not installed, or in another version.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it imports pkg_resources, which warns of its end
        return require("minihack", extra="nethack", purpose=purpose, version=VERSION)


def chosen(levels: Sequence[str] | None, boxoban: Path | None) -> tuple[str, ...]:
    """The levels to play: those named, or BALROG's.

    Args:
        levels: Names without `MiniHack-` and version; None for BALROG's.
        boxoban: Folder of the puzzles of Boxoban; None leaves them out of BALROG's.

    Raises:
        UnknownName: if there is no such level.
        ConfigError: if a level needs puzzles and none are given, or no level is named.
    """
    if levels is None:
        return (*BALROG, *BALROG_BOXOBAN) if boxoban else BALROG
    if isinstance(levels, str) or not levels:
        raise ConfigError(f"levels must be a list of names such as ['Corridor-R3'], got {levels!r}")
    for name in levels:
        if name not in GOALS and name not in BOXOBAN:
            raise unknown("level of MiniHack", name, [*GOALS, *BOXOBAN])
        if name in BOXOBAN and boxoban is None:
            raise ConfigError(f"{name} needs boxoban, the folder of the puzzles of google-deepmind/boxoban-levels")
    return tuple(levels)


@lru_cache(maxsize=64)
def level(name: str, balrog: bool) -> Level:
    """A level of the package by its `name` without `MiniHack-` and version, with `balrog` as BALROG plays it."""
    return _compile(f"MiniHack-{name}-v0", puzzle=False, **(BALROG_OPTIONS if balrog else {}))


@lru_cache(maxsize=32)
def puzzle(name: str, folder: Path, number: int, balrog: bool) -> Level:
    """A puzzle of Boxoban as the package builds it.

    Args:
        name: One of `BOXOBAN`, which says where below the folder its puzzles lie.
        folder: A copy of google-deepmind/boxoban-levels.
        number: Its place among all of its folder, modulo how many these are.
        balrog: Whether it is set up as BALROG does.
    """
    generator = require("minihack.envs.boxohack", extra="nethack", purpose="Boxoban")
    rows = puzzles(folder / BOXOBAN[name])[number % len(puzzles(folder / BOXOBAN[name]))]
    drawn, found = generator.BoxoHack.get_env_map(None, [*rows, ""])
    built = generator.LevelGenerator(map=drawn, lit=True, flags=("noteleport", "premapped"), solidfill=" ")
    for place in found["boulders"]:
        built.add_boulder(place)
    for place in found["fountains"]:
        built.add_fountain(place)
    built.set_start_pos(found["player"])
    options = BALROG_OPTIONS if balrog else {}
    return _compile("MiniHack-Navigation-Custom-v0", puzzle=True, des_file=built.get_des(), **options)


@lru_cache(maxsize=8)
def puzzles(folder: Path) -> tuple[tuple[str, ...], ...]:
    """The rows of every puzzle below a folder, in the order of the files.

    Raises:
        DataError: if there are none.
    """
    found = []
    for path in sorted(folder.glob("*.txt")):
        for block in path.read_text(encoding="utf8").split(";"):
            rows = [row for row in block.split("\n")[1:] if row.strip()]
            if rows:
                found.append(tuple(rows))
    if not found or any(
        set("".join(rows)) - set("# @$.") or sum(row.count("@") for row in rows) != 1 for rows in found
    ):
        raise DataError(f"{folder} holds no puzzles; boxoban is a copy of google-deepmind/boxoban-levels")
    return tuple(found)


def _compile(made: str, *, puzzle: bool, **kwargs: Any) -> Level:
    """Let the package compile a level in an environment of its own, and take from it what the engine needs."""
    with closing(gym.make(made, disable_env_checker=True, **kwargs)) as env:
        theirs: Any = env.unwrapped
        keys = set(theirs.actions)
        asks = bool(theirs._allow_all_yn_questions)
        return Level(
            options=tuple(option for option in theirs.nethack.options if not option.startswith("name:")),
            character=theirs.character,
            turns=PUZZLE_TURNS if puzzle else int(theirs._max_episode_steps),
            words=PUSHES if puzzle else tuple(word for word in WORDS if KEYS[word] in keys),
            asks=asks,
            puzzle=puzzle,
            data=(Path(theirs.nethack._vardir) / "nhdat").read_bytes(),
        )
