"""Blackjack in words: hit or stand against a dealer, from a deck without end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import product
from typing import Any, ClassVar, NamedTuple

import numpy as np

from agentgym.core.generated import EnvConfig, expert_is_oracle, named_level, object_schema, switch
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games._cards.chance import BLACKJACK

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
PIPS = {rank: min(place + 1, 10) for place, rank in enumerate(RANKS)}
DECK = tuple(PIPS.values())  # each rank is equally likely at every draw
LEVELS = {"original": {"hit_soft_17": False}, "casino": {"hit_soft_17": True}}
NATURAL, BUST = 22, 0  # ends of a hand beside its total
STREAM = 0xB1AC
APART = 5  # deals of about equal worth, of which one is held out for val and one for test


class Prospect(NamedTuple):
    """What an action, or the better one, leads to: expected reward, and chance of winning."""

    reward: float
    win: float


@dataclass(slots=True)
class State:
    """The cards the player has; the dealer's first one is the task's, the others are drawn when the player stands."""

    player: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `BlackjackEnv`."""

    level: str = named_level("original", LEVELS, of="Blackjack")
    hit_soft_17: bool = switch(None)


class BlackjackEnv(LanguageEnv):
    """Come nearer to 21 than the dealer, without going over.

    Description: cards count their number, J, Q and K 10, an ace 11 or, where that would exceed 21, 1. Every card is
    drawn from a full deck, so nothing can be counted. The dealer draws to 17 and then stands. An ace and a ten-card as
    the first two cards are a natural, which beats every other 21.

    Observation: `Dealer's card: K. Player's cards: A, 7.`; at the end the dealer's hand and who wins.

    Actions: `hit`, `stand`; also `draw` and `stay`.

    Reward: 1 for a win (success), 0 for a draw, -1 for a loss. The episode ends with `stand` or above 21. A hand not
    decided after 25 turns is forfeited and lost, so refusing to play pays no better than playing.

    Splits: no deal stands in two splits, ten-cards counting as one card, which leaves 550. Ordered by what best play
    makes of them, one of each five in a row stands in `val` and one in `test`, 110 each, so that both panels are worth
    the same; `train` without end draws the others.

    Oracle and Expert: the action of highest expected reward, computed exactly for the infinite deck without looking at
    cards to come; `oracle_success` of the card is its mean chance of winning on the test panel.

    Args:
        level: `original`, or `casino`, where the dealer draws at 17 if an ace in it counts 11.
        hit_soft_17: The same in place of the level's.

    Source: gym-cards' BlackJack (Zhai et al. 2024, arXiv:2405.10292) after Gymnasium's Blackjack (Sutton and Barto,
    Reinforcement Learning, example 5.1).
    """

    card = BLACKJACK
    config = Config()
    task_stream = STREAM
    grammar = Grammar(
        [
            Command("hit", "take another card.", examples=("hit",), variants=("draw", "hit me")),
            Command("stand", "take no more; the dealer plays.", examples=("stand",), variants=("stay", "stick")),
        ],
        rules="Come nearer to 21 than the dealer without going over. J, Q and K count 10, an ace 11 or 1.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "player": {
                "type": "array",
                "minItems": 2,
                "maxItems": 2,
                "items": {"type": "string", "enum": list(RANKS)},
            },
            "dealer": {"type": "string", "enum": list(RANKS)},
            "hit_soft_17": {"type": "boolean"},
        }
    )
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """The first three cards, drawn by `rng` from a deck without end, and the dealer's rule of `config`."""
        ranks = [RANKS[place] for place in rng.integers(len(RANKS), size=3).tolist()]
        return {"player": ranks[:2], "dealer": ranks[2], "hit_soft_17": config.hit_soft_17}

    @staticmethod
    def content_key(spec: Spec) -> str:
        """What the cards count, the player's in whatever order."""
        return fingerprint([sorted(PIPS[rank] for rank in spec["player"]), PIPS[spec["dealer"]], spec["hit_soft_17"]])

    @staticmethod
    def fits(config: Config, split: str, spec: Spec) -> bool:
        """Whether the deal of `spec` is one of `split`, under the rule that it names; `config` says no more.

        Deals are held out so that those of `val` and of `test` are worth the same; see `_split`.
        """
        return _split(spec["hit_soft_17"])[BlackjackEnv.content_key(spec)] == split

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        soft = " or with a 17 in which an ace counts 11" if spec["hit_soft_17"] else ""
        return (
            "Come nearer to 21 than the dealer without going over: hit takes a card, stand ends your turn. Every card "
            f"is drawn from a full deck; the dealer draws below 17{soft}. An ace and a ten-card as first two cards "
            "beat any other 21."
        )

    def _reset(self, task: Task) -> str:
        self._up: str = task.spec["dealer"]
        self._hits: bool = task.spec["hit_soft_17"]
        self._state = State(list(task.spec["player"]))
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        if call.name == "stand":
            return self._showdown()
        rank = self._draw()
        self._state.player.append(rank)
        event = {"type": "card", "to": "player", "rank": rank}
        total = count(self._state.player)[0]
        if total > 21:
            return Outcome(
                f"You draw {rank} and have {total}, more than 21. You lose.\n{self._view()}",
                reward=-1.0,
                terminated=True,
                events=(event,),
            )
        forfeit, said = self._forfeit()
        return Outcome(f"You draw {rank} and have {total}.{said}\n{self._view()}", reward=forfeit, events=(event,))

    def _refusal(self, reason: str) -> str:
        """On the last turn the hand is forfeited."""
        return super()._refusal(reason) + self._forfeit()[1]

    def _refusal_reward(self) -> float:
        return self._forfeit()[0]

    def _idle_reward(self) -> float:
        return self._forfeit()[0]

    def _forfeit(self) -> tuple[float, str]:
        """Reward and words of a turn that does not decide the hand."""
        if self.turn < self.max_turns:
            return 0.0, ""
        return -1.0, " That was your last turn; the hand is forfeited and lost."

    def _draw(self) -> str:
        return RANKS[int(self.np_random.random() * len(RANKS))]

    def _showdown(self) -> Outcome:
        player, dealer = self._state.player, [self._up]
        total, soft = _with(0, False, PIPS[self._up])
        while len(dealer) < 2 or _dealer_draws(total, soft, self._hits):
            dealer.append(self._draw())
            total, soft = _with(total, soft, PIPS[dealer[-1]])
        mine, theirs = _end(player), BUST if total > 21 else NATURAL if total == 21 and len(dealer) == 2 else total
        reward = float((mine > theirs) - (mine < theirs))
        verdict = {1.0: "You win.", 0.0: "It is a draw.", -1.0: "You lose."}[reward]
        said = f"The dealer has {', '.join(dealer)}: {_name(theirs, dealer)}. You have {_name(mine, player)}. {verdict}"
        events = [{"type": "card", "to": "dealer", "rank": rank} for rank in dealer[1:]]
        return Outcome(said, reward=reward, terminated=True, success=reward > 0, events=events)

    def _view(self) -> str:
        return f"Dealer's card: {self._up}. Player's cards: {', '.join(self._state.player)}."

    def _admissible(self) -> list[str]:
        return ["hit", "stand"]

    def _oracle(self) -> str:
        total, soft = count(self._state.player)
        natural = _end(self._state.player) == NATURAL
        stand = standing(NATURAL if natural else total, PIPS[self._up], self._hits)
        return "hit" if hitting(total, soft, PIPS[self._up], self._hits).reward > stand.reward else "stand"

    _expert = expert_is_oracle


@cache
def _split(hit_soft_17: bool) -> dict[str, str]:
    """The split of each of the 550 deals, by content key.

    Deals are ordered by what they are worth under best play. Of each five in a row one goes to `val` and one to `test`,
    which of them by stable hash, so the held-out panels hold easy and hopeless deals alike.
    """
    deals = {}
    for one, other, up in product(range(10), range(10), range(10)):
        if one <= other:
            spec = {"player": [RANKS[one], RANKS[other]], "dealer": RANKS[up], "hit_soft_17": hit_soft_17}
            deals[BlackjackEnv.content_key(spec)] = optimum(spec)
    order = sorted(deals, key=lambda key: (deals[key], key))
    found: dict[Any, Any] = {}
    for place in range(0, len(order), APART):
        block = sorted(order[place : place + APART], key=lambda key: fingerprint([key, STREAM]))
        found |= dict(zip(block, ("val", "test", *["train"] * APART), strict=False))
    return found


def count(cards: Iterable[str]) -> tuple[int, bool]:
    """Total of a hand, and whether an ace in it counts 11."""
    pips = [PIPS[rank] for rank in cards]
    total = sum(pips)
    soft = 1 in pips and total <= 11
    return total + 10 * soft, soft


def _end(cards: list[str]) -> int:
    total = count(cards)[0]
    return BUST if total > 21 else NATURAL if total == 21 and len(cards) == 2 else total


def _name(end: int, cards: list[str]) -> str:
    if end == BUST:
        return f"{count(cards)[0]}, more than 21"
    return "a natural 21" if end == NATURAL else str(end)


def _dealer_draws(total: int, soft: bool, hit_soft_17: bool) -> bool:
    return total < 17 or (hit_soft_17 and soft and total == 17)


def _with(total: int, soft: bool, pips: int) -> tuple[int, bool]:
    """A hand after one more card."""
    total, soft = (total + 11, True) if pips == 1 and total <= 10 else (total + pips, soft)
    return (total - 10, False) if soft and total > 21 else (total, soft)


@lru_cache(maxsize=2048)
def dealer_ends(total: int, soft: bool, cards: int, hit_soft_17: bool) -> tuple[tuple[int, float], ...]:
    """How a dealer's hand ends, with probabilities: 17 to 21, `NATURAL` or `BUST`.

    Args:
        total: Pips of the hand, a soft ace counted as 11.
        soft: Whether an ace counts as 11.
        cards: How many the hand has.
        hit_soft_17: Whether the dealer draws on a soft 17.
    """
    if total > 21:
        return ((BUST, 1.0),)
    if cards == 2 and total == 21:
        return ((NATURAL, 1.0),)
    if cards > 1 and not _dealer_draws(total, soft, hit_soft_17):
        return ((total, 1.0),)
    ends: dict[int, float] = {}
    for pips in DECK:
        for end, chance in dealer_ends(*_with(total, soft, pips), min(cards + 1, 3), hit_soft_17):
            ends[end] = ends.get(end, 0.0) + chance / len(DECK)
    return tuple(sorted(ends.items()))


@lru_cache(maxsize=1024)
def standing(end: int, up: int, hit_soft_17: bool) -> Prospect:
    """What standing leads to with a hand that ends so, against a dealer who shows a card of `up` pips.

    Args:
        end: The hand's total, or `NATURAL`.
        up: Pips of the card that the dealer shows.
        hit_soft_17: Whether the dealer draws on a soft 17.
    """
    ends = dealer_ends(*_with(0, False, up), 1, hit_soft_17)
    win = sum(chance for other, chance in ends if other < end)
    lose = sum(chance for other, chance in ends if other > end)
    return Prospect(win - lose, win)


@lru_cache(maxsize=4096)
def hitting(total: int, soft: bool, up: int, hit_soft_17: bool) -> Prospect:
    """What one more card leads to, and the best play after it.

    Args:
        total: Pips of the hand.
        soft: Whether an ace counts as 11.
        up: Pips of the card that the dealer shows.
        hit_soft_17: Whether the dealer draws on a soft 17.
    """
    reward = win = 0.0
    for pips in DECK:
        after, still_soft = _with(total, soft, pips)
        if after > 21:
            reward -= 1
            continue
        best = max(standing(after, up, hit_soft_17), hitting(after, still_soft, up, hit_soft_17))
        reward, win = reward + best.reward, win + best.win
    return Prospect(reward / len(DECK), win / len(DECK))


def optimum(spec: Spec) -> Prospect:
    """Expected reward and chance of winning of the best play of a deal."""
    up = PIPS[spec["dealer"]]
    total, soft = count(spec["player"])
    return max(
        standing(_end(list(spec["player"])), up, spec["hit_soft_17"]), hitting(total, soft, up, spec["hit_soft_17"])
    )
