"""Few-shot examples for models: episodes of a world's expert on tasks that are never those of the evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from agentgym.agents.policy import Policy
from agentgym.agents.prompt import Prompt
from agentgym.agents.scripted import ExpertPolicy
from agentgym.agents.shots import Shot, Shots
from agentgym.core import ConfigError
from agentgym.core.rng import stream, stream_seed
from agentgym.evaluate.limits import EpisodeLimits
from agentgym.rollout import EnvPool, EpisodeSpec, collect
from agentgym.rollout.wrapping import PICTURES, keeps_history

SPLIT = "train"
TRIES = 4  # episodes for each example that is wanted, since experts do not solve every task
MOST = 64
Tables = Sequence[Mapping[str, Any]]


def expert_shots(
    env_id: str,
    count: int,
    *,
    split: str,
    seed: int,
    limits: EpisodeLimits,
    env_kwargs: Mapping[str, Any],
    wrappers: Tables = (),
    formats: Mapping[str, Tables] | None = None,
) -> Shots:
    """Episodes of the expert on tasks of the split `train`, drawn from the stream `evaluate.shots` of the run's seed.

    In a world of one player they are solved; in a game all players are the expert, and games that a player has won come
    first among those that it is shown. The expert speaks through the wrappers of the evaluation, without those that
    keep history or show pictures.

    Args:
        env_id: The world.
        count: How many.
        split: Which is evaluated.
        seed: Of the run.
        limits: Of the world.
        env_kwargs: Constructor arguments.
        wrappers: Tables of the wrappers around the world.
        formats: Tables of the wrappers of each player of a game.

    Raises:
        ConfigError: if the evaluated split is `train`, or the expert does not solve enough tasks.
    """
    if not 1 <= count <= MOST:
        raise ConfigError(f"shots must be from 1 to {MOST}, got {count}")
    if split == SPLIT:
        raise ConfigError(f"shots are tasks of {SPLIT}, which is the split that is evaluated; evaluate another one")
    plain = {player: _plain(tables) for player, tables in (formats or {}).items()}
    with closing(limits.open(env_id, SPLIT, env_kwargs, _plain(wrappers), plain)) as pool:
        several, tries = len(pool.players) > 1, TRIES * count
        found: dict[str, list[Shot]] = {player: [] for player in pool.players}
        lost: dict[str, list[Shot]] = {player: [] for player in pool.players}
        for spec in _specs(pool, tries, seed):
            if all(len(shots) >= count for shots in found.values()):
                break
            for player, episode in zip(pool.players, collect(pool, ExpertPolicy(), [spec]), strict=True):
                if episode.turns and not episode.failed:
                    seen = [*(turn.observation for turn in episode.turns), episode.final]
                    shot = Shot(tuple(seen), tuple(turn.action for turn in episode.turns))
                    (found if episode.success else lost)[player].append(shot)
        if several:
            found = {player: [*won, *lost[player]][:count] for player, won in found.items()}
        solved = min(map(len, found.values()))
        if solved < count:
            what = "ended properly" if several else "were solved"
            raise ConfigError(
                f"the expert of {pool.id} gave {solved} of {count} shots, as of {tries} episodes on {SPLIT} so many "
                f"{what}; ask for fewer"
            )
        return {player: tuple(shots[:count]) for player, shots in found.items()}


def check_reader(policy: Policy, label: str) -> Prompt:
    """The prompt of an agent that is to be shown examples.

    Args:
        policy: The agent.
        label: Its name.

    Raises:
        ConfigError: if it reads no words.
    """
    if policy.reads == "view":
        raise ConfigError(f"the agent {label} is a program and reads no examples; leave out shots (--shots)")
    return policy.prompt


def _plain(tables: Tables) -> list[Mapping[str, Any]]:
    return [table for table in tables if table["name"] != PICTURES["name"] and not keeps_history(table)]


def _specs(pool: EnvPool, count: int, seed: int) -> list[EpisodeSpec]:
    """Where episodes begin: different tasks where they are counted, otherwise drawn."""
    rng, size = stream("evaluate.shots", seed), pool.size
    if size is not None and size < count:
        count = size
    tasks = [None] * count if size is None else [int(place) for place in rng.permutation(size)[:count]]
    return [
        EpisodeSpec(task, stream_seed("evaluate.shots", seed, number), number, ("shots", seed, number))
        for number, task in enumerate(tasks)
    ]
