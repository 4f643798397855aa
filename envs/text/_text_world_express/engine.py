"""The package's engine in the Java machine of the process: its worlds, and what an episode has played."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any
from zipfile import ZipFile

from agentgym.core.errors import EngineFailure, require
from agentgym.envs._kit.class_file import with_fixed_seed
from agentgym.envs._kit.engine_pool import EnginePool
from agentgym.envs._kit.engine_world import EngineEpisode
from agentgym.envs._kit.java import JavaWorld
from agentgym.envs.text import TEXT_WORLD_EXPRESS

VERSION = "1.1.0"
MOST = 8  # worlds in the machine of a process
INTERFACE = "textworldexpress.runtime.PythonInterface"
RANDOM = "scala.util.Random"


def package() -> Any:
    """The package.

    Raises:
        MissingExtra: if it is not installed, or in another version.
    """
    return require("textworld_express.constants", extra="worlds", purpose=TEXT_WORLD_EXPRESS.id, version=VERSION)


@cache
def _patched(jar: str) -> bytes:
    """The class of random generators: those that look for gold paths are made without a seed, so of the time."""
    with ZipFile(jar) as classes:
        return with_fixed_seed(classes.read(f"{RANDOM.replace('.', '/')}.class"))


class Games(JavaWorld):
    """One world of the engine; game after game is made in it."""

    def __init__(self) -> None:
        jar = str(package().JAR_PATH)
        super().__init__(TEXT_WORLD_EXPRESS.id, package().BASEPATH, jar, INTERFACE, {RANDOM: _patched(jar)})

    def _load_classes(self, jar: str, given: dict[str, bytes]) -> None:
        super()._load_classes(jar, given)
        self._load = self._classes.method(INTERFACE, "load", str, str)
        self._make = self._classes.method(INTERFACE, "generateNewGameJSON", int, str, bool)
        step = self._classes.method(INTERFACE, "stepJSON", str)
        self._step: Callable[[str], str] = self._classes.function(step, self._interface)
        self._loaded: tuple[str, str] | None = None

    def begin(self, game: str, params: str, fold: str, seed: int, *, gold: bool = False) -> dict[str, Any]:
        """Make a game: what the engine says of its first state.

        Args:
            game: Its name.
            params: As the engine reads them, such as `numLocations=5,includeDoors=0`.
            fold: `train`, `dev` or `test`.
            seed: Its number.
            gold: Whether a gold path is made too.
        """
        if self._loaded != (game, params):
            wrong = self.machine.call(self._classes.invoke, self._load, self._interface, game, params)
            if wrong:
                raise EngineFailure(f"the engine cannot make {game}: {wrong}")
            self._loaded = (game, params)
        told = self.machine.call(self._classes.invoke, self._make, self._interface, seed, fold, gold)
        return dict(json.loads(told))

    def step(self, action: str) -> dict[str, Any]:
        """Play an action, one of the valid ones."""
        return dict(json.loads(self.machine.call(self._step, action)))

    def description(self) -> str:
        """The task in words."""
        return self._text("getTaskDescription")

    def gold(self) -> list[str]:
        """The gold path, if the game was made with it."""
        return self._list("getGoldActionSequence")


POOL = EnginePool(Games, MOST)


class Episode(EngineEpisode):
    """A game, its parameters, fold and seed, and what was played."""

    @property
    def pool(self) -> EnginePool:
        """The engine's worlds in this process."""
        return POOL

    def load(self, world: Games) -> None:
        """Make the game in a world."""
        world.begin(*self.spec)

    def begin(self) -> tuple[str, dict[str, Any]]:
        """Make the game: the task in words, and its first state."""
        with self.world(begin=True) as world:
            first = world.begin(*self.spec)
            return world.description(), first

    def gold(self) -> list[str]:
        """The engine's gold path from the beginning, without actions in it that are not valid when their turn comes."""
        other = Episode(*self.spec)
        with other.world(begin=True) as world:
            valid = world.begin(*self.spec, gold=True)["validActions"]
            path = []
            for action in world.gold():
                if action in valid:
                    path.append(action)
                    valid = world.step(action)["validActions"]
            return path
