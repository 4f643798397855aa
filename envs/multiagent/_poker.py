"""A match of several hands of fixed-limit poker between two players; Leduc and Texas hold'em give cards and ranking."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, object_schema, whole
from agentgym.core.grammar import Call, Command
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._betting import CALL, FOLD, RAISE, Rules, Standing, possible, standing
from agentgym.envs.multiagent._scripted import StrongExpert

HANDS = range(4, 101)
LONGEST_DEAL = 40  # characters
COMMANDS = (
    Command("fold", "give up the hand and what you have put in, when there is a bet to call.", examples=("fold",)),
    Command("check", "put in nothing, when there is no bet to call.", examples=("check",)),
    Command("call", "put in as much as the other has; without a bet this checks.", examples=("call",)),
    Command("raise", "call, and put in one raise more.", examples=("raise",), variants=("bet",)),
)
DEFAULT = "check, or fold if there is a bet to call"


@dataclass(slots=True)
class State:
    """The match.

    Attributes:
        deals: The cards of each hand: those of player_0, of player_1, and the board.
        hand: The hand being played, from 0.
        betting: What was done in it, `f`, `c` and `r`.
        chips: What player_0 has won so far, and player_1 lost.
    """

    deals: list[str]
    hand: int
    betting: str
    chips: int


class Known(NamedTuple):
    """What a player knows of the hand under way: its cards, the board so far, the betting, and its position."""

    held: tuple[str, ...]
    board: tuple[str, ...]
    betting: str
    position: int


@dataclass(frozen=True)
class PokerConfig(EnvConfig):
    """The keyword arguments of a match."""

    hands: int = whole(10, HANDS[0], HANDS[-1])


class PokerMatch(StrongExpert, LanguageAEC, ABC):
    """A match; a game sets the class attributes and says how cards compare.

    Attributes:
        RULES: The betting.
        DECK: The cards.
        HELD: Cards each player is dealt.
        SHOWN: Cards of the board in each round.
        PLAYERS: Levels of opponents, as functions of `Known` and a generator to `f`, `c` or `r`.
        TITLE: The name of the game, as the instruction has it.
    """

    RULES: ClassVar[Rules]
    DECK: ClassVar[tuple[str, ...]]
    HELD: ClassVar[int]
    SHOWN: ClassVar[tuple[int, ...]]
    TITLE: ClassVar[str]
    config = PokerConfig()
    default_rule = DEFAULT
    task_schema: ClassVar[Spec] = object_schema(
        {
            "deals": {
                "type": "array",
                "minItems": 1,
                "maxItems": HANDS[-1],
                "items": {"type": "string", "maxLength": LONGEST_DEAL},
            }
        }
    )
    _state: State

    @classmethod
    def generate(cls, config: PokerConfig, rng: np.random.Generator) -> Spec:
        """The cards of as many hands as `config` says, dealt by `rng` from a new deck each."""
        return {"deals": [dealt(cls.DECK, 2 * cls.HELD + cls.SHOWN[-1], rng) for _ in range(config.hands)]}

    # What a game says of its cards.

    @abstractmethod
    def _compare(self, one: tuple[str, ...], other: tuple[str, ...], board: tuple[str, ...]) -> int:
        """Above zero where the first wins the showdown, zero where both share the pot."""

    @abstractmethod
    def _describe(self, held: tuple[str, ...], board: tuple[str, ...]) -> str:
        """What a hand is worth, in words, such as `a pair of kings`."""

    # The match.

    def check_task(self, spec: Spec) -> None:
        """Every deal is as many different cards of the deck as a hand needs."""
        wanted = 2 * self.HELD + self.SHOWN[-1]
        for place, deal in enumerate(spec["deals"]):
            cards = deal.split(" ")
            if len(cards) != wanted or len(set(cards)) < wanted or not set(cards) <= set(self.DECK):
                raise TaskError(
                    f"deal {place} must be {wanted} different cards of {' '.join(self.DECK)}, with single spaces "
                    f"between them, got {deal!r}"
                )

    @classmethod
    def instruction(cls, spec: Spec) -> str:
        """The task in words."""
        hands = len(spec["deals"])
        over = f"{hands} hand{'s' if hands > 1 else ''}"
        return f"Play a match of {cls.TITLE} over {over} and win more chips than the other."

    def _turn_limit(self, task: Task) -> int:
        return 3 * self.RULES.longest * len(task.spec["deals"])

    def _reset(self, task: Task) -> None:
        self._state = State(list(task.spec["deals"]), 0, "", 0)
        self._deal()

    def _deal(self) -> None:
        """Say that a hand begins, what both put in, and to each player which cards it holds."""
        first = self._state.hand % 2
        players = self.possible_agents
        forced = [self.RULES.forced[index ^ first] for index in (0, 1)]
        self.send_message(
            f"Hand {self._state.hand + 1} of {len(self._state.deals)} begins. {players[0]} puts in {forced[0]}, "
            f"{players[1]} puts in {forced[1]}; {players[first]} acts first."
        )
        for player in players:
            self.send_message(f"You are dealt {' '.join(self._held(players.index(player)))}.", [player])

    def _held(self, index: int) -> tuple[str, ...]:
        cards = self._state.deals[self._state.hand].split(" ")
        return tuple(cards[self.HELD * index : self.HELD * (index + 1)])

    def _board(self, bets: int) -> tuple[str, ...]:
        """The board as it is shown in a round of bets."""
        cards = self._state.deals[self._state.hand].split(" ")[2 * self.HELD :]
        return tuple(cards[: self.SHOWN[min(bets, len(self.SHOWN) - 1)]])

    def _now(self) -> Standing:
        return standing(self.RULES, self._state.betting)

    def _to_move(self) -> str:
        return self.possible_agents[self._state.hand % 2 ^ self._now().mover]

    def _public(self) -> str:
        state, (zero, one) = self._state, self.possible_agents
        chips = f"{zero} {state.chips:+d}, {one} {-state.chips:+d}"
        if state.hand == len(state.deals):
            return f"The match is over; {chips} chips."
        now, first = self._now(), state.hand % 2
        board = " ".join(self._board(now.round)) or "none yet"
        return (
            f"Hand {state.hand + 1} of {len(state.deals)}, round {now.round + 1} of {len(self.SHOWN)}. "
            f"Board: {board}. In the pot: {zero} {now.put[first]}, {one} {now.put[1 - first]}. "
            f"Raises this round: {now.raises} of {self.RULES.caps[now.round]}, of {self.RULES.sizes[now.round]} each. "
            f"Chips so far: {chips}."
        )

    def _view(self, player: str) -> str:
        if self._state.hand == len(self._state.deals):
            return self._public()
        mine = f"\nYour cards: {' '.join(self._held(self.possible_agents.index(player)))}."
        owed = self._now().owed
        return self._public() + mine + (f" It costs {owed} to call." if owed and self._to_move() == player else "")

    def _step(self, player: str, call: Call) -> JointOutcome:
        state, now = self._state, self._now()
        if call.name == "fold" and not now.owed:
            return self.refuse("there is no bet to fold to; check or raise.")
        if call.name == "check" and now.owed:
            return self.refuse(f"there is a bet of {now.owed} to call; call, raise or fold.")
        act = {"fold": FOLD, "raise": RAISE}.get(call.name, CALL)
        if act not in possible(self.RULES, now):
            return self.refuse(f"this round has seen its {self.RULES.caps[now.round]} raises; call or fold.")
        state.betting += act
        after = self._now()
        word = "folds" if act == FOLD else "raises" if act == RAISE else "calls" if now.owed else "checks"
        self.send_message(f"{player} {word}.")
        self.record({"type": "act", "seat": player, "action": word.removesuffix("s")})
        if after.over:
            return self._score(after)
        if after.round > now.round:
            self.send_message(f"Round {after.round + 1}. The board: {' '.join(self._board(after.round))}.")
        return JointOutcome()

    def _score(self, now: Standing) -> JointOutcome:
        """End the hand, and the match after its last."""
        state, players = self._state, self.possible_agents
        first = state.hand % 2
        won = self._won(now)
        if now.folded < 0:
            board = self._board(now.round)
            for index in (0, 1):
                held = self._held(index)
                self.send_message(f"{players[index]} shows {' '.join(held)}: {self._describe(held, board)}.")
        if won is None:
            self.send_message("The pot is shared.")
        stake = 0 if won is None else now.put[1 - won ^ first]
        if won is not None:
            self.send_message(f"{players[won]} wins {stake} chip{'s' if stake > 1 else ''}.")
        self.record({"type": "hand", "winner": "" if won is None else players[won], "chips": stake})
        state.chips += -stake if won else stake
        state.hand, state.betting = state.hand + 1, ""
        rewards = {} if won is None else {players[won]: float(stake), players[1 - won]: -float(stake)}
        if state.hand < len(state.deals):
            self._deal()
            return JointOutcome(rewards, progress=dict.fromkeys(players, state.hand / len(state.deals)))
        if state.chips == 0:
            self.send_message("The match is a draw.")
            self.set_metric("draw", 1.0)
        winners = [players[state.chips < 0]] if state.chips else []
        return JointOutcome(rewards, over=True, winners=winners, progress=dict.fromkeys(players, 1.0))

    def _won(self, now: Standing) -> int | None:
        """The number of the player that wins a finished hand; None where the pot is shared."""
        if now.folded >= 0:
            return 1 - now.folded ^ self._state.hand % 2
        lead = self._compare(self._held(0), self._held(1), self._board(now.round))
        return None if lead == 0 else int(lead < 0)

    def _admissible(self, player: str) -> list[str]:
        now = self._now()
        words = {FOLD: "fold", CALL: "call" if now.owed else "check", RAISE: "raise"}
        return [words[act] for act in possible(self.RULES, now)]

    def _default(self, player: str) -> str:
        return "fold" if self._now().owed else "check"

    def _known(self, player: str) -> Known:
        index = self.possible_agents.index(player)
        return Known(
            self._held(index), self._board(self._now().round), self._state.betting, index ^ self._state.hand % 2
        )

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        state = self._state
        if state.hand == len(state.deals):
            return
        known = self._known(player)
        unseen = [card for card in self.DECK if card not in known.held and card not in known.board]
        drawn = [unseen[int(place)] for place in rng.permutation(len(unseen))]
        other, rest = drawn[: self.HELD], drawn[self.HELD :]
        mine = self.possible_agents.index(player)
        cards = [*(known.held if mine == 0 else other), *(other if mine == 0 else known.held), *known.board, *rest]
        deal = " ".join(cards[: 2 * self.HELD + self.SHOWN[-1]])
        later = [dealt(self.DECK, 2 * self.HELD + self.SHOWN[-1], rng) for _ in state.deals[state.hand + 1 :]]
        state.deals = [*state.deals[: state.hand], deal, *later]

    def _decision(self, player: str) -> tuple[int, ...]:
        return (self._state.hand, len(self._state.betting))

    def _oracle(self, player: str) -> str:
        """Raises with the hand that wins the showdown to come, calls to share it, else checks or folds."""
        now, mine = self._now(), self.possible_agents.index(player)
        lead = self._compare(self._held(mine), self._held(1 - mine), self._board(len(self.SHOWN)))
        if lead > 0 and RAISE in possible(self.RULES, now):
            return "raise"
        return "call" if now.owed and lead >= 0 else "fold" if now.owed else "check"

    def _key_state(self) -> Any:
        state = self._state
        return [state.deals[state.hand :], state.betting, state.chips, state.hand % 2, len(state.deals)]


def spoken(rules: Rules, known: Known, act: str) -> str:
    """An action in words; what is not possible becomes a call or a check.

    Args:
        rules: The betting of a hand.
        known: What the player to act knows, for the betting so far.
        act: `f`, `c` or `r`.
    """
    now = standing(rules, known.betting)
    if act not in possible(rules, now):
        act = CALL
    return {FOLD: "fold", RAISE: "raise"}.get(act) or ("call" if now.owed else "check")


def dealt(deck: tuple[str, ...], count: int, rng: np.random.Generator) -> str:
    """The first `count` cards of a `deck` shuffled with `rng`, in one text with spaces between."""
    return " ".join(deck[int(place)] for place in rng.permutation(len(deck))[:count])
