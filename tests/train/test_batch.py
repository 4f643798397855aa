"""Padding, order and masked tokens change nothing that is learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.agents import Prompt
from agentgym.core import ConfigError
from agentgym.rollout import Context, EnvPool, Episode, EpisodeSpec, Segment, collect, demonstrate
from agentgym.train import HuggingFaceEngine, tokenize
from agentgym.train.batch import PROXIMAL, Batch, Sample, episode_samples, micro_batches, pad
from agentgym.train.losses import PPOClipLoss
from agentgym.train.metrics import batch_sums, step_metrics
from agentgym.train.token_logprobs import token_logprobs
from tests.agents.test_context import MODES
from tests.rollout.players import Scripted
from tests.rollout.worlds import ID
from tests.train.making import episode as made_episode
from tests.train.making import mean

Make = Callable[..., HuggingFaceEngine]
CPU = torch.device("cpu")


def random_samples(seed: int, count: int) -> list[Sample]:
    rng = np.random.default_rng(seed)
    samples = []
    for _ in range(count):
        segment = Segment()
        for turn in range(int(rng.integers(1, 4))):
            segment.read(rng.integers(4, 250, size=int(rng.integers(1, 9))).tolist())
            said = rng.integers(4, 250, size=int(rng.integers(1, 4)))
            segment.say(turn, said.tolist(), (-rng.random(len(said)) * 6).tolist())
        samples.append(
            Sample(segment, rng.normal() * np.asarray(segment.sampled_mask), 1 / count / sum(segment.sampled_mask))
        )
    return samples


def loss_and_gradient(engine: HuggingFaceEngine, batches: list[Batch]) -> tuple[float, torch.Tensor]:
    engine.model.zero_grad()
    total = 0.0
    for batch in batches:
        logprobs, _ = token_logprobs(engine.model, batch, 1.0)
        part = mean(PPOClipLoss()(logprobs, batch)[0], batch)
        part.backward()
        total += part.item()
    return total, torch.cat([p.grad.flatten() for p in engine.model.parameters() if p.grad is not None])


@pytest.mark.parametrize("tokens", [1, 40, 100_000])
def test_micro_batches_and_order_change_nothing(make_engine: Make, tokens: int) -> None:
    engine, samples = make_engine(), random_samples(0, 9)
    loss, gradient = loss_and_gradient(engine, [pad(samples, CPU)])
    cut = list(micro_batches(samples[::-1], tokens, CPU))
    assert sum(len(batch.ids_BT) for batch in cut) == 9
    assert all(batch.ids_BT.numel() <= tokens or len(batch.ids_BT) == 1 for batch in cut)
    other_loss, other_gradient = loss_and_gradient(engine, cut)
    assert other_loss == pytest.approx(loss, abs=1e-5)
    assert torch.allclose(gradient, other_gradient, atol=1e-5)


def test_equal_rows_are_read_once_and_count_each(make_engine: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows with the same tokens differ in advantage, weight and old log-probabilities, which all count."""
    engine, (one, two, three) = make_engine(), random_samples(3, 3)
    again = replace(one, scale=2 * one.scale, advantages=np.asarray(one.segment.sampled_mask) * -0.7)
    rows = [one, two, again, three, one]
    loss, gradient = loss_and_gradient(engine, [pad([row], CPU) for row in rows])
    read: list[int] = []
    forward = engine.model.forward

    def count(*args: object, **kwargs: Any) -> object:
        read.append(len(kwargs["input_ids"]))
        return forward(*args, **kwargs)

    monkeypatch.setattr(engine.model, "forward", count)
    other_loss, other_gradient = loss_and_gradient(engine, [pad(rows, CPU)])
    assert read == [3]
    assert other_loss == pytest.approx(loss, abs=1e-5)
    assert torch.allclose(gradient, other_gradient, atol=1e-5)


def test_pads_change_nothing(make_engine: Make) -> None:
    engine, (sample, *others) = make_engine(), random_samples(1, 6)
    alone, _ = token_logprobs(engine.model, pad([sample], CPU), 1.0)
    among, _ = token_logprobs(engine.model, pad([sample, *others], CPU), 1.0)
    assert torch.allclose(alone[0], among[0, : alone.shape[1]], atol=1e-5)


def test_what_is_not_weighted_does_not_reach_the_loss(make_engine: Make) -> None:
    """Change what a masked token claims about itself, and the last given tokens that no sampled token follows."""
    engine, (sample, *_) = make_engine(), random_samples(2, 3)
    sample.segment.read([5, 6, 7])
    assert sample.advantages is not None
    sample = replace(sample, advantages=np.append(sample.advantages, [0.0] * 3))
    before = loss_and_gradient(engine, [pad([sample], CPU)])
    sample.segment.token_ids[-3:] = [201, 202, 203]
    assert sample.segment.logprobs is not None
    for place, mask in enumerate(sample.segment.sampled_mask):
        if not mask:
            sample.segment.logprobs[place] = -77.0
    after = loss_and_gradient(engine, [pad([sample], CPU)])
    assert after[0] == before[0]
    assert torch.equal(after[1], before[1])


def test_a_sampled_token_does_reach_the_loss(make_engine: Make) -> None:
    engine, (sample, *_) = make_engine(), random_samples(2, 3)
    before, _ = loss_and_gradient(engine, [pad([sample], CPU)])
    span = sample.segment.spans[-1]
    sample.segment.token_ids[span.end - 1] = 249
    assert loss_and_gradient(engine, [pad([sample], CPU)])[0] != before


def test_teachers_are_tokenised_once(tokenizer: Any, make_engine: Make) -> None:
    engine = make_engine()
    episodes = demonstrate(EnvPool(ID), range(4), noise=0.5, seed=0)
    segments = tokenize(episodes, engine.chat, 128)
    for episode, segment in zip(episodes, segments, strict=True):
        assert episode.segments == [segment]
        assert segment.logprobs is None
        said = [segment.token_ids[span.start : span.end] for span in segment.spans]
        assert [engine.chat.text(ids) for ids in said] == [turn.action for turn in episode.turns]
        assert all(ids[-1] == engine.chat.end for ids in said)
        assert sum(segment.sampled_mask) == sum(map(len, said))
    with pytest.raises(ConfigError, match="never re-tokenized"):
        tokenize(episodes, engine.chat, 128)


@pytest.mark.parametrize("context", MODES, ids=lambda mode: type(mode).__name__)
def test_a_clone_reads_what_it_will_read_when_it_plays(context: Context) -> None:
    (taught,) = demonstrate(EnvPool(ID), [27], noise=0.5, seed=0)
    actions = iter([turn.action for turn in taught.turns])
    player = Scripted(lambda prompt, rng: next(actions), prompt=Prompt(context=context))
    (played,) = collect(EnvPool(ID), player, [EpisodeSpec(27, taught.seed, 0, (1,))])
    chat: Any = player
    assert tokenize([taught], chat, player.context_limit, context) == taught.segments
    assert [each.token_ids for each in taught.segments] == [each.token_ids for each in played.segments]
    assert [each.spans for each in taught.segments] == [each.spans for each in played.segments]


def test_turns_beyond_the_context_are_left_out(make_engine: Make) -> None:
    engine = make_engine()

    def episode() -> list[Episode]:
        return demonstrate(EnvPool(ID), [0], noise=0.0, seed=0)

    whole = len(tokenize(episode(), engine.chat, 128)[0])
    (cut,) = tokenize(episode(), engine.chat, whole - 1)
    assert len(cut.spans) == 2
    with pytest.raises(ConfigError, match="exceeds the context of 3"):
        tokenize(episode(), engine.chat, 3)


def test_a_token_without_a_sampler_is_marked_and_has_the_ratio_one() -> None:
    """0 is a log-probability like any other; what is not known has a mask of its own."""
    known, teacher = made_episode([1.0], tokens=2), made_episode([1.0], tokens=2)
    teacher.segments[0].logprobs = None
    known.turns[0] = replace(known.turns[0], version=4)
    made = [known, teacher]
    ones = [[np.asarray(part.sampled_mask, np.float64) for part in each.segments] for each in made]
    batch = pad(episode_samples(made, ones, paired=False, masked=(), version=4), CPU)
    assert batch.sampled_BT[:, 3:].tolist() == [[1, 1], [1, 1]]
    assert batch.known_BT[:, 3:].tolist() == [[1, 1], [0, 0]]
    assert batch.replayed_BT[:, 3:].tolist() == [[0, 0], [1, 1]]
    logprobs_BT = torch.full(batch.ids_BT.shape, -0.25).requires_grad_(True)
    ratio_BT = PPOClipLoss().ratio(logprobs_BT, batch)
    assert ratio_BT[:, 3:].tolist() == [[pytest.approx(np.exp(0.75))] * 2, [1, 1]]
    ratio_BT.sum().backward()
    assert (logprobs_BT.grad[1, 3:] == 1).all()  # type: ignore[index]
    sums = batch_sums(torch.zeros(()), logprobs_BT, torch.zeros_like(logprobs_BT), torch.zeros_like(logprobs_BT), batch)
    means = step_metrics([sums], list)
    assert means["mismatch"] == pytest.approx(0.75)
    assert means["known"] == 0.5
    teacher.segments[0].annotations[PROXIMAL] = [-1.0] * 5
    again = pad(episode_samples([teacher], ones[1:], paired=False, masked=(), version=4), CPU, importance_cap=2.0)
    assert again.importance_BT.unique().tolist() == [1]  # there is nothing to correct for
    assert PPOClipLoss().ratio(logprobs_BT[1:], again)[0, 3:].tolist() == pytest.approx([np.exp(0.75)] * 2)


def test_the_divergence_from_the_reference_is_that_of_the_model_which_speaks() -> None:
    model, reference = torch.tensor([0.7, 0.2, 0.1]), torch.tensor([0.2, 0.3, 0.5])
    (segment,) = made_episode([1.0], tokens=1).segments
    batch = pad([Sample(segment)], CPU)
    told = 0.0
    for chance, other in zip(model, reference, strict=True):  # what is said as often as the model says it
        logprobs_BT, zeros_BT = batch.sampled_BT * chance.log(), torch.zeros_like(batch.sampled_BT)
        compared = replace(batch, ref_logprobs_BT=batch.sampled_BT * other.log())
        sums = batch_sums(torch.zeros(()), logprobs_BT, zeros_BT, zeros_BT, compared)
        told += float(chance) * step_metrics([sums], list)["kl_reference"]
    assert told == pytest.approx(float((model * (model / reference).log()).sum()), rel=1e-5)
