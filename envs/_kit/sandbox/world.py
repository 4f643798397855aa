"""`ProgramEnv`: a tool world whose tools run programs of a player in the sandbox."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from agentgym.core.grammar import Call
from agentgym.core.outcome import Outcome
from agentgym.envs._kit.sandbox.tool import Lost
from agentgym.envs._kit.tools import ToolEnv


class ProgramEnv(ToolEnv):
    """A tool world in which a program that ends its sandbox ends the episode."""

    @abstractmethod
    def _counted(self, lost: float = 0.0) -> Mapping[str, float]:
        """The metrics at the end; the card has `lost` among them."""

    def _has_failed(self, value: Any) -> bool:
        return isinstance(value, Mapping) and "error" in value  # as `told` says it

    def _step(self, call: Call) -> Outcome:
        try:
            return super()._step(call)
        except Lost:
            event = {"type": "tool_call", "tool": call.name, "arguments": call.slots, "failed": True}
            text = "The program has ended the sandbox that it ran in; the episode is lost."
            return Outcome(
                text, terminated=True, events=(event,), metrics=self._counted(lost=1.0), costs={"duration": 1}
            )
