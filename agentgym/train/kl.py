"""The divergence of two policies, estimated token by token from log-probabilities."""

from __future__ import annotations

import torch
from torch import Tensor


def kl_from_sampler(logprobs: Tensor, old_logprobs: Tensor) -> Tensor:
    """Unbiased, non-negative estimate of KL(sampler || model) on sampled tokens: r - 1 - log r, r = model / sampler.

    Source: Schulman 2020, "Approximating KL divergence", the estimator k3.

    Args:
        logprobs: Log-probabilities in nats of sampled tokens under the model, any shape.
        old_logprobs: Those under the policy that sampled them, same shape.
    """
    log_ratio = logprobs - old_logprobs
    return torch.expm1(log_ratio) - log_ratio
