"""Whether a line of a product's page lists a fact, denies it, or leaves it open: simple reading, without a model.

A fact that is mentioned is not a fact that holds: "not for sensitive teeth" and "sensitive teeth: no" deny, "sensitive
teeth and travel size vary" says nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

_CLAUSE = re.compile(r"([.;:?!()]+)(?:\s+|$)|\s*([()])\s*")
_OPEN = re.compile(r"\b(?:vary|varies|versions|depends?|differs?)\b")
_DENIAL = re.compile(
    r"\b(?:not|no|none|never|cannot|without|lacks?|unlike|instead of|rather than|another version|other version|"
    r"another page|other choices|sold out|sold apart|listed apart|isn't|aren't|doesn't|won't)\b"
)
_ANSWER = re.compile(r"(?:sorry|no|not|none|never)\b")


@lru_cache(maxsize=65536)
def read_clauses(line: str) -> tuple[tuple[str, bool | None], ...]:
    """The clauses of a line in lower case, each with what it does to the facts it names.

    Args:
        line: A feature bullet or some sentences.

    Returns:
        Clause and True (lists), False (denies) or None (leaves open). A question or a heading takes its answer from
        the clause behind it.
    """
    pieces = _CLAUSE.split(line.lower())
    clauses = [text.strip() for text in pieces[0::3]]
    if any(_OPEN.search(clause) for clause in clauses):
        return tuple((clause, None) for clause in clauses if clause)
    read: list[tuple[str, bool | None]] = []
    marks = [mark or "" for mark in pieces[1::3]]
    for place, clause in enumerate(clauses):
        if not clause:
            continue
        after = clauses[place + 1] if place + 1 < len(clauses) else ""
        answered = place < len(marks) and marks[place] in ("?", ":") and _ANSWER.match(after)
        denied = bool(_DENIAL.search(clause) or answered)
        asked = place < len(marks) and marks[place] == "?" and not denied
        read.append((clause, None if asked else not denied))
    return tuple(read)


def read_line(line: str, fact: str) -> bool | None:
    """Whether a line lists a fact (True), denies it (False), or says neither.

    Args:
        line: A feature bullet or some sentences.
        fact: A short property, such as `gluten free`.
    """
    said = [holds for clause, holds in read_clauses(line) if f" {fact.lower()} " in f" {_plain(clause)} "]
    if not said or None in said:
        return None
    return all(said)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+(?:[.'/&-][a-z0-9]+)*", text))
