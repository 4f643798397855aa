"""Matches: agents as the players of a game, over the tasks of a split, continued where they were interrupted."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import agentgym
from agentgym.core import ConfigError, EnvCard, fingerprint, unknown
from agentgym.core.checks import check_mapping, keep_counts
from agentgym.evaluate.episode_record import EpisodeRecord
from agentgym.evaluate.figures import Figures, figures
from agentgym.evaluate.game_pools import GamePools
from agentgym.evaluate.limits import EpisodeLimits
from agentgym.evaluate.lineup import Agent, Lineup, share_options
from agentgym.evaluate.planning import check_window, episode_jobs, first_tasks, json_safe
from agentgym.evaluate.playing import Runner
from agentgym.evaluate.recorder import RecordHeader
from agentgym.evaluate.store import MatchFolder
from agentgym.evaluate.summary_file import match_summary, write_summary
from agentgym.evaluate.worlds import resolve
from agentgym.rollout import EnvPool
from agentgym.rollout.env_pool import STEP_TIMEOUT

RUNS = Path("runs/match")
DEFAULT_GAMES = 50
LONG = 120  # characters of a folder's name
Watch = Callable[[EpisodeRecord | None, int, int], None]


@dataclass(frozen=True)
class MatchResult:
    """A finished match.

    Attributes:
        env_id, split: What was played.
        folder: Where it is recorded.
        agents: Labels of the agents.
        games: Task by task, all once, then all once more, and so on.
        figures: What each agent achieved.
    """

    env_id: str
    split: str
    folder: Path
    agents: Sequence[str]
    games: Sequence[EpisodeRecord]
    figures: Sequence[Figures]

    @property
    def metrics(self) -> list[str]:
        """Names of the game's own figures that tables show, besides the score, which some games call a metric too."""
        return list(dict.fromkeys(name for row in self.figures for name in row.metrics if name != "score"))

    @property
    def failures(self) -> dict[tuple[str, str], int]:
        """How many games failed, by who failed (`EpisodeRecord.failure_kind`) and why, most first."""
        failed = ((each.failure_kind, each.failure) for each in self.games if each.failure_kind)
        return dict(Counter(failed).most_common())


@dataclass(frozen=True)
class MatchSettings:
    """What is played of a game, beside who plays.

    Attributes:
        games: Tasks, from the first on; None takes 50, or all of a smaller split.
        trials: Times each is played, with different seeds.
        split: Where the tasks come from.
        seed: Of the match.
        out: Folder of the record; None for `runs/match/<name made of the arguments>`.
        fresh: Whether what the folder holds is thrown away.
        env_kwargs: Constructor arguments of the game; JSON-safe.
        limits: Of the game, which plays in a process of its own unless they say otherwise.
    """

    games: int | None = None
    trials: int = 1
    split: str = "test"
    seed: int = 0
    out: str | Path | None = None
    fresh: bool = False
    env_kwargs: Mapping[str, Any] | None = None
    limits: EpisodeLimits = field(default_factory=EpisodeLimits)

    def __post_init__(self) -> None:
        keep_counts(self, games=1, trials=1, seed=0)


def match(
    env_id: str,
    players: Mapping[str, str | Agent],
    *,
    games: int | None = None,
    trials: int = 1,
    split: str = "test",
    seed: int = 0,
    out: str | Path | None = None,
    fresh: bool = False,
    agent_options: Mapping[str, Any] | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    wrap: Sequence[str | Mapping[str, Any]] = (),
    shots: int = 0,
    step_timeout: float = STEP_TIMEOUT,
    episode_timeout: float | None = None,
    memory: float | None = None,
    on_game: Watch | None = None,
) -> MatchResult:
    """Let agents play the players of a game against or with each other.

    Each player has its own manual, history and prompt, and an agent that holds several knows as each of them only what
    that player has seen. Games do not depend on which others are played beside them, nor on interruptions: called again
    with equal arguments, the match goes on where it stopped, and plays those games again in which the world failed or
    nobody was there to answer for an agent. An agent that cannot go on has lost the game; for the others it does not
    count.

    Args:
        env_id: A game, with or without namespace, or `module:id`.
        players: Who holds each player: a name (see `Agent`), or an `Agent` with options of its own.
        games: Tasks, from the first on; by default 50, or all if the split has fewer.
        trials: Times each is played, with different seeds.
        split: Where the tasks come from.
        seed: Of the match.
        out: Folder of the record; by default `runs/match/<name made of the arguments>`.
        fresh: Throw away what the folder holds.
        agent_options: Options for those agents given by name that take them; JSON-safe.
        env_kwargs: Constructor arguments of the game; JSON-safe.
        wrap, shots: As in `evaluate`, for the models and callables of your own that are given by name.
        step_timeout: Seconds that the game, in a process of its own, may take for a reset or a step.
        episode_timeout: Seconds that it may take for all of an episode.
        memory: MiB that its process may hold together with those it started.
        on_game: Called with the record, games done and games in all; first with None and what was there.

    Returns:
        Games and figures.

    Raises:
        AgentGymError: in one line, if an argument is wrong, or an agent failed in all of the first five games.
        Interrupted: after Ctrl-C; finished games are saved.
        BudgetSpent: if the budget of an agent is; finished games are saved, and the match can go on with a larger one.
    """
    limits = EpisodeLimits(step_timeout, episode_timeout, memory)
    settings = MatchSettings(games, trials, split, seed, out, fresh, env_kwargs, limits)
    card = game_card(env_id)
    check_mapping("players", players, object, "{'player_0': 'expert'}")
    shared = share_options([*players.values()], json_safe(agent_options or {}, "agent_options"), card, wrap, shots)
    chosen = dict(zip(players, shared, strict=True))
    return play_match(env_id, lambda everyone: [chosen], settings, on_game)


def evaluate_player(
    env_id: str,
    agent: str | Agent = "random",
    *,
    player: str | None = None,
    opponent: str | Agent | None = None,
    games: int | None = None,
    trials: int = 1,
    split: str = "test",
    seed: int = 0,
    out: str | Path | None = None,
    fresh: bool = False,
    agent_options: Mapping[str, Any] | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    wrap: Sequence[str | Mapping[str, Any]] = (),
    shots: int = 0,
    here: bool = False,
    step_timeout: float = STEP_TIMEOUT,
    episode_timeout: float | None = None,
    memory: float | None = None,
    on_game: Watch | None = None,
) -> MatchResult:
    """Evaluate an agent as one player of a game, as the scores of cards are measured; otherwise like `match`.

    Args:
        env_id: A game, with or without namespace, or `module:id`.
        agent: A name (see `Agent`), or an `Agent` with options of its own.
        player: Which player it is; None for each in turn, from game to game and from trial to trial.
        opponent: Who holds the other players, the same; None for the rival of the game's card. Where all players play
            together there is no rival, and the agent holds them all.
        games, trials, split, seed, out, fresh: As in `match`.
        agent_options: Options for those of the two given by name that take them; JSON-safe.
        env_kwargs, wrap, shots, step_timeout, episode_timeout, memory, on_game: As in `match`.
        here: Whether the game plays in this process, where one that hangs or ends its process ends the match.

    Returns:
        Games and figures.

    Raises:
        AgentGymError, Interrupted, BudgetSpent: as in `match`.
    """
    limits = EpisodeLimits(step_timeout, episode_timeout, memory, here=here)
    settings = MatchSettings(games, trials, split, seed, out, fresh, env_kwargs, limits)
    card = game_card(env_id)
    rival = opponent or card.rival
    if not rival and player is not None:
        raise ConfigError(
            f"in {card.id} all players play together, so there is no rival for the others; name an opponent, or leave "
            "out the player: the agent then holds them all"
        )
    pair = [each for each in (agent, rival) if each]
    shared = share_options(pair, json_safe(agent_options or {}, "agent_options"), card, wrap, shots)
    mine, *others = shared

    def lineups(everyone: Sequence[str]) -> list[dict[str, Agent]]:
        if player is not None and player not in everyone:
            raise unknown(f"player of {card.id}", player, everyone)
        if not others:
            return [dict.fromkeys(everyone, mine)]
        return [dict.fromkeys(everyone, others[0]) | {each: mine} for each in everyone if player in (None, each)]

    return play_match(env_id, lineups, settings, on_game)


def game_card(env_id: str) -> EnvCard:
    """The card of a game of several players.

    Raises:
        UnknownName: if there is no such world.
        ConfigError: if it has one player.
    """
    card = resolve(env_id)[1]
    if card.players == 1:
        raise ConfigError(f"{card.id} has one player, so there is nobody to play against; play it with `agentgym eval`")
    return card


def play_match(
    env_id: str,
    lineups: Callable[[Sequence[str]], Sequence[Mapping[str, Agent]]],
    settings: MatchSettings,
    on_game: Watch | None = None,
) -> MatchResult:
    """Play the games of a match.

    Args:
        env_id: The game.
        lineups: From the names of its players to who holds them; games take turns through several.
        settings: What is played.
        on_game: As in `match`.
    """
    name, card = resolve(env_id)
    env_kwargs = json_safe(settings.env_kwargs or {}, "env_kwargs")
    pools = GamePools(env_id, settings.split, settings.limits)
    with contextlib.closing(pools):
        pool = pools.open(env_kwargs)
        lineup = Lineup(_complete(lineups(pool.players), pool), card)
        env_kwargs = {**lineup.env_kwargs(), **env_kwargs}
        _complete(lineup.holders, pools.open(env_kwargs))
        for holders in lineup.holders:
            pool = pools.open(env_kwargs, lineup.formats(holders))
            for player, label in holders.items():
                check_window(pool, player, lineup.agents[label].options)
        tasks = first_tasks(pool, settings.split, settings.games, DEFAULT_GAMES, "games")
        lineup.show_examples(env_id, settings.split, settings.seed, settings.limits, env_kwargs)
        agreed = {"env": name, "env_kwargs": env_kwargs, "split": settings.split, **lineup.record()}
        agreed |= {"games": len(tasks), "trials": settings.trials, "seed": settings.seed}
        agreed |= {"version": agentgym.__version__, "tasks": fingerprint(tasks)}
        folder = MatchFolder(settings.out or _folder(card, lineup, agreed), agreed, fresh=settings.fresh)
        with folder:
            header = lineup.header(name, env_kwargs, settings.split)
            games = _play(pools, lineup, folder, tasks, settings, header, on_game)
            found = figures(games, [*lineup.agents])
            write_summary(folder.path, match_summary(agreed, found, games))
    return MatchResult(card.id, settings.split, folder.path, [*lineup.agents], games, found)


def _complete(lineups: Sequence[Mapping[str, Any]], pool: EnvPool) -> Sequence[Mapping[str, Any]]:
    """The lineups, if each names every player and nobody else."""
    for lineup in lineups:
        for player in lineup:
            if player not in pool.players:
                raise unknown(f"player of {pool.id}", player, pool.players)
        missing = [player for player in pool.players if player not in lineup]
        if missing:
            raise ConfigError(
                f"nobody plays {', '.join(missing)} of {pool.id}; name an agent for each, such as "
                f"{missing[0]}={pool.opponents[-1] if pool.opponents else 'random'}"
            )
    return lineups


def _folder(card: EnvCard, lineup: Lineup, agreed: Mapping[str, Any]) -> Path:
    """Where a match is kept unless said otherwise."""
    who = "-".join(lineup.agents)
    name = re.sub(r"[^\w.-]", "_", f"{card.name}-{who}-{agreed['games']}x{agreed['trials']}-seed{agreed['seed']}")
    mark = fingerprint([agreed[key] for key in ("env_kwargs", "split", "agents", "players")])[:8]
    return RUNS / f"{name[:LONG]}-{mark}"


def _play(
    pools: GamePools,
    lineup: Lineup,
    folder: MatchFolder,
    tasks: Sequence[str],
    settings: MatchSettings,
    header: RecordHeader,
    on_game: Watch | None,
) -> list[EpisodeRecord]:
    """The games of a match: all tasks once, then all once more, and so on, while the lineups take turns."""
    keys = [(task, trial) for trial in range(settings.trials) for task in tasks]
    places, turns = {task: place for place, task in enumerate(tasks)}, len(lineup.holders)
    numbers = {(task, trial): (places[task] + trial) % turns for task, trial in keys}
    order = sorted(keys, key=lambda key: numbers[key])  # a game is opened anew for other holders
    jobs = episode_jobs(order, settings.seed, [lineup.holders[numbers[key]] for key in order])
    runner = Runner(jobs, folder, episodes="games", tell=on_game)
    runner.play(lambda: lineup.players(pools, header))
    return [runner.records[key] for key in keys]
