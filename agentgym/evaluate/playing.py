"""The runner of evaluations, matches and tournaments: plays what is missing, in batches, and keeps what has ended."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import TypeAlias

from agentgym.agents import Policy
from agentgym.agents.budget import Budget
from agentgym.core import AgentGymError, BudgetSpent, EndpointError
from agentgym.evaluate.episode_record import EpisodeRecord, Key
from agentgym.evaluate.fixtures import Fixture
from agentgym.evaluate.recorder import RecordHeader, record_episode
from agentgym.evaluate.store import EpisodeFolder
from agentgym.rollout import EnvPool, EpisodeSpec, RecordOptions, RunningEpisode, play
from agentgym.rollout.roles import Cast
from agentgym.vector.pool import WorkerPool, WorkerProcess

MOST_LOST = 16  # actors of a cluster that may be lost in a run before it ends with an error
FIRST = 5  # if the agent fails in as many episodes and no other ends before them, the run stops
Holders: TypeAlias = Mapping[str, str]
"""By player, the name of the agent that holds it."""
Keep: TypeAlias = Callable[[EpisodeRecord], None]


class Interrupted(KeyboardInterrupt):
    """The run was interrupted; the message says what is saved and how to go on."""


@dataclass(frozen=True)
class EpisodeJob:
    """One episode to play.

    Attributes:
        key: Of its record.
        spec: Where it begins; no two jobs share `spec.group`.
        holders: Who plays.
        group: Jobs that follow each other and have equal groups are played in batches together.
        trial: Which repetition of the task it is.
        fixture: Which game of a tournament it is.
    """

    key: Key
    spec: EpisodeSpec
    holders: Holders
    group: Hashable = None
    trial: int = 0
    fixture: Fixture | None = None


@dataclass(frozen=True)
class Players:
    """Agents that are ready to play; in the process that made them.

    Attributes:
        policies: By name of the agent.
        assign: The environment and who acts in it, given the holders of its players.
        header: What records say of world and agents.
        at_once: Most episodes under way at once.
        close: Called at the end of a process that was made for them.
    """

    policies: Mapping[str, Policy]
    assign: Callable[[Holders], tuple[EnvPool, Cast]]
    header: RecordHeader
    at_once: int
    close: Callable[[], None] = field(default=lambda: None)

    def play(self, jobs: Sequence[EpisodeJob], keep: Keep) -> BudgetSpent | None:
        """Play episodes, those of equal holders together.

        Args:
            jobs: The episodes.
            keep: Called with the record of each as it ends.

        Returns:
            The error of an agent whose budget was spent, once all have ended that were under way; otherwise None.
        """
        by_holders: dict[tuple[tuple[str, str], ...], list[EpisodeJob]] = {}
        for job in jobs:
            by_holders.setdefault(tuple(sorted(job.holders.items())), []).append(job)
        for part in by_holders.values():
            pool, cast = self.assign(part[0].holders)
            ended = partial(self._ended, pool, part, keep)
            specs, options = [job.spec for job in part], RecordOptions(infos=True)
            played = play(
                pool, cast, specs, max_concurrent=self.at_once, on_end=ended, options=options, keep_failures=True
            )
            for running in reversed(played):
                if isinstance(running.error, BudgetSpent):
                    return running.error
        return None

    def _ended(self, pool: EnvPool, jobs: Sequence[EpisodeJob], keep: Keep, running: RunningEpisode) -> None:
        job = jobs[running.number]
        keep(record_episode(running, pool, self.header, job.holders, trial=job.trial, fixture=job.fixture))

    def played(self, jobs: Sequence[EpisodeJob]) -> list[EpisodeRecord]:
        """The records of episodes, for another process.

        Args:
            jobs: The episodes.
        """
        found: list[EpisodeRecord] = []
        self.play(jobs, found.append)
        return found


class Runner:
    """Plays those of some jobs that are not on record.

    Args:
        jobs: All there are, in the order of play.
        folder: Where records are kept and what is there is not played again; None keeps them in memory.
        episodes: What messages call episodes.
        tell: Called with each record, episodes done and episodes in all; first with None and what was there.
        hopeless: Kinds of failure; if the first episodes all end with one of these, the run stops.

    Attributes:
        records: By key.
        left: The jobs that are to be played.
    """

    def __init__(
        self,
        jobs: Sequence[EpisodeJob],
        folder: EpisodeFolder | None,
        *,
        episodes: str,
        tell: Callable[[EpisodeRecord | None, int, int], None] | None,
        hopeless: Sequence[str] = ("agent", "outage"),
    ):
        self._hopeless = hopeless
        self._jobs, self._episodes = jobs, episodes
        self._folder: EpisodeFolder | None = folder
        self._tell: Callable[[EpisodeRecord | None, int, int], None] = tell or (lambda record, done, total: None)
        self.records: dict[Key, EpisodeRecord] = {} if folder is None else folder.records
        self._tried = frozenset(self.records)  # what failed in an earlier session and fails again says nothing new
        self._failures: list[str] | None = []
        self.left = [job for job in jobs if not self._is_final(job)]
        self._done = len(jobs) - len(self.left)

    def play(
        self,
        make: Callable[[], Players],
        workers: int = 1,
        at_once: int = 1,
        kind: type[WorkerProcess] = WorkerProcess,
    ) -> None:
        """Play what is left.

        Args:
            make: Makes the players, in each process; picklable where there are several.
            workers: Processes; of 1 it is this one.
            at_once: Jobs that each of several processes is given at once.
            kind: What a worker is: a process of this machine, or something in its place, which may be lost with its
                machine; its jobs are then done by another one.

        Raises:
            AgentGymError: if an agent failed in all of the first five episodes; EndpointError if nobody answered.
            Interrupted: after Ctrl-C; finished episodes are saved.
            BudgetSpent: if the budget of an agent is, with what its episodes on record have cost.
        """
        self._tell(None, self._done, len(self._jobs))
        if not self.left:
            return
        try:
            if workers > 1 or kind is not WorkerProcess:
                spare = 0 if kind is WorkerProcess else MOST_LOST
                with WorkerPool(make, workers, kind=kind, spare=spare) as pool:
                    pool.run("played", list(_batches(self.left, at_once)), lambda found: self._keep(*found))
            else:
                self._play_here(make())
        except BudgetSpent as stop:
            raise BudgetSpent(f"{stop}; {self._saved()}, and the command goes on from there") from None
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted; {self._saved()}; the same command goes on from there") from None

    def _play_here(self, players: Players) -> None:
        self._charge(players.policies)
        for _, group in groupby(self.left, lambda job: job.group):
            jobs = list(group)
            held = {name for job in jobs for name in job.holders.values()}
            streams = any(getattr(players.policies[name], "streams", False) for name in held)
            for batch in _batches(jobs, len(jobs) if streams else players.at_once):  # where one begins as another ends
                stopped = players.play(batch, self._keep)
                if stopped is not None:
                    raise stopped

    def _charge(self, policies: Mapping[str, Policy]) -> None:
        """Let budgets know what the episodes on record have cost, those that are played again included."""
        recorded = [] if self._folder is None else self._folder.recorded
        for name, policy in policies.items():
            budget: Budget | None = getattr(policy, "budget", None)
            if budget is not None:
                spent = [record.spent[name] for record in recorded if name in record.spent]
                budget.charge(math.fsum(dollars for dollars, _ in spent), int(sum(tokens for _, tokens in spent)))
                budget.check()

    def _is_final(self, job: EpisodeJob) -> bool:
        record = self.records.get(job.key)
        return record is not None and (self._folder is None or record.failure_kind in self._folder.final)

    def _saved(self) -> str:
        count = f"{sum(map(self._is_final, self._jobs))} of {len(self._jobs)} {self._episodes}"
        return f"{count} were played" if self._folder is None else f"{count} are saved in {self._folder.path}"

    def _keep(self, *records: EpisodeRecord) -> None:
        if self._folder is not None:
            self._folder.add(*records)
        for record in records:
            self.records[record.key] = record
            self._done += 1
            self._tell(record, self._done, len(self._jobs))
            if record.key not in self._tried:
                self._check_first(record)

    def _check_first(self, record: EpisodeRecord) -> None:
        """Stop if the agent failed in this episode and in all before it, once they are as many as `FIRST`."""
        if self._failures is None or record.failure_kind not in self._hopeless:
            self._failures = None
            return
        self._failures.append(record.failure)
        if len(self._failures) >= FIRST:
            error = EndpointError if record.failure_kind == "outage" else AgentGymError
            raise error(f"the agent failed in each of the first {FIRST} episodes, so the run stops: {record.failure}")


def _batches(jobs: Sequence[EpisodeJob], size: int) -> Iterator[Sequence[EpisodeJob]]:
    return (jobs[first : first + size] for first in range(0, len(jobs), max(1, size)))
