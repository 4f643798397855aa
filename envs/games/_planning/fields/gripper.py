"""Gripper: things carried from room to room, one in each hand (first planning competition, 1998)."""

from __future__ import annotations

from agentgym.envs.games._planning.fields._field import Field, Sketch, TaskRandom
from agentgym.envs.games._planning.words import Wording, listing

PDDL = """
(define (domain gripper)
  (:requirements :strips :typing)
  (:types room thing hand)
  (:predicates (at ?room - room) (in ?thing - thing ?room - room) (carries ?hand - hand ?thing - thing)
    (free ?hand - hand))
  (:action move :parameters (?from ?to - room)
    :precondition (and (at ?from))
    :effect (and (at ?to) (not (at ?from))))
  (:action pick :parameters (?thing - thing ?room - room ?hand - hand)
    :precondition (and (in ?thing ?room) (at ?room) (free ?hand))
    :effect (and (carries ?hand ?thing) (not (in ?thing ?room)) (not (free ?hand))))
  (:action drop :parameters (?thing - thing ?room - room ?hand - hand)
    :precondition (and (carries ?hand ?thing) (at ?room))
    :effect (and (in ?thing ?room) (free ?hand) (not (carries ?hand ?thing)))))
"""

WORDINGS = (
    Wording(
        rules="You are a robot with two grippers. Each gripper carries one ball. Every room can be reached from every "
        "other.",
        names={
            "room": listing("kitchen library workshop cellar gallery laboratory hall attic"),
            "thing": tuple(
                f"{kind}-ball"
                for kind in listing(
                    "red blue green yellow white black striped golden rubber wooden glass tennis beach "
                    "leather silver paper"
                )
            ),
            "hand": ("left-gripper", "right-gripper"),
        },
        actions={
            "move": ("move from <from> to <to>", "go from <from> to <to>"),
            "pick": ("pick up <thing> in <room> with <hand>", "pick <thing> in <room> with <hand>"),
            "drop": ("drop <thing> in <room> from <hand>", "put down <thing> in <room> from <hand>"),
        },
        facts={
            "at": ("you are in {0}", "you are not in {0}"),
            "in": ("{0} is in {1}", "{0} is not in {1}"),
            "carries": ("{0} holds {1}", "{0} does not hold {1}"),
            "free": ("{0} is free", "{0} is not free"),
        },
        labels={"from": "room", "to": "other room", "thing": "ball", "hand": "gripper"},
    ),
    Wording(
        rules="You are a waiter. A tray rests on each of your hands, and each tray has room for one dish. You can walk "
        "from any table to any other.",
        names={
            "room": listing("window-table corner-table round-table long-table garden-table bar counter terrace"),
            "thing": listing(
                "soup salad pie stew omelette curry pudding risotto trout gratin paella sorbet goulash "
                "lasagne quiche chowder"
            ),
            "hand": ("left-tray", "right-tray"),
        },
        actions={
            "move": ("walk from <from> to <to>", "go from <from> to <to>"),
            "pick": ("load <thing> at <room> on <hand>", "take <thing> at <room> on <hand>"),
            "drop": ("serve <thing> at <room> off <hand>", "serve <thing> at <room> from <hand>"),
        },
        facts={
            "at": ("you stand at {0}", "you do not stand at {0}"),
            "in": ("{0} is at {1}", "{0} is not at {1}"),
            "carries": ("{0} carries {1}", "{0} does not carry {1}"),
            "free": ("{0} is empty", "{0} is not empty"),
        },
        labels={"room": "table", "from": "table", "to": "other table", "thing": "dish", "hand": "tray"},
    ),
)


def draw(rng: TaskRandom, size: int, items: int, wording: Wording) -> Sketch:
    """Two rooms or more, and things that are each wanted in another room.

    There are 2 rooms and one more for every three of `size`, and as many things as `items`. Names of both are drawn
    from `wording` with `rng`, as is where everything is; all hands that it names are there.
    """
    sketch = Sketch()
    rooms = sketch.add("room", rng.shuffled(wording.names["room"])[: 2 + size // 3])
    hands = sketch.add("hand", wording.names["hand"])
    names = rng.shuffled(wording.names["thing"])
    sketch.init = [("at", rng.pick(rooms)), *(("free", hand) for hand in hands)]
    for name in sketch.add("thing", names[:items]):
        room = rng.pick(rooms)
        sketch.init.append(("in", name, room))
        sketch.goals.append([("in", name, rng.other(rooms, room))])
    return sketch


FIELD = Field(PDDL, WORDINGS, draw)
