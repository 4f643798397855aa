"""Suites: files that say which worlds are played together, each with its split, number of episodes and options.

description = "Two worlds of mine."
episodes = 50                     of each world that does not say otherwise; without it what `evaluate` takes
split = "test"                    likewise
kinds = ["text"]                  every world of these families; entries below replace theirs

[[worlds]]
id = "Household-v1"
split = "test_unseen"
episodes = 20
options = { rooms = 4 }
counted = "success"               what counts as its progress: success alone; without it what `info` says

[left_out]                        what belongs to it and is not played, each with the reason
ALFWorld = "its files are downloaded apart"
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from agentgym.core import AgentGymError, ConfigError, catalog, fingerprint, unknown
from agentgym.core.json_text import read_toml
from agentgym.evaluate.worlds import resolve

SHELF = "agentgym.baselines.suites"
SHARED: dict[str, type] = {"split": str, "episodes": int}
KEYS: dict[str, type] = {"description": str, "kinds": list, "worlds": list, "left_out": dict, **SHARED}
WORLD_KEYS: dict[str, type] = {"id": str, "options": dict, "counted": str, **SHARED}
COUNTED = ("info", "success")
WORDS: dict[type, str] = {str: "a text", int: "a whole number above 0", list: "a list", dict: "a table"}


@dataclass(frozen=True)
class SuiteWorld:
    """One world of a suite.

    Attributes:
        id: As `module:id`, so that any process can make it.
        kind: Its family.
        split: Where its tasks come from.
        episodes: The first so many of them, or all if there are fewer; None for as many as `evaluate` takes.
        options: Its constructor arguments.
        counted: What counts as the progress of an episode: what `info` says at its end, or `success` alone.
    """

    id: str
    kind: str
    split: str = "test"
    episodes: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    counted: str = "info"

    @property
    def name(self) -> str:
        """What it is called in tables, and its folder: no two worlds of a suite have the same."""
        words = [self.id.rpartition("/")[2], *([self.split] if self.split != "test" else [])]
        return "-".join([*words, *([fingerprint(dict(self.options))[:8]] if self.options else [])])


@dataclass(frozen=True)
class Suite:
    """Worlds that are played together.

    Attributes:
        name: Of its file, without the ending.
        description: In a sentence.
        worlds: In the order in which they are played.
        left_out: What belongs to it and is not played, each with the reason.
    """

    name: str
    description: str
    worlds: tuple[SuiteWorld, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)

    def record(self) -> list[dict[str, Any]]:
        """The worlds as JSON-safe data."""
        return [asdict(world) for world in self.worlds]


def suite_names() -> list[str]:
    """The suites that come with AgentGym."""
    return sorted(file.name[:-5] for file in resources.files(SHELF).iterdir() if file.name.endswith(".toml"))


def load_suite(name: str | Path) -> Suite:
    """A suite of AgentGym by name, or one of your own by the path of its TOML file.

    Args:
        name: Such as `smoke`, or a path that ends in `.toml`.

    Raises:
        UnknownName: if there is no such suite, or it names an unknown world, split or key, with the nearest known.
        ConfigError: if the file cannot be read or says something of another type, or a world twice.
    """
    name = str(name)
    if name.endswith(".toml"):
        try:
            text = Path(name).read_text(encoding="utf8")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8"
            raise ConfigError(f"the suite {name} cannot be read ({reason}); give the path of a TOML file") from None
    elif name in suite_names():
        text = resources.files(SHELF).joinpath(f"{name}.toml").read_text(encoding="utf8")
    else:
        raise unknown("suite", name, suite_names())
    try:
        table = read_toml(text)
    except ValueError as error:
        raise ConfigError(f"the suite {name} is no TOML: {error}") from None
    try:
        return _read(Path(name).stem, table)
    except AgentGymError as error:
        raise type(error)(f"the suite {name}: {error}") from None


def _read(name: str, table: Mapping[str, Any]) -> Suite:
    _check("suite", table, KEYS)
    defaults = {key: table[key] for key in SHARED if key in table}
    listed = [_world(entry, defaults) for entry in table.get("worlds", [])]
    own = {world.id for world in listed}
    worlds = [world for world in _of_kinds(table.get("kinds", []), defaults) if world.id not in own] + listed
    if not worlds:
        raise ConfigError("it has no worlds; give [[worlds]] with an id each, or kinds")
    names = [world.name for world in worlds]
    for each in names:
        if names.count(each) > 1:
            raise ConfigError(f"{each} stands there twice; leave one out, or give it another split or other options")
        if not re.fullmatch(r"[\w.-]+", each):
            raise ConfigError(f"{each!r} cannot be the name of a folder")
    left_out = table.get("left_out", {})
    for what, reason in left_out.items():
        if not isinstance(reason, str):
            raise ConfigError(f"left_out must say why {what} is left out, in a text, got {reason!r}")
    return Suite(name, table.get("description", ""), tuple(worlds), left_out)


def _of_kinds(kinds: list[Any], defaults: Mapping[str, Any]) -> list[SuiteWorld]:
    """Every world of some families, in alphabetical order."""
    known = {card.kind for card in catalog().values()}
    for kind in kinds:
        if kind not in known:
            raise unknown("kind of world", kind, known)
    cards = [card for card in catalog().values() if card.kind in kinds]
    return [_world({"id": card.id}, defaults) for card in cards if card.id.startswith("AgentGym/")]


def _world(entry: Any, defaults: Mapping[str, Any]) -> SuiteWorld:
    if not isinstance(entry, dict) or "id" not in entry:
        raise ConfigError("each of [[worlds]] must be a table with an id")
    _check("world in a suite", entry, WORLD_KEYS)
    env_id, card = resolve(entry["id"])
    world = SuiteWorld(**{**defaults, **entry, "id": env_id}, kind=card.kind)
    if world.split not in card.splits:
        raise unknown(f"split of {card.id}", world.split, card.splits)
    if world.counted not in COUNTED:
        raise unknown("counted of a world in a suite", world.counted, COUNTED)
    return world


def _check(what: str, table: Mapping[str, Any], keys: Mapping[str, type]) -> None:
    for key, value in table.items():
        if key not in keys:
            raise unknown(f"key of a {what}", key, keys)
        right = isinstance(value, keys[key]) and not isinstance(value, bool)
        if isinstance(value, int):
            right = right and value > 0
        if not right:
            raise ConfigError(f"{key} must be {WORDS[keys[key]]}, got {value!r}")
