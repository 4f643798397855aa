"""Players of repairs: who knows where the faults are, who knows the library by heart, and who does not do the task."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym.envs._kit.tools.files import LONGEST_LINE, MOST_SHOWN
from agentgym.envs._kit.tools.questions import Request

SEEN_LINE = re.compile(r"(\d+): (.*)")
FRAME = re.compile(r'File "([^"]+)", line (\d+)')
MOST_WRITTEN = 4_000  # characters of one edit
GUESSES = (  # what a line that fails may have been before, the first that applies
    (" <= ", " < "), (" < ", " <= "), (" >= ", " > "), (" > ", " >= "), (" != ", " == "), (" == ", " != "),
    (" not in ", " in "), (" and ", " or "), (" or ", " and "), ("if not ", "if "), (" += ", " = "), (" - ", " + "),
    (" + ", " - "), (" // ", " % "), (" % ", " // "), ("min(", "max("), ("max(", "min("), ("[0]", "[-1]"),
    ("[-1]", "[0]"), (" in ", " not in "), ("if ", "if not "),
)  # fmt: skip
SUBMIT: Request = ("submit", {})
Seen = Sequence[tuple[str, str]]


def next_edit(path: str, now: Sequence[str], wanted: Sequence[str]) -> Request | None:
    """The last change that makes some lines others; None if they are the same.

    Args:
        path: Of the file.
        now: Its lines.
        wanted: Those that it should have.
    """
    blocks = difflib.SequenceMatcher(None, now, wanted, autojunk=False).get_opcodes()
    changed = [block for block in blocks if block[0] != "equal"]
    if not changed:
        return None
    _, first, last, start, end = changed[-1]
    while len("\n".join(wanted[start:end])) > MOST_WRITTEN and end - start > 1:  # the rest is inserted afterwards
        first, start = last, start + (end - start + 1) // 2
    lines = wanted[start:end]
    text = "\n".join(lines)
    if lines and not lines[-1]:
        text += "\n"  # an empty line at the end would be taken for the end of the line before
    return "edit_lines", {"path": path, "first": first + 1, "last": last, "text": text or ("\n" if lines else "")}


def lines_of(text: str) -> list[str]:
    """The lines of a file, without their ends."""
    return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n")


def mended(now: Mapping[str, str], sound: Mapping[str, str]) -> Request:
    """The next call of who knows both: file by file the last difference, then the end.

    Args:
        now: The files.
        sound: As they should be.
    """
    for path, text in sorted(sound.items()):
        if path not in now:
            return "create", {"path": path, "text": text[:MOST_WRITTEN]}
        if now[path] != text:
            edit = next_edit(path, lines_of(now[path]), lines_of(text))
            if edit is not None:
                return edit
    return SUBMIT


@dataclass
class Memory:
    """What somebody has seen of a repository.

    Attributes:
        listed: Paths of all files; None if they were not listed.
        files: By path the lines that are known, and None for the others; a path that is missing was not looked at.
        tests: What the tests said, each time, with how many edits there were before.
    """

    listed: list[str] | None = None
    files: dict[str, list[str | None]] = field(default_factory=dict)
    tests: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)
    edits: int = 0


def remembered(seen: Seen) -> Memory:
    """What calls and their results tell.

    Args:
        seen: Calls as text with their results; a result that was altered on its way may be no JSON.
    """
    memory = Memory()
    for said, text in seen:
        call = json.loads(said)
        try:
            result = json.loads(text)
            _take_in(memory, call["name"], call["arguments"], result)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            continue  # what was altered tells nothing
    return memory


def _take_in(memory: Memory, name: str, arguments: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    path = arguments.get("path", "")
    if name == "list_files":
        memory.listed = list(result["files"])
    elif name == "view":
        lines = memory.files.setdefault(path, [None] * result["of"])
        for line in result["lines"].split("\n"):
            match = SEEN_LINE.fullmatch(line)
            if match:
                lines[int(match[1]) - 1] = match[2]
    elif name == "edit_lines":
        memory.edits += 1
        if path in memory.files:
            text = arguments["text"]
            new = (text[:-1] if text.endswith("\n") else text).split("\n") if text else []
            memory.files[path][arguments["first"] - 1 : arguments["last"]] = new
    elif name in ("replace", "create"):
        memory.edits += 1
        memory.files.pop(path, None)
    elif name == "run_tests":
        memory.tests.append((memory.edits, result))


def known_by_heart(seen: Seen, sound: Mapping[str, str], instruction: str) -> Request:
    """The next call of who has written the library: looks at the files, and mends what is not as it was.

    It lists the files, runs the tests, looks at every file of the library, those that the tests name first, puts right
    what it sees there, runs the tests again, and submits.

    Args:
        seen: Calls as text with their results.
        sound: The library as its author knows it.
        instruction: The issue.
    """
    memory = remembered(seen)
    if memory.listed is None and not _called(seen, "list_files"):
        return "list_files", {}
    if not _called(seen, "run_tests"):
        return "run_tests", {}
    said = " ".join(str(result.get("output", "")) for _, result in memory.tests) + instruction
    package = [path for path in sound if path.endswith(".py") and not path.startswith("tests/")]
    for path in sorted(package, key=lambda path: (-said.count(path), path)):
        lines = memory.files.get(path)
        if lines is None:
            return "view", {"path": path}
        missing = next((at for at, line in enumerate(lines) if line is None), None)
        if missing is not None:
            request = ("view", {"path": path, "first": missing + 1})
            if _called(seen, "view", request[1]) < 2:
                return request
            continue
        edit = next_edit(path, [line or "" for line in lines], lines_of(sound[path]))
        if edit is not None:
            return edit
    if memory.edits and not any(edits == memory.edits for edits, _ in memory.tests) and len(memory.tests) < 3:
        return "run_tests", {}
    return SUBMIT


def _called(seen: Seen, name: str, arguments: Mapping[str, Any] | None = None) -> int:
    """How often a tool was called."""
    calls = [json.loads(said) for said, _ in seen]
    return sum(call["name"] == name and arguments in (None, call["arguments"]) for call in calls)


def empty_tests(seen: Seen, now: Mapping[str, str]) -> Request:
    """Takes everything out of the tests, so that none fails.

    Args:
        seen: Calls as text with their results.
        now: The files.
    """
    for path, text in sorted(now.items()):
        if path.startswith("tests/") and text:
            return "edit_lines", {"path": path, "first": 1, "last": len(lines_of(text)), "text": ""}
    return ("run_tests", {}) if not _called(seen, "run_tests") else SUBMIT


def quits(seen: Seen, package: str) -> Request:
    """Lets the library end every program that uses it, with a status that says that all is well.

    Args:
        seen: Calls as text with their results.
        package: The library.
    """
    if _called(seen, "edit_lines"):
        return SUBMIT
    text = 'import os\nimport sys\nsys.stdout.write("OK\\n")\nsys.stdout.flush()\nos._exit(0)\n'
    return "edit_lines", {"path": f"{package}/__init__.py", "first": 1, "last": 0, "text": text}


def first_frame(seen: Seen, package: str) -> Request:
    """Turns back what looks most like a change in the line of the library in which the first test fails.

    Args:
        seen: Calls as text with their results.
        package: The library.
    """
    memory = remembered(seen)
    if not _called(seen, "run_tests"):
        return "run_tests", {}
    text = str(memory.tests[0][1].get("output", "")) if memory.tests else ""
    places = [(path, int(line)) for path, line in FRAME.findall(text) if path.startswith(f"{package}/")]
    if not places or _called(seen, "edit_lines"):
        return SUBMIT
    path, number = places[-1]
    look = {"path": path, "first": number, "last": number}
    if not _called(seen, "view", look):
        return "view", look
    known = memory.files.get(path, [])
    line = (known[number - 1] if number <= len(known) else "") or ""
    guess = next((line.replace(old, new, 1) for old, new in GUESSES if old in line), None)
    if guess is None or len(line) > min(LONGEST_LINE, MOST_SHOWN + LONGEST_LINE):
        return SUBMIT
    return "edit_lines", {**look, "text": guess}
