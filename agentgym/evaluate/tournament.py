"""Cross-play: every pair of players meets on the same deals from every position, and what came of it with intervals.

Each task is a deal. Two players meet on it once for every position, the one there and the other in all others, with
equal random draws, so that luck of the deal and of the position cancels (duplicate deals). A game is a line of
`games.jsonl`, so a tournament that was cut off goes on where it stopped.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.agents.budget import Budget
from agentgym.core import BudgetSpent, ConfigError, DataError, TaskError
from agentgym.core.files import parse_object
from agentgym.core.rng import stream, stream_seed
from agentgym.evaluate.hall import Hall
from agentgym.evaluate.limits import Limits
from agentgym.evaluate.lineup import Lineup, share_options
from agentgym.evaluate.metrics import Estimate, mean_score
from agentgym.evaluate.planning import json_safe
from agentgym.evaluate.transcript import costs, who_failed
from agentgym.evaluate.worlds import resolve
from agentgym.rollout import EnvPool, EpisodeSpec, RecordOptions, RunningEpisode, assign_roles, play
from agentgym.rollout.env_pool import STEP_TIMEOUT
from agentgym.rollout.lines import read_lines
from agentgym.rollout.record_folder import RecordFolder

ELO = 400 / math.log(10)  # points of a factor e in odds
RESAMPLES, BOOTSTRAP_SEED = 400, 20_240_613
SETTINGS, GAMES = "tournament.json", "games.jsonl"
Key = tuple[str, str, str, int]


@dataclass(frozen=True)
class Game:
    """One game: `first` played in `position`, `second` in all other positions of the game.

    Attributes:
        position: The player of the game that `first` was.
        task: Place of the task in the split.
        seed: Of the game's random draws.
        payoff: Return of `first`.
        against: Mean return of the other positions that are not on its team; of all others where all play together; 0
            if the game failed.
        success: Whether the game calls `first` successful.
        log: What happened, line by line: who said what.
        failure: What failed if the game, or the service behind an agent, could not play it to its end; such a game is
            counted and not scored.
        failure_kind: Who failed: the `environment`, what was to answer for an agent (`outage`), or nobody.
        lost_by: Which of the two could not go on or had a full context, and so lost; "" for nobody.
        metrics: The game's own, of `position` at the end.
        spent: By agent, dollars and tokens that its answers cost; without those that cost none.
    """

    first: str
    second: str
    position: str
    task: int
    seed: int
    payoff: float
    against: float
    success: bool
    log: tuple[str, ...]
    failure: str
    failure_kind: str
    lost_by: str
    metrics: Mapping[str, float]
    spent: Mapping[str, Sequence[float]]

    @property
    def key(self) -> Key:
        """Which of the tournament's games it is."""
        return self.first, self.second, self.position, self.task


@dataclass(frozen=True)
class Standing:
    """A player's place.

    Attributes:
        elo: Points, the mean of all players 0, with a 95 % bootstrap interval over deals.
        points: Share of the points against all others; a draw is half a point.
        payoff: Mean return against all others.
        games: How many were played against others.
        metrics: Means of the game's own over those, with 95 % intervals over deals.
        lost: How many of those it could not play to the end.
        cost, tokens: Of all its answers, in US dollars and in tokens read and written.
    """

    name: str
    elo: Estimate
    points: float
    payoff: float
    games: int
    metrics: Mapping[str, Estimate]
    lost: int
    cost: float
    tokens: int


@dataclass(frozen=True)
class Tournament:
    """All games, and what they say.

    Where a game of two players failed on a deal, no game of theirs on that deal is scored, so that the luck of deal and
    position still cancels.

    Attributes:
        env_id, players, deals: What was played.
        payoffs: `payoffs[row][column]`: mean return of the row's player in its position with the column's in the
            others, with a 95 % bootstrap interval over deals.
        standings: Best first.
        games: In order.
    """

    env_id: str
    players: tuple[str, ...]
    deals: int
    payoffs: Mapping[str, Mapping[str, Estimate]]
    standings: Sequence[Standing]
    games: Sequence[Game]

    @property
    def failures(self) -> dict[str, int]:
        """How many games failed, by why, most first."""
        return dict(Counter(game.failure for game in self.games if game.failure).most_common())

    @property
    def among_themselves(self) -> dict[str, dict[str, Estimate]]:
        """By player, means of the game's metrics where it held every position, such as a whole group that shares."""
        own = [game for game in _scored(self.games) if game.first == game.second]
        return {player: _metrics([game for game in own if game.first == player]) for player in self.players}

    @property
    def scored(self) -> int:
        """How many games are scored."""
        return len(_scored(self.games))


def tournament(
    name: str,
    players: Sequence[str],
    *,
    deals: int = 50,
    split: str = "test",
    seed: int = 0,
    out: str | Path | None = None,
    agent_options: Mapping[str, Any] | None = None,
    knobs: Mapping[str, Any] | None = None,
    wrap: Sequence[str | Mapping[str, Any]] = (),
    shots: int = 0,
    step_timeout: float = STEP_TIMEOUT,
    episode_timeout: float | None = None,
    memory: float | None = None,
    on_game: Callable[[int, int], None] | None = None,
) -> Tournament:
    """Let players meet, each with each and with itself.

    Args:
        name: A game of several players.
        players: Scripted opponents of the game by level, or agents by name; see `agentgym.evaluate.Agent`.
        deals: The first so many tasks of the split.
        split: Where they come from.
        seed: Of all random draws.
        out: Folder of `games.jsonl`; a tournament with the same settings that is there goes on, and plays those games
            again in which nobody was there to answer for an agent.
        agent_options: Options for those of the agents that take them; JSON-safe.
        knobs: Constructor arguments of the game.
        wrap, shots: As in `evaluate`, for models and callables of your own.
        step_timeout: Seconds that the game, in a process of its own, may take for an answer.
        episode_timeout: Seconds that it may take for all answers of an episode.
        memory: MiB that its process may hold together with those it started.
        on_game: Called with games done and games in all.

    Raises:
        ConfigError: if the game has one player, a player is unknown or named twice, or `out` holds another tournament.
        DataError: if a record in `out` is damaged or cannot be written.
        TaskError: if the split has fewer tasks.
        BudgetSpent: if the budget of an agent is; the games so far are in `out`.
    """
    if len(players) < 2 or len(set(players)) != len(players):
        raise ConfigError(f"a tournament needs at least two players, each named once, got: {', '.join(players)}")
    card = resolve(name)[1]
    if card.api == "gymnasium":
        raise ConfigError(f"{card.id} has one player; compare agents there with `agentgym eval`")
    agents = share_options(players, json_safe(agent_options or {}, "agent_options"), card, wrap, shots)
    lineup, knobs = Lineup([agents], card), dict(knobs or {})
    knobs = {**lineup.env_options(), **knobs}
    players = [*lineup.agents]  # by their labels
    limits = Limits(step_timeout, episode_timeout, memory)
    with closing(Hall(name, split, limits)) as hall:
        pool = hall.open(knobs)
        if pool.size is not None and deals > pool.size:
            raise TaskError(f"{pool.id} has {pool.size} tasks in the split {split!r}, not {deals}; ask for fewer deals")
        settings = {"id": pool.id, "players": list(players), "deals": deals, "split": split, "seed": seed}
        lineup.holders = [dict.fromkeys(pool.players, label) for label in players]  # each comes to be every player
        lineup.show_examples(name, split, seed, limits, knobs)
        settings |= {"knobs": knobs, "agents": lineup.record()["agents"]}
        plan = list(_fixtures(players, pool.players))
        wanted = [(*fixture, task) for fixture in plan for task in range(deals)]
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(RecordFolder(out, settings, name=SETTINGS)) if out is not None else None
            held = _Games(hall, lineup, seed, folder, frozenset(wanted), on_game)
            for fixture in plan:
                held.play(fixture, deals)
        return _judge(card.id, tuple(players), deals, [held.played[key] for key in wanted])


class _Games:
    """Plays the games of a tournament that are missing.

    Args:
        hall: Where the game is played; open.
        lineup: Who plays.
        seed: Of all random draws.
        folder: Where games are kept, if anywhere.
        wanted: All games of the tournament.
        on_game: Who watches.

    Attributes:
        played: Games by key.
    """

    def __init__(
        self,
        hall: Hall,
        lineup: Lineup,
        seed: int,
        folder: RecordFolder | None,
        wanted: Collection[Key],
        on_game: Callable[[int, int], None] | None,
    ):
        self._hall, self._lineup, self._seed, self._folder, self._total = hall, lineup, seed, folder, len(wanted)
        self._places = lineup.holders[0]
        self._tell, self._at_once = on_game or (lambda done, total: None), lineup.at_once()
        recorded = _recorded(folder, wanted)
        self.played = {game.key: game for game in recorded if game.failure_kind != "outage"}
        self._policies = lineup.policies() if len(self.played) < len(wanted) else {}
        for name, policy in self._policies.items():
            budget: Budget | None = getattr(policy, "budget", None)
            if budget is not None:
                spent = [game.spent[name] for game in recorded if name in game.spent]
                budget.charge(math.fsum(dollars for dollars, _ in spent), int(sum(tokens for _, tokens in spent)))
                budget.check()

    def play(self, fixture: tuple[str, str, str], deals: int) -> None:
        """Play the games of a fixture that are missing.

        Args:
            fixture: Who is first, who is second, and the place of the first.
            deals: How many there are.
        """
        tasks = [task for task in range(deals) if (*fixture, task) not in self.played]
        for first in range(0, len(tasks), self._at_once):
            games, spent = self._play(fixture, tasks[first : first + self._at_once])
            if self._folder is not None:
                self._folder.append("games", *map(asdict, games))
            for game in games:
                self.played[game.key] = game
                self._tell(len(self.played), self._total)
            if spent is not None:
                raise BudgetSpent(
                    f"{spent}; {len(self.played)} of {self._total} games are played, and go on from there"
                )

    def _play(self, fixture: tuple[str, str, str], tasks: Sequence[int]) -> tuple[list[Game], BudgetSpent | None]:
        """Games on some deals, and why there are no more; a deal has equal random draws for all who meet on it."""
        first, second, position = fixture
        names = dict.fromkeys(self._places, second) | {position: first}
        lineup = self._lineup
        pool = self._hall.open(None, lineup.formats(names))
        cast = assign_roles({who: lineup.role(name, self._policies[name]) for who, name in names.items()}, pool)
        seeds = {task: stream_seed("tournament.deal", self._seed, task) % 2**31 for task in tasks}
        specs = [EpisodeSpec(task, seeds[task], task, ("tournament", seeds[task])) for task in tasks]
        options = RecordOptions(infos=True)
        games, spent = [], None
        for running in play(pool, cast, specs, max_concurrent=self._at_once, options=options, keep_failures=True):
            if isinstance(running.error, BudgetSpent):
                spent = running.error
            else:
                games.append(_game(pool, running, fixture, names, tasks[running.number]))
        return games, spent


def _recorded(folder: RecordFolder | None, wanted: Collection[Key]) -> list[Game]:
    """The games that earlier processes have played."""
    file = folder.path / GAMES if folder is not None else None
    if file is None or not file.exists():
        return []
    games = read_lines(file, _read)
    for game in games:
        if game.key not in wanted:
            raise DataError(f"{file} holds a game that is none of this tournament's, {game.key}; remove its line")
    return games


def _fixtures(players: Sequence[str], places: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Every pair from every place and either way round: who is first, who is second, and the place of the first."""
    for one, other in combinations_with_replacement(players, 2):
        for place in places:
            yield one, other, place
            if one != other:
                yield other, one, place


def _game(
    pool: EnvPool, running: RunningEpisode, fixture: tuple[str, str, str], names: Mapping[str, str], task: int
) -> Game:
    first, second, position = fixture
    returns = {player: side.total for player, side in running.sides.items()}
    log = [f"{who} ({names[who]}): {said}" for who, said in running.log]
    log.append("returns: " + ", ".join(f"{who} {value:g}" for who, value in returns.items()))
    episode = running.sides[position].acting.episode
    kind = who_failed(running, episode.failure_kind)
    stands = kind in ("", "agent")
    spent: dict[str, list[float]] = {}
    for player, side in running.sides.items():
        dollars, read, written = costs(side.acting.episode)
        if read or written:
            before = spent.setdefault(names[player], [0.0, 0])
            spent[names[player]] = [before[0] + dollars, before[1] + read + written]
    return Game(
        first,
        second,
        position,
        task,
        episode.seed,
        returns[position],
        _against(pool, running.place, returns, position) if stands else 0.0,
        episode.success,
        tuple(log),
        "" if stands else episode.failure,
        "" if stands else kind,
        names[running.stopped_by] if stands and running.stopped_by else "",
        dict(running.results[position].info["metrics"]),
        spent,
    )


def _against(pool: EnvPool, place: int, returns: Mapping[str, float], position: str) -> float:
    """The mean return of the positions that are not on the team of one; of all others where all play together."""
    team = {player: pool.ask(place, player, "team") for player in returns}
    rivals = [who for who in returns if team[who] != team[position]] or [who for who in returns if who != position]
    return math.fsum(returns[who] for who in rivals) / len(rivals)


def _scored(games: Sequence[Game]) -> list[Game]:
    """The games of those pairs and deals of which none failed."""
    lost = {(frozenset((game.first, game.second)), game.task) for game in games if game.failure}
    return [game for game in games if (frozenset((game.first, game.second)), game.task) not in lost]


def _judge(env_id: str, players: tuple[str, ...], deals: int, played: Sequence[Game]) -> Tournament:
    games, nothing = _scored(played), Estimate(math.nan, math.nan, math.nan)
    payoffs: dict[str, dict[str, Estimate]] = {}
    for row in players:
        payoffs[row] = {}
        for column in players:
            by_deal: dict[int, list[float]] = {}
            for game in games:
                if (game.first, game.second) == (row, column):
                    by_deal.setdefault(game.task, []).append(game.payoff)
            payoffs[row][column] = mean_score([by_deal[task] for task in sorted(by_deal)]) if by_deal else nothing
    points = _points(players, games, deals)
    ratings = elo(points.sum(0))
    rng = stream("tournament.bootstrap", BOOTSTRAP_SEED)
    drawn = np.array([elo(points[rng.integers(deals, size=deals)].sum(0)) for _ in range(RESAMPLES)])
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    standings = []
    for place, name in enumerate(players):
        met = [game for game in games if game.first == name and game.second != name]
        won = points[:, place].sum()
        paid = [game.spent[name] for game in played if name in game.spent]
        standings.append(
            Standing(
                name,
                Estimate(float(ratings[place]), float(low[place]), float(high[place])),
                float(won / max(1.0, won + points[:, :, place].sum())),
                math.fsum(game.payoff for game in met) / len(met) if met else math.nan,
                len(met),
                _metrics(met),
                sum(game.lost_by == name for game in met),
                math.fsum(dollars for dollars, _ in paid),
                int(sum(tokens for _, tokens in paid)),
            )
        )
    standings.sort(key=lambda standing: -standing.elo.value)
    return Tournament(env_id, players, deals, payoffs, standings, tuple(played))


def _metrics(games: Sequence[Game]) -> dict[str, Estimate]:
    """Means of the games that came to their end."""
    ended = [game for game in games if not game.lost_by]
    by_deal: dict[str, dict[int, list[float]]] = {}
    for game in ended:
        for metric, value in game.metrics.items():
            by_deal.setdefault(metric, {}).setdefault(game.task, []).append(value)
    return {metric: mean_score([found[task] for task in sorted(found)]) for metric, found in by_deal.items()}


def _points(players: Sequence[str], games: Sequence[Game], deals: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """`points[deal, a, b]`: points of a against b; the larger return takes one, equal returns half each.

    Who could not play to the end has lost, whatever the returns were until then.
    """
    place = {name: number for number, name in enumerate(players)}
    points = np.zeros((deals, len(players), len(players)))
    for game in games:
        if game.first == game.second:
            continue
        share = 0.5 if game.payoff == game.against else float(game.payoff > game.against)
        if game.lost_by:
            share = float(game.lost_by == game.second)
        points[game.task, place[game.first], place[game.second]] += share
        points[game.task, place[game.second], place[game.first]] += 1 - share
    return points


def elo(points: Any, rounds: int = 200) -> Any:
    """Ratings by maximum likelihood of the Bradley-Terry model (Bradley and Terry 1952), in Elo points, mean 0.

    Half a point is added on both sides of every pair that met, so that a player who won all has a finite rating. Who
    met nobody counts as average.

    Args:
        points: `points[a, b]`, what a won against b; shape (players, players).
        rounds: Of the minorise-maximise iteration (Hunter 2004).
    """
    points = np.asarray(points, np.float64)
    met = (points + points.T) > 0
    points = points + 0.5 * met
    played = points + points.T
    strength = np.ones(len(points))
    for _ in range(rounds):
        share = played / (strength[:, None] + strength[None, :])
        np.fill_diagonal(share, 0.0)
        strength = np.where(played.any(1), points.sum(1) / np.maximum(share.sum(1), 1e-12), strength)
        strength /= np.exp(np.mean(np.log(strength)))
    return ELO * np.log(strength)


def _read(line: bytes) -> Game:
    record = parse_object(line)
    try:
        return Game(**{**record, "log": tuple(record["log"])})
    except (KeyError, TypeError) as error:
        raise DataError(f"no game ({type(error).__name__}: {error})") from None
