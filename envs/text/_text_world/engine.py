"""The package's interpreter, in processes of its own: games of TextWorld and of ALFWorld, begun and played in it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from agentgym.core.errors import require
from agentgym.envs._kit.engine_pool import EnginePool
from agentgym.envs._kit.engine_process import EngineProcess
from agentgym.envs._kit.engine_world import EngineEpisode
from agentgym.envs.text import TEXT_WORLD

VERSION = "1.7.0"
MOST = 8  # interpreters of a kind of a process
PROGRAM = Path(__file__).with_name("child.py")


def package(purpose: str = TEXT_WORLD.id) -> Any:
    """The package `textworld`.

    Args:
        purpose: The id of the world that needs it.

    Raises:
        MissingExtra: if it is not installed, or in another version.
    """
    return require("textworld", extra="worlds", purpose=purpose, version=VERSION)


class Interpreter:
    """One environment of the package in a process of its own; game after game is played in it.

    What it answers is a table of the package's names, such as `feedback`, `won` and `admissible_commands`; a name that
    it does not tell is None.

    Args:
        alfred: Folder of ALFWorld's games; empty for compiled games of TextWorld.
    """

    def __init__(self, alfred: str = ""):
        self.process = EngineProcess("the original engine", PROGRAM, alfred)

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return self.process.alive

    def begin(self, path: Path) -> dict[str, Any]:
        """Load a game and begin it: the package's first state.

        Args:
            path: Of the file of the game.

        Raises:
            EngineFailure: if it cannot be begun.
        """
        told: dict[str, Any] = self.process.call("begin", str(path))
        return told

    def step(self, command: str) -> dict[str, Any]:
        """Play a command: the package's state after it.

        Raises:
            EngineFailure: if the engine fails.
        """
        told: dict[str, Any] = self.process.call("step", command)
        return told


POOL = EnginePool(Interpreter, MOST)


@cache
def alfred_pool(folder: str) -> EnginePool:
    """The interpreters of this process for ALFWorld's games.

    Args:
        folder: Of the games.
    """
    return EnginePool(lambda: Interpreter(folder), MOST)


class Episode(EngineEpisode):
    """A game file, and what was played.

    Args:
        path: Of the file.
        pool: The interpreters that play it; by default those for compiled games.
    """

    def __init__(self, path: Path, pool: EnginePool | None = None):
        super().__init__(path)
        self._pool = POOL if pool is None else pool  # one without worlds yet is empty, and false

    @property
    def pool(self) -> EnginePool:
        """The interpreters of this process."""
        return self._pool

    def load(self, world: Interpreter) -> None:
        """Begin the game in an interpreter."""
        world.begin(*self.spec)

    def begin(self) -> dict[str, Any]:
        """Begin the game: the package's first state."""
        with self.world(begin=True) as world:
            first: dict[str, Any] = world.begin(*self.spec)
            return first

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
