"""The folder in which a training script is written and run, and the tools with which that is done."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from agentgym.core.snapshot import fingerprint
from agentgym.envs._kit.sandbox import FILE, PYTHON, Entry, Job, Limits, shared_sandbox
from agentgym.envs._kit.sandbox.tool import told
from agentgym.envs._kit.tools import Toolbox, ToolError, ToolFunction
from agentgym.envs._kit.tools.files import (
    LINE,
    MOST_SHOWN,
    PATH,
    TEXT,
    Tree,
    check_new,
    edit_lines,
    file_tool,
    lines_in,
    list_files,
    replace_text,
    view,
    write_text,
)
from agentgym.envs.code._tiny_mle.book import load
from agentgym.envs.code._tiny_mle.data import Problem, csv_text
from agentgym.envs.code._tiny_mle.encode import ADDS, CHOICES, SWITCHES
from agentgym.envs.code._tiny_mle.metrics import CHANCE, LABEL, METRICS
from agentgym.envs.code._tiny_mle.models import MODELS
from agentgym.envs.code._tiny_mle.predictions import PREDICTIONS, BadPredictions, read_predictions
from agentgym.envs.code._tiny_mle.trainer import CALL, OPERATIONS, Trainer

RUN_SECONDS, LOOK_SECONDS, WRITE_SECONDS = 20.0, 1.0, 2.0  # virtual
LIMITS = Limits(seconds=300.0, cpu=2, processes=2, output=1 << 20)  # no second process: each would have its own seconds
GIVEN = ("README.md", "lab.py", "test.csv", "train.csv")
MOST_FILES = 12
SCRIPT_TEXT = TEXT | {"maxLength": 9_000}
MILESTONES = ("ran", "fitted", "predicted")  # a script to its end, a model, predictions as they must be
STEP = 0.1  # of the task's progress, each


@dataclass(slots=True)
class Workspace:
    """What the tools read and change.

    Attributes:
        task: Name of the task.
        tree: The files.
        limit: Virtual seconds that there are.
        clock: Those that are spent.
        runs, failed, fits: Runs of scripts, those that failed, and models fitted.
        edits: Changes of files.
        reached: Milestones.
        made_from: Fingerprint of the files from which a script has made the predictions; empty if none did.
        most_files: How many files there may be.
    """

    task: str
    tree: Tree
    limit: float
    clock: float = 0.0
    runs: int = 0
    failed: int = 0
    fits: int = 0
    edits: int = 0
    reached: tuple[str, ...] = ()
    made_from: str = ""
    most_files: int = MOST_FILES

    @property
    def problem(self) -> Problem:
        """The task."""
        found = load(self.task)
        assert found is not None, self.task
        return found

    @property
    def left(self) -> float:
        """Virtual seconds that are left."""
        return round(self.limit - self.clock, 3)

    def spend(self, seconds: float) -> None:
        """Virtual seconds pass, as far as there are any.

        Args:
            seconds: How many.
        """
        self.clock = round(min(self.limit, self.clock + seconds), 3)

    def sources(self) -> str:
        """Fingerprint of the files without the predictions."""
        return fingerprint({path: text for path, text in self.tree.files.items() if path != PREDICTIONS})


def asked(problem: Problem) -> str:
    """The task in words.

    Args:
        problem: The task.
    """
    metric = METRICS[problem.metric]
    what = {LABEL: "a label", CHANCE: "the chance of yes, from 0 to 1"}.get(metric.predicts, "a number")
    ranked = f" Rows of one {problem.group} are ranked together." if problem.group else ""
    return (
        f"{problem.about} Learn from train.csv ({len(problem.train['id'])} rows), and predict the column "
        f"{problem.target} of test.csv ({len(problem.truth)} rows): {what} for each row. Measure: {metric.words}."
        f"{ranked} Write predictions.csv with the columns id,prediction."
    )


def begun(problem: Problem, limit: int) -> Workspace:
    """The folder as an episode finds it.

    Args:
        problem: The task.
        limit: Virtual seconds that there are.
    """
    files = {
        "README.md": f"{asked(problem)}\n\n{handbook()}", "lab.py": _lab(), "train.csv": csv_text(problem.train),
        "test.csv": csv_text(problem.test),
    }  # fmt: skip
    return Workspace(problem.name, Tree(files), float(limit))


@cache
def _lab() -> str:
    return Path(__file__).with_name("lab.py").read_text(encoding="utf8")


@cache
def handbook() -> str:
    """What scripts can do, and what it costs."""
    lines = ["Models of lab.fit, with what they predict, and their options (usual value, least, greatest):", ""]
    for name, model in MODELS.items():
        options = ", ".join(
            f"{key} ({each.usual:g}, {each.low:g}, {each.high:g})" for key, each in model.options.items()
        )
        what = "labels and numbers" if model.labels and model.number else "labels" if model.labels else "numbers"
        lines.append(f"- {name}: {what}; {options or 'no options'}")
    choices = "; ".join(f"{key} is one of {', '.join(values)}" for key, values in CHOICES.items())
    lines += [
        "",
        f"prep, the encoding of the table: drop is a list of columns; {choices}; {', '.join(SWITCHES)} are true or "
        f"false; add is a list of new columns, each [{'], ['.join(ADDS)}] with the columns it takes, and cycle with a "
        "period.",
        "",
        f"Virtual time: a run takes {RUN_SECONDS:g} seconds, which cover what the script computes itself; each call of "
        f"lab {CALL:g} seconds; and lab.fit as many operations as rows, encoded columns and options declare, "
        f"{OPERATIONS:g} a second. lab.left() tells what is left.",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _own(path: str) -> None:
    """Refuse to change what was given."""
    if path in GIVEN:
        raise ToolError(f"{path} is given and cannot be changed; write a file of your own.")


def write(data: Workspace, path: str, text: str) -> dict[str, Any]:
    """Write a file, new or not.

    Args:
        data: The workspace.
        path: Of the file.
        text: Its content.
    """
    _own(path)
    if path not in data.tree.files:
        check_new(data, path)
    return write_text(data, path, text)


def replace_in(data: Workspace, path: str, old: str, new: str) -> dict[str, Any]:
    """Put a text in the place of another, which must stand in the file exactly once.

    Args:
        data: The workspace.
        path: Of the file.
        old: What is there.
        new: What shall be there.
    """
    _own(path)
    return replace_text(data, path, old, new)


def edit(data: Workspace, path: str, first: int, last: int, text: str) -> dict[str, Any]:
    """Put lines in the place of lines.

    Args:
        data: The workspace.
        path: Of the file.
        first: Number of the first line that is replaced.
        last: Number of the last one.
        text: The new lines.
    """
    _own(path)
    return edit_lines(data, path, first, last, text)


def run(data: Workspace, path: str) -> dict[str, Any]:
    """Run a script of the folder in the sandbox; the models that it asks for are trained outside.

    Args:
        data: The workspace.
        path: Of the script.

    Raises:
        Lost: if the script has ended its sandbox.
    """
    lines_in(data, path)
    if data.left < RUN_SECONDS:
        raise ToolError(f"A run takes {RUN_SECONDS:g} seconds, and {data.left:g} are left; submit what there is.")
    problem, sources = data.problem, data.sources()
    trainer = Trainer(problem.metric, round(data.left - RUN_SECONDS, 3))
    files = {name: text.encode() for name, text in data.tree.files.items()}
    job = Job((PYTHON, path), files, limits=LIMITS, collect=True, functions=("trainer",))
    result = shared_sandbox(LIMITS).run(job, trainer.answer)
    found = told(result, LIMITS)
    data.runs += 1
    data.fits += trainer.fits
    data.spend(RUN_SECONDS + trainer.spent)
    failed = "error" in found
    data.failed += failed
    if result.ended == "exit":
        _keep(data, result.files.get(PREDICTIONS))
    checked = predictions_checked(data)
    if not checked and not failed:
        data.made_from = sources
    facts = {"ran": not failed, "fitted": trainer.fits > 0, "predicted": not checked}
    data.reached = tuple(name for name in MILESTONES if name in data.reached or facts[name])
    return {
        **found, "fits": trainer.fits, "seconds": round(RUN_SECONDS + trainer.spent, 3), "left": data.left,
        "predictions": checked or "as they must be",
    }  # fmt: skip


def _keep(data: Workspace, entry: Entry | None) -> None:
    """Take the predictions over from a run; every other file stays as it was written."""
    files = dict(data.tree.files)
    files.pop(PREDICTIONS, None)
    if entry is not None and entry.kind == FILE:
        files[PREDICTIONS] = entry.data.decode("utf8", "replace")
    data.tree = Tree(files)


def predictions_checked(data: Workspace) -> str:
    """What is wrong with the predictions; empty if they are as they must be.

    Args:
        data: The workspace.
    """
    try:
        read_predictions(data.problem, data.tree.files.get(PREDICTIONS))
    except BadPredictions as error:
        return str(error)
    return ""


SUBMIT = file_tool("submit", "End the task: predictions.csv is judged by values that you have not seen.", {}, (), {})
TOOLS = (
    ToolFunction(file_tool("list_files", "All files with their lengths.", {}, ()), list_files, LOOK_SECONDS),
    ToolFunction(
        file_tool(
            "view", f"Lines of a file with their numbers, at most {MOST_SHOWN} at once.",
            {"path": PATH, "first": LINE | {"minimum": 1}, "last": LINE}, ("path",),
            {"path": "train.csv", "first": 1, "last": 9},
        ), view, LOOK_SECONDS,
    ),
    ToolFunction(
        file_tool(
            "write", "Write a file of your own, new or not.", {"path": PATH, "text": SCRIPT_TEXT}, ("path", "text"),
            {
                "path": "train.py",
                "text": "import lab\ntrain = lab.read_csv('train.csv')\nprint(lab.rows(train), list(train))\n",
            },
        ), write, WRITE_SECONDS,
    ),
    ToolFunction(
        file_tool(
            "replace", "Put a text in the place of another one, which must stand in the file exactly once.",
            {"path": PATH, "old": TEXT | {"minLength": 1}, "new": TEXT}, ("path", "old", "new"),
        ), replace_in, WRITE_SECONDS,
    ),
    ToolFunction(
        file_tool(
            "edit_lines",
            "Put lines in the place of the lines from first to last; with last = first - 1 they are inserted.",
            {"path": PATH, "first": LINE | {"minimum": 1}, "last": LINE, "text": TEXT},
            ("path", "first", "last", "text"),
        ), edit, WRITE_SECONDS,
    ),
    ToolFunction(
        file_tool("run", "Run a script of Python.", {"path": PATH}, ("path",), {"path": "train.py"}), run, RUN_SECONDS
    ),
)  # fmt: skip
TOOLBOX = Toolbox(
    TOOLS,
    SUBMIT,
    "You write a training script of Python, run it, and submit its predictions. Scripts have the standard library and "
    "the module lab: lab.read_csv(path) gives a table, a list of values for each column; lab.fit(table, target, model, "
    "options, prep) a model, whose predict(table) gives labels or numbers and chances(table) the chance of yes; "
    "lab.loss(truth, said) is the measure as a loss; lab.folds(count) and lab.pick(table, places) split rows; "
    "lab.write(test, said) writes predictions.csv. README.md names the models, their options and what they cost. "
    "Everything takes virtual time; when it is over, only submit is left.",
)
