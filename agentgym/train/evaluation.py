"""Where a recipe plays, and a policy's play on fixed tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agentgym.core import catalog, full_id
from agentgym.core.rng import stream
from agentgym.rollout import Episode, SeatWorld, Start, Workers, World, collect, collect_seats
from agentgym.rollout.world import TaskName
from agentgym.train.config import WorldConfig
from agentgym.train.engine import HuggingFaceEngine
from agentgym.train.opponents import ScriptedOpponent


def make_world(config: WorldConfig, split: str, workers: Workers | None = None) -> World | SeatWorld:
    """The world of a recipe.

    Args:
        config: Its table `[world]`.
        split: Which tasks.
        workers: Processes that environments run in; None plays in this one.

    Raises:
        ConfigError: if the world refuses its options.
    """
    known = catalog().get(full_id(config.id))
    if known is not None and known.api != "gymnasium":
        return SeatWorld(config.id, split=split, **config.knobs)
    return World(config.id, wrappers=config.wrappers, workers=workers, split=split, **config.knobs)


def evaluate_policy(
    engine: HuggingFaceEngine,
    world: World | SeatWorld,
    tasks: Sequence[TaskName],
    *,
    seed: int,
    live: int = 128,
    on_episode: Callable[[int], None] | None = None,
    opponent: str = "",
    temperature: float | None = None,
    **how: Any,
) -> list[Episode]:
    """Let the policy play each task once, sampling as it does in training.

    Args:
        engine: The policy.
        world: Where it plays; its split says which tasks.
        tasks: Ids, indices or specifications.
        seed: Task i is played with dice drawn from (seed, i), so two policies meet the same ones.
        live: Most episodes under way at once.
        on_episode: Called with the number of episodes that have just ended.
        opponent: In a game of many seats, who holds the others: each task is played from every seat.
        temperature: Of sampling here alone; None leaves the policy's own.
        how: Further arguments of `agentgym.rollout.collect`, such as `context`.
    """
    dice = stream("evaluate.world", seed).integers(2**31, size=len(tasks))
    starts = [Start(task, int(dice[i]), i, (seed, i)) for i, task in enumerate(tasks)]
    own, engine.temperature = engine.temperature, temperature or engine.temperature
    try:
        if not isinstance(world, SeatWorld):
            return collect(world, engine, starts, live=live, on_episode=on_episode, **how)
        scripted, seats = ScriptedOpponent(opponent), range(len(world.seats))
        assignments = [scripted.assign_policies(world, engine, turn, seed) for turn in seats]
        games = [collect_seats(world, each, starts, live=live, on_episode=on_episode, **how) for each in assignments]
        return [episode for played in games for episode in played]
    finally:
        engine.temperature = own
