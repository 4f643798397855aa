"""Kuhn poker as a tree, and its equilibrium (Kuhn 1950)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import permutations
from typing import Any

from agentgym.core.extensive import CHANCE

RANKS = "JQK"
DEALS = tuple("".join(pair) for pair in permutations(RANKS, 2))
OVER = {"pp": 1, "bp": 1, "bb": 2, "pbp": 1, "pbb": 2}  # finished betting, and what each has put in and may lose
BLUFF = 1 / 3  # how often the first player bets a jack: 0 to 1/3 are equilibria


def winner(deal: str, betting: str) -> int:
    """Who wins a finished hand: 0 the first to act, 1 the other. A fold loses, otherwise the higher card wins.

    The `deal` is the cards of both, in this order; the `betting` is a key of `OVER`.
    """
    if betting.endswith("bp"):
        return (len(betting) - 2) % 2  # the one who bet
    return int(RANKS.index(deal[1]) > RANKS.index(deal[0]))


class KuhnTree:
    """One hand: a node is the deal (cards of the first and the second to act) and the betting, `p` and `b`."""

    root: tuple[str, str] = ("", "")

    def player(self, node: tuple[str, str]) -> int | None:
        """Chance deals, then both act in turn."""
        deal, betting = node
        return CHANCE if not deal else None if betting in OVER else len(betting) % 2

    def moves(self, node: tuple[str, str]) -> Sequence[tuple[Any, Any, float]]:
        """Six deals, then pass or bet."""
        deal, betting = node
        if not deal:
            return [(each, (each, ""), 1 / len(DEALS)) for each in DEALS]
        return [(act, (deal, betting + act), 1.0) for act in "pb"]

    def known(self, node: tuple[str, str]) -> Hashable:
        """The own card and the betting."""
        deal, betting = node
        return deal[len(betting) % 2], betting

    def payoff(self, node: tuple[str, str]) -> float:
        """Chips of the first to act."""
        deal, betting = node
        return OVER[betting] * (1 - 2 * winner(deal, betting))


def balanced(known: Any) -> Mapping[str, float]:
    """The equilibrium that bluffs most: probability of pass and bet by own card and betting."""
    bets = {
        ("J", ""): BLUFF, ("Q", ""): 0.0, ("K", ""): 3 * BLUFF,
        ("J", "p"): 1 / 3, ("Q", "p"): 0.0, ("K", "p"): 1.0,
        ("J", "b"): 0.0, ("Q", "b"): 1 / 3, ("K", "b"): 1.0,
        ("J", "pb"): 0.0, ("Q", "pb"): BLUFF + 1 / 3, ("K", "pb"): 1.0,
    }  # fmt: skip
    chance = bets[known]
    return {"p": 1 - chance, "b": chance}


def naive(known: Any) -> Mapping[str, float]:
    """Bets and calls with a queen or a king, passes with a jack."""
    bold = float(known[0] != "J")
    return {"p": 1 - bold, "b": bold}


def uniform(known: Any) -> Mapping[str, float]:
    """Passes and bets equally often."""
    return {"p": 0.5, "b": 0.5}
