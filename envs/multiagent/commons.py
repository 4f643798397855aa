"""Commons: two to ten share a resource that grows back, harvest in private, and talk about it (GovSim)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agentgym.core.generated import EnvConfig, object_schema, one_of, switch, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageParallel
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._cards.social import COMMONS
from agentgym.envs.multiagent._commons import (
    CAP,
    DOUBLING,
    LEAST,
    SCENARIOS,
    Known,
    best,
    divided,
    efficiency,
    equality,
    grown,
    most,
    random_opponent,
    simple_opponent,
    strong_opponent,
    threshold,
)
from agentgym.envs.multiagent._scripted import graded

STREAM = 0xC0505
PLAYERS = range(2, 11)
MONTHS = range(2, 25)
ROUNDS = range(0, 6)
ENOUGH = 0.85  # of the greatest total that all together could have, which a success needs
STOCK = (60, CAP)  # first stocks that are drawn
BEARABLE = (20, 75)  # of a full stock what it bears a month, which decides the growth
ALLOCATIONS = ("lots", "proportional")
UNITS = re.compile(r"(?<=\d)\s*(?:tons?(?: of fish)?|units?|sheep|pallets?(?: of goods)?)$", re.IGNORECASE)


@dataclass(slots=True)
class State:
    """The stock, the month, rounds of talk that are left in it, and what each has caught."""

    stock: int
    month: int
    talks: int
    gains: list[int]
    over: int = 0  # catches above the threshold
    catches: int = 0


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `Commons`."""

    players: int = whole(5, PLAYERS[0], PLAYERS[-1], shapes_tasks=False)
    months: int = whole(12, MONTHS[0], MONTHS[-1], shapes_tasks=False)
    rounds: int = whole(2, ROUNDS[0], ROUNDS[-1], shapes_tasks=False)
    universalize: bool = switch(False, shapes_tasks=False)
    allocation: str = one_of("lots", ALLOCATIONS, shapes_tasks=False)
    vary: bool = switch(True)


class Commons(LanguageParallel):
    """Commons.

    Description: two to ten players, five as published, share a resource that holds at most 100 units. In a month
    everyone privately names how much to harvest; if all together want more than there is, units are given out one at
    a time by lot. Each learns what it wanted and got, the manager tells all what each got, and the group talks. Then
    what is left grows by 25 to 300 per cent, as the task says, up to 100. If less than 5 units are left after a
    harvest, the resource is gone and the game ends. Otherwise it ends after 12 months. The resource is fish in a
    lake, grass of a pasture, or the clean water of a river; the numbers are alike. The first stock is 60 to 100
    units. Both are drawn for each task, so that no amount that is right in one is right in all.

    Observation: what was harvested and said, the stock, the month, and what to do now. Wishes of others stay private.

    Actions: `harvest <amount>`, a whole number from 0 to the stock (also `catch 5`, `answer: 5`, `5`); when the group
    talks `say <words>` or `pass`. What is refused counts as `harvest 0` in a harvest and as `pass` in a talk.

    Reward: each player's own catch, in units. At the end all succeed if the resource outlived the last harvest and the
    total catch is at least 85 % of the greatest that all together could have; to let it rest untouched is no success.
    Metrics of the last step: `survived` months, `gain` (own total), `equality` (1 - Gini of the totals), `efficiency`
    (total catch as a share of what the first stock could bear every month, at most 1, as published), `share` (of that
    greatest total), `overuse` (share of catches above what everyone could take).

    Splits: `train` without end, `val` 60 and `test` 100 games; a task is a scenario, the first stock, the growth and
    the lots, so that two groups can meet the same luck.

    Opponents (whole groups): `random`; `simple` takes five quarters of what the stock bears; `strong` leaves what
    grows back to all that the resource can hold, and says so once. Expert and oracle: the greatest total that all
    together can have: they leave as much each month, and 5 in the last. Shortcut: half of the stock, shared, whatever
    its growth.

    Args:
        players: How many share it, 2 to 10; 5 as published.
        months: 2 to 24; 12 as published.
        rounds: Rounds of talk a month, each player once in a round, 0 to 5; 2 rounds are the published ten utterances,
            0 is the published variant without language.
        universalize: Whether each is told what would happen if everyone took more than the threshold.
        allocation: How a short stock is divided: `lots`, or `proportional` to the wishes with remainders by lot.
        vary: Whether first stock and growth are drawn for each task; without, 100 units that double, as published.

    Errors: `ConfigError` for an option outside its range.

    Source: GovSim, Cooperate or Collapse (Piatti et al. 2024, arXiv:2404.16698).
    """

    card = COMMONS
    config = Config()
    task_stream = STREAM
    talk = True
    admissible_complete = False
    default_rule = "harvest 0 in a harvest, pass in a talk"
    grammar = Grammar(
        [
            Command(
                "harvest <amount>",
                "in a harvest: take so many units.",
                examples=("harvest 30",),
                variants=("catch <amount>", "answer: <amount>", "answer: <amount> tons"),
            ),
            Command(
                "say <words>", "in a talk: say something to all.", examples=("say What shall we do?",), free="lines"
            ),
            Command("pass", "in a talk: say nothing.", examples=("pass",)),
        ],
        rules="You share a resource with others. What is left after everyone has harvested grows until next month, as "
        f"much as the task says, up to {CAP} units; if less than {LEAST} units are left, it is gone for good. Harvest "
        "as much as you can over all months.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "scenario": {"type": "string", "enum": list(SCENARIOS)},
            "stock": {"type": "integer", "minimum": 10, "maximum": CAP},
            "growth": {"type": "integer", "minimum": 10, "maximum": 400},
            "lots": {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
        }
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A scenario, first stock and growth, and the seed of its lots.

        Args:
            config: Whether stock and growth vary; otherwise the stock is as large as can be, and doubles.
            rng: Draws all of them.
        """
        scenario = list(SCENARIOS)[int(rng.integers(len(SCENARIOS)))]
        stock, growth = CAP, DOUBLING
        if config.vary:
            stock = int(rng.integers(STOCK[0], STOCK[1] + 1))
            low, high = np.log(BEARABLE)
            bearable = float(np.exp(rng.uniform(low, high)))
            growth = round(100 * bearable / (CAP - bearable))
        return {
            "scenario": scenario,
            "stock": stock,
            "growth": growth,
            "lots": int(rng.integers(2**32)),
        }

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        words = SCENARIOS[spec["scenario"]]
        return (
            f"{words.about} What is left {_growing(spec['growth'])} until the next month, up to {CAP}. Get as much as "
            f"you can over all months; if less than {LEAST} {words.unit} are left, nothing comes back."
        )

    def _player_names(self, config: Config) -> list[str]:
        return [f"player_{place}" for place in range(config.players)]

    def _turn_limit(self, task: Task) -> int:
        return self.config.months * (1 + self.config.rounds)

    def _reset(self, task: Task) -> None:
        self._words = SCENARIOS[task.spec["scenario"]]
        self._state = State(task.spec["stock"], 1, 0, [0] * len(self.possible_agents))

    def _brief(self, player: str) -> str:
        others = [other for other in self.possible_agents if other != player]
        months = self.config.months
        rest = f"the others are {', '.join(others)}" if len(others) > 1 else f"the other is {others[0]}"
        return f"{self.task.instruction}\nYou are {player}; {rest}. There are {months} months."

    def _objection(self, player: str, call: Call) -> str:
        state = self._state
        if state.talks:
            return "the group talks now; say <words>, or pass." if call.name == "harvest" else ""
        if call.name != "harvest":
            return f"everyone harvests now; harvest <amount>, from 0 to {state.stock}."
        amount = _counted(call["amount"])
        if not (amount.isascii() and amount.isdigit() and len(amount) < 5 and int(amount) <= state.stock):
            return f"{shorten(call['amount'])!r} is no amount; name a whole number from 0 to {state.stock}."
        return ""

    def _step_all(self, calls: Mapping[str, Call]) -> JointOutcome:
        return self._discuss(calls) if self._state.talks else self._harvest(calls)

    def _discuss(self, calls: Mapping[str, Call]) -> JointOutcome:
        for player, call in calls.items():
            if call.name == "say":
                self.say(player, call["words"])
                self.add_cost("words", len(call["words"].split()), [player])
        self._state.talks -= 1
        if not self._state.talks:
            self._next_month()
        return JointOutcome()

    def _harvest(self, calls: Mapping[str, Call]) -> JointOutcome:
        state, players = self._state, list(calls)
        wishes = [int(_counted(call["amount"])) for call in calls.values()]
        rng = np.random.default_rng([self.task.spec["lots"], state.month, STREAM])
        caught = divided(wishes, state.stock, self.config.allocation == "lots", rng)
        bearable = threshold(state.stock, self.task.spec["growth"], len(players))
        for place, (player, got) in enumerate(zip(players, caught, strict=True)):
            self.send_message(self._words.took.format("You", wishes[place], got), [player])
            state.gains[place] += got
            state.over += got > bearable
            state.catches += 1
            self.record({"type": "catch", "seat": player, "amount": got})
        state.stock -= sum(caught)
        told = ", ".join(f"{player} {got}" for player, got in zip(players, caught, strict=True))
        self.send_message(f"The manager: this month's harvests are {told}; left are {state.stock} {self._words.unit}.")
        rewards = {player: float(got) for player, got in zip(players, caught, strict=True)}
        if state.stock < LEAST or state.month == self.config.months:
            return self._finish(rewards)
        progress = dict.fromkeys(players, state.month / self.config.months)
        if self.config.rounds:
            state.talks = self.config.rounds
            self.send_message("The group talks now.")
        else:
            self._next_month()
        return JointOutcome(rewards, progress=progress)

    def _next_month(self) -> None:
        self._state.stock = grown(self._state.stock, self.task.spec["growth"])
        self._state.month += 1
        self.send_message(f"Month {self._state.month} of {self.config.months} begins.")

    def _finish(self, rewards: Mapping[str, float]) -> JointOutcome:
        """Say how it went."""
        state, lasted = self._state, self._state.stock >= LEAST
        stock, growth, months = self.task.spec["stock"], self.task.spec["growth"], self.config.months
        share = sum(state.gains) / most(stock, growth, months)
        self.send_message(f"The resource {'has lasted' if lasted else 'is gone'}; this was month {state.month}.")
        self.set_metric("survived", state.month if lasted else state.month - 1)
        self.set_metric("equality", equality(state.gains))
        self.set_metric("efficiency", efficiency(state.gains, months, stock, growth))
        self.set_metric("share", share)
        self.set_metric("overuse", state.over / state.catches)
        for place, player in enumerate(rewards):
            self.set_metric("gain", state.gains[place], [player])
        progress = dict.fromkeys(rewards, (state.month if lasted else state.month - 1) / months)
        won = list(rewards) if lasted and share >= ENOUGH else []
        return JointOutcome(rewards, over=True, winners=won, progress=progress)

    def _public(self) -> str:
        state = self._state
        head = f"Month {state.month} of {self.config.months}."
        if state.talks:
            rate = _growing(self.task.spec["growth"])
            return f"{head} Left are {state.stock} {self._words.unit}; what is left {rate}, up to {CAP}."
        text = f"{head} {self._words.before.format(state.stock)}"
        if self.config.universalize:
            bearable = threshold(state.stock, self.task.spec["growth"], len(self.possible_agents))
            text += f" Given the current situation, {self._words.each.format(bearable)}"
        return text

    def _view(self, player: str) -> str:
        if player not in self.agents or self.ended:
            return self._public()
        place = self.possible_agents.index(player)
        asked = f"How much do you harvest, 0 to {self._state.stock}?"
        if self._state.talks:
            left = f"{self._state.talks} round{'s' if self._state.talks > 1 else ''} left"
            asked = f"The group talks, {left}: say <words>, or pass."
        return f"{self._public()} You have {self._state.gains[place]} so far.\n{asked}"

    def _admissible(self, player: str) -> list[str]:
        if self._state.talks:
            return ["pass"]
        return [f"harvest {amount}" for amount in range(self._state.stock + 1)]

    def _default(self, player: str) -> str:
        return "pass" if self._state.talks else "harvest 0"

    def _sample(self, player: str, rng: np.random.Generator) -> str:
        return random_opponent(self._known(player), rng)

    def _known(self, player: str) -> Known:
        state = self._state
        return Known(
            stock=state.stock,
            growth=self.task.spec["growth"],
            place=self.possible_agents.index(player),
            players=len(self.possible_agents),
            month=state.month,
            months=self.config.months,
            talking=state.talks > 0,
            opening=state.month == 1 and state.talks == self.config.rounds,
        )

    def _expert(self, player: str) -> str:
        return best(self._known(player))

    def _oracle(self, player: str) -> str:
        return best(self._known(player))

    def _shortcut(self, player: str, name: str) -> str:
        """Half of the stock, shared, whatever its growth."""
        return "pass" if self._state.talks else f"harvest {self._state.stock // 2 // len(self.possible_agents)}"


def _counted(amount: str) -> str:
    """An amount without what is counted: `30 tons of fish` is 30."""
    return UNITS.sub("", amount)


def _growing(growth: int) -> str:
    return "doubles" if growth == DOUBLING else f"grows by {growth} %"
