"""Matches and tournaments on record as pages; folders are read without being held, and no game is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from agentgym.core import DataError
from agentgym.core.files import read_object
from agentgym.core.kinds import check_kind
from agentgym.evaluate import EpisodeRecord, MatchResult, figures, read_episodes
from agentgym.evaluate.store import GAMES
from agentgym.evaluate.tournament import Tournament, judged
from agentgym.report.cross_play import tournament_page
from agentgym.report.match import match_page
from agentgym.report.page import Page

MATCH, TOURNAMENT = "run.json", "tournament.json"


class _Match(TypedDict):
    env: str
    split: str
    agents: Mapping[str, Any]


class _Tournament(TypedDict):
    env: str
    players: Sequence[str]
    deals: int


def is_of_games(folder: Path) -> bool:
    """Whether a folder holds the files of a match or of a tournament."""
    return (folder / GAMES).is_file() and any((folder / name).is_file() for name in (MATCH, TOURNAMENT))


def games_page(folder: Path) -> Page:
    """The page of a match, or of a tournament.

    Args:
        folder: Of `agentgym match`, `tournament`, or of the games that `play` and `ui` kept.

    Raises:
        DataError: if the folder holds neither, it is damaged, or no game has ended yet.
    """
    return (
        tournament_page(read_tournament(folder)) if (folder / TOURNAMENT).is_file() else match_page(read_match(folder))
    )


def read_match(folder: Path) -> MatchResult:
    """The match in a folder, as far as it has been played.

    Args:
        folder: Where it is recorded.

    Raises:
        DataError: as `games_page`.
    """
    settings = _settings(folder / MATCH, _Match, "match")
    games = _games(folder)
    playing = {one.agent for game in games for one in game.players.values()}
    agents = [agent for agent in settings["agents"] if agent in playing]
    if strange := sorted(playing - set(agents)):
        raise DataError(f"{folder / GAMES} holds a game of {strange[0]}, who is not in {MATCH}")
    env_id = settings["env"].rpartition(":")[2]
    return MatchResult(env_id, settings["split"], folder, agents, games, figures(games, agents))


def read_tournament(folder: Path) -> Tournament:
    """The tournament in a folder.

    Args:
        folder: Where it is recorded.

    Raises:
        DataError: as `games_page`, if it has not been played to its end, or the game's card is of another package.
    """
    settings = _settings(folder / TOURNAMENT, _Tournament, "tournament")
    try:
        return judged(settings["env"], settings["players"], settings["deals"], _games(folder))
    except DataError as error:
        raise DataError(f"{folder}: {error}") from None


def _settings(file: Path, kind: Any, what: str) -> dict[str, Any]:
    settings = read_object(file)
    check_kind(settings, kind, f"settings of a {what} in {file}")
    return settings


def _games(folder: Path) -> list[EpisodeRecord]:
    """The last record of each game, in the order in which they were first recorded."""
    games = {game.key: game for game in read_episodes(folder / GAMES)}
    if not games:
        raise DataError(f"no game in {folder} has ended yet")
    return list(games.values())
