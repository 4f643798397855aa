"""The folder of a run: `run.json` says what is played, `episodes.jsonl` holds every finished episode, one a line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from filelock import FileLock, Timeout

from agentgym.core import ConfigError, DataError
from agentgym.evaluate.transcript import Transcript

RUN, EPISODES, LOCK = "run.json", "episodes.jsonl", "run.lock"


class RunFolder:
    """The folder of a run, held by one process at a time; a context manager.

    An episode is on disk, flushed and synchronised, when `add` returns. If writing was cut short, the half-written last
    line is dropped when the folder is next opened, and that episode is played again.

    Args:
        path: The folder; made if it is missing.
        config: What is played; JSON-safe. A folder with another is refused.
        fresh: Throw away what the folder holds.

    Attributes:
        episodes: The last transcript of each (task id, trial).

    Raises:
        ConfigError: if the folder holds another run, or another process writes to it.
        DataError: if a file of the folder is corrupt.
    """

    def __init__(self, path: str | Path, config: Mapping[str, Any], *, fresh: bool = False):
        self.path = Path(path)
        self._lock = FileLock(self.path / LOCK, blocking=False)  # the system lets go of it if the process dies
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            self._file = os.open(self.path / EPISODES, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except Timeout:
            raise ConfigError(
                f"another process is writing to {self.path}; wait for it or give another folder"
            ) from None
        except OSError as error:
            self._lock.release()
            raise ConfigError(f"the folder {self.path} cannot be written ({error.strerror}); give another") from None
        try:
            if fresh:
                os.ftruncate(self._file, 0)
                (self.path / RUN).unlink(missing_ok=True)
            self._agree(dict(config))
            whole = _whole_lines(self.path / EPISODES)
            os.ftruncate(self._file, len(whole))
            self.episodes = {
                (episode.task_id, episode.trial): episode for episode in _parse(whole, self.path / EPISODES)
            }
        except BaseException:
            self._close()
            raise

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def add(self, episode: Transcript) -> None:
        """Append a finished episode; it survives whatever happens after."""
        line = episode.to_line().encode() + b"\n"
        if os.write(self._file, line) != len(line):  # one write, so an interrupt falls before or after it
            raise DataError(f"{self.path / EPISODES} could not be written in full; the disk may be full")
        self.episodes[episode.task_id, episode.trial] = episode
        os.fsync(self._file)

    def _close(self) -> None:
        os.close(self._file)
        self._lock.release()

    def _agree(self, config: dict[str, Any]) -> None:
        """Write `run.json`, or compare with the one that is there."""
        path = self.path / RUN
        if not path.exists():
            if os.fstat(self._file).st_size:
                raise DataError(
                    f"{self.path} holds episodes but no {RUN}; give another folder, or start anew with fresh"
                )
            path.with_suffix(".new").write_text(json.dumps(config, indent=2) + "\n", encoding="utf8")
            path.with_suffix(".new").replace(path)  # never half a file
            return
        there = _read_config(path)
        for key in sorted({*there, *config}):
            if there.get(key) != config.get(key):
                raise ConfigError(
                    f"{self.path} holds a run with {key} {json.dumps(there.get(key))}, this one has "
                    f"{json.dumps(config.get(key))}; give another folder, or start anew with fresh"
                )


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text(encoding="utf8"))
    except ValueError as error:
        raise DataError(f"{path} is no JSON ({error}); restore it, or start anew with fresh") from None
    if not isinstance(config, dict):
        raise DataError(f"{path} must hold a JSON object; restore it, or start anew with fresh")
    return config


def read_episodes(path: str | Path) -> list[Transcript]:
    """Every transcript of a file, or of the `episodes.jsonl` of a folder, in the order of writing.

    A half-written last line is left out.

    Raises:
        DataError: if there is no such file or a line is no transcript.
    """
    file = Path(path) / EPISODES if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise DataError(f"there is no file {file}; give a folder or an {EPISODES} that `agentgym eval` wrote")
    return _parse(_whole_lines(file), file)


def _whole_lines(path: Path) -> bytes:
    content = path.read_bytes()
    return content[: content.rfind(b"\n") + 1]


def _parse(content: bytes, path: Path) -> list[Transcript]:
    episodes = []
    for number, line in enumerate(content.splitlines(), 1):
        try:
            episodes.append(Transcript.from_line(line.decode()))
        except (DataError, UnicodeDecodeError) as error:
            raise DataError(f"{path}, line {number}: {error}; mend or remove the line") from None
    return episodes
