"""What parts of a run tell of a round: numbers, and lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Counting:
    """Base of what counts: parts of a recipe, strategies among them."""

    def count(self, **numbers: float) -> None:
        """Add to what is told of the round under way; it stands in its metrics, under `counters` and the part's name.

        Args:
            numbers: By name.
        """
        counted = self.__dict__.setdefault("_counted", {})  # beside the fields, for most parts are frozen
        for name, number in numbers.items():
            counted[name] = counted.get(name, 0) + number

    def note(self, file: str, **record: Any) -> None:
        """Tell something that is kept: a line in a file of the run's folder, with the update in which it was told.

        Args:
            file: Name of the file, without its ending.
            record: JSON-safe data.
        """
        self.__dict__.setdefault("_noted", {}).setdefault(file, []).append(record)

    def take_notes(self) -> dict[str, list[dict[str, Any]]]:
        """What was noted since the last call, by file."""
        noted: dict[str, list[dict[str, Any]]] = self.__dict__.pop("_noted", {})
        return noted

    def take_counts(self) -> dict[str, float]:
        """What was counted since the last call."""
        counted: dict[str, float] = self.__dict__.pop("_counted", {})
        return counted


def take_counts(parts: Iterable[Any]) -> dict[str, dict[str, float]]:
    """What parts have counted since they were last asked, by the name of their class; those of one class add up.

    Args:
        parts: Any; what does not count is left out.
    """
    found: dict[str, dict[str, float]] = {}
    for part in parts:
        if isinstance(part, Counting) and (counted := part.take_counts()):
            own = found.setdefault(type(part).__name__, {})
            own |= {name: own.get(name, 0) + number for name, number in counted.items()}
    return found


def take_notes(parts: Iterable[Any]) -> dict[str, list[dict[str, Any]]]:
    """What parts have noted since they were last asked, by file, in the order of the parts.

    Args:
        parts: Any; what does not note is left out.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for part in parts:
        if isinstance(part, Counting):
            for file, records in part.take_notes().items():
                found.setdefault(file, []).extend(records)
    return found
