"""Texas hold'em of two to six players, limit or no-limit; a match of several hands."""

from __future__ import annotations

from typing import Any

from agentgym.core.grammar import Grammar
from agentgym.envs.multiagent._cards.chance import TEXAS_HOLDEM
from agentgym.envs.multiagent._holdem.players import BOARD, RULES, random_opponent, simple_opponent, strong_opponent
from agentgym.envs.multiagent._holdem.ranking import DECK, NUMBERS, describe, worth
from agentgym.envs.multiagent._holdem.table import HoldemTable
from agentgym.envs.multiagent._holdem.words import HoldemConfig
from agentgym.envs.multiagent._poker import COMMANDS, PokerMatch
from agentgym.envs.multiagent._scripted import graded

TITLE = "heads-up limit Texas hold'em"
CARDS = 4 + BOARD  # of a hand
STREAM = 0x7E8A5  # apart from np_random of an equal seed


class TexasHoldem(PokerMatch):
    """Texas hold'em, by default of two players with limited bets.

    Description: a deck of 52 cards. In each hand the player that acts first before the flop puts in the small blind of
    1 chip, the other the big blind of 2, and both get two cards. Four rounds of bets: before the board, after three
    cards of it (the flop), after a fourth and after a fifth; after the flop the big blind acts first. Raises are of 2
    chips in the first two rounds and 4 in the last two, at most four bets a round, of which the big blind counts as
    one. The best five of a player's two cards and the five of the board win; equal hands share the pot. Nobody runs out
    of chips. A match is several hands with positions changed from hand to hand. A task holds the deals of all its
    hands, so that two players can meet on it twice, each as either player.

    With more players the button goes one place on with each hand; left of it stand the small and the big blind, and who
    sits left of that acts first before the flop. Without a limit everyone begins the match with so many chips, and who
    has none left is out of it. A raise goes up by at least as much as the last one of the round, at least by 2; who has
    less may go all in, which does not let those raise again who have acted. Nobody wins more from another than it has
    put in itself: there are side pots, and chips that nobody called go back. Chips that cannot be shared go to the
    first left of the button. At a showdown all show, first who raised last in the last round, or else who sits left of
    the button. When two are left, the one with the button has the small blind.

    Observation: what was done and shown since the player last acted, the board, what each has put in, the raises of the
    round, the chips won so far, the player's cards and what a call costs. Cards are a rank, 2 to 9 or T, J, Q, K, A,
    and a suit, c, d, h or s. The other's cards are shown at a showdown only.

    Actions: `fold`, `check`, `call`, `raise` (also `bet`). Without a bet to call, `call` checks and `fold` is refused;
    with one, `check` is refused. Without a limit `raise to <amount>` (also `raise <amount>`, `bet <amount>`), which is
    what the player will have put in in this round; the observation says from what to what; and `all-in`. After three
    refused tries in a row the player checks, or folds if there is a bet.

    Reward: the chips won or lost, to all players at the end of each hand: up to 48 of either sign for two with limited
    bets. At the end of the match the player with most chips has succeeded; if several have as many nobody has, and the
    metric `draw` is 1.

    Splits: `train` without end, `val` and `test` 200 matches each.

    Opponents: `random`; `simple` raises whenever a card of its own makes a pair or better and calls with an ace or a
    king; `strong` weighs the share of the pot it may expect, over hands and boards drawn at random and less for every
    raise of the other, against the price of a call. Expert: as `strong`, its draws made of the task. Oracle: sees all
    cards, raises with the hand that will win, calls to share, otherwise checks or folds. Scores of the card are against
    `simple`, half of the matches as either player. With more players or without a limit `simple` calls up to a third of
    the pot as well, with an ace or a king up to the pot, and `strong` draws hands for all others and bets by the pot.

    Args:
        hands: Hands of a match, 4 to 100; 10 by default.
        betting: `limit`, or `no-limit`; `limit` by default.
        players: How many play, 2 to 6; 2 by default. With any other than the default of this and of `betting`, panels
            are drawn from the same seeds.
        stack: Chips that each begins with where there is no limit, 20 to 1000; 200 by default.

    Source: the betting of heads-up limit hold'em as in M. Bowling et al. 2015, Heads-up limit hold'em poker is solved
    (Science 347).
    """

    card = TEXAS_HOLDEM
    config = HoldemConfig()
    task_stream = STREAM
    RULES = RULES
    DECK = DECK
    HELD = 2
    SHOWN = (0, 3, 4, 5)
    TITLE = TITLE
    grammar = Grammar(
        COMMANDS,
        rules="Cards are a rank (2 to 9, T, J, Q, K, A) and a suit (c, d, h, s). Each hand, one puts in a small blind "
        "of 1 and the other a big blind of 2; both get two cards. Four rounds of bets: before the board, and after "
        "three, four and five cards of it. The small blind acts first before the board, the big blind afterwards. A "
        "raise is 2 chips in the first two rounds, 4 in the last two; three raises before the board, four in a later "
        "round. The best five of your two cards and the board win: straight flush, four of a kind, full house, flush, "
        "straight, three of a kind, two pairs, pair, high card. Who folds loses what they put in. Win more chips than "
        "the other over the match.",
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)

    def __new__(cls, **kwargs: Any) -> Any:  # noqa: D102
        asked = {name: kwargs[name] for name in ("hands", "betting", "players", "stack") if name in kwargs}
        return super().__new__(cls, **kwargs) if HoldemConfig(**asked).heads_up_limit else HoldemTable(**kwargs)

    def _compare(self, one: tuple[str, ...], other: tuple[str, ...], board: tuple[str, ...]) -> int:
        return _worth(one, board) - _worth(other, board)

    def _describe(self, held: tuple[str, ...], board: tuple[str, ...]) -> str:
        return describe(_worth(held, board))


def _worth(held: tuple[str, ...], board: tuple[str, ...]) -> int:
    return worth(NUMBERS[card] for card in (*held, *board))
