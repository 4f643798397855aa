"""Countdown: one formula over all the numbers given that comes to the target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, expert_is_oracle, named_level, object_schema, one_of, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _boards
from agentgym.envs.games._cards.planning import COUNTDOWN
from agentgym.envs.games._formula import Formula, FormulaError, find, parse

LEVELS = {
    "easy": {"count": 3, "largest": 20, "operators": "+-"},
    "medium": {"count": 4, "largest": 50, "operators": "+-*/"},
    "hard": {"count": 5, "largest": 99, "operators": "+-*/"},
    "expert": {"count": 6, "largest": 99, "operators": "+-*/"},
}
OPERATORS = ("+-", "+-*", "+-*/")
MOST_TARGET = 100  # of generated tasks
WON, CLOSE = 1.0, 0.1
STREAM = 0xC0DE  # apart from np_random of an equal seed


@dataclass(slots=True)
class State:
    """The answer given, empty before."""

    answer: str = ""


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `CountdownEnv`."""

    level: str = named_level("medium", LEVELS, of="Countdown")
    count: int = whole(None, 2, 6)
    largest: int = whole(None, 5, 1000)
    operators: str = one_of(None, OPERATORS)


class CountdownEnv(LanguageEnv):
    """Write a formula over all numbers that comes to the target.

    Description: some whole numbers and a target are given. The answer is one formula that uses every number exactly
    once. Each task is made from a formula, so it has an answer.

    Observation: `Target: 24, nums: [3, 5, 2]` and the operators that may be used. An answer is told what it comes to,
    as a fraction where that is no whole number, and how many points it gets.

    Actions: `answer 2 + 5 - 3`, or the formula alone; also `answer: 2+5-3`, `my answer is 2+5-3`, and the equation
    `2 + 5 - 3 = 4`, of which the left side counts. Signs: `+ - * / ( )`, also `× ÷ − [ ]`. What is no formula, or
    has an operator that the task does not allow, is refused and costs the turn.

    Reward: 1 for a formula that uses every number exactly once and comes to exactly the target (success), 0.1 for one
    that uses them but comes to something else, 0 for one that uses other numbers. The episode ends at the first
    formula, or after 3 turns: only an agent whose text is refused may write another.

    Splits: `train` without end, `val` and `test` 200 tasks each; no numbers, in any order, stand with one target in
    two splits.

    Oracle: search over formulas from the target down. Expert: the same, for nothing is hidden. Formulas are parsed
    and computed with fractions, never evaluated.

    Args:
        level: Named difficulty: `easy` (3 numbers up to 20, + and -), `medium` (4 up to 50, + - * /), `hard` (5 up to
            99), `expert` (6 up to 99). The others replace what it says.
        count: Numbers given, 2 to 6.
        largest: Largest number, 5 to 1000. Targets are from 1 to 100.
        operators: `+-`, `+-*` or `+-*/`.

    Source: the task of RAGEN (Wang et al. 2025, arXiv:2504.20073) and TinyZero (Pan et al. 2025) after the television
    game; there the text is evaluated, and only problems that plus and minus solve are kept.
    """

    card = COUNTDOWN
    config = Config()
    task_stream = STREAM
    grammar = Grammar(
        [
            Command(
                "answer <formula>",
                "give your formula; this ends the task.",
                examples=("answer 2 + 5 - 3", "answer (8 - 2) * 3"),
                variants=("answer: <formula>", "my answer is <formula>", "the answer is <formula>", "<formula>"),
                free="line",  # 4! is no formula, and must not be read as 4
            )
        ],
        rules="Write one formula that uses every number exactly once and comes to the target. You have one answer.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "numbers": {
                "type": "array",
                "minItems": 2,
                "maxItems": 6,
                "items": {"type": "integer", "minimum": 1, "maximum": 1000},
            },
            "target": {"type": "integer", "minimum": 0, "maximum": 100_000},
            "operators": {"type": "string", "enum": list(OPERATORS)},
        }
    )
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """Random numbers joined in random order by random operators, drawn again until they come to a good target.

        Each step joins two of the values at hand; a difference is never negative and a quotient always whole, as on
        paper.

        Args:
            config: How many numbers, the largest, and the operators.
            rng: Draws numbers, pairs and operators.
        """
        operators = config.operators
        while True:
            numbers = rng.integers(1, config.largest + 1, size=config.count).tolist()
            values, draws = list(numbers), iter(rng.random(3 * config.count).tolist())
            while len(values) > 1:
                one = values.pop(int(next(draws) * len(values)))
                other = values.pop(int(next(draws) * len(values)))
                low, high = (one, other) if one < other else (other, one)
                sign = operators[int(next(draws) * len(operators))]
                if sign == "/" and (low == 0 or high % low):
                    sign = "-"
                values.append({"+": low + high, "-": high - low, "*": low * high, "/": high // max(low, 1)}[sign])
            if 1 <= values[0] <= MOST_TARGET:
                return {"numbers": numbers, "target": values[0], "operators": operators}

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The numbers in whatever order, and the target."""
        return fingerprint([sorted(spec["numbers"]), spec["target"]])

    def check_task(self, spec: Spec) -> None:
        """A formula must exist."""
        if not find(spec["numbers"], spec["target"], spec["operators"]):
            raise TaskError(
                f"no formula with {' '.join(spec['operators'])} over {spec['numbers']} comes to {spec['target']}; "
                "change a number or the target"
            )

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        numbers = _boards.joined([str(number) for number in spec["numbers"]])
        return (
            f"Write a formula that comes to {spec['target']} and uses each of {numbers} exactly once, "
            f"with {_boards.joined(list(spec['operators']))} and brackets."
        )

    def _reset(self, task: Task) -> str:
        self._numbers: list[int] = sorted(task.spec["numbers"])
        self._target: int = task.spec["target"]
        self._operators: str = task.spec["operators"]
        self._state = State()
        return f"{task.instruction}\n{self._view()}"

    def _view(self) -> str:
        return f"Target: {self._target}, nums: {self.task.spec['numbers']}"

    def _step(self, call: Call) -> Outcome:
        said = call["formula"].rstrip(" .")
        left, equals, right = said.partition("=")
        try:
            formula = parse(left)
            if equals:
                parse(right)
        except FormulaError as error:
            return self.refuse(f"That is no formula: {error}. Write one such as 2 + 5 - 3.")
        strange = sorted({sign for sign in formula.operators if sign not in self._operators})
        if strange:
            allowed = _boards.joined(list(self._operators))
            return self.refuse(f"{_boards.joined(strange)} may not be used here, only {allowed}.")
        self._state.answer = left.strip()
        return self._judge(formula)

    def _judge(self, formula: Formula) -> Outcome:
        complete = sorted(formula.numbers) == self._numbers
        won = complete and formula.value == self._target
        reward = WON if won else CLOSE if complete else 0.0
        told = f"{self._state.answer} = {formula.value}. "
        if won:
            told += "That is the target, and every number is used once."
        elif complete:
            told += f"Every number is used once, but that is not {self._target}."
        else:
            told += f"That does not use each of {self.task.spec['numbers']} exactly once."
        return Outcome(
            f"{told} Your answer gets {reward:g} point{'' if won else 's'}.",
            reward=reward,
            terminated=True,
            success=won,
            progress=0.0,
        )

    def _sample(self, rng: np.random.Generator) -> str:
        """The numbers in random order with random operators between them."""
        numbers = self.task.spec["numbers"]
        order = rng.permutation(len(numbers)).tolist()
        signs = rng.integers(len(self._operators), size=len(numbers) - 1).tolist()
        rest = [f" {self._operators[sign]} {numbers[place]}" for sign, place in zip(signs, order[1:], strict=True)]
        return f"answer {numbers[order[0]]}{''.join(rest)}"

    def _oracle(self) -> str:
        return f"answer {self._reference()}"

    _expert = expert_is_oracle

    def _reference(self) -> str:
        """A formula that is right."""
        return find(self._numbers, self._target, self._operators)
