"""Tools over a tree of text files: list, view, search, replace, edit, create."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from agentgym.core.grammar import shorten
from agentgym.core.tool_grammar import Tool
from agentgym.envs._kit.tools.functions import ToolError

MOST_SHOWN, LONGEST_LINE, MOST_FOUND = 200, 300, 40
LONGEST_TEXT = 6_000
MOST_LISTED = 400  # at once
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
MOST_PARTS = 8


@dataclass(frozen=True, eq=False)
class Tree:
    """Text by path; shared by the states of an episode, never changed."""

    files: Mapping[str, str]

    def written(self, path: str, text: str) -> Tree:
        """The tree with `text` in the file at `path`, which may be new."""
        return replace(self, files={**self.files, path: text})


class FileSpace(Protocol):
    """What the tools read and change.

    Attributes:
        tree: The files.
        edits: Changes of files.
        most_files: How many there may be.
    """

    tree: Tree
    edits: int
    most_files: int


def lines_in(data: FileSpace, path: str) -> list[str]:
    """The lines of a file, without their ends.

    Args:
        data: The files.
        path: Of the file.

    Raises:
        ToolError: if there is no such file.
    """
    text = data.tree.files.get(path)
    if text is None:
        near = [known for known in data.tree.files if known.rpartition("/")[2] == path.rpartition("/")[2]]
        meant = f" (perhaps {near[0]})" if near else ""
        raise ToolError(f"There is no file {shorten(path, 80)!r}{meant}; list_files names them all.")
    return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n")


def list_files(data: FileSpace) -> dict[str, Any]:
    """Every file with its number of lines.

    Args:
        data: The files.
    """
    paths = sorted(data.tree.files)
    more = {"more": len(paths) - MOST_LISTED} if len(paths) > MOST_LISTED else {}
    return {"files": {path: len(lines_in(data, path)) for path in paths[:MOST_LISTED]}, **more}


def view(data: FileSpace, path: str, first: int = 1, last: int | None = None) -> dict[str, Any]:
    """Lines of a file with their numbers.

    Args:
        data: The files.
        path: Of the file.
        first: Number of the first line.
        last: Number of the last line; None for as many as are shown at once.
    """
    lines = lines_in(data, path)
    if first > max(1, len(lines)) or (last is not None and last < first):
        raise ToolError(f"{path} has {len(lines)} lines; give first and last among them, in this order.")
    end = min(len(lines), first - 1 + MOST_SHOWN, len(lines) if last is None else last)
    shown = [f"{number}: {_cut(lines[number - 1])}" for number in range(first, end + 1)]
    return {"path": path, "of": len(lines), "lines": "\n".join(shown)}


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}... ({len(line)} characters)"


def search(data: FileSpace, text: str, path: str = "") -> dict[str, Any]:
    """Lines that hold a text.

    Args:
        data: The files.
        text: What is looked for, as it is written.
        path: Of a file or a folder; empty for everything.
    """
    found = [
        f"{name}:{number}: {_cut(line)}"
        for name in sorted(data.tree.files)
        if not path or name == path or name.startswith(path.rstrip("/") + "/")
        for number, line in enumerate(lines_in(data, name), 1)
        if text in line
    ]
    more = {"more": len(found) - MOST_FOUND} if len(found) > MOST_FOUND else {}
    return {"found": found[:MOST_FOUND], **more}


def replace_text(data: FileSpace, path: str, old: str, new: str) -> dict[str, Any]:
    """Put a text in the place of another, which must stand in the file exactly once.

    Args:
        data: The files.
        path: Of the file.
        old: What is there.
        new: What shall be there.
    """
    lines_in(data, path)
    text = data.tree.files[path]
    count = text.count(old)
    if count != 1:
        what = "is not in" if count == 0 else f"is {count} times in"
        raise ToolError(f"The text to replace {what} {path}; copy it exactly, with enough around it to be there once.")
    return write_text(data, path, text.replace(old, new))


def edit_lines(data: FileSpace, path: str, first: int, last: int, text: str) -> dict[str, Any]:
    """Put lines in the place of lines.

    Args:
        data: The files.
        path: Of the file.
        first: Number of the first line that is replaced.
        last: Number of the last one; `first - 1` to replace none, and insert before `first`.
        text: The new lines; empty to take lines out.
    """
    lines = lines_in(data, path)
    if not 1 <= first <= len(lines) + 1 or not first - 1 <= last <= len(lines):
        raise ToolError(
            f"{path} has {len(lines)} lines; first must be from 1 to {len(lines) + 1}, last from first - 1 to "
            f"{len(lines)}."
        )
    new = (text[:-1] if text.endswith("\n") else text).split("\n") if text else []
    changed = [*lines[: first - 1], *new, *lines[last:]]
    return write_text(data, path, "".join(f"{line}\n" for line in changed))


def create(data: FileSpace, path: str, text: str) -> dict[str, Any]:
    """Make a file that is not there yet.

    Args:
        data: The files.
        path: Of the file.
        text: Its content.
    """
    check_new(data, path)
    return write_text(data, path, text)


def check_new(data: FileSpace, path: str) -> None:
    """Refuse a path at which no new file can be made.

    Args:
        data: The files.
        path: Of the file.

    Raises:
        ToolError: with the reason.
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


def write_text(data: FileSpace, path: str, text: str) -> dict[str, Any]:
    """Put a text into a file, whatever was there.

    Args:
        data: The files.
        path: Of the file.
        text: Its content.
    """
    data.tree = data.tree.written(path, text)
    data.edits += 1
    return {"path": path, "lines": len(lines_in(data, path))}


def file_tool(
    name: str, said: str, properties: Mapping[str, Any], required: Sequence[str], *examples: dict[str, Any]
) -> Tool:
    """A tool by its arguments.

    Args:
        name: Of the tool.
        said: What it does.
        properties: Schema of each argument.
        required: Arguments that must be given.
        examples: Arguments of worked examples.
    """
    schema = {
        "type": "object", "properties": dict(properties), "required": list(required), "additionalProperties": False,
    }  # fmt: skip
    return Tool(name, said, schema, examples)


PATH = {"type": "string", "maxLength": 200}
TEXT = {"type": "string", "maxLength": LONGEST_TEXT}
LINE = {"type": "integer", "minimum": 0, "maximum": 1_000_000}
