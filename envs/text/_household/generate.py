"""Makes households: rooms with a fixed layout, things where people keep them, and goals that can be met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from agentgym.assets.household import phrases, tables
from agentgym.core.tasks import Spec
from agentgym.envs.text._household.game import LOOK, PICK, STATIONS, TASK_TYPES, TREATMENTS, TWO
from agentgym.envs.text._household.sentences import paraphrase, plain_phrase

STREAM, LAYOUT_STREAM, HABIT_STREAM = 0x40A5E, 0x40A5F, 0x40A60  # apart from np_random of an equal seed
SPLIT_ROOMS = {"seen": range(30), "val_unseen": range(30, 35), "test_unseen": range(35, 40)}  # numbers, of each kind
FAMILIES = {"train": range(60), "val": range(60, 80), "test": range(80, 100)}  # each with its own habits
HOMES = {  # by split: its rooms, its families, and its share of all seeds
    "train": ("seen", "train", 0.6),
    "val_seen": ("seen", "val", 0.1),
    "test_seen": ("seen", "test", 0.1),
    "val_unseen": ("val_unseen", "val", 0.1),
    "test_unseen": ("test_unseen", "test", 0.1),
}
KINDS = ("kitchen", "livingroom", "bedroom", "bathroom")
FITTING = {PICK: KINDS, TWO: KINDS, LOOK: ("livingroom", "bedroom"), "clean": ("kitchen", "bathroom")}
LAMP, LAMP_CHANCE = "desklamp", 0.7
SHARED = {"drawer": 0.35, "cabinet": 0.1, "stoveburner": 0.5}  # chance of standing at one spot with the one before
UNUSUAL_CHANCE = 0.1  # of a thing being where it may be but is not usually kept
RARE = 4  # of so many places, the least usual one is what a family of `val` or `test` prefers
HABIT_CHANCE = 0.9  # of a thing being where a family of `val` or `test` keeps the things of its group
SPARE_CHANCE = 0.2  # of one more of the objects than a goal needs
TOLD_CHANCE = 0.9  # of a goal saying where its objects are
UNLIKELY = ("garbagecan", "microwave", "toilet")  # nobody's habit
MOST_OF_A_KIND = 80  # receptacles in four rooms
NO_GOAL = ("toaster",)


@dataclass(frozen=True)
class HomeOptions:
    """What a practitioner may vary; None draws what such rooms usually hold.

    Attributes:
        rooms: Rooms of different kinds that are played as one, 1 to 4.
        objects: Objects of each kind that a goal asks for.
        quest: Goals that must hold together, 1 to 3.
        distractors: Things of kinds that no goal asks for.
        plain: Whether goals are told in the few words of the original's templates.
    """

    rooms: int = 1
    objects: int | None = None
    quest: int = 1
    distractors: int | None = None
    plain: bool = False


@dataclass(frozen=True)
class Furniture:
    """One receptacle of a layout: its kind and its spot in the room."""

    kind: str
    spot: int


class Crowded(Exception):
    """The drawn rooms cannot hold the drawn goals; another draw follows."""


@cache
def layout(kind: str, number: int) -> tuple[Furniture, ...]:
    """The receptacles of one of the 160 rooms, the same in every game that is played in it.

    Args:
        kind: One of `KINDS`.
        number: The room's number among those of its kind.
    """
    rng = np.random.default_rng([number, KINDS.index(kind), LAYOUT_STREAM])
    found: list[Furniture] = []
    spot = -1
    for name, (least, most) in tables().rooms[kind].receptacles.items():
        for index in range(int(rng.integers(least, most + 1))):
            if not (index and rng.random() < SHARED.get(name, 0.0)):
                spot += 1
            found.append(Furniture(name, spot))
    return tuple(found)


def generate(seed: int, options: HomeOptions) -> dict[str, Any]:
    """The specification of `seed`, drawn again until the rooms can hold the goals that `options` ask for."""
    rng = np.random.default_rng([seed, STREAM])
    split = str(rng.choice(list(HOMES), p=[share for *_, share in HOMES.values()]))
    while True:
        try:
            return _draw(rng, options, split)
        except Crowded:
            continue


def split_of(spec: Spec) -> str:
    """Whose rooms a generated task is played in, and by whose habits its things were put there: a key of `HOMES`."""
    number = int(spec["rooms"][0].rpartition(" ")[2])
    return next(
        split
        for split, (rooms, families, _) in HOMES.items()
        if number in SPLIT_ROOMS[rooms] and spec["family"] in FAMILIES[families]
    )


@cache
def habit(family: int, group: str) -> Mapping[str, int]:
    """How a family of `val` or `test` ranks places for a group of things: name of a receptacle to rank, best first.

    Args:
        family: The family's number.
        group: Name of a group of things that people keep together.
    """
    rng = np.random.default_rng([family, sorted(set(phrases().group_of.values())).index(group), HABIT_STREAM])
    names = [f"{kind} {number}" for kind in sorted(tables().contains) for number in range(1, MOST_OF_A_KIND + 1)]
    return {names[int(place)]: rank for rank, place in enumerate(rng.permutation(len(names)))}


def _draw(rng: np.random.Generator, options: HomeOptions, split: str) -> dict[str, Any]:
    types = [TASK_TYPES[int(rng.integers(len(TASK_TYPES)))] for _ in range(options.quest)]
    if types.count(LOOK) > 1:
        raise Crowded
    kinds = _rooms(rng, types, options.rooms)
    of_rooms, of_families, _ = HOMES[split]
    rooms = [(kind, int(rng.choice(SPLIT_ROOMS[of_rooms]))) for kind in kinds]
    family = int(rng.choice(FAMILIES[of_families]))
    spots, furniture = 0, []
    for kind, number in rooms:
        here = layout(kind, number)
        furniture += [Furniture(one.kind, one.spot + spots) for one in here]
        spots += here[-1].spot + 1
    home = Home(rng, sorted(furniture, key=lambda one: (one.kind, one.spot)), family)
    objects = sorted({name for kind in kinds for name in tables().rooms[kind].objects})
    goals = [_goal(rng, home, type_, kinds, objects, options) for type_ in types]
    wanted = {goal["object"] for goal in goals}
    if len(wanted) < len(goals):
        raise Crowded
    _distract(rng, home, [name for name in objects if name not in wanted], kinds, options)
    things = home.records()
    if options.plain:
        sentence = ", and ".join(plain_phrase(rng, goal) for goal in goals)
    else:
        told = [goal | home.told(goal) if rng.random() < TOLD_CHANCE else goal for goal in goals]
        goals, sentence = told, paraphrase(rng, told, home.kinds)
    return {
        "sentence": sentence,
        "family": family,
        "rooms": [f"{kind} {number}" for kind, number in rooms],
        "receptacles": [{"name": name, "spot": one.spot} for name, one in zip(home.names, home.furniture, strict=True)],
        "objects": things,
        "goals": goals,
    }


def _rooms(rng: np.random.Generator, types: Sequence[str], count: int) -> list[str]:
    """Kinds of the rooms: one that fits each goal, then others at random."""
    chosen: list[str] = []
    for type_ in types:
        fitting = FITTING.get(TREATMENTS.get(type_, type_), ("kitchen",))
        if not set(fitting) & set(chosen):
            chosen.append(fitting[int(rng.integers(len(fitting)))])
    if len(chosen) > count:
        raise Crowded
    others = [kind for kind in KINDS if kind not in chosen]
    return chosen + [others[int(place)] for place in rng.permutation(len(others))[: count - len(chosen)]]


class Home:
    """Numbered receptacles, and the things put into them."""

    def __init__(self, rng: np.random.Generator, furniture: Sequence[Furniture], family: int):
        self.furniture = tuple(furniture)
        self.kinds = Counter(one.kind for one in furniture)
        left = Counter(self.kinds)
        self.names: list[str] = []
        for one in furniture:  # the original lists the highest number of each kind first
            self.names.append(f"{one.kind} {left[one.kind]}")
            left[one.kind] -= 1
        self._rng, self._family = rng, family
        self._things: list[tuple[str, int]] = []

    def put(self, kind: str, barred: str = "") -> bool:
        """Put one more thing of a `kind` where it is usually kept, not in a `barred` kind of receptacle.

        Returns:
            False if there is no such place.
        """
        able = [
            place
            for place, one in enumerate(self.furniture)
            if one.kind not in (barred, *NO_GOAL) and (kind == LAMP or kind in tables().contains[one.kind])
        ]
        weights = np.zeros(len(self.furniture))
        if kind == LAMP or self._family in FAMILIES["train"]:
            unusual = kind != LAMP and self._rng.random() < UNUSUAL_CHANCE
            for place in able:
                one = self.furniture[place].kind
                weights[place] = (1 if unusual else tables().usual[kind].get(one, 0)) / self.kinds[one]
        else:
            weights[self._kept(kind, able) if self._rng.random() < HABIT_CHANCE else able] = 1.0
        total = weights.sum()
        if not total:
            return False
        bounds = (weights / total).cumsum()  # as `Generator.choice` draws, without its checks
        bounds /= bounds[-1]
        self._things.append((kind, int(bounds.searchsorted(self._rng.random(), side="right"))))
        return True

    def _kept(self, kind: str, able: Sequence[int]) -> list[int]:
        """Where a family of `val` or `test` keeps a kind of object: at two of the places that are least usual for it.

        Args:
            kind: The kind of object.
            able: The places where it may be.
        """
        usual, openable = tables().usual[kind], tables().openable

        def promise(place: int) -> float:
            one = self.furniture[place].kind
            return usual.get(one, 0) / self.kinds[one] / (2 if one in openable else 1)

        likely = [place for place in able if self.furniture[place].kind not in UNLIKELY] or list(able)
        rare = sorted(likely, key=promise)[: max(2, len(likely) // RARE)]
        rank = habit(self._family, phrases().group_of[kind])
        return sorted(rare, key=lambda place: rank[self.names[place]])[:2]

    def told(self, goal: Mapping[str, Any]) -> dict[str, list[str]]:
        """The places where a goal's objects are, of the first two for a goal of two."""
        places = [self.names[place] for kind, place in self._things if kind == goal["object"]]
        return {"told": list(dict.fromkeys(places[: 2 if goal["type"] == TWO else 1]))}

    def records(self) -> list[dict[str, Any]]:
        """The things, kinds in alphabetical order, numbered so that a number tells nothing about the place."""
        shuffled = [self._things[int(index)] for index in self._rng.permutation(len(self._things))]
        left = Counter(kind for kind, _ in shuffled)
        found = []
        for kind, place in sorted(shuffled, key=lambda thing: thing[0]):
            found.append({"name": f"{kind} {left[kind]}", "in": [self.names[place]]})
            left[kind] -= 1
        return found


def _goal(
    rng: np.random.Generator, home: Home, type_: str, rooms: Sequence[str], objects: Sequence[str], options: HomeOptions
) -> dict[str, Any]:
    """A goal that the home can hold, with its objects put elsewhere."""
    verb = TREATMENTS.get(type_, "")
    able = tables().abilities[f"{verb}able"] if verb else frozenset(objects)
    if type_ == LOOK:
        fitting = [name for room in rooms if room in FITTING[LOOK] for name in tables().rooms[room].objects]
        pairs = [(name, LAMP) for name in sorted(set(fitting))]
    else:
        pairs = [
            (name, kind)
            for name in objects
            if name in able
            for kind in sorted(home.kinds)
            if name in tables().contains[kind] and kind not in (STATIONS.get(verb), *NO_GOAL)
        ]
    if not pairs:
        raise Crowded
    name, target = pairs[int(rng.integers(len(pairs)))]
    if type_ == LOOK and not home.put(LAMP):
        raise Crowded
    needed = 2 if type_ == TWO else 1
    drawn = needed + (rng.random() < SPARE_CHANCE) if options.objects is None else options.objects
    for _ in range(max(drawn, needed)):
        if not home.put(name, barred=target):
            raise Crowded
    return {"type": type_, "object": name, "target": target}


def _distract(
    rng: np.random.Generator, home: Home, others: Sequence[str], rooms: Sequence[str], options: HomeOptions
) -> None:
    """Put things about that no goal asks for, and perhaps a lamp."""
    lampless = not any(kind in FITTING[LOOK] for kind in rooms)
    if not lampless and rng.random() < LAMP_CHANCE:
        home.put(LAMP)
    count = int(rng.integers(10, 26)) * len(rooms) if options.distractors is None else options.distractors
    for _ in range(count):
        home.put(others[int(rng.integers(len(others)))])
