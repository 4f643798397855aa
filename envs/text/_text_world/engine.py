"""The package's interpreter: games of TextWorld and of ALFWorld, begun and played in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentgym.core.errors import EngineFailure, require
from agentgym.envs._kit.engine_pool import EnginePool
from agentgym.envs._kit.engine_world import EngineEpisode
from agentgym.envs.text import TEXT_WORLD

VERSION = "1.7.0"
MOST = 8  # interpreters in a process
SEED = 1  # of the interpreter; 0 and -1 mean the clock
INFOS = ("admissible_commands", "policy_commands", "won", "lost", "score", "max_score", "objective")
ERRORS = (OSError, RuntimeError, ValueError, LookupError, AssertionError)


def package(purpose: str = TEXT_WORLD.id) -> Any:
    """The package `textworld`.

    Args:
        purpose: The id of the world that needs it.

    Raises:
        MissingExtra: if it is not installed, or in another version.
    """
    return require("textworld", extra="worlds", purpose=purpose, version=VERSION)


class Interpreter:
    """One environment of the package; game after game is played in it.

    Args:
        make: Makes the package's environment.
    """

    def __init__(self, make: Callable[[], Any]):
        self._game = make()
        self.shown: Any = None  # the package's state after the last command

    @property
    def alive(self) -> bool:
        """It runs in this process, so it is."""
        return True

    def begin(self, path: Path) -> Any:
        """Load a game and begin it: the package's first state.

        Args:
            path: Of the file of the game.

        Raises:
            EngineFailure: if it cannot be begun.
        """
        try:
            self._game.load(str(path))
            self.shown = self._game.reset()
        except ERRORS as error:
            raise EngineFailure(f"the original engine failed to begin {path.parent.name}: {error}") from error
        return self.shown

    def step(self, command: str) -> Any:
        """Play a command: the package's state after it.

        Raises:
            EngineFailure: if the engine fails.
        """
        try:
            self.shown, _, _ = self._game.step(command)
        except ERRORS as error:
            raise EngineFailure(f"the original engine failed at {command!r}: {error}") from error
        return self.shown

    def close(self) -> None:
        """Close the package's environment; harmless when repeated."""
        self._game.close()


def _z_machine() -> Any:
    """The environment that plays compiled games."""
    textworld = package()
    envs = require("textworld.envs", extra="worlds", purpose=TEXT_WORLD.id)
    game = envs.TWInform7(envs.JerichoEnv(textworld.EnvInfos(**dict.fromkeys(INFOS, True))))
    game.seed(SEED)
    return game


POOL = EnginePool(lambda: Interpreter(_z_machine), MOST)


class Episode(EngineEpisode):
    """A game file, and what was played."""

    @property
    def pool(self) -> EnginePool:
        """The interpreters of this process."""
        return POOL

    def load(self, world: Interpreter) -> None:
        """Begin the game in an interpreter."""
        world.begin(*self.spec)

    def begin(self) -> Any:
        """Begin the game: the package's first state."""
        with self.world(begin=True) as world:
            return world.begin(*self.spec)

    def gold(self) -> list[str]:
        """The walkthrough, as far as each command in it is possible when its turn comes."""
        other = Episode(*self.spec)
        with other.world(begin=True) as world:
            shown = world.begin(*self.spec)
            path = []
            for command in shown["extra.walkthrough"] or shown["policy_commands"] or ():
                if shown["won"] or shown["lost"]:
                    break
                if command in shown["admissible_commands"]:
                    path.append(command)
                    shown = world.step(command)
            return path
