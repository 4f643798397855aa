"""What `eval`, `match`, `tournament` and `play` have written, as episodes that can be played again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

import numpy as np

from agentgym.agents import ActionPolicy, PolicyFailure, View
from agentgym.agents.policy import ContextOverflow
from agentgym.core import AgentGymError, ContentRefused, DataError, EndpointError
from agentgym.core.files import read_object
from agentgym.core.kinds import check_kind
from agentgym.core.lines import read_lines
from agentgym.evaluate.cross_game import TournamentGame, game_of, holders
from agentgym.evaluate.game_record import GameRecord, game_record
from agentgym.evaluate.store import (
    EPISODES,
    GAMES,
    MatchFolder,
    Recorded,
    TournamentFolder,
    read_episodes,
    read_games,
)
from agentgym.evaluate.transcript import Setting, Transcript, transcript
from agentgym.rollout import EnvPool, RunningEpisode

Step: TypeAlias = tuple[str, str, Any]
"""Player, what it saw before it acted, and what the record says of the step besides."""
GAVE_UP = ("failure", "context", "refused")  # ends of an episode by who played it


class _Asked(TypedDict):
    wrappers: Sequence[Mapping[str, Any]]


class _Settings(TypedDict):
    env: str
    env_kwargs: Mapping[str, Any]
    split: str
    agents: Mapping[str, _Asked]


@dataclass(frozen=True)
class RecordedPlay:
    """One recorded episode, with all that playing it again takes.

    Attributes:
        record: The record.
        name: Which of the file's it is, for messages.
        env, env_kwargs, split: The world as `module:id`, its other options, and where its tasks come from.
        task, seed: Where the episode began.
        actions: By player, what it said, in order.
        gave_up: Players of whom one could not go on, if the episode did not come to its end.
        again: The record of the same kind of an episode that was played, given where.
        around: Tables of the wrappers around the world, the first innermost.
        formats: Tables of the wrappers of each player of a game.
    """

    record: Recorded
    name: str
    env: str
    env_kwargs: Mapping[str, Any]
    split: str
    task: str | int
    seed: int
    actions: Mapping[str, Sequence[str]]
    gave_up: frozenset[str]
    again: Callable[[RunningEpisode, EnvPool], Recorded]
    around: Sequence[Mapping[str, Any]] = ()
    formats: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not all(isinstance(said, str) for actions in self.actions.values() for said in actions):
            raise DataError(f"{self.name} is damaged: an action on record is no text; mend or remove its line")

    @property
    def wrappers(self) -> Sequence[Mapping[str, Any]]:
        """Tables of all wrappers."""
        return [*self.around, *(table for tables in self.formats.values() for table in tables)]

    def policy(self, player: str) -> RecordedPolicy:
        """What says again what a player said."""
        error: AgentGymError | None = None
        if not self.gave_up:
            error = PolicyFailure("the record ends here and the episode does not")
        elif player in self.gave_up:
            error = _error(self.record)
        return RecordedPolicy(self.actions[player], error)


class RecordedPolicy(ActionPolicy):
    """Says what is on record.

    Args:
        actions: What it says, in order.
        error: Why it cannot go on then; None if another player is to stop the episode in that turn, in which nothing
            that is said is played.
    """

    def __init__(self, actions: Sequence[str], error: AgentGymError | None):
        self._actions, self._error = actions, error

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The next action.

        Args:
            view: What the player is given.
            rng: Not drawn from.

        Raises:
            PolicyFailure, EndpointError: after the last.
        """
        turn = len(view.said)
        if turn < len(self._actions):
            return self._actions[turn]
        if self._error is not None:
            raise self._error
        if turn > len(self._actions):
            raise PolicyFailure("the record of the player ends before that of who gave up")
        return ""


def read_recorded(path: str | Path) -> list[RecordedPlay]:
    """Every episode of a file or a folder, in the order of writing.

    Args:
        path: A folder that `eval`, `match`, `tournament` or `play` wrote, its `episodes.jsonl`, or its `games.jsonl`
            with the file of settings beside it.

    Raises:
        DataError: if there is no such file, or it is damaged.
    """
    file = Path(path)
    if file.is_dir():
        file /= GAMES if (file / GAMES).is_file() and not (file / EPISODES).is_file() else EPISODES
    if not file.is_file():
        raise DataError(
            f"there is no file {file}; give a folder, an {EPISODES} or a {GAMES} that `agentgym eval`, `match` or "
            "`tournament` wrote"
        )
    if file.name != GAMES:
        return [_of_transcript(episode) for episode in read_episodes(file)]
    tournament, match = (file.with_name(kind.settings) for kind in (TournamentFolder, MatchFolder))
    settings = tournament if tournament.is_file() else match
    if not settings.is_file():
        raise DataError(
            f"{file} does not say which game was played; put the {match.name} of the match or the {tournament.name} of "
            "the tournament beside it"
        )
    return [*_of_games(file, settings, tournament=settings == tournament)]


def _of_games(file: Path, settings: Path, *, tournament: bool) -> Iterator[RecordedPlay]:
    """The games of a match or a tournament."""
    table = read_object(settings)
    check_kind(table, _Settings, f"settings of a {'tournament' if tournament else 'match'} in {settings}")
    found: Sequence[GameRecord | TournamentGame] = (
        read_lines(file, TournamentGame.from_line) if tournament else read_games(file)
    )
    for number, game in enumerate(found, 1):
        try:
            wrappers = {label: agent["wrappers"] for label, agent in table["agents"].items()}
            shared = {"env": table["env"], "env_kwargs": dict(table["env_kwargs"]), "split": table["split"]}
            if isinstance(game, TournamentGame):
                yield _of_tournament(game, shared, wrappers)
            else:
                yield _of_match(game, shared, wrappers)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(
                f"{file}, line {number}, does not fit {settings.name} ({type(error).__name__}: {error}); both must be "
                "of one folder"
            ) from None


def _of_transcript(episode: Transcript) -> RecordedPlay:
    names = ("env", "env_kwargs", "split", "agent", "agent_options", "wrappers")
    setting = Setting(**{name: getattr(episode, name) for name in names})
    return RecordedPlay(
        episode,
        f"task {episode.task_id}, trial {episode.trial}",
        episode.env,
        episode.env_kwargs,
        episode.split,
        episode.task_id,
        episode.seed,
        {"": [turn.action for turn in episode.turns]},
        frozenset([""] if episode.stop in GAVE_UP else []),
        lambda running, pool: transcript(running, setting, episode.trial),
        around=episode.wrappers,
    )


def _of_match(
    game: GameRecord, shared: Mapping[str, Any], wrappers: Mapping[str, Sequence[Mapping[str, Any]]]
) -> RecordedPlay:
    held = {player: side.agent for player, side in game.sides.items()}
    return RecordedPlay(
        game,
        f"task {game.task_id}, trial {game.trial}",
        task=game.task_id,
        seed=game.seed,
        actions={player: [turn.action for turn in side.turns] for player, side in game.sides.items()},
        gave_up=frozenset([game.stopped_by] if game.stopped_by else []),
        again=lambda running, pool: game_record(running, pool, held, game.trial),
        formats={player: tables for player, label in held.items() if (tables := wrappers[label])},
        **shared,
    )


def _of_tournament(
    game: TournamentGame, shared: Mapping[str, Any], wrappers: Mapping[str, Sequence[Mapping[str, Any]]]
) -> RecordedPlay:
    fixture = game.first, game.second, game.position
    held = holders(fixture, game.sides)
    actions: dict[str, list[str]] = {player: [] for player in held}
    if len(game.said()) != len(game.saw):
        raise ValueError(f"{len(game.said())} actions and {len(game.saw)} observations")
    for player, said in game.said():
        actions[player].append(said)
    outage = game.failure_kind not in ("", "environment")
    return RecordedPlay(
        game,
        f"{game.first} as {game.position} against {game.second}, task {game.task}",
        task=game.task,
        seed=game.seed,
        actions=actions,
        gave_up=frozenset(player for player, label in held.items() if outage or label == game.lost_by),
        again=lambda running, pool: game_of(running, pool, fixture, game.sides, game.task),
        formats={player: tables for player, label in held.items() if (tables := wrappers[label])},
        **shared,
    )


def _error(record: Recorded) -> AgentGymError:
    """Why who gave up could not go on."""
    if not isinstance(record, TournamentGame) and record.stop == "context":
        return ContextOverflow(record.failure)
    if not isinstance(record, TournamentGame) and record.stop == "refused":
        return ContentRefused(record.failure)
    return (EndpointError if record.failure_kind in ("outage", "budget") else PolicyFailure)(record.failure)


def steps(record: Recorded) -> list[Step]:
    """What a record says of each action that the world answered, in the order of play."""
    if isinstance(record, TournamentGame):
        return [(player, saw, None) for (player, _), saw in zip(record.said(), record.saw, strict=True)]
    if isinstance(record, Transcript):
        order, sides = [""] * len(record.turns), {"": iter(record.turns)}
    else:
        order, sides = record.order, {player: iter(side.turns) for player, side in record.sides.items()}
    found = []
    for player in order:
        turn = next(sides.get(player, iter(())), None)
        if turn is not None:  # otherwise the world never answered
            paid = turn.reward, turn.valid, turn.error, turn.events, turn.metrics, turn.costs
            found.append((player, turn.observation, paid))
    return found


def end(record: Recorded) -> list[Any]:
    """What a record says of how the episode ended, without what the answers of models cost; JSON-safe."""
    if isinstance(record, TournamentGame):
        left_out = ("spent", "failure", "failure_kind")
        return [{name: value for name, value in record.record().items() if name not in left_out}]
    told = ["final_observation", "success", "score", "progress"]
    if isinstance(record, Transcript):
        return [record.stop, record.task_kind, [getattr(record, name) for name in told]]
    told += ["role", "metrics", "costs"]
    sides = {player: [getattr(side, name) for name in told] for player, side in record.sides.items()}
    return [record.stop, record.task_kind, record.stopped_by, record.order, sides]
