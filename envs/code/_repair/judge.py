"""What a repository does: its own tests, and what hidden cases give, both played in the sandbox."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from agentgym.assets.repositories import Repository, load_repository
from agentgym.core.json_text import read_json
from agentgym.envs._kit.sandbox import PYTHON, Job, Limits, shared_sandbox
from agentgym.envs._kit.sandbox.tool import PLACE, STOPPED, Lost

LIMITS = Limits()
DRIVER = Path(__file__).with_name("inside.py")
NOTHING = "gives nothing"  # of a case that was not reached
Files = Mapping[str, str]


@dataclass(frozen=True)
class Tested:
    """What the repository's own tests said.

    Attributes:
        ran: How many were run.
        failed: Name and reason of each that failed.
        printed: The end of what was printed.
        error: Why there is no more to tell; empty if the run came to its end.
    """

    ran: int
    failed: tuple[tuple[str, str], ...]
    printed: str
    error: str


@cache
def compiled(name: str) -> str:
    """The hidden cases of a repository as a module with a function for each."""
    repository = load_repository(name)
    lines = [repository.prelude, f"COUNT = {len(repository.cases)}"]
    for number, case in enumerate(repository.cases):
        tree = ast.parse(case.code)
        last = tree.body[-1]
        assert isinstance(last, ast.Expr), f"{name}: the case {case.title!r} must end with an expression"
        tree.body[-1] = ast.Return(last.value)
        body = "\n".join(f"    {line}" for line in ast.unparse(ast.fix_missing_locations(tree)).splitlines())
        lines.append(f"def case_{number}():\n{body}")
    return "\n".join(lines) + "\n"


def _run(words: Sequence[str], files: Files, hidden: str = "") -> tuple[list[Any], str]:
    """The records that a run has handed back, and why it was stopped if it was.

    Raises:
        Lost: if the code has ended its sandbox.
    """
    given = {"main.py": DRIVER.read_bytes()} | {f"repo/{path}": text.encode() for path, text in files.items()}
    if hidden:
        given["hidden/cases.py"] = hidden.encode()
    result = shared_sandbox(LIMITS).run(Job((PYTHON, "main.py", *words), given, limits=LIMITS))
    if result.ended == "lost":
        raise Lost
    stopped = STOPPED.get(result.ended, "")
    why = stopped.format(limits=LIMITS, mebibytes=LIMITS.memory >> 20, code=result.code)
    return [record for line in result.stdout.splitlines() if (record := _record(line)) is not None], why


def _record(line: str) -> dict[str, Any] | None:
    """What a line says; None if it is none of the driver's. Code under test may write anything."""
    try:
        found = read_json(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _plain(text: Any) -> str:
    return PLACE.sub("0x...", str(text))


def run_tests(files: Files, words: Sequence[str] = ()) -> Tested:
    """The repository's own tests.

    Args:
        files: All of its files.
        words: Parts of names of the tests to run; all if there are none.

    Raises:
        Lost: if the code has ended its sandbox.
    """
    records, why = _run(("tests", *words), files)
    for record in records:
        try:
            failed = tuple((str(name), _plain(reason)) for name, reason in record["failed"])
            if type(record["ran"]) is int:
                return Tested(record["ran"], failed, _plain(record["printed"]), why)
        except (KeyError, TypeError, ValueError):
            continue
    return Tested(0, (), "", why or "the run ended before the tests were over")


def run_cases(repository: Repository, files: Files) -> tuple[tuple[str, str], ...]:
    """What each hidden case gives, and the message if that is an error.

    Args:
        repository: Whose cases.
        files: Of the repository as it is now; its tests do not matter.

    Raises:
        Lost: if the code has ended its sandbox.
    """
    count = len(repository.cases)
    found = [(NOTHING, "")] * count
    for record in _run(("cases",), files, compiled(repository.name))[0]:
        if "broken" in record:
            return ((str(record["broken"]), str(record.get("message", ""))),) * count
        number = record.get("case")
        if type(number) is int and 0 <= number < count:
            found[number] = (_plain(record.get("said")), _plain(record.get("message")))
    return tuple(found)
