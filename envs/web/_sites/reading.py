"""How sites read what people type: days, amounts and the words of a search."""

from __future__ import annotations

import re
from datetime import date

AMOUNT = re.compile(r"\$?([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.([0-9]{1,2}))?")
LONGEST = 9  # digits of the whole part of an amount


class Unreadable(ValueError):
    """A filter holds something that cannot be read; the message says what, and what is expected."""


def is_day(text: str) -> bool:
    """Whether a text is a date such as 2026-05-01."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def in_cents(text: str) -> int | None:
    """An amount as people and `money` write it, such as `12.5`, `$12` or `$1,204.50`, in cents; None if it is none.

    Args:
        text: What was written.
    """
    found = AMOUNT.fullmatch(text.strip())
    whole = found[1].replace(",", "") if found else ""
    if found is None or len(whole) >= LONGEST:
        return None
    return int(whole) * 100 + int((found[2] or "0").ljust(2, "0"))


def holds(expression: str) -> str:
    """The condition of SQL that a text has some words as they are, in small letters or large; with one `?` for them.

    Args:
        expression: The text, in SQL.
    """
    return f"instr(lower({expression}), lower(?)) > 0"
