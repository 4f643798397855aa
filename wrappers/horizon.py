"""`Horizon`: fewer turns than the world allows."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core.checks import check_count
from agentgym.wrappers.base import Answer, Info, TextWrapper


class Horizon(TextWrapper):
    """Lowers the turn limit; a world whose own limit is lower keeps it.

    `turns` may be set while training, `env.set_wrapper_attr("turns", 20)`, and counts from the next reset on, so that a
    schedule can lengthen the horizon in stages.

    Changes: `truncated` comes after `turns` steps; the first observation says how many there are.

    Args:
        env: A world that answers text.
        turns: Most turns of an episode.

    Source: the staged horizons of Xi et al., AgentGym-RL (ScalingInter-RL), 2025.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import Horizon
    >>> env = Horizon(gym.make("AgentGym/TextCraft-v1"), turns=2)
    >>> text, info = env.reset(seed=0)
    >>> print(text.splitlines()[-1])
    You have 2 turns.
    >>> env.step("inventory")[3], env.step("inventory")[3]
    (False, True)
    """

    serves_games: ClassVar[bool] = False
    saved_attributes: ClassVar[tuple[str, ...]] = ("_limit",)

    def __init__(self, env: gym.Env[Any, Any], turns: int):
        turns = check_count("turns", turns)
        super().__init__(env, extra_length=64, turns=turns)
        self.turns = turns
        self._limit = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said inside, and how many turns there are."""
        limit = self._limit or self.turns
        return (*self.inner_notes, f"You have {limit} {'turn' if limit == 1 else 'turns'}.")

    @property
    def manual(self) -> str:
        """The manual inside, and the limit."""
        return f"{self.inner.manual}\n\nWhatever is said above, an episode has at most {self.turns} turns."

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first observation, which says how many turns there are; the lower limit holds from here on.

        Args:
            observation: What is seen inside.
            info: Of the reset; where it names a failure, the observation stays as it is.
            note: Not needed.
        """
        self._limit = self.world.max_turns = min(self.turns, self.world.max_turns)
        return self._introduce(observation, info)

    def step(self, action: str) -> Answer:
        """Play an action."""
        self.world.max_turns = min(
            self._limit or self.turns, self.world.max_turns
        )  # a new trial begins with the world's own
        return self._step_inner(action)
