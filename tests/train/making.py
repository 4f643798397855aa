"""Episodes made by hand, token by token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from agentgym.rollout import Episode, Segment, Turn
from agentgym.train.advantage_utils import TokenAdvantages
from agentgym.train.batch import Batch, Sample, pad

CPU = torch.device("cpu")


def episode(
    rewards: Sequence[float],
    group: int = 0,
    *,
    tokens: int | Sequence[int] = 2,
    keys: Sequence[str] | None = None,
    stop: str = "terminated",
    success: bool | None = None,
    valid: Sequence[bool] | None = None,
    annotations: dict[str, Sequence[float]] | None = None,
    said: Sequence[str] | None = None,
    failed: Sequence[int] | None = None,
    split: bool = False,
    **fields: Any,
) -> Episode:
    """An episode with one turn a reward; turn t says `tokens` tokens, all with log-probability -1.

    `split` gives every turn a segment of its own.
    """
    counts = [tokens] * len(rewards) if isinstance(tokens, int) else list(tokens)
    made = Episode("task", "train", 0, group, stop=stop, **fields)  # type: ignore[arg-type]
    segment = Segment()
    made.segments.append(segment)
    for turn, (reward, count) in enumerate(zip(rewards, counts, strict=True)):
        if split and turn:
            segment = Segment()
            made.segments.append(segment)
        segment.read([7, 8 + turn, 9])
        segment.say(turn, [20 + place for place in range(count)], [-1.0] * count)
        made.turns.append(
            Turn(
                f"seen {turn}",
                said[turn] if said else f"said {turn}",
                reward,
                valid[turn] if valid else True,
                stop if turn == len(rewards) - 1 else "",  # type: ignore[arg-type]
                0,
                state_key=keys[turn] if keys else "",
                failed_calls=failed[turn] if failed else 0,
                annotations={name: values[turn] for name, values in (annotations or {}).items()},
            )
        )
    made.success = sum(rewards) > 0 if success is None else success
    return made


def by_turn(credit: TokenAdvantages, made: Episode, place: int = 0) -> list[list[float]]:
    """The credit of each turn's tokens; asserts that there is none elsewhere."""
    turns: list[list[float]] = [[] for _ in made.turns]
    for segment, row in zip(made.segments, credit[place], strict=True):
        assert row.shape == (len(segment),)
        assert not row[np.asarray(segment.sampled_mask) == 0].any()
        for span in segment.spans:
            turns[span.turn] = row[span.start : span.end].tolist()
    return turns


def values(credit: TokenAdvantages, episodes: Sequence[Episode]) -> list[float]:
    """The credit of each episode's first sampled token."""
    return [by_turn(credit, made, place)[0][0] for place, made in enumerate(episodes)]


def random_episodes(seed: int, count: int, group_size: int = 4, **fields: Any) -> list[Episode]:
    """Episodes of one to three turns and random token counts, log-probabilities and rewards."""
    rng = np.random.default_rng(seed)
    made = []
    for place in range(count):
        turns = int(rng.integers(1, 4))
        one = episode(
            rng.integers(0, 3, size=turns).astype(float).tolist(),
            place // group_size,
            tokens=rng.integers(1, 4, size=turns).tolist(),
            keys=[f"state {int(rng.integers(3))}" if turn else "start" for turn in range(turns)],
            split=bool(rng.integers(2)),
            **fields,
        )
        for segment in one.segments:
            assert segment.logprobs is not None
            for span in segment.spans:
                segment.logprobs[span.start : span.end] = (-3 * rng.random(span.end - span.start)).tolist()
        made.append(one)
    return made


def samples_of(episodes: Sequence[Episode], credit: TokenAdvantages, scale: float = 1.0) -> list[Sample]:
    """The episodes' segments as samples, with scale / (number of episodes * tokens of the episode)."""
    found = []
    for number, (made, rows) in enumerate(zip(episodes, credit, strict=True)):
        said = sum(sum(segment.sampled_mask) for segment in made.segments)
        for segment, row in zip(made.segments, rows, strict=True):
            found.append(Sample(segment, row, scale / (len(episodes) * said), number))
    return found


def mean(loss_BT: torch.Tensor, batch: Batch) -> torch.Tensor:
    """The mean of a loss, as the training step takes it."""
    return (loss_BT * batch.mask_BT * batch.scale_B[:, None]).sum()


def batch_of(episodes: Sequence[Episode], credit: TokenAdvantages) -> Batch:
    """All of them in one batch."""
    return pad(samples_of(episodes, credit), CPU)
