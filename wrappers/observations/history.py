"""`History`: earlier turns in the observation, for policies that see one observation at a time."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core import ConfigError, UnicodeText
from agentgym.core.checks import check_count
from agentgym.core.grammar import shorten
from agentgym.wrappers.base import Info, TextWrapper
from agentgym.wrappers.refusal import Refusal

SAID = 2_000  # characters of a reply that are kept


class History(TextWrapper):
    """Makes each observation hold the task, how to act, earlier turns and what is seen now.

    `turns=None` repeats the whole episode as one growing transcript, `turns=k` the last k turns, and `turns=0` none:
    task, grammar and the current observation, for policies that answer single turns. Where a transcript would be longer
    than `length`, its oldest turns are left out and counted. Around a format of replies the turns hold whole replies,
    inside it the bare actions.

    `AdmissibleInText` goes around it, so that only the list of what can be done now is shown.

    Changes: observations only; the observation space is `UnicodeText(length)`. The trainer keeps the history itself and
    refuses this wrapper.

    Args:
        env: A world that answers text.
        turns: Earlier turns that are repeated; None for all.
        length: Most characters of an observation.

    Source: verl-agent sends the task, the last 2 turns and the current observation; RAGEN offers full, last k, single.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import History
    >>> env = History(gym.make("AgentGym/TextCraft-v1"), turns=0)
    >>> text, info = env.reset(seed=0)
    >>> text, *_ = env.step("inventory")
    >>> text, *_ = env.step("get 2 oak log")
    >>> print(text[text.index("[1 earlier"):])
    [1 earlier turn left out]
    <BLANKLINE>
    Turn 2
    > get 2 oak log
    Got 2 oak log
    """

    keeps_history: ClassVar[bool] = True
    saved_attributes: ClassVar[tuple[str, ...]] = ("_first", "_head", "_turns")

    def __init__(self, env: gym.Env[Any, Any], *, turns: int | None = None, length: int = 65_536):
        turns = None if turns is None else check_count("turns", turns, 0)
        super().__init__(env, turns=turns, length=length)
        least = env.observation_space.max_length  # type: ignore[attr-defined]
        if not isinstance(length, int) or length < least:
            raise ConfigError(f"length must be at least {least}, the length of one observation here, got {length!r}")
        self.turns, self.length = turns, length
        self.observation_space = UnicodeText(length)
        self._first = self._head = ""
        self._turns: list[tuple[str, str]] = []

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first observation as it is; the history is empty.

        Args:
            observation: Heads every transcript that has room for it.
            info: Its instruction heads those that have not.
            note: Not needed.
        """
        self._first, self._turns = observation, []
        self._head = f"{info['instruction']}\n{self.inner_line}"
        return observation

    def read(self, reply: str) -> tuple[Any, Any]:
        """The reply as it is; the note is what a transcript keeps of it."""
        return reply, shorten_lines(reply.said if isinstance(reply, Refusal) else reply)

    def show(self, observation: str, info: Info, note: Any) -> str:
        """What came before, and the observation.

        Args:
            observation: What is seen inside.
            info: Not changed.
            note: What a transcript keeps of the reply; None if the episode was over before, which is no turn.
        """
        if note is None:
            return observation
        self._turns.append((note, observation))
        return self._transcript()

    def _transcript(self) -> str:
        """The longest transcript that is allowed and fits, made from its newest turn backwards."""
        turns = self._turns
        before = len(turns) - 1  # the turns before the current observation
        most = before if self.turns is None else min(self.turns, before)
        whole = self.turns is None or (most == before and self.turns > 0)
        head = self._first if whole else self._head
        pieces = [_turn(before + 1, *turns[before])]
        room = self.length - len(head) - 64 - len(pieces[0]) - 2
        for number in range(before, before - most, -1):
            piece = _turn(number, *turns[number - 1])
            room -= len(piece) + 2
            if room < 0:
                break
            pieces.append(piece)
        left_out = len(turns) - len(pieces)
        mark = [f"[{left_out} earlier turn{'s' * (left_out > 1)} left out]"] if left_out else []
        return self._fit("\n\n".join([head, *mark, *reversed(pieces)]))


def _turn(number: int, action: str, text: str) -> str:
    return f"Turn {number}\n> {action}\n{text}"


def shorten_lines(said: str) -> str:
    """A reply as a transcript keeps it: its lines, without control characters, long ones cut."""
    text = said if len(said) <= SAID else said[:SAID] + "..."
    return "\n".join(shorten(line, SAID) for line in text.strip().splitlines()) or "(nothing)"
