"""Questions that say `not`, or that join several by `or` and `and`: read as what they ask without the word."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from agentgym.envs.games._asking import EITHER, NEGATED, alternatives, complaint, is_yes_or_no, words

MOST_PARTS = 4
LONGEST = 6  # words of the first part that a later part may stand in place of
JOINT = re.compile(r"(?:\s*,\s*(?:or|and)?|\s+(?:or|and))\s+", re.IGNORECASE)
BOTH = re.compile(r"\b(?:either|both)\s+", re.IGNORECASE)
NOT = re.compile(r"\b(can)not\b|\s*\bnot\b|n['’]t\b|\s*\bnever\b", re.IGNORECASE)
WITHOUT = frozenset({"nor", "neither", "without"})


@dataclass(frozen=True, slots=True)
class Reading:
    """A question that was understood; what a kind says of its value, the game's own `read` tells.

    Attributes:
        kind: `guess`, a kind of the game, `any` or `all` of several, `unknown` if no fact answers it, or `withheld`.
        value: What is asked.
        negated: Whether it was asked with a `not`, without which it was read.
    """

    kind: str
    value: str
    negated: bool = False


UNKNOWN, LETTERS = Reading("unknown", ""), Reading("withheld", "letters")


def understood(asked: str, closed: Callable[[str], Reading | None]) -> Reading | str:
    """What a question asks, or why it cannot be answered: empty where there is nothing to say of its form.

    Args:
        asked: A question, which may have one `not`.
        closed: Reads one without it.
    """
    positive = unnegated(asked)
    plain = asked if positive is None else positive
    found = closed(plain)
    if found is None:
        return complaint(plain)
    return found if positive is None else replace(found, negated=True)


def whole_or_parts(
    asked: str,
    whole: Callable[[str], Reading | None],
    part: Callable[[str], Reading | None],
    merge: Callable[[str, tuple[Reading, ...]], Reading],
) -> Reading | None:
    """What a question with yes or no asks; None if it is none, or denies or joins in a way that is not understood.

    Args:
        asked: A question.
        whole: Reads one that joins nothing.
        part: Reads a part of one that joins several.
        merge: Makes one of parts that differ, which `or` or `and` joins.
    """
    if not complaint(asked):
        return whole(asked) or (UNKNOWN if is_yes_or_no(asked) else None)
    parts = joined(asked, part)
    if parts is None:
        return UNKNOWN if joins_one_way(asked) and is_yes_or_no(asked) else None
    mark, found = parts
    return found[0] if len(set(found)) == 1 else merge(mark, found)


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


def joined(text: str, read: Callable[[str], Reading | None]) -> tuple[str, tuple[Reading, ...]] | None:
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


def _instead(first: list[str], part: str, read: Callable[[str], Reading | None]) -> Reading | None:
    """What a later part asks: with the beginning of the first one, as much of it as is understood, or alone."""
    for kept in range(len(first) - 1, max(0, len(first) - LONGEST - 1), -1):
        found = read(" ".join([*first[:kept], part]))
        if found is not None:
            return found
    return read(part)
