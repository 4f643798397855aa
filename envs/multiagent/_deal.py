"""Dividing a few things between two: every division, every way to value them, exact solutions, scripted players."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TypeAlias

import numpy as np

Bundle: TypeAlias = tuple[int, int, int]
THINGS = ("book", "hat", "ball")
WORTH = 10  # what all the things together are worth to each player
MODEST = 3  # what the simple player would settle for in the end
POOL = range(5, 8)  # how many things there are


@lru_cache(maxsize=64)
def bundles(counts: Bundle) -> tuple[Bundle, ...]:
    """Every part of the pool that a player can keep, from nothing to everything."""
    return tuple(product(*(range(count + 1) for count in counts)))  # type: ignore[arg-type]


@lru_cache(maxsize=64)
def valuations(counts: Bundle) -> tuple[Bundle, ...]:
    """Every way to value single things such that all of them together are worth `WORTH`."""
    return tuple(
        values  # type: ignore[misc]
        for values in product(range(WORTH + 1), repeat=len(counts))
        if sum(count * value for count, value in zip(counts, values, strict=True)) == WORTH
    )


def worth(values: Bundle, bundle: Bundle) -> int:
    """What a `bundle` is worth to a player, given the `values` of one book, hat and ball."""
    return values[0] * bundle[0] + values[1] * bundle[1] + values[2] * bundle[2]


def rest(counts: Bundle, bundle: Bundle) -> Bundle:
    """What is left of the pool `counts` for the other beside a `bundle`, which is a part of it."""
    return counts[0] - bundle[0], counts[1] - bundle[1], counts[2] - bundle[2]


def compatible(one: Bundle, other: Bundle) -> bool:
    """Whether two ways to value a pool make a negotiation.

    Every kind is worth something to somebody, some kind to both, and the two cannot both get all they want (Lewis et
    al. 2017, section 2).

    Args:
        one, other: What one thing of each kind is worth to each player.
    """
    pairs = list(zip(one, other, strict=True))
    shared = any(mine and theirs for mine, theirs in pairs)
    return all(mine or theirs for mine, theirs in pairs) and shared


@lru_cache(maxsize=1024)
def partners(counts: Bundle, mine: Bundle) -> tuple[Bundle, ...]:
    """Every way in which the other may value the pool `counts`, given that one values it as `mine`."""
    return tuple(values for values in valuations(counts) if compatible(mine, values))


@dataclass(frozen=True, slots=True)
class Solution:
    """What a pool is worth at best.

    Attributes:
        fair: Points of each player in the Nash solution, the division of the largest product of points; of several such
            divisions, the fewest points a player gets in one of them.
        joint: The most points that both can have together.
    """

    fair: tuple[int, int]
    joint: int


@lru_cache(maxsize=1024)
def solve(counts: Bundle, one: Bundle, other: Bundle) -> Solution:
    """The exact solution by enumeration.

    Args:
        counts: The pool.
        one, other: What one thing of each kind is worth to each player.
    """
    points = [(worth(one, kept), worth(other, rest(counts, kept))) for kept in bundles(counts)]
    best = max(mine * theirs for mine, theirs in points)
    nash = [pair for pair in points if pair[0] * pair[1] == best]
    return Solution((min(pair[0] for pair in nash), min(pair[1] for pair in nash)), max(map(sum, points)))


def dominated(counts: Bundle, one: Bundle, other: Bundle, kept: Bundle) -> bool:
    """Whether another division would be better for one and no worse for the other than that one keeps `kept`.

    Args:
        counts: The pool.
        one, other: What one thing of each kind is worth to each player.
        kept: What the first of them keeps; the other gets the rest.
    """
    mine, theirs = worth(one, kept), worth(other, rest(counts, kept))
    for each in bundles(counts):
        pair = worth(one, each), worth(other, rest(counts, each))
        if pair[0] >= mine and pair[1] >= theirs and pair != (mine, theirs):
            return True
    return False


def spelled(bundle: Bundle) -> str:
    """A bundle in the words of the grammar."""
    return " ".join(f"{count} {thing}s" for count, thing in zip(bundle, THINGS, strict=True))


def listed(bundle: Bundle) -> str:
    """A bundle as one says it."""
    parts = [f"{count} {thing}{'s' if count > 1 else ''}" for count, thing in zip(bundle, THINGS, strict=True) if count]
    if not parts:
        return "nothing"
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


@dataclass(frozen=True, slots=True)
class Known:
    """What a player knows.

    Attributes:
        counts: The pool.
        mine: What one of each kind is worth to the player.
        left: Moves of both that are left, this one included.
        moves: Moves of both in a whole negotiation.
        asked: What the player has asked for so far, and what the other has, latest last.
        offer: What the other's standing proposal leaves the player; None if there is none.
    """

    counts: Bundle
    mine: Bundle
    left: int
    moves: int
    asked: tuple[tuple[Bundle, ...], tuple[Bundle, ...]]
    offer: Bundle | None


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Proposes anything, and now and then accepts, talks or waits.

    Of `known` it uses the pool and whether it can accept; the rest is thrown with `rng`.
    """
    luck = rng.random()
    if known.offer is not None and luck < 0.1:
        return "accept"
    if luck < 0.2:
        return ("pass", "say Let us find a deal.", "say What do you want most?")[int(rng.integers(3))]
    every = bundles(known.counts)
    return f"propose {spelled(every[int(rng.integers(len(every)))])}"


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """Asks for everything it values and gives way step by step to `MODEST` points, whatever the other does.

    How far it has come follows from `known`; `rng` picks one of the proposals that are as good.
    """
    target = WORTH - (WORTH - MODEST) * (1 - known.left / known.moves)
    if known.offer is not None and worth(known.mine, known.offer) >= min(target, WORTH - 1):
        return "accept"
    if known.left == 1:
        return "pass"
    enough = [kept for kept in bundles(known.counts) if worth(known.mine, kept) >= target]
    least = min((worth(known.mine, kept), -sum(rest(known.counts, kept))) for kept in enough)
    best = [kept for kept in enough if (worth(known.mine, kept), -sum(rest(known.counts, kept))) == least]
    return f"propose {spelled(best[int(rng.integers(len(best)))])}"


def strong_opponent(known: Known, rng: np.random.Generator) -> str:
    """Infers from proposals what the other values, asks for the most that it may grant, and gives way late.

    What it does follows from `known`; `rng` picks the words with a new proposal.
    """
    beliefs = believed(known)
    urgency = 1 - known.left / known.moves
    grant = 8.0 - 2.5 * urgency  # what the other is thought to insist on
    floor = 9.5 - 5.0 * urgency**3.0 if known.left > 3 else 1.0
    offered = 0 if known.offer is None else worth(known.mine, known.offer)
    if offered and offered >= floor:
        return "accept"
    if known.left == 1:
        return "pass"
    latest = known.asked[1][-1] if known.asked[1] else known.counts

    def asked(values: Bundle) -> int:
        return worth(values, latest)

    later = floor - 1 if known.left > 3 else 0.0  # what waiting may still bring
    best, score = None, -1.0
    for kept in bundles(known.counts):
        own = worth(known.mine, kept)
        if own < floor:
            continue
        left = rest(known.counts, kept)
        chance = sum(
            share / (1 + math.exp(min(50.0, 2 * (min(grant, asked(values)) - worth(values, left)))))
            for values, share in beliefs
        )
        hope = own * chance + later * (1 - chance)
        if hope > score:
            best, score = kept, hope
    assert best is not None, "everything is worth more than any floor"
    if offered >= score:
        return "accept"
    return f"propose {spelled(best)}{_plea(known, best, rng)}"


def believed(known: Known) -> list[tuple[Bundle, float]]:
    """How likely each way is in which the other may value the pool, given what it asked for: it asks for what it likes.

    Proposals count once each, because a player that repeats itself tells nothing new.
    """
    asked = set(known.asked[1])
    weights = []
    for values in partners(known.counts, known.mine):
        doubt = 0.0
        for kept in asked:
            doubt += WORTH - worth(values, kept)
            doubt += sum(count for count, value in zip(kept, values, strict=True) if not value)
        weights.append((values, math.exp(-0.6 * doubt)))
    total = math.fsum(weight for _, weight in weights)
    return [(values, weight / total) for values, weight in weights]


def _plea(known: Known, kept: Bundle, rng: np.random.Generator) -> str:
    """Words for a proposal the first time it is made; they give away no number."""
    if kept in known.asked[0]:
        return ""
    left = listed(rest(known.counts, kept))
    dearest = THINGS[max(range(3), key=lambda kind: known.mine[kind] * kept[kind])]
    words = (
        f"I need the {dearest}s; you can have {left}.",
        f"How about {left} for you?",
        f"The {dearest}s matter most to me. You would get {left}.",
        f"I would be glad with {listed(kept)}; the rest is yours.",
    )
    return f" saying {words[int(rng.integers(len(words)))]}"
