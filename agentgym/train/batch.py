"""Segments as tensors: padding, masks, and a model's log-probabilities of tokens that exist already.

Axes: B rows of a batch (a segment each), T tokens of the longest row, shorter ones padded on the right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agentgym.agents.chat_format import ChatFormat
from agentgym.agents.context import WHOLE, Context, Record
from agentgym.core import ConfigError
from agentgym.rollout import Episode, Segment, Turn
from agentgym.rollout.conversation import BEGINNING
from agentgym.train.interfaces import Unit
from agentgym.train.packing import Place, pack

MASKED_TURNS: dict[str, Callable[[Turn], bool]] = {
    "off_policy": lambda turn: turn.off_policy,
    "cut": lambda turn: turn.finish_reason == "length",
    "refused": lambda turn: not turn.valid,
}
REFERENCE, PROXIMAL = "reference", "proximal"  # annotations: log-probabilities under models other than the sampler


@dataclass(frozen=True)
class Batch:
    """Segments padded on the right.

    Attributes:
        ids_BT: Token ids, 0 on pads.
        attention_mask_BT: 1 on tokens, 0 on pads.
        sampled_BT: 1 on tokens that the policy (or a teacher) chose, its end tokens included; 0 on given ones and pads.
        mask_BT: 1 on tokens that are learned from (`Sample.weights`); 0 wherever `sampled_BT` is 0.
        scale_B: The factor of a row in the mean that a loss takes; see `agentgym.train.losses.loss_scales`.
        advantages_BT: Advantage of each token; 0 off sampled tokens.
        sampler_logprobs_BT: Log-probability in nats of each token when it was sampled; 0 wherever `known_BT` is 0.
        known_BT: 1 on tokens whose log-probability was noted while they were sampled; 0 on a teacher's, given ones and
            pads.
        replayed_BT: 1 on tokens that an earlier version of the policy said, or that a teacher said; 0 elsewhere.
        old_logprobs_BT: What ratios are taken over: those of the sampler, or, where the recipe has them recomputed
            (`update.recompute_logprobs`), those of the model before the first gradient step; see `old`.
        old_known_BT: 1 on tokens that have one.
        importance_BT: What the loss of a token is multiplied by to correct for the difference of the two, at most
            `update.importance_cap`; 1 where nothing is corrected.
        ref_logprobs_BT: Log-probability under the reference model; None if nothing needs them.
        turns_BT: Number of the turn that said the token; -1 elsewhere.
        episode_B: Rows of one episode share a number.
        pair_B: Rows of one preference pair share a number; -1 outside of pairs.
        sign_B: +1 for the preferred episode of a pair, -1 for the other, 0 outside of pairs.
        packed_row_B, packed_start_B: Where the model reads a row of the batch; see `agentgym.train.packing`. None where
            each has a row of its own.
    """

    ids_BT: Tensor
    attention_mask_BT: Tensor
    sampled_BT: Tensor
    mask_BT: Tensor
    scale_B: Tensor
    advantages_BT: Tensor
    sampler_logprobs_BT: Tensor
    known_BT: Tensor
    replayed_BT: Tensor
    old_logprobs_BT: Tensor
    old_known_BT: Tensor
    importance_BT: Tensor
    ref_logprobs_BT: Tensor | None
    turns_BT: Tensor
    episode_B: Tensor
    pair_B: Tensor
    sign_B: Tensor
    packed_row_B: Tensor | None = None
    packed_start_B: Tensor | None = None

    def old(self, logprobs_BT: Tensor) -> Tensor:
        """What ratios are taken over: `old_logprobs_BT`, and where there is none the model's own, for a ratio of 1.

        Args:
            logprobs_BT: Log-probabilities of the batch's tokens under the model, in nats.
        """
        return torch.where(self.old_known_BT > 0, self.old_logprobs_BT, logprobs_BT.detach())


@dataclass(frozen=True, slots=True)
class Sample:
    """A segment to learn from: one row of a batch.

    Attributes:
        segment: The tokens.
        advantages: One a token; None gives every sampled token 1.
        scale: See `Batch.scale_B`.
        episode: Number of its episode within the gradient step.
        pair, sign: Its preference pair, as in `Batch`.
        loss_weight: What a loss multiplies each token by; None takes the segment's own.
        replayed: 1 on tokens of an earlier version of the policy, or of a teacher; None for none.
    """

    segment: Segment
    advantages: NDArray[np.float64] | None = None
    scale: float = 1.0
    episode: int = 0
    pair: int = -1
    sign: int = 0
    loss_weight: NDArray[np.float32] | None = None
    replayed: NDArray[np.float32] | None = None

    @property
    def weights(self) -> NDArray[np.float32]:
        """What a loss multiplies each token by."""
        return np.asarray(self.segment.loss_weight, np.float32) if self.loss_weight is None else self.loss_weight


def tokenize(
    episodes: Sequence[Episode], chat: ChatFormat, context_limit: int, context: Context = WHOLE, system: str = ""
) -> list[Segment]:
    """Give each of a teacher's episodes its segments, and return them all.

    A turn that would not fit into the context, and all after it, are left out.

    Args:
        episodes: What the teacher saw and said.
        chat: How a conversation is written.
        context_limit: Most tokens of a segment.
        context: What the policy will be shown when it plays; where it begins anew, so does a segment.
        system: The system message that it will be shown; "" for none.

    Raises:
        ConfigError: if not even the first turn of an episode fits, or an episode has been played by a policy.
    """
    segments = []
    for episode in episodes:
        if episode.segments:
            raise ConfigError(f"the episode of task {episode.task_id} has tokens already; text is never re-tokenized")
        record, frame, own = Record(episode.reminder), BEGINNING, episode.segments
        for number, turn in enumerate(episode.turns):
            record.seen.append(turn.observation)
            before, frame = frame, context.frame(record, frame)
            earlier = [(chat.encode_action(words), True) for words in record.said[frame.first :]]
            head = episode.opening if frame == BEGINNING else frame.head
            shown = [head + record.seen[frame.first], *record.seen[frame.first + 1 :]]
            more = chat.encode_more(shown, earlier, system) if own and frame == before else None
            goes_on = more is not None
            seen = chat.encode_conversation(shown, earlier, system) if more is None else more
            said = chat.encode_action(turn.action)
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


def learned_weights(episode: Episode, segment: Segment, masked: Sequence[str]) -> NDArray[np.float32]:
    """What a loss multiplies each token of a segment by: the segment's own weights, 0 in turns that are masked.

    Args:
        episode: Whose segment.
        segment: The tokens.
        masked: Names of `MASKED_TURNS`.
    """
    weights = np.asarray(segment.loss_weight, np.float32)
    for span in segment.spans:
        if any(MASKED_TURNS[name](episode.turns[span.turn]) for name in masked):
            weights[span.start : span.end] = 0.0
    return weights


def episode_samples(
    episodes: Sequence[Episode],
    advantages: Sequence[Sequence[NDArray[np.float64]]],
    *,
    paired: bool,
    masked: Sequence[str],
    version: int,
) -> list[Sample]:
    """The segments of episodes with their advantages; the tokens of masked turns weigh nothing.

    Args:
        episodes: Those of an update.
        advantages: Of each episode and segment, one number a token.
        paired: Whether they lie side by side in pairs, the better first.
        masked: Names of `MASKED_TURNS`.
        version: Of the policy that learns.
    """
    samples = []
    for number, (episode, rows) in enumerate(zip(episodes, advantages, strict=True)):
        pair, sign = (number // 2, 1 - 2 * (number % 2)) if paired else (-1, 0)
        for segment, row in zip(episode.segments, rows, strict=True):
            if any(segment.sampled_mask):
                weights = learned_weights(episode, segment, masked)
                replayed = replayed_tokens(episode, segment, version)
                samples.append(Sample(segment, row, 1.0, number, pair, sign, weights, replayed))
    return samples


def replayed_tokens(episode: Episode, segment: Segment, version: int) -> NDArray[np.float32]:
    """1 on the tokens of a segment that are not the policy's as it is now: an earlier version's, or a teacher's.

    Args:
        episode: Whose segment.
        segment: The tokens.
        version: Of the policy.
    """
    old = np.zeros(len(segment), np.float32)
    for span in segment.spans:
        old[span.start : span.end] = episode.turns[span.turn].version != version
    return old


def micro_batches(
    samples: Sequence[Sample],
    tokens: int,
    device: torch.device,
    unit: Unit = "segment",
    importance_cap: float | None = None,
    packing: bool = False,
) -> Iterator[Batch]:
    """Cut samples into batches of at most `tokens` tokens, pads counted; rows of similar length share a batch.

    Packed, a batch holds rows of any lengths, and the tokens are those of the rows that the model reads.

    Args:
        samples: In any order.
        tokens: Most tokens of a batch; a unit that exceeds them by itself is a batch of its own.
        device: Where the tensors go.
        unit: What stays in one batch, because its loss is one term: a segment, an episode or a preference pair.
        importance_cap: See `pad`.
        packing: Whether several share a row of what the model reads.
    """
    units: dict[int, list[Sample]] = {}
    for number, sample in enumerate(samples):
        key = {"segment": number, "episode": sample.episode, "pair": sample.pair}[unit]
        units.setdefault(key, []).append(sample)
    if packing:
        every = list(units.values())
        for chosen in pack([[sample.segment.token_ids for sample in members] for members in every], tokens):
            packed = [sample for number, _ in chosen for sample in every[number]]
            yield pad(packed, device, importance_cap, [place for _, places in chosen for place in places])
        return
    rows: list[Sample] = []
    longest = 0
    for members in sorted(units.values(), key=_length):
        longest = max(longest, _length(members))
        if rows and longest * (len(rows) + len(members)) > tokens:
            yield pad(rows, device, importance_cap)
            rows, longest = [], _length(members)
        rows += members
    if rows:
        yield pad(rows, device, importance_cap)


def _length(samples: Sequence[Sample]) -> int:
    return max(len(sample.segment) for sample in samples)


def pad(
    samples: Sequence[Sample],
    device: torch.device,
    importance_cap: float | None = None,
    places: Sequence[Place] | None = None,
) -> Batch:
    """One batch of all samples, in their order, padded on the right.

    Args:
        samples: At least one.
        device: Where the tensors go.
        importance_cap: Where log-probabilities were recomputed, the loss of a token is multiplied by their ratio over
            the sampler's, at most this; None multiplies by nothing.
        places: Where the model reads each; None gives each a row of its own.
    """
    B, T = len(samples), _length(samples)
    ids, attention, turns = np.zeros((B, T), np.int64), np.zeros((B, T), np.int64), np.full((B, T), -1, np.int64)
    sampled, mask, advantages, sampler, old, reference = (np.zeros((B, T), np.float32) for _ in range(6))
    known, old_known, replayed = (np.zeros((B, T), np.float32) for _ in range(3))
    for row, sample in enumerate(samples):
        segment, size = sample.segment, len(sample.segment)
        ids[row, :size] = segment.token_ids
        attention[row, :size] = 1
        sampled[row, :size] = segment.sampled_mask
        mask[row, :size] = sample.weights
        advantages[row, :size] = sampled[row, :size] if sample.advantages is None else sample.advantages
        for span in segment.spans:
            turns[row, span.start : span.end] = span.turn
        if segment.logprobs is not None:
            sampler[row, :size] = segment.logprobs
            known[row, :size] = segment.sampled_mask
        if sample.replayed is not None:
            replayed[row, :size] = sample.replayed
        old_known[row, :size] = segment.sampled_mask if PROXIMAL in segment.annotations else known[row, :size]
        old[row, :size] = segment.annotations.get(PROXIMAL, sampler[row, :size])
        reference[row, :size] = segment.annotations.get(REFERENCE, 0.0)
    importance = np.ones_like(old)
    if importance_cap is not None:
        importance = np.where(known > 0, np.minimum(np.exp(old - sampler), importance_cap), importance)

    def tensor(array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(device)

    compared = all(REFERENCE in sample.segment.annotations for sample in samples)
    return Batch(
        ids_BT=tensor(ids),
        attention_mask_BT=tensor(attention),
        sampled_BT=tensor(sampled),
        mask_BT=tensor(mask),
        scale_B=tensor(np.array([sample.scale for sample in samples], np.float32)),
        advantages_BT=tensor(advantages),
        sampler_logprobs_BT=tensor(sampler),
        known_BT=tensor(known),
        replayed_BT=tensor(replayed),
        old_logprobs_BT=tensor(old),
        old_known_BT=tensor(old_known),
        importance_BT=tensor(importance),
        ref_logprobs_BT=tensor(reference) if compared else None,
        turns_BT=tensor(turns),
        episode_B=tensor(np.array([sample.episode for sample in samples])),
        pair_B=tensor(np.array([sample.pair for sample in samples])),
        sign_B=tensor(np.array([sample.sign for sample in samples])),
        packed_row_B=tensor(np.array([place.row for place in places])) if places is not None else None,
        packed_start_B=tensor(np.array([place.start for place in places])) if places is not None else None,
    )
