"""The base of wrappers that can end an episode before the world does."""

from __future__ import annotations

from typing import Any, ClassVar

from agentgym.core.snapshot import copy_state
from agentgym.wrappers.base import Answer, Info, TextWrapper

OVER = "The episode is over; call reset() to begin another."


class EndingWrapper(TextWrapper):
    """Base of wrappers that can end an episode before the world does."""

    serves_games: ClassVar[bool] = False
    saved_attributes: ClassVar[tuple[str, ...]] = ("_over", "_last")
    unkeyed_attributes: ClassVar[frozenset[str]] = frozenset({"_last"})
    _over: bool = False
    _last: Info | None = None

    @property
    def ended(self) -> bool:
        """Whether the episode is over."""
        return self._over or self.inner.ended

    def admissible_actions(self) -> list[str] | None:
        """Replies that are valid now; empty after the end, None if they cannot be listed."""
        return [] if self._over else self.inner.admissible_actions()

    def _end(self, text: str, reward: float, info: Info) -> Answer:
        """End the episode here: decided, without success."""
        self._over, self._last = True, copy_state(info)
        return self._fit(text), reward, True, False, info

    def _after_end(self, action: Any) -> Answer:
        """What a step after such an end answers, as the world itself would."""
        if not isinstance(action, str):
            raise TypeError(f"an action is a string, got {type(action).__name__}")
        info = copy_state(self._last or {})
        info.update(action_valid=False, error=OVER, events=[])
        for kind in ("metrics", "costs", "reward_terms", "judge"):
            if kind in info:
                info[kind] = dict.fromkeys(info[kind], 0.0)
        return OVER, 0.0, True, False, info
