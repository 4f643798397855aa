"""A repository that is worked on, and the tools with which that is done."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from agentgym.core.grammar import shorten
from agentgym.core.tool_grammar import Tool
from agentgym.envs._kit.tools import Toolbox, ToolError, ToolFunction
from agentgym.envs.code._repair.judge import Tested

MOST_SHOWN, LONGEST_LINE, MOST_FOUND = 200, 300, 40
LONGEST_TEXT, LONGEST_REASON, MOST_REASONS = 6_000, 1_200, 6
MOST_FILES, MOST_NEW = 400, 100  # listed at once, and made
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
MOST_PARTS = 8
SECONDS = 5.0  # virtual, of a run of the tests


class Bench(Protocol):
    """Where the repository's own tests are run."""

    def test(self, files: Mapping[str, str], words: Sequence[str]) -> Tested:
        """Run them on files as they are now; only those whose names hold a word, if there are words."""


@dataclass(frozen=True, eq=False)
class Tree:
    """Text by path; shared by the states of an episode, never changed."""

    files: Mapping[str, str]

    def written(self, path: str, text: str) -> Tree:
        """The tree with other text in a file, which may be new."""
        return replace(self, files={**self.files, path: text})


@dataclass(slots=True)
class Workspace:
    """What the tools read and change.

    Attributes:
        tree: The repository.
        bench: Runs its tests.
        runs: Test runs.
        edits: Changes of files.
        most_files: How many there may be.
    """

    tree: Tree
    bench: Bench
    runs: int = 0
    edits: int = 0
    most_files: int = MOST_FILES + MOST_NEW


def _lines(data: Workspace, path: str) -> list[str]:
    """The lines of a file, without their ends.

    Raises:
        ToolError: if there is no such file.
    """
    text = data.tree.files.get(path)
    if text is None:
        near = [known for known in data.tree.files if known.rpartition("/")[2] == path.rpartition("/")[2]]
        meant = f" (perhaps {near[0]})" if near else ""
        raise ToolError(f"There is no file {shorten(path, 80)!r}{meant}; list_files names them all.")
    return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n")


def list_files(data: Workspace) -> dict[str, Any]:
    """Every file with its number of lines.

    Args:
        data: The workspace.
    """
    paths = sorted(data.tree.files)
    more = {"more": len(paths) - MOST_FILES} if len(paths) > MOST_FILES else {}
    return {"files": {path: len(_lines(data, path)) for path in paths[:MOST_FILES]}, **more}


def view(data: Workspace, path: str, first: int = 1, last: int | None = None) -> dict[str, Any]:
    """Lines of a file with their numbers.

    Args:
        data: The workspace.
        path: Of the file.
        first: Number of the first line.
        last: Number of the last line; None for as many as are shown at once.
    """
    lines = _lines(data, path)
    if first > max(1, len(lines)) or (last is not None and last < first):
        raise ToolError(f"{path} has {len(lines)} lines; give first and last among them, in this order.")
    end = min(len(lines), first - 1 + MOST_SHOWN, len(lines) if last is None else last)
    shown = [f"{number}: {_cut(lines[number - 1])}" for number in range(first, end + 1)]
    return {"path": path, "of": len(lines), "lines": "\n".join(shown)}


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}... ({len(line)} characters)"


def search(data: Workspace, text: str, path: str = "") -> dict[str, Any]:
    """Lines that hold a text.

    Args:
        data: The workspace.
        text: What is looked for, as it is written.
        path: Of a file or a folder; empty for everything.
    """
    found = [
        f"{name}:{number}: {_cut(line)}"
        for name in sorted(data.tree.files)
        if not path or name == path or name.startswith(path.rstrip("/") + "/")
        for number, line in enumerate(_lines(data, name), 1)
        if text in line
    ]
    more = {"more": len(found) - MOST_FOUND} if len(found) > MOST_FOUND else {}
    return {"found": found[:MOST_FOUND], **more}


def replace_text(data: Workspace, path: str, old: str, new: str) -> dict[str, Any]:
    """Put a text in the place of another, which must stand in the file exactly once.

    Args:
        data: The workspace.
        path: Of the file.
        old: What is there.
        new: What shall be there.
    """
    _lines(data, path)
    text = data.tree.files[path]
    count = text.count(old)
    if count != 1:
        what = "is not in" if count == 0 else f"is {count} times in"
        raise ToolError(f"The text to replace {what} {path}; copy it exactly, with enough around it to be there once.")
    return _write(data, path, text.replace(old, new))


def edit_lines(data: Workspace, path: str, first: int, last: int, text: str) -> dict[str, Any]:
    """Put lines in the place of lines.

    Args:
        data: The workspace.
        path: Of the file.
        first: Number of the first line that is replaced.
        last: Number of the last one; `first - 1` to replace none, and insert before `first`.
        text: The new lines; empty to take lines out.
    """
    lines = _lines(data, path)
    if not 1 <= first <= len(lines) + 1 or not first - 1 <= last <= len(lines):
        raise ToolError(
            f"{path} has {len(lines)} lines; first must be from 1 to {len(lines) + 1}, last from first - 1 to "
            f"{len(lines)}."
        )
    new = (text[:-1] if text.endswith("\n") else text).split("\n") if text else []
    changed = [*lines[: first - 1], *new, *lines[last:]]
    return _write(data, path, "".join(f"{line}\n" for line in changed))


def create(data: Workspace, path: str, text: str) -> dict[str, Any]:
    """Make a file that is not there yet.

    Args:
        data: The workspace.
        path: Of the file.
        text: Its content.
    """
    parts = path.split("/")
    if len(parts) > MOST_PARTS or not all(NAME.fullmatch(part) for part in parts):
        raise ToolError(f"{shorten(path, 80)!r} is no path of a new file; write one such as folder/name.py.")
    above = {"/".join(parts[:count]) for count in range(1, len(parts))}
    if path in data.tree.files or above & data.tree.files.keys() or any(
        name.startswith(f"{path}/") for name in data.tree.files
    ):  # fmt: skip
        raise ToolError(f"{path} is there already; change it with replace or edit_lines.")
    if len(data.tree.files) >= data.most_files:
        raise ToolError("There are too many files; change one that is there.")
    return _write(data, path, text)


def _write(data: Workspace, path: str, text: str) -> dict[str, Any]:
    data.tree = data.tree.written(path, text)
    data.edits += 1
    return {"path": path, "lines": len(_lines(data, path))}


def run_tests(data: Workspace, names: list[str] | None = None) -> dict[str, Any]:
    """What the repository's own tests say.

    Args:
        data: The workspace.
        names: Parts of names of the tests to run; None for all.

    Raises:
        Lost: if the code has ended its sandbox.
    """
    tested = data.bench.test(data.tree.files, names or [])
    data.runs += 1
    told: dict[str, Any] = {"ran": tested.ran, "failed": [name for name, _ in tested.failed]}
    reasons = [f"{name}\n{_short(reason)}" for name, reason in tested.failed[:MOST_REASONS]]
    if reasons:
        told["output"] = "\n\n".join(reasons)
    if tested.printed:
        told["printed"] = tested.printed
    if tested.error:
        told["error"] = tested.error
    return told


def _short(reason: str) -> str:
    if len(reason) <= LONGEST_REASON:
        return reason
    half = LONGEST_REASON // 2
    return f"{reason[:half]}\n...\n{reason[-half:]}"


def _tool(name: str, said: str, properties: dict[str, Any], required: Sequence[str], *examples: dict[str, Any]) -> Tool:
    schema = {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    return Tool(name, said, schema, examples)


PATH = {"type": "string", "maxLength": 200}
TEXT = {"type": "string", "maxLength": LONGEST_TEXT}
LINE = {"type": "integer", "minimum": 0, "maximum": 1_000_000}
SUBMIT = _tool(
    "submit", "End the task: the repository as it is now is judged by tests that you have not seen.", {}, (), {}
)
TOOLS = (
    ToolFunction(_tool("list_files", "All files of the repository with their lengths.", {}, ()), list_files),
    ToolFunction(
        _tool(
            "view", f"Lines of a file with their numbers, at most {MOST_SHOWN} at once.",
            {"path": PATH, "first": LINE | {"minimum": 1}, "last": LINE}, ("path",),
            {"path": "README.md"}, {"path": "README.md", "first": 3, "last": 9},
        ), view,
    ),
    ToolFunction(
        _tool(
            "search", f"Lines that hold a text as written, in a file, a folder or everywhere; at most {MOST_FOUND}.",
            {"text": {"type": "string", "minLength": 1, "maxLength": 200}, "path": PATH}, ("text",),
            {"text": "def parse"},
        ), search,
    ),
    ToolFunction(
        _tool(
            "replace", "Put a text in the place of another one, which must stand in the file exactly once.",
            {"path": PATH, "old": TEXT | {"minLength": 1}, "new": TEXT}, ("path", "old", "new"),
            {"path": "README.md", "old": "colour", "new": "color"},
        ), replace_text,
    ),
    ToolFunction(
        _tool(
            "edit_lines",
            "Put lines in the place of the lines from first to last. With last = first - 1 nothing is taken out and "
            "the text is inserted before first; with an empty text the lines are taken out.",
            {"path": PATH, "first": LINE | {"minimum": 1}, "last": LINE, "text": TEXT},
            ("path", "first", "last", "text"),
            {"path": "README.md", "first": 2, "last": 2, "text": "A new second line"},
        ), edit_lines,
    ),
    ToolFunction(
        _tool("create", "Make a file that is not there yet.", {"path": PATH, "text": TEXT}, ("path", "text")), create
    ),
    ToolFunction(
        _tool(
            "run_tests", "Run the repository's own tests: all, or those whose names hold one of some words.",
            {"names": {"type": "array", "items": TEXT | {"minLength": 1, "maxLength": 100}, "maxItems": 10}}, (),
            {}, {"names": ["test_parse"]},
        ), run_tests, SECONDS,
    ),
)  # fmt: skip
TOOLBOX = Toolbox(
    TOOLS,
    SUBMIT,
    "You repair a Python library after an issue was reported. There may be several causes. Tests that you have not "
    "seen decide at the end: what the issue tells of must work, and what worked must still work. Changing the "
    "library's own tests gains nothing.",
)
