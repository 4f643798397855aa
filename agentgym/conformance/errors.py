"""How a check says what is wrong, or that it has nothing to look at."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

from agentgym.core import AgentGymError

ANSI = re.compile(r"\x1b\[[0-9;]*m")


class Violation(AgentGymError):
    """A rule that does not hold: what was found, and what mends it."""

    def __init__(self, found: str, remedy: str):
        super().__init__(f"{found} Fix: {remedy}")


class NotApplicable(Exception):
    """A check that has nothing to look at here; the message says why."""


def describe(error: BaseException) -> str:
    """An exception in one line, with the place where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}: {' '.join(ANSI.sub('', str(error)).split())[:400]}"
