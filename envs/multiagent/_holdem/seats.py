"""Players of hold'em at a table, limit and no-limit, of graded strength."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agentgym.envs.multiagent._holdem.betting import CALL, FOLD, RAISE, Betting, Table, betting
from agentgym.envs.multiagent._holdem.players import BOARD, DOUBT, LOOSE
from agentgym.envs.multiagent._holdem.ranking import NUMBERS, PAIR, SHIFT, worth

GUESSES = 60  # hands of the others that are imagined for a decision
VALUE, AGAIN = 1.15, 1.4  # share of the pot to expect, in even shares, from which to bet, and to raise a raise
SIMPLE_RAISES = 2  # raises of a round after which the simple player only calls


class Seen(NamedTuple):
    """What a player sees of the hand under way.

    Attributes:
        held, board: Cards, such as `Ah`.
        table, history: The betting so far; see `betting`.
        seat: Its own.
    """

    held: tuple[str, ...]
    board: tuple[str, ...]
    table: Table
    history: tuple[str, ...]
    seat: int

    @property
    def now(self) -> Betting:
        """How the betting stands."""
        return betting(self.table, self.history)


def random_seat(seen: Seen, rng: np.random.Generator) -> str:
    """Folds to a bet, calls or raises equally often; small raises more often than large ones.

    What is possible follows from what is `seen`; `rng` draws the action and the size of a raise.
    """
    now = seen.now
    span = now.raises_to()
    acts = [*([FOLD] if now.owed else []), CALL, *([RAISE] if span else [])]
    act = acts[int(rng.integers(len(acts)))]
    if act != RAISE or span is None:
        return act
    return f"{RAISE}{span[0] + int((span[1] - span[0] + 1) * rng.random() ** 4)}"


def simple_seat(seen: Seen, rng: np.random.Generator) -> str:
    """Raises with a pair or better that a card of its own makes; otherwise calls what is cheap.

    That is up to a third of the pot, and with an ace or a king up to the pot; what costs more it folds. It goes by what
    is `seen` alone and asks `rng` for nothing.
    """
    held = [NUMBERS[card] for card in seen.held]
    board = [NUMBERS[card] for card in seen.board]
    ranks, shown = [card >> 2 for card in held], {card >> 2 for card in board}
    now = seen.now
    if ranks[0] == ranks[1] or set(ranks) & shown or worth([*held, *board]) >> SHIFT > PAIR + 1:
        return _raised(now, 0.5) if now.raises < SIMPLE_RAISES else CALL
    return CALL if now.owed <= sum(now.put) // (1 if max(ranks) >= 11 else 3) else FOLD


def strong_seat(seen: Seen, rng: np.random.Generator) -> str:
    """Weighs the share of the pot it may expect against the price of a call.

    The share is the mean over hands of the others and boards to come, drawn at random, less some for every raise of
    others, which tells of a good hand. The price is that of the betting as `seen`; the hands are drawn with `rng`.
    """
    now = seen.now
    rivals = len(now.live) - 1
    share = expected_share(seen, rivals, rng) - DOUBT * 2 / (rivals + 1) * _raises_of_others(seen)
    if share * (rivals + 1) > (AGAIN if now.raises > (now.round == 0) else VALUE):
        return _raised(now, 0.75)
    price = now.owed / (sum(now.put) + now.owed)
    return CALL if not now.owed or share > price - LOOSE else FOLD


def expected_share(seen: Seen, rivals: int, rng: np.random.Generator) -> float:
    """Share of the pot at a showdown against hands drawn at random, a mean over `GUESSES` draws.

    Args:
        seen: What the player sees; its cards and the board are not drawn.
        rivals: Other players that would show their cards, at least 1.
        rng: Draws their cards and the rest of the board.
    """
    held, board = [NUMBERS[card] for card in seen.held], [NUMBERS[card] for card in seen.board]
    unseen = np.array(sorted(set(range(len(NUMBERS))) - {*held, *board}))
    drawn = 2 * rivals + BOARD - len(board)
    points = 0.0
    for cards in unseen[np.argsort(rng.random((GUESSES, len(unseen))))[:, :drawn]].tolist():
        whole = board + cards[2 * rivals :]
        mine = worth(held + whole)
        others = [worth(cards[2 * place : 2 * place + 2] + whole) for place in range(rivals)]
        points += 0.0 if mine < max(others) else 1 / (1 + others.count(mine))
    return points / GUESSES


def _raised(now: Betting, of_pot: float) -> str:
    """A raise by a part of the pot, within what is possible; a call where no raise is."""
    span = now.raises_to()
    if span is None:
        return CALL
    wanted = now.level - now.base + int(of_pot * (sum(now.put) + now.owed))
    return f"{RAISE}{min(max(wanted, span[0]), span[1])}"


def _raises_of_others(seen: Seen) -> int:
    """How often others have raised in this hand."""
    return sum(
        act[0] == RAISE and betting(seen.table, seen.history[:place]).mover != seen.seat
        for place, act in enumerate(seen.history)
    )
