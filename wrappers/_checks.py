"""Checks of arguments, and functions that arguments name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from agentgym.core import ConfigError, LanguageEnv
from agentgym.core.errors import import_named
from agentgym.core.grammar import shorten
from agentgym.wrappers._game_player import GamePlayer


def check_text(reply: Any) -> None:
    """Refuse what is no string, as the world does."""
    if not isinstance(reply, str):
        raise TypeError(f"an action is a string, got {type(reply).__name__}")


def load(reference: str, purpose: str) -> Callable[..., Any]:
    """The function that `reference`, of the form `module:name`, names; errors call it by its `purpose`.

    Raises:
        ConfigError: if there is none.
    """
    module, colon, name = reference.partition(":") if isinstance(reference, str) else ("", "", "")
    if not (module and colon and name):
        raise ConfigError(f"{purpose} is named as 'module:function', got {shorten(str(reference))!r}")
    try:
        found = getattr(import_named(module), name)
    except (ModuleNotFoundError, AttributeError) as error:
        raise ConfigError(f"{purpose} {reference!r} cannot be found: {error}") from None
    if not callable(found):
        raise ConfigError(f"{purpose} {reference!r} is no function but a {type(found).__name__}")
    return cast(Callable[..., Any], found)


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
