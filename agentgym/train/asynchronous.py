"""Asynchronous collection: episodes go on while the weights are moved, and no group that is learned from is too old.

    [rollout]
    max_staleness = 1       updates that the weights may be ahead of the oldest token of a group
    workers = { processes = 16 }

A round is no batch that is waited for: an update learns from the groups that are whole when it comes, and the others go
on. Between two forward passes of the gradient steps, all conversations go on whose worlds have answered meanwhile. They
are played by a copy of the weights (frozen ones are shared) or elsewhere (`rollout.engine`), where the newest are
after every update; each turn carries the version that sampled it. A conversation goes on under the newest weights,
which read it anew.

The bound is kept by waiting, and nothing is dropped: groups that would become too old are learned from first, and where
one of them is not whole yet, the update waits for it (`awaited` counts how often). So that no more of them come due at
once than an update takes, at most `max_staleness` rounds are under way beside the one that is being learned from. What
earlier weights said is corrected by what the recipe names: the ratio of the loss, or `update.recompute_logprobs` with
`update.importance_cap`. With 0 nothing goes on while the weights are moved, yet no conversation waits for another.

What is deterministic: which tasks and seeds a group has and what its members draw from (its round, its place in it and
the seed of the recipe). Where worlds play in this process, so is the order in which they answer, and with it the whole
run, but nothing overlaps. In `rollout.workers` the clock decides which groups are whole when an update comes and which
version samples a turn; with a bound of 0 an update has the groups of a synchronous round, and they differ from it
only as sums of floating-point numbers do whose terms are batched otherwise.

A checkpoint names the groups that were begun and not learned from. A run that goes on begins them again, under the
weights of the checkpoint: what had been played of them is in no record yet, and records lose nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.remote_policy import RemotePolicy
from agentgym.core import ConfigError
from agentgym.rollout import Episode, EpisodeSpec, RecordOptions, Role, assign_roles
from agentgym.rollout.continuous import Continuous
from agentgym.rollout.run import Rollout
from agentgym.train.batch import Batch, Sample
from agentgym.train.metrics import Metrics
from agentgym.train.mixture import PlayedWorld
from agentgym.train.phase import Phase
from agentgym.train.schedules import at
from agentgym.train.trainer import Trainer

PATIENCE = 1.0  # seconds that a world is waited for before it is asked again


@dataclass(frozen=True)
class Group:
    """A group under way.

    Attributes:
        number: Of all groups of the run, in the order in which they were drawn.
        run: Its episodes.
        version: Of the weights when the first of them began; no token of it is older.
    """

    number: int
    run: Rollout
    version: int

    @property
    def whole(self) -> bool:
        """Whether all its episodes have ended."""
        played = self.run.episodes
        return len(played) == len(self.run.specs) and all(running.over for running in played.values())


class AsyncTrainer(Trainer):
    """A trainer whose rounds are the groups that are whole when an update comes; see the module.

    Metrics of an update hold, under `asynchronous`: `staleness`, the mean over turns of the updates since they were
    sampled, and `max_staleness`, the most of them; `mixed`, episodes that several versions spoke in; `awaited`, how
    often a group was waited for although younger ones were whole; `overlapped`, turns that were sampled while the
    weights were moved; `under_way`, groups that had been begun when the gradient steps were done.

    Attributes:
        player: The copy that plays, or what is sampled elsewhere (`rollout.engine`).

    Raises:
        ConfigError: if several processes train, or the recipe does not ask for it.
    """

    overlaps: ClassVar[bool] = True

    def __init__(self, *parts: Any, **options: Any):
        super().__init__(*parts, **options)
        if self.distributed.size > 1:
            raise ConfigError("rollout.max_staleness is for one process; start it without torchrun, or leave it out")
        self.max_staleness = self.recipe.rollout.max_staleness or 0
        self.player: HuggingFaceEngine | RemotePolicy = self.policies.served or self._copied()
        self._rollouts = Continuous(self.world, self.player, self.recipe.rollout.max_concurrent)
        self._groups: dict[int, Group] = {}  # begun and not learned from, by number
        self._chosen: list[Group] = []
        self._figures: Metrics = {}

    def train(self) -> list[Metrics]:
        """Go on until the recipe's last update, or until a callback stops the run; metrics of every update."""
        self._push()  # a run that goes on has read its weights
        try:
            return super().train()
        finally:
            if self._groups:
                self.world.close()

    def _copied(self) -> HuggingFaceEngine:
        """A copy of the policy that shares the weights that do not move."""
        frozen: dict[int, Any] = {
            id(weight): weight for weight in self.engine.model.parameters() if not weight.requires_grad
        }
        player = copy.deepcopy(self.engine, frozen)
        player.temperature = at(self.recipe.rollout.temperature, 0)
        return player

    def _starts(self, attempt: int, groups: int, world: PlayedWorld | None = None) -> list[EpisodeSpec]:
        """Where the groups began that the update learns from: those that are whole, once there are enough."""
        world = world or self.worlds[0]
        if not attempt:
            self._figures |= {"awaited": 0}
        self._chosen = sorted((self._next(left) for left in range(groups, 0, -1)), key=lambda group: group.number)
        first = world.first_group + attempt * world.plan.groups
        return [
            replace(spec, group=first + place) for place, group in enumerate(self._chosen) for spec in group.run.specs
        ]

    def _next(self, left: int) -> Group:
        """The group that the update takes next: the oldest of those that are whole, but none before it has to be.

        Args:
            left: How many groups the update still takes.
        """
        waited = False
        while True:
            self._begin(left)
            whole = [group for group in self._groups.values() if group.whole]
            last = self._due(left)
            for group in whole:
                if group.version <= last:
                    self._figures["awaited"] += waited
                    del self.worlds[0].ahead[group.number]
                    return self._groups.pop(group.number)
            waited = waited or bool(whole)
            self._rollouts.go_on(PATIENCE)

    def _due(self, left: int) -> int:
        """The version up to which groups have to be taken now, or later updates could not take all in time."""
        for ahead in range(self.max_staleness):
            last = self.engine.version - self.max_staleness + ahead
            due = sum(group.version <= last for group in self._groups.values())
            if due >= left + ahead * self.recipe.rollout.groups:
                return last
        return self.engine.version

    def _begin(self, left: int) -> None:
        """Let groups begin while there is room for episodes, as many as may be under way.

        Args:
            left: How many groups the update still takes.
        """
        rounds = max(0, min(self.max_staleness, self.recipe.update.updates - self.update - 1))
        while self._rollouts.room and len(self._groups) < left + rounds * self.recipe.rollout.groups:
            number, specs = self._draw()
            run = self._rollout(specs)
            self._rollouts.add(run)
            self._groups[number] = Group(number, run, self.player.version or 0)

    def _draw(self) -> tuple[int, list[EpisodeSpec]]:
        """The next group that is to begin."""
        world, config = self.worlds[0], self.recipe.rollout
        waiting = [number for number in world.ahead if number not in self._groups]
        if not waiting:
            starts = world.starts(self.recipe.seed, world.rounds, 0, config.groups, config.group_size)
            waiting = [world.rounds * config.groups + place for place in range(config.groups)]
            for place, number in enumerate(waiting):
                world.ahead[number] = starts[place * config.group_size : (place + 1) * config.group_size]
            world.rounds += 1
        return waiting[0], world.ahead[waiting[0]]

    def _rollout(self, specs: Sequence[EpisodeSpec]) -> Rollout:
        recipe, horizon = self.recipe, self.worlds[0].plan.horizon
        role: Role = self.policies.assign_policies({})
        options = RecordOptions(
            keys=any(term.needs_keys for term in recipe.advantages),
            references=any(part.needs_answers for part in recipe.learners),
        )
        return Rollout(
            self.world,
            assign_roles(replace(role, policy=self.player), self.world),
            specs,
            recipe.rollout.strategy,
            None if horizon is None else int(at(horizon, 0)),
            options,
            None,
            None,
            keep_failures=False,
        )

    def _play(self, starts: Sequence[EpisodeSpec]) -> list[Episode]:
        """The episodes of the groups that were chosen, which have been played already."""
        played = []
        for group in self._chosen:
            played += [group.run.episodes[number].first.acting.episode for number in range(len(group.run.specs))]
        for number, (episode, start) in enumerate(zip(played, starts, strict=True)):
            episode.group, episode.number, episode.world = start.group, number, self.worlds[0].plan.name
        return played

    def _collect(self, rng: Any) -> tuple[list[Episode], list[Episode]]:
        played, kept = super()._collect(rng)
        self._figures |= staleness(played, self.engine.version)
        self._figures["overlapped"] = 0
        return played, kept

    def _micro_batches(
        self, minibatch: Sequence[Sample], scales: Sequence[float], phase: Phase | None = None
    ) -> Iterable[Batch]:
        """As in `Trainer`; before each, conversations go on."""
        for batch in super()._micro_batches(minibatch, scales, phase):
            self._go_on()
            yield batch

    def _go_on(self) -> None:
        """Let conversations go on while the weights are moved."""
        before = self._rollouts.turns
        self._begin(0)
        self._rollouts.go_on()
        self._figures["overlapped"] += self._rollouts.turns - before

    def _end_update(self) -> None:
        """Count the update, and let the newest weights play."""
        self._figures["under_way"] = len(self._groups)
        super()._end_update()
        self._push()
        self._rollouts.go_on()  # worlds are busy again before the callbacks take their time

    @torch.no_grad()
    def _push(self) -> None:
        """Let the player have the weights as they are."""
        if isinstance(self.player, RemotePolicy):
            self.player.push()
            return
        for mine, copied in zip(self.engine.model.parameters(), self.player.model.parameters(), strict=True):
            if mine is not copied:
                copied.copy_(mine)
        self.player.version = self.engine.version

    def _metrics(self, *figures: Any, **named: Any) -> Metrics:
        return {**super()._metrics(*figures, **named), "asynchronous": dict(self._figures)}


def staleness(played: Sequence[Episode], version: int) -> Metrics:
    """How old episodes are.

    Args:
        played: With turns that carry the version that sampled them.
        version: Of the weights that learn from them.

    Returns:
        `staleness` and `max_staleness`, mean and most over turns, in updates; `mixed`, the number of episodes that more
        than one version spoke in.
    """
    spoken = [{turn.version for turn in episode.turns if turn.version is not None} for episode in played]
    ages = [version - turn.version for episode in played for turn in episode.turns if turn.version is not None]
    return {
        "staleness": sum(ages) / len(ages) if ages else 0.0,
        "max_staleness": max(ages, default=0),
        "mixed": sum(len(versions) > 1 for versions in spoken),
    }
