"""The folders of evaluations, matches and tournaments: one file says what is played, another holds what has ended."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from agentgym.core import DataError
from agentgym.core.lines import read_lines
from agentgym.evaluate.cross_game import TournamentGame
from agentgym.evaluate.game_record import GameRecord
from agentgym.evaluate.transcript import Transcript
from agentgym.rollout.record_folder import RecordFolder

EPISODES, GAMES = "episodes.jsonl", "games.jsonl"
Key: TypeAlias = tuple[str | int, ...]


Recorded: TypeAlias = Transcript | GameRecord | TournamentGame
"""The record of an episode that has ended."""
R = TypeVar("R", Transcript, GameRecord, TournamentGame, Transcript | GameRecord | TournamentGame)
"""What is kept of an episode that has ended."""


class EpisodeFolder(RecordFolder, Generic[R]):
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
        DataError: if a file of the folder is damaged.
    """

    advice: ClassVar[str] = "give another folder, or start anew with fresh"
    settings: ClassVar[str] = "run.json"
    lines: ClassVar[str] = GAMES
    final: ClassVar[tuple[str, ...]] = ("", "agent")  # kinds of failure; an episode that ended with another starts anew

    def __init__(self, path: str | Path, settings: Mapping[str, Any], *, fresh: bool = False):
        super().__init__(path, settings, name=self.settings, fresh=fresh)
        try:
            self.recorded: list[R] = self._read()
            self.records: dict[Key, R] = {record.key: record for record in self.recorded}
        except BaseException:
            self.close()
            raise

    @staticmethod
    @abstractmethod
    def parse(line: bytes) -> R:
        """The record of a line of the file."""

    def _read(self) -> list[R]:
        file = self.path / self.lines
        return read_lines(file, self.parse) if file.exists() else []

    def add(self, *records: R) -> None:
        """Append finished episodes; they survive whatever happens after."""
        try:
            self.append(self.lines.removesuffix(".jsonl"), *(record.record() for record in records))
            self.records.update((record.key, record) for record in records)
        except KeyboardInterrupt:
            self.records.update((record.key, record) for record in self._read())  # it fell before or after the writing
            raise


class RunFolder(EpisodeFolder[Transcript]):
    """The record of an evaluation; `episodes.jsonl` holds its transcripts."""

    lines = EPISODES
    parse = staticmethod(Transcript.from_line)


class MatchFolder(EpisodeFolder[GameRecord]):
    """The record of a match; `games.jsonl` holds its games."""

    parse = staticmethod(GameRecord.from_line)


class TournamentFolder(EpisodeFolder[TournamentGame]):
    """The record of a tournament; `games.jsonl` holds its games. One in which the environment failed stands."""

    advice = RecordFolder.advice
    settings = "tournament.json"
    final = ("", "environment")
    parse = staticmethod(TournamentGame.from_line)


def read_episodes(path: str | Path) -> list[Transcript]:
    """Every transcript of a file, or of the `episodes.jsonl` of a folder, in the order of writing.

    A half-written last line is left out.

    Raises:
        DataError: if there is no such file or a line is no transcript.
    """
    file = Path(path) / EPISODES if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise DataError(f"there is no file {file}; give a folder or an {EPISODES} that `agentgym eval` wrote")
    return read_lines(file, Transcript.from_line)


def read_games(path: str | Path) -> list[GameRecord]:
    """Every game of a file, or of the `games.jsonl` of a folder, in the order of writing.

    Raises:
        DataError: if there is no such file or a line is no game of a match.
    """
    file = Path(path) / GAMES if Path(path).is_dir() else Path(path)
    return read_lines(file, GameRecord.from_line)
