"""A world in which the right action is the word that is shown: an identity, learnable in seconds."""

from __future__ import annotations

from dataclasses import dataclass
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
    TaskSet,
)

ID = "AgentGymTests/Echo-v0"
WORDS = ("red", "green", "blue", "pink")
TURNS = 3
SIZE = 64
CARD = EnvCard(
    id=ID,
    kind="games",
    entry_point="tests.rollout.worlds:Echo",
    description="Say the word that is shown.",
    citation="none",
    splits={"train": SIZE, "val": SIZE, "test": SIZE},
    max_turns=TURNS,
    deterministic=True,
)


@dataclass
class Place:
    """How many words were said, and how many of them were right."""

    said: int
    right: int


class Echo(LanguageEnv):
    """Three words are shown one after the other; each that is repeated earns a third.

    Args:
        jam: Task places at which the engine fails in the second turn.
        dead: Task places at which it fails at reset.
        drift: Whether equal tasks begin in different ways, which no world may do.
    """

    card = CARD
    grammar = Grammar([Command(word, f"say {word}.") for word in WORDS])
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}  # type: ignore[misc]
    begun = 0

    def __init__(
        self, *, jam: tuple[int, ...] = (), dead: tuple[int, ...] = (), drift: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._jam, self._dead, self._drift = jam, dead, drift

    def tasks(self, split: str) -> TaskSet:
        def make(task_id: str) -> Task:
            place = int(task_id)
            words = [WORDS[(place // 4**turn) % 4] for turn in range(TURNS)]
            return Task(task_id, split, "Say what is shown.", {"place": place, "words": words})

        return FiniteTaskSet(split, [str(place) for place in range(SIZE)], make)

    def _reset(self, task: Task) -> str:
        if task.spec["place"] in self._dead:
            raise EngineFailure("would not start")
        self._state = Place(0, 0)
        if self._drift:
            Echo.begun += 1
            return f"{task.spec['words'][0]} {Echo.begun}"
        return str(task.spec["words"][0])

    def _step(self, call: Call) -> Outcome:
        words = self.task.spec["words"]
        if self.task.spec["place"] in self._jam and self._state.said == 1:
            raise EngineFailure("jammed")
        right = call.name == words[self._state.said]
        self._state.said += 1
        self._state.right += right
        over = self._state.said == TURNS
        return Outcome(
            "over" if over else str(words[self._state.said]),
            reward=right / TURNS,
            terminated=over,
            success=over and self._state.right == TURNS,
        )

    def _view(self) -> str:
        return str(self.task.spec["words"][self._state.said])

    def _admissible(self) -> list[str]:
        return list(WORDS)

    def _expert(self) -> str:
        return str(self.task.spec["words"][self._state.said])

    def _reference(self) -> str:
        return " ".join(self.task.spec["words"])


gym.register(id=ID, entry_point="tests.rollout.worlds:Echo")
