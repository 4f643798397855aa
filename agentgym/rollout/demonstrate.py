"""Episodes of a teacher: the world's own expert, as good or as clumsy as asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from agentgym.core import ConfigError, LanguageEnv
from agentgym.rollout.episode import Episode, Stop, Turn
from agentgym.rollout.world import TaskName, World


def demonstrate(
    world: World,
    tasks: Sequence[TaskName],
    *,
    noise: float,
    seed: int,
    on_episode: Callable[[int], None] | None = None,
) -> list[Episode]:
    """Let the world's expert play each task once, with slips of the tongue.

    Args:
        world: Where to play.
        tasks: Task ids or indices.
        noise: Probability that a turn is a random action in place of the expert's, from 0 to 1.
        seed: Episode i draws its noise, and the world its dice, from (seed, i).
        on_episode: Called with 1 after each episode.

    Returns:
        Episodes in words, without segments (`agentgym.train.tokenize` adds them), without those that the world failed.
    """
    if not 0 <= noise <= 1:
        raise ConfigError(f"noise must be a probability from 0 to 1, got {noise!r}")
    env = world.envs(1)[0]
    inner: Any = env.unwrapped
    if not isinstance(inner, LanguageEnv):
        raise ConfigError(f"{world.id} is no agentgym.core.LanguageEnv and has no expert to learn from")
    episodes = []
    for number, task in enumerate(tasks):
        rng = np.random.default_rng((seed, number))
        start = (task, int(rng.integers(2**31)), number)
        episode = world.guard.run(partial(_play, world, env, start, noise, rng))
        if not episode.failed:
            episodes.append(episode)
        if on_episode:
            on_episode(1)
    return episodes


def _play(world: World, env: Any, start: tuple[TaskName, int, int], noise: float, rng: np.random.Generator) -> Episode:
    task, seed, number = start
    sample_action, expert_action = (env.get_wrapper_attr(name) for name in ("sample_action", "expert_action"))
    observation, info = env.reset(seed=seed, options={"task": task})
    reminder = world.reminder(info["instruction"])
    episode = Episode(info["task_id"], info["split"], seed, number, reminder=reminder)
    terminated, truncated = False, bool(info["failure"])
    while not (terminated or truncated):
        action = sample_action(rng) if rng.random() < noise else expert_action()
        world.guard.touch(" (demonstration)")
        seen = observation
        observation, reward, terminated, truncated, info = env.step(action)
        stop: Stop | str = "terminated" if terminated else "truncated" if truncated else ""
        episode.turns.append(Turn(seen, action, reward, info["action_valid"], stop))  # type: ignore[arg-type]
    episode.stop = "failure" if info["failure"] else "terminated" if terminated else "truncated"
    episode.success, episode.failure, episode.final = info["success"], info["failure"], observation
    return episode
