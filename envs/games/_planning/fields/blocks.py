"""Blocks: piles taken apart and built up again, one block at a time."""

from __future__ import annotations

from itertools import pairwise

from agentgym.envs.games._planning.fields._field import Field, Sketch, TaskRandom
from agentgym.envs.games._planning.strips import Atom
from agentgym.envs.games._planning.words import Wording, listing

PDDL = """
(define (domain blocks)
  (:requirements :strips :typing)
  (:types block)
  (:predicates (on ?block ?under - block) (on-table ?block - block) (clear ?block - block) (holding ?block - block)
    (hand-empty))
  (:action pick-up :parameters (?block - block)
    :precondition (and (on-table ?block) (clear ?block) (hand-empty))
    :effect (and (holding ?block) (not (on-table ?block)) (not (clear ?block)) (not (hand-empty))))
  (:action put-down :parameters (?block - block)
    :precondition (and (holding ?block))
    :effect (and (on-table ?block) (clear ?block) (hand-empty) (not (holding ?block))))
  (:action stack :parameters (?block ?under - block)
    :precondition (and (holding ?block) (clear ?under))
    :effect (and (on ?block ?under) (clear ?block) (hand-empty) (not (holding ?block)) (not (clear ?under))))
  (:action unstack :parameters (?block ?under - block)
    :precondition (and (on ?block ?under) (clear ?block) (hand-empty))
    :effect (and (holding ?block) (clear ?under) (not (on ?block ?under)) (not (clear ?block)) (not (hand-empty)))))
"""

COLORS = listing(
    "red blue green yellow orange purple white black pink brown grey gold silver crimson turquoise violet "
    "olive ivory scarlet teal"
)
GOODS = listing(
    "apples books candles drums eggs flour glass honey ink jam kettles lamps mirrors nails olives paper "
    "quills rope salt tea"
)

WORDINGS = (
    Wording(
        rules="You move blocks on a table with one hand. You can hold one block at a time, and only take a block that "
        "has nothing on it. There is room on the table for all of them.",
        names={"block": tuple(f"{color}-block" for color in COLORS)},
        actions={
            "pick-up": ("pick up <block>", "pick up <block> from the table", "pickup <block>", "lift <block>"),
            "put-down": ("put down <block>", "put <block> on the table", "putdown <block>"),
            "stack": ("stack <block> on <under>", "stack <block> on top of <under>", "put <block> on <under>"),
            "unstack": ("unstack <block> from <under>", "take <block> off <under>", "unstack <block> off <under>"),
        },
        facts={
            "on": ("{0} is on {1}", "{0} is not on {1}"),
            "on-table": ("{0} is on the table", "{0} is not on the table"),
            "clear": ("nothing is on {0}", "{0} is not free on top"),
            "holding": ("you are holding {0}", "you are not holding {0}"),
            "hand-empty": ("your hand is empty", "your hand is not empty"),
        },
        labels={"under": "other block"},
    ),
    Wording(
        rules="You work a crane in a yard where crates stand on the ground or on each other. The crane carries one "
        "crate at a time and can grip only the top crate of a pile.",
        names={"block": tuple(f"crate-of-{goods}" for goods in GOODS)},
        actions={
            "pick-up": ("hoist <block>", "hoist <block> from the ground"),
            "put-down": ("lower <block>", "lower <block> to the ground"),
            "stack": ("set <block> on <under>", "set <block> on top of <under>", "lower <block> onto <under>"),
            "unstack": ("hoist <block> off <under>", "hoist <block> from <under>"),
        },
        facts={
            "on": ("{0} stands on {1}", "{0} does not stand on {1}"),
            "on-table": ("{0} stands on the ground", "{0} does not stand on the ground"),
            "clear": ("{0} is at the top of its pile", "{0} is not at the top of a pile"),
            "holding": ("the crane holds {0}", "the crane does not hold {0}"),
            "hand-empty": ("the crane is free", "the crane is not free"),
        },
        labels={"block": "crate", "under": "other crate"},
    ),
)


def draw(rng: TaskRandom, size: int, items: int, wording: Wording) -> Sketch:
    """Piles of size + 2 blocks, and piles to build; every further block goes somewhere into both.

    Args:
        rng: The dice; a problem of this size whose first goal holds already is thrown again.
        size: The first size + 2 blocks are the problem of this size; 2 + size // 4 piles are to be built, at most.
        items: Blocks less 2 in all, at least `size`.
        wording: Names the blocks.
    """
    while True:
        sketch = Sketch()
        names = rng.shuffled(wording.names["block"])[: items + 2]
        piles: list[list[str]] = []
        wanted: list[list[str]] = []
        for count, name in enumerate(names, start=1):
            _insert(rng, piles, name)
            _want(rng, wanted, name, 2 + size // 4, sketch)
            if count == size + 2:
                begun = _standing(piles)
        sketch.add("block", sorted(names))
        sketch.init = [*_standing(piles), ("hand-empty",)]
        if sketch.goals[0][0] not in begun:
            return sketch


def _insert(rng: TaskRandom, piles: list[list[str]], name: str) -> None:
    """Put a block into a pile, at any height, or begin a new pile."""
    place = rng.below(len(piles) + 1)
    if place == len(piles):
        piles.append([name])
    else:
        piles[place].insert(rng.below(len(piles[place]) + 1), name)


def _want(rng: TaskRandom, wanted: list[list[str]], name: str, most: int, sketch: Sketch) -> None:
    """Add a block to the piles to build, at an end, so that what a smaller problem wants stays as it is.

    Of the first pile only the order is wanted; it may also grow from below. The others are to stand on the table.
    """
    if not wanted:
        wanted.append([name])
        return
    place = rng.below(min(len(wanted) + 1, most))
    if place == len(wanted):
        wanted.append([name])
        sketch.goals.append([("on-table", name)])
    elif place == 0 and rng.roll() < 0.5:
        sketch.goals.append([("on", wanted[0][0], name)])
        wanted[0].insert(0, name)
    else:
        sketch.goals.append([("on", name, wanted[place][-1])])
        wanted[place].append(name)


def _standing(piles: list[list[str]]) -> list[Atom]:
    """The facts of piles."""
    found: list[Atom] = []
    for pile in piles:
        found.append(("on-table", pile[0]))
        found += [("on", above, below) for below, above in pairwise(pile)]
        found.append(("clear", pile[-1]))
    return found


FIELD = Field(PDDL, WORDINGS, draw)
