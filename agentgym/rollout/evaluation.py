"""Where the episodes of an evaluation begin: the same for a trainer's own and for `agentgym eval`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from agentgym.agents.seeds import episode_seed
from agentgym.core.snapshot import json_key
from agentgym.rollout.env_pool import EnvPool
from agentgym.rollout.records import EpisodeSpec, TaskName


def evaluation_specs(pool: EnvPool, tasks: Sequence[TaskName], seed: int) -> list[EpisodeSpec]:
    """One spec a task; a task that is named again is another trial of it, with another seed.

    Args:
        pool: Where they are played; its split says which tasks.
        tasks: Ids, indices into the split, or specifications.
        seed: Of the evaluation.
    """
    world = pool.driver().world
    panel = world.tasks(world.split)
    trials: Counter[str] = Counter()
    specs = []
    for place, task in enumerate(tasks):
        name = task if isinstance(task, str) else json_key(task) if isinstance(task, Mapping) else panel[task].id
        specs.append(evaluation_spec(task, episode_seed(seed, name, trials[name]), place))
        trials[name] += 1
    return specs


def evaluation_spec(task: TaskName | None, seed: int, place: int) -> EpisodeSpec:
    """One episode of an evaluation.

    Args:
        task: Which task; None draws one.
        seed: From `episode_seed`; the policy's generators follow from it as well.
        place: Its place in the evaluation.
    """
    return EpisodeSpec(task, seed, place, ("evaluation", seed))
