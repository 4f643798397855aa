"""Cross-play: every pair of players meets on the same deals from every side, and what came of it with intervals.

Each task is a deal. Two players meet on it once for every side of the game, the one as that side and the other as all
others, with equal random draws, so that luck of the deal and of the side cancels (duplicate deals). A side is a team
where the game has teams, such as the wolves, and otherwise a single player. A game is a line of `games.jsonl`, so a
tournament that was cut off goes on where it stopped.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

from agentgym.core import BudgetSpent, ConfigError, DataError, TaskError, find_card
from agentgym.core.checks import check_count
from agentgym.core.rng import stream_seed
from agentgym.evaluate.cross_game import CrossGame
from agentgym.evaluate.episode_record import EpisodeRecord
from agentgym.evaluate.fixtures import Fixture, Sides, each_alone, sides_now
from agentgym.evaluate.game_pools import GamePools
from agentgym.evaluate.limits import EpisodeLimits
from agentgym.evaluate.lineup import Agent, Lineup, check_agents, share_options
from agentgym.evaluate.metrics import Estimate, mean_score, share_left_out
from agentgym.evaluate.planning import json_safe
from agentgym.evaluate.playing import EpisodeJob, Runner
from agentgym.evaluate.ratings import NOTHING, points_of, rate, rating_kind
from agentgym.evaluate.recorder import RecordHeader
from agentgym.evaluate.store import GAMES, TournamentFolder
from agentgym.evaluate.worlds import resolve
from agentgym.rollout import EnvPool, EpisodeSpec
from agentgym.rollout.env_pool import STEP_TIMEOUT


@dataclass(frozen=True)
class Standing:
    """A player's place.

    Attributes:
        rating: Of the kind that `Tournament.rated_by` says, with a 95 % bootstrap interval over deals.
        points: Share of the points against all others; a draw is half a point.
        payoff: Mean return against all others.
        games: How many were scored against others.
        left_out: Share of the games against others that no figure is of.
        metrics: Means of the game's own over those, with 95 % intervals over deals.
        lost: How many of those it could not play to the end.
        cost, tokens: Of all its answers, in US dollars and in tokens read and written.
    """

    name: str
    rating: Estimate
    points: float
    payoff: float
    games: int
    left_out: float
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
        rated_by: `elo` for two players, `openskill` for more, `return` where all play together: there a player is
            ranked by the mean return of the team that it forms alone.
        payoffs: `payoffs[row][column]`: mean return of the row's player in its position with the column's in the
            others, with a 95 % bootstrap interval over deals.
        standings: Best first.
        games: In order.
    """

    env_id: str
    players: tuple[str, ...]
    deals: int
    rated_by: str
    payoffs: Mapping[str, Mapping[str, Estimate]]
    standings: Sequence[Standing]
    games: Sequence[EpisodeRecord]

    @cached_property
    def counted(self) -> list[CrossGame]:
        """The games in figures, in the same order."""
        return [*map(CrossGame.of, self.games)]

    @property
    def failures(self) -> dict[str, int]:
        """How many games failed, by why, most first."""
        return dict(Counter(game.failure for game in self.counted if game.failure).most_common())

    @property
    def among_themselves(self) -> dict[str, dict[str, Estimate]]:
        """By player, means of the game's metrics where it held every position, such as a whole group that shares."""
        own = [game for game in _scored(self.counted) if game.fixture.first == game.fixture.second]
        return {player: _metrics([game for game in own if game.fixture.first == player]) for player in self.players}

    def left_out(self, first: str, second: str) -> float:
        """Share of the games of two players that no figure is of, the first one as one side.

        Args:
            first: A player.
            second: Another, or the same.
        """
        met, scored = (
            [game for game in games if (game.fixture.first, game.fixture.second) == (first, second)]
            for games in (self.counted, _scored(self.counted))
        )
        return share_left_out(len(scored), len(met))

    @property
    def scored(self) -> int:
        """How many games are scored."""
        return len(_scored(self.counted))


OWN_MODULE = "agentgym"  # whose cards are there without importing what a file names


def tournament(
    name: str,
    players: Sequence[str | Agent],
    *,
    deals: int = 50,
    split: str = "test",
    seed: int = 0,
    out: str | Path | None = None,
    agent_options: Mapping[str, Any] | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    wrap: Sequence[str | Mapping[str, Any]] = (),
    shots: int = 0,
    step_timeout: float = STEP_TIMEOUT,
    episode_timeout: float | None = None,
    memory: float | None = None,
    max_minutes: float | None = None,
    on_game: Callable[[int, int], None] | None = None,
) -> Tournament:
    """Let players meet, each with each and with itself.

    Args:
        name: A game of several players.
        players: Scripted opponents of the game by level, or agents by name, or `agentgym.evaluate.Agent`s with options
            of their own.
        deals: The first so many tasks of the split.
        split: Where they come from.
        seed: Of all random draws.
        out: Folder of `games.jsonl`; a tournament with the same settings that is there goes on, and plays those games
            again in which nobody was there to answer for an agent.
        agent_options: Options for those of the agents that take them; JSON-safe.
        env_kwargs: Constructor arguments of the game.
        wrap, shots: As in `evaluate`, for models and callables of your own.
        step_timeout: Seconds that the game, in a process of its own, may take for an answer.
        episode_timeout: Seconds that it may take for all answers of an episode.
        memory: MiB that its process may hold together with those it started.
        max_minutes: After which no further game is kept, counted from the first game of this call; None for no limit.
        on_game: Called with games done and games in all.

    Raises:
        ConfigError: if the game has one player, a player is unknown or named twice, or `out` holds another tournament.
        DataError: if a record in `out` is damaged or cannot be written.
        TaskError: if the split has fewer tasks.
        BudgetSpent: if the budget of an agent or the time is; the games so far are in `out`.
        Interrupted: after Ctrl-C; the same.
    """
    check_agents(players)
    deals, seed = check_count("deals", deals), check_count("seed", seed, 0)
    told = [each if isinstance(each, str) else each.name for each in players]
    if len(players) < 2 or any(each in players[:place] for place, each in enumerate(players)):
        raise ConfigError(f"a tournament needs at least two players, each named once, got: {', '.join(told)}")
    env, card = resolve(name)
    if card.players == 1:
        raise ConfigError(f"{card.id} has one player; compare agents there with `agentgym eval`")
    if max_minutes is not None and not 0 < max_minutes < math.inf:
        raise ConfigError(f"max_minutes must be above 0, got {max_minutes!r}")
    agents = share_options(players, json_safe(agent_options or {}, "agent_options"), card, wrap, shots)
    lineup, env_kwargs = (
        Lineup([{str(place): agent for place, agent in enumerate(agents)}], card),
        dict(env_kwargs or {}),
    )
    env_kwargs = {**lineup.env_kwargs(), **env_kwargs}
    labels = [*lineup.agents]
    if len(labels) < len(agents):
        raise ConfigError(f"two of the players are asked in one way and are one: {', '.join(told)}; name each once")
    limits = EpisodeLimits(step_timeout, episode_timeout, memory)
    with closing(GamePools(name, split, limits)) as pools:
        pool = pools.open(env_kwargs)
        if pool.size is not None and deals > pool.size:
            raise TaskError(f"{pool.id} has {pool.size} tasks in the split {split!r}, not {deals}; ask for fewer deals")
        settings = {"env": env, "players": labels, "deals": deals, "split": split, "seed": seed}
        lineup.holders = [dict.fromkeys(pool.players, label) for label in labels]  # each comes to be every player
        lineup.show_examples(name, split, seed, limits, env_kwargs)
        settings |= {"env_kwargs": env_kwargs, "agents": lineup.record()["agents"]}
        header = lineup.header(env, env_kwargs, split)
        teams = _teams(pool, card.rival, deals, seed)
        rated_by, sides = rating_kind(len(teams[0]) > 1, len(pool.players)), _sides(teams, pool.players)
        games = _play(pools, lineup, settings, header, sides, out, _timed(on_game, max_minutes))
        return _judge(card.id, tuple(labels), deals, rated_by, games)


def _play(
    pools: GamePools,
    lineup: Lineup,
    settings: Mapping[str, Any],
    header: RecordHeader,
    sides: Sequence[Sides],
    out: str | Path | None,
    on_game: Callable[[int, int], None] | None,
) -> list[EpisodeRecord]:
    """All games, those included that are in the folder: fixture by fixture, on one deal after another."""
    pool, seed = pools.open(None), settings["seed"]
    jobs = []
    for fixture in _fixtures(settings["players"], sides):
        held = fixture.holders
        spec, met = _spec(seed, fixture.deal), fixture.key[:-1]
        jobs.append(EpisodeJob(fixture.key, spec, {who: held[who] for who in pool.players}, met, fixture=fixture))
    planned = {job.key for job in jobs}

    def tell(game: EpisodeRecord | None, done: int, total: int) -> None:
        """Report a game that was played now; those read from the folder come first, with None for the `game`.

        Args:
            game: What was played.
            done: Games that are finished, those of the folder included.
            total: Games in all.
        """
        if game is not None and on_game is not None:
            on_game(done, total)

    with contextlib.ExitStack() as stack:
        folder = None if out is None else stack.enter_context(TournamentFolder(out, settings, fresh=_is_bare(out)))
        strange = [] if folder is None else [game.key for game in folder.recorded if game.key not in planned]
        if strange:
            raise DataError(
                f"{out}/{GAMES} holds a game that is none of this tournament's, {strange[0]}; remove its line"
            )
        runner = Runner(jobs, folder, episodes="games", tell=tell, hopeless=("outage",))
        runner.play(lambda: lineup.players(pools, header))
    return [runner.records[job.key] for job in jobs]


def _is_bare(out: str | Path) -> bool:
    """Whether a folder holds no record: what was refused before the first one settles nothing for the next attempt."""
    file = Path(out) / GAMES
    return not (file.is_symlink() or (file.exists() and file.stat().st_size))


def _timed(on_game: Callable[[int, int], None] | None, minutes: float | None) -> Callable[[int, int], None] | None:
    """What is called after each game, and ends the tournament when its time is over and games are left."""
    if minutes is None:
        return on_game
    end = time.monotonic() + 60 * minutes

    def tell(done: int, total: int) -> None:
        """Report that `done` games of `total` are over, and end the tournament if its time is over too."""
        if on_game is not None:
            on_game(done, total)
        if done < total and time.monotonic() >= end:
            raise BudgetSpent(f"the time of {minutes:g} minutes is over; raise --max-minutes")

    return tell


def _fixtures(players: Sequence[str], sides: Sequence[Sides]) -> Iterator[Fixture]:
    """Every pair as every side and either way round, on one deal after another, given the sides on each."""
    for one, other in combinations_with_replacement(players, 2):
        for position in sides[0]:
            for first, second in ((one, other), (other, one)) if one != other else ((one, one),):
                for deal, held in enumerate(sides):
                    yield Fixture(first, second, position, deal, {side: [*who] for side, who in held.items()})


def _spec(seed: int, task: int) -> EpisodeSpec:
    """Where the games on a deal begin: with equal random draws for all who meet on it."""
    drawn = stream_seed("tournament.deal", seed, task) % 2**31
    return EpisodeSpec(task, drawn, task, ("tournament", drawn))


def _teams(pool: EnvPool, rival: str, deals: int, seed: int) -> list[Sides]:
    """The teams that play on each deal: one where all play together, and each player alone where there are none."""
    found: list[Sides | None] = []
    for task in range(deals if rival else 0):
        (begun,) = pool.begin([_spec(seed, task)])
        broken = any(result.info["failure"] for result in begun.results.values())
        teams: Sides | None = None if broken else sides_now(pool, 0)
        if teams is not None and len(teams) in (1, len(pool.players)):
            return [teams] * deals
        found.append(teams)
    known = next((teams for teams in found if teams is not None), None)
    if known is None:
        return [each_alone(pool.players) if rival else {"": pool.players}] * deals
    for task, teams in enumerate(found):
        if teams is not None and set(teams) != set(known):
            raise ConfigError(
                f"{pool.id} has the sides {', '.join(known)} in its first task and {', '.join(teams)} in task {task}; "
                "a tournament needs the same ones in each"
            )
    return [known if teams is None else {side: teams[side] for side in known} for teams in found]


def _sides(teams: Sequence[Sides], players: Sequence[str]) -> list[Sides]:
    """The sides that agents hold on each deal: the teams, or each player alone where no team meets another."""
    return [each if 1 < len(each) < len(players) else each_alone(players) for each in teams]


def _scored(games: Sequence[CrossGame]) -> list[CrossGame]:
    """The games of those pairs and deals of which none failed."""
    lost = {_met(game.fixture) for game in games if game.failure}
    return [game for game in games if _met(game.fixture) not in lost]


def _met(fixture: Fixture) -> tuple[frozenset[str], int]:
    """The pair that met, and on which deal."""
    return frozenset((fixture.first, fixture.second)), fixture.deal


def _paid(games: Sequence[CrossGame]) -> list[CrossGame]:
    """The games, each that its first player gave up paid no better than the worst on its side of its deal.

    What a player held when it could not go on is no outcome: it may be more than losing to the end would have left.
    """
    worst: dict[tuple[str, int], float] = {}
    for game in games:
        place = game.fixture.position, game.fixture.deal
        worst[place] = min(game.payoff, worst.get(place, game.payoff))
    return [
        replace(game, payoff=worst[game.fixture.position, game.fixture.deal])
        if game.lost_by == game.fixture.first
        else game
        for game in games
    ]


def _judge(
    env_id: str, players: tuple[str, ...], deals: int, rated_by: str, played: Sequence[EpisodeRecord]
) -> Tournament:
    counted = [*map(CrossGame.of, played)]
    games = _paid(_scored(counted))
    payoffs: dict[str, dict[str, Estimate]] = {}
    for row in players:
        payoffs[row] = {}
        for column in players:
            by_deal: dict[int, list[float]] = {}
            for game in games:
                if (game.fixture.first, game.fixture.second) == (row, column):
                    by_deal.setdefault(game.fixture.deal, []).append(game.payoff)
            payoffs[row][column] = mean_score([by_deal[task] for task in sorted(by_deal)]) if by_deal else NOTHING
    points, ratings = points_of(players, games, deals), rate(rated_by, players, games, deals)
    standings = []
    for place, name in enumerate(players):
        met = _against_others(games, name)
        won = points[:, place].sum()
        paid = [game.spent[name] for game in played if name in game.spent]
        standings.append(
            Standing(
                name,
                ratings[name],
                float(won / max(1.0, won + points[:, :, place].sum())),
                math.fsum(game.payoff for game in met) / len(met) if met else math.nan,
                len(met),
                share_left_out(len(met), len(_against_others(counted, name))),
                _metrics(met),
                sum(game.lost_by == name for game in met),
                math.fsum(dollars for dollars, _ in paid),
                int(sum(tokens for _, tokens in paid)),
            )
        )
    standings.sort(key=lambda each: (math.isnan(each.rating.value), -each.rating.value, each.name))
    return Tournament(env_id, players, deals, rated_by, payoffs, standings, tuple(played))


def judged(env: str, players: Sequence[str], deals: int, games: Sequence[EpisodeRecord]) -> Tournament:
    """What the games of a tournament that was played to its end say.

    Args:
        env: Id of the game, as its settings have it.
        players, deals: What was played.
        games: The games on record.

    Raises:
        DataError: if games are missing, or are of no tournament, or the game's card is of another package, which is not
            imported.
    """
    module, _, name = env.rpartition(":")
    card = find_card(name) if module == OWN_MODULE else None
    if card is None:
        raise DataError(f"the game {env} is of another package; its page stands beside its record")
    met = [{game.fixture.first, game.fixture.second} for game in games if game.fixture is not None]
    if len(met) < len(games) or not set[str]().union(*met) <= set(players):
        raise DataError("a game on record is none of this tournament's")
    positions = {game.fixture.position for game in games if game.fixture is not None}
    planned = deals * len(positions) * len(players) ** 2
    if len(games) < planned:
        raise DataError(f"{len(games)} of at least {planned} games are on record; the command that began it goes on")
    rated_by = rating_kind(bool(card.rival), len(games[0].players))
    return _judge(card.id, tuple(players), deals, rated_by, games)


def _against_others(games: Sequence[CrossGame], name: str) -> list[CrossGame]:
    """The games in which an agent is the first and another one the second."""
    return [game for game in games if game.fixture.first == name != game.fixture.second]


def _metrics(games: Sequence[CrossGame]) -> dict[str, Estimate]:
    """Means of the games that came to their end."""
    ended = [game for game in games if not game.lost_by]
    by_deal: dict[str, dict[int, list[float]]] = {}
    for game in ended:
        for metric, value in game.metrics.items():
            by_deal.setdefault(metric, {}).setdefault(game.fixture.deal, []).append(value)
    return {metric: mean_score([found[task] for task in sorted(found)]) for metric, found in by_deal.items()}
