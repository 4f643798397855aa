"""An episode as functions that a model calls: the world's own tools, or `act` where its actions are words."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

ACT: Mapping[str, Any] = {
    "name": "act",
    "description": "Play one action of the world, in the words that its rules give. The answer is what happens.",
    "parameters": {
        "type": "object",
        "properties": {"action": {"type": "string", "description": "The action."}},
        "required": ["action"],
    },
}
OVER = "The episode is over. Answer with a short text and call no tool."


class WorldTools:
    """A world of one player for libraries in which a model calls functions.

    Args:
        env: From `agentgym.make`, or `agentgym.connect` for a world that is served; `begin` comes first.

    Attributes:
        total: What was earned so far.
        over: Whether the episode has ended.
        info: What the world said last.
    """

    def __init__(self, env: gym.Env[str, str]):
        self.env = env
        self._own = [each["function"] for each in env.get_wrapper_attr("tools")]
        self.total, self.over = 0.0, True
        self.info: dict[str, Any] = {"success": False, "progress": 0.0}

    @property
    def manual(self) -> str:
        """The rules of the world."""
        return str(self.env.get_wrapper_attr("manual"))

    @property
    def functions(self) -> list[dict[str, Any]]:
        """What can be called, each with `name`, `description` and `parameters` (JSON Schema)."""
        return [dict(each) for each in self._own] or [dict(ACT)]

    def begin(self, seed: int) -> str:
        """Begin the task of a seed; what the world shows first.

        Args:
            seed: Also of the environment's generator.
        """
        seen, self.info = self.env.reset(seed=seed, options={"task": seed})
        self.total, self.over = 0.0, False
        return str(seen)

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """What the world answers to a call.

        Args:
            name: Of a function; another one is the world's to refuse.
            arguments: As the model wrote them.
        """
        if self.over:
            return OVER
        if self._own:
            action = json.dumps({"name": name, "arguments": dict(arguments)}, ensure_ascii=False)
        else:
            action = str(arguments.get("action", ""))
        seen, reward, terminated, truncated, self.info = self.env.step(action)
        self.total += float(reward)
        self.over = terminated or truncated
        return str(seen)


def parser(description: str | None) -> argparse.ArgumentParser:
    """Options of a program in which a model plays: `--base-url`, `--model` and `--world`.

    Args:
        description: What the program does.
    """
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--base-url", required=True, help="an OpenAI-compatible endpoint")
    made.add_argument("--model", required=True, help="the name of the model there")
    made.add_argument("--world", default="Todo-v0", help="the world (%(default)s)")
    return made
