"""Segments as tensors: padding, weights, and log-probabilities of a model for tokens that exist already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agentgym.core import ConfigError
from agentgym.rollout import Episode, Segment
from agentgym.train.chat import ChatFormat


@dataclass(frozen=True)
class Batch:
    """Segments padded on the right; all tensors have shape (rows, tokens), `advantages` (rows, 1).

    Attributes:
        ids: Token ids, 0 on pads.
        real: 1 on tokens, 0 on pads.
        sampled: 1 on sampled tokens.
        weights: What a loss multiplies each token by; 0 off sampled tokens.
        old_logprobs: Log-probabilities when sampled; 0 elsewhere and for a teacher.
        advantages: Advantage of each row.
    """

    ids: Tensor
    real: Tensor
    sampled: Tensor
    weights: Tensor
    old_logprobs: Tensor
    advantages: Tensor


@dataclass(frozen=True, slots=True)
class Sample:
    """A segment to learn from: its advantage, and the factor its tokens' loss weights are multiplied by."""

    segment: Segment
    scale: float
    advantage: float = 1.0


def tokenise(episodes: Sequence[Episode], chat: ChatFormat, context_limit: int) -> list[Segment]:
    """Give each of a teacher's episodes its segment, and return the segments.

    A turn that would not fit into the context, and all after it, are left out.

    Raises:
        ConfigError: if not even the first turn of an episode fits, or an episode has been played by a policy.
    """
    segments = []
    for episode in episodes:
        if episode.segments:
            raise ConfigError(f"the episode of task {episode.task_id} has tokens already; text is never re-tokenised")
        segment = Segment(logprobs=None)
        for number, turn in enumerate(episode.turns):
            seen = chat.following(turn.observation, closed=True) if number else chat.opening(turn.observation)
            said = chat.answer(turn.action)
            if len(segment) + len(seen) + len(said) > context_limit:
                break
            segment.read(seen)
            segment.say(number, said, None)
        if not segment.spans:
            raise ConfigError(
                f"the first turn of task {episode.task_id} exceeds the context of {context_limit} tokens; lengthen it"
            )
        episode.segments.append(segment)
        segments.append(segment)
    return segments


def micro_batches(samples: Sequence[Sample], tokens: int, device: torch.device) -> Iterator[Batch]:
    """Cut samples into batches of at most `tokens` tokens, pads counted; rows of similar length share a batch."""
    rows: list[Sample] = []
    for sample in sorted(samples, key=lambda sample: len(sample.segment)):
        if rows and len(sample.segment) * (len(rows) + 1) > tokens:
            yield pad(rows, device)
            rows = []
        rows.append(sample)
    if rows:
        yield pad(rows, device)


def pad(samples: Sequence[Sample], device: torch.device) -> Batch:
    """Samples side by side, padded on the right."""
    shape = (len(samples), max(len(sample.segment) for sample in samples))
    ids, real = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    sampled, weights, old = (np.zeros(shape, np.float32) for _ in range(3))
    for row, sample in enumerate(samples):
        segment, size = sample.segment, len(sample.segment)
        ids[row, :size] = segment.token_ids
        real[row, :size] = 1
        sampled[row, :size] = segment.sampled_mask
        weights[row, :size] = np.asarray(segment.loss_weight) * sample.scale
        if segment.logprobs is not None:
            old[row, :size] = segment.logprobs
    advantages = np.array([[sample.advantage] for sample in samples], np.float32)
    return Batch(*(torch.from_numpy(array).to(device) for array in (ids, real, sampled, weights, old, advantages)))


def score(model: Any, batch: Batch, temperature: float) -> tuple[Tensor, Tensor]:
    """What the model makes of the batch's own tokens.

    Returns:
        Log-probability of each sampled token and entropy of the distribution it was drawn from, both after
        temperature, shape (rows, tokens), 0 on tokens that were not sampled. The entropy carries no gradient.
    """
    logits = model(input_ids=batch.ids, attention_mask=batch.real, use_cache=False).logits[:, :-1]
    where = batch.sampled[:, 1:] > 0
    distribution = torch.log_softmax(logits[where].float() / temperature, -1)
    chosen = distribution.gather(1, batch.ids[:, 1:][where][:, None])[:, 0]
    logprobs = torch.zeros_like(batch.weights)
    entropies = torch.zeros_like(batch.weights)
    logprobs[:, 1:] = logprobs[:, 1:].masked_scatter(where, chosen)
    with torch.no_grad():
        surprise = -(distribution.exp() * distribution).sum(-1)
        entropies[:, 1:] = entropies[:, 1:].masked_scatter(where, surprise)
    return logprobs, entropies
