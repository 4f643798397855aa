"""A world whose engine misbehaves on command, for the recovery of environments in other processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np

from agentgym.core import Call, Command, EngineFailure, Grammar, Outcome, Task
from tests.core.worlds import Count, count_card

SLEEP = 600.0  # seconds, far beyond every limit of the tests
MIB = 1 << 20


class Odd(Exception):
    """An error whose constructor does not take a message."""

    def __init__(self, first: int, second: int):
        super().__init__(f"{first} and {second}")


class Fragile(Count):
    """Counting, with an engine that hangs, dies or grows when told to; `fail` lists what goes wrong in `reset`."""

    card = count_card("Fragile", snapshot="replay", max_turns=50)
    grammar = Grammar(
        [
            *Count.grammar.commands,
            Command("hang", "never answer."),
            Command("die", "kill the process."),
            Command("exit", "end the process."),
            Command("grow <mib>", "hold more memory."),
            Command("grow and win", "the same, and end the episode.", name="grow and win"),
            Command("spawn and hang", "start another process, then hang.", name="spawn"),
            Command("bug", "run into a bug."),
            Command("odd bug", "run into a bug with an odd error.", name="odd"),
        ],
        rules="Reach the target.",
    )
    held: ClassVar[list[Any]] = []

    def __init__(self, *, fail: str = "", note: str = "", **kwargs: Any):
        super().__init__(**kwargs)
        self._fail, self._note = fail, note
        if fail == "constructor":
            raise ValueError("the engine is not installed")

    def _reset(self, task: Task) -> str:
        if self._fail == "reset":
            os._exit(3)
        if self._fail == "engine":
            raise EngineFailure("the engine is cold")
        if self._fail == "second life" and os.path.exists(self._note):
            os._exit(4)
        return super()._reset(task)

    def _step(self, call: Call) -> Outcome:
        if call.name == "hang":
            time.sleep(SLEEP)
        if call.name == "die":
            if self._note:
                open(self._note, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        if call.name == "exit":
            os._exit(7)
        if call.name in ("grow", "grow and win"):
            self.held.append(np.ones(int(call.slots.get("mib", 100)) * MIB, np.uint8))
            won = call.name == "grow and win"
            return Outcome("It grew.", terminated=won, success=won)
        if call.name == "spawn":
            child = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({SLEEP})"])
            with open(self._note, "w", encoding="utf8") as file:
                file.write(str(child.pid))
            time.sleep(SLEEP)
        if call.name == "bug":
            raise ZeroDivisionError("nothing to divide by")
        if call.name == "odd":
            raise Odd(1, 2)
        return super()._step(call)


if Fragile.card.id not in gym.registry:
    gym.register(id=Fragile.card.id, entry_point="tests.vector.worlds:Fragile")
