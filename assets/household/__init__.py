"""Facts about households: what fits where, what can be done with what, and where people keep things.

`contains`, `openable` and `abilities` are the tables published with ALFRED (Shridhar et al. 2020, arXiv:1912.01734)
and used by ALFWorld (Shridhar et al. 2021, arXiv:2010.03768), without sliced kinds and movable receptacles. `usual`
(weights of where a kind of object is kept) and `rooms` (least and greatest number of each receptacle; kinds of objects)
are our own, and so are all `phrases`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Room:
    """What a kind of room holds: least and greatest number by receptacle kind, and object kinds."""

    receptacles: Mapping[str, tuple[int, int]]
    objects: tuple[str, ...]


@dataclass(frozen=True)
class Tables:
    """Kinds are names in lower case without spaces, such as `sinkbasin` and `cellphone`.

    Attributes:
        contains: Receptacle kind to the object kinds that may be put there.
        openable: Receptacle kinds with a door or a drawer.
        abilities: `heatable`, `coolable`, `cleanable`, `sliceable`, `toggleable` to object kinds.
        usual: Object kind to receptacle kinds with weights: how likely it is kept there.
        rooms: `kitchen`, `livingroom`, `bedroom`, `bathroom`.
    """

    contains: Mapping[str, frozenset[str]]
    openable: frozenset[str]
    abilities: Mapping[str, frozenset[str]]
    usual: Mapping[str, Mapping[str, int]]
    rooms: Mapping[str, Room]


@cache
def tables() -> Tables:
    """The tables, read once per process."""
    raw = json.loads((files("agentgym.assets.household") / "tables.json").read_text(encoding="utf8"))
    return Tables(
        contains={kind: frozenset(held) for kind, held in raw["contains"].items()},
        openable=frozenset(raw["openable"]),
        abilities={name: frozenset(kinds) for name, kinds in raw["abilities"].items()},
        usual=raw["usual"],
        rooms={
            name: Room({kind: tuple(span) for kind, span in room["receptacles"].items()}, tuple(room["objects"]))
            for name, room in raw["rooms"].items()
        },
    )


@dataclass(frozen=True)
class Phrases:
    """What goals are told with. Slots of the templates: `{a}` an object with its article, `{a clean}` with a word
    before it, `{os}` its plural, `{in}` the preposition of a receptacle, `{t}` its name.

    Attributes:
        group_of: Object kind to the group of things that people keep together.
        objects: Object kind to its everyday names; no two kinds share one.
        plurals: Object kind to its plural, where that is not the first name with an s.
        places: Receptacle kind to its preposition, then its everyday names.
        goals: Task type to templates.
        told: Templates of sentences that say where the object is, with `{place}`.
        told_both: The same for two objects in places of two kinds, with `{place}` and `{other}`.
    """

    group_of: Mapping[str, str]
    objects: Mapping[str, tuple[str, ...]]
    plurals: Mapping[str, str]
    places: Mapping[str, tuple[str, ...]]
    goals: Mapping[str, tuple[str, ...]]
    told: tuple[str, ...]
    told_both: tuple[str, ...]


@cache
def phrases() -> Phrases:
    """The phrases, read once per process."""
    raw = json.loads((files("agentgym.assets.household") / "phrases.json").read_text(encoding="utf8"))
    lists = {name: {kind: tuple(words) for kind, words in raw[name].items()} for name in ("objects", "places", "goals")}
    return Phrases(
        group_of={kind: group for group, kinds in raw["groups"].items() for kind in kinds},
        plurals=raw["plurals"],
        told=tuple(raw["told"]),
        told_both=tuple(raw["told_both"]),
        **lists,
    )
