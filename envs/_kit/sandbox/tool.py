"""The tool `python`: a program that a player sends is run in the sandbox, and what it writes comes back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym.core.interpreter import Interpreter, Ran
from agentgym.core.text import clean
from agentgym.core.tool_grammar import Tool
from agentgym.envs._kit.sandbox.job import PYTHON, Job, Limits, Result
from agentgym.envs._kit.sandbox.pool import find_backing, shared_sandbox
from agentgym.envs._kit.tools import ToolFunction

LONGEST_PROGRAM, LONGEST_SHOWN = 8_000, 4_000  # characters
PLACE = re.compile(r"\b0x[0-9a-f]{6,16}\b")  # where something is in memory, which differs from run to run
STOPPED = {
    "time": "the program was stopped after {limits.cpu} seconds of computing; write a faster one",
    "memory": "the program was stopped because it used more than {mebibytes} MiB; write one that needs less",
    "output": "the program was stopped because it wrote too much; print only what matters",
    "signal": "the program was ended by signal {code}",
}
LIMITS = Limits()


class Lost(Exception):
    """A program has ended its sandbox."""


def python(data: Any, code: str) -> dict[str, str]:
    """What a program writes; with `error` if it failed.

    Args:
        data: The world's data, which programs do not see.
        code: The program.

    Raises:
        Lost: if the program has ended its sandbox.
    """
    return told(shared_sandbox(LIMITS).python(code), LIMITS)


def open_interpreter() -> Interpreter:
    """What runs programs on this machine; see `agentgym.core.interpreter`.

    Raises:
        MissingExtra: if there is no sandbox, with what to install.
    """
    return _Talk(find_backing().name)


@dataclass(frozen=True)
class _Talk:
    """Runs programs whose functions are answered outside.

    Attributes:
        backing: The name of the sandbox.
    """

    backing: str

    def __call__(self, code: str, functions: Sequence[str], answer: Callable[[str], str]) -> Ran:
        """Run a program."""
        job = Job((PYTHON, "main.py"), {"main.py": code.encode()}, limits=LIMITS, functions=tuple(functions))
        result = shared_sandbox(LIMITS).run(job, answer)
        try:
            said = told(result, LIMITS)
        except Lost:
            said = {"output": "", "error": "the program has ended the sandbox that it ran in"}
        return Ran(said["output"], said.get("error", ""), result.ended, result.backing)


def told(result: Result, limits: Limits) -> dict[str, str]:
    """What a player is told of a run.

    Args:
        result: The run.
        limits: What it might use.

    Raises:
        Lost: if the sandbox is gone.
    """
    if result.ended == "lost":
        raise Lost
    found = {"output": _shown(result.stdout)}
    if result.ended in STOPPED:
        found["error"] = STOPPED[result.ended].format(limits=limits, mebibytes=limits.memory >> 20, code=result.code)
    elif result.code or result.stderr:
        found["error" if result.code else "warnings"] = _shown(result.stderr) or f"exit status {result.code}"
    return found


def _shown(text: str) -> str:
    """The text without what differs from run to run, cut in the middle where it is long."""
    plain = clean(PLACE.sub("0x...", text)).rstrip("\n")
    if len(plain) <= LONGEST_SHOWN:
        return plain
    half = LONGEST_SHOWN // 2
    return f"{plain[:half]}\n... ({len(plain) - 2 * half} characters left out) ...\n{plain[-half:]}"


PYTHON_TOOL = ToolFunction(
    Tool(
        "python",
        "Run a program of Python 3 with the standard library and get what it prints. Each program begins anew: nothing "
        "of an earlier one is left.",
        {
            "type": "object",
            "properties": {"code": {"type": "string", "maxLength": LONGEST_PROGRAM}},
            "required": ["code"],
            "additionalProperties": False,
        },
        ({"code": "print(sum(range(10)))"},),
    ),
    python,
)
