"""Tyres: flat wheels exchanged, with the right tools in the right order (after `tyreworld`, Russell 1992)."""

from __future__ import annotations

from agentgym.envs.games._planning.fields._field import Field, Sketch, TaskRandom
from agentgym.envs.games._planning.words import Wording, listing

PDDL = """
(define (domain tyres)
  (:requirements :strips :typing)
  (:types hub tool wheel - object)
  (:constants wrench jack pump - tool)
  (:predicates (shut) (open) (packed ?thing - object) (have ?thing - object) (fitted ?wheel - wheel ?hub - hub)
    (bare ?hub - hub) (tight ?hub - hub) (loose ?hub - hub) (no-nuts ?hub - hub) (ground ?hub - hub) (raised ?hub - hub)
    (flat ?wheel - wheel) (firm ?wheel - wheel))
  (:action open-boot :parameters () :precondition (and (shut)) :effect (and (open) (not (shut))))
  (:action shut-boot :parameters () :precondition (and (open)) :effect (and (shut) (not (open))))
  (:action fetch :parameters (?thing - object)
    :precondition (and (packed ?thing) (open))
    :effect (and (have ?thing) (not (packed ?thing))))
  (:action pack :parameters (?thing - object)
    :precondition (and (have ?thing) (open))
    :effect (and (packed ?thing) (not (have ?thing))))
  (:action loosen :parameters (?hub - hub)
    :precondition (and (have wrench) (tight ?hub) (ground ?hub))
    :effect (and (loose ?hub) (not (tight ?hub))))
  (:action tighten :parameters (?hub - hub)
    :precondition (and (have wrench) (loose ?hub) (ground ?hub))
    :effect (and (tight ?hub) (not (loose ?hub))))
  (:action jack-up :parameters (?hub - hub)
    :precondition (and (have jack) (ground ?hub))
    :effect (and (raised ?hub) (not (ground ?hub)) (not (have jack))))
  (:action jack-down :parameters (?hub - hub)
    :precondition (and (raised ?hub))
    :effect (and (ground ?hub) (have jack) (not (raised ?hub))))
  (:action undo :parameters (?hub - hub)
    :precondition (and (have wrench) (loose ?hub) (raised ?hub))
    :effect (and (no-nuts ?hub) (not (loose ?hub))))
  (:action do-up :parameters (?hub - hub)
    :precondition (and (have wrench) (no-nuts ?hub) (raised ?hub))
    :effect (and (loose ?hub) (not (no-nuts ?hub))))
  (:action remove :parameters (?wheel - wheel ?hub - hub)
    :precondition (and (fitted ?wheel ?hub) (no-nuts ?hub) (raised ?hub))
    :effect (and (have ?wheel) (bare ?hub) (not (fitted ?wheel ?hub))))
  (:action fit :parameters (?wheel - wheel ?hub - hub)
    :precondition (and (have ?wheel) (bare ?hub) (no-nuts ?hub) (raised ?hub))
    :effect (and (fitted ?wheel ?hub) (not (have ?wheel)) (not (bare ?hub))))
  (:action inflate :parameters (?wheel - wheel)
    :precondition (and (have pump) (flat ?wheel))
    :effect (and (firm ?wheel) (not (flat ?wheel)))))
"""

HUBS = tuple(f"{side}-hub" for side in listing("front-left front-right rear-left rear-right middle-left middle-right"))
FACTS = {
    "tight": ("the nuts of {0} are tight", "the nuts of {0} are not tight"),
    "loose": ("the nuts of {0} are loose", "the nuts of {0} are not loose"),
    "no-nuts": ("{0} has no nuts on", "{0} has its nuts on"),
    "ground": ("{0} is on the ground", "{0} is not on the ground"),
    "raised": ("{0} is jacked up", "{0} is not jacked up"),
    "have": ("you have {0}", "you do not have {0}"),
}

WORDINGS = (
    Wording(
        rules="You change wheels at the roadside. Tools and spare wheels lie in the boot. Nuts are loosened and "
        "tightened while the hub is on the ground, taken off and put on while it is jacked up; there is one jack. "
        "Spare wheels are flat and need the pump.",
        names={
            "hub": HUBS,
            "old": listing("worn-wheel burst-wheel bent-wheel cracked-wheel cut-wheel muddy-wheel"),
            "new": listing("first-spare second-spare third-spare fourth-spare fifth-spare sixth-spare"),
        },
        actions={
            "open-boot": ("open the boot", "open boot", "open the trunk"),
            "shut-boot": ("shut the boot", "close the boot", "close boot", "shut boot"),
            "fetch": ("fetch <thing>", "take <thing> from the boot", "get <thing>"),
            "pack": ("pack <thing>", "put <thing> in the boot", "put away <thing>"),
            "loosen": ("loosen the nuts of <hub>", "loosen <hub>"),
            "tighten": ("tighten the nuts of <hub>", "tighten <hub>"),
            "jack-up": ("jack up <hub>",),
            "jack-down": ("jack down <hub>",),
            "undo": ("take the nuts off <hub>", "undo <hub>"),
            "do-up": ("put the nuts on <hub>", "do up <hub>"),
            "remove": ("pull <wheel> off <hub>", "remove <wheel> from <hub>"),
            "fit": ("push <wheel> onto <hub>", "fit <wheel> on <hub>", "put <wheel> on <hub>"),
            "inflate": ("inflate <wheel>", "pump up <wheel>"),
        },
        facts={
            **FACTS,
            "shut": ("the boot is shut", "the boot is not shut"),
            "open": ("the boot is open", "the boot is not open"),
            "packed": ("{0} is in the boot", "{0} is not in the boot"),
            "fitted": ("{0} is on {1}", "{0} is not on {1}"),
            "bare": ("there is no wheel on {0}", "there is a wheel on {0}"),
            "flat": ("{0} is flat", "{0} is not flat"),
            "firm": ("{0} is inflated", "{0} is not inflated"),
        },
    ),
    Wording(
        rules="You are the mechanic at a pit stop. Tools and fresh wheels are in the chest. With the hub down you "
        "loosen or tighten its nuts, with the hub jacked up you take them off or put them on; you have one jack. "
        "Fresh wheels come without air; the pump fills them.",
        names={
            "hub": HUBS,
            "old": listing("spent-slick torn-slick hot-slick bald-slick scarred-slick wobbly-slick"),
            "new": listing("soft-slick medium-slick hard-slick rain-wheel storm-wheel gravel-wheel"),
        },
        actions={
            "open-boot": ("open the chest", "open chest"),
            "shut-boot": ("close the chest", "close chest", "shut the chest"),
            "fetch": ("take <thing> out", "fetch <thing>"),
            "pack": ("put <thing> back", "pack <thing>"),
            "loosen": ("loosen <hub>", "loosen the nuts of <hub>"),
            "tighten": ("tighten <hub>", "tighten the nuts of <hub>"),
            "jack-up": ("lift <hub>", "jack up <hub>"),
            "jack-down": ("lower <hub>", "jack down <hub>"),
            "undo": ("unscrew <hub>", "take the nuts off <hub>"),
            "do-up": ("screw on <hub>", "put the nuts on <hub>"),
            "remove": ("take <wheel> off <hub>", "remove <wheel> from <hub>"),
            "fit": ("mount <wheel> on <hub>", "put <wheel> on <hub>"),
            "inflate": ("fill <wheel> with air", "inflate <wheel>"),
        },
        facts={
            **FACTS,
            "shut": ("the chest is closed", "the chest is not closed"),
            "open": ("the chest is open", "the chest is not open"),
            "packed": ("{0} lies in the chest", "{0} is not in the chest"),
            "fitted": ("{0} is mounted on {1}", "{0} is not mounted on {1}"),
            "bare": ("{0} carries no wheel", "{0} carries a wheel"),
            "flat": ("{0} has no air", "{0} is full of air"),
            "firm": ("{0} is full of air", "{0} has no air"),
        },
    ),
)


def draw(rng: TaskRandom, size: int, items: int, wording: Wording) -> Sketch:
    """A car with some hubs; what is wanted of them one by one, first the new wheel in its place, then the rest.

    Args:
        rng: The dice, which choose the names alone.
        size: Ignored: nothing is there but the hubs and the tools.
        items: Steps wanted; every hub has room for three.
        wording: Names hubs, old wheels and new ones.
    """
    sketch = Sketch()
    hubs = sketch.add("hub", rng.shuffled(wording.names["hub"])[: 1 + (items - 1) // 3])
    olds = rng.shuffled(wording.names["old"])
    news = rng.shuffled(wording.names["new"])
    wheels = [*zip(hubs, olds, news, strict=False)]
    sketch.add("wheel", [name for _, old, new in wheels for name in (old, new)])
    sketch.init = [("shut",), ("packed", "wrench"), ("packed", "jack"), ("packed", "pump")]
    for place, (hub, old, new) in enumerate(wheels):
        sketch.init += [("fitted", old, hub), ("tight", hub), ("ground", hub), ("packed", new), ("flat", new)]
        sketch.goals.append([("fitted", new, hub)])
        if items - 3 * place > 1:
            sketch.goals.append([("firm", new), ("tight", hub)])
        if items - 3 * place > 2:
            sketch.goals.append([("packed", old)])
    return sketch


FIELD = Field(PDDL, WORDINGS, draw)
