"""Logistics: parcels sent between cities, over land within one and through the air between them (Veloso 1992)."""

from __future__ import annotations

from agentgym.envs.games._planning.fields._field import Field, Sketch, TaskRandom
from agentgym.envs.games._planning.words import Wording, listing

PDDL = """
(define (domain logistics)
  (:requirements :strips :typing)
  (:types place region carrier parcel - object gate - place lorry plane - carrier)
  (:predicates (at ?carrier - carrier ?place - place) (lies ?parcel - parcel ?place - place)
    (in ?parcel - parcel ?carrier - carrier) (part-of ?place - place ?region - region))
  (:action drive :parameters (?lorry - lorry ?region - region ?from ?to - place)
    :precondition (and (at ?lorry ?from) (part-of ?from ?region) (part-of ?to ?region))
    :effect (and (at ?lorry ?to) (not (at ?lorry ?from))))
  (:action fly :parameters (?plane - plane ?from ?to - gate)
    :precondition (and (at ?plane ?from))
    :effect (and (at ?plane ?to) (not (at ?plane ?from))))
  (:action load :parameters (?parcel - parcel ?carrier - carrier ?place - place)
    :precondition (and (lies ?parcel ?place) (at ?carrier ?place))
    :effect (and (in ?parcel ?carrier) (not (lies ?parcel ?place))))
  (:action unload :parameters (?parcel - parcel ?carrier - carrier ?place - place)
    :precondition (and (in ?parcel ?carrier) (at ?carrier ?place))
    :effect (and (lies ?parcel ?place) (not (in ?parcel ?carrier)))))
"""

PARCELS = listing(
    "piano clock statue bicycle telescope painting armchair globe harp vase carpet bookcase mirror "
    "sewing-machine chandelier rocking-horse"
)

WORDINGS = (
    Wording(
        rules="You run a delivery service. A truck drives between places of its city; an airplane flies between "
        "airports. Both carry as many parcels as you like.",
        names={
            "region": listing("vienna lisbon oslo athens dublin prague"),
            "gate": ("airport",),
            "place": listing("station market museum harbour theatre"),
            "lorry": ("truck",),
            "plane": ("white-airplane", "blue-airplane", "red-airplane"),
            "parcel": PARCELS,
        },
        actions={
            "drive": ("drive <lorry> from <from> to <to> in <region>", "move <lorry> from <from> to <to> in <region>"),
            "fly": ("fly <plane> from <from> to <to>",),
            "load": ("load <parcel> into <carrier> at <place>", "put <parcel> into <carrier> at <place>"),
            "unload": ("unload <parcel> from <carrier> at <place>", "take <parcel> from <carrier> at <place>"),
        },
        facts={
            "at": ("{0} is at {1}", "{0} is not at {1}"),
            "lies": ("{0} is at {1}", "{0} is not at {1}"),
            "in": ("{0} is in {1}", "{0} is not in {1}"),
            "part-of": ("{0} is in {1}", "{0} is not in {1}"),
        },
        bare=frozenset({"region"}),
        labels={
            "from": "place",
            "to": "other place",
            "region": "city",
            "gate": "airport",
            "lorry": "truck",
            "plane": "airplane",
            "carrier": "truck or airplane",
        },
    ),
    Wording(
        rules="You trade between islands. Each island has a cart that rolls between its places; ships sail between the "
        "harbours. Carts and ships hold any number of goods.",
        names={
            "region": listing("coral-isle gull-isle fern-isle salt-isle moon-isle thorn-isle"),
            "gate": ("harbour",),
            "place": listing("village farm quarry temple mill"),
            "lorry": ("cart",),
            "plane": ("tall-ship", "old-ship", "swift-ship"),
            "parcel": PARCELS,
        },
        actions={
            "drive": ("roll <lorry> from <from> to <to> on <region>", "move <lorry> from <from> to <to> on <region>"),
            "fly": ("sail <plane> from <from> to <to>",),
            "load": ("put <parcel> on <carrier> at <place>", "load <parcel> on <carrier> at <place>"),
            "unload": ("take <parcel> off <carrier> at <place>", "unload <parcel> off <carrier> at <place>"),
        },
        facts={
            "at": ("{0} stands ready at {1}", "{0} is not at {1}"),
            "lies": ("{0} lies at {1}", "{0} does not lie at {1}"),
            "in": ("{0} is on board {1}", "{0} is not on board {1}"),
            "part-of": ("{0} belongs to {1}", "{0} does not belong to {1}"),
        },
        bare=frozenset({"region"}),
        labels={
            "from": "place",
            "to": "other place",
            "region": "island",
            "gate": "harbour",
            "lorry": "cart",
            "plane": "ship",
            "carrier": "cart or ship",
            "parcel": "goods",
        },
    ),
)


def draw(rng: TaskRandom, size: int, items: int, wording: Wording) -> Sketch:
    """Cities of one airport and some places, a truck each, planes, and parcels that are wanted elsewhere.

    Args:
        rng: The dice.
        size: Every five of it are a city beyond the first two, every four a place in each city beyond the first, every
            eight a plane beyond the first.
        items: Parcels.
        wording: Names everything; a place is called after its city.
    """
    sketch = Sketch()
    cities = sketch.add("region", rng.shuffled(wording.names["region"])[: 2 + size // 5])
    each = 1 + size // 4
    places: list[str] = []
    gates: list[str] = []
    for city in cities:
        gates += sketch.add("gate", [f"{city}-{wording.names['gate'][0]}"])
        rest = rng.shuffled(wording.names["place"])[:each]
        places += [gates[-1], *sketch.add("place", [f"{city}-{name}" for name in rest])]
        own = places[-each - 1 :]
        sketch.init += [("part-of", place, city) for place in own]
        (lorry,) = sketch.add("lorry", [f"{city}-{wording.names['lorry'][0]}"])
        sketch.init.append(("at", lorry, rng.pick(own)))
    for plane in sketch.add("plane", rng.shuffled(wording.names["plane"])[: 1 + size // 8]):
        sketch.init.append(("at", plane, rng.pick(gates)))
    names = rng.shuffled(wording.names["parcel"])
    for name in sketch.add("parcel", names[:items]):
        place = rng.pick(places)
        sketch.init.append(("lies", name, place))
        sketch.goals.append([("lies", name, rng.other(places, place))])
    return sketch


FIELD = Field(PDDL, WORDINGS, draw)
