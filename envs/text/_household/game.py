"""One game: the part of a household that never changes, compiled from a task specification."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agentgym.assets.household import tables
from agentgym.core.errors import TaskError
from agentgym.core.generated import object_schema
from agentgym.core.tasks import Spec

PICK, LOOK, CLEAN, HEAT, COOL, TWO = TASK_TYPES = (
    "pick_and_place_simple",
    "look_at_obj_in_light",
    "pick_clean_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_cool_then_place_in_recep",
    "pick_two_obj_and_place",
)
TREATMENTS = {CLEAN: "clean", HEAT: "heat", COOL: "cool"}
STATIONS = {"clean": "sinkbasin", "heat": "microwave", "cool": "fridge"}
ABILITIES = ("pickupable", "toggleable", "cleanable", "heatable", "coolable", "sliceable", "vessel")
STATES = ("clean", "hot", "cool", "sliced", "lit")
KNIVES = ("knife", "butterknife")
NOWHERE, NOTHING = -1, -1  # in the middle of the room; empty hands

_SPOT: Spec = {"type": "integer", "minimum": 0, "maximum": 399}
_NAMES: Spec = {"type": "array", "items": {"type": "string", "maxLength": 80}, "maxItems": 64}
SCHEMA: Spec = object_schema(
    {
        "sentence": {"type": "string", "minLength": 1, "maxLength": 1000},
        "receptacles": {
            "type": "array",
            "minItems": 1,
            "maxItems": 400,
            "items": object_schema(
                {
                    "name": {"type": "string", "minLength": 3, "maxLength": 80},
                    "spot": _SPOT,
                    "kind": {"type": "string", "minLength": 1, "maxLength": 80},
                    "openable": {"type": "boolean"},
                    "opened": {"type": "boolean"},
                },
                optional=(
                    "kind",
                    "openable",
                    "opened",
                ),
            ),
        },
        "objects": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1000,
            "items": object_schema(
                {
                    "name": {"type": "string", "minLength": 3, "maxLength": 80},
                    "in": _NAMES,
                    "spots": {
                        "type": "array",
                        "items": _SPOT,
                        "maxItems": 64,
                    },
                    "abilities": {"type": "array", "items": {"type": "string", "enum": list(ABILITIES)}, "maxItems": 7},
                    "states": {"type": "array", "items": {"type": "string", "enum": list(STATES)}, "maxItems": 5},
                    "holding": _NAMES,
                },
                optional=(
                    "spots",
                    "abilities",
                    "states",
                    "holding",
                ),
            ),
        },
        "goals": {
            "type": "array",
            "minItems": 1,
            "maxItems": 4,
            "items": object_schema(
                {
                    "type": {"type": "string", "enum": list(TASK_TYPES)},
                    "object": {"type": "string", "maxLength": 80},
                    "target": {"type": "string", "maxLength": 80},
                    "told": {"type": "array", "items": {"type": "string", "maxLength": 80}, "maxItems": 4},
                },
                optional=("told",),
            ),
        },
        "contains": {"type": "object", "additionalProperties": _NAMES},
        "rooms": {"type": "array", "items": {"type": "string", "maxLength": 40}, "maxItems": 8},
        "family": {"type": "integer", "minimum": 0, "maximum": 999},
        "start": _SPOT,
    },
    optional=(
        "contains",
        "rooms",
        "family",
        "start",
    ),
)


@dataclass(slots=True)
class State:
    """All that changes. Objects and receptacles are bits in the order of the game.

    Attributes:
        at: Spot where the agent stands, or `NOWHERE`.
        held: Object in hand, or `NOTHING`.
        opened: Receptacles that stand open.
        inside: By receptacle, the objects in or on it.
        lying: By spot, the objects there.
        taken: By receptacle, objects once taken out of it that are not in it; only receptacles that share their spot,
            where the original's `look` reads it.
        clean, hot, cool, sliced, lit: Objects in that state.
        seen: Receptacles whose contents the agent was shown; only the expert reads it.
        thoughts: How often the agent has thought aloud, which takes no turn of the limit.
    """

    at: int
    held: int
    opened: int
    inside: list[int]
    lying: list[int]
    taken: list[int]
    clean: int
    hot: int
    cool: int
    sliced: int
    lit: int
    seen: int = 0
    thoughts: int = 0

    def copy(self) -> State:
        """An independent copy."""
        return replace(self, inside=self.inside.copy(), lying=self.lying.copy(), taken=self.taken.copy())


@dataclass(frozen=True, slots=True)
class Goal:
    """One condition of success: its type, the objects that will do, and where they must be or which lamps be lit.

    `told` are the receptacles in which the task's sentence says that the objects are.
    """

    type: str
    objects: int
    receptacles: tuple[int, ...] = ()
    lamps: int = 0
    told: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Game:
    """What a specification determines, shared by every copy of the environment.

    Attributes:
        receptacles, objects: Names in the order in which they are listed.
        receptacle_kinds, object_kinds: The names without number.
        spots: Spot of each receptacle; several may share one.
        around: By spot, the receptacles there.
        openable, shared: Receptacles with a door or drawer, and those that share their spot.
        accepts: By receptacle, the objects that may be put there.
        able: By ability, the objects that have it.
        stations: By verb, the receptacles that do it.
        vessels: What `examine` says of an object that is itself a receptacle, by object.
        goals: All must hold at once.
        start: The state at the beginning.
    """

    receptacles: tuple[str, ...]
    objects: tuple[str, ...]
    receptacle_kinds: tuple[str, ...]
    object_kinds: tuple[str, ...]
    spots: tuple[int, ...]
    around: tuple[tuple[int, ...], ...]
    openable: int
    shared: int
    accepts: tuple[int, ...]
    able: Mapping[str, int]
    knives: int
    stations: Mapping[str, int]
    vessels: Mapping[int, str]
    goals: tuple[Goal, ...]
    start: State
    place_of: Mapping[str, int] = field(repr=False)
    object_of: Mapping[str, int] = field(repr=False)
    listed: dict[int, tuple[tuple[int, ...], str]] = field(
        default_factory=dict, repr=False
    )  # members and words of a set
    ways: dict[int, list[str]] = field(default_factory=dict, repr=False)  # the `go to` commands of a spot


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def kind_of(name: str) -> str:
    """`mug` of `mug 1`."""
    return name.rpartition(" ")[0]


def enumerate_names(words: Sequence[str]) -> str:
    """`a mug 1, a pen 2, and a book 1` as the original prints lists, or `nothing`."""
    if len(words) < 2:
        return words[0] if words else "nothing"
    return f"{', '.join(words[:-1])}, and {words[-1]}"


def contents(game: Game, mask: int) -> tuple[tuple[int, ...], str]:
    """The members of `mask`, a set of objects of `game`, and the set in words; the game remembers what was asked."""
    found = game.listed.get(mask)
    if found is None:
        members = tuple(bits(mask))
        if len(game.listed) > 4096:
            game.listed.clear()
        found = game.listed[mask] = members, enumerate_names([f"a {game.objects[index]}" for index in members])
    return found


def compile_game(spec: Spec) -> Game:
    """The game of a specification that fits `SCHEMA`.

    Raises:
        TaskError: if names repeat or are unknown, or a goal names nothing that is there.
    """
    receptacles = _index([record["name"] for record in spec["receptacles"]], "receptacle")
    objects = _index([record["name"] for record in spec["objects"]], "object")
    both = receptacles.keys() & objects.keys()
    if both:
        raise TaskError(f"{min(both)!r} is both a receptacle and an object; give each name once")
    kinds = tuple(record.get("kind", kind_of(record["name"])) for record in spec["receptacles"])
    object_kinds = tuple(map(kind_of, objects))
    spots = tuple(record["spot"] for record in spec["receptacles"])
    around: list[list[int]] = [[] for _ in range(max(spots) + 1)]
    for index, spot in enumerate(spots):
        around[spot].append(index)
    able = _abilities(spec, object_kinds)
    openable = _mask(
        record.get("openable", kind_of(record["name"]) in tables().openable) for record in spec["receptacles"]
    )
    game = Game(
        receptacles=tuple(receptacles),
        objects=tuple(objects),
        receptacle_kinds=kinds,
        object_kinds=object_kinds,
        spots=spots,
        around=tuple(map(tuple, around)),
        openable=openable,
        shared=_mask(len(around[spot]) > 1 for spot in spots),
        accepts=_accepts(spec, kinds, object_kinds),
        able=able,
        knives=_mask(kind in KNIVES for kind in object_kinds),
        stations={verb: _mask(kind == station for kind in kinds) for verb, station in STATIONS.items()},
        vessels=_vessels(spec, objects, able["vessel"]),
        goals=tuple(_goal(goal, receptacles, kinds, object_kinds, able) for goal in spec["goals"]),
        start=_start(spec, receptacles, spots, len(around), openable),
        place_of=receptacles,
        object_of=objects,
    )
    _check_goals(game)
    return game


def _mask(flags: Any) -> int:
    return sum([1 << index for index, flag in enumerate(flags) if flag])


def _index(names: Sequence[str], what: str) -> dict[str, int]:
    for name in names:
        kind, _, number = name.rpartition(" ")
        if not (kind and kind == kind.lower() == " ".join(kind.split()) and kind.isprintable() and number.isdecimal()):
            raise TaskError(f"a {what} is named like 'mug 1', in lower case, got {name!r}")
        if number != str(int(number)):
            raise TaskError(f"the number of a {what} has no leading zeros, got {name!r}")
    found = {name: index for index, name in enumerate(names)}
    if len(found) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise TaskError(f"the {what} {twice!r} is named twice; number them")
    return found


def _abilities(spec: Spec, kinds: Sequence[str]) -> dict[str, int]:
    """Objects by ability: as stated, otherwise as the tables say; what is no lamp can be carried."""
    known = tables().abilities
    able = dict.fromkeys(ABILITIES, 0)
    for index, (record, kind) in enumerate(zip(spec["objects"], kinds, strict=True)):
        stated = record.get("abilities")
        if stated is None:
            stated = [name for name in ABILITIES if kind in known.get(name, ())]
            stated += [] if "toggleable" in stated else ["pickupable"]
        for name in stated:
            able[name] |= 1 << index
    return able


def _accepts(spec: Spec, kinds: Sequence[str], object_kinds: Sequence[str]) -> tuple[int, ...]:
    contains = {kind: frozenset(held) for kind, held in spec["contains"].items()} if "contains" in spec else None
    table = tables().contains if contains is None else contains
    things: dict[str, int] = {}
    for index, kind in enumerate(object_kinds):
        things[kind] = things.get(kind, 0) | 1 << index
    by_kind = {
        kind: sum(mask for held, mask in things.items() if held in table.get(kind, ())) for kind in dict.fromkeys(kinds)
    }
    return tuple(by_kind[kind] for kind in kinds)


def _vessels(spec: Spec, objects: Mapping[str, int], vessels: int) -> dict[int, str]:
    found = {}
    for index, record in enumerate(spec["objects"]):
        held = record.get("holding", ())
        if held and not vessels >> index & 1:
            raise TaskError(f"{record['name']!r} holds something, but is no vessel; add the ability 'vessel'")
        if any(name not in objects for name in held):
            raise TaskError(f"{record['name']!r} holds {list(held)}, which are not all among the objects")
        if vessels >> index & 1:
            ordered = sorted(set(held), key=objects.__getitem__)
            found[index] = enumerate_names([f"a {name}" for name in ordered])
    return found


def _start(spec: Spec, receptacles: Mapping[str, int], spots: Sequence[int], count: int, openable: int) -> State:
    inside, lying = [0] * len(spots), [0] * count
    states = dict.fromkeys(STATES, 0)
    for index, record in enumerate(spec["objects"]):
        here = set()
        for name in record["in"]:
            if name not in receptacles:
                raise TaskError(f"{record['name']!r} is in {name!r}, which is no receptacle of the task")
            inside[receptacles[name]] |= 1 << index
            here.add(spots[receptacles[name]])
        for spot in record.get("spots", sorted(here)):
            if spot < count:  # elsewhere there is nothing to go to
                lying[spot] |= 1 << index
        for state in record.get("states", ()):
            states[state] |= 1 << index
    opened = _mask(record.get("opened", False) for record in spec["receptacles"])
    if opened & ~openable:
        raise TaskError("a receptacle stands open that cannot be opened; drop its 'opened'")
    at = spec.get("start", NOWHERE)
    if at >= count:
        raise TaskError(f"the agent starts at spot {at}, where no receptacle is; the last spot is {count - 1}")
    return State(at, NOTHING, opened, inside, lying, [0] * len(spots), **states)


def _goal(
    goal: Mapping[str, Any],
    receptacles: Mapping[str, int],
    kinds: Sequence[str],
    object_kinds: Sequence[str],
    able: Mapping[str, int],
) -> Goal:
    unknown = next((name for name in goal.get("told", ()) if name not in receptacles), None)
    if unknown is not None:
        raise TaskError(f"a goal says that its object is in {unknown!r}, which is no receptacle of the task")
    told = tuple(receptacles[name] for name in goal.get("told", ()))
    objects = _mask(kind == goal["object"] for kind in object_kinds)
    if goal["type"] in TREATMENTS:
        objects &= able[f"{TREATMENTS[goal['type']]}able"]
    if objects.bit_count() < (2 if goal["type"] == TWO else 1):
        raise TaskError(f"the goal {dict(goal)} names no object of the task that will do, or not enough of them")
    if goal["type"] == LOOK:
        lamps = _mask(kind == goal["target"] for kind in object_kinds) & able["toggleable"]
        if not lamps:
            raise TaskError(f"the goal {dict(goal)} needs a lamp of the kind {goal['target']!r}, and there is none")
        return Goal(LOOK, objects, lamps=lamps, told=told)
    targets = tuple(index for index, kind in enumerate(kinds) if kind == goal["target"])
    if not targets:
        raise TaskError(f"the goal {dict(goal)} needs a {goal['target']!r}, and there is none")
    return Goal(goal["type"], objects, targets, told=told)


def _check_goals(game: Game) -> None:
    """Several goals must not want the same object, and only one can ask to hold something."""
    wanted = 0
    for goal in game.goals:
        if goal.objects & wanted:
            raise TaskError("two goals of a task want the same kind of object; give each its own")
        wanted |= goal.objects
    if sum(goal.type == LOOK for goal in game.goals) > 1:
        raise TaskError(f"a task has at most one goal of the type {LOOK!r}, because one hand holds one object")
