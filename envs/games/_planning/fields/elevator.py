"""Elevator: everyone brought to their floor (the domain `miconic` of the second planning competition, 2000)."""

from __future__ import annotations

from agentgym.envs.games._planning.fields._field import Field, Sketch, TaskRandom
from agentgym.envs.games._planning.words import Wording, listing

PDDL = """
(define (domain elevator)
  (:requirements :strips :typing)
  (:types floor person)
  (:predicates (lift-at ?floor - floor) (waits ?person - person ?from - floor) (inside ?person - person)
    (served ?person - person) (wants ?person - person ?to - floor) (above ?low ?high - floor))
  (:action up :parameters (?from ?to - floor)
    :precondition (and (lift-at ?from) (above ?from ?to))
    :effect (and (lift-at ?to) (not (lift-at ?from))))
  (:action down :parameters (?from ?to - floor)
    :precondition (and (lift-at ?from) (above ?to ?from))
    :effect (and (lift-at ?to) (not (lift-at ?from))))
  (:action board :parameters (?person - person ?floor - floor)
    :precondition (and (lift-at ?floor) (waits ?person ?floor))
    :effect (and (inside ?person) (not (waits ?person ?floor))))
  (:action depart :parameters (?person - person ?floor - floor)
    :precondition (and (lift-at ?floor) (inside ?person) (wants ?person ?floor))
    :effect (and (served ?person) (not (inside ?person)))))
"""

WORDINGS = (
    Wording(
        rules="You run the lift of a tall house. It goes from any floor to any other and has room for everyone. People "
        "get out only where they want to go.",
        names={
            "floor": tuple(f"floor-{number}" for number in range(1, 31)),
            "person": listing(
                "baker lawyer nurse painter sailor tailor judge dancer farmer singer clerk doctor pilot "
                "gardener plumber teacher"
            ),
        },
        actions={
            "up": ("go up from <from> to <to>", "move up from <from> to <to>"),
            "down": ("go down from <from> to <to>", "move down from <from> to <to>"),
            "board": ("let <person> in at <floor>", "board <person> at <floor>"),
            "depart": ("let <person> out at <floor>", "drop <person> at <floor>"),
        },
        facts={
            "lift-at": ("the lift is at {0}", "the lift is not at {0}"),
            "waits": ("{0} waits at {1}", "{0} does not wait at {1}"),
            "inside": ("{0} is in the lift", "{0} is not in the lift"),
            "served": ("{0} has arrived", "{0} has not arrived"),
            "wants": ("{0} wants to go to {1}", "{0} does not want to go to {1}"),
            "above": ("{1} is above {0}", "{1} is not above {0}"),
        },
        silent=frozenset({"above"}),
        bare=frozenset({"floor"}),
        labels={"from": "floor", "to": "other floor"},
    ),
    Wording(
        rules="You lower and raise the cage of a mine. Gallery 1 is the deepest. The cage takes any number of miners, "
        "and each leaves it only in the gallery where work waits.",
        names={
            "floor": tuple(f"gallery-{number}" for number in range(1, 31)),
            "person": tuple(
                f"miner-{name}"
                for name in listing("ada ben cora dan eva finn gus hana ivo jana kurt lea max nora otto pia")
            ),
        },
        actions={
            "up": ("raise the cage from <from> to <to>", "raise from <from> to <to>"),
            "down": ("lower the cage from <from> to <to>", "lower from <from> to <to>"),
            "board": ("call <person> into the cage in <floor>", "take <person> aboard in <floor>"),
            "depart": ("send <person> out of the cage in <floor>", "let <person> off in <floor>"),
        },
        facts={
            "lift-at": ("the cage hangs in {0}", "the cage is not in {0}"),
            "waits": ("{0} waits in {1}", "{0} does not wait in {1}"),
            "inside": ("{0} stands in the cage", "{0} is not in the cage"),
            "served": ("{0} is at work", "{0} is not at work"),
            "wants": ("{0} has to work in {1}", "{0} has no work in {1}"),
            "above": ("{1} lies above {0}", "{1} does not lie above {0}"),
        },
        silent=frozenset({"above"}),
        bare=frozenset({"floor", "person"}),
        labels={"from": "gallery", "to": "other gallery", "floor": "gallery", "person": "miner"},
    ),
)


def draw(rng: TaskRandom, size: int, items: int, wording: Wording) -> Sketch:
    """A house of `size` + 3 floors, and as many people as `items`, who want to another floor; `wording` names both.

    The floors stand in the order of their names; `rng` draws where the lift and the people are.
    """
    sketch = Sketch()
    floors = sketch.add("floor", wording.names["floor"][: 3 + size])
    sketch.init = [("lift-at", rng.pick(floors))]
    sketch.init += [("above", low, high) for place, low in enumerate(floors) for high in floors[place + 1 :]]
    names = rng.shuffled(wording.names["person"])
    for name in sketch.add("person", names[:items]):
        floor = rng.pick(floors)
        sketch.init += [("waits", name, floor), ("wants", name, rng.other(floors, floor))]
        sketch.goals.append([("served", name)])
    return sketch


FIELD = Field(PDDL, WORDINGS, draw)
