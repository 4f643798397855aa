"""A repository that is worked on, and the tools with which that is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agentgym.envs._kit.tools import Toolbox, ToolFunction
from agentgym.envs._kit.tools.files import (
    LINE,
    MOST_FOUND,
    MOST_LISTED,
    MOST_SHOWN,
    PATH,
    TEXT,
    Tree,
    create,
    edit_lines,
    file_tool,
    list_files,
    replace_text,
    search,
    view,
)
from agentgym.envs.code._repair.judge import Tested

LONGEST_REASON, MOST_REASONS = 1_200, 6
MOST_NEW = 100  # files that may be made
SECONDS = 5.0  # virtual, of a run of the tests


class Bench(Protocol):
    """Where the repository's own tests are run."""

    def test(self, files: Mapping[str, str], words: Sequence[str]) -> Tested:
        """Run them on files as they are now.

        Args:
            files: Text of all files of the repository by path, tests included.
            words: Parts of names; only tests whose name holds one of them are run, all if there are none.
        """


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
    most_files: int = MOST_LISTED + MOST_NEW


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


SUBMIT = file_tool(
    "submit", "End the task: the repository as it is now is judged by tests that you have not seen.", {}, (), {}
)
TOOLS = (
    ToolFunction(file_tool("list_files", "All files of the repository with their lengths.", {}, ()), list_files),
    ToolFunction(
        file_tool(
            "view", f"Lines of a file with their numbers, at most {MOST_SHOWN} at once.",
            {"path": PATH, "first": LINE | {"minimum": 1}, "last": LINE}, ("path",),
            {"path": "README.md"}, {"path": "README.md", "first": 3, "last": 9},
        ), view,
    ),
    ToolFunction(
        file_tool(
            "search", f"Lines that hold a text as written, in a file, a folder or everywhere; at most {MOST_FOUND}.",
            {"text": {"type": "string", "minLength": 1, "maxLength": 200}, "path": PATH}, ("text",),
            {"text": "def parse"},
        ), search,
    ),
    ToolFunction(
        file_tool(
            "replace", "Put a text in the place of another one, which must stand in the file exactly once.",
            {"path": PATH, "old": TEXT | {"minLength": 1}, "new": TEXT}, ("path", "old", "new"),
            {"path": "README.md", "old": "colour", "new": "color"},
        ), replace_text,
    ),
    ToolFunction(
        file_tool(
            "edit_lines",
            "Put lines in the place of the lines from first to last. With last = first - 1 nothing is taken out and "
            "the text is inserted before first; with an empty text the lines are taken out.",
            {"path": PATH, "first": LINE | {"minimum": 1}, "last": LINE, "text": TEXT},
            ("path", "first", "last", "text"),
            {"path": "README.md", "first": 2, "last": 2, "text": "A new second line"},
        ), edit_lines,
    ),
    ToolFunction(
        file_tool("create", "Make a file that is not there yet.", {"path": PATH, "text": TEXT}, ("path", "text")),
        create,
    ),
    ToolFunction(
        file_tool(
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
