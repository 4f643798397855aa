"""Players of limit Texas hold'em of graded strength."""

from __future__ import annotations

import numpy as np

from agentgym.envs.multiagent._betting import CALL, FOLD, RAISE, Rules, possible, standing
from agentgym.envs.multiagent._holdem.ranking import NUMBERS, PAIR, SHIFT, worth
from agentgym.envs.multiagent._poker import Known, spoken

RULES = Rules(forced=(1, 2), sizes=(2, 2, 4, 4), caps=(3, 4, 4, 4), first=(0, 1, 1, 1))
BOARD = 5
GUESSES = 80  # hands of the other that are imagined for a decision
VALUE, AGAIN = 0.56, 0.68  # share of the pot to expect from which to bet, and to raise a raise
DOUBT = 0.05  # what each raise of the other takes from the share to expect
LOOSE = 0.02  # how far below the price of a call it is still paid


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Each action that the betting in `known` allows, equally often by `rng`."""
    acts = possible(RULES, standing(RULES, known.betting))
    return spoken(RULES, known, acts[int(rng.integers(len(acts)))])


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """Raises with a pair or better that a card of its own makes, calls with an ace or a king, else checks or folds.

    It goes by `known` alone and asks `rng` for nothing.
    """
    held = [NUMBERS[card] for card in known.held]
    ranks, board = [card >> 2 for card in held], [NUMBERS[card] >> 2 for card in known.board]
    if ranks[0] == ranks[1] or set(ranks) & set(board) or worth([*held, *_numbers(known.board)]) >> SHIFT > PAIR + 1:
        return spoken(RULES, known, RAISE)
    return spoken(RULES, known, CALL if max(ranks) >= 11 else FOLD)


def strong_opponent(known: Known, rng: np.random.Generator) -> str:
    """Weighs the share of the pot it may expect against the price of a call.

    The share is the mean over hands of the other and boards to come, drawn at random, less some for every raise of the
    other, which tells of a good hand. The price is that of the betting in `known`; the hands are drawn with `rng`.
    """
    now = standing(RULES, known.betting)
    share = expected_share(known, rng) - DOUBT * _raises_of_other(known)
    if share > (AGAIN if now.raises > 1 else VALUE):
        return spoken(RULES, known, RAISE)
    price = now.owed / (sum(now.put) + now.owed)
    return spoken(RULES, known, CALL if share > price - LOOSE else FOLD)


def expected_share(known: Known, rng: np.random.Generator) -> float:
    """Share of the pot at a showdown against a hand drawn at random, a mean over `GUESSES` draws.

    The player's cards and the board are those in `known`; the other hand and the rest of the board are drawn with
    `rng`.
    """
    held, board = _numbers(known.held), _numbers(known.board)
    unseen = np.array(sorted(set(range(len(NUMBERS))) - {*held, *board}))
    drawn = 2 + BOARD - len(board)
    points = 0.0
    for cards in unseen[np.argsort(rng.random((GUESSES, len(unseen))))[:, :drawn]].tolist():
        whole = board + cards[2:]
        mine, other = worth(held + whole), worth(cards[:2] + whole)
        points += 1.0 if mine > other else 0.5 if mine == other else 0.0
    return points / GUESSES


def _raises_of_other(known: Known) -> int:
    """How often the other has raised in this hand."""
    return sum(
        act == RAISE and standing(RULES, known.betting[:place]).mover != known.position
        for place, act in enumerate(known.betting)
    )


def _numbers(cards: tuple[str, ...]) -> list[int]:
    return [NUMBERS[card] for card in cards]
