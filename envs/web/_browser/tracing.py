"""Playwright's trace of an episode: pictures of the pages as they change, what was requested, and the console."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

from agentgym.core.errors import ConfigError, EngineFailure
from agentgym.envs.web._browser.context import Context

LONGEST = 80  # characters of a task's id in the name of a file


def check_trace(name: str, value: Any) -> Path:
    """The `value` of the option `name` as the folder of traces, which is made when the first one is written."""
    if not isinstance(value, (str, Path)) or not str(value):
        raise ConfigError(f"{name} is the path of a folder for traces, got {value!r}")
    path = Path(value)
    if path.exists() and not path.is_dir():
        raise ConfigError(f"{name} must be a folder for traces, and {path} is a file")
    return path


class Tracer:
    """Has Playwright trace the episodes of one world, and keeps each as an archive that its trace viewer shows.

    Args:
        folder: Where the archives are written: `<world>-<task>-<number>.zip`, none of which is ever written over.
        world: Name of the world.
    """

    def __init__(self, folder: Path, world: str):
        self._folder, self._world = folder, world
        self._traced: Context | None = None
        self._task = ""

    def begin(self, context: Context, task: str) -> None:
        """Begin the trace of an episode; one that is under way is written first.

        Args:
            context: Of the episode.
            task: Id of its task.
        """
        self.end()
        context.arrange(
            lambda made: made.tracing.start(title=f"{self._world} {task}", screenshots=True, snapshots=True)
        )
        self._traced, self._task = context, task

    def end(self) -> Path | None:
        """Write the trace that is under way.

        Returns:
            The archive; None if there was no trace, or its browser is gone.
        """
        context, self._traced = self._traced, None
        if context is None or context.broken:
            return None
        path = self._reserve()
        try:
            context.arrange(lambda made: made.tracing.stop(path=str(path)))
        except EngineFailure:
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
            return None
        return path

    def _reserve(self) -> Path:
        """A file of a new name; worlds of several processes may write into one folder."""
        self._folder.mkdir(parents=True, exist_ok=True)
        name = f"{self._world}-{re.sub(r'[^A-Za-z0-9_.-]', '_', self._task)[:LONGEST]}"
        number = 0
        while True:
            path = self._folder / f"{name}-{number}.zip"
            try:
                path.touch(exist_ok=False)
            except FileExistsError:
                number += 1
            else:
                return path
