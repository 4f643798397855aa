"""Replies marked up with tags: `Tags` for thought and action, `CommandTags` for one tag a command."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from agentgym.core import AgentGymError, ConfigError, Invalid, unknown
from agentgym.core.checks import check_mapping
from agentgym.core.grammar import shorten
from agentgym.wrappers.actions._format import THOUGHT, ReplyFormat
from agentgym.wrappers.actions._signatures import check_signatures, signatures, words

DRAWS = 1_000  # random actions tried for one that has a tag
NAME = re.compile(r"[A-Za-z][\w-]*")
CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def between(reply: str, tag: str) -> tuple[str, int] | None:
    """Find the first `<tag>...</tag>` in time linear in the reply.

    Args:
        reply: The reply, in any case.
        tag: The tag's name in lower case.

    Returns:
        What stands between the tags and where the first of them begins; None if there is no such pair.
    """
    begin, close = (re.compile(f"<{sign}{tag}>", re.IGNORECASE | re.ASCII) for sign in ("", "/"))
    opened = begin.search(reply)
    closed = close.search(reply, opened.end()) if opened else None
    return (reply[opened.end() : closed.start()], opened.start()) if opened and closed else None


def check_tag(tag: str) -> str:
    """A tag's name in lower case."""
    if not isinstance(tag, str) or not NAME.fullmatch(tag):
        raise ConfigError(f"a tag is a word such as 'think', got {shorten(str(tag))!r}")
    return tag.lower()


class Tags(ReplyFormat):
    """Replies of the form `<think>...</think><action>...</action>`.

    The first `<action>` block after the thought counts. With `action="answer"` and `SeveralActions` inside it reads
    `<think>...</think><answer>right || right || up</answer>`.

    Changes: first observation and `manual` (how to reply), actions (whole replies), `info` (see `ReplyFormat`). Reward
    and ends are the world's; a malformed reply costs a turn.

    Args:
        env: A world that answers text.
        thought, action: Names of the tags.
        need_thought: Whether a reply without thought is refused.
        allow_cjk: Whether Chinese, Japanese and Korean characters are allowed; verl-agent refuses replies with them.

    Source: Feng et al., Group-in-Group Policy Optimization for LLM Agent Training (verl-agent), 2025; Wang et al.,
    RAGEN, 2025, for `answer`.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import Tags
    >>> env = Tags(gym.make("AgentGym/FrozenLake-v0"))
    >>> text, info = env.reset(seed=0)
    >>> text, reward, terminated, truncated, info = env.step("<think>The goal is right.</think><action>right</action>")
    >>> info["action"], info["format_valid"]
    ('right', True)
    >>> env.step("right")[4]["error"].split(". ")[0]
    'The reply lacks <think>...</think>'
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        thought: str = "think",
        action: str = "action",
        need_thought: bool = True,
        allow_cjk: bool = True,
    ):
        super().__init__(env, thought=thought, action=action, need_thought=need_thought, allow_cjk=allow_cjk)
        self.thought, self.action = check_tag(thought), check_tag(action)
        if self.thought == self.action:
            raise ConfigError(f"thought and action need tags of different names, got {thought!r} twice")
        self.need_thought, self.allow_cjk = need_thought, allow_cjk

    @property
    def reads_replies(self) -> str:
        """The whole answer, where the thought stands in the tags in which models think."""
        return "whole" if self.thought == "think" else super().reads_replies

    @property
    def instructions(self) -> str:
        """The form of a reply."""
        thought = f"<{self.thought}>your reasoning</{self.thought}>"
        needed = "" if self.need_thought else " (the thought may be left out)"
        return f"Reply in the form {thought}<{self.action}>one action</{self.action}>{needed}."

    def format_reply(self, actions: Sequence[str], thought: str = THOUGHT) -> str:
        """The reply that plays the only one of `actions`, in its tag after that of the `thought`."""
        return f"<{self.thought}>{thought}</{self.thought}><{self.action}>{actions[0]}</{self.action}>"

    def parse_reply(self, reply: str) -> tuple[list[str], str] | Invalid:
        """The action of the first block after the thought, and the thought."""
        if not self.allow_cjk and CJK.search(reply):
            return Invalid(f"the reply holds Chinese, Japanese or Korean characters. {self.instructions}")
        thought = between(reply, self.thought)
        if thought is None and self.need_thought:
            return Invalid(f"the reply lacks <{self.thought}>...</{self.thought}>. {self.instructions}")
        after = 0 if thought is None else thought[1] + len(thought[0]) + 2 * len(self.thought) + 5
        action = between(reply[after:], self.action)
        if action is None:
            place = " after the thought" if after else ""
            return Invalid(f"the reply lacks <{self.action}>...</{self.action}>{place}. {self.instructions}")
        return [action[0]], thought[0] if thought else ""


class CommandTags(ReplyFormat):
    """One tag a command, such as `<search>who wrote it</search>` and `<answer>Austen</answer>`; the first block wins.

    What stands outside the tags is the thought.

    Changes: first observation and `manual` (how to reply), actions (whole replies), `info` (see `ReplyFormat`). Reward
    and ends are the world's; a malformed reply costs a turn.

    Args:
        env: A world with a command, or a tool, that has one slot.
        tags: Tag to the name of a command with one slot or none (`<look></look>`); by default every such command gets a
            tag of its own name. Other commands cannot be said.

    Source: Jin et al., Search-R1: Training LLMs to Reason and Leverage Search Engines with RL, 2025.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import CommandTags
    >>> env = CommandTags(gym.make("AgentGym/WebShop-v1"))
    >>> text, info = env.reset(seed=0)
    >>> text, reward, terminated, truncated, info = env.step("I look for it. <search>red shoes</search>")
    >>> info["action"], info["thought"]
    ('search[red shoes]', 'I look for it.')
    """

    def __init__(self, env: gym.Env[Any, Any], *, tags: Mapping[str, str] | None = None):
        if tags is not None:
            check_mapping("tags", tags, str, "{'find': 'search'}")
        super().__init__(env, tags=None if tags is None else dict(tags))
        check_signatures(self)
        known = signatures(self.inner_grammars)
        fitting = [one.name for one in known if len(one.slots) <= 1]
        if not any(len(one.slots) == 1 for one in known):
            raise ConfigError(f"CommandTags needs a command with one slot; {self.world.card.id} has none; use Tags")
        if all(len(one.slots) > 1 for one in signatures((self.world.grammar,))):  # tools of wrappers inside are no help
            raise ConfigError(f"CommandTags: every command of {self.world.card.id} has two slots or more; use Tags")
        chosen = {name: name for name in fitting} if tags is None else dict(tags)
        for command in chosen.values():
            if command not in fitting:
                raise unknown(f"command with one slot or none of {self.world.card.id}", command, fitting)
        self.tags = {check_tag(tag): command for tag, command in chosen.items()}

    @property
    def instructions(self) -> str:
        """The form of a reply."""
        known = {one.name: one for one in signatures(self.inner_grammars)}
        shown = {tag: "".join(slot.name for slot in known[name].slots) for tag, name in self.tags.items()}
        forms = ", ".join(f"<{tag}>{content}</{tag}>" for tag, content in shown.items())
        return f"Reply with your reasoning and one of: {forms}."

    @property
    def commands(self) -> str:
        """The tags."""
        return self.instructions

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said inside."""
        return self.inner_notes

    @property
    def examples(self) -> tuple[str, ...]:
        """The worked examples of the commands that have tags."""
        return tuple(self.format_reply([example]) for example in self.inner_examples if self._tagged(example))

    def admissible_actions(self) -> list[str] | None:
        """Replies that are valid now."""
        actions = self.inner.admissible_actions()
        return None if actions is None else sorted(self.encode(one) for one in actions if self._tagged(one))

    def sample_action(self, rng: np.random.Generator) -> str:
        """A plausible reply at random."""
        for _ in range(DRAWS):
            action = self.inner.sample_action(rng)
            if self._tagged(action):
                return self.encode(action)
        raise AgentGymError(f"none of {DRAWS} actions of {self.world.card.id} has a tag: {', '.join(self.tags)}")

    def format_reply(self, actions: Sequence[str], thought: str = THOUGHT) -> str:
        """The reply that plays the only one of `actions`.

        Args:
            actions: In words; one whose command has a tag is put into it, another stands as it is, alone.
            thought: Stands before the tag.
        """
        tagged = self._tagged(actions[0])
        return f"{thought} <{tagged[0]}>{tagged[1]}</{tagged[0]}>" if tagged else actions[0]

    def parse_reply(self, reply: str) -> tuple[list[str], str] | Invalid:
        """The action of the first block, and what stands before it."""
        found = [(block[1], tag, block[0]) for tag in self.tags if (block := between(reply, tag)) is not None]
        if not found:
            return Invalid(f"the reply holds none of the tags. {self.instructions}")
        begin, tag, content = min(found)
        action = words(self, self.tags[tag], [content.strip()] if content.strip() else [])
        return action if isinstance(action, Invalid) else ([action], reply[:begin])

    def _tagged(self, action: str) -> tuple[str, str] | None:
        """Tag and content for an action in words."""
        call = self.inner.parse(action)
        known = {one.command: one for one in signatures(self.inner_grammars)}
        for tag, name in self.tags.items():
            if not isinstance(call, Invalid) and call.name in known and known[call.name].name == name:
                value = next(iter(call.slots.values()), "")
                return (tag, str(value)) if isinstance(value, str) else None
        return None
