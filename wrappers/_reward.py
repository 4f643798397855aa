"""The base of wrappers that add a term to the reward."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from agentgym.core import ConfigError
from agentgym.wrappers.base import Answer, Info, TextWrapper


class RewardTerm(TextWrapper, ABC):
    """Adds one named term to the reward of each step.

    A subclass names its `term` and implements `_pay`; what must be remembered between steps it lists in
    `saved_attributes` and sets in `begin`, which it ends with that of this class.

    Changes: the reward, and `info["reward_terms"]` (dict of float): `world` is the reward of what is inside, and each
    reward wrapper adds the part it paid under its own name, so the values always add up to the reward.
    """

    serves_games: ClassVar[bool] = False
    term: ClassVar[str]
    _needs_text: ClassVar[bool] = False

    @abstractmethod
    def _pay(self, action: Any, answer: Answer) -> float:
        """What this step earns; `answer` is that of what is inside."""

    def begin(self, observation: Any, info: Info, note: Any) -> Any:
        """The first `observation` as it is; in `info` all terms are 0. What `prepare` noted (`note`) is not needed."""
        info.setdefault("reward_terms", {"world": 0.0}).setdefault(self.term, 0.0)
        return observation

    def step(self, action: Any) -> Answer:
        """Play an action and add the term."""
        over = self.inner.ended
        answer = self._step_inner(action)
        observation, reward, terminated, truncated, info = answer
        paid = 0.0 if over or info["failure"] else float(self._pay(action, answer))
        terms = info.setdefault("reward_terms", {"world": float(reward)})
        terms[self.term] = terms.get(self.term, 0.0) + paid
        return observation, float(reward) + paid, terminated, truncated, info


def check_number(name: str, value: Any) -> float:
    """The `value` as a float, if it is a finite number; `name` is the argument that the error speaks of."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ConfigError(f"{name} must be a finite number, got {value!r}")
    return float(value)
