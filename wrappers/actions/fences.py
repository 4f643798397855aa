"""`Fenced`: the action stands in a code fence; `Marked`: between two marks of one's own."""

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
        """The reply that plays the only one of `actions`, in a fence after the `thought`."""
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


class Marked(ReplyFormat):
    """The action between two marks, such as `<|ACTION|>go forward<|END|>`; the first pair counts.

    What stands before the marks is the thought, what follows them is not read.

    Changes: first observation and `manual` (how to reply), actions (whole replies), `info` (see `ReplyFormat`). Reward
    and ends are the world's; a reply without both marks costs a turn.

    Args:
        env: A world that answers text.
        begin, end: The two marks, taken as they are written.
        bare: Whether a reply without the first mark is an action as a whole, as BALROG's agent takes it that does not
            think.

    Source: the agents `robust_cot` and, with `bare`, `robust_naive` of BALROG (Paglieri et al., ICLR 2025).

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import Marked
    >>> env = Marked(gym.make("AgentGym/FrozenLake-v0"))
    >>> text, info = env.reset(seed=0)
    >>> info = env.step("The goal is below. <|ACTION|>down<|END|>")[4]
    >>> info["thought"], info["action"]
    ('The goal is below.', 'down')
    """

    def __init__(self, env: gym.Env[Any, Any], *, begin: str = "<|ACTION|>", end: str = "<|END|>", bare: bool = False):
        super().__init__(env, begin=begin, end=end, bare=bare)
        for name, mark in (("begin", begin), ("end", end)):
            if not isinstance(mark, str) or not mark.strip() or not mark.isprintable():
                raise ConfigError(f"{name} must be a mark in one line such as '<|ACTION|>', got {mark!r}")
        self.begins, self.ends, self.bare = begin, end, bare

    @property
    def instructions(self) -> str:
        """The form of a reply."""
        return f"Reply with your reasoning and then one action between marks: {self.begins}one action{self.ends}."

    def format_reply(self, actions: Sequence[str], thought: str = THOUGHT) -> str:
        """The reply that plays the only one of `actions`, between the marks after the `thought`."""
        return f"{thought} {self.begins}{actions[0]}{self.ends}"

    def parse_reply(self, reply: str) -> tuple[list[str], str] | Invalid:
        """What the first marks hold, and what stands before them."""
        thought, begun, rest = reply.partition(self.begins)
        action, ended, _ = rest.partition(self.ends)
        if self.bare and not begun:
            return [reply], ""
        if not ended:
            return Invalid(f"the reply holds no action from {self.begins} to {self.ends}. {self.instructions}")
        return [action], thought
