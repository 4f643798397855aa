"""Scripted cooks: what is worth doing next, and the way there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from agentgym.envs.multiagent._overcooked.kitchen import FACES, Kitchen, field

FULL = 3  # onions in a pot
ACTIONS = (*FACES, "stay", "interact")
RIGHT_OF_WAY = 5  # steps for which one cook goes straight and the other goes around
CLUMSY = 0.5  # how often the simple cook does something at random


@dataclass(frozen=True, slots=True)
class Known:
    """All that a cook sees; nothing is hidden in this game.

    Attributes:
        kitchen: Where they are.
        me: The cook's own number, 0 or 1.
        cells, faces, held: Where each cook is, where it looks (place in `FACES`), what it holds.
        counters: What lies on counters, by cell.
        pots: For each pot: onions in it, and steps until its soup is done (-1: not cooking).
        time: Steps so far.
        jammed: Whether the cooks stood in each other's way in the last step.
        by_hand: Whether a pot must be started by a cook.
    """

    kitchen: Kitchen
    me: int
    cells: tuple[int, int]
    faces: tuple[int, int]
    held: tuple[str, str]
    counters: Mapping[int, str]
    pots: tuple[tuple[int, int], ...]
    time: int
    jammed: bool
    by_hand: bool


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Any action, whatever is `known`, each as likely by `rng`."""
    return ACTIONS[int(rng.integers(len(ACTIONS)))]


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """The skilled cook's action by what is `known` or, as often by `rng`, any."""
    return random_opponent(known, rng) if rng.random() < CLUMSY else strong_opponent(known)


def strong_opponent(known: Known, rng: np.random.Generator | None = None) -> str:
    """Do the most pressing thing that the other does not do already: serve, plate, start a pot, fill a pot, supply.

    It goes by `known` alone; `rng` may be left out, for it is asked for nothing.
    """
    if known.jammed and known.me == 1:
        return "stay"
    targets, wait = _aim(known)
    return _toward(known, targets, wait) if targets else _make_way(known)


def _aim(known: Known) -> tuple[tuple[int, ...], bool]:
    """The cells at one of which to interact, and whether only to wait there."""
    place, held = known.kitchen, known.held[known.me]
    room = place.rooms[known.cells[known.me]]
    mine = [index for index, cell in enumerate(place.pots) if room in place.sides[cell]]
    cells = {
        "done": tuple(place.pots[index] for index in mine if known.pots[index][1] == 0),
        "cooking": tuple(place.pots[index] for index in mine if known.pots[index][1] > 0),
        "filling": tuple(
            place.pots[index] for index in mine if known.pots[index][0] < FULL and known.pots[index][1] < 0
        ),
    }
    if held.startswith("soup"):
        return place.of("S", room) or _shelves(known, room), False
    if held == "dish":
        if cells["done"]:
            return cells["done"], False
        if cells["cooking"]:
            return cells["cooking"], True
        return _shelves(known, room), False
    if held == "onion":
        return cells["filling"] or _shelves(known, room), False
    return _fetch(known, room, mine, cells["filling"]), False


def _fetch(known: Known, room: int, mine: list[int], filling: tuple[int, ...]) -> tuple[int, ...]:
    """What to get with empty hands."""
    place, other = known.kitchen, known.held[1 - known.me]
    lying = {
        thing: tuple(
            cell for cell, item in known.counters.items() if item.startswith(thing) and room in place.sides[cell]
        )
        for thing in ("soup", "dish", "onion")
    }
    serving, dishes, onions = place.of("S", room), place.of("D", room), place.of("O", room)
    if known.by_hand:
        ready = tuple(place.pots[i] for i in mine if known.pots[i][0] == FULL and known.pots[i][1] < 0)
        if ready:
            return ready
    if lying["soup"] and serving:
        return lying["soup"]
    soups = sum(left >= 0 for _, left in known.pots) - (other == "dish")
    plates = sum(item == "dish" for item in known.counters.values())
    if soups > 0 and mine and lying["dish"]:
        return lying["dish"]
    if soups > plates and dishes:
        return dishes
    wanted = sum(FULL - count for count, left in known.pots if left < 0) - (other == "onion")
    if wanted > 0 and filling:
        return (*lying["onion"], *onions)
    heap = sum(item == "onion" for item in known.counters.values())
    if not mine and onions and heap < max(2, wanted):
        return onions
    return dishes if not mine and plates == 0 and other != "dish" else ()


def _shelves(known: Known, room: int) -> tuple[int, ...]:
    """Empty counters where something can be put: those that the other can reach, if it works in another room."""
    place = known.kitchen
    theirs = place.rooms[known.cells[1 - known.me]]
    free = [cell for cell in place.of("X", room) if cell not in known.counters]
    shared = tuple(cell for cell in free if theirs in place.sides[cell])
    return shared or tuple(free)


def _toward(known: Known, targets: tuple[int, ...], wait: bool) -> str:
    """One step on the way to the nearest target, around the other cook; at the target, the deed."""
    place, cell, other = known.kitchen, known.cells[known.me], known.cells[1 - known.me]
    ahead = place.ahead[cell] or ()
    if ahead[known.faces[known.me]] in targets:
        return "stay" if wait else "interact"
    leads = known.time // RIGHT_OF_WAY % 2 == known.me
    far = field(place.name, targets, -1 if leads else other)
    if cell not in far:
        far = field(place.name, targets, -1)
    if cell not in far:
        return "stay"
    if far[cell] == 0:
        return FACES[next(face for face, faced in enumerate(ahead) if faced in targets)]
    face = next(face for face, faced in enumerate(ahead) if far.get(faced, far[cell]) < far[cell])
    if ahead[face] != other:
        return FACES[face]
    return "stay" if leads else _make_way(known)


def _make_way(known: Known) -> str:
    """Step aside from a cook that is near and has the right of way."""
    place, cell, other = known.kitchen, known.cells[known.me], known.cells[1 - known.me]
    ahead = place.ahead[cell] or ()
    near = other in ahead or any(other in (place.ahead[step] or ()) for step in ahead)
    free = [face for face, faced in enumerate(ahead) if place.cells[faced] == " " and faced != other]
    if not near or not free or known.time // RIGHT_OF_WAY % 2 == known.me:
        return "stay"
    return FACES[free[known.time % len(free)]]
