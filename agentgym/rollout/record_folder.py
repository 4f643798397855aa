"""The folder that a run, an evaluation, a tournament or a reproduction is recorded in: one writer, lines that stay."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

from filelock import FileLock, Timeout

from agentgym.core import ConfigError, DataError
from agentgym.core.files import LOCK, PARTIAL, REPLACED, SETTINGS, read_object, settle, write_whole
from agentgym.core.grammar import shorten
from agentgym.core.lines import append_lines, mend

SUMMARY = "summary.json"  # of what the lines say, in some folders
PATIENCE = 1.0  # seconds in which the workers of a process that was killed may end
SHOWN = 80  # characters of a setting in a complaint


class RecordFolder:
    """Settings and JSON lines in a folder, held by one process at a time; a context manager.

    A record is on disk when `append` returns, and stays there. When a folder is opened again, the last line of each
    file is cut off if writing it was interrupted, what was never given its name is removed, and what a kill left under
    no name but a hidden one has its own again. Files that are none of its own are left as they are.

    Args:
        path: The folder; made if it is missing.
        settings: What decides the records, JSON-safe: a folder with others is refused, unless nothing was recorded
            under them, as where an agent could not be made. None for a folder whose records are of no one setting.
        name: Of the file of settings.
        fresh: Throw away the records that the folder holds, and their summary; where it holds no settings, nothing.

    Attributes:
        own: Names, or patterns of names, of the files of lines that are written here.

    Raises:
        ConfigError: if the folder holds other settings, cannot be written, or another process writes to it.
        DataError: if the settings are damaged or missing.
    """

    own: ClassVar[tuple[str, ...]] = ("episodes.jsonl", "games.jsonl")
    advice: ClassVar[str] = "give another folder or the same settings"
    allow_nan: ClassVar[bool] = True

    def __init__(
        self,
        path: str | Path,
        settings: Mapping[str, Any] | None = None,
        *,
        name: str = SETTINGS,
        fresh: bool = False,
    ):
        self.path = Path(path)
        self._lock = FileLock(self.path / LOCK, timeout=PATIENCE, thread_local=False)  # let go of when a process dies
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(poll_interval=PATIENCE / 20)
        except Timeout:
            raise ConfigError(
                f"another process is writing to {self.path}; wait for it or give another folder"
            ) from None
        except OSError as error:
            raise ConfigError(f"the folder {self.path} cannot be written ({error.strerror}); give another") from None
        try:
            self._open(settings, name, fresh)
        except OSError as error:
            self.close()
            raise ConfigError(f"the folder {self.path} cannot be written ({error.strerror}); give another") from None
        except BaseException:
            self.close()
            raise

    def _open(self, settings: Mapping[str, Any] | None, name: str, fresh: bool) -> None:
        if fresh and (self.path / name).exists():
            for file in (
                self.path / SUMMARY,
                *self._files(),
                self.path / name,
            ):  # the settings last: they say whose records these are
                file.unlink(missing_ok=True)
        if settings is not None:
            self._agree(json.loads(json.dumps(settings)), self.path / name)
        for ending in (PARTIAL, REPLACED):
            for leftover in self.path.glob(f".*{ending}"):
                settle(leftover.with_name(leftover.name[1:].removesuffix(ending)))
        if (self.path / name).exists():
            for file in self._files():
                mend(file)

    def _files(self) -> list[Path]:
        """The files of lines that are written here."""
        return sorted({file for pattern in self.own for file in self.path.glob(pattern)})

    def _agree(self, settings: dict[str, Any], file: Path) -> None:
        """Write the settings, or compare with those that are there, which stand once something is recorded."""
        for link in (self.path / name for name in self.own):
            if link.is_symlink() and not link.exists():
                raise DataError(f"{link} is a link to nothing; remove it")
        has_lines = any(lines.stat().st_size for lines in self._files())
        if has_lines and not file.exists():
            raise DataError(f"{self.path} holds records but no {file.name}; give another folder")
        differing = _difference(read_object(file), settings) if file.exists() else None
        if differing and (has_lines or any(each.is_dir() for each in self.path.iterdir())):
            key, *values = differing
            one, other = (shorten(json.dumps(value), SHOWN) for value in values)
            raise ConfigError(f"{self.path} holds a run with {key} {one}, this one has {other}; {self.advice}")
        if differing or not file.exists():
            write_whole(file, json.dumps(settings, indent=1, sort_keys=True) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let other processes write."""
        self._lock.release()

    def append(self, name: str, *records: Mapping[str, Any]) -> None:
        """Add records to `NAME.jsonl`, a line each; they are on disk when this returns, or none of them is.

        Args:
            name: Of the file, without its ending.
            records: JSON-safe data.

        Raises:
            DataError: if they cannot be written, such as on a full disk.
        """
        lines = "".join(json.dumps(record, allow_nan=self.allow_nan) + "\n" for record in records).encode()
        append_lines(self.path / f"{name}.jsonl", lines)

    def lengths(self) -> dict[str, int]:
        """Bytes of every file of lines."""
        return {file.name: file.stat().st_size for file in self._files()}

    def check_lengths(self, lengths: Mapping[str, int]) -> None:
        """Refuse a folder that has lost lines since `lengths` were taken.

        Raises:
            DataError: naming the file that is shorter than it was then.
        """
        now = self.lengths()
        for name, wanted in lengths.items():
            if now.get(name, 0) < wanted:
                raise DataError(f"{self.path / name} has lost lines")

    def cut(self, lengths: Mapping[str, int]) -> None:
        """Forget the lines written after `lengths` were taken.

        Raises:
            DataError: if a file is shorter than it was then.
        """
        self.check_lengths(lengths)
        for file in self._files():
            if not lengths.get(file.name):
                file.unlink()
            elif file.stat().st_size > lengths[file.name]:
                os.truncate(file, lengths[file.name])


def _difference(there: Mapping[str, Any], here: Mapping[str, Any], within: str = "") -> tuple[str, Any, Any] | None:
    """The first setting in which two tables differ, with its values; a table within both is looked into."""
    for key in sorted({*there, *here}):
        one, other = there.get(key), here.get(key)
        if one != other:
            name = f"{within}{key}"
            if isinstance(one, dict) and isinstance(other, dict) and one and other:
                return _difference(one, other, f"{name}.")
            return name, one, other
    return None
