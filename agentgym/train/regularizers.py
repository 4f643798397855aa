"""Regularizers: terms that are added to the loss, each with a coefficient that may follow a schedule.

Axes: B rows of a batch, T tokens of the longest row. A regularizer is a frozen dataclass; its fields are what a recipe
sets. It returns one number a token, to be masked and averaged as the loss's are, multiplied by its coefficient and
minimised. What one remembers from update to update is part of the checkpoint and never depends on how a batch was cut;
the trainer calls `end_update` when the gradient steps of a round are done.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import torch
from torch import Tensor

from agentgym.core import ConfigError
from agentgym.train.batch import Batch
from agentgym.train.interfaces import Regularizer
from agentgym.train.kl import kl_from_sampler
from agentgym.train.schedules import Schedule


@dataclass(frozen=True)
class KL(Regularizer):
    """What it costs to move away from a reference model, or from the model that sampled.

    Towards the reference, which did not sample, the divergence is KL(model || reference), as in GRPO (Shao et al. 2024,
    arXiv:2402.03300, equation 4); towards the sampler it is KL(sampler || model). The estimators are those of Schulman
    2020, "Approximating KL divergence", of each sampled token:

    - `k3`: r - 1 - log r, r the reference's probability over the model's (the model's over the sampler's): unbiased and
      never negative.
    - `k2`: half the square of log r: biased, but on tokens that the model itself sampled its gradient is that of the
      token's own divergence. (What a token owes for those that follow is a matter of rewards: `WhitenedReturn`.)

    The plain log-ratio (k1) is not offered: as a loss its gradient is 0 on average.

    Attributes:
        coefficient: Weight of the term.
        to: What to stay close to.
        estimator: See above.
    """

    coefficient: float | Schedule
    to: Literal["reference", "sampler"] = "reference"
    estimator: Literal["k3", "k2"] = "k3"

    @property
    def needs_reference(self) -> bool:
        """Whether it reads log-probabilities of the reference model."""
        return self.to == "reference"

    def __call__(self, logprobs_BT: Tensor, entropies_BT: Tensor, batch: Batch) -> Tensor:
        """See the class."""
        if self.to == "sampler":
            upper_BT, lower_BT = logprobs_BT, batch.old(logprobs_BT)
        elif batch.ref_logprobs_BT is None:
            raise ValueError("KL needs log-probabilities of a reference model")
        else:
            upper_BT, lower_BT = batch.ref_logprobs_BT, logprobs_BT
        if self.estimator == "k2":
            return 0.5 * (upper_BT - lower_BT) ** 2
        return kl_from_sampler(upper_BT, lower_BT)


@dataclass(frozen=True)
class Entropy(Regularizer):
    """Minus the entropy of the distributions that tokens were drawn from: a bonus for staying undecided.

    Williams and Peng 1991; as the entropy bonus of actor-critic methods: Mnih et al. 2016, arXiv:1602.01783.

    Attributes:
        coefficient: Weight of the term.
    """

    coefficient: float | Schedule
    needs_entropy_gradient: ClassVar[bool] = True

    def __call__(self, logprobs_BT: Tensor, entropies_BT: Tensor, batch: Batch) -> Tensor:
        """See the class."""
        return -entropies_BT


@dataclass(frozen=True)
class EntropyFloor(Regularizer):
    """How far the entropy of each token lies below a floor: nothing while a policy is undecided enough.

    A bonus that ends where it is not needed, unlike `Entropy`, which pulls for ever. Open-AgentRL (Yu et al. 2025,
    arXiv:2510.11701) finds that agents stop to improve once their entropy is gone.

    Attributes:
        coefficient: Weight of the term.
        floor: In nats.
    """

    coefficient: float | Schedule
    floor: float = 0.1
    needs_entropy_gradient: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.floor <= 0:
            raise ConfigError(f"floor of EntropyFloor must be above 0 nats, got {self.floor}")

    def __call__(self, logprobs_BT: Tensor, entropies_BT: Tensor, batch: Batch) -> Tensor:
        """See the class."""
        return (self.floor - entropies_BT).clamp(min=0)


@dataclass(frozen=True)
class EntropySmoothing(Regularizer):
    """How far the entropy of each token lies outside a band around the mean entropy of earlier updates.

    The smoothing term of EPO (Xu et al. 2025, arXiv:2509.22576, section 4), which, beside an entropy bonus over all
    turns (`Entropy`), keeps a policy from both early certainty and late chaos. The paper charges a constant for every
    token outside the band, which has no gradient; here the charge is the distance from the band in nats, whose gradient
    leads back. Its weight by phase is a schedule of the coefficient. In the first update there is no history, and no
    charge.

    Attributes:
        coefficient: Weight of the term.
        low: The band begins at this multiple of the historical mean.
        high: It ends at this multiple.
    """

    coefficient: float | Schedule
    low: float = 0.8
    high: float = 1.2
    needs_entropy_gradient: ClassVar[bool] = True
    remembers: ClassVar[bool] = True
    _seen: list[tuple[float, float]] = field(default_factory=list, init=False, repr=False, compare=False)
    _history: list[float] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.low <= 1 <= self.high:
            raise ConfigError(f"the band of EntropySmoothing needs 0 <= low <= 1 <= high, got {self.low}, {self.high}")

    def __call__(self, logprobs_BT: Tensor, entropies_BT: Tensor, batch: Batch) -> Tensor:
        """See the class."""
        with torch.no_grad():
            self._seen.append(((entropies_BT * batch.sampled_BT).sum().item(), batch.sampled_BT.sum().item()))
        if not self._history:
            return entropies_BT * 0
        mean = sum(self._history) / len(self._history)
        return (entropies_BT - self.high * mean).clamp(min=0) + (self.low * mean - entropies_BT).clamp(min=0)

    def end_update(self) -> None:
        """Take the mean entropy of the tokens seen since the last call into the history."""
        if self._seen:
            self._history.append(sum(total for total, _ in self._seen) / sum(count for _, count in self._seen))
            self._seen.clear()

    def state(self) -> list[float]:
        """The history: one mean entropy an update."""
        return list(self._history)

    def load(self, state: list[float]) -> None:
        """Take up where `state` was taken."""
        self._history[:] = state


REGULARIZERS = {"kl": KL, "entropy": Entropy, "entropy_floor": EntropyFloor, "entropy_smoothing": EntropySmoothing}
