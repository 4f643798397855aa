"""Vector environments for text."""

from __future__ import annotations

from typing import Any, Literal

import gymnasium as gym
from gymnasium.vector import AutoresetMode, VectorEnv

from agentgym.core import ConfigError, full_id


def make_vec(
    name: str,
    num_envs: int = 1,
    *,
    vectorization_mode: Literal["sync", "async"] = "sync",
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    **kwargs: Any,
) -> VectorEnv[Any, Any, Any]:
    """A Gymnasium vector environment whose texts arrive as they were written.

    `gymnasium.make_vec(..., vectorization_mode="async")` moves observations through shared memory, which has no room
    for text; here they are pickled. For worlds in plain Python `sync` is also the faster mode.

    Args:
        name: An id, with or without the namespace.
        num_envs: How many environments.
        vectorization_mode: `sync` steps them in this process, `async` each in a process of its own.
        autoreset_mode: What follows an episode's end. The default resets in the same step and puts the last
            observation and info into `infos["final_obs"]` and `infos["final_info"]`.
        kwargs: Constructor arguments of the world, equal for all.

    Returns:
        Observations are tuples of `num_envs` strings; rewards and flags are arrays of shape `(num_envs,)`.

    Raises:
        ConfigError: for `async` with `NEXT_STEP`, where Gymnasium drops the first action after a manual reset.
    """
    mode = AutoresetMode(autoreset_mode)
    if vectorization_mode == "async":
        if mode == AutoresetMode.NEXT_STEP:
            raise ConfigError("async vector environments need autoreset_mode SAME_STEP or DISABLED, got NEXT_STEP")
        vector_kwargs: dict[str, Any] = {"autoreset_mode": mode, "shared_memory": False}
    elif vectorization_mode == "sync":
        vector_kwargs = {"autoreset_mode": mode}
    else:
        raise ConfigError(f"vectorization_mode must be 'sync' or 'async', got {vectorization_mode!r}")
    return gym.make_vec(
        full_id(name), num_envs, vectorization_mode=vectorization_mode, vector_kwargs=vector_kwargs, **kwargs
    )
