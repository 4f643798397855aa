"""`ReAct`: a thought, then an action."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from agentgym.core import Call, Invalid, unknown
from agentgym.core.prose import ANY_TEXT, INVENTED, extract
from agentgym.wrappers.actions._format import THOUGHT, ReplyFormat

ACTION = re.compile(r"\baction[ \t]*:", re.IGNORECASE)
LEAD = re.compile(r"\s*thought[ \t]*:", re.IGNORECASE)


class ReAct(ReplyFormat):
    """Replies of the form `Thought: ... Action: ...`.

    The action is the line after the last `Action:`, or talk to its end, up to a line `Observation:` that the model may
    have made up. A reply without `Action:` is refused, unless `bare` allows one that is nothing but a valid action.

    Changes: first observation and `manual` (how to reply), actions (whole replies), `info` (see `ReplyFormat`). Reward
    and ends are the world's; a malformed reply costs a turn.

    Args:
        env: A world that answers text.
        several: `last` plays what follows the last `Action:`; `refuse` takes no reply that holds two.
        bare: Whether a reply that is just an action is accepted.

    Source: Yao et al., ReAct: Synergizing Reasoning and Acting in Language Models, ICLR 2023.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import ReAct
    >>> env = ReAct(gym.make("AgentGym/TextCraft-v1"))
    >>> text, info = env.reset(seed=0)
    >>> print(text.splitlines()[-1])
    Reply with a thought and one action: "Thought: <your reasoning>", then, on a new line, "Action: <action>".
    >>> text, reward, terminated, truncated, info = env.step("Thought: What do I have?\\nAction: inventory")
    >>> text
    'Inventory: You are not carrying anything.'
    >>> info["thought"], info["action"]
    ('What do I have?', 'inventory')
    """

    def __init__(self, env: gym.Env[Any, Any], *, several: str = "last", bare: bool = False):
        if several not in ("last", "refuse"):
            raise unknown("way to treat several actions", several, ("last", "refuse"))
        super().__init__(env, several=several, bare=bare)
        self.several, self.bare = several, bare

    @property
    def instructions(self) -> str:
        """The form of a reply."""
        return (
            'Reply with a thought and one action: "Thought: <your reasoning>", then, on a new line, "Action: <action>".'
        )

    def format_reply(self, actions: Sequence[str], thought: str = THOUGHT) -> str:
        """The reply that plays the only one of `actions`, with a `thought` in the line above it."""
        return f"Thought: {thought}\nAction: {actions[0]}"

    def parse_reply(self, reply: str) -> tuple[list[str], str] | Invalid:
        """What follows the last `Action:`, and what stands before it."""
        invented = INVENTED.search(reply)
        told = reply[: invented.start()] if invented else reply
        labels = list(ACTION.finditer(told))
        if not labels:
            if self.bare and isinstance(self.inner.parse(reply.strip()), Call):
                return [reply], ""
            return Invalid(f'there is no "Action:" in the reply. {self.instructions}')
        if len(labels) > 1 and self.several == "refuse":
            return Invalid("Only one 'Action' is allowed per response. Please adjust your response.")
        thought = told[: labels[-1].start()]
        lead = LEAD.match(thought)
        action, words = told[labels[-1].end() :], self.inner_first_words
        if words is not ANY_TEXT:
            action = extract(f"Action:{action}", words)
        return [action], thought[lead.end() :] if lead else thought
