"""What is counted, in the text format of Prometheus, and the log: one JSON object a line."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TextIO

HELP: Mapping[str, str] = {
    "sessions_opened": "Sessions that were opened.",
    "sessions_idle": "Sessions that were closed because nobody used them.",
    "sessions_rebuilt": "Sessions that went on in another process.",
    "workers_lost": "Worker processes that ended.",
    "retries": "Requests that were done once more because a process ended.",
    "failures": "Environments that failed.",
    "resets": "Episodes that were begun.",
    "steps": "Actions that were played.",
    "refused": "Requests that were refused.",
    "denied": "Requests without a valid token, or from a web page.",
    "dropped": "Connections that were closed because their client did not read.",
}
GAUGES: Mapping[str, str] = {
    "sessions": "Sessions that are open.",
    "snapshots": "Snapshots that are kept.",
    "workers": "Worker processes that run.",
    "connections": "WebSocket connections that are open.",
}


class Metrics:
    """Counters, and values that are read when they are asked for."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._read: dict[str, Callable[[], int]] = {}
        self.connections = 0

    def count(self, name: str, more: int = 1) -> None:
        """Add to a counter.

        Args:
            name: One of `HELP`.
            more: How many.
        """
        self._counts[name] += more

    def value(self, name: str) -> int:
        """What a counter says."""
        return self._counts[name]

    def watch(self, name: str, read: Callable[[], int]) -> None:
        """Tell where a value comes from.

        Args:
            name: One of `GAUGES`.
            read: Gives it.
        """
        self._read[name] = read

    def text(self) -> str:
        """Everything, as Prometheus reads it."""
        lines = []
        for name, meaning in HELP.items():
            full = f"agentgym_{name}_total"
            lines += [f"# HELP {full} {meaning}", f"# TYPE {full} counter", f"{full} {self._counts[name]}"]
        for name, read in self._read.items():
            full = f"agentgym_{name}"
            lines += [f"# HELP {full} {GAUGES[name]}", f"# TYPE {full} gauge", f"{full} {read()}"]
        return "\n".join(lines) + "\n"


class Log:
    """Structured log lines. What clients say never stands in them, nor do tokens.

    Args:
        stream: Where they go; standard error by default.
    """

    def __init__(self, stream: TextIO | None = None):
        self._stream = stream or sys.stderr

    def note(self, event: str, **facts: Any) -> None:
        """Write a line.

        Args:
            event: What happened.
            facts: JSON data.
        """
        line = json.dumps({"time": round(time.time(), 3), "event": event, **facts})
        self._stream.write(line + "\n")
        self._stream.flush()
