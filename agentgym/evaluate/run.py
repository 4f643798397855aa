"""Evaluation: an agent over the tasks of a split, in parallel, continued where it was interrupted."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from agentgym.agents import Policy, agent_kind, make_agent
from agentgym.agents.shots import shots_from_record
from agentgym.core import ConfigError
from agentgym.evaluate.episode_record import EpisodeRecord
from agentgym.evaluate.examples import check_reader
from agentgym.evaluate.limits import EpisodeLimits
from agentgym.evaluate.metrics import Summary, summarize
from agentgym.evaluate.planning import RunConfig, Wanted, plan
from agentgym.evaluate.playing import Players, Runner
from agentgym.evaluate.ranker import BestOf, Ranker, best_of, check_trials, read_ranker
from agentgym.evaluate.recorder import AgentSetting, RecordHeader
from agentgym.evaluate.store import RunFolder
from agentgym.evaluate.summary_file import run_summary, write_summary
from agentgym.rollout import EnvPool, Role, assign_roles
from agentgym.rollout.env_pool import STEP_TIMEOUT
from agentgym.vector.pool import WorkerProcess
from agentgym.vector.ray_workers import read_workers


@dataclass(frozen=True)
class EvaluationResult:
    """A finished run: its folder, its episodes by task and trial in panel order, and its figures.

    `best_of` is what the attempts come to that a ranker picks; None where there was no ranker.
    """

    config: RunConfig
    folder: Path
    episodes: list[EpisodeRecord]
    summary: Summary
    best_of: BestOf | None = None

    @property
    def failures(self) -> dict[tuple[str, str], int]:
        """How many episodes failed, by who failed (`EpisodeRecord.failure_kind`) and why, most first."""
        failed = ((each.failure_kind, each.failure) for each in self.episodes if each.failure_kind)
        return dict(Counter(failed).most_common())


def _players(config: RunConfig, limits: EpisodeLimits, pool: EnvPool | None = None) -> Players:
    """The agent of a run, ready to play in a world that is opened, unless it is open already."""
    agents = {config.agent: AgentSetting(config.stored_options)}
    header = RecordHeader(config.env, config.env_kwargs, config.split, agents, config.wrappers)
    world = pool or limits.open(config.env, config.split, config.env_kwargs, config.wrappers)
    policy = make_agent(config.agent, **config.agent_options)
    cast = assign_roles(_role(policy, config), world)
    return Players({config.agent: policy}, lambda holders: (world, cast), header, _at_once(config), world.close)


def _role(policy: Policy, config: RunConfig) -> Role:
    """The policy as it is asked: with examples, if there are some."""
    prompt = None
    if shots := config.prompt.get("shots"):
        prompt = replace(check_reader(policy, config.agent), shots=shots_from_record(shots))
    return Role(policy, trainable=policy.reads == "tokens", prompt=prompt)


def evaluate(
    env_id: str,
    agent: str = "random",
    *,
    split: str = "test",
    episodes: int | None = None,
    trials: int = 1,
    seed: int = 0,
    workers: int | str | None = None,
    out: str | Path | None = None,
    fresh: bool = False,
    step_timeout: float = STEP_TIMEOUT,
    episode_timeout: float | None = None,
    memory: float | None = None,
    agent_options: Mapping[str, Any] | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    wrap: Sequence[str | Mapping[str, Any]] = (),
    shots: int = 0,
    ranker: str | Path | None = None,
    on_episode: Callable[[EpisodeRecord | None, int, int], None] | None = None,
) -> EvaluationResult:
    """Play an agent over the first tasks of a split and sum up.

    Results do not depend on the number of workers, nor on interruptions: called again with equal arguments, the run
    goes on where it stopped, and plays those episodes again in which the world failed or nobody was there to answer for
    the agent. An agent that cannot go on has lost the episode.

    A world plays in a process of its own. One that raises, ends its process, hangs, grows too large or answers what
    cannot be scored fails its episode, which is counted and not scored, and the run goes on in a new process.

    Args:
        env_id: An id, with or without namespace, or `module:id`.
        agent: A name of `agentgym.agents.AGENTS`, `run:FOLDER` for what a training run has learned, or
            `module:factory`. A run is asked as it was in training, and brings the wrappers of its world along, and
            its options where the world is the same.
        split: Where the tasks come from.
        episodes: How many tasks; by default 200, or all if the split has fewer.
        trials: Times each task is played, with different seeds.
        seed: Of the run.
        workers: Processes of agents, each with one for its world; by default one for each core, and one in all for
            agents that fill the machine. With 1 the agent plays in this process; with 0 the world does too, where one
            that hangs or ends its process ends the run. `ray:N` are N actors on a cluster of Ray, each with its world
            beside it; where one is lost, another plays what it had not handed over.
        out: Folder of the run; by default `runs/eval/<name made of the arguments>`.
        fresh: Throw away what the folder holds.
        step_timeout: Seconds that a world may take for a reset or a step.
        episode_timeout: Seconds that it may take for all of an episode; what the agent takes does not count.
        memory: MiB that its process may hold together with those it started.
        agent_options, env_kwargs: Keyword arguments of agent and world; JSON-safe.
        wrap: Wrappers through which the agent plays, the first innermost; see `wrap_tables`.
        shots: Episodes of the world's expert that a model is shown before its task; see `expert_shots`.
        ranker: File of `agentgym.evaluate.ranker.fit_ranker`, which picks one of the trials of each task: best of n. It
            changes nothing of what is played, so a finished run may be given one.
        on_episode: Called with the record, episodes done and episodes in all; first with None and what was there.

    Returns:
        Episodes and figures.

    Raises:
        AgentGymError: in one line, if an argument is wrong, or the agent failed in all of the first five episodes.
        EndpointError: if it did so as nobody answered for it.
        Interrupted: after Ctrl-C; finished episodes are saved.
        BudgetSpent: if the agent's budget is, with what was spent on the run before; finished episodes are saved, and
            the run can go on with a larger one.
    """
    number, kind = read_workers(workers)
    chooser = _chooser(ranker, trials)
    limits = EpisodeLimits(step_timeout, episode_timeout, memory, here=number == 0)
    wanted = Wanted(env_id, agent, split, episodes, trials, seed, agent_options, env_kwargs, wrap, shots)
    config, jobs, pool = plan(wanted, limits)
    with contextlib.closing(pool), RunFolder(out or config.folder, config.agreement(), fresh=fresh) as folder:
        runner = Runner(jobs, folder, episodes="episodes", tell=on_episode)
        wanted_here = _workers(config, len(runner.left), number)
        elsewhere = wanted_here > 1 or kind is not WorkerProcess
        if elsewhere:
            pool.close()
        make = partial(_players, config, limits, None if elsewhere else pool)
        runner.play(make, wanted_here, _at_once(config), kind)
        return _written(config, folder.path, [runner.records[job.key] for job in jobs], chooser)


def _written(config: RunConfig, folder: Path, played: list[EpisodeRecord], ranker: Ranker | None) -> EvaluationResult:
    """The result of a run, whose summary is written into its folder."""
    found = summarize(played, config.trials)
    best = None if ranker is None else best_of(ranker, played, config.trials)
    write_summary(folder, run_summary(config, found, played, best))
    return EvaluationResult(config, folder, played, found, best)


def _chooser(file: str | Path | None, trials: int) -> Ranker | None:
    """The ranker of a run, if one is named; refused, before anything is played, where it has nothing to choose from."""
    if file is None:
        return None
    check_trials(trials)
    return read_ranker(file)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _at_once(config: RunConfig) -> int:
    """Episodes that a process plays at once."""
    return int(config.agent_options.get("concurrency", agent_kind(config.agent).concurrent))


def _workers(config: RunConfig, left: int, wanted: int | None) -> int:
    """Processes that play the episodes left, as many as are wanted or suit the agent; of 1 it is this one."""
    if wanted is None:
        wanted = 1 if agent_kind(config.agent).alone else _cores()
    workers = min(wanted, math.ceil(left / max(1, _at_once(config))))
    if workers > 1 and any(config.agent_options.get(name) is not None for name in ("max_cost", "max_total_tokens")):
        raise ConfigError(f"a budget is kept by one process, got {workers} workers; raise concurrency instead")
    return workers
