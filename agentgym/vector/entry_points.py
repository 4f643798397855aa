"""How `gymnasium.make_vec(id)` finds `agentgym.make_vec`: each id is an attribute of this module, a function.

Gymnasium keeps entry points as text, so that a specification can be written to a file, and calls them without the id.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import gymnasium as gym

from agentgym.vector import BaseVectorEnv, make_vec


def __getattr__(name: str) -> Callable[..., BaseVectorEnv]:
    """`make_vec` for the id of this name; it takes `num_envs` and the other keyword arguments."""
    if name not in gym.registry:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: no such id is registered")
    return functools.partial(make_vec, name)
