"""Goals in words: the original's templates, and the many wordings of people who were asked to say what to do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agentgym.assets.household import phrases
from agentgym.envs.text._household.game import LOOK, PICK, TREATMENTS, TWO

PLAIN = {
    PICK: ("put a {o} in {t}", "put some {o} on {t}"),
    LOOK: ("look at {o} under the {t}", "examine the {o} with the {t}"),
    "clean": ("put a clean {o} in {t}", "clean some {o} and put it in {t}"),
    "heat": ("put a hot {o} in {t}", "heat some {o} and put it in {t}"),
    "cool": ("put a cool {o} in {t}", "cool some {o} and put it in {t}"),
    TWO: ("put two {o} in {t}", "find two {o} and put them in {t}"),
}
SLOT = re.compile(r"\{(\w+)(?: ([\w ]+))?\}")


def plain_phrase(rng: np.random.Generator, goal: Mapping[str, Any]) -> str:
    """A goal in one of the original's templates.

    Args:
        rng: The task's generator.
        goal: Its record in the specification.
    """
    return _one(rng, PLAIN[TREATMENTS.get(goal["type"], goal["type"])]).format(o=goal["object"], t=goal["target"])


def paraphrase(rng: np.random.Generator, goals: Sequence[Mapping[str, Any]], kinds: Mapping[str, int]) -> str:
    """Goals as people say them: what to do, and then, where `told` says so, where the things are.

    Args:
        rng: The task's generator.
        goals: Their records in the specification.
        kinds: How many receptacles of each kind there are.
    """
    parts = [", and ".join(_wish(rng, goal) for goal in goals)]
    parts += [_told(rng, goal, kinds) for goal in goals if goal.get("told")]
    return ". ".join(parts)


def _wish(rng: np.random.Generator, goal: Mapping[str, Any]) -> str:
    """What to do."""
    known = phrases()
    kind, target = goal["object"], goal["target"]
    name = _one(rng, known.objects[kind])
    if goal["type"] == LOOK:
        place, where = "", _one(rng, known.objects[target])
    else:
        place, where = known.places[target][0], _one(rng, known.places[target][1:])
    template = _one(rng, known.goals[goal["type"]])
    if "{in} it" in template:
        template = template.replace("{in} it", f"{place} it")
    words = {"in": place, "t": where, "os": _plural(kind)}

    def fill(slot: re.Match[str]) -> str:
        return with_article(f"{slot[2]} {name}" if slot[2] else name) if slot[1] == "a" else words[slot[1]]

    return SLOT.sub(fill, template)


def _told(rng: np.random.Generator, goal: Mapping[str, Any], kinds: Mapping[str, int]) -> str:
    """Where the objects are."""
    places = [_place(rng, name, kinds) for name in goal["told"]]
    known = phrases()
    if len(places) > 1:
        return _one(rng, known.told_both).format(place=places[0], other=places[1])
    template = _one(rng, known.told)
    return template.format(place=places[0])


def _place(rng: np.random.Generator, receptacle: str, kinds: Mapping[str, int]) -> str:
    """`on the desk`, or `in cupboard 3` where there are several."""
    kind, _, number = receptacle.rpartition(" ")
    preposition, *names = phrases().places[kind]
    name = _one(rng, names)
    return f"{preposition} the {name}" if kinds[kind] == 1 else f"{preposition} {name} {number}"


def _plural(kind: str) -> str:
    known = phrases()
    return known.plurals.get(kind) or f"{known.objects[kind][0]}s"


def with_article(name: str) -> str:
    """`an apple`, `a mug`."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _one(rng: np.random.Generator, choices: Sequence[str]) -> str:
    return choices[int(rng.integers(len(choices)))]
