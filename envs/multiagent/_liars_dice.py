"""Liar's dice with one die each: every history of bids at once as arrays, solved by CFR+; and simpler players."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentgym.core.extensive import CHANCE

ROUNDS = 150  # of CFR+
Table: TypeAlias = NDArray[np.float64]  # by history, die of the player to act and action


class Known(NamedTuple):
    """What a player knows: the faces of a die, its own, and the bids made, as a set of bits, bit 0 the lowest bid."""

    faces: int
    die: int
    bids: int


def holds(faces: int, bid: int, dice: tuple[int, int]) -> bool:
    """Whether a bid is true of both dice; the highest face counts as any.

    Args:
        faces: Faces of a die.
        bid: Its place among all bids from the lowest, by count and then by face.
        dice: What both dice show, from 1.
    """
    count, face = divmod(bid, faces)
    return sum(die in (face + 1, faces) for die in dice) > count


@lru_cache(maxsize=8)
def _doubts(faces: int) -> Table:
    """By bid and both dice: what a player gets who doubts the bid, 1 or -1."""
    span = range(1, faces + 1)
    return np.array(
        [[[-1.0 if holds(faces, bid, (a, b)) else 1.0 for a in span] for b in span] for bid in range(2 * faces)]
    )


def _layer(bid: int) -> slice:
    """Histories whose last bid is this one; -1 is the history without bids."""
    return slice(0, 1) if bid < 0 else slice(1 << bid, 2 << bid)


def _after(bid: int, raised: int) -> slice:
    """Those histories after a further bid."""
    before = _layer(bid)
    return slice(before.start + (1 << raised), before.stop + (1 << raised))


def _reach(faces: int, shares: Table) -> tuple[Table, Table]:
    """By history and die, how likely the player to act, and the other, brings it about."""
    mine = np.ones((1 << 2 * faces, faces))
    others = np.ones_like(mine)
    for bid in range(2 * faces):
        before, after = slice(0, 1 << bid), _layer(bid)
        mine[after] = others[before]
        others[after] = mine[before] * shares[before, :, bid]
    return mine, others


def _gains(faces: int, shares: Table, mine: Table, others: Table) -> tuple[Table, Table]:
    """What each action, and all that may follow, is worth to the player to act, weighed by the other's reach."""
    top = 2 * faces
    doubts = _doubts(faces)
    worth = np.zeros_like(shares)
    acting, waiting = np.zeros_like(mine), np.zeros_like(mine)
    for bid in range(top - 1, -2, -1):
        here = _layer(bid)
        for raised in range(bid + 1, top):
            after = _after(bid, raised)
            worth[here, :, raised] = waiting[after]
            waiting[here] += acting[after]
        if bid >= 0:
            worth[here, :, top] = np.einsum("hd,ed->he", others[here], doubts[bid])
            told = mine[here] * shares[here, :, top]
            waiting[here] -= np.einsum("hd,ed->he", told, doubts[bid])
        acting[here] = (shares[here] * worth[here]).sum(axis=2)
    return worth, acting


def _legal(faces: int) -> Table:
    """By history and action, 1 where it is possible: higher bids, and to doubt the last."""
    top = 2 * faces
    last = np.array([history.bit_length() - 1 for history in range(1 << top)])
    legal = (np.arange(top + 1)[None] > last[:, None]).astype(float)
    legal[0, top] = 0.0
    return legal[:, None, :].repeat(faces, axis=1)


@lru_cache(maxsize=8)
def solved(faces: int) -> Table:
    """Chances of the actions in an approximate equilibrium, by history and die; deterministic."""
    legal = _legal(faces)
    even = legal / legal.sum(axis=2, keepdims=True)
    regrets, sums = np.zeros_like(legal), np.zeros_like(legal)
    shares = even
    for weight in range(1, ROUNDS + 1):
        mine, others = _reach(faces, shares)
        worth, acting = _gains(faces, shares, mine, others)
        sums += weight * mine[:, :, None] * shares
        regrets = np.maximum(0.0, regrets + (worth - acting[:, :, None]) * legal)
        shares = _normal(regrets, even)
    return _normal(sums, even)


def _normal(parts: Table, even: Table) -> Table:
    whole = parts.sum(axis=2, keepdims=True)
    return np.where(whole > 0, parts / np.where(whole > 0, whole, 1.0), even)


class DiceTree:
    """One round as a tree, for the exact solver: both dice, then the bids as bits; -1 ends what was doubted."""

    root: tuple[int, int, int, bool] = (0, 0, 0, False)

    def __init__(self, faces: int):
        self._faces = faces

    def player(self, node: tuple[int, int, int, bool]) -> int | None:
        """Chance throws, then both act in turn."""
        one, _, bids, doubted = node
        return CHANCE if not one else None if doubted else bids.bit_count() % 2

    def moves(self, node: tuple[int, int, int, bool]) -> Sequence[tuple[Any, Any, float]]:
        """Throws, or higher bids and, after a bid, to doubt it; actions by number."""
        one, other, bids, _ = node
        if not one:
            span = range(1, self._faces + 1)
            return [((a, b), (a, b, 0, False), self._faces**-2) for a in span for b in span]
        top = 2 * self._faces
        found = [(bid, (one, other, bids | 1 << bid, False), 1.0) for bid in range(bids.bit_length(), top)]
        return [*found, (top, (one, other, bids, True), 1.0)] if bids else found

    def known(self, node: tuple[int, int, int, bool]) -> Hashable:
        """The own die and the bids."""
        return Known(self._faces, node[node[2].bit_count() % 2], node[2])

    def payoff(self, node: tuple[int, int, int, bool]) -> float:
        """1 or -1, to the first to act."""
        one, other, bids, _ = node
        true = holds(self._faces, bids.bit_length() - 1, (one, other))
        doubter = bids.bit_count() % 2
        return 1.0 if true == (doubter == 1) else -1.0


def uniform(known: Any) -> Mapping[int, float]:
    """Each possible action equally often."""
    top, low = 2 * known.faces, known.bids.bit_length()
    acts = [*range(low, top), *([top] if known.bids else [])]
    return dict.fromkeys(acts, 1 / len(acts))


def naive(known: Any) -> Mapping[int, float]:
    """Makes the lowest bid that its own die makes true; if there is none, doubts, or bids one of the lowest face."""
    top = 2 * known.faces
    for bid in range(known.bids.bit_length(), top):
        if holds(known.faces, bid, (known.die, 0)):
            return {bid: 1.0}
    return {top if known.bids else 0: 1.0}


def balanced(known: Any) -> Mapping[int, float]:
    """The approximate equilibrium."""
    shares = solved(known.faces)[known.bids, known.die - 1]
    return {int(act): float(shares[act]) for act in np.flatnonzero(shares)}
