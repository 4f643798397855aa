"""Fixed-limit betting of two players: who acts, what is in the pot, and what may be done."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

FOLD, CALL, RAISE = "f", "c", "r"  # a call of nothing is a check, the first raise of a round a bet


@dataclass(frozen=True, slots=True)
class Rules:
    """The betting of a hand. Positions are 0, who acts first in the first round, and 1.

    Attributes:
        forced: What each position puts in before anything is said.
        sizes: By how much a raise goes up, in each round.
        caps: How many raises a round may see.
        first: Which position acts first in each round.
    """

    forced: tuple[int, int]
    sizes: tuple[int, ...]
    caps: tuple[int, ...]
    first: tuple[int, ...]

    @property
    def longest(self) -> int:
        """The most actions a hand may take."""
        return sum(cap + 2 for cap in self.caps)


@dataclass(frozen=True, slots=True)
class Standing:
    """How the betting of a hand stands.

    Attributes:
        round: The round being bet, from 0; the number of rounds once all are over.
        mover: The position to act; meaningless once the hand is over.
        put: What each position has put in.
        raises: Raises of this round.
        acted: Actions since the last raise of the round, or its beginning.
        folded: The position that folded, or -1.
        over: Whether the hand is over.
    """

    round: int
    mover: int
    put: tuple[int, int]
    raises: int
    acted: int
    folded: int = -1
    over: bool = False

    @property
    def owed(self) -> int:
        """What it costs to call."""
        return abs(self.put[0] - self.put[1])


@lru_cache(maxsize=1 << 16)
def standing(rules: Rules, history: str) -> Standing:
    """How the betting stands after some actions, `f`, `c` and `r`, of all rounds in a row.

    Args:
        rules: The betting of a hand.
        history: The actions, each possible when it was its turn; empty at the beginning of the hand.
    """
    if not history:
        return Standing(0, rules.first[0], rules.forced, 0, 0)
    before = standing(rules, history[:-1])
    act, mover, put = history[-1], before.mover, list(before.put)
    if act == FOLD:
        return Standing(before.round, mover, before.put, before.raises, before.acted, mover, True)
    put[mover] = put[1 - mover]
    if act == RAISE:
        put[mover] += rules.sizes[before.round]
        return Standing(before.round, 1 - mover, (put[0], put[1]), before.raises + 1, 1)
    if before.acted == 0:
        return Standing(before.round, 1 - mover, (put[0], put[1]), before.raises, 1)
    following = before.round + 1
    over = following == len(rules.sizes)
    return Standing(following, 0 if over else rules.first[following], (put[0], put[1]), 0, 0, over=over)


def possible(rules: Rules, now: Standing) -> str:
    """What the position to act may do: nobody folds to nothing, nobody raises above the cap.

    Args:
        rules: The betting of a hand.
        now: How it stands; the hand is not over.

    Returns:
        Some of the letters `f`, `c` and `r`, in this order.
    """
    fold = FOLD if now.owed else ""
    return fold + CALL + (RAISE if now.raises < rules.caps[now.round] else "")
