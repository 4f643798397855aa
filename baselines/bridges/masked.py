"""The mask inside the observation, where libraries without a call for masks look for it: Tianshou, RLlib."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np

import agentgym
from agentgym.core import ConfigError
from agentgym.wrappers.numeric import HashedText, VocabularyActions

KEPT = ("task_id", "success", "progress", "action_valid")


class MaskedObservation(gym.Wrapper[dict[str, Any], Any, Any, Any]):
    """A numeric world whose observation is a Dict of what it shows and of which actions can be played.

    Observation: `Dict(<shown>: the space of the world, <mask>: Box float32 (n,) of zeros and ones)`, the mask never all
    zero, after resets and at the end as well. Of the info those entries stay that every library can batch: `task_id`,
    `success`, `progress` and `action_valid`.

    Args:
        env: A world with numbered actions, such as `VocabularyActions` or `SlotActions` make.
        shown, mask: The two keys; Tianshou reads `obs` and `mask`, RLlib's examples `observations` and `action_mask`.

    Raises:
        ConfigError: if the world has no masks.
    """

    def __init__(self, env: gym.Env[Any, Any], shown: str = "obs", mask: str = "mask"):
        super().__init__(env)
        if not env.has_wrapper_attr("action_masks"):
            raise ConfigError(f"{env} has no masks; put VocabularyActions or SlotActions around the world first")
        self._keys = shown, mask
        size = len(env.get_wrapper_attr("action_masks")())
        masks = gym.spaces.Box(0.0, 1.0, (size,), np.float32)
        self.observation_space = gym.spaces.Dict({shown: env.observation_space, mask: masks})

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the world's.

        Args:
            seed: Seed of the world's generator; None goes on with the one it has.
            options: Reset options of the world.
        """
        return self._with_mask(*self.env.reset(seed=seed, options=None if options is None else dict(options)))

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action by its number."""
        seen, reward, terminated, truncated, info = self.env.step(action)
        seen, info = self._with_mask(seen, info)
        return seen, float(reward), terminated, truncated, info

    def _with_mask(self, seen: Any, info: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        shown, mask = self._keys
        return {shown: seen, mask: info["action_mask"].astype(np.float32)}, {key: info[key] for key in KEPT}


def masked_lake(split: str = "train", shown: str = "obs", mask: str = "mask", **kwargs: Any) -> MaskedObservation:
    """FrozenLake as hashed words that know their place on the map, and four commands; three by three if not told.

    Args:
        split: Where tasks come from.
        shown: Key of the observation in the Dict.
        mask: Key of the mask.
        kwargs: Constructor arguments of the lake.
    """
    world = VocabularyActions(agentgym.make("FrozenLake-v0", split=split, **{"size": 3, **kwargs}))
    return MaskedObservation(HashedText(world, dim=256, ngrams=1, places=True), shown, mask)
