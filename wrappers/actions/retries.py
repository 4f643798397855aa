"""`Retries`: a few tries after a refused action, with feedback, then a default or the end."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core import ConfigError, Invalid
from agentgym.core.checks import check_count
from agentgym.wrappers._ending import EndingWrapper
from agentgym.wrappers.base import Answer, Info, add_up, as_shown, in_words
from agentgym.wrappers.refusal import CarriedOut

SHOWN = 5  # admissible actions named in the feedback


class Retries(EndingWrapper):
    """Says, after a refused action, how many tries are left and what could be done instead.

    After `tries` refusals in a row the `default` action is played, or, without one, the episode ends without success.
    A refused action costs a turn, as everywhere.

    Changes: the text of a refusal ends in the feedback; `terminated` after the last try; `info` gains `tries_left`
    (int).

    Args:
        env: A world that answers text.
        tries: Refusals in a row that are one too many.
        default: The action played then, as what stands inside reads it; None ends the episode.

    Source: the error allowance of TextArena (Guertler et al., 2025).

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import Retries
    >>> env = Retries(gym.make("AgentGym/FrozenLake-v0"), tries=2)
    >>> text, info = env.reset(seed=0)
    >>> text, reward, terminated, truncated, info = env.step("swim")
    >>> print(text.splitlines()[-1])
    That was refused; 1 try left. Possible now: down; left; right; up.
    >>> env.step("fly")[2]
    True
    """

    _names_actions: ClassVar[bool] = True
    saved_attributes: ClassVar[tuple[str, ...]] = ("_refused", *EndingWrapper.saved_attributes)

    def __init__(self, env: gym.Env[Any, Any], *, tries: int = 3, default: str | None = None):
        tries = check_count("tries", tries)
        super().__init__(env, extra_length=8_192, tries=tries, default=default)
        self.tries, self.default = tries, default
        self._refused = 0
        if default is not None and isinstance(read := self.inner.parse(default), Invalid):
            raise ConfigError(f"the default action is none of {self.world.card.id}: {read.reason}")

    @property
    def plays_several(self) -> bool:
        """Whether a default is played after a refused action."""
        return self.default is not None

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first `observation` as it is; `info` says that all tries are left. The `note` is not needed."""
        self._refused, self._over, self._last = 0, False, None
        info["tries_left"] = self.tries
        return observation

    def step(self, action: str) -> Answer:
        """Play an action; count the refusals."""
        if self._over:
            return self._after_end(action)
        if self.inner.ended:
            answer = self._step_inner(action)
            answer[4]["tries_left"] = self.tries - self._refused
            return answer
        text, reward, terminated, truncated, info = self._step_inner(action)
        if isinstance(action, CarriedOut) or info["action_valid"]:
            self._refused = 0
            info["tries_left"] = self.tries
            return text, reward, terminated, truncated, info
        self._refused += 1
        left = self.tries - self._refused
        info["tries_left"] = left
        if terminated or truncated:
            return text, reward, terminated, truncated, info
        if left:
            return self._fit(f"{text}\n{self._feedback(left)}"), reward, terminated, truncated, info
        if self.default is None:
            return self._end(f"{text}\nThat was refused; no try is left, and the episode is over.", reward, info)
        return self._play_default(text, reward, info)

    def _play_default(self, refusal: str, reward: float, refused: Info) -> Answer:
        """The agent's action stays refused in `info`, whatever the default does."""
        text, more, terminated, truncated, info = self._step_inner(self.default)
        self._refused = 0
        info = add_up([refused, info])
        info.update(action_valid=False, error=refused["error"])
        info["tries_left"] = self.tries
        told = f"{refusal}\nThat was refused; no try is left, so this is played instead: {self.default}\n{text}"
        return self._fit(told), reward + more, terminated, truncated, info

    def _feedback(self, left: int) -> str:
        told = f"That was refused; {left} {'try' if left == 1 else 'tries'} left."
        actions = in_words(self).admissible_actions() or []
        if not actions:
            return told
        few = [actions[at * len(actions) // SHOWN] for at in range(SHOWN)] if len(actions) > SHOWN else actions
        few = as_shown(self, few)
        more = "" if len(few) == len(actions) else f"; and {len(actions) - len(few)} more"
        return f"{told} Possible now: {'; '.join(few)}{more}."
