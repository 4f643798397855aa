"""Kuhn poker: three cards, one bet; a match of several hands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.extensive import Policy
from agentgym.core.game import Opponent
from agentgym.core.generated import EnvConfig, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._cards.chance import KUHN_POKER
from agentgym.envs.multiagent._kuhn import DEALS, OVER, RANKS, balanced, naive, uniform, winner
from agentgym.envs.multiagent._scripted import StrongExpert, graded

NAMES = {"J": "jack", "Q": "queen", "K": "king"}
WORDS = {"p": "pass", "b": "bet"}
OUT_OF_PLACE = {  # by whether there is a bet: what would be read as something else than it says
    True: {"check": "There is a bet, so you cannot check; `fold` (or `pass`) or `call` (or `bet`)."},
    False: {
        "call": "There is no bet to call; `check` (or `pass`) or `bet`.",
        "fold": "There is no bet to fold to; `check` (or `pass`) or `bet`.",
    },
}
HANDS = range(4, 101)
STREAM = 0x6B  # apart from np_random of an equal seed
STEPS = 9  # turns of a hand in which every action is refused twice


@dataclass(slots=True)
class State:
    """The match.

    Attributes:
        deals: The cards of player_0 and player_1 in each hand, such as `KJ`.
        hand: The hand being played, from 0.
        betting: What was done in it, `p` and `b`.
        chips: What player_0 has won so far, and player_1 lost.
    """

    deals: list[str]
    hand: int
    betting: str
    chips: int


def _scripted(policy: Policy) -> Opponent:
    """A player that draws its action from a policy."""

    def act(known: Any, rng: np.random.Generator) -> str:
        """Bet or pass at what is `known`, drawn by `rng` as likely as the policy says."""
        return "bet" if rng.random() < policy(known)["b"] else "pass"

    return act


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `KuhnPoker`."""

    hands: int = whole(10, HANDS[0], HANDS[-1])


class KuhnPoker(StrongExpert, LanguageAEC):
    """Kuhn poker.

    Description: a deck of jack, queen and king. In each hand both players put one chip into the pot and get one card;
    then they act in turn: pass or bet one chip. After a bet, to pass is to fold and to bet is to call. Two passes or a
    call lead to a showdown, which the higher card wins. A match is several hands; player_0 acts first in the first
    hand, player_1 in the second, and so on. A task holds the deals of all its hands, so that two players can meet on it
    twice, each as either player.

    Observation: what was done and shown since the player last acted, its card, the betting and the chips won so far.
    The other's card is shown at a showdown only.

    Actions: `pass` and `bet`. Facing a bet `fold` and `call` say the same, without one `check` does; `check` facing a
    bet, and `fold` or `call` without one, are refused. After three refused tries in a row `pass` is played.

    Reward: the chips won or lost, to both players at the end of each hand: 1 or 2 of either sign. At the end of the
    match the player with more chips has succeeded; with equal chips nobody has, and the metric `draw` is 1.

    Splits: `train` without end, `val` and `test` 200 matches each.

    Opponents: `random`; `simple` bets and calls with queen or king and passes with the jack; `strong` plays the
    equilibrium that bluffs most, against which nobody can win in the long run. With it the first to act loses 1/18 of a
    chip a hand. Expert: the same equilibrium, its dice made of the task. Oracle: sees both cards, bets or calls with
    the higher, otherwise passes. Scores of the card are against `simple`, half of the matches as either player.

    Args:
        hands: Hands of a match, 4 to 100; 10 by default. With few, the panels hold fewer tasks.

    Source: H. W. Kuhn 1950, A Simplified Two-Person Poker; actions named as in OpenSpiel.
    """

    card = KUHN_POKER
    config = Config()
    task_stream = STREAM
    default_rule = "pass"
    grammar = Grammar(
        [
            Command(
                "pass",
                "put in nothing: `check` without a bet, `fold` after one.",
                examples=("pass",),
                variants=("check", "fold"),
            ),
            Command("bet", "put in one chip; after a bet this is to `call`.", examples=("bet",), variants=("call",)),
        ],
        rules="The cards are jack, queen and king, one for each player; the higher wins. Both put in one chip before "
        "each hand; then you may pass or bet one more chip in turn. Win more chips than the other over the match.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "deals": {
                "type": "array",
                "minItems": 1,
                "maxItems": HANDS[-1],
                "items": {"type": "string", "enum": list(DEALS)},
            }
        }
    )
    OPPONENTS = graded(_scripted(uniform), _scripted(naive), _scripted(balanced))
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """The deals of as many hands as `config` says, drawn by `rng`."""
        return {"deals": [DEALS[int(place)] for place in rng.integers(len(DEALS), size=config.hands)]}

    def check_task(self, spec: Spec) -> None:
        """Every deal gives two different cards; the schema says so already."""
        if not spec["deals"]:
            raise TaskError("a match has at least one deal")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        hands = len(spec["deals"])
        return (
            f"Play a match of Kuhn poker over {hands} hand{'s' if hands > 1 else ''} and win more chips than the other."
        )

    def _turn_limit(self, task: Task) -> int:
        return STEPS * len(task.spec["deals"])

    def _reset(self, task: Task) -> None:
        self._state = State(list(task.spec["deals"]), 0, "", 0)
        self._deal()

    def _deal(self) -> None:
        """Say that a hand begins, and to each player which card it holds."""
        first = self.possible_agents[self._state.hand % 2]
        self.send_message(f"Hand {self._state.hand + 1} of {len(self._state.deals)} begins; {first} acts first.")
        for player in self.possible_agents:
            self.send_message(f"You are dealt the {NAMES[self._card(player)]}.", [player])

    def _card(self, player: str) -> str:
        return self._state.deals[self._state.hand][self.possible_agents.index(player)]

    def _to_move(self) -> str:
        return self.possible_agents[(self._state.hand + len(self._state.betting)) % 2]

    def _public(self) -> str:
        state, (zero, one) = self._state, self.possible_agents
        chips = f"{zero} {state.chips:+d}, {one} {-state.chips:+d}"
        if state.hand == len(state.deals):
            return f"The match is over; {chips} chips."
        said = [
            f"{self.possible_agents[(state.hand + place) % 2]} {WORDS[act]}" for place, act in enumerate(state.betting)
        ]
        return (
            f"Hand {state.hand + 1} of {len(state.deals)}. Betting: {', '.join(said) or 'none yet'}. "
            f"Chips so far: {chips}."
        )

    def _view(self, player: str) -> str:
        if self._state.hand == len(self._state.deals):
            return self._public()
        return f"{self._public()}\nYour card: {NAMES[self._card(player)]}."

    def _step(self, player: str, call: Call) -> JointOutcome:
        state = self._state
        act = "b" if call.name == "bet" else "p"
        facing = state.betting.endswith("b")
        if wrong := OUT_OF_PLACE[facing].get(call.said):
            return self.refuse(wrong)
        state.betting += act
        word = ("calls" if facing else "bets") if act == "b" else "folds" if facing else "passes"
        self.send_message(f"{player} {word}.")
        self.record({"type": "act", "seat": player, "action": WORDS[act]})
        return self._score() if state.betting in OVER else JointOutcome()

    def _score(self) -> JointOutcome:
        """End the hand, and the match after its last."""
        state, players = self._state, self.possible_agents
        first = state.hand % 2
        deal = state.deals[state.hand]
        won = winner(deal[first] + deal[1 - first], state.betting) ^ first
        stake = OVER[state.betting]
        if not state.betting.endswith("bp"):
            self.send_message(f"{players[0]} shows the {NAMES[deal[0]]}, {players[1]} shows the {NAMES[deal[1]]}.")
        self.send_message(f"{players[won]} wins {stake} chip{'s' if stake > 1 else ''}.")
        self.record({"type": "hand", "winner": players[won], "chips": stake})
        state.chips += stake if won == 0 else -stake
        state.hand, state.betting = state.hand + 1, ""
        rewards = {players[won]: float(stake), players[1 - won]: -float(stake)}
        if state.hand < len(state.deals):
            self._deal()
            share = state.hand / len(state.deals)
            return JointOutcome(rewards, progress=dict.fromkeys(players, share))
        if state.chips == 0:
            self.send_message("The match is a draw.")
            self.set_metric("draw", 1.0)
        winners = [players[state.chips < 0]] if state.chips else []
        return JointOutcome(rewards, over=True, winners=winners, progress=dict.fromkeys(players, 1.0))

    def _admissible(self, player: str) -> list[str]:
        return ["bet", "pass"]

    def _default(self, player: str) -> str:
        return "pass"

    def _known(self, player: str) -> tuple[str, str]:
        return self._card(player), self._state.betting

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        state = self._state
        mine = self.possible_agents.index(player)
        if state.hand < len(state.deals):
            held = state.deals[state.hand][mine]
            other = [rank for rank in RANKS if rank != held][int(rng.integers(2))]
            later = [DEALS[int(place)] for place in rng.integers(len(DEALS), size=len(state.deals) - state.hand - 1)]
            deal = held + other if mine == 0 else other + held
            state.deals = [*state.deals[: state.hand], deal, *later]

    def _decision(self, player: str) -> tuple[int, ...]:
        return (self._state.hand, len(self._state.betting))

    def _oracle(self, player: str) -> str:
        deal = self._state.deals[self._state.hand]
        mine = self.possible_agents.index(player)
        return "bet" if RANKS.index(deal[mine]) > RANKS.index(deal[1 - mine]) else "pass"

    def _key_state(self) -> Any:
        state = self._state
        return [state.deals[state.hand :], state.betting, state.chips]
