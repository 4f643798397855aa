"""Small worlds that reach every rule of the base class; registered with Gymnasium only, not in the catalog."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core import (
    Call,
    Command,
    EngineFailure,
    EnvCard,
    FiniteTaskSet,
    Grammar,
    LanguageEnv,
    Outcome,
    Task,
    TaskError,
    TaskSet,
)
from agentgym.core.tasks import Spec

ENTRY = "tests.core.worlds"
LIMIT = 6
TARGETS = {"train": (3, 4, 5), "val": (6,), "test": (7,)}


def count_card(name: str, snapshot: Any = "copy", **changes: Any) -> EnvCard:
    """The card of a counting world."""
    facts: dict[str, Any] = {
        "id": f"AgentGymTests/{name}-v0",
        "kind": "games",
        "entry_point": f"{ENTRY}:{name}",
        "description": "Count up to a number.",
        "citation": "none",
        "splits": {split: len(targets) for split, targets in TARGETS.items()},
        "max_turns": LIMIT,
        "deterministic": True,
        "snapshot": snapshot,
        "events": {"added": "the `number` added"},
        "metrics": {"total": "the total so far", "never": "a metric nobody sets"},
        "costs": {"effort": "1 for each addition"},
    }
    return EnvCard(**{**facts, **changes})


@dataclass
class Tally:
    """What changes while counting."""

    total: int
    log: list[int] = field(default_factory=list)


class Count(LanguageEnv):
    """Reach the target exactly; a greater total ends the task without success.

    `begun` counts calls of `_reset`, so that tests can see when the task part is rebuilt.
    """

    card = count_card("Count")
    grammar = Grammar(
        [
            Command("add <number>", "add it.", examples=("add 2",), choices={"number": ("1", "2", "3")}),
            Command("roll", "add 1 to 3 at random."),
            Command("guess <word>", "say any word.", variants=("say <word>",)),
            Command("undo", "take back the last addition."),
            Command("jam", "make the engine fail."),
            Command("jam silently", "the same without a message.", name="jam silently"),
            Command("cheat", "report a metric that is not declared."),
            Command("brag", "claim success before the end."),
            Command("crash", "run into a bug."),
            Command("ramble", "see a long text."),
            Command("half", "report progress as a whole number."),
        ],
        rules="Reach the target.",
    )
    task_schema: ClassVar[Spec] = {
        "type": "object",
        "properties": {"target": {"type": "integer", "minimum": 1}, "note": {"type": "array"}},
        "required": ["target"],
        "additionalProperties": False,
    }
    reset_options = frozenset({"start", "broken"})
    observation_length = 400
    action_length = 60
    _state: Tally
    begun = 0

    def tasks(self, split: str) -> TaskSet:
        """The targets of a split."""

        def make(task_id: str) -> Task:
            target = int(task_id.removeprefix("to-"))
            return Task(task_id, split, f"Count to {target}.", {"target": target})

        return FiniteTaskSet(split, [f"to-{target}" for target in TARGETS[split]], make)

    def check_task(self, spec: Spec) -> None:
        """No target above 100."""
        if spec["target"] > 100:
            raise TaskError(f"nobody counts to {spec['target']}")

    def instruction(self, spec: Spec) -> str:
        return f"Count to {spec['target']}."

    def _reset(self, task: Task) -> str:
        if self.options.get("broken"):
            raise EngineFailure(self.options["broken"])
        self.begun += 1
        self.target: int = task.spec["target"]
        self.start: int = self.options.get("start", 0)
        self._state = Tally(self.start)
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        match call.name:
            case "add":
                return self._add(int(call["number"]))
            case "roll":
                return self._add(int(self.np_random.integers(1, 4)))
            case "undo":
                if not self._state.log:
                    return self.refuse("There is nothing to take back.")
                self._state.total -= self._state.log.pop()
                return Outcome(self._view(), progress=self._state.total / self.target)
            case "jam":
                self._state.total += 1000
                raise EngineFailure("the wheels are stuck")
            case "jam silently":
                raise EngineFailure
            case "cheat":
                return Outcome("", metrics={"fame": 1.0})
            case "brag":
                return Outcome("", success=True)
            case "ramble":
                return Outcome("b" + "la" * 400)
            case "half":
                return Outcome("", progress=0, terminated=1)  # type: ignore[arg-type]
            case "guess":
                return Outcome(f"You said {call['word']}.")
        raise KeyError(call.name)

    def _add(self, number: int) -> Outcome:
        self._state.total += number
        self._state.log.append(number)
        total, won = self._state.total, self._state.total == self.target
        return Outcome(
            self._view(),
            reward=int(won),
            terminated=total >= self.target,
            success=won,
            progress=min(total / self.target, 0.9),
            events=({"type": "added", "number": number},),
            metrics={"total": total},
            costs={"effort": 1},
        )

    def _view(self) -> str:
        return f"The total is {self._state.total}."

    def _admissible(self) -> list[str]:
        return ["roll", "add 3", "add 1", "add 2"]

    def _oracle(self) -> str:
        return f"add {min(3, self.target - self._state.total)}"

    def _reference(self) -> int:
        return self.target


class Replay(Count):
    """The same with an engine that cannot be copied, and dynamics that read the turn."""

    card = count_card("Replay", snapshot="replay", deterministic=False, oracle_success=0.0)

    def _reset(self, task: Task) -> str:
        self.engine = self._running(int(self.np_random.integers(100)))
        next(self.engine)
        return super()._reset(task)

    def _running(self, drawn: int) -> Iterator[int]:
        while True:
            added = yield drawn
            drawn += added

    def _add(self, number: int) -> Outcome:
        sum_so_far = self.engine.send(number * self.turn)  # type: ignore[attr-defined]
        outcome = super()._add(number)
        outcome.text += f" The engine says {sum_so_far}."
        return outcome

    def _key_state(self) -> Any:
        return [self._state, "engine"]


class Sealed(Count):
    """The same, declared impossible to copy."""

    card = count_card("Sealed", snapshot="none")


class Bare(LanguageEnv):
    """The least a world can be: what it leaves out must be refused in words."""

    card = count_card("Bare", deterministic=True)
    grammar = Grammar([Command("wait", "wait.")])
    _state: Tally

    def tasks(self, split: str) -> TaskSet:
        """One task."""
        return FiniteTaskSet(split, ["only"], lambda task_id: Task(task_id, split, "Wait.", {}))

    def _reset(self, task: Task) -> str:
        self._state = Tally(0)
        return task.instruction

    def _step(self, call: Call) -> Outcome:
        return Outcome("You wait.")


for _world in (Count, Replay, Sealed, Bare):
    if _world.card.id not in gym.registry:
        gym.register(id=_world.card.id, entry_point=_world.card.entry_point)
