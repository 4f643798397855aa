"""Marks a world as one with a fault, and says which checks must catch it."""

import gymnasium as gym
from vault_world import variant

from agentgym.core.hooks import clashes

BROKEN: dict[str, tuple[str, ...]] = {}


def broken(*checks, **card):
    def mark(cls):
        variant(cls, **card)
        BROKEN[cls.card.id] = (*checks, *["hooks only"] * bool(clashes(cls)))
        return cls

    return mark


def foreign(name, *checks, **kwargs):
    def mark(cls):
        gym.register(f"Vault/{name}-v0", f"broken_worlds:{cls.__name__}", **kwargs)
        BROKEN[f"Vault/{name}-v0"] = checks
        return cls

    return mark
