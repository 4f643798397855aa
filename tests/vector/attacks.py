"""Worlds that do to their process what a world must not do, and what looks for what they leave behind."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np

from agentgym.core import Call, Command, EnvCard, FiniteTaskSet, Grammar, LanguageEnv, Outcome, Task, TaskSet
from agentgym.core import catalog as cards
from agentgym.core.catalog import register
from agentgym.core.game import Opponent
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageParallel
from tests.processes import runs

MODULE = "tests.vector.attacks"
ROOT = Path(__file__).parents[2]
FOREVER = 600  # seconds
HELD: list[Any] = []
RAISES = {
    "raise": "it raised ZeroDivisionError: the world divided by nothing",
    "exit": "it raised SystemExit: 3",
}
ENDS = {
    "end": "its process ended with exit status 3",
    "segfault": "its process was ended by SIGSEGV",
    "kill": "its process was ended by SIGKILL",
    "signal without a name": "its process was ended by signal 40",
    "kill the group": "its process was ended by SIGKILL",
    "nonsense": "it sent an answer that cannot be read: UnpicklingError: invalid load key, 'w'.",
    "silly length": "it announced an answer of -7 bytes",
}
REFUSALS = {
    "type": TypeError("kinds must be a list,\nnot this"),
    "value": ValueError(),
    "json": json.JSONDecodeError("Expecting value", "?", 0),  # a ValueError that cannot be made from its message
    "endless": ValueError("\x1b[2J" + "x" * 100_000),
    "other": ZeroDivisionError("nothing to divide by"),
}
SIGNALS: dict[str, tuple[Callable[[], int], Callable[[int, int], None], int]] = {
    "segfault": (os.getpid, os.kill, signal.SIGSEGV),
    "kill": (os.getpid, os.kill, signal.SIGKILL),
    "signal without a name": (os.getpid, os.kill, 40),  # a real-time signal
    "kill the group": (os.getpgrp, os.killpg, signal.SIGKILL),
    "stop the keeper": (os.getppid, os.kill, signal.SIGSTOP),
}
HANGS = ("sleep", "loop", "lock", "half an answer")  # `lock` holds the interpreter lock
FRAMES = {"half an answer": b"\0\0", "nonsense": b"\0\0\0\5wrong", "silly length": b"\xff\xff\xff\xf9"}
FORKS = ("fork", "daemon")


def attack(kind: str, note: str) -> None:
    """Do it; `fork` and `daemon` write the id of the process they leave behind into the file `note`, others their own.

    Args:
        kind: What, one of the names above, or `memory`.
        note: A file.
    """
    if note and kind not in FORKS:
        with open(note, "a", encoding="ascii") as file:
            file.write(f"{os.getpid()} ")
    if kind == "raise":
        raise ZeroDivisionError("the world divided by nothing")
    if kind == "exit":
        sys.exit(3)
    if kind == "end":
        os._exit(3)
    if kind in SIGNALS:
        whose, send, number = SIGNALS[kind]
        send(whose(), number)
    if kind in FRAMES:
        _send_raw(FRAMES[kind])
    if kind == "sleep" or kind in FRAMES:
        time.sleep(FOREVER)
    while kind == "loop":
        pass
    if kind == "lock":
        ctypes.PyDLL(None).sleep(FOREVER)
    if kind == "fork that comes back":
        os.fork()
    if kind == "memory":
        HELD.append(np.ones(60_000_000))  # 480 MB
        time.sleep(FOREVER)
    if kind in FORKS:
        _leave(note, daemon=kind == "daemon")
    if kind.startswith("daemon, "):
        _leave(note, daemon=True)
        attack(kind.removeprefix("daemon, "), "")


def _send_raw(data: bytes) -> None:
    """Write into the pipe to whoever started this process: the one open socket that is a nameless pair."""
    for name in os.listdir("/proc/self/fd"):
        try:
            end = socket.socket(fileno=int(name))
        except OSError:
            continue
        if end.family == socket.AF_UNIX and end.type == socket.SOCK_STREAM and not end.getsockname():
            end.send(data)
        end.detach()


def _leave(note: str, *, daemon: bool) -> None:
    """Leave a process behind, as a daemon in a session of its own that has lost its parent; return once it has told."""
    told, tell = os.pipe()
    first = os.fork()
    if first:
        os.close(tell)
        if daemon:
            os.waitpid(first, 0)
        os.read(told, 1)  # nothing: the end comes when nobody holds the other end
        os.close(told)
        return
    if daemon:
        os.setsid()
        if os.fork():
            os._exit(0)
    with open(note, "a", encoding="ascii") as file:
        file.write(f"{os.getpid()} ")
    os.close(tell)
    time.sleep(FOREVER)
    os._exit(0)


CARD = EnvCard(
    id="AgentGymTests/Besieged-v0",
    kind="games",
    entry_point=f"{MODULE}:Besieged",
    description="Go, and see what happens.",
    citation="none",
    splits={"train": 2, "test": 2},
    max_turns=4,
    deterministic=True,
    oracle_success=1.0,
)
NAME = f"{MODULE}:{CARD.id}"


@dataclass
class Gone:
    """How often one went."""

    count: int = 0


class Besieged(LanguageEnv):
    """A task is named by what happens in its second turn; `fine` and the like are won there.

    Args:
        kinds: The tasks, between bars.
        note: Given to `attack`.
        where: `step`, `reset`, `task`, `panel` or `constructor`: when it happens; in a panel, what the first task is
            named by; the constructor raises what is named by it.
    """

    card = CARD
    grammar = Grammar([Command("go", "go.")])
    _state: Gone

    def __init__(self, *, kinds: str = "fine", note: str = "", where: str = "step", **kwargs: Any):
        super().__init__(**kwargs)
        if where == "constructor":
            raise REFUSALS[kinds]
        self._kinds, self._note, self._where = kinds.split("|"), note, where

    def tasks(self, split: str) -> TaskSet:
        def make(name: str) -> Task:
            if self._where == "task":
                attack(name, self._note)
            return Task(name, split, "Go.", {"kind": name})

        if self._where == "panel":
            attack(self._kinds[0], self._note)
        return FiniteTaskSet(split, self._kinds, make)

    def _reset(self, task: Task) -> str:
        self._state = Gone()
        if self._where == "reset":
            attack(task.id, self._note)
        return "Go."

    def _step(self, call: Call) -> Outcome:
        self._state.count += 1
        if self._state.count == 2 and self._where == "step":
            attack(self.task.id, self._note)
        over = self._state.count == 2
        if self.task.id == "not a number" and over:
            return Outcome("Gone.", float("nan"), terminated=True)
        return Outcome("Gone.", float(over), terminated=over, success=over)

    def _admissible(self) -> list[str]:
        return ["go"]


BOARD = EnvCard(
    id="AgentGymTests/Board-v0",
    kind="multiagent",
    api="parallel",
    entry_point=f"{MODULE}:Board",
    description="Show a number.",
    citation="none",
    splits={"train": 2, "test": 2},
    max_turns=2,
    deterministic=True,
    oracle_success=0.5,
    players=2,
    opponents=("one", "two"),
)
GAME = f"{MODULE}:{BOARD.id}"


class Board(LanguageParallel):
    """The larger number wins; the task's attack happens when two different ones are shown.

    Args:
        kinds: The tasks, between bars.
        note: Given to `attack`.
    """

    card = BOARD
    grammar = Grammar([Command("one", "show one."), Command("two", "show two.")])
    OPPONENTS: ClassVar[Mapping[str, Opponent]] = {
        "one": lambda known, rng: "one",
        "two": lambda known, rng: "two",
    }
    _state: Gone

    def __init__(self, *, kinds: str = "fine", note: str = "", **kwargs: Any):
        super().__init__(**kwargs)
        self._kinds, self._note = kinds.split("|"), note

    def tasks(self, split: str) -> FiniteTaskSet:
        return FiniteTaskSet(split, self._kinds, lambda name: Task(name, split, "Show.", {"kind": name}))

    def _reset(self, task: Task) -> None:
        self._state = Gone()

    def _admissible(self, player: str) -> list[str]:
        return ["one", "two"]

    def _known(self, player: str) -> int:
        return self._state.count

    def _sample(self, player: str, rng: np.random.Generator) -> str:
        return "one"

    def _step_all(self, calls: Mapping[str, Call]) -> JointOutcome:
        self._state.count += 1
        shown = {who: ("one", "two").index(call.name) for who, call in calls.items()}
        mean = sum(shown.values()) / 2
        if mean == 0.5:
            attack(self.task.id, self._note)
        ahead = [who for who, number in shown.items() if number > mean]
        return JointOutcome({who: number - mean for who, number in shown.items()}, over=True, winners=ahead)


@contextmanager
def registered() -> Iterator[None]:
    """Both worlds stand in the catalog of this process for a while."""
    for card in (CARD, BOARD):
        register(card)
    try:
        yield
    finally:
        from agentgym.core.catalog import _CARDS

        for card in (CARD, BOARD):
            assert card.id in cards()
            del _CARDS[card.id]
            gym.registry.pop(card.id, None)


def alive(note: Path) -> list[int]:
    """Which of the processes of a note still run."""
    return [int(pid) for pid in note.read_text().split() if runs(int(pid))]


def killed(program: str, note: Path, count: int, number: signal.Signals) -> list[int]:
    """Run a program until a note holds so many process ids, send it a signal, and wait for them all to be gone.

    Args:
        program: Python.
        note: Where its world writes process ids.
        count: How many.
        number: The signal.

    Returns:
        Those that are still there after 20 seconds, which are then ended.
    """
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's `&` has it ignored
    parent = subprocess.Popen([sys.executable, "-c", heard + program], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while not note.exists() or len(note.read_text().split()) < count:
            assert time.monotonic() < until, "the world was not played"
            assert parent.poll() is None, "the program ended by itself"
            time.sleep(0.05)
        assert len(alive(note)) == count
        parent.send_signal(number)
        parent.wait(20)
        until = time.monotonic() + 20
        while alive(note) and time.monotonic() < until:
            time.sleep(0.05)
        return alive(note)
    finally:
        parent.kill()
        parent.wait()
        for pid in alive(note) if note.exists() else ():
            os.kill(pid, signal.SIGKILL)


if "pytest" not in sys.modules:  # in the tests' own process, `registered` does it for a while
    for each in (CARD, BOARD):
        register(each)
