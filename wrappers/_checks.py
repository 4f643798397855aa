"""What a world is asked when wrappers are put around it."""

from __future__ import annotations

from agentgym.core import LanguageEnv
from agentgym.wrappers._game_player import GamePlayer


def overrides(world: LanguageEnv | GamePlayer, hook: str) -> bool:
    """Whether a world, or the game of a player, implements one of the optional hooks of the core.

    Args:
        world: The world or the player.
        hook: Name of the method, such as `_admissible`.
    """
    kind = type(world.game) if isinstance(world, GamePlayer) else type(world)
    default = [vars(base)[hook] for base in kind.__mro__ if hook in vars(base)][-1]  # that of the base in the core
    return getattr(kind, hook) is not default
