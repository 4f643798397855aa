"""Where a recipe plays, and a policy's play on fixed tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.rollout import EnvPool, Episode, Workers, assign_roles, collect
from agentgym.rollout.episode import is_child
from agentgym.rollout.evaluation import evaluation_specs
from agentgym.rollout.records import TaskName
from agentgym.train.config import WorldConfig
from agentgym.train.opponents import ScriptedOpponent
from agentgym.vector.worker import NO_FORMATS

if TYPE_CHECKING:
    from agentgym.train.mixture import WorldPlan
    from agentgym.train.trainer import Trainer

OWN: Mapping[str, Any] = {}


def make_world(
    config: WorldConfig,
    split: str,
    workers: Workers | None = None,
    formats: Mapping[str, Sequence[Any]] = NO_FORMATS,
    contain: bool = False,
    env_kwargs: Mapping[str, Any] = OWN,
) -> EnvPool:
    """The world of a recipe.

    Args:
        config: Its table `[world]`.
        split: Which tasks.
        workers: Processes that environments run in; None plays in this one.
        formats: Wrappers of the players of a game.
        contain: Whether a world that raises ends its episode alone, in this process too.
        env_kwargs: Constructor arguments that are laid over those of the table.

    Raises:
        ConfigError: if the world refuses its options.
    """
    return EnvPool(
        config.id, wrappers=config.wrappers, workers=workers, formats=formats, contain=contain, split=split,
        **{**config.env_kwargs, **env_kwargs},
    )  # fmt: skip


def evaluate_policy(
    engine: HuggingFaceEngine,
    world: EnvPool,
    tasks: Sequence[TaskName],
    *,
    seed: int,
    max_concurrent: int = 128,
    on_episode: Callable[[int], None] | None = None,
    opponent: str = "",
    temperature: float | None = None,
    players: Any = None,
    whole: bool = False,
    **how: Any,
) -> list[Episode]:
    """Let the policy play each task once, sampling as it does in training.

    Args:
        engine: The policy.
        world: Where it plays; its split says which tasks.
        tasks: Ids, indices or specifications.
        seed: Of all draws; two policies meet the same random draws, and so does `agentgym eval` with this seed.
        max_concurrent: Most episodes under way at once.
        on_episode: Called with the number of episodes that have just ended.
        opponent: In a game of several players, who holds the others: each task is played from every place.
        temperature: Of sampling here alone; None leaves the policy's own.
        players: Who plays in place of the one policy, as `collect` takes it: its roles where there is one player, else
            by player, each of which meets the opponent in turn unless it does not learn.
        whole: Whether the episodes of roles that do not act are returned as well, each after the one it is part of.
        how: Further arguments of `agentgym.rollout.collect`, such as `horizon`.
    """
    specs = evaluation_specs(world, tasks, seed)
    own, engine.temperature = engine.temperature, engine.temperature if temperature is None else temperature
    try:
        if len(world.players) == 1:
            games: list[Any] = [players or engine]
        elif isinstance(players, Mapping):
            learning = {player for player, _ in assign_roles(players, world).learning}
            games = [
                {player: holder if player == mine else opponent for player, holder in players.items()}
                for mine in world.players
                if mine in learning
            ]
        else:
            scripted = ScriptedOpponent(opponent)
            games = [scripted.assign_policies(world, engine, turn, seed) for turn in range(len(world.players))]
        played = [
            collect(world, game, specs, max_concurrent=max_concurrent, on_episode=on_episode, **how) for game in games
        ]
        return [episode for each in played for episode in each if whole or not is_child(episode)]
    finally:
        engine.temperature = own


def evaluate_trained(
    trainer: Trainer,
    plan: WorldPlan,
    split: str,
    tasks: Callable[[int | None], Sequence[TaskName]],
    *,
    seed: int,
    opponent: str = "",
    temperature: float | None = None,
    text: str | None = None,
    contain: bool = False,
    env_kwargs: Mapping[str, Any] = OWN,
    whole: bool = False,
) -> list[Episode]:
    """Let a trainer's policies play tasks of a split, each its part; in a game, from every place in which one learns.

    Args:
        trainer: Who trains, or has trained.
        plan: The world and who plays in it.
        split: Where the tasks come from.
        tasks: Which tasks, of a split of this size (None: without end).
        seed: Of all draws.
        opponent: In a game, the scripted opponent in the other places; the strongest by default.
        temperature: Of sampling here alone; None leaves the policy's own.
        text: What policies read in place of the artifact as it is; None for that.
        contain, env_kwargs: As for `make_world`.
        whole: As for `evaluate_policy`.

    Returns:
        The episodes, game by game; in each game the group is the task's place in `tasks`.

    Raises:
        ConfigError: if the world has no such opponent.
    """
    assigned = trainer.policies.assign_policies(plan.players, trainer.text if text is None else text)
    players = assigned if plan.players or plan.opponent is None else None
    played: list[Episode] = []
    for mine in _learning(assigned) if plan.formats else [""]:
        # who has wrappers plays by itself: the scripted opponents in the other places speak without any
        own = {mine: plan.formats[mine]} if mine in plan.formats else {}
        world = make_world(plan.world, split, trainer.recipe.rollout.workers, own, contain, env_kwargs)
        try:
            chosen = (opponent or world.opponents[-1]) if len(world.players) > 1 else ""
            if mine:
                players = {player: assigned[player] if player == mine else chosen for player in world.players}
            with trainer.distributed.generating():
                played += evaluate_policy(
                    trainer.engine, world, tasks(world.size), seed=seed, temperature=temperature, opponent=chosen,
                    players=players, whole=whole,
                )  # fmt: skip
        finally:
            world.close()
    return played


def _learning(players: Mapping[str, Any]) -> list[str]:
    """The players of a game of whom a role may be learned from."""
    roles = {name: [*holder.values()] if isinstance(holder, Mapping) else [holder] for name, holder in players.items()}
    return [name for name, held in roles.items() if any(getattr(role, "trainable", False) for role in held)]
