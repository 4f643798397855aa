"""Learning from what agent programs did, on record, in place of episodes that are played here.

    [records]
    folder = "records"      what `agentgym record` wrote; without it the run has an endpoint of its own

With a folder the sessions in it are learned from, round by round, until they are used up. They were sampled by the
weights that the run begins with. Without one, `agentgym train` answers chat completions itself with the policy as it
is; when enough sessions have ended, it learns from them and goes on answering (`agentgym.serve.learning`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.core import ConfigError, DataError, full_id
from agentgym.rollout import Episode
from agentgym.rollout.recordings import Place, Sampler, ended_sessions, read_recordings
from agentgym.train.advantage_utils import whole_groups
from agentgym.train.checkpoint import save
from agentgym.train.metrics import Metrics
from agentgym.train.schedules import at
from agentgym.train.trainer import Trainer

OWN = "records"  # in the folder of a run, what its own endpoint writes


class RecordTrainer(Trainer):
    """A trainer whose rounds are read from records: `rollout.groups` tasks with `rollout.group_size` sessions each.

    Sessions count in the order in which they ended; so many of one world, split and task are a group. From an endpoint
    of the run's own, sessions in which other weights spoke than those that now learn are left out and counted as
    `stale`, unless `update.importance_cap` corrects for them. A folder must hold sessions of the weights that the run
    begins with; later rounds of it are corrected by the ratio of the loss alone.

    Raises:
        ConfigError: if several processes train, or the recipe has no records.
    """

    def __init__(self, *parts: Any, **options: Any):
        super().__init__(*parts, **options)
        if self.recipe.records is None:
            raise ConfigError("a trainer on records needs [records] in its recipe")
        if self.distributed.size > 1:
            raise ConfigError("records are learned from by one process; start it without torchrun")
        self.stale = self._turns = 0
        self._given = self.recipe.records.folder
        self._began = (
            self.engine.weights_digest() if self._given is not None else ""
        )  # before a run that goes on is read

    @property
    def world_steps(self) -> int:
        """Turns that have been read so far: what was played elsewhere is known by them."""
        return self._turns

    @property
    def records(self) -> Path:
        """Where the records stand."""
        return Path(self._given) if self._given is not None else self.folder / OWN

    def train(self) -> list[Metrics]:
        """Learn from the records that there are; metrics of every update."""
        while self.update < self.recipe.update.updates and not self.stopped:
            if not self.ready():
                if not self.update:
                    raise DataError(f"{self.records} holds no {self.round}; record more, or lower rollout.groups")
                self.stopped = "the records are used up"
                if self.saves:
                    save(self)
                break
            self.train_step()
        return self.history

    @property
    def round(self) -> str:
        """A round in words."""
        config = self.recipe.rollout
        return f"round of {config.groups} tasks with {config.group_size} sessions each"

    def ready(self) -> bool:
        """Whether the records hold the round that comes next."""
        return self._round() is not None

    def _round(self) -> list[list[str]] | None:
        """The sessions of the round that comes next, group by group; None if there are too few."""
        config = self.recipe.rollout
        groups = whole_sessions(ended_sessions(self.records), config.group_size)
        first = self.update * config.groups
        found = groups[first : first + config.groups]
        return found if len(found) == config.groups else None

    def _collect(self, rng: np.random.Generator) -> tuple[list[Episode], list[Episode]]:
        """The sessions of a round, and those of them that are learned from."""
        config = self.recipe.rollout
        groups = self._round()
        if groups is None:
            raise DataError(f"{self.records} holds no further {self.round}")
        place = {name: group for group, names in enumerate(groups) for name in names}
        played = read_recordings(self.records, self._sampler(), place)
        names = [name for name, _ in ended_sessions(self.records)]
        for number, episode in enumerate(played):
            self._check_world(episode)
            episode.group, episode.number, episode.world = place[names[episode.number]], number, ""
        self._turns += sum(len(episode.turns) for episode in played)
        corrected = self.recipe.update.importance_cap is not None or self._given is not None
        stale = [each for each in played if not corrected and any(turn.version == -1 for turn in each.turns)]
        self.stale = len(stale)
        learnable = [each for each in played if each.segments and not any(each is other for other in stale)]
        kept = whole_groups(learnable, config.group_size)
        for part in self.recipe.filters:
            kept = part(kept, rng)
        return played, kept

    def _sampler(self) -> Sampler:
        """Who is to have said what is learned from in this round."""
        temperature = at(self.recipe.rollout.temperature, self.update)
        if self._given is None:
            return Sampler(self.engine.weights_digest(), self.engine.version, temperature, correct=True)
        capped = self.recipe.update.importance_cap is not None
        return Sampler(self._began, 0, temperature, correct=capped)

    def _check_world(self, episode: Episode) -> None:
        world = self.recipe.world
        played = full_id(episode.world) if episode.world else ""
        if played and (played, episode.split) != (full_id(world.id), world.split):
            raise DataError(
                f"{self.records} holds a session of {played} {episode.split}, but the recipe is of "
                f"{full_id(world.id)} {world.split}; give world.id and world.split of the records"
            )

    def _metrics(self, *figures: Any, **named: Any) -> Metrics:
        return {**super()._metrics(*figures, **named), "stale": self.stale}


def whole_sessions(ended: Sequence[tuple[str, Place]], size: int) -> list[list[str]]:
    """Names of sessions by group, in the order in which groups became whole.

    Args:
        ended: Sessions with their places, in order.
        size: Sessions of a group.
    """
    waiting: dict[Place, list[str]] = {}
    whole = []
    for name, place in ended:
        members = waiting.setdefault(place, [])
        members.append(name)
        if len(members) == size:
            whole.append(waiting.pop(place))
    return whole
