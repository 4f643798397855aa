"""Ferry: passengers brought over the water, one at a time."""

from __future__ import annotations

from agentgym.envs.games._planning.fields._field import Field, Sketch, TaskRandom
from agentgym.envs.games._planning.words import Wording, listing

PDDL = """
(define (domain ferry)
  (:requirements :strips :typing)
  (:types shore cargo)
  (:predicates (at-ferry ?shore - shore) (at ?cargo - cargo ?shore - shore) (aboard ?cargo - cargo) (empty-ferry))
  (:action sail :parameters (?from ?to - shore)
    :precondition (and (at-ferry ?from))
    :effect (and (at-ferry ?to) (not (at-ferry ?from))))
  (:action board :parameters (?cargo - cargo ?shore - shore)
    :precondition (and (at ?cargo ?shore) (at-ferry ?shore) (empty-ferry))
    :effect (and (aboard ?cargo) (not (at ?cargo ?shore)) (not (empty-ferry))))
  (:action debark :parameters (?cargo - cargo ?shore - shore)
    :precondition (and (aboard ?cargo) (at-ferry ?shore))
    :effect (and (at ?cargo ?shore) (empty-ferry) (not (aboard ?cargo)))))
"""

WORDINGS = (
    Wording(
        rules="You steer a ferry that has room for one vehicle. It can sail from any port to any other.",
        names={
            "shore": listing(
                "north-port south-port old-port fishing-port castle-port river-port stone-port lighthouse-port"
            ),
            "cargo": listing(
                "taxi van bus tractor ambulance milk-lorry fire-engine jeep limousine ice-cream-van "
                "motorcycle police-car caravan racing-car post-van tow-truck"
            ),
        },
        actions={
            "sail": ("sail from <from> to <to>", "go from <from> to <to>"),
            "board": ("board <cargo> at <shore>", "load <cargo> at <shore>"),
            "debark": ("debark <cargo> at <shore>", "unload <cargo> at <shore>"),
        },
        facts={
            "at-ferry": ("the ferry is at {0}", "the ferry is not at {0}"),
            "at": ("{0} is at {1}", "{0} is not at {1}"),
            "aboard": ("{0} is on the ferry", "{0} is not on the ferry"),
            "empty-ferry": ("the ferry is empty", "the ferry is not empty"),
        },
        labels={"shore": "port", "cargo": "vehicle", "from": "port", "to": "other port"},
    ),
    Wording(
        rules="You are a herder with a raft on a lake of islands. The raft carries you and one animal, and reaches "
        "every island from every other. The animals leave each other in peace.",
        names={
            "shore": listing(
                "reed-island birch-island rock-island heron-island clover-island long-island mill-island sand-island"
            ),
            "cargo": listing("goat cow pony donkey sheep llama goose calf mule ox pig ram foal hen yak alpaca"),
        },
        actions={
            "sail": ("row from <from> to <to>", "go from <from> to <to>"),
            "board": ("lead <cargo> onto the raft at <shore>", "take <cargo> aboard at <shore>"),
            "debark": ("lead <cargo> off the raft at <shore>", "let <cargo> off at <shore>"),
        },
        facts={
            "at-ferry": ("the raft is at {0}", "the raft is not at {0}"),
            "at": ("{0} grazes on {1}", "{0} is not on {1}"),
            "aboard": ("{0} is on the raft", "{0} is not on the raft"),
            "empty-ferry": ("there is no animal on the raft", "there is an animal on the raft"),
        },
        labels={"shore": "island", "from": "island", "to": "other island", "cargo": "animal"},
    ),
)


def draw(rng: TaskRandom, size: int, items: int, wording: Wording) -> Sketch:
    """Shores, and cargo that is each wanted at another shore.

    There are 2 shores and one more for every two of `size`, and as many pieces of cargo as `items`. The names are drawn
    from `wording` with `rng`, as is where everything is.
    """
    sketch = Sketch()
    shores = sketch.add("shore", rng.shuffled(wording.names["shore"])[: 2 + size // 2])
    names = rng.shuffled(wording.names["cargo"])
    sketch.init = [("at-ferry", rng.pick(shores)), ("empty-ferry",)]
    for name in sketch.add("cargo", names[:items]):
        shore = rng.pick(shores)
        sketch.init.append(("at", name, shore))
        sketch.goals.append([("at", name, rng.other(shores, shore))])
    return sketch


FIELD = Field(PDDL, WORDINGS, draw)
