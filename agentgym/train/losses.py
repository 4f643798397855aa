"""Losses as plain functions of log-probabilities; every tensor has shape (rows, tokens).

A loss is a sum over tokens of `weights` times a term. The weights carry mask, loss weight and every mean that is taken,
so a batch may be cut, padded or reordered without changing the sum.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Surrogate(NamedTuple):
    """The clipped objective and where it was clipped; `clipped` is 1.0 on tokens whose gradient the clip removed."""

    loss: Tensor
    clipped: Tensor


def negative_log_likelihood(logprobs: Tensor, weights: Tensor) -> Tensor:
    """Supervised cloning: minus the weighted log-probability of what the teacher said."""
    return -(logprobs * weights).sum()


def clipped_surrogate(
    logprobs: Tensor, old_logprobs: Tensor, advantages: Tensor, weights: Tensor, clip: float
) -> Surrogate:
    """The objective of PPO (Schulman et al. 2017, arXiv:1707.06347, equation 7), as GRPO uses it, to be minimised.

    Args:
        logprobs: Log-probabilities under the model being trained.
        old_logprobs: The same when the tokens were sampled.
        advantages: Advantage of each token; shape (rows, 1) gives all tokens of a row the same.
        weights: See the module.
        clip: Ratios outside [1 - clip, 1 + clip] earn nothing more.
    """
    ratio = torch.exp(logprobs - old_logprobs)
    free = ratio * advantages
    held = ratio.clamp(1 - clip, 1 + clip) * advantages
    clipped = ((held < free) & (weights > 0)).to(logprobs.dtype)
    return Surrogate(-(torch.minimum(free, held) * weights).sum(), clipped)


def kl_from_sampler(logprobs: Tensor, old_logprobs: Tensor) -> Tensor:
    """Unbiased, non-negative estimate of KL(sampler || model) on sampled tokens: r - 1 - log r, r = model / sampler.

    Source: Schulman 2020, "Approximating KL divergence", the estimator k3.
    """
    log_ratio = logprobs - old_logprobs
    return torch.expm1(log_ratio) - log_ratio
