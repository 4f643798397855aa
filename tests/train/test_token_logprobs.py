"""Logits of sampled tokens alone, in pieces, and blocks that are computed twice: the same numbers in less memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.core import ConfigError
from agentgym.rollout import EnvPool, EpisodeSpec, Segment, collect
from agentgym.train import token_logprobs as subject
from agentgym.train.batch import Batch, Sample, pad
from agentgym.train.token_logprobs import recompute_blocks, token_logprobs
from tests.rollout.worlds import ID

Make = Callable[..., HuggingFaceEngine]
CPU = torch.device("cpu")


def rows(count: int, seed: int = 0) -> Batch:
    """Rows of different lengths in which some tokens were sampled, here and there."""
    rng, samples = np.random.default_rng(seed), []
    for _ in range(count):
        segment = Segment()
        for turn in range(3):
            segment.read(rng.integers(5, 90, size=int(rng.integers(1, 9))).tolist())
            said = rng.integers(5, 90, size=int(rng.integers(1, 5))).tolist()
            segment.say(turn, said, [-1.0] * len(said))
        samples.append(Sample(segment))
    return pad(samples, CPU)


def plainly(model: Any, batch: Batch, temperature: float) -> tuple[torch.Tensor, torch.Tensor]:
    """All logits at once, and then what was sampled."""
    logits = model(input_ids=batch.ids_BT, attention_mask=batch.attention_mask_BT).logits[:, :-1] / temperature
    distribution = torch.log_softmax(logits, -1)
    chosen = distribution.gather(2, batch.ids_BT[:, 1:, None])[:, :, 0]
    sampled = batch.sampled_BT[:, 1:]
    return chosen * sampled, -(distribution.exp() * distribution).sum(-1) * sampled


def gradients(model: Any, loss: torch.Tensor) -> dict[str, torch.Tensor]:
    model.zero_grad(set_to_none=True)
    loss.backward()
    return {name: weight.grad.clone() for name, weight in model.named_parameters() if weight.grad is not None}


@pytest.mark.parametrize("piece", [2**24, 700], ids=["at once", "in pieces"])
@pytest.mark.parametrize("recompute", [False, True])
def test_numbers_and_gradients_are_those_of_all_logits(
    make_engine: Make, monkeypatch: pytest.MonkeyPatch, piece: int, recompute: bool
) -> None:
    model, batch = make_engine().model.double(), rows(4)
    expected = plainly(model, batch, 0.7)
    wanted = gradients(model, (expected[0] * 3 + expected[1]).sum())
    monkeypatch.setattr(subject, "PIECE", piece)
    if recompute:
        recompute_blocks(model)
    found = token_logprobs(model, batch, 0.7, entropy_gradient=True)
    for mine, its in zip(found, expected, strict=True):
        assert torch.allclose(mine[:, 1:], its, atol=1e-12)
    got = gradients(model, (found[0] * 3 + found[1]).sum())
    assert got.keys() == wanted.keys()
    assert all(torch.allclose(got[name], wanted[name], atol=1e-10) for name in wanted)


def shapes(model: Any, batch: Batch) -> list[tuple[int, ...]]:
    """Of the logits that the last layer gives."""
    seen: list[tuple[int, ...]] = []
    hook = model.get_output_embeddings().register_forward_hook(lambda head, given, out: seen.append(tuple(out.shape)))
    token_logprobs(model, batch, 1.0)
    hook.remove()
    return seen


def test_the_head_reads_what_was_sampled_and_nothing_else(make_engine: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    model, batch = make_engine().model, rows(4)
    sampled, words = int(batch.sampled_BT.sum()), model.config.vocab_size
    assert shapes(model, batch) == [(1, 1, words), (1, 1, words), (sampled, words)]  # once it is seen what it gives
    monkeypatch.setattr(subject, "PIECE", 10 * words)
    assert shapes(model, batch)[1:] == [(10, words)] * (sampled // 10) + [(sampled % 10, words)] * (sampled % 10 > 0)
    assert not model.get_output_embeddings()._forward_pre_hooks


@pytest.mark.parametrize("piece", [2**24, 700], ids=["at once", "in pieces"])
def test_what_a_model_does_to_its_logits_is_not_left_out(
    make_engine: Make, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    """As Gemma 2 caps them."""
    model, batch = make_engine().model.double(), rows(3)
    forward = model.forward

    def capped(*args: Any, **kwargs: Any) -> Any:
        out = forward(*args, **kwargs)
        out.logits = 2 * torch.tanh(out.logits / 2)
        return out

    monkeypatch.setattr(model, "forward", capped)
    monkeypatch.setattr(subject, "PIECE", piece)
    expected = plainly(model, batch, 1.0)
    wanted = gradients(model, expected[0].sum())
    found = token_logprobs(model, batch, 1.0)
    got = gradients(model, found[0].sum())
    assert torch.allclose(found[0][:, 1:], expected[0], atol=1e-12)
    assert all(torch.allclose(got[name], wanted[name], atol=1e-10) for name in wanted)
    assert shapes(model, batch) == [(1, int(batch.sampled_BT.sum()), model.config.vocab_size)]


def test_a_model_whose_logits_come_from_elsewhere_gives_the_same(
    make_engine: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, batch = make_engine().model, rows(3)
    expected = token_logprobs(model, batch, 1.0)
    monkeypatch.setattr(model, "get_output_embeddings", lambda: None)
    for mine, its in zip(token_logprobs(model, batch, 1.0), expected, strict=True):
        assert torch.allclose(mine, its, atol=1e-6)


def kept(model: Any, batch: Batch) -> int:
    """Bytes that the backward pass waits for, without weights."""
    own = {weight.untyped_storage().data_ptr() for weight in model.parameters()}
    found: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            found[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        token_logprobs(model, batch, 1.0)
    return sum(found.values())


def test_pieces_and_blocks_take_less_memory(make_engine: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    model, batch = make_engine().model, rows(24)
    logits = 4 * int(batch.sampled_BT.sum()) * model.config.vocab_size
    whole = kept(model, batch)
    monkeypatch.setattr(subject, "PIECE", 10 * model.config.vocab_size)
    pieces = kept(model, batch)
    assert whole - pieces > 0.9 * logits  # no log-probabilities of the whole vocabulary
    recompute_blocks(model)
    assert kept(model, batch) < 0.6 * pieces


def test_a_policy_that_is_learned_so_still_plays_from_its_cache(make_engine: Make) -> None:
    played = []
    for recompute in (False, True):
        engine = make_engine()
        if recompute:
            recompute_blocks(engine.model)
            token_logprobs(engine.model, rows(2), 1.0)
            assert not any("forward" in vars(each) for each in engine.model.modules())
        played += [collect(EnvPool(ID), engine, [EpisodeSpec(0, 0, 0, (1, place)) for place in range(2)])]
    assert played[0] == played[1]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("recompute", [False, True])
def test_a_gpu_finds_what_the_processor_finds(make_engine: Make, recompute: bool) -> None:
    model, batch = make_engine().model, rows(4)
    expected = token_logprobs(model, batch, 0.7)[0]
    wanted = gradients(model, expected.sum())
    tensors = {name: each.to("cuda") for name, each in vars(batch).items() if isinstance(each, torch.Tensor)}
    model.to("cuda")
    if recompute:
        recompute_blocks(model)
    found = token_logprobs(model, replace(batch, **tensors), 0.7)[0]
    got = gradients(model, found.sum())
    assert torch.allclose(found.cpu(), expected, atol=1e-4)
    assert all(torch.allclose(got[name].cpu(), wanted[name], atol=1e-3) for name in wanted)


def test_what_has_no_blocks_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"leave out model\.gradient_checkpointing"):
        recompute_blocks(torch.nn.Linear(2, 2))
