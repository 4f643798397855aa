"""Worlds that end, hang or bewilder the process that a server plays them in."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core import Call, Command, EnvCard, FiniteTaskSet, Grammar, LanguageEnv, Outcome, Task

MODULE = "tests.serve.worlds"
FRAGILE, ENGINE = "AgentGymTests/Brittle-v0", "AgentGymTests/BrittleEngine-v0"
FOREVER, A_WHILE = 600.0, 2.0  # seconds
TASKS = ("sound", "stillborn", "strange")


@dataclass
class Counted:
    """How often `count` was said."""

    count: int = 0


class Fragile(LanguageEnv):
    """Counts; some actions do to the process what a world must not do.

    The task `stillborn` ends the process at reset. The task `strange` names the process in its texts, so that it
    answers otherwise in another one, which no world may do.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}  # type: ignore[misc]
    grammar = Grammar([
        Command("count", "count on."),
        Command("die", "end the process."),
        Command("raise", "raise an error."),
        Command("hang", "answer never."),
        Command("wait", "count on, but not at once."),
    ])  # fmt: skip
    card = EnvCard(
        id=FRAGILE,
        kind="games",
        entry_point=f"{MODULE}:Fragile",
        description="Count.",
        citation="none",
        splits=dict.fromkeys(("train", "val", "test"), len(TASKS)),
        max_turns=200,
        deterministic=False,
        oracle_success=0.0,
    )

    def tasks(self, split: str) -> FiniteTaskSet:
        return FiniteTaskSet(split, list(TASKS), lambda name: Task(name, split, "Count.", {}))

    def _reset(self, task: Task) -> str:
        if task.id == "stillborn":
            os._exit(7)
        self._state = Counted()
        return self._told()

    def _step(self, call: Call) -> Outcome:
        if call.name == "die":
            os._exit(7)
        if call.name == "raise":
            raise ZeroDivisionError("the world divided by nothing")
        if call.name == "hang":
            time.sleep(FOREVER)
        if call.name == "wait":
            time.sleep(A_WHILE)
        self._state.count += 1
        return Outcome(self._told(), reward=1.0)

    def _told(self) -> str:
        where = f" in {os.getpid()}" if self.task.id == "strange" else ""
        return f"counted {self._state.count}{where}"

    def _view(self) -> str:
        return self._told()

    def _admissible(self) -> list[str]:
        return ["count"]


class FragileEngine(Fragile):
    """The same as an engine: it takes a process of its own, and comes back by playing its log again."""

    card = EnvCard(
        id=ENGINE,
        kind="games",
        entry_point=f"{MODULE}:FragileEngine",
        description="Count.",
        citation="none",
        splits=dict.fromkeys(("train", "val", "test"), len(TASKS)),
        max_turns=200,
        deterministic=False,
        oracle_success=0.0,
        snapshot="replay",
    )


gym.register(id=FRAGILE, entry_point=f"{MODULE}:Fragile")
gym.register(id=ENGINE, entry_point=f"{MODULE}:FragileEngine")
