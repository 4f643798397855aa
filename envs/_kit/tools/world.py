"""`ToolEnv`: a world whose actions are tool calls, one JSON object a turn."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from agentgym.core.generated import EnvConfig, share, whole
from agentgym.core.grammar import Call
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.envs._kit.tools.functions import Toolbox, ToolError
from agentgym.envs._kit.tools.questions import render, written

LONGEST_DELAY = 60.0  # seconds
FROM_RESULTS, SHORT, LONGEST_SAID = 0.7, 3, 40  # of the texts that a random player says


@dataclass(slots=True)
class ToolState:
    """All that changes in an episode.

    Attributes:
        data: What the tools read and change.
        calls: Tool calls made, refused ones left out.
        seen: Each call as text with its result as it was shown, in order; what the expert knows.
        found: Sub-goals reached, by number.
    """

    data: Any
    calls: int = 0
    seen: list[tuple[str, str]] = field(default_factory=list)
    found: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class ToolConfig(EnvConfig):
    """The keyword arguments of every tool world."""

    budget: int | None = whole(None, 1, 10_000, shapes_tasks=False)
    delay: float = share(0.0, 0, LONGEST_DELAY, shapes_tasks=False)


class ToolEnv(LanguageEnv, ABC):
    """A world whose actions are tool calls; base of each.

    A subclass sets `toolbox`, makes a `ToolState` in `_reset`, and says in `_finish` what the final call is worth.

    Attributes:
        toolbox: The tools; the grammar is made of it.

    Args:
        budget: Tool calls that may be made; then only the final one is taken. None: no limit but the turns.
        delay: Real seconds that every tool call sleeps, for rollouts that are to overlap.
    """

    toolbox: ClassVar[Toolbox]
    config = ToolConfig()
    _state: ToolState

    def __init_subclass__(cls, **kwargs: Any) -> None:
        if "toolbox" in vars(cls):
            cls.grammar = cls.toolbox.grammar
        super().__init_subclass__(**kwargs)

    @abstractmethod
    def _finish(self, arguments: Mapping[str, Any]) -> Outcome:
        """What the final call leads to."""

    def _altered(self, call: Call, text: str) -> str:
        """The result of a call as the agent sees it; a subclass may change it (noise, faults, injected text)."""
        return text

    def _has_failed(self, value: Any) -> bool:
        """Whether a call that was taken did not do what it should, as a program does that raises."""
        return False

    def _progressed(self, text: str) -> float | None:
        """The share of the task that is done after a call with this result; None leaves it as it was."""
        return None

    def _step(self, call: Call) -> Outcome:
        state, budget = self._state, self.config.budget
        if call.name == self.toolbox.final.name:
            return self._finish(call.slots)
        if budget is not None and state.calls >= budget:
            return self.refuse(
                f"The budget of {budget} tool calls is spent; only {self.toolbox.final.name} is left to call."
            )
        try:
            value = self.toolbox.run(call.name, state.data, call.slots)
        except ToolError as error:
            return self.refuse(str(error))
        if self.config.delay:
            time.sleep(self.config.delay)
        text = self._altered(call, render(value))
        state.calls += 1
        state.seen.append((written((call.name, dict(call.slots))), text))
        event: dict[str, Any] = {"type": "tool_call", "tool": call.name, "arguments": call.slots}
        if self._has_failed(value):
            event["failed"] = True
        costs = {"duration": self.toolbox[call.name].seconds}
        return Outcome(text, events=(event,), costs=costs, progress=self._progressed(text))

    def _key_state(self) -> Any:
        state = self._state
        return [state.data, state.found, state.calls if self.config.budget is not None else 0]

    def _sample(self, rng: np.random.Generator) -> str:
        """A random tool with arguments that fit its schema; texts are taken from what was shown."""
        tools = self.grammar.tools
        chosen = tools[int(rng.integers(len(tools)))]["function"]
        return written((chosen["name"], arguments_for(chosen["parameters"], rng, self._said)))

    def _said(self, rng: np.random.Generator) -> str:
        """A text that the agent has read: a value in a result, or a word of the task."""
        seen = self._state.seen
        texts: list[str] = []
        if seen and rng.random() < FROM_RESULTS:
            texts = texts_in(seen[int(rng.integers(len(seen)))][1])
        texts = texts or [word.strip(',.?"') for word in self.task.instruction.split() if len(word) > SHORT] or ["x"]
        return texts[int(rng.integers(len(texts)))][:LONGEST_SAID]


def arguments_for(
    schema: Mapping[str, Any], rng: np.random.Generator, words: Callable[[np.random.Generator], str]
) -> dict[str, Any]:
    """Arguments that fit the schema of a tool: the required ones, and some of the others.

    Args:
        schema: Of an object.
        rng: Draws them.
        words: Draws a text.
    """
    given = {}
    for name, inner in schema.get("properties", {}).items():
        if name in schema.get("required", ()) or rng.random() < 0.3:
            given[name] = _any(inner, rng, words)
    return given


def _any(schema: Mapping[str, Any], rng: np.random.Generator, words: Callable[[np.random.Generator], str]) -> Any:
    """A value that fits a schema."""
    if "enum" in schema:
        return schema["enum"][int(rng.integers(len(schema["enum"])))]
    kinds = schema.get("type", "string")
    kind = kinds if isinstance(kinds, str) else kinds[int(rng.integers(len(kinds)))]
    if kind in ("integer", "number"):
        low, high = max(schema.get("minimum", 1), 1), min(schema.get("maximum", 12), 12)
        return int(rng.integers(low, max(low, high) + 1))
    if kind == "array":
        return [_any(schema.get("items", {}), rng, words) for _ in range(int(rng.integers(1, 3)))]
    if kind == "null":
        return None
    return bool(rng.integers(2)) if kind == "boolean" else words(rng)


def texts_in(result: str) -> list[str]:
    """Every text in a result of a tool; one that was altered on its way may be no JSON."""
    try:
        return _leaves(json.loads(result))
    except ValueError:
        return [result]


def _leaves(value: Any) -> list[str]:
    """Every text in plain data."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, dict)):
        inner = value.values() if isinstance(value, dict) else value
        return [text for item in inner for text in _leaves(item)]
    return []
