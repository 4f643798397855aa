"""Keys: rooms behind locked doors, keys in other rooms, one thing in the hand (after the domain `grid`, 1998)."""

from __future__ import annotations

from agentgym.envs.games._planning.fields._field import Field, Sketch, TaskRandom
from agentgym.envs.games._planning.strips import Atom
from agentgym.envs.games._planning.words import Wording, listing

PDDL = """
(define (domain keys)
  (:requirements :strips :typing)
  (:types room thing - object key treasure - thing)
  (:predicates (at ?room - room) (holding ?thing - thing) (hand-empty) (in ?thing - thing ?room - room)
    (locked ?room - room) (open ?room - room) (joined ?from ?to - room) (opens ?key - key ?room - room))
  (:action move :parameters (?from ?to - room)
    :precondition (and (at ?from) (joined ?from ?to) (open ?to))
    :effect (and (at ?to) (not (at ?from))))
  (:action unlock :parameters (?room ?from - room ?key - key)
    :precondition (and (at ?from) (joined ?from ?room) (locked ?room) (holding ?key) (opens ?key ?room))
    :effect (and (open ?room) (not (locked ?room))))
  (:action pick-up :parameters (?thing - thing ?room - room)
    :precondition (and (at ?room) (in ?thing ?room) (hand-empty))
    :effect (and (holding ?thing) (not (in ?thing ?room)) (not (hand-empty))))
  (:action put-down :parameters (?thing - thing ?room - room)
    :precondition (and (at ?room) (holding ?thing))
    :effect (and (in ?thing ?room) (hand-empty) (not (holding ?thing)))))
"""

LOCKED = 0.4  # chance that a room is locked

WORDINGS = (
    Wording(
        rules="You walk through a castle. You can hold one thing. To unlock a room you stand in a room next to it and "
        "hold its key; it stays open.",
        names={
            "room": listing(
                "gatehouse great-hall armoury chapel dungeon tower treasury stable bakery throne-room well-house garden"
            ),
            "key": listing(
                "brass-key iron-key silver-key bone-key golden-key copper-key crystal-key rusty-key "
                "wooden-key black-key tin-key jade-key"
            ),
            "treasure": listing(
                "crown chalice sceptre ring banner map shield candlestick tapestry amulet lute mask "
                "goblet scroll helmet brooch"
            ),
        },
        actions={
            "move": ("go from <from> to <to>", "move from <from> to <to>", "walk from <from> to <to>"),
            "unlock": ("unlock <room> from <from> with <key>", "open <room> from <from> with <key>"),
            "pick-up": ("take <thing> in <room>", "pick up <thing> in <room>"),
            "put-down": ("leave <thing> in <room>", "put down <thing> in <room>"),
        },
        facts={
            "at": ("you are in {0}", "you are not in {0}"),
            "holding": ("you hold {0}", "you do not hold {0}"),
            "hand-empty": ("your hand is empty", "your hand is not empty"),
            "in": ("{0} is in {1}", "{0} is not in {1}"),
            "locked": ("{0} is locked", "{0} is not locked"),
            "open": ("{0} is open", "{0} is not open"),
            "joined": ("a door leads from {0} to {1}", "no door leads from {0} to {1}"),
            "opens": ("{0} opens {1}", "{0} does not open {1}"),
        },
        labels={"from": "room", "to": "other room"},
    ),
    Wording(
        rules="You float through a space station with one free hand, so you carry one thing. A sealed module is opened "
        "from a module next to it, with its card; then it stays open.",
        names={
            "room": listing(
                "dock bridge reactor greenhouse sick-bay galley observatory store airlock machine-room cabin laboratory"
            ),
            "key": listing(
                "red-card blue-card green-card white-card yellow-card grey-card orange-card pink-card "
                "black-card violet-card brown-card gold-card"
            ),
            "treasure": listing(
                "fuel-cell antenna filter battery seed-box data-disk pump lens oxygen-tank drill radio "
                "solar-panel first-aid-kit robot-arm star-chart spare-hatch"
            ),
        },
        actions={
            "move": ("float from <from> to <to>", "go from <from> to <to>"),
            "unlock": ("unseal <room> from <from> with <key>", "open <room> from <from> with <key>"),
            "pick-up": ("grab <thing> in <room>", "take <thing> in <room>"),
            "put-down": ("stow <thing> in <room>", "leave <thing> in <room>"),
        },
        facts={
            "at": ("you are in {0}", "you are not in {0}"),
            "holding": ("you carry {0}", "you do not carry {0}"),
            "hand-empty": ("your hand is free", "your hand is not free"),
            "in": ("{0} is in {1}", "{0} is not in {1}"),
            "locked": ("{0} is sealed", "{0} is not sealed"),
            "open": ("{0} can be entered", "{0} cannot be entered"),
            "joined": ("a hatch leads from {0} to {1}", "no hatch leads from {0} to {1}"),
            "opens": ("{0} belongs to {1}", "{0} does not belong to {1}"),
        },
        labels={"from": "module", "to": "other module", "room": "module", "key": "card", "treasure": "freight"},
    ),
)


def draw(rng: TaskRandom, size: int, items: int, wording: Wording) -> Sketch:
    """Rooms that grow out of each other, some locked with the key in an earlier room, and treasures wanted elsewhere.

    Every room earlier than a locked one can be entered without it, so each key can be fetched in time.

    Args:
        rng: The dice.
        size: Two thirds of it, rounded down, are the rooms beyond the first three.
        items: Half of it, rounded down, are the treasures beyond the first.
        wording: Names rooms, keys and treasures.
    """
    sketch = Sketch()
    rooms = sketch.add("room", rng.shuffled(wording.names["room"])[: 3 + size * 2 // 3])
    keys = rng.shuffled(wording.names["key"])
    doors: list[Atom] = []
    sketch.init = [("at", rooms[0]), ("hand-empty",), ("open", rooms[0])]
    for place, room in enumerate(rooms[1:], start=1):
        before = rooms[rng.below(place)]
        doors += [("joined", before, room), ("joined", room, before)]
        if rng.roll() < LOCKED or place == len(rooms) - 1:  # one at least
            (key,) = sketch.add("key", [keys.pop()])
            sketch.init += [("locked", room), ("opens", key, room), ("in", key, rooms[rng.below(place)])]
        else:
            sketch.init.append(("open", room))
    sketch.init += doors
    names = rng.shuffled(wording.names["treasure"])
    for name in sketch.add("treasure", names[: 1 + items // 2]):
        room = rng.pick(rooms)
        sketch.init.append(("in", name, room))
        sketch.goals.append([("in", name, rng.other(rooms, room))])
    return sketch


FIELD = Field(PDDL, WORDINGS, draw)
