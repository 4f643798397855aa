"""Where a game is played by one lineup after another: opened anew when its options or its players' wrappers change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.evaluate.limits import EpisodeLimits
from agentgym.rollout import EnvPool

Formats = Mapping[str, Sequence[Mapping[str, Any]]]


class GamePools:
    """A game that is open with the wrappers that its players have now.

    Args:
        env_id: The game.
        split: Where its tasks come from.
        limits: Of the game.
    """

    def __init__(self, env_id: str, split: str, limits: EpisodeLimits):
        self._env_id, self._split, self._limits = env_id, split, limits
        self._options: dict[str, Any] = {}
        self._formats: dict[str, list[Mapping[str, Any]]] = {}
        self._pool: EnvPool | None = None

    def open(self, env_kwargs: Mapping[str, Any] | None, formats: Formats | None = None) -> EnvPool:
        """The game as it is wanted; the same one as before if that has not changed.

        Args:
            env_kwargs: Its constructor arguments; None for those of before.
            formats: Tables of the wrappers of each player that has some.
        """
        options = self._options if env_kwargs is None else dict(env_kwargs)
        wanted = {player: list(tables) for player, tables in (formats or {}).items()}
        if self._pool is None or (options, wanted) != (self._options, self._formats):
            self.close()
            self._pool = self._limits.open(self._env_id, self._split, options, (), wanted)
            self._options, self._formats = options, wanted
        return self._pool

    def close(self) -> None:
        """Close the game."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None
