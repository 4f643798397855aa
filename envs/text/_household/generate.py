"""Makes households: rooms with a fixed layout, things where people keep them, and goals that can be met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from agentgym.assets.household import tables
from agentgym.core.tasks import Spec
from agentgym.envs.text._household.game import LOOK, PICK, STATIONS, TASK_TYPES, TREATMENTS, TWO

STREAM, LAYOUT_STREAM = 0x40A5E, 0x40A5F  # apart from np_random of an equal seed
SPLIT_ROOMS = {"seen": range(30), "val_unseen": range(30, 35), "test_unseen": range(35, 40)}  # numbers, of each kind
SHARES = {"seen": 0.8, "val_unseen": 0.1, "test_unseen": 0.1}
KINDS = ("kitchen", "livingroom", "bedroom", "bathroom")
FITTING = {PICK: KINDS, TWO: KINDS, LOOK: ("livingroom", "bedroom"), "clean": ("kitchen", "bathroom")}
LAMP, LAMP_CHANCE = "desklamp", 0.7
SHARED = {"drawer": 0.35, "cabinet": 0.1, "stoveburner": 0.5}  # chance of standing at one spot with the one before
UNUSUAL_CHANCE = 0.1  # of a thing being where it may be but is not usually kept
NO_GOAL = ("toaster",)
PHRASES = {
    PICK: ("put a {o} in {t}", "put some {o} on {t}"),
    LOOK: ("look at {o} under the {t}", "examine the {o} with the {t}"),
    "clean": ("put a clean {o} in {t}", "clean some {o} and put it in {t}"),
    "heat": ("put a hot {o} in {t}", "heat some {o} and put it in {t}"),
    "cool": ("put a cool {o} in {t}", "cool some {o} and put it in {t}"),
    TWO: ("put two {o} in {t}", "find two {o} and put them in {t}"),
}


@dataclass(frozen=True)
class HomeOptions:
    """What a practitioner may vary; None draws what such rooms usually hold.

    Attributes:
        rooms: Rooms of different kinds that are played as one, 1 to 4.
        objects: Objects of each kind that a goal asks for.
        quest: Goals that must hold together, 1 to 3.
        distractors: Things of kinds that no goal asks for.
    """

    rooms: int = 1
    objects: int | None = None
    quest: int = 1
    distractors: int | None = None


@dataclass(frozen=True)
class Furniture:
    """One receptacle of a layout: its kind and its spot in the room."""

    kind: str
    spot: int


class Crowded(Exception):
    """The drawn rooms cannot hold the drawn goals; another draw follows."""


@cache
def layout(kind: str, number: int) -> tuple[Furniture, ...]:
    """The receptacles of one of the 160 rooms, the same in every game that is played in it."""
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
    """The specification of a seed; drawn again until the rooms can hold the goals."""
    rng = np.random.default_rng([seed, STREAM])
    group = str(rng.choice(list(SHARES), p=list(SHARES.values())))
    while True:
        try:
            return _draw(rng, options, group)
        except Crowded:
            continue


def group_of(spec: Spec) -> str:
    """`seen`, `val_unseen` or `test_unseen`: whose rooms a generated task is played in."""
    number = int(spec["rooms"][0].rpartition(" ")[2])
    return next(group for group, numbers in SPLIT_ROOMS.items() if number in numbers)


def _draw(rng: np.random.Generator, options: HomeOptions, group: str) -> dict[str, Any]:
    types = [TASK_TYPES[int(rng.integers(len(TASK_TYPES)))] for _ in range(options.quest)]
    if types.count(LOOK) > 1:
        raise Crowded
    kinds = _rooms(rng, types, options.rooms)
    rooms = [(kind, int(rng.choice(SPLIT_ROOMS[group]))) for kind in kinds]
    spots, furniture = 0, []
    for kind, number in rooms:
        here = layout(kind, number)
        furniture += [Furniture(one.kind, one.spot + spots) for one in here]
        spots += here[-1].spot + 1
    home = Home(rng, sorted(furniture, key=lambda one: (one.kind, one.spot)))
    objects = sorted({name for kind in kinds for name in tables().rooms[kind].objects})
    goals = [_goal(rng, home, type_, kinds, objects, options) for type_ in types]
    wanted = {goal["object"] for goal in goals}
    if len(wanted) < len(goals):
        raise Crowded
    _distract(rng, home, [name for name in objects if name not in wanted], kinds, options)
    sentence = ", and ".join(_phrase(rng, goal) for goal in goals)
    return {
        "sentence": sentence,
        "rooms": [f"{kind} {number}" for kind, number in rooms],
        "receptacles": [{"name": name, "spot": one.spot} for name, one in zip(home.names, home.furniture, strict=True)],
        "objects": home.records(),
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

    def __init__(self, rng: np.random.Generator, furniture: Sequence[Furniture]):
        self.furniture = tuple(furniture)
        self.kinds = Counter(one.kind for one in furniture)
        left = Counter(self.kinds)
        self.names: list[str] = []
        for one in furniture:  # the original lists the highest number of each kind first
            self.names.append(f"{one.kind} {left[one.kind]}")
            left[one.kind] -= 1
        self._rng = rng
        self._things: list[tuple[str, int]] = []

    def put(self, kind: str, barred: str = "") -> bool:
        """Put one more thing of a kind where it is usually kept; False if there is no such place."""
        usual = tables().usual[kind]
        if kind != LAMP and self._rng.random() < UNUSUAL_CHANCE:
            usual = {name: 1 for name in self.kinds if kind in tables().contains[name]}
        share = {
            name: usual[name] / count for name, count in self.kinds.items() if name in usual and name not in NO_GOAL
        }
        share.pop(barred, None)
        weights = np.array([share.get(one.kind, 0.0) for one in self.furniture])
        total = weights.sum()
        if not total:
            return False
        bounds = (weights / total).cumsum()  # as `Generator.choice` draws, without its checks
        bounds /= bounds[-1]
        self._things.append((kind, int(bounds.searchsorted(self._rng.random(), side="right"))))
        return True

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
    drawn = int(rng.integers(1, 4)) if options.objects is None else options.objects
    for _ in range(max(drawn, 2 if type_ == TWO else 1)):
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


def _phrase(rng: np.random.Generator, goal: Mapping[str, str]) -> str:
    phrases = PHRASES[TREATMENTS.get(goal["type"], goal["type"])]
    return phrases[int(rng.integers(len(phrases)))].format(o=goal["object"], t=goal["target"])
