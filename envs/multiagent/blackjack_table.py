"""A table of blackjack: several players against one dealer, over several rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._blackjack import (
    COPIES,
    DEALER,
    RANKS,
    Known,
    pays,
    possible,
    random_opponent,
    simple_opponent,
    strong_opponent,
    total,
)
from agentgym.envs.multiagent._cards.chance import BLACKJACK_TABLE
from agentgym.envs.multiagent._scripted import StrongExpert, graded

PLAYERS = range(2, 6)
ROUNDS = range(1, 51)
STAKE = 2  # chips; even, so that a natural pays whole chips
DECK = RANKS * COPIES
LONGEST = 12  # cards of a hand, more than fit below 22
STREAM = 0xB1AC7  # apart from np_random of an equal seed


@dataclass(slots=True)
class State:
    """The table.

    Attributes:
        decks: The cards of each round in the order in which they are dealt.
        round: The round being played, from 0.
        hands: The hand of each player.
        dealer: The dealer's two cards, the open one first.
        stakes: What each player has at stake.
        dealt: Cards of the deck that are dealt.
        mover: The number of the player to act.
        chips: What each player has won so far.
    """

    decks: list[str]
    round: int
    hands: list[str]
    dealer: str
    stakes: list[int]
    dealt: int
    mover: int
    chips: list[int]


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `BlackjackTable`."""

    players: int = whole(3, PLAYERS[0], PLAYERS[-1])
    rounds: int = whole(10, ROUNDS[0], ROUNDS[-1])


class BlackjackTable(StrongExpert, LanguageAEC):
    """A table of blackjack.

    Description: cards count their number, T, J, Q and K 10, an ace 11 or, where that would exceed 21, 1. In each round
    every player has two chips at stake and gets two open cards, the dealer one open and one hidden, all from one fresh
    deck of 52. One player after the other draws cards until it stands or exceeds 21; then the dealer draws to 17. Who
    is nearer to 21 than the dealer wins the stake; above 21 it is lost in any case; equal totals get it back. An ace
    and a ten-card as the first two cards are a natural, which beats every other 21 and wins 3 chips. A task holds the
    order of the cards of every round.

    Observation: what was done since the player last acted, all open cards with their totals, and the chips won so far.

    Actions: `hit`, `stand`, and with two cards `double`: double the stake, take exactly one card and stand. With 21
    only `stand` is possible. After three refused tries in a row the player stands.

    Reward: the chips won or lost, to all players at the end of each round. A player succeeds if it has won chips when
    the table closes; players play beside each other, and all or none may succeed.

    Splits: `train` without end, `val` and `test` 200 tables each.

    Opponents: `random`; `simple` draws until it has 19, whatever the dealer shows; `strong` takes the action of highest
    expectation, computed from the cards that do not lie open as if each draw had the same odds. Expert: as `strong`.
    Oracle: sees the hidden card and the next of the deck, and takes the best of standing and of drawing what comes, as
    far as it is the last to draw. Scores of the card are beside `simple` players.

    Args:
        players: How many play, 2 to 5; 3 by default.
        rounds: Rounds, 1 to 50; 10 by default.

    Source: traditional; expectations as in R. Baldwin et al. 1956, The Optimum Strategy in Blackjack.
    """

    card = BLACKJACK_TABLE
    config = Config()
    task_stream = STREAM
    default_rule = "stand"
    grammar = Grammar(
        [
            Command("hit", "take another card.", ("hit",), ("draw", "hit me")),
            Command("stand", "take no more.", ("stand",), ("stay", "stick")),
            Command("double", "with two cards: double the stake, take exactly one card and stand.", ("double",)),
        ],
        rules="Come nearer to 21 than the dealer without going over; you play against the dealer only. T, J, Q and K "
        "count 10, an ace 11 or 1. The dealer shows one of two cards, draws to 17 and stands. You have 2 chips at "
        "stake each round; equal totals get them back; an ace and a ten-card at once are a natural and win 3. All "
        "cards of a round come from one fresh deck.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "players": {"type": "integer", "minimum": PLAYERS[0], "maximum": PLAYERS[-1]},
            "decks": {
                "type": "array",
                "minItems": 1,
                "maxItems": ROUNDS[-1],
                "items": {"type": "string", "maxLength": len(DECK)},
            },
        }
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A deck for each round of `config`, shuffled by `rng`, and its players."""
        return {"players": config.players, "decks": [_shuffled(rng) for _ in range(config.rounds)]}

    def _player_names(self, config: Config) -> list[str]:
        return [f"player_{place}" for place in range(config.players)]

    def check_task(self, spec: Spec) -> None:
        """Every round has a whole deck, and the table as many players as the game."""
        if spec["players"] != len(self.possible_agents):
            raise TaskError(
                f"the task is for {spec['players']} players, this table has {len(self.possible_agents)}; make it with "
                f"players={spec['players']}"
            )
        for place, deck in enumerate(spec["decks"]):
            if sorted(deck) != sorted(DECK):
                raise TaskError(f"deck {place} must hold each of {RANKS} four times, got {deck!r}")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        rounds = len(spec["decks"])
        return (
            f"Play {rounds} round{'s' if rounds > 1 else ''} of blackjack against the dealer and end with more chips."
        )

    def _turn_limit(self, task: Task) -> int:
        return 3 * LONGEST * task.spec["players"] * len(task.spec["decks"])

    def _reset(self, task: Task) -> None:
        self._state = State(list(task.spec["decks"]), 0, [], "", [], 0, 0, [0] * task.spec["players"])
        self._deal()

    def _deal(self) -> None:
        """Begin a round."""
        state, count = self._state, len(self.possible_agents)
        deck = state.decks[state.round]
        state.hands = [deck[2 * place : 2 * place + 2] for place in range(count)]
        state.dealer = deck[2 * count : 2 * count + 2]
        state.dealt, state.mover, state.stakes = 2 * count + 2, 0, [STAKE] * count
        self.send_message(f"Round {state.round + 1} of {len(state.decks)} begins.")

    def _to_move(self) -> str:
        return self.possible_agents[self._state.mover]

    def _public(self) -> str:
        state, players = self._state, self.possible_agents
        chips = ", ".join(f"{player} {won:+d}" for player, won in zip(players, state.chips, strict=True))
        if state.round == len(state.decks):
            return f"The table is closed. Chips won: {chips}."
        hands = "; ".join(
            f"{player} {_shown(hand)}, stake {stake}"
            for player, hand, stake in zip(players, state.hands, state.stakes, strict=True)
        )
        return (
            f"Round {state.round + 1} of {len(state.decks)}. The dealer shows {state.dealer[0]}. {hands}. "
            f"Chips won so far: {chips}."
        )

    def _step(self, player: str, call: Call) -> JointOutcome:
        state = self._state
        hand = state.hands[state.mover]
        if call.name not in possible(hand):
            return self.refuse(f"with {_shown(hand)} you may: {', '.join(possible(hand))}.")
        over = True
        if call.name == "stand":
            self.send_message(f"{player} stands with {total(hand)[0]}.")
        else:
            rank = state.decks[state.round][state.dealt]
            state.dealt += 1
            hand += rank
            state.hands = [hand if place == state.mover else held for place, held in enumerate(state.hands)]
            if call.name == "double":
                state.stakes = [
                    2 * stake if place == state.mover else stake for place, stake in enumerate(state.stakes)
                ]
            bust = total(hand)[0] > 21
            verb = "doubles and" if call.name == "double" else "hits and"
            self.send_message(f"{player} {verb} draws {rank}: {total(hand)[0]}{', too many' if bust else ''}.")
            over = bust or call.name == "double"
        self.record({"type": "act", "seat": player, "action": call.name})
        if not over:
            return JointOutcome()
        state.mover += 1
        return self._settle_round() if state.mover == len(self.possible_agents) else JointOutcome()

    def _settle_round(self) -> JointOutcome:
        """The dealer draws, stakes are paid, and the next round begins or the table closes."""
        state, players = self._state, self.possible_agents
        hand = _dealers(state.dealer, state.decks[state.round][state.dealt :])
        self.send_message(f"The dealer has {_shown(hand)}.")
        won = [pays(held, hand, stake) for held, stake in zip(state.hands, state.stakes, strict=True)]
        state.chips = [before + more for before, more in zip(state.chips, won, strict=True)]
        self.send_message(", ".join(f"{player} {more:+d}" for player, more in zip(players, won, strict=True)) + ".")
        self.record({"type": "round", "dealer": hand, "chips": won})
        state.round += 1
        rewards = {player: float(more) for player, more in zip(players, won, strict=True)}
        progress = dict.fromkeys(players, state.round / len(state.decks))
        if state.round < len(state.decks):
            self._deal()
            return JointOutcome(rewards, progress=progress)
        winners = [player for player, more in zip(players, state.chips, strict=True) if more > 0]
        state.mover = 0
        return JointOutcome(rewards, over=True, winners=winners, progress=progress)

    def _admissible(self, player: str) -> list[str]:
        return possible(self._state.hands[self._state.mover])

    def _default(self, player: str) -> str:
        return "stand"

    def _known(self, player: str) -> Known:
        state = self._state
        return Known(
            state.hands[self.possible_agents.index(player)], state.dealer[0], "".join(state.hands) + state.dealer[0]
        )

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        state, hole = self._state, 2 * len(self.possible_agents) + 1
        if state.round == len(state.decks):
            return
        deck = state.decks[state.round]
        rest = deck[hole] + deck[state.dealt :]
        drawn = "".join(rest[int(place)] for place in rng.permutation(len(rest)))
        deck = deck[:hole] + drawn[0] + deck[hole + 1 : state.dealt] + drawn[1:]
        later = [_shuffled(rng) for _ in state.decks[state.round + 1 :]]
        state.decks = [*state.decks[: state.round], deck, *later]
        state.dealer = state.dealer[0] + deck[hole]

    def _oracle(self, player: str) -> str:
        state = self._state
        hand, rest = state.hands[state.mover], state.decks[state.round][state.dealt :]
        best, most, action = -STAKE - 1, hand, "stand"
        for count in range(len(rest)):
            most = hand + rest[:count]
            if total(most)[0] > 21:
                break
            worth = pays(most, _dealers(state.dealer, rest[count:]), STAKE)
            if worth > best:
                best, action = worth, "stand" if count == 0 else "hit"
                if count == 1 and worth > 0 and len(hand) == 2:
                    action = "double"
        return action if action in possible(hand) else "stand"

    def _key_state(self) -> Any:
        state = self._state
        return [state.decks[state.round :], state.hands, state.dealer, state.stakes, state.dealt, state.mover,
                state.chips, len(state.decks)]  # fmt: skip


def _shown(hand: str) -> str:
    """A hand with its total, such as `A 7 (18, soft)`."""
    count, soft = total(hand)
    return f"{' '.join(hand)} ({count}{', soft' if soft else ''})"


def _dealers(hand: str, rest: str) -> str:
    """The dealer's hand after drawing to 17."""
    for rank in rest:
        if total(hand)[0] >= DEALER:
            break
        hand += rank
    return hand


def _shuffled(rng: np.random.Generator) -> str:
    return "".join(DECK[int(place)] for place in rng.permutation(len(DECK)))
