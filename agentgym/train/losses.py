"""Losses: from the log-probabilities of a batch to one number a token, and the mean that is taken over them.

Axes: B rows of a batch (a segment each), T tokens of the longest row. A loss is a frozen dataclass; its fields are what
a recipe sets. `loss_BT, clipped_BT = recipe.loss(logprobs_BT, batch)` gives the loss of each token, and 1.0 where the
clip took the gradient away. Neither mask nor mean is in it: both stand beside it, in step 3 of
`agentgym.train.trainer.Trainer.train_step`,

    loss = (loss_BT * batch.importance_BT * mask_BT * scale_B1).sum()

with the scales of `loss_scales`, and 1 for the importance unless `update.importance_cap` is set. So a batch may be cut
between units, padded or reordered without changing the sum.

    published method                       loss
    supervised and filtered cloning        SFTLoss
    AgentEvol                              WeightedSFTLoss
    REINFORCE, RLOO                        PolicyGradientLoss
    PPO, GRPO, Dr. GRPO, LOOP, Lite PPO    PPOClipLoss()
    DAPO                                   PPOClipLoss(high=0.28)
    SEAgent                                NegativeImitationLoss()
    GSPO                                   GSPOLoss()
    Turn-PPO; ST-PPO                       TurnPPOLoss(); TurnPPOLoss(correct_bias=True)
    S-PPO                                  UnbiasedClipLoss()
    CISPO                                  CISPOLoss()
    trajectory DPO                         DPOLoss()

Below, `ratio_BT` is the probability of a token under the model being trained over that when it was sampled; a token
whose sampler is not known, such as a teacher's, has the ratio 1 and the gradient of its own log-probability.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
import torch.nn.functional as functional
from torch import Tensor

from agentgym.core import ConfigError
from agentgym.train.batch import Batch, Sample
from agentgym.train.interfaces import Loss, Unit

LossAggregation = Literal["episode", "token", "constant", "sum"]
LOSS_AGGREGATIONS: tuple[LossAggregation, ...] = ("episode", "token", "constant", "sum")


def loss_scales(samples: Sequence[Sample], loss_aggregation: LossAggregation, budget: float = 0.0) -> list[float]:
    """The factor of each sample's tokens that turns a sum over the tokens of a gradient step into a mean.

    Args:
        samples: All samples of one gradient step, those without advantage included.
        loss_aggregation: `episode`: the mean over an episode's tokens, then over episodes (GRPO): 1 / (episodes *
            tokens of the episode). `token`: the mean over all tokens, in which long episodes weigh more (DAPO, Yu et
            al. 2025, arXiv:2503.14476): 1 / tokens. `constant`: the sum divided by a fixed number of tokens, which
            removes the length bias of the first (Dr. GRPO, Liu et al. 2025, arXiv:2503.20783): 1 / (episodes * budget).
            `sum`: the sum over an episode's tokens, then the mean over episodes: 1 / episodes. An episode's
            log-probability is the sum of those of its tokens, so this alone is the gradient of the expected return
            (REINFORCE, Williams 1992; RLOO, Ahmadian et al. 2024, arXiv:2402.14740, equation 5); divided by its length,
            a long good episode can count for less than a short poor one, and the step goes the wrong way.
        budget: Tokens that an episode may have, for `constant`.

    Raises:
        ConfigError: if `constant` comes without a budget.
    """
    tokens: dict[int, float] = {}
    for sample in samples:
        tokens[sample.episode] = tokens.get(sample.episode, 0.0) + float(sample.weights.sum())
    if loss_aggregation == "episode":
        return [1 / (len(tokens) * said) if (said := tokens[sample.episode]) else 0.0 for sample in samples]
    if loss_aggregation == "token":
        return [1 / max(sum(tokens.values()), 1e-9)] * len(samples)
    if loss_aggregation == "sum":
        return [1 / len(tokens)] * len(samples)
    if not budget > 0:
        raise ConfigError(f"loss_aggregation 'constant' divides by a budget of tokens above 0, got {budget!r}")
    return [1 / (len(tokens) * budget)] * len(samples)


@dataclass(frozen=True)
class SFTLoss(Loss):
    """Minus the log-probability of what was said.

    On a teacher's episodes this is supervised cloning (Pomerleau 1988); on one's own successes it is filtered cloning
    (Chen et al. 2020, arXiv:1910.12179; for language agents Pan et al. 2024, arXiv:2404.06474). Nothing is corrected
    for being off-policy: data of any origin is meant.
    """

    uses_ratio: ClassVar[bool] = False
    uses_advantages: ClassVar[bool] = False

    def __call__(self, logprobs_BT: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """See the class."""
        return -logprobs_BT, torch.zeros_like(logprobs_BT)


@dataclass(frozen=True)
class WeightedSFTLoss(Loss):
    """Minus the log-probability of what was said, times its advantage, whoever said it.

    With `GroupRelative(baseline="none", scale="none")` an episode is weighted by its return, the learning step of
    AgentEvol (Xi et al. 2024, arXiv:2406.04151, section 4.2). The formula is that of `PolicyGradientLoss`; but it is
    meant as reward-weighted cloning, so it takes old episodes and many steps.
    """

    uses_ratio: ClassVar[bool] = False

    def __call__(self, logprobs_BT: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """See the class."""
        return -logprobs_BT * batch.advantages_BT, torch.zeros_like(logprobs_BT)


@dataclass(frozen=True)
class PolicyGradientLoss(Loss):
    """Minus log-probability times advantage, whose gradient is that of REINFORCE (Williams 1992).

    REINFORCE and RLOO (Ahmadian et al. 2024, arXiv:2402.14740). There is no ratio, so it takes one gradient step a
    round, on fresh episodes only.
    """

    on_policy: ClassVar[bool] = True
    uses_ratio: ClassVar[bool] = False

    def check(self, recipe: Any) -> None:
        """Replayed episodes are not the model's own."""
        if recipe.replay is not None:
            raise ConfigError(
                "PolicyGradientLoss has no ratio to correct replayed episodes with; use 'ppo_clip' beside a replay"
            )

    def __call__(self, logprobs_BT: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """See the class."""
        return -logprobs_BT * batch.advantages_BT, torch.zeros_like(logprobs_BT)


@dataclass(frozen=True)
class PPOClipLoss(Loss):
    """The clipped objective of PPO (Schulman et al. 2017, arXiv:1707.06347, equation 7), token by token.

    Used by GRPO, Dr. GRPO, LOOP, Lite PPO and others; with `high` above `low` it is the clip-higher of DAPO (Yu et al.
    2025, arXiv:2503.14476), which lets unlikely tokens grow.

    Attributes:
        low: Ratios below 1 - low earn nothing more.
        high: Ratios above 1 + high earn nothing more.
    """

    low: float = 0.2
    high: float = 0.2

    def __post_init__(self) -> None:
        _check_range(self.low, self.high)

    def __call__(self, logprobs_BT: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """See the class."""
        ratio_BT = self.ratio(logprobs_BT, batch)
        free_BT = ratio_BT * batch.advantages_BT
        held_BT = ratio_BT.clamp(1 - self.low, 1 + self.high) * batch.advantages_BT
        return -torch.minimum(free_BT, held_BT), (held_BT < free_BT).to(ratio_BT.dtype)

    def ratio(self, logprobs_BT: Tensor, batch: Batch) -> Tensor:
        """The ratio that is clipped, token by token.

        Args:
            logprobs_BT: Log-probabilities of the batch's tokens under the model, in nats.
            batch: The tokens.
        """
        return torch.exp(logprobs_BT - batch.old(logprobs_BT))


@dataclass(frozen=True)
class UnbiasedClipLoss(PPOClipLoss):
    """`PPOClipLoss` whose episodes count the less, the more of their gradient the clip discards.

    S-PPO (Li et al. 2025, arXiv:2511.20718), without the ratio of a turn that ST-PPO adds; see `TurnPPOLoss` for how
    the correction is estimated. It is 1 where nothing was clipped.

    Attributes:
        low: Ratios below 1 - low earn nothing more.
        high: Ratios above 1 + high earn nothing more.
    """

    unit: ClassVar[Unit] = "episode"

    def __call__(self, logprobs_BT: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """See the class."""
        loss_BT, clipped_BT = super().__call__(logprobs_BT, batch)
        return _less_discarded(loss_BT, clipped_BT, self.ratio(logprobs_BT.detach(), batch), batch), clipped_BT


@dataclass(frozen=True)
class NegativeImitationLoss(PPOClipLoss):
    """`PPOClipLoss` on tokens whose advantage is not below 0; the others are pushed away, below a reference model.

    SEAgent (Sun et al. 2025, arXiv:2508.04700) learns from what a judge calls a good step by GRPO, and from what it
    calls a failed one by adversarial imitation: `-gamma log sigmoid(log p_reference - log p)` of each token, whose push
    is half of gamma where the two models agree and fades as the token becomes unlikely, so that nothing is pushed
    without end. How bad a step is does not matter there: the sign of the advantage is the verdict.

    Attributes:
        low: Ratios below 1 - low earn nothing more.
        high: Ratios above 1 + high earn nothing more.
        gamma: Weight of the push.
    """

    gamma: float = 0.2
    needs_reference: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gamma <= 0:
            raise ConfigError(f"gamma of NegativeImitationLoss must be above 0, got {self.gamma}; or use ppo_clip")

    def __call__(self, logprobs_BT: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """See the class."""
        if batch.ref_logprobs_BT is None:
            raise ValueError("NegativeImitationLoss needs log-probabilities of a reference model")
        kept_BT, clipped_BT = super().__call__(logprobs_BT, batch)
        pushed_BT = self.gamma * functional.softplus(logprobs_BT - batch.ref_logprobs_BT)
        failed_BT = batch.advantages_BT < 0
        return torch.where(failed_BT, pushed_BT, kept_BT), clipped_BT.masked_fill(failed_BT, 0)


@dataclass(frozen=True)
class GSPOLoss(PPOClipLoss):
    """One ratio an episode: the geometric mean of its tokens' ratios, clipped as a whole.

    GSPO (Zheng et al. 2025, arXiv:2507.18071), in its token form (section 4.3): each token has the value of the
    sequence's ratio and the gradient of its own log-probability. With one advantage an episode and `loss_aggregation =
    "episode"` the gradient is that of the sequence form. An episode's segments count as one sequence. The ratios of
    whole sequences stay close to 1, hence the narrow range.

    Attributes:
        low: Ratios below 1 - low earn nothing more.
        high: Ratios above 1 + high earn nothing more.
    """

    low: float = 3e-4
    high: float = 4e-4
    unit: ClassVar[Unit] = "episode"

    def ratio(self, logprobs_BT: Tensor, batch: Batch) -> Tensor:
        """The ratio of its episode at each token.

        Args:
            logprobs_BT: Log-probabilities of the batch's tokens under the model, in nats.
            batch: The tokens, their old log-probabilities, and of which episode each row is.
        """
        return _pooled_ratio(logprobs_BT, batch, batch.episode_B[:, None].expand_as(batch.ids_BT))


@dataclass(frozen=True)
class TurnPPOLoss(PPOClipLoss):
    """One ratio a turn: the geometric mean of the ratios of its tokens, which share it and its clipping.

    Turn-PPO, and with `correct_bias` ST-PPO (Li et al. 2025, arXiv:2511.20718), which weakens samples that are so far
    off-policy that the clip discards their gradient. The paper divides the gradient by the norm of what was discarded,
    which costs a second backward pass; here the loss of an episode is divided by 1 + the mean over its tokens of |ratio
    * advantage| where it was clipped, the size of the discarded terms. It is 1 where nothing was clipped. As in
    `GSPOLoss`, a token has the value of the pooled ratio and the gradient of its own log-probability.

    Attributes:
        low: Ratios below 1 - low earn nothing more.
        high: Ratios above 1 + high earn nothing more.
        correct_bias: Whether to weaken what is far off-policy.
    """

    low: float = 0.2
    high: float = 0.2
    correct_bias: bool = False
    unit: ClassVar[Unit] = "episode"

    def __call__(self, logprobs_BT: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """See the class."""
        loss_BT, clipped_BT = super().__call__(logprobs_BT, batch)
        if not self.correct_bias:
            return loss_BT, clipped_BT
        return _less_discarded(loss_BT, clipped_BT, self.ratio(logprobs_BT.detach(), batch), batch), clipped_BT

    def ratio(self, logprobs_BT: Tensor, batch: Batch) -> Tensor:
        """The ratio of its turn at each token.

        Args:
            logprobs_BT: Log-probabilities of the batch's tokens under the model, in nats.
            batch: The tokens, their old log-probabilities, and of which episode and turn each is.
        """
        turns_BT = batch.turns_BT - batch.turns_BT.min()  # the mark off sampled tokens is -1
        return _pooled_ratio(logprobs_BT, batch, batch.episode_B[:, None] * (turns_BT.max() + 1) + turns_BT)


@dataclass(frozen=True)
class CISPOLoss(Loss):
    """REINFORCE with a ratio that is capped and carries no gradient, so that every token keeps its own.

    CISPO (MiniMax 2025, arXiv:2506.13585, equation 4). Where `PPOClipLoss` drops the gradient of a token that has
    moved too far, here it is only limited in weight.

    Attributes:
        low: Ratios count as at least 1 - low; 1 sets no lower limit, as in the paper.
        high: Ratios count as at most 1 + high.
    """

    low: float = 1.0
    high: float = 0.28

    def __post_init__(self) -> None:
        _check_range(self.low, self.high)

    def __call__(self, logprobs_BT: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """See the class."""
        ratio_BT = torch.exp(logprobs_BT.detach() - batch.old(logprobs_BT))
        capped_BT = ratio_BT.clamp(1 - self.low, 1 + self.high)
        return -capped_BT * logprobs_BT * batch.advantages_BT, (capped_BT != ratio_BT).to(ratio_BT.dtype)


@dataclass(frozen=True)
class DPOLoss(Loss):
    """Trajectory DPO: of two episodes of a task, make the better one relatively more likely than the reference does.

    -log sigmoid(beta * (gain of the better - gain of the worse)), where the gain of an episode is the sum over its
    tokens of log-probability minus that of the reference model (Rafailov et al. 2023, arXiv:2305.18290; over whole
    trajectories of an agent: ETO, Song et al. 2024, arXiv:2403.02502, equation 5). A pair counts with the sum of its
    tokens' weights, which under `loss_aggregation = "episode"` makes the loss the mean over pairs.

    Attributes:
        beta: How strongly the reference holds.
    """

    beta: float = 0.1
    unit: ClassVar[Unit] = "pair"
    uses_ratio: ClassVar[bool] = False
    uses_advantages: ClassVar[bool] = False
    needs_reference: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.beta > 0:
            raise ConfigError(f"beta of DPOLoss must be above 0, got {self.beta}")

    def check(self, recipe: Any) -> None:
        """Pairs must reach it as they were made, and a mean over tokens would favour long pairs."""
        if not any(part.makes_pairs for part in recipe.filters):
            raise ConfigError("the loss DPOLoss learns from pairs; add [[filter]] name = 'pairs'")
        last = recipe.filters[-1]
        if not last.makes_pairs:
            raise ConfigError(
                f"the loss DPOLoss learns from pairs, and the filter {type(last).__name__} takes them apart; list "
                "'pairs' last"
            )
        if recipe.replay is not None:
            raise ConfigError(
                "the loss DPOLoss learns from pairs, and [replay] puts single episodes among them; leave it out"
            )
        if recipe.update.loss_aggregation != "episode":
            raise ConfigError("the loss DPOLoss takes the mean over pairs; set update.loss_aggregation = 'episode'")

    def __call__(self, logprobs_BT: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """See the class."""
        if batch.ref_logprobs_BT is None or bool((batch.pair_B < 0).any()):
            raise ValueError("DPOLoss needs pairs and log-probabilities of a reference model")
        gains_B = ((logprobs_BT - batch.ref_logprobs_BT) * (batch.mask_BT > 0)).sum(1) * batch.sign_B
        pair_B = batch.pair_B.unique(return_inverse=True)[1]  # pairs of this batch, from 0 on
        margins = gains_B.new_zeros(int(pair_B.max()) + 1).index_add(0, pair_B, gains_B)  # one a pair
        loss_B = -functional.logsigmoid(self.beta * margins)[pair_B]
        return loss_B[:, None].expand_as(logprobs_BT), torch.zeros_like(logprobs_BT)


def _pooled_ratio(logprobs_BT: Tensor, batch: Batch, keys_BT: Tensor) -> Tensor:
    """The geometric mean of the ratios of all masked-in tokens with the same key, with each token's own gradient."""
    pooled_BT = _pooled_mean(logprobs_BT.detach() - batch.old(logprobs_BT), batch, keys_BT)
    return torch.exp(pooled_BT + logprobs_BT - logprobs_BT.detach())


def _pooled_mean(values_BT: Tensor, batch: Batch, keys_BT: Tensor) -> Tensor:
    """At each token the mean of `values_BT` over the masked-in tokens with its key."""
    counted_BT = (batch.mask_BT > 0).to(values_BT.dtype)
    keys = keys_BT.flatten()
    size = int(keys.max()) + 1
    sums = values_BT.new_zeros(size).index_add(0, keys, (values_BT * counted_BT).flatten())
    counts = values_BT.new_zeros(size).index_add(0, keys, counted_BT.flatten())
    return (sums / counts.clamp(min=1))[keys_BT]


def _less_discarded(loss_BT: Tensor, clipped_BT: Tensor, ratio_BT: Tensor, batch: Batch) -> Tensor:
    """The loss, an episode's divided by 1 + the mean over its tokens of |ratio * advantage| where it was clipped."""
    lost_BT = clipped_BT * (ratio_BT * batch.advantages_BT).abs()
    return loss_BT / (1 + _pooled_mean(lost_BT, batch, batch.episode_B[:, None].expand_as(batch.ids_BT)))


def _check_range(low: float, high: float) -> None:
    if not (0 < low <= 1 and 0 < high < math.inf):
        raise ConfigError(f"a clip range needs 0 < low <= 1 and high above 0, got low {low} and high {high}")


LOSSES = {
    "sft": SFTLoss,
    "weighted_sft": WeightedSFTLoss,
    "policy_gradient": PolicyGradientLoss,
    "ppo_clip": PPOClipLoss,
    "unbiased_clip": UnbiasedClipLoss,
    "negative_imitation": NegativeImitationLoss,
    "gspo": GSPOLoss,
    "turn_ppo": TurnPPOLoss,
    "cispo": CISPOLoss,
    "dpo": DPOLoss,
}
