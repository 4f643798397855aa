"""Questions that say `not`, or that join several by `or` and `and`: read as what they ask without the word."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from agentgym.envs.games._asking import EITHER, NEGATED, alternatives, words

READING = TypeVar("READING")
MOST_PARTS = 4
LONGEST = 6  # words of the first part that a later part may stand in place of
JOINT = re.compile(r"(?:\s*,\s*(?:or|and)?|\s+(?:or|and))\s+", re.IGNORECASE)
BOTH = re.compile(r"\b(?:either|both)\s+", re.IGNORECASE)
NOT = re.compile(r"\b(can)not\b|\s*\bnot\b|n['’]t\b|\s*\bnever\b", re.IGNORECASE)
WITHOUT = frozenset({"nor", "neither", "without"})


def unnegated(text: str) -> str | None:
    """The question without its one `not`; None if it has none, several, or denies in another way.

    Args:
        text: A question.
    """
    found = NOT.findall(text)
    if len(found) != 1 or WITHOUT & set(words(text)):
        return None
    return NOT.sub(lambda match: match[1] or "", text)


def joins_one_way(text: str) -> bool:
    """Whether a question denies nothing and joins its parts by `or` alone, or by `and` alone."""
    said = set(words(text))
    return len(EITHER & said - {"either", "both"}) == 1 and not NEGATED & said


def joined(text: str, read: Callable[[str], READING | None]) -> tuple[str, tuple[READING, ...]] | None:
    """The word that joins the parts of a question, `or` or `and`, and what each asks; None if a part is not understood.

    In `Is it in Europe or in western Asia?` the later part stands in place of the last words of the first.

    Args:
        text: A question.
        read: Reads one that joins nothing.
    """
    marks = EITHER & set(words(text)) - {"either", "both"}
    if len(marks) != 1:
        return None
    mark, asked = min(marks), BOTH.sub("", text.rstrip(" ?.!"))
    found = [read(part) for part in alternatives(asked) or ()]
    if not found or None in found:
        first, *later = JOINT.split(asked)
        if not 1 <= len(later) < MOST_PARTS:
            return None
        found = [read(first), *(_instead(first.split(), part, read) for part in later)]
    parts = tuple(part for part in found if part is not None)
    return (mark, parts) if len(parts) == len(found) else None


def _instead(first: list[str], part: str, read: Callable[[str], READING | None]) -> READING | None:
    """What a later part asks: with the beginning of the first one, as much of it as is understood, or alone."""
    for kept in range(len(first) - 1, max(0, len(first) - LONGEST - 1), -1):
        found = read(" ".join([*first[:kept], part]))
        if found is not None:
            return found
    return read(part)
