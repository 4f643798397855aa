"""The divergence of two policies, estimated token by token from log-probabilities."""

from __future__ import annotations

import torch
from torch import Tensor


def kl_from_sampler(logprobs_BT: Tensor, old_logprobs_BT: Tensor) -> Tensor:
    """Unbiased, non-negative estimate of KL(sampler || model) on sampled tokens: r - 1 - log r, r = model / sampler.

    Source: Schulman 2020, "Approximating KL divergence", the estimator k3.

    Args:
        logprobs_BT: Log-probabilities in nats of sampled tokens under the model.
        old_logprobs_BT: Those under the policy that sampled them.

    Returns:
        An estimate in nats for each token, shape (B, T).
    """
    log_ratio_BT = logprobs_BT - old_logprobs_BT
    return torch.expm1(log_ratio_BT) - log_ratio_BT
