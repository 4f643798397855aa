"""Jericho's interpreters, each in a process of its own, and the stories that are played in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentgym.core.errors import EngineFailure, require
from agentgym.envs._kit.engine_pool import EnginePool
from agentgym.envs._kit.engine_process import EngineProcess
from agentgym.envs._kit.engine_world import EngineEpisode
from agentgym.envs.text import JERICHO

VERSION = "3.3.1"
MOST = 8  # processes of a Python process
PROGRAM = Path(__file__).with_name("child.py")


def package() -> Any:
    """The package `jericho`.

    Raises:
        MissingExtra: if it is not installed, or in another version.
    """
    return require("jericho", extra="worlds", purpose=JERICHO.id, version=VERSION)


class Interpreter:
    """One interpreter; story after story is played in it. What it answers is a table; see `child.Engine`."""

    def __init__(self) -> None:
        self.process = EngineProcess("Jericho", PROGRAM)

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return self.process.alive

    def begin(self, story: str, seed: int) -> dict[str, Any]:
        """Load a story and begin it.

        Args:
            story: Path of its file.
            seed: Of its chance; 0 for that of Jericho's walkthrough.
        """
        return self._told(self.process.call("begin", story, seed))

    def step(self, line: str) -> dict[str, Any]:
        """Say a line to the story."""
        return self._told(self.process.call("step", line))

    def candidates(self) -> list[str] | None:
        """Lines that change something now; see `child.Engine.candidates`."""
        found: list[str] | None = self.process.call("candidates")
        return found

    def _told(self, told: dict[str, Any]) -> dict[str, Any]:
        if told["halted"]:
            raise EngineFailure("the story did what no story may, and the interpreter halted")
        return told


POOL = EnginePool(Interpreter, MOST)


class Episode(EngineEpisode):
    """A story, the seed of its chance, its walkthrough, and what was said.

    Args:
        story: Path of its file.
        seed: Of its chance; 0 for that of the walkthrough.
        walkthrough: Lines that win it, as far as they can be said.
    """

    def __init__(self, story: str, seed: int, walkthrough: list[str]):
        super().__init__(story, seed)
        self._walkthrough = walkthrough

    @property
    def pool(self) -> EnginePool:
        """The interpreters of this process."""
        return POOL

    def load(self, world: Interpreter) -> None:
        """Begin the story."""
        world.begin(*self.spec)

    def begin(self) -> dict[str, Any]:
        """Begin the story: its first answer."""
        with self.world(begin=True) as world:
            first: dict[str, Any] = world.begin(*self.spec)
            return first

    def gold(self) -> list[str]:
        """The walkthrough."""
        return list(self._walkthrough)

    def candidates(self) -> list[str] | None:
        """Lines that change something now."""
        with self.world() as world:
            found: list[str] | None = world.candidates()
            return found
