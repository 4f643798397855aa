"""Many environments at once: in this process for worlds in plain Python, in processes of their own for engines."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import gymnasium as gym
from gymnasium.vector import AutoresetMode

from agentgym.core import ConfigError, UnknownName, card, full_id
from agentgym.core.checks import check_count
from agentgym.core.errors import import_named
from agentgym.vector.base import BaseVectorEnv
from agentgym.vector.local import LocalVectorEnv
from agentgym.vector.worker import EnvFactory, Wrap

if TYPE_CHECKING:
    from agentgym.vector.process import ProcessVectorEnv

__all__ = ["BaseVectorEnv", "LocalVectorEnv", "ProcessVectorEnv", "make_vec"]

STEP_TIMEOUT = 300.0  # seconds; longer than any world needs, so that what hangs is noticed before the night is over


def make_vec(
    name: str,
    num_envs: int = 1,
    *,
    vectorization_mode: Literal["auto", "sync", "async"] = "auto",
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    wrappers: Sequence[Wrap] = (),
    step_timeout: float | None = None,
    memory_limit: float | None = None,
    **kwargs: Any,
) -> BaseVectorEnv:
    """A vector environment, used as Gymnasium's; `BaseVectorEnv` says what it adds, first of all live masks.

    Args:
        name: An id, with or without the namespace.
        num_envs: How many environments.
        vectorization_mode: `sync` steps them in this process, `async` each in a process of its own. `auto` takes
            processes for worlds whose card says that they are engines (they replay or cannot be copied), and this
            process for all others, where processes would cost more than the steps.
        autoreset_mode: What follows an episode's end. The default resets in the same step and puts the last
            observation and info into `infos["final_obs"]` and `infos["final_info"]`.
        wrappers: Put around each environment, the first innermost; for processes, importable functions or classes, or
            `functools.partial` of them.
        step_timeout: For processes, seconds that a step or a reset may take before the environment is ended and
            the episode marked as a failure; by default 300.
        memory_limit: For processes, MiB that each may hold with all that it started; by default no limit.
        kwargs: Constructor arguments of the world, equal for all.

    Returns:
        Observations are tuples of `num_envs` strings; rewards and flags are arrays of shape `(num_envs,)`.

    Raises:
        ConfigError: if an argument is wrong, or has no effect in the mode.
    """
    num_envs = check_count("num_envs", num_envs)
    mode = AutoresetMode(autoreset_mode)
    if vectorization_mode not in ("auto", "sync", "async"):
        raise ConfigError(f"vectorization_mode must be 'auto', 'sync' or 'async', got {vectorization_mode!r}")
    spec = _spec(full_id(name))
    factory = EnvFactory(spec, kwargs, tuple(wrappers))
    shown = copy.deepcopy(spec)
    shown.kwargs = {**shown.kwargs, **kwargs, "num_envs": num_envs}
    if vectorization_mode == "async" or (vectorization_mode == "auto" and _is_engine(name)):
        from agentgym.vector.process import ProcessVectorEnv  # multiprocessing is not needed by most

        limit = STEP_TIMEOUT if step_timeout is None else step_timeout
        return ProcessVectorEnv(factory, num_envs, mode, limit, memory_limit, shown)
    for given, value in (("step_timeout", step_timeout), ("memory_limit", memory_limit)):
        if value is not None:
            raise ConfigError(f"{given} has no effect on environments in this process; use vectorization_mode='async'")
    return LocalVectorEnv([factory] * num_envs, mode, shown)


def _spec(name: str) -> Any:
    """The specification of an id, which may name the module that registers it."""
    module, _, bare = name.rpartition(":")
    if module:
        import_named(module)
    return gym.spec(bare)


def _is_engine(name: str) -> bool:
    try:
        return card(name).snapshot != "copy"
    except UnknownName:
        return False  # not one of ours: Gymnasium's own default


def __getattr__(name: str) -> Any:
    if name == "ProcessVectorEnv":
        from agentgym.vector.process import ProcessVectorEnv

        return ProcessVectorEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
