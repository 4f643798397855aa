"""Where programs of agents are run: named by whoever has a sandbox, and imported when a program is first to be run."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from agentgym.core.errors import MissingExtra


@dataclass(frozen=True)
class Ran:
    """A program that has run.

    Attributes:
        output: What it printed, cut where it is long.
        error: Why it failed or was stopped; empty if it did neither.
        ended: `exit`, `signal`, `time`, `memory`, `output`, or `lost` if it ended its sandbox.
        backing: Which sandbox it ran in.
    """

    output: str
    error: str
    ended: str
    backing: str


class Interpreter(Protocol):
    """Runs programs of Python in a sandbox.

    Attributes:
        backing: Which sandbox that is.
    """

    @property
    def backing(self) -> str:
        """See the class."""

    def __call__(self, code: str, functions: Sequence[str], answer: Callable[[str], str]) -> Ran:
        """Run a program.

        Args:
            code: The program.
            functions: Names that it finds defined; a call of one is answered outside.
            answer: Given a call as JSON, `{"name": ..., "args": [...], "kwargs": {...}}`, which the program may have
                forged; returns JSON with `value`, or `error`, which is raised, or `over`, which ends the program.

        Raises:
            EngineFailure: if no sandbox can be started.
        """


_source = ""


def set_interpreter_source(source: str) -> None:
    """Say which function gives the interpreter of this machine.

    Args:
        source: `module:function`, imported when a program is first to be run.
    """
    global _source
    _source = source


def find_interpreter() -> Interpreter:
    """What runs programs here.

    Raises:
        MissingExtra: if there is no sandbox, with what to install.
    """
    if not _source:
        raise MissingExtra("nothing here runs programs: import agentgym, which says what does")
    module, _, name = _source.partition(":")
    found: Interpreter = getattr(importlib.import_module(module), name)()
    return found
