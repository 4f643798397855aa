"""Worlds with one fault each that only fresh processes can see, and the check that must catch it; all others pass."""

import contextlib
import multiprocessing
import os
import random
import socket
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
from vault_world import VaultEnv, variant

OUTSIDE: dict[str, tuple[str, ...]] = {}
KEPT = []


def outside(*checks, **card):
    def mark(cls):
        variant(cls, **card)
        OUTSIDE[cls.card.id] = checks
        return cls

    return mark


@outside("registration", tools=True)
class NoTools(VaultEnv):
    """The card promises tools."""


@outside("processes")
class HashOrder(VaultEnv):
    def _reset(self, task):
        return f"{super()._reset(task)} {' '.join({f'drop{number}' for number in range(40)})}"


@outside("processes")
class Unsendable(VaultEnv):
    """What it tells of its actions is a view that no process can send to another."""

    @property
    def first_words(self):
        return MappingProxyType(self.grammar.first_words)


@outside("start methods")
class ChildAware(VaultEnv):
    def _reset(self, task):
        child = multiprocessing.parent_process() is not None and not multiprocessing.current_process().daemon
        return super()._reset(task) + " You are a child." * child


def _in_a_lane():
    """Whether this is a worker, and was started by one, as the environments of a worker's vector are."""
    if os.getsid(0) != os.getpid():
        return False
    keeper = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1]
    return "keeper.py" in Path(f"/proc/{keeper}/cmdline").read_text()


@outside("vector environments")
class LaneAware(VaultEnv):
    def _reset(self, task):
        return super()._reset(task) + " You are in an environment." * _in_a_lane()


@outside("clock")
class Dated(VaultEnv):
    def _reset(self, task):
        return f"{super()._reset(task)} Century {int(time.time() // 5e8)}."


@outside("global generators")
class GlobalDice(VaultEnv):
    def _reset(self, task):
        random.random()
        return super()._reset(task)


@outside("global generators")
class GlobalSeed(VaultEnv):
    def _reset(self, task):
        np.random.seed(0)
        return super()._reset(task)


@outside("process")
class Hasty(VaultEnv):
    """It is also played in the process of the tests, which feels nothing of this setting."""

    def _reset(self, task):
        sys.setswitchinterval(0.006)
        return super()._reset(task)


@outside("leftovers")
class Keeping(VaultEnv):
    """It opens a file for each environment, which nothing closes."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        KEPT.append(open(os.devnull))  # noqa: SIM115


@outside("leftovers")
class Lingering(VaultEnv):
    """A thread for each environment, which waits for nothing."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        threading.Thread(target=threading.Event().wait, daemon=True).start()


@outside("network")
class Calling(VaultEnv):
    def _reset(self, task):
        with socket.socket() as line:
            line.settimeout(0.01)
            line.connect_ex(("127.0.0.1", 9))
        return super()._reset(task)


@outside("network")
class CallingQuietly(VaultEnv):
    def _reset(self, task):
        with contextlib.suppress(OSError):
            socket.getaddrinfo("localhost", 80)
        return super()._reset(task)


@outside("silence")
class Printing(VaultEnv):
    def _reset(self, task):
        print("a new vault")
        return super()._reset(task)


@outside("silence")
class Complaining(VaultEnv):
    def _reset(self, task):
        os.write(2, b"a new vault\n")
        return super()._reset(task)


@outside("files")
class Writing(VaultEnv):
    def _reset(self, task):
        if "VAULT_DIARY" in os.environ:
            Path(os.environ["VAULT_DIARY"]).write_text("a new vault")
        return super()._reset(task)


@outside("text is not run")
class Evaluating(VaultEnv):
    def _say(self, word):
        with contextlib.suppress(SyntaxError, ValueError):
            compile(word, "<agent>", "eval")
        return super()._say(word)


@dataclass(slots=True)
class Homely:
    home: int
    opened: list[int]
    guesses: int = 0


@outside("other process")
class Homesick(VaultEnv):
    """Notices that it was restored in another process than it began in."""

    def _reset(self, task):
        text = super()._reset(task)
        self._state = Homely(os.getpid(), [])
        return text

    def _view(self):
        away = isinstance(self._state, Homely) and self._state.home != os.getpid()
        return super()._view() + " You are far from home." * away
