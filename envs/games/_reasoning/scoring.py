"""The package's scores, worked out here where its own scorer would evaluate the answer as Python code."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from agentgym.envs.games._formula import FormulaError, parse

Entry = Mapping[str, Any]
LONGEST = 16_384  # characters of a list that is read


def score(dataset: Any, name: str, answer: str, entry: Entry) -> float:
    """The score of an answer, 0 to 1; 0 where the package's scorer cannot read it.

    Args:
        dataset: The package's dataset of the question.
        name: Its generator; those in `OWN` are scored here.
        answer: What the player said.
        entry: Question, answer and metadata, as the dataset holds them.
    """
    own = OWN.get(name)
    if own is not None:
        return own(dataset, answer, entry)
    try:
        return min(1.0, max(0.0, float(dataset.score_answer(answer, entry))))
    except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, AssertionError, RecursionError):
        return 0.0  # several scorers raise on answers of another form than they expect; such an answer is wrong


def _listed(answer: str) -> Any:
    """The list that an answer writes, with double or single quotes; None if it writes none."""
    try:
        found = json.loads(answer.replace("'", '"')) if len(answer) <= LONGEST else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _rows(answer: str) -> str:
    """The lines that a list of lists stands for; empty if the answer is none."""
    rows = _listed(answer)
    if not rows or not all(isinstance(row, list) for row in rows):
        return ""
    return "\n".join(" ".join(str(cell) for cell in row) for row in rows)


def _matrix(dataset: Any, answer: str, entry: Entry) -> float:
    """Cells as asked for: 1; as a list of lists: 0.1."""
    return 1.0 if answer == entry["answer"] else 0.1 if _rows(answer) == entry["answer"] else 0.0


def _spiral(dataset: Any, answer: str, entry: Entry) -> float:
    """Numbers as asked for: 1; as a list: 0.1."""
    wanted = entry["answer"].strip()
    found = _listed(answer)
    return 1.0 if answer.strip() == wanted else 0.1 if found and " ".join(map(str, found)) == wanted else 0.0


def _letters(dataset: Any, answer: str, entry: Entry) -> float:
    """The text: 1; as a list of letters: 0.1."""
    found = _listed(answer)
    spelt = found is not None and all(isinstance(letter, str) for letter in found) and "".join(found) == entry["answer"]
    return 1.0 if answer == entry["answer"] else 0.1 if spelt else 0.0


def _queens(dataset: Any, answer: str, entry: Entry) -> float:
    """One of the right boards: 1; as a list of lists: 0.5."""
    right = entry["metadata"]["valid_answers"]
    return 1.0 if answer in right else 0.5 if _rows(answer) in right else 0.0


def _countdown(dataset: Any, answer: str, entry: Entry) -> float:
    """The target with each number once: 1; another formula: 0.05; no formula: 0.01."""
    try:
        formula = parse(answer)
    except FormulaError:
        return 0.01
    used = sorted(formula.numbers) == sorted(entry["metadata"]["numbers"])
    return 1.0 if used and formula.value == Fraction(entry["metadata"]["target"]) else 0.05


def _puzzle24(dataset: Any, answer: str, entry: Entry) -> float:
    """24 of exactly the four numbers: 1; anything else: 0.01. The package takes any four numbers in range."""
    try:
        formula = parse(answer)
    except FormulaError:
        return 0.01
    used = sorted(formula.numbers) == sorted(entry["metadata"]["numbers"])
    return 1.0 if used and formula.value == 24 else 0.01


OWN: dict[str, Callable[[Any, str, Entry], float]] = {
    "binary_matrix": _matrix,
    "countdown": _countdown,
    "n_queens": _queens,
    "puzzle24": _puzzle24,
    "spiral_matrix": _spiral,
    "string_insertion": _letters,
}
