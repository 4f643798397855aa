"""`SeveralActions`: more than one action a turn of the model."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core import Call, ConfigError, Invalid, UnicodeText
from agentgym.core.checks import check_action, check_count
from agentgym.core.prose import extract
from agentgym.wrappers.actions._format import ROOM
from agentgym.wrappers.base import WORDS, Info, TextWrapper
from agentgym.wrappers.refusal import Refusal


class SeveralActions(TextWrapper):
    """Plays several actions from one line, `right || right || up`, in order.

    It stops at the first action that is refused and at the end of the episode; the text says what was not played. Each
    action costs the world a turn.

    Changes: first observation and `manual`; an observation holds the text of each action under `> action`; the reward
    is the sum; in `info`, costs are added up, events collected, and the rest is that of the last action played; `info`
    gains `action` (str: what was played, one action a line).

    Args:
        env: A world whose actions are words.
        most: Most actions in one line; a line with more is refused.
        separator: What stands between two actions.

    Source: Wang et al., RAGEN, 2025 (`||`, at most 2 actions a turn).

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import SeveralActions
    >>> env = SeveralActions(gym.make("AgentGym/TextCraft-v1"), most=3)
    >>> text, info = env.reset(seed=0)
    >>> print(env.step("get 2 oak log || get 1 stone || jump")[0].splitlines()[:5])
    ['> get 2 oak log', 'Got 2 oak log', '> get 1 stone', 'Got 1 stone', '> jump']
    """

    serves_games: ClassVar[bool] = False
    _reads: ClassVar[int] = WORDS

    def __init__(self, env: gym.Env[Any, Any], *, most: int = 2, separator: str = "||"):
        most = check_count("most", most, 2)
        super().__init__(env, extra_length=ROOM, most=most, separator=separator)
        if not isinstance(separator, str) or not separator.strip():
            raise ConfigError(f"separator must be visible text such as '||', got {separator!r}")
        inner = self.inner
        if isinstance(inner, TextWrapper) and inner.numbered:
            raise ConfigError("the numbers of ChoiceByNumber change with every action; play one action a turn there")
        if any(separator in example for example in self.inner_examples):
            raise ConfigError(
                f"the actions of {self.world.card.id} hold {separator!r} themselves; take another separator"
            )
        self.most, self.separator = most, separator.strip()
        self.action_space = UnicodeText(most * (env.action_space.max_length + 8))  # type: ignore[attr-defined]

    @property
    def plays_several(self) -> bool:
        """True."""
        return True

    @property
    def instructions(self) -> str:
        """How several actions are written."""
        return f"You may play up to {self.most} actions a turn: write {self.separator} between them."

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said inside, and how several actions are written."""
        return (*self.inner_notes, self.instructions)

    @property
    def manual(self) -> str:
        """The manual inside, and how several actions are written."""
        shown = "".join(f" For example: {example}" for example in self.examples[-1:])
        return f"{self.inner.manual}\n\n{self.instructions}{shown}"

    @property
    def examples(self) -> tuple[str, ...]:
        """The worked examples inside, and two of them in one line."""
        inner = self.inner_examples
        if not inner:
            return ()
        return (*inner, f" {self.separator} ".join((inner[0], inner[-1])))

    def parse(self, action: str) -> Call | Invalid:
        """Read a line without playing it: its first action, or what is wrong with any of them."""
        split = self._split(action)
        if isinstance(split, Invalid):
            return split
        calls = [self.inner.parse(one) for one in split]
        return next((call for call in calls if isinstance(call, Invalid)), calls[0])

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first observation, which says how several actions are written.

        Args:
            observation: What is seen inside.
            info: Gains `action`, empty as none was played.
            note: Not needed.
        """
        info.setdefault("action", "")
        return self._introduce(observation, info)

    def read(self, reply: str) -> tuple[Any, Any]:
        """The actions of a line; the note is the action if there is just one."""
        check_action(reply)
        if isinstance(reply, Refusal):
            return reply, None
        split = self._split(reply)
        if isinstance(split, Invalid):
            return Refusal(split.reason, reply), None
        return (split, None) if len(split) > 1 else (split[0], split[0])

    def show(self, observation: str, info: Info, note: Any) -> str:
        """The observation as it is; `info` says what was played.

        Args:
            observation: What is seen inside after the last action.
            info: Gains `action`, where a line was played as one action or not at all; steps in between have set it.
            note: The action of a line with just one; None otherwise.
        """
        info.setdefault("action", note or "")
        return observation

    def _split(self, line: str) -> list[str] | Invalid:
        longest = self.action_space.max_length  # type: ignore[attr-defined]
        if len(line) > longest:
            return Invalid(f"the line has {len(line)} characters, at most {longest} are read. {self.instructions}")
        line = extract(line, self.inner_first_words)
        parts = [part.strip() for part in line.split(self.separator)]
        if len(parts) > self.most:
            return Invalid(f"the line holds {len(parts)} actions. {self.instructions}")
        if len(parts) > 1 and not all(parts):
            return Invalid(f"an action of the line is empty. {self.instructions}")
        return parts
