"""`Fenced`: the action stands in a code fence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from agentgym.core import ConfigError, Invalid
from agentgym.wrappers.actions._format import THOUGHT, ReplyFormat

FENCE = "```"


class Fenced(ReplyFormat):
    """Reasoning, then the action between triple backticks; the last fence counts.

    With `language="sql"` the fence is opened by three backticks and `sql`; an unclosed last fence is read to the end.

    Changes: first observation and `manual` (how to reply), actions (whole replies), `info` (see `ReplyFormat`). Reward
    and ends are the world's; a malformed reply costs a turn.

    Args:
        env: A world that answers text.
        language: The word after the opening backticks, or none.

    Source: Zhou et al., WebArena, ICLR 2024; with `sql`, Li et al., BIRD, NeurIPS 2023.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import Fenced
    >>> env = Fenced(gym.make("AgentGym/WebShop-v1"))
    >>> text, info = env.reset(seed=0)
    >>> env.step("In summary, the next action I will perform is ```search[red shoes]```")[4]["action"]
    'search[red shoes]'
    """

    def __init__(self, env: gym.Env[Any, Any], *, language: str = ""):
        super().__init__(env, language=language)
        if not isinstance(language, str) or (language and not language.isalnum()):
            raise ConfigError(f"language must be one word such as 'sql', or empty, got {language!r}")
        self.language = language

    @property
    def instructions(self) -> str:
        """The form of a reply."""
        if self.language:
            return f"Reply with your reasoning and then one action in a block, from {FENCE}{self.language} to {FENCE}."
        return f"Reply with your reasoning and then one action between triple backticks: {self._fenced('one action')}."

    def format_reply(self, actions: Sequence[str], thought: str = THOUGHT) -> str:
        """The reply that plays one action."""
        return f"{thought} {self._fenced(actions[0])}"

    def parse_reply(self, reply: str) -> tuple[list[str], str] | Invalid:
        """What the last fence holds, and what stands before it."""
        if self.language:
            thought, opened, rest = reply.rpartition(FENCE + self.language)
            if not opened:
                return Invalid(f"the reply opens no {FENCE}{self.language}. {self.instructions}")
            return [rest.partition(FENCE)[0]], thought
        parts = reply.split(FENCE)
        if len(parts) < 3:
            return Invalid(f"the reply holds no action between triple backticks. {self.instructions}")
        at = len(parts) - 2 if len(parts) % 2 else len(parts) - 3
        return [parts[at]], parts[at - 1]

    def _fenced(self, action: str) -> str:
        return f"{FENCE}{self.language}\n{action}\n{FENCE}" if self.language else f"{FENCE}{action}{FENCE}"
