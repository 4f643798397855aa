"""An agent made of any chat model: the manual as system prompt, the episode as a conversation."""

from __future__ import annotations

import json
import re
from typing import Any

import gymnasium as gym
import numpy as np

from agentgym.agents.base import Info, world
from agentgym.core import ConfigError, Message, Reply, TextModel

ACTION = re.compile(r"[\s*_#>-]*action[\s*_]*:[\s*_]*(.*)", re.IGNORECASE)
HOW_TO_ANSWER = (
    "You may think before you act. The last line of your answer is your action, and nothing else stands on that line."
)
HOW_TO_CALL = "You may think before you act. The last JSON object of your answer is your action."


def extract_action(said: str, *, calls: bool = False) -> str:
    """The action in a model's answer.

    Whatever precedes a closing `</think>` tag is left out. In a world of words the action is what follows the last
    `Action:` that begins a line (on that line, or on the next one that is not empty), otherwise the last line that is
    not empty; lines of code fences do not count, and back-ticks and asterisks around the action are removed. In a world
    of tool calls (`calls`) it is the last JSON object; without one, the answer as it stands.

    Returns:
        The action, which may well be invalid: that is for the world to say.
    """
    said = said.rpartition("</think>")[2]
    if calls:
        return _last_object(said)
    lines = [line for line in said.splitlines() if line.strip() and not line.strip().startswith("```")]
    action = lines[-1] if lines else ""
    for index in reversed(range(len(lines))):
        match = ACTION.fullmatch(lines[index])
        if match:
            action = match[1] or "".join(lines[index + 1 : index + 2])
            break
    return action.strip().strip("`*").strip()


def _last_object(said: str) -> str:
    """The last JSON object that is not inside another, or all of the text if it holds none."""
    decoder, found, place = json.JSONDecoder(), said.strip(), 0
    while (place := said.find("{", place)) >= 0:
        try:
            value, end = decoder.raw_decode(said, place)
        except (ValueError, RecursionError):
            place += 1
            continue
        found, place = json.dumps(value), end
    return found


class ChatAgent:
    """Plays by asking a chat model, once a turn.

    The system message is the world's manual and how to answer; the user messages are the observations, the first of
    which holds the task; the assistant messages are the model's answers as it gave them.

    Args:
        name: As shown in results.
        model: Answers the conversation.
        window: Turns of history shown besides the first and the current observation; None shows all.
        max_tokens: Most tokens of one answer.

    Raises:
        ConfigError: if `window` or `max_tokens` is out of range.
    """

    def __init__(self, name: str, model: TextModel, *, window: int | None = None, max_tokens: int = 512):
        if window is not None and window < 0:
            raise ConfigError(f"window must be at least 0 turns, got {window}")
        if max_tokens < 1:
            raise ConfigError(f"max_tokens must be at least 1, got {max_tokens}")
        self.name = name
        self.reply: Reply | None = None
        self._model = model
        self._window = window
        self._max_tokens = max_tokens

    def begin(self, env: gym.Env[Any, Any], observation: str, info: Info, rng: np.random.Generator) -> None:
        """Write the system message."""
        base = world(env)
        self._calls = bool(base.tools)
        self._system = f"{base.manual}\n\n{HOW_TO_CALL if self._calls else HOW_TO_ANSWER}"
        self._rng = rng
        self._seen: list[str] = []
        self._said: list[str] = []
        self.reply = None

    def act(self, observation: str, info: Info) -> str:
        """Ask the model; see `extract_action` for what of its answer is the action."""
        self.reply = None
        self._seen.append(observation)
        seed = int(self._rng.integers(2**31))
        self.reply = self._model.complete(self.messages(), seed=seed, max_tokens=self._max_tokens)
        self._said.append(self.reply.text)
        return extract_action(self.reply.text, calls=self._calls)

    def messages(self) -> list[Message]:
        """The conversation up to the current observation; roles alternate, whatever the window leaves out."""
        first, begin = self._seen[0], 0
        if self._window is not None and len(self._said) > self._window:
            begin = len(self._said) - self._window
            turns = "1 turn is" if begin == 1 else f"{begin} turns are"
            first = f"{first}\n\n[{turns} left out here.]\n\n{self._seen[begin]}"
        messages = [{"role": "system", "content": self._system}, {"role": "user", "content": first}]
        for said, seen in zip(self._said[begin:], self._seen[begin + 1 :], strict=True):
            messages += [{"role": "assistant", "content": said}, {"role": "user", "content": seen}]
        return list(messages)
