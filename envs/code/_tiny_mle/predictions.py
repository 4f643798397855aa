"""The file of predictions: whether it is as it must be, and what it says."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

from agentgym.core.grammar import shorten
from agentgym.envs.code._tiny_mle.data import Problem
from agentgym.envs.code._tiny_mle.metrics import CHANCE, LABEL, METRICS

PREDICTIONS, HEAD = "predictions.csv", ["id", "prediction"]
LONGEST, LARGEST = 100_000, 1e12  # characters, and a number


class BadPredictions(Exception):
    """The file is not as it must be; the message says what is wrong."""


def read_predictions(problem: Problem, text: str | None) -> list[Any]:
    """What is predicted for each row of the test table, in its order.

    Args:
        problem: The task.
        text: Of the file; None if there is none.

    Raises:
        BadPredictions: if the file is not as it must be.
    """
    if text is None:
        raise BadPredictions(f"there is no {PREDICTIONS}")
    if len(text) > LONGEST:
        raise BadPredictions(f"{PREDICTIONS} is longer than {LONGEST} characters")
    try:
        lines = [line for line in csv.reader(io.StringIO(text)) if line]
    except csv.Error as error:
        raise BadPredictions(f"{PREDICTIONS} is no CSV: {error}") from error
    if not lines or [cell.strip() for cell in lines[0]] != HEAD:
        raise BadPredictions(f"the first line of {PREDICTIONS} must be id,prediction")
    said: dict[str, str] = {}
    wanted = [str(each) for each in problem.test["id"]]
    known = set(wanted)
    for line in lines[1:]:
        if len(line) != len(HEAD):
            raise BadPredictions(f"the line {shorten(','.join(line), 60)!r} must have an id and a prediction")
        row = line[0].strip()
        if row not in known or row in said:
            why = "comes twice" if row in said else "is no id of test.csv"
            raise BadPredictions(f"{shorten(row, 30)!r} {why}")
        said[row] = line[1].strip()
    if len(said) < len(wanted):
        raise BadPredictions(f"{PREDICTIONS} has {len(said)} rows, and test.csv {len(wanted)}")
    kind = METRICS[problem.metric].predicts
    return [_value(said[row], kind) for row in wanted]


def _value(cell: str, kind: str) -> Any:
    if kind == LABEL:
        return cell
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or abs(value) > LARGEST or (kind == CHANCE and not 0 <= value <= 1):
        expected = "a chance from 0 to 1" if kind == CHANCE else "a number"
        raise BadPredictions(f"a prediction must be {expected}, got {shorten(cell, 30)!r}")
    return value


def combined(kind: str, labels: Sequence[str], outputs: Sequence[Sequence[Any]], threshold: float | None) -> list[Any]:
    """Predictions of several models taken together: the mean of their numbers or chances.

    Args:
        kind: What the measure asks for.
        labels: Of the models, in order; none for numbers.
        outputs: Of each model what it gives for each row.
        threshold: Chance of `yes` from which on that is said; None for the most likely label.
    """
    count = len(outputs)
    if not labels:
        return [sum(values) / count for values in zip(*outputs, strict=True)]
    means = [
        [sum(chances) / count for chances in zip(*rows, strict=True)] for rows in zip(*outputs, strict=True)
    ]  # fmt: skip
    if kind == CHANCE:
        return [row[labels.index("yes")] for row in means]
    if threshold is not None:
        return ["yes" if row[labels.index("yes")] >= threshold else "no" for row in means]
    return [labels[row.index(max(row))] for row in means]
