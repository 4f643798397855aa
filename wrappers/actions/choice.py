"""`ChoiceByNumber`: the agent picks an action from a numbered list."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np

from agentgym.core import AgentGymError, Call, Command, ConfigError, Grammar, Invalid
from agentgym.core.checks import check_action
from agentgym.core.grammar import ActionGrammar, shorten
from agentgym.wrappers._checks import overrides
from agentgym.wrappers.base import WORDS, Info, TextWrapper
from agentgym.wrappers.refusal import Refusal

NUMBER = re.compile(r"[0-9]{1,6}")
ROOM = 16_384
GRAMMAR = Grammar([Command("<number>", "choose the action with this number", ("1", "2"), name="choose")])


class ChoiceByNumber(TextWrapper):
    """Numbers the admissible actions under each observation; the action is a number.

    Where the world's list is not complete (`admissible_complete` is False), the agent can do only what is listed.

    Changes: observations end in the numbered list; actions are numbers; `info` gains `choices` (int: how many there
    are) and `action` (str: the action played, in words). Reward and ends are the world's; a number that is not on the
    list costs a turn.

    Args:
        env: A world that lists its admissible actions.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import ChoiceByNumber
    >>> env = ChoiceByNumber(gym.make("AgentGym/FrozenLake-v0"))
    >>> text, info = env.reset(seed=0)
    >>> print(text[text.index("Choose"):])
    Choose by number:
    1. down
    2. left
    3. right
    4. up
    >>> env.step("2")[4]["action"]
    'left'
    """

    _reads: ClassVar[int] = WORDS
    saved_attributes: ClassVar[tuple[str, ...]] = ("_menu",)
    unkeyed_attributes: ClassVar[frozenset[str]] = frozenset({"_menu"})  # the world's state says what can be done
    numbered: ClassVar[bool] = True

    def __init__(self, env: gym.Env[Any, Any]):
        super().__init__(env, extra_length=ROOM)
        if not overrides(self.world, "_admissible"):
            raise ConfigError(f"ChoiceByNumber needs a list of actions; {self.world.card.id} lists none")
        self._menu: list[str] = []

    @property
    def commands(self) -> str:
        """How to choose."""
        return "Answer with the number of one of the actions listed below each observation."

    @property
    def manual(self) -> str:
        """The manual inside, and how to choose."""
        return f"{self.inner.manual}\n\n{self.commands} For example: 1; 2"

    @property
    def grammars(self) -> tuple[ActionGrammar, ...]:
        """Choosing a number is the only command."""
        return (GRAMMAR,)

    @property
    def examples(self) -> tuple[str, ...]:
        """Two numbers."""
        return GRAMMAR.examples

    @property
    def tools(self) -> list[dict[str, Any]]:
        """Empty: the actions are numbers."""
        return []

    def parse(self, action: str) -> Call | Invalid:
        """Read a number without playing it."""
        call = GRAMMAR.parse(action)
        if isinstance(call, Invalid) or not NUMBER.fullmatch(call["number"]):
            return Invalid(f"{shorten(action)!r} is no number. {self.commands}")
        return call

    def admissible_actions(self) -> list[str] | None:
        """The numbers of the list."""
        return sorted(str(number) for number in range(1, len(self._listed()) + 1))

    def sample_action(self, rng: np.random.Generator) -> str:
        """A number of the list at random."""
        listed = self._listed()
        if not listed:
            raise AgentGymError(f"{self.world.card.id}: the episode is over; call reset()")
        return str(int(rng.integers(len(listed))) + 1)

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first observation with the list below it.

        Args:
            observation: What is seen inside.
            info: Gains `action`, empty as none was chosen.
            note: Not needed.
        """
        info.setdefault("action", "")
        return self._with_list(self._introduce(observation, info), info)

    def read(self, reply: str) -> tuple[Any, Any]:
        """The action with a number; the note is that action, empty if there is none."""
        check_action(reply)
        if isinstance(reply, Refusal):
            return reply, ""
        call = self.parse(reply)
        wrong, number = (call.reason, 0) if isinstance(call, Invalid) else ("", int(call["number"]))
        if not wrong and not 1 <= number <= len(self._menu):
            wrong = f"there is no action {number}; choose from 1 to {len(self._menu)}."
        if wrong:
            return Refusal(wrong, reply), ""
        return self._menu[number - 1], self._menu[number - 1]

    def show(self, observation: str, info: Info, note: Any) -> str:
        """The observation with the list below it.

        Args:
            observation: What is seen inside.
            info: Gains `action`.
            note: The action that was chosen; "" or None if none was.
        """
        info.setdefault("action", note or "")
        return self._with_list(observation, info)

    def _listed(self) -> list[str]:
        listed = self.inner.admissible_actions()
        if listed is None:
            raise ConfigError(f"{self.world.card.id} lists no actions here; play it without ChoiceByNumber")
        return listed

    def _with_list(self, text: str, info: Info) -> str:
        """The text with the list of what can be done now."""
        self._menu = self._listed()
        info["choices"] = len(self._menu)
        if not self._menu:
            return text
        lines = "\n".join(f"{number}. {action}" for number, action in enumerate(self._menu, 1))
        return self._fit(f"{text}\nChoose by number:\n{lines}")

    def encode(self, action: str) -> str:
        """The number of an action."""
        listed = self._listed()
        if action in listed:
            return str(listed.index(action) + 1)
        call = self.inner.parse(action)
        same = [number for number, one in enumerate(listed, 1) if self.inner.parse(one) == call]
        if not same:
            raise AgentGymError(f"{shorten(action)!r} is not on the list of {self.world.card.id}")
        return str(same[0])
