"""The folders of evaluations, matches and tournaments: one file says what is played, another holds what has ended.

Episodes of one player are lines of `episodes.jsonl`, games of several of `games.jsonl`; a line is an `EpisodeRecord`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from agentgym.core import DataError
from agentgym.core.files import parse_object
from agentgym.core.lines import read_lines
from agentgym.evaluate.episode_record import FORMAT, EpisodeRecord, Key
from agentgym.rollout.record_folder import RecordFolder

EPISODES, GAMES = "episodes.jsonl", "games.jsonl"


class EpisodeFolder(RecordFolder):
    """Episodes on record, in a folder held by one process at a time; a context manager.

    An episode is on disk when `add` returns. If writing was cut short, the half-written last line is dropped when the
    folder is next opened, and that episode is played again.

    Args:
        path: The folder; made if it is missing.
        settings: What is played; JSON-safe. A folder with another is refused.
        fresh: Throw away what the folder holds.

    Attributes:
        records: The last record of each key.
        recorded: All that are on record, those that were played again included.

    Raises:
        ConfigError: if the folder holds another run, or another process writes to it.
        DataError: if a file of the folder is damaged, or of another version of the format.
    """

    advice: ClassVar[str] = "give another folder, or start anew with fresh"
    settings: ClassVar[str] = "run.json"
    lines: ClassVar[str] = GAMES
    final: ClassVar[tuple[str, ...]] = ("", "agent")  # kinds of failure; an episode that ended with another starts anew

    def __init__(self, path: str | Path, settings: Mapping[str, Any], *, fresh: bool = False):
        super().__init__(path, settings, name=self.settings, fresh=fresh)
        try:
            self.recorded: list[EpisodeRecord] = self._read()
            self.records: dict[Key, EpisodeRecord] = {record.key: record for record in self.recorded}
        except BaseException:
            self.close()
            raise

    def _read(self) -> list[EpisodeRecord]:
        file = self.path / self.lines
        return _read_file(file) if file.exists() else []

    def add(self, *records: EpisodeRecord) -> None:
        """Append finished episodes; they survive whatever happens after."""
        try:
            self.append(self.lines.removesuffix(".jsonl"), *(record.record() for record in records))
            self.records.update((record.key, record) for record in records)
        except KeyboardInterrupt:
            self.records.update((record.key, record) for record in self._read())  # it fell before or after the writing
            raise


class RunFolder(EpisodeFolder):
    """The record of an evaluation."""

    lines = EPISODES


class MatchFolder(EpisodeFolder):
    """The record of a match."""


class TournamentFolder(EpisodeFolder):
    """The record of a tournament. A game in which the environment failed stands."""

    advice = RecordFolder.advice
    settings = "tournament.json"
    final = ("", "agent", "environment")


def read_episodes(path: str | Path) -> list[EpisodeRecord]:
    """Every episode of a file or a folder, in the order of writing; a half-written last line is left out.

    Args:
        path: A folder that `eval`, `match`, `tournament` or `play` wrote, or its `episodes.jsonl` or `games.jsonl`.

    Raises:
        DataError: if there is no such file, it is of another version of the format, or a line is no record.
    """
    file = Path(path)
    if file.is_dir():
        file /= GAMES if (file / GAMES).is_file() and not (file / EPISODES).is_file() else EPISODES
    if not file.is_file():
        raise DataError(
            f"there is no file {file}; give a folder, an {EPISODES} or a {GAMES} that `agentgym eval`, `match` or "
            "`tournament` wrote"
        )
    return _read_file(file)


def _read_file(file: Path) -> list[EpisodeRecord]:
    try:
        with file.open("rb") as lines:
            first = lines.readline()
    except OSError as error:
        raise DataError(f"{file} cannot be read ({error.strerror})") from None
    try:
        written = parse_object(first).get("format", 1) if b'"task' in first else FORMAT
    except DataError:  # no record at all, which reading the lines will say
        written = FORMAT
    if written != FORMAT:
        raise DataError(
            f"{file} holds records in format {written}, and this version of agentgym reads format {FORMAT}; play them "
            "anew, with --fresh or in another folder"
        )
    return read_lines(file, EpisodeRecord.from_line)
