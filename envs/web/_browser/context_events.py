"""What happened in a context since it was last asked: sentences for the agent, and typed records."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

from agentgym.core.text import clean

MOST_NOTES = 8


class ContextEvents:
    """Sentences and records, kept until they are taken.

    Attributes:
        changed: Told of every change; its lock guards what is kept.
        log: Records of what happened since `take_log`.
    """

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.log: list[dict[str, Any]] = []
        self._notes: list[str] = []

    def note(self, text: str) -> None:
        """Keep a sentence that the agent must be told."""
        self._notes.append(clean(text))

    def take_notes(self) -> list[str]:
        """What happened since the last call, in words, and forget it."""
        with self.changed:
            told, self._notes = Counter(self._notes), []
        notes = [text if count == 1 else f"{text} ({count} times)" for text, count in told.items()]
        more = len(notes) - MOST_NOTES
        return notes if more <= 0 else [*notes[:MOST_NOTES], f"({more} more messages of this kind)"]

    def take_log(self) -> list[dict[str, Any]]:
        """The records of what happened since the last call, and forget them."""
        with self.changed:
            log, self.log = self.log, []
        return log

    def record(self, event: str, **facts: Any) -> None:
        """Keep a typed record of what happened: the type is `event`, and `facts` are its fields, texts made clean."""
        told = {name: clean(value) if isinstance(value, str) else value for name, value in facts.items()}
        self.log.append({"type": event, **told})

    def forget_all(self) -> None:
        """Forget what was kept."""
        self.log, self._notes = [], []
