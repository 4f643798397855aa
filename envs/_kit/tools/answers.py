"""Typed answers: whether an answer is of the type that was asked for, and whether it is right."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from agentgym.core.grammar import shorten
from agentgym.core.tool_grammar import Tool

NUMBER = re.compile(r"\s*[-+]?\d{1,15}(?:\.\d{1,15})?\s*")
DATE = re.compile(r"\s*\d{4}-\d\d-\d\d\s*")
LARGEST = 10**15
NUMBERS = ("number", "reading")  # a reading, such as of a thermometer, may be 0 or less
NAMES, LISTS = ("name", "text"), ("list", "texts")  # the second of each are no names: addresses, months, codes
DECIMALS, CLOSE = 2, 0.005 + 1e-9  # a number may be rounded to so many, a half of the last one either way
EXACT = 6  # decimals that a right answer keeps where one is asked for two, so that either rounding of a half is near it
ASKED: Mapping[str, tuple[str, ...]] = {  # how a question says what type of answer it wants
    "number": ("Answer with a number.", "Finish with the number.", "Give the number as your answer."),
    "reading": ("Answer with a number.", "Finish with the number.", "Give the number, with a minus sign below 0."),
    "name": ("Answer with the name.", "Finish with the exact name.", "Give just the name as your answer."),
    "text": ("Answer with just that.", "Finish with it exactly as it is written.", "Give it as text."),
    "date": ("Answer with a date as YYYY-MM-DD.", "Finish with the date, written YYYY-MM-DD."),
    "list": ("Answer with a list of names, in any order.", "Finish with the names as a JSON list."),
    "texts": ("Answer with a list of them, in any order.", "Finish with them as a JSON list of texts."),
    "state": ('Then finish with "done".', 'Finish with "done" when that is so.', 'Call finish with "done" after that.'),
}

FINISH = Tool(  # the final tool of worlds with questions
    "finish",
    'End the task: give the answer of a question, or "done" after a change. Numbers are compared to two decimals, '
    "texts in any case, lists in any order.",
    {
        "type": "object",
        "properties": {
            "answer": {
                "type": ["string", "number", "array"],
                "items": {"type": "string"},  # strict servers refuse an array that does not say of what
                "maxLength": 400,
                "maxItems": 50,
            }
        },
        "additionalProperties": False,
    },
    ({"answer": "done"}, {"answer": 3}, {"answer": ["first name", "second name"]}),
)


def number_of(value: Any) -> float | None:
    """The number that an answer says, as JSON number or as text; None if it says none."""
    if isinstance(value, str) and NUMBER.fullmatch(value):
        return float(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST:
        return float(value)
    return None


def misfit(kind: str, answer: Any) -> str:
    """Why an answer cannot be right whatever the question, in one line; empty if it is of the type asked for.

    Args:
        kind: A key of `ASKED`.
        answer: What the agent said; None if nothing.
    """
    if answer is None:
        return f"The question wants an answer, and none was given. {ASKED[kind][0]}"
    if kind in NUMBERS and number_of(answer) is None:
        return f"The answer must be a number such as 12, got {shorten(repr(answer), 40)}."
    if kind == "date" and not (isinstance(answer, str) and DATE.fullmatch(answer)):
        return f"The answer must be a date as YYYY-MM-DD, got {shorten(repr(answer), 40)}."
    if kind in NAMES and not (isinstance(answer, str) and answer.strip()):
        return f"The answer must be a {kind if kind == 'text' else 'name as text'}, got {shorten(repr(answer), 40)}."
    if kind in LISTS and not (isinstance(answer, list) and all(isinstance(item, str) for item in answer)):
        return f'The answer must be a list of texts such as ["a", "b"], got {shorten(repr(answer), 40)}.'
    return ""


def as_it_is(name: str) -> tuple[str, ...]:
    """The forms of a name that is written in one way only."""
    return (name,)


def right(kind: str, answer: Any, gold: Any, forms: Callable[[str], tuple[str, ...]] = as_it_is) -> bool:
    """Whether an answer of the right type is right: numbers within rounding, names in any case, lists in any order.

    Args:
        kind: A key of `ASKED` other than `state`.
        answer: What the agent said, without `misfit`.
        gold: The right answer.
        forms: The ways in which a right name may be written; each stands for that name.
    """
    if kind in NUMBERS:
        said = number_of(answer)
        return said is not None and abs(said - gold) <= CLOSE
    wanted, given = (gold, answer) if kind in LISTS else ([gold], [answer])
    meant = {_plain(form): _plain(name) for name in wanted for form in forms(name)}
    return sorted(meant.get(_plain(text), _plain(text)) for text in given) == sorted(map(_plain, wanted))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
