"""The cards of Hanabi: numbers, names, and what clues leave possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

COLORS = ("red", "yellow", "green", "white", "blue")
COPIES = (3, 2, 2, 2, 1)  # of the ranks 1 to 5
RANKS = len(COPIES)
ANY_RANK = (1 << RANKS) - 1
NAMES = tuple(f"{color} {rank + 1}" for color in COLORS for rank in range(RANKS))


def deck(colors: int) -> list[int]:
    """Every card of a deck; a card is its color times five plus its rank less one."""
    return [color * RANKS + rank for color in range(colors) for rank in range(RANKS) for _ in range(COPIES[rank])]


def name(card: int) -> str:
    """Such as `red 3`."""
    return NAMES[card]


def number(text: str) -> int:
    """The card of a name; raises ValueError if there is none."""
    color, rank = text.split(" ")
    if color not in COLORS or rank not in "12345" or len(rank) != 1:
        raise ValueError(text)
    return COLORS.index(color) * RANKS + int(rank) - 1


def possible(told: Sequence[int]) -> list[int]:
    """Cards that clues leave possible: `told` is a set of colors and a set of ranks, as bits."""
    return [
        color * RANKS + rank
        for color in range(len(COLORS))
        if told[0] >> color & 1
        for rank in range(RANKS)
        if told[1] >> rank & 1
    ]


def describe(told: Sequence[int], colors: int) -> str:
    """What clues say of a card, such as `red or blue, 1`.

    Args:
        told: The colors and the ranks that are left for it, as bits; what follows them is not read.
        colors: How many colors are in the game.
    """
    return _described(told[0], told[1], colors)


@lru_cache(maxsize=5 << (len(COLORS) + RANKS))  # all there are: every set of colors, of ranks, and number of colors
def _described(hued: int, ranked: int, colors: int) -> str:
    hues = [COLORS[color] for color in range(colors) if hued >> color & 1]
    ranks = [str(rank + 1) for rank in range(RANKS) if ranked >> rank & 1]
    said = [" or ".join(hues)] if len(hues) < colors else []
    said += [" or ".join(ranks)] if len(ranks) < RANKS else []
    return ", ".join(said) or "nothing known"


def redraw(
    told: Sequence[Sequence[int]], unseen: Iterable[int], rng: np.random.Generator
) -> tuple[list[int], list[int]]:
    """A hand that fits the clues, drawn at random from unseen cards, and the rest in random order.

    Args:
        told: For each card of the hand, the colors and ranks that are left for it, as bits.
        unseen: Cards that the player does not see: its own and those of the deck.
        rng: The order in which they are tried.

    Returns:
        The hand, in the order of `told`, and the cards that are not in it.
    """
    left = list(unseen)
    left = [left[int(place)] for place in rng.permutation(len(left))]
    order = sorted(range(len(told)), key=lambda place: len(possible(told[place])))
    hand = [-1] * len(told)

    def fill(depth: int) -> bool:
        if depth == len(order):
            return True
        allowed = set(possible(told[order[depth]]))
        for at, card in enumerate(left):
            if card in allowed:
                del left[at]
                hand[order[depth]] = card
                if fill(depth + 1):
                    return True
                left.insert(at, card)
        return False

    assert fill(0), "what a player was told fits no hand"
    return hand, left


def still_needed(fireworks: Sequence[int], discards: Iterable[int]) -> set[int]:
    """Cards that may still be played, now or later.

    Args:
        fireworks: Height of each color.
        discards: Cards discarded or played in vain.
    """
    gone = Counter(discards)
    needed = set()
    for color, height in enumerate(fireworks):
        for rank in range(height, RANKS):
            card = color * RANKS + rank
            if gone[card] == COPIES[rank]:
                break
            needed.add(card)
    return needed
