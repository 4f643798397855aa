"""Liar's dice of several players or dice: how likely a bid is to be true, and players that go by it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BELIEF = 0.25  # by how much a die of whoever bid a face last is likelier to count for it
SURE = 0.95  # the most that this makes it


class Seen(NamedTuple):
    """What a player of a table sees when it is to act.

    Attributes:
        faces: Of each die.
        players: How many play.
        dice: Its own.
        bids: Those made, as a set of bits, bit 0 the lowest bid; they rise, so the first bidder made the lowest.
    """

    faces: int
    players: int
    dice: tuple[int, ...]
    bids: int

    @property
    def top(self) -> int:
        """How many bids there are; also the number of the action that doubts."""
        return self.players * len(self.dice) * self.faces


def counts(face: int, faces: int, dice: Iterable[int]) -> int:
    """How many dice show a face; the highest face counts as any.

    Args:
        face: The face that was bid.
        faces: Of each die.
        dice: What they show.
    """
    return sum(die in (face, faces) for die in dice)


def is_true(bid: int, faces: int, dice: Iterable[int]) -> bool:
    """Whether a bid holds.

    Args:
        bid: Its number.
        faces: Of each die.
        dice: Those of all players.
    """
    return counts(bid % faces + 1, faces, dice) > bid // faces


def uniform(seen: Seen) -> Mapping[int, float]:
    """Each possible action equally often."""
    acts = [*range(seen.bids.bit_length(), seen.top), *([seen.top] if seen.bids else [])]
    return dict.fromkeys(acts, 1 / len(acts))


def naive(seen: Seen) -> Mapping[int, float]:
    """Makes the lowest bid that its own dice make true; doubts when there is none."""
    for bid in range(seen.bids.bit_length(), seen.top):
        if is_true(bid, seen.faces, seen.dice):
            return {bid: 1.0}
    return {seen.top: 1.0}


def careful(seen: Seen) -> Mapping[int, float]:
    """Weighs to doubt the last bid against each higher one, by how likely they are to be true.

    A die of another player is even, and likelier to count for the face which that player bid last. A bid is worth what
    it pays if the next player doubts it, which it does the more the less likely the bid seems without the own dice.
    """
    low, top = seen.bids.bit_length(), seen.top
    mine, open_odds = _tails(seen, own=True), _tails(seen, own=False)
    best, most = (top, 1 - 2 * mine[low - 1]) if seen.bids else (0, -np.inf)
    for bid in range(low, top):
        worth = (1 - open_odds[bid]) * (2 * mine[bid] - 1)
        if worth > most:
            best, most = bid, worth
    return {best: 1.0}


def _tails(seen: Seen, own: bool) -> list[float]:
    """By bid, how likely it is to be true: knowing the own dice, or as it seems to others."""
    lasts = _last_faces(seen)
    me = seen.bids.bit_count() % seen.players
    odds: list[NDArray[np.float64]] = []
    for face in range(1, seen.faces + 1):
        shares = [_share(face, seen.faces, last) for who, last in enumerate(lasts) if who != me or not own]
        at_least = _at_least([share for share in shares for _ in seen.dice])
        shift = counts(face, seen.faces, seen.dice) if own else 0
        whole = np.concatenate([np.ones(shift), at_least, np.zeros(len(seen.dice))])
        odds.append(whole[1:])
    return [float(odds[bid % seen.faces][bid // seen.faces]) for bid in range(seen.top)]


def _last_faces(seen: Seen) -> list[int]:
    """By place after the first bidder, the face that each player bid last; 0 for none."""
    lasts = [0] * seen.players
    bids = [bid for bid in range(seen.top) if seen.bids >> bid & 1]
    for number, bid in enumerate(bids):
        lasts[number % seen.players] = bid % seen.faces + 1
    return lasts


def _share(face: int, faces: int, last: int) -> float:
    """How likely a die of a player that bid a face last is to count for a face."""
    even = (1 if face == faces else 2) / faces
    return min(SURE, even + BELIEF) if face == last else even


def _at_least(shares: Sequence[float]) -> NDArray[np.float64]:
    """By count from 0, how likely at least so many of some independent events are."""
    exactly = np.ones(1)
    for share in shares:
        exactly = np.convolve(exactly, [1 - share, share])
    return exactly[::-1].cumsum()[::-1]
