"""The folder that a match is recorded in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentgym.core.lines import read_lines
from agentgym.evaluate.game_record import GameRecord
from agentgym.rollout.record_folder import RecordFolder

GAMES = "games.jsonl"
Key = tuple[str, int]


class MatchFolder(RecordFolder):
    """The record of a match: `run.json` says what is played, `games.jsonl` holds every finished game.

    Args:
        path: The folder; made if it is missing.
        settings: What is played; JSON-safe. A folder with another match is refused.
        fresh: Throw away what the folder holds.

    Attributes:
        games: The last record of each task and trial.
        recorded: All that are on record, those that were played again included.
    """

    advice = "give another folder, or start anew with fresh"

    def __init__(self, path: str | Path, settings: Mapping[str, Any], *, fresh: bool = False):
        super().__init__(path, settings, fresh=fresh)
        try:
            self.recorded = read_games(self.path) if (self.path / GAMES).exists() else []
            self.games: dict[Key, GameRecord] = {(game.task_id, game.trial): game for game in self.recorded}
        except BaseException:
            self.close()
            raise

    def add(self, game: GameRecord) -> None:
        """Append a finished game; it survives whatever happens after."""
        self.append("games", game.to_line())
        self.games[game.task_id, game.trial] = game


def read_games(path: str | Path) -> list[GameRecord]:
    """Every game of a file, or of the `games.jsonl` of a folder, in the order of writing.

    Raises:
        DataError: if there is no such file or a line is no game of a match.
    """
    file = Path(path) / GAMES if Path(path).is_dir() else Path(path)
    return read_lines(file, GameRecord.from_line)
