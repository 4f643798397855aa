"""The base of wrappers that read one action, or a few, out of a model's reply."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core import Call, Invalid, UnicodeText
from agentgym.core.checks import check_action
from agentgym.core.text import clean, objection
from agentgym.wrappers.base import REPLY, Info, TextWrapper
from agentgym.wrappers.refusal import Refusal

ROOM = 4_096  # characters a format may add to an observation
LENGTH = 16_384  # characters a reply may have beyond its actions
SEVERAL = "plays several actions a turn with most > 1"  # what a player of a game cannot do
THOUGHT = "This is the next step."  # stands in examples and demonstrations, which have no thought of their own


class ReplyFormat(TextWrapper, ABC):
    """Reads actions out of replies and shows the agent how to reply.

    A subclass says in `instructions` what a reply looks like, in a sentence, and implements `format_reply` (actions to
    reply) and `parse_reply` (reply to actions); the examples of the prompt are made by the same object that reads them.
    A reply in which no action is found costs a turn and changes nothing else.

    Changes: the observation space grows by 4,096 characters, the action space by 16,384. The first observation says
    how to reply. `info` gains `format_valid` (bool: the reply had the form asked for), `thought` (str) and `action`
    (str: what was played in the world's words, one action a line).
    """

    _reads: ClassVar[int] = REPLY
    most: int = 1

    def __init__(self, env: gym.Env[Any, Any], **arguments: Any):
        super().__init__(env, extra_length=ROOM, **arguments)
        self.action_space = UnicodeText(env.action_space.max_length + LENGTH)  # type: ignore[attr-defined]

    @property
    def plays_several(self) -> bool:
        """Whether a reply may hold several actions."""
        return self.most > 1

    @property
    @abstractmethod
    def instructions(self) -> str:
        """The form of a reply, in a sentence that can follow a complaint."""

    @abstractmethod
    def format_reply(self, actions: Sequence[str], thought: str = THOUGHT) -> str:
        """The reply that plays some actions.

        Args:
            actions: The actions, in the words of what is inside; one where the form holds no more.
            thought: The reasoning that stands before them.
        """

    @abstractmethod
    def parse_reply(self, reply: str) -> tuple[list[str], str] | Invalid:
        """Read a reply that is not empty.

        Args:
            reply: The reply.

        Returns:
            Its actions and the thought before them, or what is wrong with it.
        """

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said inside, and how to reply."""
        return (*self.inner_notes, self.instructions)

    @property
    def manual(self) -> str:
        """The manual inside, how to reply, and a few examples as whole replies."""
        shown = "".join(f"\n\n{example}" for example in self.examples)
        return f"{self.inner.manual}\n\n{self.instructions}" + (f" For example:{shown}" if shown else "")

    @property
    def examples(self) -> tuple[str, ...]:
        """A few of the worked examples inside, each as a whole reply."""
        return tuple(self.format_reply([example]) for example in _few(self.inner_examples))

    def parse(self, action: str) -> Call | Invalid:
        """Read a reply without playing it: its first action, or what is wrong with any of them."""
        read = self._read(action)
        if isinstance(read, Invalid):
            return read
        calls = [self.inner.parse(one) for one in read[0]]
        return next((call for call in calls if isinstance(call, Invalid)), calls[0])

    def admissible_actions(self) -> list[str] | None:
        """Replies that are valid now."""
        actions = self.inner.admissible_actions()
        return None if actions is None else sorted(self.encode(action) for action in actions)

    def encode(self, action: str) -> str:
        """The reply that plays an action."""
        return self.format_reply([action])

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first observation, which says how to reply.

        Args:
            observation: What is seen inside.
            info: Gains the keys that the class names, empty.
            note: Not needed.
        """
        _noted(info, True, "", "")
        return self._introduce(observation, info)

    def read(self, reply: str) -> tuple[Any, Any]:
        """The action of a reply, or several; the note is whether it had the form asked for, its thought and actions."""
        check_action(reply)
        if isinstance(reply, Refusal):
            return reply, None
        read = self._read(reply)
        if isinstance(read, Invalid):
            return Refusal(read.reason, reply), (False, "", "")
        actions, thought = read
        return actions[0] if len(actions) == 1 else actions, (True, thought, "\n".join(actions))

    def show(self, observation: str, info: Info, note: Any) -> str:
        """The observation as it is; `info` says what was read.

        Args:
            observation: What is seen inside.
            info: Gains the keys that the class names.
            note: Whether the reply had the form asked for, its thought, and its actions, one a line; None if unread.
        """
        _noted(info, *(note or (True, "", "")))
        return observation

    def _read(self, reply: str) -> tuple[list[str], str] | Invalid:
        """`parse_reply` with the checks that every format makes."""
        longest = self.action_space.max_length  # type: ignore[attr-defined]
        if len(reply) > longest:
            return Invalid(f"the reply has {len(reply)} characters, at most {longest} are read. {self.instructions}")
        if not reply.strip():
            return Invalid(f"the reply is empty. {self.instructions}")
        read = self.parse_reply(reply)
        if isinstance(read, Invalid):
            return read
        actions = [action.strip() for action in read[0]]
        if not any(actions):
            return Invalid(f"the reply names no action. {self.instructions}")
        if wrong := objection(actions):
            return Invalid(f"{wrong} {self.instructions}")
        if len(actions) > self.most:
            allowed = "one action is" if self.most == 1 else f"{self.most} actions are"
            return Invalid(
                f"the reply names {len(actions)} actions; only {allowed} allowed a turn. {self.instructions}"
            )
        return actions, clean(read[1].strip())


def _few(examples: Sequence[str]) -> list[str]:
    """The first, the middle and the last example."""
    places = sorted({0, len(examples) // 2, len(examples) - 1}) if examples else []
    return [examples[at] for at in places]


def _noted(info: Info, valid: bool, thought: str, action: str) -> Info:
    """Add a format's keys; a format further inside has already said which action reached the world."""
    info["format_valid"] = valid and info.get("format_valid", True)
    info["thought"] = "\n".join(part for part in (thought, info.get("thought", "")) if part)
    info.setdefault("action", action)
    return info
