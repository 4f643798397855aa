"""Segments as tensors: padding, weights, and log-probabilities of a model for tokens that exist already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agentgym.core import ConfigError
from agentgym.rollout import Episode, Segment
from agentgym.rollout.context import WHOLE, Context, Record
from agentgym.rollout.play import BEGINNING, opened
from agentgym.train.chat import ChatFormat
from agentgym.train.parts import Unit


@dataclass(frozen=True)
class Batch:
    """Segments padded on the right. Tensors of tokens have shape (rows, tokens), those of rows shape (rows,).

    Attributes:
        ids: Token ids, 0 on pads.
        real: 1 on tokens, 0 on pads.
        sampled: 1 on sampled tokens.
        weights: What a loss multiplies each token by; 0 off sampled tokens.
        old_logprobs: Log-probabilities when sampled; 0 elsewhere and for a teacher.
        advantages: Advantage of each token; 0 off sampled tokens.
        turns: Number of the turn that said the token; -1 elsewhere.
        reference: Log-probabilities under the reference model; None if nothing needs them.
        episode: Rows of one episode share a number.
        pair: Rows of one preference pair share a number; -1 outside of pairs.
        sign: +1 for the preferred episode of a pair, -1 for the other, 0 outside of pairs.
    """

    ids: Tensor
    real: Tensor
    sampled: Tensor
    weights: Tensor
    old_logprobs: Tensor
    advantages: Tensor
    turns: Tensor
    reference: Tensor | None
    episode: Tensor
    pair: Tensor
    sign: Tensor


@dataclass(frozen=True, slots=True)
class Sample:
    """A segment to learn from.

    Attributes:
        segment: The tokens.
        scale: The factor its tokens' loss weights are multiplied by.
        advantages: One a token; None gives every sampled token 1.
        episode: Number of its episode within the gradient step.
        pair, sign: Its preference pair, as in `Batch`.
        reference: Log-probabilities of its tokens under the reference model.
    """

    segment: Segment
    scale: float
    advantages: NDArray[np.float64] | None = None
    episode: int = 0
    pair: int = -1
    sign: int = 0
    reference: NDArray[np.float32] | None = None


def tokenise(
    episodes: Sequence[Episode], chat: ChatFormat, context_limit: int, context: Context = WHOLE
) -> list[Segment]:
    """Give each of a teacher's episodes its segments, and return them all.

    A turn that would not fit into the context, and all after it, are left out.

    Args:
        episodes: What the teacher saw and said.
        chat: How a conversation is written.
        context_limit: Most tokens of a segment.
        context: What the policy will be shown when it plays; where it begins anew, so does a segment.

    Raises:
        ConfigError: if not even the first turn of an episode fits, or an episode has been played by a policy.
    """
    segments = []
    for episode in episodes:
        if episode.segments:
            raise ConfigError(f"the episode of task {episode.task_id} has tokens already; text is never re-tokenised")
        record, frame, own = Record(episode.reminder), BEGINNING, episode.segments
        for number, turn in enumerate(episode.turns):
            record.seen.append(turn.observation)
            before, frame = frame, context.frame(record, frame)
            goes_on = bool(own) and frame == before
            if goes_on:
                seen = chat.following(turn.observation, closed=True)
            else:
                earlier = [(chat.answer(words), True) for words in record.said[frame.first :]]
                seen = opened(chat, frame.head, record.seen[frame.first :], earlier)
            said = chat.answer(turn.action)
            if (len(own[-1]) if goes_on else 0) + len(seen) + len(said) > context_limit:
                break
            if not goes_on:
                own.append(Segment(logprobs=None))
            own[-1].read(seen)
            own[-1].say(number, said, None)
            record.said.append(turn.action)
        if not own:
            raise ConfigError(
                f"the first turn of task {episode.task_id} exceeds the context of {context_limit} tokens; lengthen it"
            )
        segments += own
    return segments


def micro_batches(
    samples: Sequence[Sample], tokens: int, device: torch.device, unit: Unit = "segment"
) -> Iterator[Batch]:
    """Cut samples into batches of at most `tokens` tokens, pads counted; rows of similar length share a batch.

    Samples of one unit (an episode, a preference pair) stay together, for their loss is one term; a unit that exceeds
    `tokens` by itself is a batch of its own.
    """
    units: dict[int, list[Sample]] = {}
    for number, sample in enumerate(samples):
        key = {"segment": number, "episode": sample.episode, "pair": sample.pair}[unit]
        units.setdefault(key, []).append(sample)
    rows: list[Sample] = []
    longest = 0
    for members in sorted(units.values(), key=_length):
        longest = max(longest, _length(members))
        if rows and longest * (len(rows) + len(members)) > tokens:
            yield pad(rows, device)
            rows, longest = [], _length(members)
        rows += members
    if rows:
        yield pad(rows, device)


def _length(samples: Sequence[Sample]) -> int:
    return max(len(sample.segment) for sample in samples)


def pad(samples: Sequence[Sample], device: torch.device) -> Batch:
    """Samples side by side, padded on the right."""
    shape = (len(samples), _length(samples))
    ids, real, turns = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.full(shape, -1, np.int64)
    sampled, weights, old, advantages, reference = (np.zeros(shape, np.float32) for _ in range(5))
    for row, sample in enumerate(samples):
        segment, size = sample.segment, len(sample.segment)
        ids[row, :size] = segment.token_ids
        real[row, :size] = 1
        sampled[row, :size] = segment.sampled_mask
        weights[row, :size] = np.asarray(segment.loss_weight) * sample.scale
        advantages[row, :size] = sampled[row, :size] if sample.advantages is None else sample.advantages
        for span in segment.spans:
            turns[row, span.start : span.end] = span.turn
        if segment.logprobs is not None:
            old[row, :size] = segment.logprobs
        if sample.reference is not None:
            reference[row, :size] = sample.reference

    def tensor(array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(device)

    def column(name: str) -> Tensor:
        return tensor(np.array([getattr(sample, name) for sample in samples]))

    known = all(sample.reference is not None for sample in samples)
    return Batch(
        ids=tensor(ids),
        real=tensor(real),
        sampled=tensor(sampled),
        weights=tensor(weights),
        old_logprobs=tensor(old),
        advantages=tensor(advantages),
        turns=tensor(turns),
        reference=tensor(reference) if known else None,
        episode=column("episode"),
        pair=column("pair"),
        sign=column("sign"),
    )


def score(model: Any, batch: Batch, temperature: float, *, entropy_gradient: bool = False) -> tuple[Tensor, Tensor]:
    """What the model makes of the batch's own tokens.

    Args:
        model: A causal language model.
        batch: The tokens.
        temperature: Of the distribution they were drawn from.
        entropy_gradient: Whether the entropy carries a gradient, which costs memory.

    Returns:
        Log-probability of each sampled token and entropy of the distribution it was drawn from, both after
        temperature, shape (rows, tokens), 0 on tokens that were not sampled.
    """
    where = batch.sampled[:, 1:] > 0
    columns = where.any(0).nonzero()[:, 0]  # logits are large: only where some row has said something
    rows, place = torch.unique(torch.cat([batch.ids, batch.real], 1), dim=0, return_inverse=True)  # equal rows: once
    ids, real = rows.chunk(2, 1)
    out = model(input_ids=ids, attention_mask=real, use_cache=False, logits_to_keep=columns)
    row, column = where[:, columns].nonzero(as_tuple=True)
    distribution = torch.log_softmax(out.logits[place[row], column].float() / temperature, -1)
    chosen = distribution.gather(1, batch.ids[:, 1:][where][:, None])[:, 0]
    logprobs = torch.zeros_like(batch.weights)
    entropies = torch.zeros_like(batch.weights)
    logprobs[:, 1:] = logprobs[:, 1:].masked_scatter(where, chosen)
    with torch.set_grad_enabled(entropy_gradient and torch.is_grad_enabled()):
        surprise = -(distribution.exp() * distribution).sum(-1)
        entropies[:, 1:] = entropies[:, 1:].masked_scatter(where, surprise)
    return logprobs, entropies
