"""Passes of gradient steps: the one of every round, and a second one with a loss of its own between rounds.

[between]
every = 5                      # rounds
loss = "sft"                   # on the episodes of these rounds that the filters leave
filters = ["successes"]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from agentgym.core import ConfigError, unknown
from agentgym.rollout import Episode
from agentgym.train.advantage_utils import TokenAdvantages, per_episode
from agentgym.train.batch import Sample, episode_samples
from agentgym.train.config import positive
from agentgym.train.config_parser import pick
from agentgym.train.filters import FILTERS
from agentgym.train.interfaces import Remembering
from agentgym.train.losses import LOSS_AGGREGATIONS, LOSSES, LossAggregation
from agentgym.train.metrics import Metrics
from agentgym.train.replay import pack_episode, set_aside, unpack_episode

if TYPE_CHECKING:
    from agentgym.train.policies import LearningPolicy, Policies


@dataclass(frozen=True)
class Phase:
    """A pass of gradient steps.

    Attributes:
        name: Of its random draws; "" for that of every round.
        loss: A part of `agentgym.train.losses`.
        steps, epochs, loss_aggregation: As in `[update]`.
        masked: Kinds of turns that are not learned from.
        regularized: Whether the regularizers of the recipe are added.
    """

    name: str
    loss: Any
    steps: int
    epochs: int
    loss_aggregation: LossAggregation
    masked: tuple[str, ...]
    regularized: bool


@dataclass
class Pass:
    """The gradient steps of one policy in one phase of an update.

    Attributes:
        policy: Whose weights they move.
        phase: Its loss, steps and epochs.
        episodes: What is learned from; each was said by that policy.
        advantages: One number for each token of their segments.
        steps: Metrics of each step that was taken.
    """

    policy: LearningPolicy
    phase: Phase
    episodes: Sequence[Episode]
    advantages: TokenAdvantages
    steps: list[Metrics] = field(default_factory=list)

    def minibatches(self, rng: np.random.Generator) -> Iterator[list[Sample]]:
        """The samples of each gradient step: in every epoch whole groups are dealt to `phase.steps` of them anew.

        A step that no sample fell to is left out.

        Args:
            rng: Deals the groups.
        """
        phase, version = self.phase, self.policy.engine.version
        paired = phase.loss.unit == "pair"
        samples = episode_samples(self.episodes, self.advantages, paired=paired, masked=phase.masked, version=version)
        groups = sorted({episode.group for episode in self.episodes})
        for _ in range(phase.epochs):
            deal = {groups[place]: rank % phase.steps for rank, place in enumerate(rng.permutation(len(groups)))}
            for step in range(phase.steps):
                minibatch = [sample for sample in samples if deal[self.episodes[sample.episode].group] == step]
                if minibatch:
                    yield minibatch


@dataclass(frozen=True)
class Between(Remembering):
    """A second loss, taken every few rounds on episodes of the rounds since it was last taken.

    Such as cloning one's own successes beside a policy gradient (self-imitation, Oh et al. 2018, arXiv:1806.05635), or
    the auxiliary phase of phasic policy gradient (Cobbe et al. 2021, arXiv:2009.04416). The episodes that wait for it
    are part of the checkpoint.

    Attributes:
        every: Rounds from one such pass to the next.
        loss: One that takes neither advantages nor ratios nor pairs.
        filters: Which episodes it learns from.
        steps, epochs, loss_aggregation: As in `[update]`.
    """

    every: int
    loss: Any = "sft"
    filters: tuple[Any, ...] = ("successes",)
    steps: int = 1
    epochs: int = 1
    loss_aggregation: LossAggregation = "episode"
    _waiting: list[Episode] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        positive(self, "between", "every", "steps", "epochs")
        object.__setattr__(self, "loss", pick(LOSSES, self.loss, "between.loss"))
        object.__setattr__(self, "filters", tuple(pick(FILTERS, each, "between.filters") for each in self.filters))
        if self.loss_aggregation not in LOSS_AGGREGATIONS:
            raise unknown("between.loss_aggregation", self.loss_aggregation, LOSS_AGGREGATIONS)
        if any(part.makes_pairs for part in self.filters):
            raise ConfigError("between.filters makes pairs, and the losses that it may take learn from single episodes")
        if self.loss.uses_advantages or self.loss.uses_ratio or self.loss.unit == "pair":
            raise ConfigError(
                f"between.loss {type(self.loss).__name__} needs advantages, ratios or pairs, which episodes of several "
                "rounds do not have; use 'sft'"
            )

    def check(self, recipe: Any) -> None:
        """It must come up at least once, and its filters must have an effect."""
        if self.every > recipe.update.updates:
            raise ConfigError(f"between.every {self.every} exceeds the {recipe.update.updates} updates: it never comes")
        for part in self.filters:
            part.check(recipe)

    @property
    def phase(self) -> Phase:
        """Its pass of gradient steps."""
        return Phase("between", self.loss, self.steps, self.epochs, self.loss_aggregation, (), False)

    def passes(
        self, policies: Policies, episodes: Sequence[Episode], update: int, rng: np.random.Generator
    ) -> list[Pass]:
        """Let a round's episodes wait; where it is time, one pass of each policy over what it said of all that waits.

        Args:
            policies: Those of the run.
            episodes: Those of the round that were learned from.
            update: Number of the round, from 0.
            rng: For the filters.
        """
        self.wait(episodes, rng)
        waited = self.take(update)
        found = [(policy, policies.own(policy, waited)) for policy in policies]
        return [Pass(policy, self.phase, own, per_episode(own, [1.0] * len(own))) for policy, own in found]

    def wait(self, episodes: Sequence[Episode], rng: np.random.Generator) -> None:
        """Let the filters choose from a round's episodes what waits for the next pass.

        Args:
            episodes: Those that were learned from.
            rng: For the filters.
        """
        chosen = list(episodes)
        for part in self.filters:
            chosen = part(chosen, rng)
        self._waiting.extend(set_aside(episode) for episode in chosen)

    def take(self, update: int) -> list[Episode]:
        """All that waits, if it is time for a pass; then nothing waits any more.

        Args:
            update: Number of the round, from 0.
        """
        if (update + 1) % self.every:
            return []
        taken = self._waiting.copy()
        self._waiting.clear()
        return taken

    def state(self) -> list[dict[str, Any]]:
        """The episodes that wait, JSON-safe."""
        return [pack_episode(episode) for episode in self._waiting]

    def load(self, state: Sequence[Mapping[str, Any]]) -> None:
        """Take up where `state` was taken."""
        self._waiting[:] = [unpack_episode(record) for record in state]
