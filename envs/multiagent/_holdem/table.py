"""Matches of hold'em at a table: two to six players, limit or no-limit; `TexasHoldem` makes one where options ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.game import Opponent
from agentgym.core.generated import object_schema
from agentgym.core.grammar import Call, Grammar
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._cards.chance import TEXAS_HOLDEM
from agentgym.envs.multiagent._holdem import betting as bets
from agentgym.envs.multiagent._holdem.betting import CALL, FOLD, RAISE, Betting, Table
from agentgym.envs.multiagent._holdem.players import BOARD
from agentgym.envs.multiagent._holdem.ranking import DECK, NUMBERS, describe, worth
from agentgym.envs.multiagent._holdem.seats import Seen, random_seat, simple_seat, strong_seat
from agentgym.envs.multiagent._holdem.words import (
    LIMIT,
    NO_LIMIT,
    PLAYERS,
    STACKS,
    HoldemConfig,
    chips_of,
    spoken,
    table_grammar,
)
from agentgym.envs.multiagent._poker import COMMANDS, DEFAULT, HANDS, dealt
from agentgym.envs.multiagent._scripted import StrongExpert, graded

SHOWN = (0, 3, 4, 5, 5)  # cards of the board in each round, and at a showdown
PER_ROUND = 8  # actions of a player in a round, on average, for which there is time
STREAM = 0x7AB1E  # apart from np_random of an equal seed


@dataclass(slots=True)
class State:
    """The match.

    Attributes:
        deals: The cards of each hand: two for each player in order, and the board.
        hand: The hand being played, from 0.
        button: The seat with the button.
        history: What was done in the hand; see `betting`.
        won: By player, chips won so far.
    """

    deals: list[str]
    hand: int
    button: int
    history: list[str]
    won: list[int]


def _scripted(choose: Callable[[Seen, np.random.Generator], str]) -> Opponent:
    def act(seen: Seen, rng: np.random.Generator) -> str:
        """What the rule chooses of what is `seen`, drawn by `rng`, as it is said."""
        return spoken(seen.now, choose(seen, rng))

    return act


class HoldemTable(StrongExpert, LanguageAEC):
    """Hold'em at a table; `TexasHoldem` says how it is played.

    Args:
        hands, betting, players, stack: As of `TexasHoldem`.
    """

    card = TEXAS_HOLDEM
    config = HoldemConfig(betting=NO_LIMIT)
    task_stream = STREAM
    default_rule = DEFAULT
    admissible_complete = False
    grammar = Grammar(COMMANDS)
    task_schema: ClassVar[Spec] = object_schema(
        {
            "betting": {"type": "string", "enum": [LIMIT, NO_LIMIT]},
            "players": {"type": "integer", "minimum": PLAYERS[0], "maximum": PLAYERS[-1]},
            "stack": {"type": "integer", "minimum": 0, "maximum": STACKS[-1]},
            "deals": {
                "type": "array",
                "minItems": 1,
                "maxItems": HANDS[-1],
                "items": {"type": "string", "maxLength": 3 * (2 * PLAYERS[-1] + BOARD)},
            },
        }
    )
    OPPONENTS = graded(_scripted(random_seat), _scripted(simple_seat), _scripted(strong_seat))
    _state: State

    def _configured(self) -> None:
        self.grammar = table_grammar(self.config)

    @staticmethod
    def generate(config: HoldemConfig, rng: np.random.Generator) -> Spec:
        """The cards of all hands.

        Args:
            config: Hands, players, kind of betting, and the stack, which is 0 where a limit makes it needless.
            rng: Draws two cards a player and the board, from a new deck for each hand.
        """
        deals = [dealt(DECK, 2 * config.players + BOARD, rng) for _ in range(config.hands)]
        return {"betting": config.betting, "players": config.players, "stack": config.stack or 0, "deals": deals}

    def _player_names(self, config: HoldemConfig) -> list[str]:
        return [f"player_{seat}" for seat in range(config.players)]

    def check_task(self, spec: Spec) -> None:
        """The table is that of the game, and every deal has as many different cards as a hand needs."""
        for option, given in (("betting", spec["betting"]), ("players", spec["players"]), ("stack", spec["stack"])):
            mine = getattr(self.config, option) or 0
            if given != mine:
                raise TaskError(
                    f"the task is for {option}={given!r}, this game has {option}={mine!r}; make it with the former"
                )
        wanted = 2 * spec["players"] + BOARD
        for place, deal in enumerate(spec["deals"]):
            cards = deal.split(" ")
            if len(cards) != wanted or len(set(cards)) < wanted or not set(cards) <= set(DECK):
                raise TaskError(
                    f"deal {place} must be {wanted} different cards of {' '.join(DECK)}, with single spaces between "
                    f"them, got {deal!r}"
                )

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        hands, than = len(spec["deals"]), "the other" if spec["players"] == 2 else "any other"
        return (
            f"Play a match of {spec['betting']} Texas hold'em of {spec['players']} players over {hands} "
            f"hand{'s' if hands > 1 else ''} and win more chips than {than}."
        )

    def _turn_limit(self, task: Task) -> int:
        return 3 * PER_ROUND * bets.ROUNDS * task.spec["players"] * len(task.spec["deals"])

    def _reset(self, task: Task) -> None:
        players = task.spec["players"]
        self._state = State(list(task.spec["deals"]), 0, 0 if players == 2 else players - 1, [], [0] * players)
        self._deal()

    # The hand under way.

    @property
    def _stacks(self) -> tuple[int, ...]:
        """The chips of each seat when the hand began."""
        if self.config.betting == LIMIT:
            return (bets.BOTTOMLESS,) * self.config.players
        return tuple(self.task.spec["stack"] + won for won in self._state.won)

    def _now(self) -> Betting:
        table = Table(self._stacks, self._state.button, self.config.betting == LIMIT)
        return bets.betting(table, tuple(self._state.history))

    def _over(self) -> bool:
        return self._state.hand == len(self._state.deals) or len(bets.seats_in(self._stacks)) < 2

    def _held(self, seat: int) -> tuple[str, ...]:
        return tuple(self._state.deals[self._state.hand].split(" ")[2 * seat : 2 * seat + 2])

    def _board(self, round_: int) -> tuple[str, ...]:
        cards = self._state.deals[self._state.hand].split(" ")[2 * self.config.players :]
        return tuple(cards[: SHOWN[round_]])

    def _worth(self, seat: int) -> int:
        """What the cards of a seat are worth with the whole board."""
        return worth(NUMBERS[card] for card in (*self._held(seat), *self._board(bets.ROUNDS)))

    def _to_move(self) -> str:
        return self.possible_agents[0 if self._over() else self._now().mover]

    def _deal(self) -> None:
        """Say that a hand begins, who has which place, and to each player which cards it holds."""
        state, now, players = self._state, self._now(), self.possible_agents
        small, big = now.table.blinds
        first = "nobody can bet" if now.over else f"{players[now.mover]} acts first"
        self.send_message(
            f"Hand {state.hand + 1} of {len(state.deals)} begins; {players[state.button]} has the button. "
            f"{players[small]} puts in the small blind of {now.put[small]}, {players[big]} the big blind of "
            f"{now.put[big]}; {first}."
        )
        for seat in bets.seats_in(now.table.stacks):
            self.send_message(f"You are dealt {' '.join(self._held(seat))}.", [players[seat]])

    def _public(self) -> str:
        state, players = self._state, self.possible_agents
        won = ", ".join(f"{player} {chips:+d}" for player, chips in zip(players, state.won, strict=True))
        if self._over():
            return f"The match is over; {won} chips."
        now = self._now()
        seats = [f"{player} {self._place(now, seat)}" for seat, player in enumerate(players)]
        capped = f" Raises this round: {now.raises} of {bets.CAPS[now.round]}, of {bets.SIZES[now.round]} each."
        return (
            f"Hand {state.hand + 1} of {len(state.deals)}, round {now.round + 1} of {bets.ROUNDS}. Button: "
            f"{players[state.button]}. Board: {' '.join(self._board(now.round)) or 'none yet'}. In the pot: "
            f"{sum(now.put)}; put in this round: {', '.join(seats)}.{capped if now.table.limit else ''} Chips won so "
            f"far: {won}."
        )

    def _place(self, now: Betting, seat: int) -> str:
        """What a seat has put in in this round, and how it stands."""
        if not now.table.stacks[seat]:
            return "out"
        put = max(0, now.put[seat] - now.base)
        if now.folded[seat]:
            return f"{put} (folded)"
        return (
            f"{put}" if now.table.limit else f"{put} ({now.left(seat)} left)" if now.left(seat) else f"{put} (all in)"
        )

    def _view(self, player: str) -> str:
        seat = self.possible_agents.index(player)
        if self._over():
            return self._public()
        now = self._now()
        if not now.table.stacks[seat]:
            return f"{self._public()}\nYou have no chips left."
        mine = f"{self._public()}\nYour cards: {' '.join(self._held(seat))}."
        if self._to_move() != player:
            return mine
        span = now.raises_to()
        mine += f" It costs {now.owed} to call." if now.owed else ""
        if now.table.limit or span is None:
            return mine
        return f"{mine} You may raise to {f'any amount from {span[0]} to {span[1]}' if span[1] > span[0] else span[0]}."

    # What a player does.

    def _step(self, player: str, call: Call) -> JointOutcome:
        now = self._now()
        act = self._meant(now, call)
        if isinstance(act, JointOutcome):
            return act
        self._state.history = [*self._state.history, act]
        after = self._now()
        word, event = self._told(now, act, after)
        self.send_message(f"{player} {word}.")
        self.record({"type": "act", "seat": player, **event})
        if after.over:
            return self._score(after, now.round)
        if after.round > now.round:
            self.send_message(f"Round {after.round + 1}. The board: {' '.join(self._board(after.round))}.")
        return JointOutcome()

    def _meant(self, now: Betting, call: Call) -> str | JointOutcome:
        """The action of a call, or its refusal."""
        span, owed = now.raises_to(), now.owed
        if call.name == "fold":
            return FOLD if owed else self.refuse("there is no bet to fold to; check or raise.")
        if call.name == "check" and owed:
            return self.refuse(f"there is a bet of {owed} to call; call, raise or fold.")
        if call.name in ("check", "call"):
            return CALL
        if call.name == "all-in" and owed == now.left(now.mover):
            return CALL
        if span is None:
            if now.table.limit and now.raises >= bets.CAPS[now.round]:
                return self.refuse(f"this round has seen its {now.raises} raises; call or fold.")
            return self.refuse(f"you cannot raise now; {'call or fold' if owed else 'check'}.")
        if now.table.limit:
            return f"{RAISE}{span[0]}"
        if call.name == "all-in":
            return f"{RAISE}{span[1]}"
        amount, range_ = call["amount"], f"from {span[0]} to {span[1]}"
        if not (amount.isascii() and amount.isdecimal() and span[0] <= int(amount) <= span[1]):
            return self.refuse(f"raise to a whole number {range_}, such as: raise to {span[0]}.")
        return f"{RAISE}{int(amount)}"

    @staticmethod
    def _told(now: Betting, act: str, after: Betting) -> tuple[str, dict[str, Any]]:
        """An action as all are told it, and as an event has it."""
        if act == FOLD:
            return "folds", {"action": "fold"}
        all_in = "" if after.left(now.mover) else " and is all in"
        if act == CALL:
            word = "call" if now.owed else "check"
            return (f"calls {now.owed}{all_in}" if now.owed else "checks"), {"action": word}
        if now.table.limit:
            return "raises", {"action": "raise"}
        return f"raises to {act[1:]}{all_in}", {"action": "raise", "amount": int(act[1:])}

    def _score(self, now: Betting, shown: int) -> JointOutcome:
        """End the hand, and the match after its last or when one has all chips; so many rounds have shown the board."""
        state, players = self._state, self.possible_agents
        seats = bets.showdown(now)
        if seats and SHOWN[shown] < BOARD:
            self.send_message(f"The board: {' '.join(self._board(bets.ROUNDS))}.")
        self._tell_pots(now, seats)
        gains = [got - put for got, put in zip(bets.paid(now, self._worth), now.put, strict=True)]
        best = max(gains)
        winners = [player for player, gain in zip(players, gains, strict=True) if gain == best and gain > 0]
        self.record({"type": "hand", "winner": winners[0] if len(winners) == 1 else "", "chips": max(0, best)})
        stacks = self._stacks
        state.won = [won + gain for won, gain in zip(state.won, gains, strict=True)]
        for seat, player in enumerate(players):
            if stacks[seat] and not self._stacks[seat]:
                self.send_message(f"{player} has no chips left.")
        state.hand, state.history = state.hand + 1, []
        rewards = {player: float(gain) for player, gain in zip(players, gains, strict=True) if gain}
        if not self._over():
            state.button = bets.next_button(self._stacks, state.button)
            self._deal()
            return self._after_deal(rewards)
        return self._finish(rewards)

    def _after_deal(self, rewards: dict[str, float]) -> JointOutcome:
        """The next hand is under way; one in which the blinds leave nobody to act is over at once."""
        now = self._now()
        if not now.over:
            hands = self._state.hand / len(self._state.deals)
            return JointOutcome(rewards, progress=dict.fromkeys(self.possible_agents, hands))
        more = self._score(now, 0)
        both = {player: rewards.get(player, 0.0) + more.rewards.get(player, 0.0) for player in self.possible_agents}
        return JointOutcome(both, over=more.over, winners=more.winners, progress=more.progress)

    def _finish(self, rewards: dict[str, float]) -> JointOutcome:
        players, won = self.possible_agents, self._state.won
        winners = [player for player, chips in zip(players, won, strict=True) if chips == max(won)]
        if len(winners) > 1:
            winners = []
            self.send_message("The match is a draw.")
            self.set_metric("draw", 1.0)
        return JointOutcome(rewards, over=True, winners=winners, progress=dict.fromkeys(players, 1.0))

    def _tell_pots(self, now: Betting, seats: list[int]) -> None:
        """Who shows what and who wins which pot."""
        players = self.possible_agents
        for seat in seats:
            self.send_message(f"{players[seat]} shows {' '.join(self._held(seat))}: {describe(self._worth(seat))}.")
        back, chips = bets.returned(now)
        if chips:
            self.send_message(f"{players[back]} gets back {chips_of(chips)} that nobody called.")
        found = bets.pots(now)
        for number, pot in enumerate(found):
            best = bets.best_of(pot.seats, self._worth)
            name = "the pot" if len(found) == 1 else "the main pot" if number == 0 else f"side pot {number}"
            who = " and ".join(players[seat] for seat in best)
            self.send_message(f"{who} {'wins' if len(best) == 1 else 'share'} {name} of {chips_of(pot.chips)}.")

    # Players.

    def _admissible(self, player: str) -> list[str]:
        now = self._now()
        span = now.raises_to()
        found = ["fold", "call"] if now.owed else ["check"]
        if span is None:
            return found
        if now.table.limit:
            return [*found, "raise"]
        pot = min(max(span[0], now.level - now.base + sum(now.put) + now.owed), span[1])
        return [*found, *(f"raise to {amount}" for amount in sorted({*span, pot}))]

    def _sample(self, player: str, rng: np.random.Generator) -> str:
        return self.OPPONENTS["random"](self._known(player), rng)

    def _default(self, player: str) -> str:
        return "fold" if self._now().owed else "check"

    def _known(self, player: str) -> Seen:
        seat, now = self.possible_agents.index(player), self._now()
        return Seen(self._held(seat), self._board(now.round), now.table, tuple(self._state.history), seat)

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        state, count = self._state, self.config.players
        if self._over():
            return
        seat, board = self.possible_agents.index(player), self._board(self._now().round)
        held = self._held(seat) if self._stacks[seat] else ()
        unseen = [card for card in DECK if card not in held and card not in board]
        drawn = iter([unseen[int(place)] for place in rng.permutation(len(unseen))])
        cards = [held[place % 2] if held and place // 2 == seat else next(drawn) for place in range(2 * count)]
        cards += [*board, *(next(drawn) for _ in range(BOARD - len(board)))]
        later = [dealt(DECK, 2 * count + BOARD, rng) for _ in state.deals[state.hand + 1 :]]
        state.deals = [*state.deals[: state.hand], " ".join(cards), *later]

    def _decision(self, player: str) -> tuple[int, ...]:
        return (self._state.hand, len(self._state.history))

    def _oracle(self, player: str) -> str:
        """Raises by the least with the hand that wins the showdown to come, calls to share it, else checks or folds."""
        now = self._now()
        best, span = bets.best_of(now.live, self._worth), now.raises_to()
        if best == [now.mover] and span is not None and now.raises < 2:
            return spoken(now, f"{RAISE}{span[0]}")
        return spoken(now, CALL if now.mover in best else FOLD)

    def _key_state(self) -> Any:
        state = self._state
        return [state.deals[state.hand :], state.history, state.won, state.button, len(state.deals)]
