"""Right games of several players, not of this package: hidden numbers with talk, simultaneous rounds, and a replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agentgym.core import Call, Command, EnvCard, FiniteTaskSet, Grammar, Task, register
from agentgym.core.game import Opponent
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC, LanguageParallel

NUMBERS = range(1, 7)
LEVELS = ("random", "simple", "strong")


def game_card(name: str, module: str = __name__, **changes: Any) -> EnvCard:
    facts: dict[str, Any] = {
        "id": f"Table/{name}-v0",
        "kind": "multiagent",
        "api": "aec",
        "entry_point": f"{module}:{name}",
        "description": "Guess a number.",
        "citation": "none",
        "splits": {"train": 24, "val": 6, "test": 6},
        "max_turns": 30,
        "deterministic": True,
        "oracle_success": 1.0,
        "players": 2,
        "opponents": LEVELS,
        "rival": "simple",
        "events": {"guess": "the `number` guessed by `seat`"},
        "metrics": {"draw": "1 where nobody wins"},
        "costs": {"words": "words said"},
    }
    return EnvCard(**{**facts, **changes})


@dataclass
class Numbers:
    """The two hidden numbers, wrong guesses of each player, and actions so far."""

    hidden: list[int]
    wrong: list[list[int]]
    done: int = 0


def _guess(left: list[int], rng: np.random.Generator) -> str:
    return f"guess {left[int(rng.integers(len(left)))]}"


def _simple(known: Any, rng: np.random.Generator) -> str:
    return _guess([number for number in NUMBERS if number not in known[1]], rng)


def _strong(known: Any, rng: np.random.Generator) -> str:
    return _guess([number for number in NUMBERS if number not in known[1] and number % 2 == known[2]], rng)


class Whispers(LanguageAEC):
    """Each player holds a number and is told whether the other's is even; who names the other's number first wins."""

    card = game_card("Whispers")
    talk = True
    default_rule = "guess 1"
    grammar = Grammar(
        [
            Command("say <words>", "say something.", examples=("say hello",)),
            Command(
                "guess <number>",
                "name the other's number.",
                examples=("guess 3",),
                choices={"number": tuple(map(str, NUMBERS))},
            ),
        ],
        rules="Find out the other's number.",
    )
    admissible_complete = False
    task_schema: ClassVar[Mapping[str, Any]] = {
        "type": "object",
        "properties": {
            "hidden": {
                "type": "array",
                "minItems": 2,
                "maxItems": 2,
                "items": {"type": "integer", "minimum": 1, "maximum": 6},
            }
        },
        "required": ["hidden"],
        "additionalProperties": False,
    }
    OPPONENTS: ClassVar[Mapping[str, Opponent]] = {
        "random": lambda known, rng: "say hm" if rng.random() < 0.5 else _guess(list(NUMBERS), rng),
        "simple": _simple,
        "strong": _strong,
    }
    _state: Numbers

    def tasks(self, split: str) -> FiniteTaskSet:
        pairs = [(one, other) for one in NUMBERS for other in NUMBERS]
        begin, end = {"train": (0, 24), "val": (24, 30), "test": (30, 36)}[split]
        ids = [f"{one}{other}" for one, other in sorted(pairs, key=lambda pair: pair[0] * 7 % 5 * 10 + pair[1])]
        return FiniteTaskSet(split, ids[begin:end], lambda name: self._task_of(name, split))

    def _task_of(self, name: str, split: str) -> Task:
        return Task(name, split, self.instruction({}), {"hidden": [int(digit) for digit in name]})

    def instruction(self, spec: Mapping[str, Any]) -> str:
        return "Name the other's number, 1 to 6, before it names yours."

    def _reset(self, task: Task) -> None:
        self._state = Numbers(list(task.spec["hidden"]), [[], []])
        for place, player in enumerate(self.possible_agents):
            self.send_message(f"Your number is {self._state.hidden[place]}, {player}.", [player])
            parity = "odd" if self._state.hidden[1 - place] % 2 else "even"
            self.send_message(f"The number of the other is {parity}.", [player])

    def _to_move(self) -> str:
        return self.possible_agents[self._state.done % 2]

    def _step(self, player: str, call: Call) -> JointOutcome:
        mine = self.possible_agents.index(player)
        if call.name == "guess" and int(call["number"]) in self._state.wrong[mine]:
            return self.refuse("you named that number before.")
        self._state.done += 1
        if call.name == "say":
            self.say(player, call["words"])
            self.add_cost("words", len(call["words"].split()), [player])
        else:
            number = int(call["number"])
            self.send_message(f"{player} names {number}.")
            self.record({"type": "guess", "seat": player, "number": number})
            if number == self._state.hidden[1 - mine]:
                other = self.possible_agents[1 - mine]
                return JointOutcome({player: 1.0, other: -1.0}, over=True, winners=[player])
            self._state.wrong[mine] = [*self._state.wrong[mine], number]
        if self._state.done == 8:
            self.set_metric("draw", 1.0)
            return JointOutcome(over=True)
        return JointOutcome()

    def _view(self, player: str) -> str:
        wrong = self._state.wrong[self.possible_agents.index(player)]
        return f"You named: {', '.join(map(str, wrong)) or 'nothing'}."

    def _admissible(self, player: str) -> list[str]:
        wrong = self._state.wrong[self.possible_agents.index(player)]
        return [f"guess {number}" for number in NUMBERS if number not in wrong]

    def _default(self, player: str) -> str:
        return self._admissible(player)[0]

    def _known(self, player: str) -> Any:
        mine = self.possible_agents.index(player)
        return self._state.hidden[mine], tuple(self._state.wrong[mine]), self._state.hidden[1 - mine] % 2

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        mine = self.possible_agents.index(player)
        _, wrong, parity = self._known(player)
        left = [number for number in NUMBERS if number % 2 == parity and number not in wrong]
        self._state.hidden[1 - mine] = left[int(rng.integers(len(left)))]

    def _oracle(self, player: str) -> str:
        return f"guess {self._state.hidden[1 - self.possible_agents.index(player)]}"

    def _expert(self, player: str) -> str:
        return _strong(self._known(player), np.random.default_rng(0))


class Replayed(Whispers):
    """The same, copied by playing again."""

    card = game_card("Replayed", snapshot="replay")


@dataclass
class Rounds_:
    """Points of each player and rounds so far."""

    points: list[int]
    round: int = 0


class Hasty(Whispers):
    """Mostly ends with the first action, for it is known in this game what the other's number is."""

    card = game_card("Hasty")

    def _sample(self, player: str, rng: np.random.Generator) -> str:
        other = self._state.hidden[1 - self.possible_agents.index(player)]
        return f"guess {other}" if rng.random() < 0.9 else "say hm"


class Rounds(LanguageParallel):
    """All show a number at once; the highest wins the round, a tie is broken by the dice; most points win."""

    card = game_card(
        "Rounds", api="parallel", players=3, deterministic=False, oracle_success=0.5, max_turns=5, rival="random"
    )
    player_names = ("player_0", "player_1", "player_2")
    longest = 4
    talk = True
    default_rule = "show 1"
    grammar = Grammar(
        [
            Command(
                "show <number> saying <words>",
                "show a number and say something.",
                examples=("show 2 saying ha",),
                choices={"number": ("1", "2", "3")},
                name="talk",
            ),
            Command("show <number>", "show a number.", examples=("show 2",), choices={"number": ("1", "2", "3")}),
        ],
        rules="Show the highest number.",
    )
    admissible_complete = False
    task_schema: ClassVar[Mapping[str, Any]] = {
        "type": "object",
        "properties": {"rounds": {"type": "integer", "minimum": 1, "maximum": 50}},
        "required": ["rounds"],
        "additionalProperties": False,
    }
    OPPONENTS: ClassVar[Mapping[str, Opponent]] = {
        "random": lambda known, rng: f"show {int(rng.integers(1, 4))}",
        "simple": lambda known, rng: f"show {int(rng.integers(2, 4))}",
        "strong": lambda known, rng: "show 3",
    }
    _state: Rounds_

    def tasks(self, split: str) -> FiniteTaskSet:
        begin, end = {"train": (2, 26), "val": (26, 32), "test": (32, 38)}[split]
        return FiniteTaskSet(split, list(map(str, range(begin, end))), lambda name: self._task_of(name, split))

    def _task_of(self, name: str, split: str) -> Task:
        return Task(name, split, self.instruction({}), {"rounds": int(name)})

    def instruction(self, spec: Mapping[str, Any]) -> str:
        return "Win most rounds."

    def _turn_limit(self, task: Task) -> int:
        return 5

    def _reset(self, task: Task) -> None:
        self._state = Rounds_([0, 0, 0])

    def _objection(self, player: str, call: Call) -> str:
        return "three is not allowed in the first round." if call["number"] == "3" and not self._state.round else ""

    def _step_all(self, calls: Mapping[str, Call]) -> JointOutcome:
        for player, call in calls.items():
            self.send_message(f"{player} shows {call['number']}.")
            if call.name == "talk":
                self.say(player, call["words"])
                self.add_cost("words", len(call["words"].split()), [player])
        most = max(int(call["number"]) for call in calls.values())
        ahead = [player for player, call in calls.items() if int(call["number"]) == most]
        won = ahead[int(self.np_random.integers(len(ahead)))]
        self._state.points[self.possible_agents.index(won)] += 1
        self._state.round += 1
        if self._state.round < min(self.longest, self.task.spec["rounds"]):
            return JointOutcome({won: 1.0})
        top = max(self._state.points)
        winners = [player for place, player in enumerate(self.possible_agents) if self._state.points[place] == top]
        if len(winners) > 1:
            self.set_metric("draw", 1.0)
            winners = []
        return JointOutcome({won: 1.0}, over=True, winners=winners)

    def _public(self) -> str:
        return f"Points: {self._state.points}."

    def _admissible(self, player: str) -> list[str]:
        return [f"show {number}" for number in ((1, 2, 3) if self._state.round else (1, 2))]

    def _known(self, player: str) -> int:
        return self._state.round

    def _oracle(self, player: str) -> str:
        return "show 3" if self._state.round else "show 2"


class Choir(Rounds):
    """All play together, talk in every second round only, and can be seen in a picture."""

    card = game_card(
        "Choir", api="parallel", players=3, deterministic=False, oracle_success=0.5, max_turns=5, rival="", images=True
    )
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 4}

    def _objection(self, player: str, call: Call) -> str:
        if call.name == "talk" and self._state.round % 2 == 0:
            return "nobody talks in this round."
        return super()._objection(player, call)

    def _step_all(self, calls: Mapping[str, Call]) -> JointOutcome:
        ruling = super()._step_all(calls)
        together = dict.fromkeys(calls, sum(int(call["number"]) for call in calls.values()) / 9)
        return JointOutcome(together, over=ruling.over, winners=list(calls) if ruling.over else [])

    def _picture(self) -> Any:
        return np.full((4, 4 * len(self._state.points), 3), self._state.round, dtype=np.uint8)


class Marathon(Rounds):
    """As many rounds as the task says."""

    card = game_card("Marathon", api="parallel", players=3, deterministic=False, oracle_success=0.5, rival="random")
    longest = 50

    def _turn_limit(self, task: Task) -> int:
        return self.card.max_turns


for _world in (Whispers, Hasty, Replayed, Rounds, Choir, Marathon):
    register(_world.card)
