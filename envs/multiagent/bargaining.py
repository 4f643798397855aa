"""Bargaining: a seller and a buyer with secret limits haggle over one price."""

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
from agentgym.envs.multiagent._bargain import (
    CONDITIONS,
    EDGE,
    GOODS,
    REASONS,
    Known,
    drawn,
    random_opponent,
    simple_opponent,
    strong_opponent,
)
from agentgym.envs.multiagent._cards.talk import BARGAINING
from agentgym.envs.multiagent._scripted import StrongExpert, graded

MOVES = range(2, 51)
STREAM = 0xBA  # apart from np_random of an equal seed
MOST = 1_000_000  # dollars
STEPS = 16  # prices on the admissible list


@dataclass(slots=True)
class State:
    """The negotiation.

    Attributes:
        limits: The seller's cost and the buyer's value, in dollars.
        moves: Moves made by both.
        named: Prices each has named, latest last.
        maker: Who (0 the seller, 1 the buyer) made the standing offer; -1 if none stands.
        over: Whether it ended.
    """

    limits: list[int]
    moves: int
    named: list[list[int]]
    maker: int
    over: bool


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `Bargaining`."""

    moves: int = whole(6, MOVES[0], MOVES[-1], shapes_tasks=False)


class Bargaining(StrongExpert, LanguageAEC):
    """Bargaining.

    Description: one used thing is for sale. The seller has a cost, the least it may take without a loss; the buyer has
    a value, the most it may pay. Neither sees the other's limit; both know what such things go for. They move in
    turn, the seller first: talk, name a price, accept. A price stands until somebody names another; who accepts the
    other's ends the game. When the moves are used up, or somebody walks away, there is no sale. In about one task of
    six the cost is above the value, and no sale is right.

    Observation: what was said and offered since the player last acted; the thing, what such things go for, the player's
    limit, the standing price and the moves left.

    Actions: `offer <price>` in whole dollars (also `$120` or `120 dollars`), with ` saying <words>` behind it if
    wanted; `say <words>`; `accept`; `pass`; `walk away`. After three refused tries in a row `pass` is played. The
    admissible list holds a ladder of prices and all but free words.

    Reward: at the end what the sale is worth to the player, price less cost or value less price, over the distance of
    the two limits, from -1 to 1: two players share 1 where a sale is possible. A player succeeds, where a sale is
    possible, in a sale that brings it at least half (the Nash solution, less half a dollar, because prices are whole);
    where none is, if there is no sale. Metrics of the last step: `gain` in dollars, `possible`, `sale`, and
    `efficiency`, 1 if there was a sale exactly where one was possible. Nothing of the other's limit is told before the
    end.

    Splits: `train` without end, `val` and `test` 200 sales each.

    Opponents: `random`; `simple` begins at the far end and gives way evenly to its limit; `strong` gives way late,
    guesses from the other's prices how far it will come, and takes any gain in the end. They use words, but do not
    listen to them. One beats the other if it gets more of the gain over the same sales as either player. Expert:
    `strong`, its dice made of the task. Oracle: sees both limits and offers the last dollar that still leaves the
    other a gain. Scores of the card are against `simple`, half of them as either player.

    Args:
        moves: Moves of each player, 2 to 50; 6 by default.

    Source: He, Chen, Balakrishnan, Liang 2018, Decoupling Strategy and Generation in Negotiation Dialogues
    (CraigslistBargain); limits drawn as by Chatterjee and Samuelson 1983, Bargaining under Incomplete Information.
    """

    card = BARGAINING
    config = Config()
    task_stream = STREAM
    player_names = ("seller_0", "buyer_1")
    talk = True
    default_rule = "pass"
    admissible_complete = False
    grammar = Grammar(
        [
            Command(
                "offer <price> saying <words>",
                "name a price in whole dollars, and say something with it.",
                examples=("offer 120 saying It was serviced in spring.",),
                name="argue",
                free="lines",
            ),
            Command(
                "offer <price>",
                "name a price in whole dollars.",
                examples=("offer 120", "offer $95"),
            ),
            Command("say <words>", "say something and name no price.", examples=("say How old is it?",), free="lines"),
            Command("accept", "take the other's standing price; this ends the game.", examples=("accept",)),
            Command("pass", "do nothing.", examples=("pass",), variants=("wait",)),
            Command("walk away", "end the game without a sale.", examples=("walk away",)),
        ],
        rules="Agree on a price, or on none. The seller gains what the price is above its cost, the buyer what it is "
        "below its value; a sale beyond your limit is a loss. The other's limit is secret, and so is yours.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "thing": {"type": "string", "enum": list(GOODS)},
            "condition": {"type": "string", "enum": list(CONDITIONS)},
            "reason": {"type": "string", "enum": list(REASONS)},
            **{name: {"type": "integer", "minimum": 1, "maximum": MOST} for name in ("low", "high", "cost", "value")},
        }
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A sale in which cost and value differ, drawn by `rng`; no option in `config` shapes it."""
        while True:
            spec = drawn(rng)
            if spec["cost"] != spec["value"]:
                return dict(spec)

    def check_task(self, spec: Spec) -> None:
        """Refuse ranges upside down, limits outside them, and equal limits, between which there is nothing to share."""
        if not spec["low"] < spec["high"]:
            raise TaskError(f"low must be below high, got {spec['low']} and {spec['high']}")
        reach = round((spec["high"] - spec["low"]) * EDGE)
        if not spec["low"] <= spec["cost"] <= spec["low"] + reach:
            raise TaskError(f"the cost must be {spec['low']} to {spec['low'] + reach}, got {spec['cost']}")
        if not spec["high"] - reach <= spec["value"] <= spec["high"]:
            raise TaskError(f"the value must be {spec['high'] - reach} to {spec['high']}, got {spec['value']}")
        if spec["cost"] == spec["value"]:
            raise TaskError("cost and value must differ")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return (
            f"A {spec['thing']}, {spec['condition']}, is for sale {spec['reason']}. Agree on a price that is good for "
            "you; no sale is better than a loss."
        )

    def _turn_limit(self, task: Task) -> int:
        return 2 * self.config.moves * self.tries

    def _reset(self, task: Task) -> None:
        self._state = State([task.spec["cost"], task.spec["value"]], 0, [[], []], -1, False)

    def _to_move(self) -> str:
        return self.possible_agents[self._state.moves % 2]

    def _role(self, player: str) -> str:
        return player.partition("_")[0]

    def _public(self) -> str:
        state, spec = self._state, self.task.spec
        standing = "No price stands."
        if state.maker >= 0:
            standing = f"Standing price: {state.named[state.maker][-1]}, named by {self.possible_agents[state.maker]}."
        return (
            f"For sale: a {spec['thing']}, {spec['condition']}. Such things go for {spec['low']} to {spec['high']} "
            f"dollars.\n{standing}\nMoves left for both together: {2 * self.config.moves - state.moves}."
        )

    def _limits(self) -> str:
        return f"A price is a whole number of dollars from 1 to {MOST}."

    def _view(self, player: str) -> str:
        place = self.possible_agents.index(player)
        limit = self._state.limits[place]
        mine = f"Your value: {limit}; above it you lose." if place else f"Your cost: {limit}; below it you lose."
        return f"{self._public()}\n{mine}"

    def _step(self, player: str, call: Call) -> JointOutcome:
        state, place = self._state, self.possible_agents.index(player)
        if call.name in ("offer", "argue"):
            price = _price(call["price"])
            if price is None:
                return self.refuse(f"a price is a whole number of dollars from 1 to {MOST}, such as 120.")
            state.named[place].append(price)
            state.maker = place
            self.send_message(f"{player} offers {price} dollars.")
            self.record({"type": "offer", "seat": player, "price": price})
        elif call.name == "accept":
            if state.maker != 1 - place:
                return self.refuse("there is no price of the other to accept; name one yourself.")
            return self._sell(player, state.named[1 - place][-1])
        elif call.name == "walk":
            self.send_message(f"{player} walks away.")
            return self._finish(None)
        elif call.name == "pass":
            self.send_message(f"{player} says nothing.")
        if call.name in ("say", "argue"):
            self.say(player, call["words"])
            self.record({"type": "talk", "seat": player, "words": call["words"]})
        state.moves += 1
        return self._finish(None) if state.moves == 2 * self.config.moves else JointOutcome()

    def _sell(self, player: str, price: int) -> JointOutcome:
        self.send_message(f"{player} accepts. The thing is sold for {price} dollars.")
        self.record({"type": "sale", "price": price})
        return self._finish(price)

    def _finish(self, price: int | None) -> JointOutcome:
        """The end, with a sale or without."""
        self._state.over = True
        cost, value = self._state.limits
        possible = value > cost
        gains = [0, 0] if price is None else [price - cost, value - price]
        if price is None:
            self.send_message("There is no sale.")
        self.set_metric("sale", float(price is not None))
        self.set_metric("possible", float(possible))
        self.set_metric("efficiency", float((price is not None) == possible))
        rewards, winners = {}, []
        for player, gain in zip(self.possible_agents, gains, strict=True):
            self.set_metric("gain", gain, [player])
            rewards[player] = max(-1.0, min(1.0, gain / abs(value - cost)))
            if (price is None) != possible and (price is None or 2 * gain >= value - cost - 1):
                winners.append(player)
        return JointOutcome(rewards, over=True, winners=winners, progress=dict.fromkeys(self.possible_agents, 1.0))

    def _admissible(self, player: str) -> list[str]:
        low, high = self.task.spec["low"], self.task.spec["high"]
        prices = {round(low + (high - low) * step / (STEPS - 1)) for step in range(STEPS)}
        actions = ["pass", "walk away", *(f"offer {price}" for price in prices)]
        if self._state.maker == 1 - self.possible_agents.index(player):
            actions.append("accept")
        return actions

    def _sample(self, player: str, rng: np.random.Generator) -> str:
        return random_opponent(self._known(player), rng)

    def _default(self, player: str) -> str:
        return "pass"

    def _known(self, player: str) -> Known:
        place, state, spec = self.possible_agents.index(player), self._state, self.task.spec
        moves = 2 * self.config.moves
        return Known(
            place == 0, state.limits[place], spec["low"], spec["high"], moves - state.moves, moves,
            tuple(state.named[place]), tuple(state.named[1 - place]), state.maker == 1 - place,
        )  # fmt: skip

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        if self._state.over:
            return
        low, high = self.task.spec["low"], self.task.spec["high"]
        place = self.possible_agents.index(player)
        drift = int(rng.integers(round((high - low) * EDGE) + 1))
        other = low + drift if place else high - drift
        if other != self._state.limits[place]:
            self._state.limits[1 - place] = other

    def _decision(self, player: str) -> tuple[int, ...]:
        return (self._state.moves,)

    def _oracle(self, player: str) -> str:
        """Ask for all but a last gain of the other; near the end take any gain; where no sale is possible, go."""
        cost, value = self._state.limits
        if cost >= value:
            return "walk away"
        known = self._known(player)
        if known.open and known.gain(known.theirs[-1]) >= max(1, value - cost - 1):
            return "accept"
        if known.left <= 2 and known.open and known.gain(known.theirs[-1]) > 0:
            return "accept"
        return f"offer {max(value - 1, cost) if known.sells else min(cost + 1, value)}"

    def _key_state(self) -> Any:
        state = self._state
        standing = state.named[state.maker][-1] if state.maker >= 0 else 0
        return [state.limits, 2 * self.config.moves - state.moves, state.maker, standing, state.over]


def _price(text: str) -> int | None:
    """A price in whole dollars; None if the text is none."""
    digits = text.lower().removesuffix("dollars").strip().removeprefix("$").replace(",", "").removesuffix(".00")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(MOST))):
        return None
    return int(digits) if 1 <= int(digits) <= MOST else None
