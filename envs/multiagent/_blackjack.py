"""Hands of blackjack, exact expectations against a dealer, and players of graded strength."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

RANKS = "A23456789TJQK"
PIPS = {rank: min(place + 1, 10) for place, rank in enumerate(RANKS)}
COPIES = 4
BEST, DEALER, GREEDY = 21, 17, 19  # the best total; where the dealer stands; where the simple player does
NATURAL = 22  # an ace and a ten-card as the first two cards, above every other 21
Odds = tuple[float, ...]  # chance of each count of pips, 1 to 10, at the next draw


class Known(NamedTuple):
    """What a player knows: its hand, the dealer's open card, and all cards that lie open, its own among them."""

    hand: str
    dealer: str
    seen: str


def total(hand: Iterable[str]) -> tuple[int, bool]:
    """The total of a hand, and whether an ace counts 11 in it."""
    cards = list(hand)
    hard = sum(PIPS[card] for card in cards)
    soft = "A" in cards and hard + 10 <= BEST
    return hard + 10 * soft, soft


def ranked(hand: str) -> int:
    """What a hand is worth when hands are compared: its total, 22 for a natural, 0 above 21."""
    count = total(hand)[0]
    return NATURAL if count == BEST and len(hand) == 2 else count if count <= BEST else 0


def pays(hand: str, dealer: str, stake: int) -> int:
    """What a player gets back beyond its stake of an even number of chips: a natural pays half as much again.

    Args:
        hand: The player's cards.
        dealer: The dealer's cards, all drawn.
        stake: Chips that the player put in, a double included.

    Returns:
        Chips won, or below 0 lost; 0 for a draw.
    """
    mine, other = ranked(hand), ranked(dealer)
    if mine == 0 or mine < other:
        return -stake
    if mine == other:
        return 0
    return stake * 3 // 2 if mine == NATURAL else stake


def _draw(count: int, soft: bool, pips: int) -> tuple[int, bool]:
    """A total after one more card."""
    if pips == 1 and count + 11 <= BEST:
        return count + 11, True
    count += pips
    return (count - 10, False) if count > BEST and soft else (count, soft)


def _dealer_ends(dealer: int, odds: Odds) -> dict[int, float]:
    """What the dealer's hand will be worth, as in `ranked`, with its chances."""
    ends: dict[int, float] = {}
    hands = {_draw(0, False, dealer): 1.0}
    cards = 1
    while hands:
        drawn: dict[tuple[int, bool], float] = {}
        for (held, soft), chance in hands.items():
            if held >= DEALER:
                end = 0 if held > BEST else NATURAL if held == BEST and cards == 2 else held
                ends[end] = ends.get(end, 0.0) + chance
                continue
            for pips, share in enumerate(odds, 1):
                if share:
                    after = _draw(held, soft, pips)
                    drawn[after] = drawn.get(after, 0.0) + chance * share
        hands, cards = drawn, cards + 1
    return ends


@lru_cache(maxsize=4096)
def prospects(count: int, soft: bool, cards: int, dealer: int, odds: Odds) -> Mapping[str, float]:
    """Stakes to expect from each action, where every draw has the same odds; a double puts in a second stake.

    Args:
        count: The hand's total.
        soft: Whether an ace counts 11 in it.
        cards: Whether it has 2 cards, or more; a double needs 2.
        dealer: Pips of the dealer's open card.
        odds: Chance of each count of pips at a draw.
    """
    ends = _dealer_ends(dealer, odds)
    stood: dict[int, float] = {}
    for held in range(BEST + 1):
        stood[held] = sum(chance * ((held > end) - (held < end)) for end, chance in ends.items())
    best: dict[tuple[int, bool], float] = {}

    def drawn(held: int, aces: bool, further: bool) -> float:
        """Stakes to expect from one card more on the total `held`; with `further` cards after it, or standing then.

        Args:
            held: Total before the card.
            aces: Whether an ace counts 11 in it.
            further: Whether the player goes on at best; otherwise it stands on what came.
        """
        worth = 0.0
        for pips, share in enumerate(odds, 1):
            if share:
                after = _draw(held, aces, pips)
                worth += share * (-1.0 if after[0] > BEST else value(after) if further else stood[after[0]])
        return worth

    def value(hand: tuple[int, bool]) -> float:
        if hand not in best:
            best[hand] = max(stood[hand[0]], drawn(*hand, True) if hand[0] < BEST else -1.0)
        return best[hand]

    found = {"stand": stood[count]}
    if count < BEST:
        found["hit"] = drawn(count, soft, True)
        if cards == 2:
            found["double"] = 2 * drawn(count, soft, False)
    return found


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Any action that is possible with the hand in `known`, each as likely by `rng`."""
    acts = possible(known.hand)
    return acts[int(rng.integers(len(acts)))]


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """Draws until it has 19, whatever the dealer shows.

    It looks at the hand in `known` alone and asks `rng` for nothing.
    """
    return "hit" if total(known.hand)[0] < GREEDY else "stand"


def strong_opponent(known: Known, rng: np.random.Generator) -> str:
    """The action of highest expectation, from the cards that do not lie open.

    Which these are follows from `known`; `rng` is asked for nothing.
    """
    left = {rank: COPIES - known.seen.count(rank) for rank in RANKS}
    whole = sum(left.values())
    odds = [0.0] * 10
    for rank, count in left.items():
        odds[PIPS[rank] - 1] += count / whole
    found = prospects(*total(known.hand), min(len(known.hand), 3), PIPS[known.dealer], tuple(odds))
    return max(found, key=lambda act: found[act])


def possible(hand: str) -> list[str]:
    """What may be done with a hand; with 21 only to stand."""
    if total(hand)[0] == BEST:
        return ["stand"]
    return ["double", "hit", "stand"] if len(hand) == 2 else ["hit", "stand"]
