"""`Workspace`: instead of a history, a report that the agent rewrites."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core import Call, Invalid, UnicodeText
from agentgym.core.checks import check_action, check_count
from agentgym.core.text import clean
from agentgym.wrappers.base import FREE, Info, TextWrapper
from agentgym.wrappers.observations.history import shorten_lines
from agentgym.wrappers.refusal import Refusal

OPEN, CLOSE = "<report>", "</report>"


class Workspace(TextWrapper):
    """Shows the task, the agent's own report, its last reply and the result, and nothing else of what came before.

    Before its action the agent may rewrite the report in `<report>...</report>`; without one the report stays as it
    was. So the context never grows, and what the agent wants to remember it must write down.

    Changes: observations (the workspace), actions (a report may precede them), first observation and `manual`; `info`
    gains `report` (str). The trainer keeps the history itself and refuses this wrapper.

    Args:
        env: A world that answers text.
        length: Most characters of a report; a longer one is cut in the middle.

    Source: Qiao et al., IterResearch (evolving report, Markovian workspace), 2025.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import Workspace
    >>> env = Workspace(gym.make("AgentGym/TextCraft-v1"))
    >>> text, info = env.reset(seed=0)
    >>> text, *_, info = env.step("<report>I have two logs.</report> get 2 oak log")
    >>> info["report"]
    'I have two logs.'
    >>> print(text[text.index("Your report:"):])
    Your report:
    I have two logs.
    <BLANKLINE>
    You said: get 2 oak log
    Got 2 oak log
    """

    keeps_history: ClassVar[bool] = True
    _reads: ClassVar[int] = FREE
    saved_attributes: ClassVar[tuple[str, ...]] = ("_head", "_report")

    def __init__(self, env: gym.Env[Any, Any], *, length: int = 4_000):
        length = check_count("length", length)
        super().__init__(env, extra_length=length + 8_192, length=length)
        self.length = length
        self.action_space = UnicodeText(env.action_space.max_length + 2 * length)  # type: ignore[attr-defined]
        self._head = self._report = ""

    @property
    def instructions(self) -> str:
        """What the agent may do besides acting."""
        return (
            f"Before your action you may rewrite your report, {OPEN}what you want to remember{CLOSE}; of earlier turns "
            "you see only the report, your last reply and its result."
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said inside, and how to remember."""
        return (*self.inner_notes, self.instructions)

    @property
    def manual(self) -> str:
        """The manual inside, and how to remember."""
        shown = "".join(f" For example:\n\n{example}" for example in self.examples[-1:])
        return f"{self.inner.manual}\n\n{self.instructions}{shown}"

    @property
    def examples(self) -> tuple[str, ...]:
        """The worked examples inside, and one with a report."""
        inner = self.inner_examples
        return (*inner, *(f"{OPEN}So far nothing is done.{CLOSE} {one}" for one in inner[:1]))

    def parse(self, action: str) -> Call | Invalid:
        """Read a reply without its report."""
        return self.inner.parse(self._split(action)[1])

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first observation; the report is empty.

        Args:
            observation: What is seen inside.
            info: Its instruction heads every later observation; gains `report`.
            note: Not needed.
        """
        self._report, self._head = "", f"{info['instruction']}\n{self.line}"
        info["report"] = ""
        return self._introduce(observation, info)

    def read(self, reply: str) -> tuple[Any, Any]:
        """The reply without its report; the note is what the workspace keeps of it."""
        check_action(reply)
        if isinstance(reply, Refusal):
            return reply, shorten_lines(reply.said)
        report, rest = self._split(reply)
        self._report = self._report if report is None else report
        return rest, shorten_lines(rest)

    def show(self, observation: str, info: Info, note: Any) -> str:
        """The task, the report, the last reply and the observation.

        Args:
            observation: What is seen inside.
            info: Gains `report`.
            note: What is kept of the last reply, its report left out; None if the episode was over before.
        """
        info["report"] = self._report
        if note is None:
            return observation
        report = self._report or "(empty)"
        return self._fit(f"{self._head}\n\nYour report:\n{report}\n\nYou said: {note}\n{observation}")

    def _split(self, reply: str) -> tuple[str | None, str]:
        """The last report of a reply, cut to length, and the reply without it."""
        begin = reply.rfind(OPEN)
        end = reply.find(CLOSE, begin)
        if begin < 0 or end < 0:
            return None, reply
        report = reply[begin + len(OPEN) : end].strip()
        rest = f"{reply[:begin]}{reply[end + len(CLOSE) :]}".strip()
        return UnicodeText(self.length).fit(clean(report)), rest
