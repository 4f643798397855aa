"""Few-shot examples: episodes of a good player that a model reads as turns of its own before its task begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Shot:
    """An episode of one player, in its own words.

    Attributes:
        seen: What it saw; the last is what it saw at the end.
        said: What it said, one fewer.
    """

    seen: tuple[str, ...]
    said: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """The episode as JSON-safe data."""
        return {"seen": list(self.seen), "said": list(self.said)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Shot:
        """The episode that `record` describes.

        Raises:
            KeyError, TypeError: if it is no such record.
        """
        return cls(tuple(record["seen"]), tuple(record["said"]))


Shots = Mapping[str, Sequence[Shot]]
"""Examples by the player that they are shown to."""


def shots_record(shots: Shots) -> dict[str, list[dict[str, Any]]]:
    """Examples of all players as JSON-safe data."""
    return {player: [shot.record() for shot in found] for player, found in shots.items()}


def shots_from_record(record: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, tuple[Shot, ...]]:
    """The examples that `shots_record` describes."""
    return {player: tuple(map(Shot.from_record, found)) for player, found in record.items()}


def encode_shots(shots: Sequence[Shot]) -> tuple[list[tuple[str, str]], str]:
    """Examples as the turns with which a conversation opens.

    Args:
        shots: The examples.

    Returns:
        What the user says and what is answered, turn by turn; and the words that end the last example, to be followed
        by the first observation of the task. Nothing without examples.
    """
    turns: list[tuple[str, str]] = []
    words, count = "", len(shots)
    for number, shot in enumerate(shots, 1):
        words += f"[Example {number} of {count}]\n" if count > 1 else "[Example]\n"
        for seen, said in zip(shot.seen[:-1], shot.said, strict=True):
            turns.append((words + seen, said))
            words = ""
        words += f"{shot.seen[-1]}\n\n"
    return turns, f"{words}[Your task]\n" if shots else ""
