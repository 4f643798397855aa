"""Leduc hold'em as a tree, and players of it, among them a stored equilibrium."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, TypeAlias

from agentgym.core.extensive import CHANCE
from agentgym.envs.multiagent._betting import CALL, FOLD, RAISE, Rules, possible, standing

RANKS = "JQK"
DECK = tuple(rank + suit for rank in RANKS for suit in "hs")
RULES = Rules(forced=(1, 1), sizes=(2, 4), caps=(2, 2), first=(0, 0))
Node: TypeAlias = tuple[str, str, str]  # ranks held by positions 0 and 1, the board's, and the betting
Set: TypeAlias = tuple[str, str, str]  # the rank held, the board's, and the betting


def strength(held: str, board: str) -> int:
    """What a rank `held` is worth at a showdown: a pair with the `board` most, otherwise the higher the better."""
    return RANKS.index(held) + (len(RANKS) if held == board else 0)


class LeducTree:
    """One hand; cards of equal rank are the same card, which leaves 288 information sets."""

    root: Node = ("", "", "")

    def player(self, node: Node) -> int | None:
        """Chance deals the hands and, after the first round, the board."""
        held, board, betting = node
        if not held:
            return CHANCE
        now = standing(RULES, betting)
        if now.over:
            return None
        return CHANCE if now.round == 1 and not board else now.mover

    def moves(self, node: Node) -> Sequence[tuple[Any, Node, float]]:
        """Deals with their chances, or what the player may do."""
        held, board, betting = node
        if not held:
            pairs = [one + other for one in RANKS for other in RANKS]
            return [(pair, (pair, "", ""), (1 if pair[0] == pair[1] else 2) / 15) for pair in pairs]
        now = standing(RULES, betting)
        if now.round == 1 and not board:
            left = {rank: 2 - held.count(rank) for rank in RANKS}
            return [(rank, (held, rank, betting), count / 4) for rank, count in left.items() if count]
        return [(act, (held, board, betting + act), 1.0) for act in possible(RULES, now)]

    def known(self, node: Node) -> Hashable:
        """The own rank, the board's and the betting."""
        held, board, betting = node
        return held[standing(RULES, betting).mover], board, betting

    def payoff(self, node: Node) -> float:
        """Chips of the first to act."""
        held, board, betting = node
        now = standing(RULES, betting)
        if now.folded >= 0:
            return float(-now.put[0] if now.folded == 0 else now.put[1])
        lead = strength(held[0], board) - strength(held[1], board)
        return float(now.put[0] * ((lead > 0) - (lead < 0)))


def uniform(known: Set) -> Mapping[str, float]:
    """Each possible action equally often."""
    acts = possible(RULES, standing(RULES, known[2]))
    return dict.fromkeys(acts, 1 / len(acts))


def naive(known: Set) -> Mapping[str, float]:
    """Raises with a king or a pair, calls with a queen, otherwise checks or folds."""
    held, board, betting = known
    acts = possible(RULES, standing(RULES, betting))
    if held == "K" or held == board:
        return {RAISE if RAISE in acts else CALL: 1.0}
    return {FOLD if held == "J" and FOLD in acts else CALL: 1.0}


@cache
def _stored() -> Mapping[Set, Mapping[str, float]]:
    """The equilibrium: rank held, rank of the board or `-`, betting or `-`, chances in ten-thousandths."""
    text = resources.files("agentgym.envs.multiagent").joinpath("_leduc_equilibrium.txt").read_text("utf-8")
    found: dict[Set, Mapping[str, float]] = {}
    for line in text.splitlines():
        held, board, betting, *shares = line.split()
        known = held, board.strip("-"), betting.strip("-")
        acts = possible(RULES, standing(RULES, known[2]))
        found[known] = {act: int(share) / 10_000 for act, share in zip(acts, shares, strict=True)}
    return found


def balanced(known: Set) -> Mapping[str, float]:
    """An equilibrium: in the long run nobody wins against it more than 0.001 chips a hand."""
    return _stored()[known]
