"""Policies without a model: random, do-nothing, oracle, expert, scripted opponents, functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from agentgym.agents.policy import ActionPolicy, View
from agentgym.core import ConfigError
from agentgym.core.checks import check_callable


class RandomPolicy(ActionPolicy):
    """Plays the environment's random baseline, `sample_action`."""

    def act(self, view: View, rng: np.random.Generator) -> str:
        """A plausible action at random: the world of this `view` draws it from `rng`."""
        return str(view.ask("sample_action", rng))


class NothingPolicy(ActionPolicy):
    """Says nothing: the empty string is valid nowhere and changes nothing, so this is the score of not playing."""

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The empty string, whatever the `view`; `rng` stays where it is."""
        return ""


class OraclePolicy(ActionPolicy):
    """Plays `oracle_action`, which may read the hidden state: the upper bound."""

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The best action that the world of this `view` knows; nothing is drawn from `rng`."""
        return str(view.ask("oracle_action"))


class ExpertPolicy(ActionPolicy):
    """Plays `expert_action`, which knows only what the player has seen: the source of demonstrations."""

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The demonstration of the world of this `view`; nothing is drawn from `rng`."""
        return str(view.ask("expert_action"))


class OpponentPolicy(ActionPolicy):
    """Plays as a scripted opponent of the game.

    Args:
        level: Its name.
    """

    def __init__(self, level: str):
        self.level = level

    def act(self, view: View, rng: np.random.Generator) -> str:
        """What a rival of this level does in the game of this `view`, with the random draws of `rng`."""
        return str(view.ask("opponent_action", self.level, rng))


class NoisyPolicy(ActionPolicy):
    """Plays as another program, and now and then at random.

    Args:
        policy: The other one.
        noise: Probability that a turn is a random action in place of its own, from 0 to 1.
    """

    def __init__(self, policy: ActionPolicy, noise: float):
        if not 0 <= noise <= 1:
            raise ConfigError(f"noise must be a probability from 0 to 1, got {noise!r}")
        self._policy, self._noise = policy, noise

    def act(self, view: View, rng: np.random.Generator) -> str:
        """A random action with probability `noise`, otherwise the other policy's; `view` and `rng` go to either."""
        return str(view.ask("sample_action", rng)) if rng.random() < self._noise else self._policy.act(view, rng)


class FunctionPolicy(ActionPolicy):
    """Plays by a function of observation, admissible actions (None if they cannot be listed) and a generator.

    Args:
        function: From these to an action.
    """

    def __init__(self, function: Callable[[str, list[str] | None, np.random.Generator], str]):
        check_callable("the function of a policy", function, "callable")
        self._function = function

    def act(self, view: View, rng: np.random.Generator) -> str:
        """What the function says to the observation of this `view`, its admissible actions and `rng`."""
        return str(self._function(view.observation, view.ask("admissible_actions"), rng))
