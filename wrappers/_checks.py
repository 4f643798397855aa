"""Checks of arguments."""

from __future__ import annotations

from typing import Any

from agentgym.core import ConfigError, LanguageEnv
from agentgym.wrappers._game_player import GamePlayer


def check_text(reply: Any) -> None:
    """Refuse what is no string, as the world does."""
    if not isinstance(reply, str):
        raise TypeError(f"an action is a string, got {type(reply).__name__}")


def at_least(name: str, value: float, least: float) -> None:
    """Refuse `value` if it is no number or below `least`; `name` is the argument that the error speaks of."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not value >= least:
        raise ConfigError(f"{name} must be at least {least}, got {value!r}")


def overrides(world: LanguageEnv | GamePlayer, hook: str) -> bool:
    """Whether a world, or the game of a player, implements one of the optional hooks of the core.

    Args:
        world: The world or the player.
        hook: Name of the method, such as `_admissible`.
    """
    kind = type(world.game) if isinstance(world, GamePlayer) else type(world)
    default = [vars(base)[hook] for base in kind.__mro__ if hook in vars(base)][-1]  # that of the base in the core
    return getattr(kind, hook) is not default
