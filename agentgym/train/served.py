"""Training with answers that are sampled elsewhere: who is given the device, and gives it back."""

from __future__ import annotations

from typing import Any

from agentgym.core import ConfigError
from agentgym.rollout import Episode
from agentgym.train.trainer import Trainer


class ServedTrainer(Trainer):
    """A trainer whose answers are sampled elsewhere (`rollout.engine`), by who has every update's weights.

    A server that shares the device sleeps from the end of a round's episodes until the next question, such as the first
    of the next round, or of an evaluation. Where episodes go on while the weights are moved, see
    `agentgym.train.asynchronous`.

    Raises:
        ConfigError: if several processes train, or the recipe does not say who samples.
        EndpointError: in one line, if there is no such server.
    """

    def __init__(self, *parts: Any, **options: Any):
        super().__init__(*parts, **options)
        if self.distributed.size > 1:
            raise ConfigError("rollout.engine is for one process that trains; start it without torchrun")
        if self.policies.served is None:
            raise ConfigError("a recipe without rollout.engine is for Trainer; take that")
        self._served = self.policies.served

    def _collect(self, rng: Any) -> tuple[list[Episode], list[Episode]]:
        collected = super()._collect(rng)
        self._served.rest()
        return collected
