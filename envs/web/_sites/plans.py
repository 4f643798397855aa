"""Oracles of tasks on sites: the plan of a task, in the browser's words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from agentgym.core.grammar import Call

Step = list[str]
NUMBERED = re.compile(r"\[(\d+)\] (.*)")


def described(call: Call, lines: Iterable[str]) -> Step:
    """An action as a plan writes it: its element by role and name instead of its number.

    Args:
        call: What was done.
        lines: Of the outline that it was done on.
    """
    given = dict(call.slots)
    if call.name == "goto":
        return ["goto", str(given["url"])]
    head = next((text for line in lines if (text := _of(line, str(given.get("id", ""))))), "")
    rest = [str(given["text"])] if "text" in given else [str(one) for one in given.get("options", ())]
    return [call.name, head, *rest]


def _of(line: str, own: str) -> str:
    match = NUMBERED.match(line)
    if match is None or match[1] != own:
        return ""
    named = re.match(r'\w+ "(?:[^"\\]|\\.)*"', match[2])
    return named[0] if named else match[2]


def reached(plan: Sequence[Step], done: Sequence[Step]) -> int:
    """How many steps of a plan, from its first on, were done last; 0 if what was done last is none of them.

    Args:
        plan: All its steps.
        done: What was done so far, the last at the end.
    """
    counts = range(min(len(plan), len(done)), 0, -1)
    return next((count for count in counts if list(done[-count:]) == list(plan[:count])), 0)


def next_step(plan: Sequence[Step], done: Sequence[Step]) -> Step:
    """The step of `plan` that follows what was `done` last; its first if that was none of the plan."""
    return plan[reached(plan[:-1], done)]


def in_words(step: Step, lines: Iterable[str]) -> str:
    """A step as an action on the page of an outline.

    Args:
        step: Of a plan.
        lines: Of the outline.
    """
    name, *given = step
    if name == "stop":
        return f"stop [{given[0]}]" if given[0] else "stop"
    if name == "goto":
        return f"goto {given[0]}"
    own = next((match[1] for line in lines if (match := NUMBERED.match(line)) and _of(line, match[1]) == given[0]), "0")
    return f"{name} [{own}]" + "".join(f" {json.dumps(one, ensure_ascii=False)}" for one in given[1:])
