"""Evaluation: an agent over the tasks of a split, in parallel, continued where it was interrupted."""

from __future__ import annotations

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from agentgym.agents import Policy, agent_kind, make_agent
from agentgym.agents.budget import Budget
from agentgym.agents.shots import shots_from_record
from agentgym.core import AgentGymError, BudgetSpent, ConfigError, EndpointError
from agentgym.evaluate.examples import check_reader
from agentgym.evaluate.limits import Limits
from agentgym.evaluate.metrics import Summary, summarize
from agentgym.evaluate.planning import Job, RunConfig, Wanted, plan
from agentgym.evaluate.store import RunFolder
from agentgym.evaluate.summary_file import run_summary, write_summary
from agentgym.evaluate.transcript import Setting, Transcript, transcript
from agentgym.rollout import EnvPool, RecordOptions, Role, RunningEpisode, assign_roles, play
from agentgym.rollout.env_pool import STEP_TIMEOUT
from agentgym.rollout.evaluation import evaluation_spec
from agentgym.vector.pool import WorkerPool

FIRST = 5  # if the agent fails in as many episodes and no other ends before them, the run stops


@dataclass(frozen=True)
class Result:
    """A finished run: its folder, its transcripts by task and trial in panel order, and its figures."""

    config: RunConfig
    folder: Path
    episodes: list[Transcript]
    summary: Summary

    @property
    def failures(self) -> dict[tuple[str, str], int]:
        """How many episodes failed, by who failed (`Transcript.failure_kind`) and why, most first."""
        failed = ((each.failure_kind, each.failure) for each in self.episodes if each.failure_kind)
        return dict(Counter(failed).most_common())


class Interrupted(KeyboardInterrupt):
    """The run was interrupted; the message says what is saved and how to go on."""


class Player:
    """A world and an agent that play episodes.

    Args:
        config: What they are made of.
        limits: Of the world.
        pool: The world, if it is open already.
    """

    def __init__(self, config: RunConfig, limits: Limits, pool: EnvPool | None = None):
        self._setting = Setting(
            config.env, config.env_options, config.split, config.agent, config.stored_options, config.wrappers
        )
        self._pool = pool or limits.open(config.env, config.split, config.env_options, config.wrappers)
        self.policy = make_agent(config.agent, **config.agent_options)
        self._cast = assign_roles(_role(self.policy, config), self._pool)
        self._most = concurrency(config)

    def play(self, jobs: Sequence[Job], keep: Callable[[Transcript], None]) -> None:
        """Play episodes, as many at once as suits the agent.

        Args:
            jobs: The episodes.
            keep: Called with each transcript as its episode ends.

        Raises:
            BudgetSpent: when all have ended that were under way when the budget was spent.
        """
        stopped: list[BudgetSpent] = []

        def ended(running: RunningEpisode) -> None:
            if isinstance(running.error, BudgetSpent):
                stopped.append(running.error)
            keep(transcript(running, self._setting, jobs[running.number].trial))

        specs = [evaluation_spec(job.task_id, job.seed, place) for place, job in enumerate(jobs)]
        options = RecordOptions(infos=True)
        play(
            self._pool,
            self._cast,
            specs,
            max_concurrent=self._most,
            on_end=ended,
            options=options,
            keep_failures=True,
        )
        if stopped:
            raise stopped[-1]

    def played(self, jobs: Sequence[Job]) -> list[Transcript]:
        """The transcripts of episodes, for another process."""
        found: list[Transcript] = []
        self.play(jobs, found.append)
        return found

    def close(self) -> None:
        """Close the world."""
        self._pool.close()


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
    workers: int | None = None,
    out: str | Path | None = None,
    fresh: bool = False,
    step_timeout: float = STEP_TIMEOUT,
    episode_timeout: float | None = None,
    memory: float | None = None,
    agent_options: Mapping[str, Any] | None = None,
    env_options: Mapping[str, Any] | None = None,
    wrap: Sequence[str | Mapping[str, Any]] = (),
    shots: int = 0,
    on_episode: Callable[[Transcript | None, int, int], None] | None = None,
) -> Result:
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
            that hangs or ends its process ends the run.
        out: Folder of the run; by default `runs/eval/<name made of the arguments>`.
        fresh: Throw away what the folder holds.
        step_timeout: Seconds that a world may take for a reset or a step.
        episode_timeout: Seconds that it may take for all of an episode; what the agent takes does not count.
        memory: MiB that its process may hold together with those it started.
        agent_options, env_options: Keyword arguments of agent and world; JSON-safe.
        wrap: Wrappers through which the agent plays, the first innermost; see `wrap_tables`.
        shots: Episodes of the world's expert that a model is shown before its task; see `expert_shots`.
        on_episode: Called with the transcript, episodes done and episodes in all; first with None and what was there.

    Returns:
        Transcripts and figures.

    Raises:
        AgentGymError: in one line, if an argument is wrong, or the agent failed in all of the first five episodes.
        EndpointError: if it did so as nobody answered for it.
        Interrupted: after Ctrl-C; finished episodes are saved.
        BudgetSpent: if the agent's budget is, with what was spent on the run before; finished episodes are saved, and
            the run can go on with a larger one.
    """
    if workers is not None and workers < 0:
        raise ConfigError(f"workers must be at least 0, got {workers}")
    limits = Limits(step_timeout, episode_timeout, memory, here=workers == 0)
    wanted = Wanted(env_id, agent, split, episodes, trials, seed, agent_options, env_options, wrap, shots)
    config, jobs, pool = plan(wanted, limits)
    with contextlib.closing(pool), RunFolder(out or config.folder, config.agreement(), fresh=fresh) as folder:
        todo = [job for job in jobs if not _played(folder, job)]
        keep = _keeper(folder, len(jobs) - len(todo), len(jobs), on_episode)
        try:
            _play_all(config, todo, workers, (folder.dollars, folder.tokens), keep, limits, pool)
        except (KeyboardInterrupt, BudgetSpent) as stop:
            saved = f"{sum(_played(folder, job) for job in jobs)} of {len(jobs)} episodes are saved in {folder.path}"
            if isinstance(stop, BudgetSpent):
                raise BudgetSpent(f"{stop}; {saved}, and the command goes on from there") from None
            raise Interrupted(f"interrupted; {saved}; the same command goes on from there") from None
        played = [folder.episodes[job.task_id, job.trial] for job in jobs]
        return _written(config, folder.path, played)


def _written(config: RunConfig, folder: Path, played: list[Transcript]) -> Result:
    """The result of a run, whose summary is written into its folder."""
    found = summarize(played, config.trials)
    write_summary(folder, run_summary(config, found, played))
    return Result(config, folder, played, found)


def _keeper(
    folder: RunFolder, done: int, total: int, tell: Callable[[Transcript | None, int, int], None] | None
) -> Callable[[Transcript], None]:
    """What saves an episode, tells of it, and stops a run whose agent fails from the first."""
    failures: list[str] | None = []
    tried = frozenset(folder.episodes)  # what failed in an earlier session and fails again says nothing new
    if tell is not None:
        tell(None, done, total)

    def keep(episode: Transcript) -> None:
        nonlocal done, failures
        folder.add(episode)
        done += 1
        if tell is not None:
            tell(episode, done, total)
        if (episode.task_id, episode.trial) not in tried:
            failures = first_failures(failures, episode.failure_kind, episode.failure)

    return keep


def _played(folder: RunFolder, job: Job) -> bool:
    episode = folder.episodes.get((job.task_id, job.trial))
    return episode is not None and episode.scored


def first_failures(failures: list[str] | None, kind: str, why: str) -> list[str] | None:
    """The failures from the first episode on, None once an episode went well.

    Args:
        failures: Those before.
        kind: Who failed in the newest episode; see `Transcript.failure_kind`.
        why: What failed.

    Raises:
        AgentGymError: if the agent failed in all of the first five; EndpointError if nobody answered for it.
    """
    if failures is None or kind not in ("agent", "outage"):
        return None
    failures = [*failures, why]
    if len(failures) >= FIRST:
        error = EndpointError if kind == "outage" else AgentGymError
        raise error(f"the agent failed in each of the first {FIRST} episodes, so the run stops: {failures[-1]}")
    return failures


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def concurrency(config: RunConfig) -> int:
    """Episodes that a process plays at once."""
    return int(config.agent_options.get("concurrency", agent_kind(config.agent).concurrent))


def _play_all(
    config: RunConfig,
    jobs: list[Job],
    workers: int | None,
    spent: tuple[float, int],
    keep: Callable[[Transcript], None],
    limits: Limits,
    pool: EnvPool,
) -> None:
    """Play jobs here or in worker processes; `spent` is what the run has cost before in dollars and tokens."""
    kind, size = agent_kind(config.agent), concurrency(config)
    batches = [jobs[first : first + size] for first in range(0, len(jobs), size)]
    if workers is None:
        workers = 1 if kind.alone else _cores()
    workers = min(workers, len(batches))
    if workers > 1:
        if any(config.agent_options.get(name) is not None for name in ("max_cost", "max_total_tokens")):
            raise ConfigError(f"a budget is kept by one process, got {workers} workers; raise concurrency instead")
        pool.close()
        with WorkerPool(partial(Player, config, limits), workers) as players:
            players.run("played", batches, partial(_keep_all, keep))
    elif jobs:
        player = Player(config, limits, pool)
        budget: Budget | None = getattr(player.policy, "budget", None)
        if budget is not None:
            budget.charge(*spent)
            budget.check()
        for batch in [jobs] if kind.streams else batches:
            player.play(batch, keep)


def _keep_all(keep: Callable[[Transcript], None], found: Sequence[Transcript]) -> None:
    for each in found:
        keep(each)
