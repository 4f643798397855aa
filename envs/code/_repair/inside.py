"""Plays a repository's tests, and hidden cases, in the sandbox: `python main.py tests|cases [WORD ...]`.

This file runs inside, without the rest of the package; nothing outside imports it. It knows no right answer: it says
what each case gives, and whoever reads it compares. What the repository's code makes of this process is its own loss.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import signal
import sys
import traceback
import unittest
from collections.abc import Callable, Iterator
from typing import Any

WORK, HOME = "/work", "/work/repo"
SECONDS = 0.4  # of computing, for each test and case
MOST_STOPPED = 3  # tests that take too long, after which no other one is tried
MOST_FRAMES, LONGEST_PRINTED, LONGEST_VALUE, DEEPEST = 6, 600, 3_000, 12


class TimeUp(BaseException):
    """A test has computed for too long."""


def late(*_: Any) -> None:
    """The time of a test is over."""
    raise TimeUp


def say(record: Any) -> None:
    """Hand a line to whoever asked."""
    os.write(PLACE, json.dumps(record).encode() + b"\n")


def shown(value: Any, depth: int = 0) -> str:
    """A value as text: sets in order, numbers without what rounding leaves, other objects as they show themselves.

    Args:
        value: What a case gave.
        depth: How many containers are around it; beyond `DEEPEST` it is an ellipsis.
    """
    kind = type(value)
    if depth > DEEPEST:
        return "..."
    if kind is float:
        return repr(round(value, 9))
    if kind in (set, frozenset):
        return f"{kind.__name__}({sorted(shown(item, depth + 1) for item in value)})"
    if kind in (list, tuple):
        inner = ", ".join(shown(item, depth + 1) for item in value)
        return f"[{inner}]" if kind is list else f"({inner}{',' if len(value) == 1 else ''})"
    if kind is dict:
        pairs = (f"{shown(key, depth + 1)}: {shown(item, depth + 1)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    return repr(value)


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Bound the computing of what stands in it."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def answer(case: Callable[[], Any]) -> tuple[str, str]:
    """What a case gives, or the kind of error that it raises; and the error's message."""
    try:
        with limited():
            return shown(case())[:LONGEST_VALUE], ""
    except TimeUp:
        return "does not end", ""
    except BaseException as error:
        return f"raises {type(error).__name__}", str(error)[:LONGEST_VALUE]


def cases() -> None:
    """Play the cases."""
    sys.path.insert(0, f"{WORK}/hidden")
    try:
        module = importlib.import_module("cases")
    except BaseException as error:
        say({"broken": f"raises {type(error).__name__}", "message": str(error)[:LONGEST_VALUE]})
        return
    stopped = 0
    for number in range(module.COUNT):
        said, message = answer(getattr(module, f"case_{number}"))
        stopped += said == "does not end"
        say({"case": number, "said": said, "message": message})
        if stopped >= MOST_STOPPED:
            return


def told(error: Any) -> str:
    """An error with the lines of the repository through which it came."""
    kind, value, tracebacks = error
    if kind is TimeUp:
        return f"it was stopped after {SECONDS} seconds of computing"
    frames = [frame for frame in traceback.extract_tb(tracebacks) if frame.filename.startswith(HOME)]
    for frame in frames:
        frame.filename = os.path.relpath(frame.filename, HOME)
    if len(frames) > MOST_FRAMES:
        frames = [*frames[:2], *frames[2 - MOST_FRAMES :]]
    lines = traceback.format_list(frames) + traceback.format_exception_only(kind, value)
    return "".join(lines).rstrip()


class Outcome(unittest.TestResult):
    """Notes what failed, and why."""

    def __init__(self) -> None:
        super().__init__()
        self.failed: list[tuple[str, str]] = []
        self.stopped = 0

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802 - unittest's name
        """A test does not hold: keep the id of `test` with `err`, the triple of `sys.exc_info()`, as text."""
        self.failed.append((test.id(), told(err)))

    addError = addFailure  # noqa: N815 - unittest's name

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802 - unittest's name
        """A part of `test` has ended: `subtest`, which failed unless `err` is None."""
        if err is not None:
            self.addFailure(subtest, err)


def flat(suite: Any) -> Iterator[Any]:
    """The tests of a suite."""
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from flat(each)
        else:
            yield each


def tests(words: list[str]) -> None:
    """Play the tests of the repository whose names hold one of the words; all if there are none."""
    printed, result, count = io.StringIO(), Outcome(), 0
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        found = flat(unittest.defaultTestLoader.discover("tests", top_level_dir="tests"))
        for test in [each for each in found if not words or any(word in each.id() for word in words)]:
            count += 1
            try:
                with limited():
                    test.run(result)
            except TimeUp:
                result.failed.append((test.id(), told((TimeUp, None, None))))
                result.stopped += 1
            if result.stopped >= MOST_STOPPED:
                break
    say({"ran": count, "failed": result.failed, "printed": printed.getvalue()[-LONGEST_PRINTED:]})


if __name__ == "__main__":
    PLACE = os.dup(1)
    sys.dont_write_bytecode = True
    os.chdir(HOME)
    sys.path.insert(0, HOME)
    signal.signal(signal.SIGVTALRM, late)
    if sys.argv[1] == "cases":
        cases()
    else:
        tests(sys.argv[2:])
