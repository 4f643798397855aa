"""The worlds of a run: the one of `[world]`, and those of `[[mixture]]` that a round plays beside it.

    [[mixture]]
    id = "TicTacToe-v0"
    groups = 8                     # of a round, as in [rollout], which speaks of the world of [world]
    opponent = "simple"            # without one, and without players, a game is played by the policy against itself

Each world has groups, tasks and an evaluation of its own, and credit is given out world by world, so that no mean and
no standard deviation mixes the rewards of two. Gradient steps are taken over all of them.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from agentgym.core import ConfigError, find_card
from agentgym.core.rng import stream
from agentgym.rollout import EnvPool, Episode, EpisodeSpec
from agentgym.train.advantage_utils import TokenAdvantages
from agentgym.train.config import RolloutConfig, WorldConfig, positive
from agentgym.train.config_parser import build, pick
from agentgym.train.opponents import Opponent, SelfPlayOpponent, opponent_of
from agentgym.train.players import PlayerParts, formats, read_players
from agentgym.train.schedules import Schedule, at, extremes
from agentgym.train.tasks import TASKS


@dataclass(frozen=True)
class MixtureConfig:
    """A world beside that of `[world]`.

    Attributes:
        id, env_kwargs, wrappers: As in `[world]`.
        groups, horizon, tasks, opponent: As in `[rollout]`.
        players: As the table `[players]`; None lets the policy play alone, or `opponent` say who plays.
    """

    id: str
    env_kwargs: dict[str, Any] = field(default_factory=dict)
    wrappers: tuple[Any, ...] = ()
    groups: int = 16
    horizon: float | Schedule | None = None
    tasks: Any = "uniform"
    opponent: Any = None
    players: Any = None

    def __post_init__(self) -> None:
        positive(self, "mixture", "groups")
        if self.horizon is not None and extremes(self.horizon)[0] < 1:
            raise ConfigError(f"mixture.horizon must be at least 1 turn, got {self.horizon}")
        object.__setattr__(self, "tasks", pick(TASKS, self.tasks, "mixture.tasks"))
        object.__setattr__(self, "opponent", opponent_of(self.opponent) if self.opponent else None)
        object.__setattr__(self, "players", read_players(self.players) if self.players is not None else {})


def read_mixture(tables: Any) -> tuple[MixtureConfig, ...]:
    """The tables `[[mixture]]`.

    Raises:
        ConfigError: if it is no list of such tables.
    """
    if not isinstance(tables, list):
        raise ConfigError("mixture must be a list of worlds beside [world]: write [[mixture]]")
    return tuple(build(MixtureConfig, table, "mixture") for table in tables)


@dataclass(frozen=True)
class WorldPlan:
    """A world and how a round plays it.

    Attributes:
        name: What episodes and figures call it; "" where there is one world.
        world: Where it stands.
        groups, horizon, tasks: As in `RolloutConfig`.
        opponent: As there; in a game where neither it nor `players` is given, `self_play`.
        players: Who speaks; see `agentgym.train.players`.
    """

    name: str
    world: WorldConfig
    groups: int
    horizon: float | Schedule | None
    tasks: Any
    opponent: Any
    players: dict[str, PlayerParts]

    @property
    def formats(self) -> dict[str, tuple[Any, ...]]:
        """Wrappers of the players of a game, by player."""
        return formats(self.players)


def plans(
    world: WorldConfig, rollout: RolloutConfig, players: dict[str, PlayerParts], mixture: Sequence[MixtureConfig]
) -> tuple[WorldPlan, ...]:
    """The worlds of a run, that of `[world]` first.

    Args:
        world, rollout, players: The tables of that name.
        mixture: The worlds beside it.
    """
    name = world.id if mixture else ""
    opponent = _opponent(world, rollout.opponent, players)
    found = [WorldPlan(name, world, rollout.groups, rollout.horizon, rollout.tasks, opponent, players)]
    for each in mixture:
        names = [plan.name.partition("#")[0] for plan in found]
        name = f"{each.id}#{names.count(each.id) + 1}" if each.id in names else each.id
        own = WorldConfig(each.id, each.env_kwargs, world.split, each.wrappers)
        opponent = _opponent(own, each.opponent, each.players)
        found.append(WorldPlan(name, own, each.groups, each.horizon, each.tasks, opponent, each.players))
    return tuple(found)


def _opponent(world: WorldConfig, given: Opponent | None, players: dict[str, PlayerParts]) -> Opponent | None:
    """Who holds the other places of a game; the policy itself where nobody was named."""
    if given is not None or players:
        return given
    known = find_card(world.id)
    return SelfPlayOpponent() if known is not None and known.players > 1 else None


class PlayedWorld:
    """A world under way: what a plan says, with what keeps a state of its own.

    Args:
        plan: How it is played; its parts are copied, so that a recipe can be used twice.
        pool: Its environments.
        number: Its place among the worlds of the run.
        first_group: Number of its first group in a round.

    Attributes:
        rounds: Rounds whose groups were drawn, where that is done before their updates come.
        ahead: Of those, the groups that were not learned from yet, by number.
    """

    def __init__(self, plan: WorldPlan, pool: EnvPool, number: int, first_group: int):
        self.plan, self.pool, self.first_group = plan, pool, first_group
        self.tasks = copy.deepcopy(plan.tasks)
        self.tasks.enter(pool)
        self.opponent = copy.deepcopy(plan.opponent)
        self.streams: tuple[int | str, ...] = ("mixture", number) if number else ()
        self.rounds = 0
        self.ahead: dict[int, list[EpisodeSpec]] = {}

    @classmethod
    def all(cls, plans: Sequence[WorldPlan], pools: Sequence[EnvPool], refill: int) -> list[PlayedWorld]:
        """The worlds of a run, whose groups have numbers of their own.

        Args:
            plans: How they are played.
            pools: Their environments, in the same order.
            refill: Times that groups may be replaced, `rollout.refill`.

        Raises:
            ConfigError: if there is not one pool a plan.
        """
        if len(pools) != len(plans):
            raise ConfigError(f"the recipe plays {len(plans)} worlds, but {len(pools)} were given; give one each")
        worlds, first = [], 0
        for number, (plan, pool) in enumerate(zip(plans, pools, strict=True)):
            worlds.append(cls(plan, pool, number, first))
            first += plan.groups * (refill + 1)
        return worlds

    def starts(self, seed: int, update: int, attempt: int, groups: int, group_size: int) -> list[EpisodeSpec]:
        """The beginnings of a round, a function of the arguments (and of what the task sampler recorded).

        Args:
            seed: Of the recipe.
            update: Whose round it is.
            attempt: Times that its groups were replaced.
            groups: How many.
            group_size: Episodes of each.
        """
        place = (seed, update, attempt, *self.streams)
        tasks = self.tasks.draw(stream("train.tasks", *place), groups, self.pool.size)
        seeds = stream("train.world", *place).integers(2**31, size=groups)
        first = self.first_group + attempt * self.plan.groups
        names, options = ([each(task) for task in tasks] for each in (self.tasks.name, self.tasks.options))
        return [
            EpisodeSpec(names[group], int(seeds[group]), first + group, (*place, group, k), options[group])
            for group in range(groups)
            for k in range(group_size)
        ]

    def state(self) -> dict[str, Any]:
        """What its task sampler and its opponent have kept, and which groups were drawn before their time."""
        ahead = {number: [plain(spec) for spec in specs] for number, specs in self.ahead.items()}
        drawn = {"rounds": self.rounds, "ahead": ahead} if self.rounds else {}
        kept = {"tasks": self.tasks.state(), "opponent": self.opponent.state() if self.opponent is not None else None}
        return {**kept, **drawn}

    def load(self, state: dict[str, Any]) -> None:
        """Take up where `state` was taken."""
        self.tasks.load(state["tasks"])
        if self.opponent is not None:
            self.opponent.load(state["opponent"])
        self.rounds = state.get("rounds", 0)
        self.ahead = {
            number: [EpisodeSpec(**spec) for spec in specs] for number, specs in state.get("ahead", {}).items()
        }


def plain(spec: EpisodeSpec) -> dict[str, Any]:
    """The beginning of an episode as plain values, from which `EpisodeSpec` makes it again."""
    task = dict(spec.task) if isinstance(spec.task, Mapping) else spec.task
    return {**{each.name: getattr(spec, each.name) for each in fields(spec)}, "task": task, "options": {**spec.options}}


def longest_turns(worlds: Sequence[PlayedWorld], update: int) -> float:
    """Most turns of an episode, over the worlds of a run: what the loss_aggregation 'constant' counts tokens for.

    Args:
        worlds: Those of the run.
        update: For horizons that follow a schedule.
    """
    found = []
    for world in worlds:
        assert world.pool.max_turns is not None, f"{world.pool.id} has no card"
        found.append(world.pool.max_turns if world.plan.horizon is None else at(world.plan.horizon, update))
    return float(max(found))


def world_by_world(episodes: Sequence[Episode], credit: Any) -> TokenAdvantages:
    """The advantages of episodes of several worlds, given out for each world by itself.

    Args:
        episodes: In any order.
        credit: From episodes of one world to their advantages.
    """
    found: TokenAdvantages = [[] for _ in episodes]
    for name in dict.fromkeys(episode.world for episode in episodes):
        places = [place for place, episode in enumerate(episodes) if episode.world == name]
        for place, rows in zip(places, credit([episodes[place] for place in places]), strict=True):
            found[place] = rows
    return found
