"""Kuhn poker read off play: how often a policy bets at each place, and how far it can be exploited."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import permutations, product
from typing import Any

RANKS = {"jack": "J", "queen": "Q", "king": "K"}
DEALS = tuple("".join(deal) for deal in permutations("JQK", 2))
STAKES = {"pp": 1, "bp": 1, "pbp": 1, "bb": 2, "pbb": 2}
PLACES = tuple(rank + betting for rank in "JQK" for betting in ("", "p", "b", "pb"))
SEEN = re.compile(r"Betting: (.*?)\. Chips so far.*\nYour card: (\w+)\.")
UNIFORM = 0.5
Bets = Mapping[str, float]


def value(first: Bets, second: Bets) -> float:
    """What the first to act wins in a hand of Kuhn poker, if both bet with the probabilities given.

    Args:
        first, second: By card and betting so far, such as `Kpb`, the probability to bet.
    """

    def after(deal: str, betting: str) -> float:
        """What the first to act wins from here on: `deal` are both cards, `betting` is what was done so far."""
        if betting in STAKES:
            folded = betting.endswith("bp")
            won = len(betting) == 2 if folded else "JQK".index(deal[0]) > "JQK".index(deal[1])
            return STAKES[betting] if won else -STAKES[betting]
        mover = len(betting) % 2
        chance = (first, second)[mover][deal[mover] + betting]
        return chance * after(deal, betting + "b") + (1 - chance) * after(deal, betting + "p")

    return sum(after(deal, "") for deal in DEALS) / len(DEALS)


def exploitability(bets: Bets) -> float:
    """What a best response wins against a policy in a hand, on average over both players."""

    def answers(bettings: Sequence[str]) -> list[dict[str, float]]:
        places = [rank + betting for rank in "JQK" for betting in bettings]
        return [dict(zip(places, choice, strict=True)) for choice in product((0.0, 1.0), repeat=len(places))]

    best_first = max(value(answer, bets) for answer in answers(("", "pb")))
    best_second = max(-value(bets, answer) for answer in answers(("p", "b")))
    return (best_first + best_second) / 2


def decided(episode: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """Card and betting before each decision of a recorded episode of Kuhn poker, and whether it was a bet."""
    found = []
    for turn in episode["turns"]:
        seen = SEEN.search(turn["observation"])
        action = turn["action"].strip().lower()
        if turn["valid"] and seen and action in ("bet", "call", "pass", "check", "fold"):
            betting = "".join("b" if word == "bet" else "p" for word in re.findall(r"\b(?:pass|bet)\b", seen[1]))
            found.append((RANKS[seen[2]] + betting, action in ("bet", "call")))
    return found


def counted(decisions: Sequence[tuple[str, bool]]) -> tuple[dict[str, float], int]:
    """The share of bets at each place, `UNIFORM` where nobody was, and the decisions at the rarest place."""
    bets, all_of = dict.fromkeys(PLACES, 0), dict.fromkeys(PLACES, 0)
    for place, bet in decisions:
        bets[place] += bet
        all_of[place] += 1
    shares = {place: bets[place] / all_of[place] if all_of[place] else UNIFORM for place in PLACES}
    return shares, min(all_of.values())
