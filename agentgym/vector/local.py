"""Environments in this process, one after the other: the fastest way for worlds in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym
from gymnasium.vector import AutoresetMode

from agentgym.core import ConfigError
from agentgym.vector.base import BaseVectorEnv, Begun, Played, Shape


class LocalVectorEnv(BaseVectorEnv):
    """Environments in this process; see `BaseVectorEnv`.

    Args:
        functions: One for each environment; makes its environment.
        autoreset_mode: What follows an episode's end.
        spec: Specification of the vector environment.

    Raises:
        ConfigError: if the environments differ in their spaces.
    """

    def __init__(
        self, functions: Sequence[Callable[[], gym.Env[Any, Any]]], autoreset_mode: AutoresetMode, spec: Any = None
    ):
        self.envs = [make() for make in functions]
        first = self.envs[0]
        for env in self.envs:
            if env.observation_space != first.observation_space or env.action_space != first.action_space:
                raise ConfigError(f"the environments of a vector have equal spaces; {env} and {first} differ")
        shape = Shape(first.observation_space, first.action_space, first.metadata, first.render_mode)
        super().__init__(len(self.envs), shape, autoreset_mode, spec)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of every environment, or read an attribute."""
        found = [env.get_wrapper_attr(name) for env in self.envs]
        return tuple(each(*args, **kwargs) if callable(each) else each for each in found)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of every environment, or of the wrapper that has it.

        Args:
            name: Of the attribute.
            values: One value for all, or a list or tuple with one for each.
        """
        for env, value in zip(self.envs, self._values(values), strict=True):
            env.set_wrapper_attr(name, value)

    def close_extras(self, **kwargs: Any) -> None:
        """Close every environment."""
        for env in self.envs:
            env.close()

    def _reset(
        self, indices: Sequence[int], seeds: Sequence[int | None], options: Mapping[str, Any] | None
    ) -> list[Begun]:
        return [
            self.envs[index].reset(seed=seed, options=None if options is None else dict(options))
            for index, seed in zip(indices, seeds, strict=True)
        ]

    def _step(self, indices: Sequence[int], actions: Sequence[Any]) -> list[Played]:
        envs = self.envs
        return [envs[index].step(action) for index, action in zip(indices, actions, strict=True)]  # type: ignore[misc]
