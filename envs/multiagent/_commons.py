"""The words of the three commons, how a short stock is divided, what is measured, and scripted harvesters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CAP = 100  # units that the resource can hold
LEAST = 5  # units below which it does not recover
DOUBLING = 100  # per cent by which what is left grows in the published game
GREED = (5, 4)  # of what can be borne simple harvesters take together
HUMS = ("I have nothing to add.", "How much will you take?", "The others take more than I do.")


@dataclass(frozen=True, slots=True)
class Scenario:
    """The words of one commons.

    Attributes:
        about: What the group does, in a sentence or two.
        before: What stands before a harvest; `{}` is the stock.
        took: What a harvest was; `{}` are who, wish and catch.
        unit: What is counted.
        each: The clause of the universalisation sentence; `{}` is the threshold.
    """

    about: str
    before: str
    took: str
    unit: str
    each: str


SCENARIOS = {
    "fishery": Scenario(
        about="You and the other fishers live from one lake. Each month everyone names how many tons of fish to catch.",
        before="Before everyone fishes, there are {} tons of fish in the lake.",
        took="{} wanted to catch {} tons of fish, and caught {} tons.",
        unit="tons of fish",
        each="if everyone fishes more than {} tons, the lake population will shrink next month.",
    ),
    "pasture": Scenario(
        about="You and the other shepherds share one pasture; each sheep eats a hectare of grass a month. Each month "
        "everyone names how many sheep to let graze.",
        before="Before everyone lets sheep graze, there are {} hectares of grass.",
        took="{} wanted to let {} sheep graze, and {} found grass.",
        unit="hectares of grass",
        each="if everyone lets more than {} sheep graze, the pasture will shrink next month.",
    ),
    "pollution": Scenario(
        about="You and the other factory owners share one river; a pallet of goods spoils 1 % of its water. Each month "
        "everyone names how many pallets to make.",
        before="Before everyone produces, {} % of the river's water is clean.",
        took="{} wanted to make {} pallets, and made {}.",
        unit="% of clean water",
        each="if everyone makes more than {} pallets, the river will be less clean next month.",
    ),
}


@dataclass(frozen=True, slots=True)
class Known:
    """What a harvester knows; all but others' wishes is public.

    Attributes:
        stock: Units there are.
        growth: Per cent by which what is left grows.
        place, players: The player's place and the number of players.
        month, months: Which month it is, from 1, and how many there are.
        talking: Whether the group talks now, and is not harvesting.
        opening: Whether this is the first round of talk of the game.
    """

    stock: int
    growth: int
    place: int
    players: int
    month: int
    months: int
    talking: bool
    opening: bool


def grown(left: int, growth: int) -> int:
    """The next month's stock: what is `left` and `growth` per cent of it, rounded down, at most `CAP`."""
    return min(CAP, left * (100 + growth) // 100)


def needed(stock: int, growth: int) -> int:
    """The least of a `stock` that must be left so that as much comes back at a `growth` in per cent."""
    return -(-stock * 100 // (100 + growth))


def threshold(stock: int, growth: int, players: int) -> int:
    """What each of the `players` may take so that a `stock` comes back to where it was, at a `growth` in per cent."""
    return (stock - needed(stock, growth)) // players


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Any amount, any remark.

    The amount is at most the stock in `known`; it and the remark are drawn with `rng`.
    """
    if known.talking:
        return f"say {HUMS[int(rng.integers(len(HUMS)))]}" if rng.random() < 0.5 else "pass"
    return f"harvest {int(rng.integers(known.stock + 1))}"


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """A share of five quarters of what the stock bears.

    It goes by `known` alone and asks `rng` for nothing.
    """
    part, whole = GREED
    bearable = known.stock - needed(known.stock, known.growth)
    return "pass" if known.talking else f"harvest {bearable * part // (whole * known.players)}"


def strong_opponent(known: Known, rng: np.random.Generator) -> str:
    """What leaves enough to grow back to the cap, and one proposal that all do so.

    The proposal is the first player's, in the first round of talk. It goes by `known` alone and asks `rng` for nothing.
    """
    if known.talking:
        if not known.opening or known.place:
            return "pass"
        leave = needed(CAP, known.growth)
        return f"say Let everyone take no more than what is above {leave}, divided by {known.players}."
    return f"harvest {max(0, known.stock - needed(CAP, known.growth)) // known.players}"


def best(known: Known) -> str:
    """A player's share of what makes the sum of all harvests greatest: see `spared`."""
    if known.talking:
        return "pass"
    share, rest = divmod(spared(known.stock, known.growth, known.month == known.months), known.players)
    return f"harvest {share + (known.place < rest)}"


def spared(stock: int, growth: int, last: bool) -> int:
    """What all together had best take: what leaves enough to grow back to the cap, in the last month all but the least.

    A unit that is left grows up to the cap, so all above is best taken at once, and nothing below it.

    Args:
        stock: Units there are.
        growth: Per cent by which what is left grows.
        last: Whether this is the last month.
    """
    return max(0, stock - (LEAST if last else needed(CAP, growth)))


def most(stock: int, growth: int, months: int) -> int:
    """The greatest total that all together can have.

    Args:
        stock: Units at the beginning.
        growth: Per cent by which what is left grows.
        months: How many there are.
    """
    total = 0
    for month in range(1, months + 1):
        take = spared(stock, growth, month == months)
        total, stock = total + take, grown(stock - take, growth)
    return total


def divided(wishes: Sequence[int], stock: int, by_lot: bool, rng: np.random.Generator) -> list[int]:
    """What each gets: the wish, or, where all together wish too much, a share.

    Args:
        wishes: What each wants.
        stock: What there is.
        by_lot: Whether units go one at a time to one of those who still want some; otherwise in proportion, with what
            is left by rounding given out by lot.
        rng: The lots.
    """
    if sum(wishes) <= stock:
        return list(wishes)
    got = [0] * len(wishes) if by_lot else [wish * stock // sum(wishes) for wish in wishes]
    wanting = [place for place, wish in enumerate(wishes) if got[place] < wish]
    for lot in rng.random(stock - sum(got)).tolist():
        place = wanting[int(lot * len(wanting))]
        got[place] += 1
        if got[place] == wishes[place]:
            wanting.remove(place)
    return got


def equality(gains: Sequence[int]) -> float:
    """1 minus the Gini coefficient; 1 where nobody has anything."""
    count, total = len(gains), sum(gains)
    if not total:
        return 1.0
    weighted = sum((2 * place - count + 1) * gain for place, gain in enumerate(sorted(gains)))
    return 1.0 - weighted / (count * total)


def efficiency(gains: Sequence[int], months: int, stock: int, growth: int) -> float:
    """Total catch as a share of what the first stock could bear every month, at most 1.

    Args:
        gains: What each player has taken in all.
        months: How many there are in a game, played or not.
        stock: Units at the beginning.
        growth: Per cent by which what is left grows.
    """
    bearable = months * (stock - needed(stock, growth))
    return 1.0 - max(0, bearable - sum(gains)) / bearable
