"""NumberLine: walk along the whole numbers to a target, one step a turn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, expert_is_oracle, named_level, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, cut_by_hash
from agentgym.envs.games._cards.chance import NUMBER_LINE

LEVELS = {
    "original": {"highest": 5},
    "tens": {"highest": 20},
    "standard": {"highest": 32},
    "hundred": {"highest": 100},
}
SHARES = {"train": 0.8, "val": 0.1, "test": 0.1}
FEWEST = 10  # turns, whatever the length of the line


@dataclass(slots=True)
class State:
    """Where the player stands."""

    number: int


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `NumberLineEnv`."""

    level: str = named_level("standard", LEVELS, of="NumberLine")
    highest: int = whole(None, 4, 1000)


class NumberLineEnv(LanguageEnv):
    """Walk along a line of whole numbers to the target.

    Description: the line runs from 0 to `highest`. A task is a start and a different target.

    Observation: a sentence on the last step, then `Target number: 4. Current number: 1`.

    Actions: `+` and `-`; also `plus`, `add 1`, `up` and `minus`, `subtract 1`, `down`. A step past an end of the line
    stays.

    Reward: 1 on the target, -1 for a step that does not bring you nearer, otherwise 0. The episode ends on the target
    (success) or after 10 turns, on longer lines after twice `highest`.

    Splits: all pairs of start and target, ordered by stable hash and cut 80/10/10; by default 845, 105 and 106. (The
    30 pairs of the original line are cut into 24, 3 and 3: too few to tell players apart.)

    Oracle and Expert: straight to the target.

    Args:
        level: `standard` (0 to 32), `original` (0 to 5, as published), `tens` (0 to 20) or `hundred` (0 to 100).
        highest: The end of the line in place of the level's, 4 to 1000.

    Source: gym-cards' NumberLine (Zhai et al. 2024, arXiv:2405.10292).
    """

    card = NUMBER_LINE
    config = Config()
    grammar = Grammar(
        [
            Command("+", "take a step up.", examples=("+",), variants=("plus", "add 1", "up"), name="plus"),
            Command("-", "take a step down.", examples=("-",), variants=("minus", "subtract 1", "down"), name="minus"),
        ],
        rules="Walk along the number line until your current number is the target number.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "highest": {"type": "integer", "minimum": 4, "maximum": 1000},
            "start": {"type": "integer", "minimum": 0},
            "target": {"type": "integer", "minimum": 0},
        }
    )
    _state: State

    def tasks(self, split: str) -> FiniteTaskSet:
        """Pairs of start and target."""
        return _panel(self.config.highest, split)

    def check_task(self, spec: Spec) -> None:
        """Start and target must differ and lie on the line."""
        if spec["start"] == spec["target"] or max(spec["start"], spec["target"]) > spec["highest"]:
            raise TaskError(
                f"start and target must be two different numbers up to {spec['highest']}, "
                f"got {spec['start']} and {spec['target']}"
            )

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return (
            f"Walk along the number line from 0 to {spec['highest']} to the target number, one step a turn; "
            f"a step that does not bring you nearer costs a point. You have {_turns(spec['highest'])} turns."
        )

    def _turn_limit(self, task: Task) -> int:
        return _turns(task.spec["highest"])

    def _reset(self, task: Task) -> str:
        self._target: int = task.spec["target"]
        self._state = State(task.spec["start"])
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        before, target, spec = self._state.number, self._target, self.task.spec
        step = 1 if call.name == "plus" else -1
        number = self._state.number = min(max(before + step, 0), spec["highest"])
        nearer, won = abs(number - target) < abs(before - target), number == target
        said = f"You step to {number}." if number != before else "The line ends here; you stay where you are."
        return Outcome(
            f"{said}{' That is the target.' if won else ''}\n{self._view()}",
            reward=1.0 if won else 0.0 if nearer else -1.0,
            terminated=won,
            success=won,
            progress=max(0.0, 1 - abs(number - target) / abs(spec["start"] - target)),
            events=({"type": "step", "from": before, "to": number},),
        )

    def _view(self) -> str:
        return f"Target number: {self._target}. Current number: {self._state.number}"

    def _admissible(self) -> list[str]:
        return ["+", "-"]

    def _sample(self, rng: np.random.Generator) -> str:
        return "+-"[int(rng.integers(2))]

    def _oracle(self) -> str:
        return "+" if self._state.number < self._target else "-"

    _expert = expert_is_oracle


def _turns(highest: int) -> int:
    return max(FEWEST, 2 * highest)


@cache
def _panel(highest: int, split: str) -> FiniteTaskSet:
    pairs = [f"{start}-{target}" for start in range(highest + 1) for target in range(highest + 1) if start != target]

    def make(task_id: str) -> Task:
        start, target = map(int, task_id.split("-"))
        spec = {"highest": highest, "start": start, "target": target}
        return Task(task_id, split, NumberLineEnv.instruction(spec), spec)

    return FiniteTaskSet(split, cut_by_hash(pairs, SHARES)[split], make)
