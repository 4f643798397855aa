"""Leduc hold'em: six cards, one board card, two rounds of bets; a match of several hands."""

from __future__ import annotations

import numpy as np

from agentgym.core.extensive import Policy
from agentgym.core.game import Opponent
from agentgym.core.grammar import Grammar
from agentgym.envs.multiagent._cards.chance import LEDUC_HOLDEM
from agentgym.envs.multiagent._leduc import DECK, RULES, balanced, naive, strength, uniform
from agentgym.envs.multiagent._poker import COMMANDS, Known, PokerMatch, spoken
from agentgym.envs.multiagent._scripted import graded

TITLE = "Leduc hold'em"
NAMES = {"J": "jack", "Q": "queen", "K": "king"}
CARDS = 3  # of a hand: one each and the board
STREAM = 0x1ED  # apart from np_random of an equal seed


def _scripted(policy: Policy) -> Opponent:
    """A player that draws its action from a policy over ranks."""

    def act(known: Known, rng: np.random.Generator) -> str:
        """An action at what is `known`, drawn by `rng` as likely as the policy says, as it is said."""
        board = known.board[0][0] if known.board else ""
        shares = policy((known.held[0][0], board, known.betting))
        sums = np.cumsum(list(shares.values()))
        place = int(np.searchsorted(sums[:-1], rng.random(), side="right"))
        return spoken(RULES, known, list(shares)[place])

    return act


class LeducHoldem(PokerMatch):
    """Leduc hold'em.

    Description: a deck of two jacks, two queens and two kings; suits (h, s) mean nothing. In each hand both players put
    in one chip and get one card. After a first round of bets one card is laid on the board, after a second the higher
    hand wins: a pair with the board beats all, otherwise the higher card; equal cards share the pot. Raises are of 2
    chips in the first round and 4 in the second, at most two a round. A match is several hands; player_0 acts first in
    the first hand, player_1 in the second, and so on. A task holds the deals of all its hands, so that two players can
    meet on it twice, each as either player.

    Observation: what was done and shown since the player last acted, the board, what each has put in, the raises of the
    round, the chips won so far, and the player's card. The other's card is shown at a showdown only.

    Actions: `fold`, `check`, `call`, `raise` (also `bet`). Without a bet to call, `call` checks and `fold` is refused;
    with one, `check` is refused. After three refused tries in a row the player checks, or folds if there is a bet.

    Reward: the chips won or lost, to both players at the end of each hand: up to 13 of either sign. At the end of the
    match the player with more chips has succeeded; with equal chips nobody has, and the metric `draw` is 1.

    Splits: `train` without end, `val` and `test` 200 matches each.

    Opponents: `random`; `simple` raises with a king or a pair, calls with a queen and folds jacks; `strong` plays an
    equilibrium found by CFR+, against which nobody wins more than 0.001 chips a hand in the long run. With it the first
    to act loses 0.0856 of a chip a hand. Expert: the same equilibrium, its dice made of the task. Oracle: sees all
    cards, raises with the hand that will win, calls to share, otherwise checks or folds. Scores of the card are against
    `simple`, half of the matches as either player.

    Args:
        hands: Hands of a match, 4 to 100; 10 by default.

    Source: F. Southey et al. 2005, Bayes' Bluff: Opponent Modelling in Poker (arXiv:1207.1411); CFR+ after O. Tammelin
    2014 (arXiv:1407.5042).
    """

    card = LEDUC_HOLDEM
    task_stream = STREAM
    RULES = RULES
    DECK = DECK
    HELD = 1
    SHOWN = (0, 1)
    TITLE = TITLE
    grammar = Grammar(
        COMMANDS,
        rules="The deck is Jh Js Qh Qs Kh Ks; suits mean nothing. Each hand, both put in one chip and get one card; "
        "bets; one card is laid on the board for both; bets again; showdown. A pair with the board beats all, else "
        "king beats queen beats jack; equal cards share the pot. A raise is 2 chips in the first round, 4 in the "
        "second, at most two a round. Who folds loses what they put in. Win more chips than the other over the match.",
    )
    OPPONENTS = graded(_scripted(uniform), _scripted(naive), _scripted(balanced))

    def _compare(self, one: tuple[str, ...], other: tuple[str, ...], board: tuple[str, ...]) -> int:
        return strength(one[0][0], board[0][0]) - strength(other[0][0], board[0][0])

    def _describe(self, held: tuple[str, ...], board: tuple[str, ...]) -> str:
        name = NAMES[held[0][0]]
        return f"a pair of {name}s" if held[0][0] == board[0][0] else f"{name} high"
