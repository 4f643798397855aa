"""What apps ask of what is typed into their forms."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agentgym.envs.web._sites.database import Row, Store

TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
PHONE = re.compile(r"[0-9+][0-9 -]{3,18}")
LONGEST = {"name": 60, "line": 120, "text": 4000}


def is_time(text: str) -> bool:
    """Whether a text is a time of day such as 18:30."""
    return TIME.fullmatch(text) is not None


def is_phone(text: str) -> bool:
    """Whether a text is a phone number such as 555-0142."""
    return PHONE.fullmatch(text) is not None


def wrong_length(what: str, text: str, kind: str = "line", least: int = 1) -> list[str]:
    """The sentence that a text is too short or too long, if it is.

    Args:
        what: What the text is.
        text: What was typed.
        kind: A key of `LONGEST`.
        least: Fewest characters.
    """
    fits = least <= len(text) <= LONGEST[kind]
    return [] if fits else [f"{what} has {least} to {LONGEST[kind]} characters."]


def full_name(row: Row | Mapping[str, str]) -> str:
    """The name of a contact as the apps write it."""
    return f"{row['first']} {row['last']}".strip()


def name_of(store: Store, phone: str) -> str:
    """Who has a phone number: the name in the contacts, or the number itself.

    Args:
        store: The device.
        phone: The number.
    """
    row = store.one("SELECT first, last FROM contacts WHERE phone = ?", phone)
    return full_name(row) if row is not None else phone


def phone_of(store: Store, typed: str) -> str:
    """The number that a name or a number in a field stands for; empty if it stands for none.

    Args:
        store: The device.
        typed: A contact's full name, or a number.
    """
    query = "SELECT phone FROM contacts WHERE lower(trim(first || ' ' || last)) = lower(?)"
    return store.value(query, " ".join(typed.split())) or (typed if is_phone(typed) else "")
