"""What a person reads of an observation: its lines, and which of them are actions that can be taken now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SEPARATOR = "[SEP]"  # what the published text pages put between the parts of a page
CLICK = "click[{}]"


@dataclass(frozen=True)
class Item:
    """A piece of an observation.

    Attributes:
        text: The words.
        action: What is said to take it; "" for words alone.
    """

    text: str
    action: str = ""


def is_page(observation: str) -> bool:
    """Whether an observation is a page of parts, such as one of a shop."""
    return SEPARATOR in observation


def page_items(observation: str, actions: Sequence[str] | None) -> list[Item]:
    """The parts of a page, each with the click that takes it, if it can be clicked.

    A part that stands twice, such as a value of two options, is clicked by the same words in both places.

    Args:
        observation: Of a page, see `is_page`.
        actions: What can be done now; None if that cannot be listed.
    """
    known = {action.casefold(): action for action in actions or ()}
    lines = [line.strip() for part in observation.split(SEPARATOR) for line in part.splitlines()]
    return [Item(line, known.get(CLICK.format(line).casefold(), "")) for line in lines if line]


def in_reading_order(observation: str, actions: Sequence[str] | None) -> list[str]:
    """Actions in the order in which a person finds them: those of a page from its top, then the others.

    Args:
        observation: What is seen.
        actions: What can be done now; None if that cannot be listed.
    """
    found = page_items(observation, actions) if is_page(observation) else []
    return list(dict.fromkeys([*(item.action for item in found if item.action), *(actions or ())]))
