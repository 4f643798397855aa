"""`AdmissibleInText`: what can be done now, in the observation."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core import ConfigError, unknown
from agentgym.wrappers._checks import overrides
from agentgym.wrappers.base import Info, TextWrapper, as_shown, in_words

ROOM = 16_384
STYLES = ("list", "agentgym")


class AdmissibleInText(TextWrapper):
    """Ends each observation in the list of admissible actions, in the world's words, or as calls around a format
    that calls functions.

    Changes: observations only, `Possible actions: a; b; c`, followed by `and others` where the world's list is not
    complete; with `style="agentgym"` the line `AVAILABLE ACTIONS: a,b,c`, of the same actions and nothing else. The
    list is computed at each step, which costs time.

    Args:
        env: A world that lists its admissible actions.
        first_only: Whether only the first observation of an episode gets the list.
        style: `list`, or `agentgym` for the line of AgentGym's first release.

    Source: the prompts of verl-agent (every turn) and of AgentGym (`AVAILABLE ACTIONS`, first turn only).

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import AdmissibleInText
    >>> env = AdmissibleInText(gym.make("AgentGym/FrozenLake-v0"))
    >>> text, info = env.reset(seed=0)
    >>> print(text.splitlines()[-1])
    Possible actions: down; left; right; up.
    >>> env = AdmissibleInText(gym.make("AgentGym/FrozenLake-v0"), style="agentgym")
    >>> print(env.reset(seed=0)[0].splitlines()[-1])
    AVAILABLE ACTIONS: down,left,right,up
    """

    _names_actions: ClassVar[bool] = True

    def __init__(self, env: gym.Env[Any, Any], *, first_only: bool = False, style: str = "list"):
        if style not in STYLES:
            raise unknown("style of AdmissibleInText", style, STYLES)
        super().__init__(env, extra_length=ROOM, first_only=first_only, style=style)
        self.first_only, self.style = first_only, style
        if not overrides(self.world, "_admissible"):
            raise ConfigError(f"AdmissibleInText needs a list of actions; {self.world.card.id} lists none")
        if getattr(in_words(self), "numbered", False):
            raise ConfigError("ChoiceByNumber inside shows the list already; leave AdmissibleInText out")

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first `observation`, which ends in the list; neither `info` nor `note` is read."""
        return self._listed(observation)

    def show(self, observation: str, info: Info, note: Any) -> str:
        """The `observation`, which ends in the list unless that is shown first only; no `info` or `note` is read."""
        return observation if self.first_only else self._listed(observation)

    def _listed(self, text: str) -> str:
        if self.inner.ended:
            return text
        actions = in_words(self).admissible_actions()
        if not actions:
            return text
        actions = as_shown(self, actions)
        if self.style == "agentgym":
            return self._fit(f"{text}\nAVAILABLE ACTIONS: {','.join(actions)}")
        others = "" if self.world.admissible_complete else "; and others"
        return self._fit(f"{text}\nPossible actions: {'; '.join(actions)}{others}.")
