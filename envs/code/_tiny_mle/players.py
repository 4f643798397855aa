"""Players: who knows the best recipe, who looks at the data and tries models, and who does not do the task."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.envs._kit.tools.questions import Request
from agentgym.envs.code._tiny_mle.data import Problem
from agentgym.envs.code._tiny_mle.metrics import LABEL, METRICS
from agentgym.envs.code._tiny_mle.workspace import RUN_SECONDS, Workspace

SCRIPT = "train.py"
SUBMIT: Request = ("submit", {})
TARGET = re.compile(r"predict the column (\w+) of test\.csv")
GROUP = re.compile(r"Rows of one (\w+) are ranked together")
PERIOD = re.compile(r"(?:has|moon,|sun,) (\d+(?:\.\d+)?)")
NOTED = re.compile(r"(\w+) is noted when a case is closed")
WORDS = {metric.words: name for name, metric in METRICS.items()}
Seen = Sequence[tuple[str, str]]


def played(work: Workspace, script: str) -> Request:
    """Write a script, run it until it has made the predictions, and submit.

    Args:
        work: The folder.
        script: What to write.
    """
    if work.tree.files.get(SCRIPT) != script and work.left > 0:
        return "write", {"path": SCRIPT, "text": script}
    if work.made_from != work.sources() and work.left > RUN_SECONDS:
        return "run", {"path": SCRIPT}
    return SUBMIT


def best_script(problem: Problem, best: Mapping[str, Any]) -> str:
    """The script that reaches the best known.

    Args:
        problem: The task.
        best: Models and threshold, as they are stored.
    """
    metric = METRICS[problem.metric]
    labels = metric.predicts == LABEL or isinstance(problem.train[problem.target][0], str)
    lines = [
        "import lab", "", f"MODELS = {json.dumps(best['models'])}".replace("true", "True").replace("false", "False"),
        "train, test = lab.read_csv('train.csv'), lab.read_csv('test.csv')",
        f"TARGET = {problem.target!r}",
        "models = [lab.fit(train, TARGET, each['model'], each['options'], each['prep']) for each in MODELS]",
        "outputs = [model.values(test) for model in models]",
    ]  # fmt: skip
    if not labels:
        lines += ["said = [sum(values) / len(models) for values in zip(*outputs)]"]
    else:
        lines += ["said = [[sum(parts) / len(models) for parts in zip(*rows)] for rows in zip(*outputs)]"]
        lines += ["labels = models[0].labels"]
        if metric.predicts != LABEL:
            lines += ["said = [row[labels.index('yes')] for row in said]"]
        elif best["threshold"] is not None:
            lines += [f"said = ['yes' if row[labels.index('yes')] >= {best['threshold']} else 'no' for row in said]"]
        else:
            lines += ["said = [labels[row.index(max(row))] for row in said]"]
    return "\n".join([*lines, "lab.write(test, said)", ""])


def expert_action(work: Workspace, seen: Seen, instruction: str) -> Request:
    """The next call of who looks at both tables, and writes a script that tries models by cross-validation.

    Args:
        work: The folder.
        seen: Calls as text with their results.
        instruction: The task in words.
    """
    heads: dict[str, list[str]] = {}
    for said, text in seen:
        call = json.loads(said)
        if call["name"] == "view" and call["arguments"].get("path") in ("train.csv", "test.csv"):
            try:
                lines = [line.partition(": ")[2] for line in json.loads(text)["lines"].split("\n")]
            except (ValueError, KeyError, TypeError):
                continue  # what was altered tells nothing
            heads.setdefault(call["arguments"]["path"], lines)
    for path in ("train.csv", "test.csv"):
        if path not in heads and work.left > 0 and _views(seen, path) < 2:
            return "view", {"path": path, "first": 1, "last": 6}
    return played(work, expert_script(instruction, heads.get("train.csv", [])))


def _views(seen: Seen, path: str) -> int:
    """How often the beginning of a file was asked for."""
    wanted = {"path": path, "first": 1, "last": 6}
    return sum(json.loads(said)["arguments"] == wanted for said, _ in seen)


def expert_script(instruction: str, head: Sequence[str]) -> str:
    """A script for a task.

    Args:
        instruction: The task in words.
        head: The first lines of the train table.
    """
    target, group, noted = (pattern.search(instruction) for pattern in (TARGET, GROUP, NOTED))
    measure = next((name for words, name in WORDS.items() if f"Measure: {words}." in instruction), "rmse")
    rows = [dict(zip(head[0].split(","), line.split(","), strict=False)) for line in head[1:]] if head else []
    lengths = {name: max(len(row.get(name, "")) for row in rows) for name in rows[0]} if rows else {}
    facts = {
        "TARGET": target[1] if target else "", "GROUP": group[1] if group else "",
        "DROP": [noted[1]] if noted else [], "PERIODS": [float(each) for each in PERIOD.findall(instruction)],
        "MEASURE": measure, "PREDICTS": METRICS[measure].predicts,
        "TEXTS": any(length > 20 for length in lengths.values()),
    }  # fmt: skip
    told = "\n".join(f"{name} = {value!r}" for name, value in facts.items())
    return f"{told}\n{_source('expert')}"


def shortcut_script(name: str) -> str:
    """The script of a player that does not look at the data.

    Args:
        name: `constant`, `nearest` or `forest`.
    """
    return _source(name)


def _source(name: str) -> str:
    return Path(__file__).with_name("scripts").joinpath(f"{name}.txt").read_text(encoding="utf8")
