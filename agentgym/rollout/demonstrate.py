"""Episodes of a teacher: a world's own expert or oracle, or a scripted opponent, as clumsy as asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentgym.agents.policy import ActionPolicy
from agentgym.agents.scripted import ExpertPolicy, NoisyPolicy, OpponentPolicy, OraclePolicy
from agentgym.core import ConfigError, unknown
from agentgym.core.rng import stream_seed
from agentgym.rollout.collect import collect
from agentgym.rollout.env_pool import EnvPool
from agentgym.rollout.episode import Episode
from agentgym.rollout.records import EpisodeSpec, TaskName

EXPERT, ORACLE = "expert", "oracle"  # teachers of every world that has them


def demonstrate(
    pool: EnvPool,
    tasks: Sequence[TaskName],
    *,
    noise: float,
    seed: int,
    teacher: str = EXPERT,
    on_episode: Callable[[int], None] | None = None,
) -> list[Episode]:
    """Let a teacher play each task once, every player of it, with slips of the tongue.

    Args:
        pool: Where to play.
        tasks: Task ids, indices or specifications.
        noise: Probability that a turn is a random action in place of the teacher's, from 0 to 1.
        seed: Of all draws; episode i has its own.
        teacher: The world's `expert`; its `oracle`, whose way may rest on what nobody sees, such as the walkthrough of
            a game; or one of a game's scripted opponents.
        on_episode: Called with the number of episodes that have just ended.

    Returns:
        Episodes in words, without segments (`agentgym.train.tokenize` adds them): of each task, one for every player
        that came to act, without those that the world failed.

    Raises:
        UnknownName: if there is no such teacher.
        ConfigError: if `noise` is no probability, or the environment has no expert.
    """
    if not hasattr(pool.driver().world, "expert_action"):
        raise ConfigError(f"{pool.id} is no AgentGym environment and has no expert to learn from")
    own: dict[str, ActionPolicy] = {EXPERT: ExpertPolicy(), ORACLE: OraclePolicy()}
    if teacher not in (*own, *pool.opponents):
        raise unknown(f"teacher of {pool.id}", teacher, [*own, *pool.opponents])
    policy = NoisyPolicy(own.get(teacher) or OpponentPolicy(teacher), noise)
    specs = [
        EpisodeSpec(task, stream_seed("rollout.demonstration", seed, number), number, ("demonstration", seed, number))
        for number, task in enumerate(tasks)
    ]
    played = collect(pool, policy, specs, on_episode=on_episode)
    played.sort(key=lambda episode: episode.group)  # the players of a task side by side
    return [episode for episode in played if episode.turns and not episode.failed]
