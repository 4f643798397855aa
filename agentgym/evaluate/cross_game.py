"""One game of a tournament: who held which side, what each player saw and said, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from agentgym.core import DataError
from agentgym.core.files import parse_object
from agentgym.core.kinds import check_kind
from agentgym.evaluate.transcript import costs, who_failed
from agentgym.rollout import EnvPool, RunningEpisode

Key: TypeAlias = tuple[str, str, str, int]
Fixture: TypeAlias = tuple[str, str, str]  # who is first, who is second, and the side of the first
Sides: TypeAlias = Mapping[str, Sequence[str]]  # the players of each side
OTHER_SIDES = "the game began with other sides than it was probed with; worlds must draw sides from task and seed alone"


@dataclass(frozen=True)
class TournamentGame:
    """One game: `first` held the side `position`, `second` all other sides of the game.

    Attributes:
        position: The side that `first` held: a team's name, or the player where each is a side of its own.
        task: Place of the task in the split.
        seed: Of the game's random draws.
        payoff: Mean return of the players of `first`'s side.
        against: Mean return of all other players; 0 if the game failed.
        returns: By player.
        sides: The players of each side.
        success: Whether the game calls all players of `first`'s side successful.
        log: What happened, line by line: who said what, and the returns.
        saw: What the player of each line but the last had seen since it last acted, whole.
        finals: By player, what it saw at the end.
        failure: What failed if the game, or the service behind an agent, could not play it to its end; such a game is
            counted and not scored.
        failure_kind: Who failed: the `environment`, what was to answer for an agent (`outage`), or nobody.
        lost_by: Which of the two could not go on or had a full context, and so lost; "" for nobody.
        metrics: The game's own, means over the players of `first`'s side at the end.
        spent: By agent, dollars and tokens that its answers cost; without those that cost none.
    """

    first: str
    second: str
    position: str
    task: int
    seed: int
    payoff: float
    against: float
    returns: Mapping[str, float]
    sides: Sides
    success: bool
    log: tuple[str, ...]
    saw: tuple[str, ...]
    finals: Mapping[str, str]
    failure: str
    failure_kind: str
    lost_by: str
    metrics: Mapping[str, float]
    spent: Mapping[str, Sequence[float]]

    @property
    def key(self) -> Key:
        """Which of the tournament's games it is."""
        return self.first, self.second, self.position, self.task

    @property
    def common(self) -> float:
        """Mean return of all players."""
        return math.fsum(self.returns.values()) / len(self.returns)

    def said(self) -> list[tuple[str, str]]:
        """Player and action of each line of the log but the last, in the order of play.

        Raises:
            ValueError: if a line is of no player.
        """
        held = holders((self.first, self.second, self.position), self.sides)
        found = []
        for line in self.log[:-1]:
            for player, agent in held.items():
                if line.startswith(f"{player} ({agent}): "):
                    found.append((player, line.removeprefix(f"{player} ({agent}): ")))
                    break
            else:
                raise ValueError(f"the log holds {line[:40]!r}, which none of its players said")
        return found

    def outcomes(self) -> list[tuple[str, float]]:
        """Of each side, its agent and the mean return of its players; who could not play to the end comes last."""
        found = []
        for side, players in self.sides.items():
            agent = self.first if side == self.position else self.second
            mean = math.fsum(self.returns[who] for who in players) / len(players)
            found.append((agent, -math.inf if agent == self.lost_by else mean))
        return found

    def record(self) -> dict[str, Any]:
        """The game as JSON-safe data."""
        return asdict(self)

    @classmethod
    def from_line(cls, line: bytes) -> TournamentGame:
        """The game of a line of `games.jsonl`.

        Raises:
            DataError: if it is no such line.
        """
        record = parse_object(line)
        check_kind(record, cls, "game of a tournament")
        try:
            return cls(**{**record, "log": tuple(record["log"]), "saw": tuple(record["saw"])})
        except (KeyError, TypeError) as error:
            raise DataError(f"no game ({type(error).__name__}: {error})") from None


def each_alone(players: Sequence[str]) -> Sides:
    """Every player as a side of its own."""
    return {player: [player] for player in players}


def sides_now(pool: EnvPool, place: int) -> Sides:
    """The sides of a game under way, by the name that the game gives them.

    Args:
        pool: Where it is played.
        place: Of the game.
    """
    found: dict[str, list[str]] = {}
    for player in pool.players:
        found.setdefault(str(pool.ask(place, player, "team")), []).append(player)
    return found


def holders(fixture: Fixture, sides: Sides) -> dict[str, str]:
    """By player, who holds it.

    Args:
        fixture: Who meets whom.
        sides: Of the game.
    """
    first, second, position = fixture
    return {player: first if side == position else second for side, held in sides.items() for player in held}


def game_of(running: RunningEpisode, pool: EnvPool, fixture: Fixture, sides: Sides, task: int) -> TournamentGame:
    """The record of a game that has ended.

    Args:
        running: The game.
        pool: Where it was played.
        fixture: Who met whom.
        sides: As they were held; teams must be those that the game has in the end.
        task: Place of the task in the split.
    """
    first, second, position = fixture
    names, mine = holders(fixture, sides), sides[position]
    returns = {player: side.total for player, side in running.sides.items()}
    log = [f"{who} ({names[who]}): {said}" for who, said in running.log]
    log.append("returns: " + ", ".join(f"{who} {value:g}" for who, value in returns.items()))
    episode = running.sides[mine[0]].acting.episode
    kind = who_failed(running, episode.failure_kind)
    stands = kind in ("", "agent")
    rivals = [returns[who] for who in returns if who not in mine]
    game = TournamentGame(
        first,
        second,
        position,
        task,
        episode.seed,
        math.fsum(returns[who] for who in mine) / len(mine),
        math.fsum(rivals) / len(rivals) if stands else 0.0,
        returns,
        {side: list(held) for side, held in sides.items()},
        all(running.sides[who].acting.episode.success for who in mine),
        tuple(log),
        _seen(running),
        {who: side.acting.episode.final for who, side in running.sides.items()},
        "" if stands else episode.failure,
        "" if stands else kind,
        names[running.stopped_by] if stands and running.stopped_by else "",
        _metrics(running, mine),
        _spent(running, names),
    )
    if stands and game.sides != each_alone(pool.players) and sides_now(pool, running.place) != game.sides:
        return replace(game, against=0.0, failure=OTHER_SIDES, failure_kind="environment", lost_by="")
    return game


def _seen(running: RunningEpisode) -> tuple[str, ...]:
    """What the player of each action saw before it; "" for an action that the world never answered."""
    turns = {player: iter(side.acting.episode.turns) for player, side in running.sides.items()}
    found = []
    for player, _ in running.log:
        turn = next(turns[player], None)
        found.append("" if turn is None else turn.observation)
    return tuple(found)


def _metrics(running: RunningEpisode, players: Sequence[str]) -> dict[str, float]:
    by_player = [running.results[player].info["metrics"] for player in players]
    names = dict.fromkeys(name for metrics in by_player for name in metrics)
    had = {name: [metrics[name] for metrics in by_player if name in metrics] for name in names}
    return {name: math.fsum(values) / len(values) for name, values in had.items()}


def _spent(running: RunningEpisode, names: Mapping[str, str]) -> dict[str, list[float]]:
    spent: dict[str, list[float]] = {}
    for player, side in running.sides.items():
        dollars, read, written = costs(side.acting.episode)
        if read or written:
            before = spent.setdefault(names[player], [0.0, 0])
            spent[names[player]] = [before[0] + dollars, before[1] + read + written]
    return spent
