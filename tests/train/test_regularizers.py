"""Every regularizer recomputed by hand; what one remembers does not depend on how a batch was cut."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
import torch

from agentgym.core import ConfigError
from agentgym.train.advantage_utils import per_episode
from agentgym.train.batch import Batch, micro_batches
from agentgym.train.kl import kl_from_sampler
from agentgym.train.regularizers import KL, REGULARIZERS, Entropy, EntropyFloor, EntropySmoothing
from tests.train.making import CPU, batch_of, episode, mean, samples_of

MODEL, SAMPLER, REFERENCE = (-0.7, -1.2), (-1.0, -1.0), (-0.4, -2.0)  # of two tokens, each with weight 1/2
ENTROPIES = (0.5, 2.0)


def small() -> tuple[torch.Tensor, torch.Tensor, Batch]:
    """One episode of two tokens: log-probabilities, entropies, batch."""
    batch = batch_of([episode([1.0], tokens=2)], per_episode([episode([1.0], tokens=2)], [1.0]))
    logprobs, entropies, reference = (torch.zeros_like(batch.mask_BT) for _ in range(3))
    where = batch.sampled_BT > 0
    logprobs[where], entropies[where], reference[where] = map(torch.tensor, (MODEL, ENTROPIES, REFERENCE))
    return logprobs, entropies, replace(batch, ref_logprobs_BT=reference)


def k3(of: float, over: float) -> float:
    return math.exp(of - over) - 1 - (of - over)


BY_HAND = {
    ("reference", "k3"): sum(k3(r, m) for r, m in zip(REFERENCE, MODEL, strict=True)) / 2,
    ("reference", "k2"): sum(0.5 * (r - m) ** 2 for r, m in zip(REFERENCE, MODEL, strict=True)) / 2,
    ("sampler", "k3"): sum(k3(m, s) for m, s in zip(MODEL, SAMPLER, strict=True)) / 2,
    ("sampler", "k2"): sum(0.5 * (m - s) ** 2 for m, s in zip(MODEL, SAMPLER, strict=True)) / 2,
}


@pytest.mark.parametrize("kind", BY_HAND)
def test_divergences_by_hand(kind: tuple[str, str]) -> None:
    term = KL(0.1, *kind)  # type: ignore[arg-type]
    logprobs, entropies, batch = small()
    assert mean(term(logprobs, entropies, batch), batch).item() == pytest.approx(BY_HAND[kind], rel=1e-5)
    assert term.needs_reference == (kind[0] == "reference")
    assert len({round(value, 6) for value in BY_HAND.values()}) == 4


def test_entropy_is_charged_below_a_floor_alone() -> None:
    logprobs, entropies, batch = small()
    charged = EntropyFloor(1.0, floor=0.8)(logprobs, entropies, batch)
    assert charged[batch.sampled_BT > 0].tolist() == pytest.approx([0.3, 0.0])
    with pytest.raises(ConfigError, match="above 0 nats"):
        EntropyFloor(1.0, floor=0.0)


def test_the_estimate_of_the_sampler_by_hand() -> None:
    term = kl_from_sampler(torch.tensor([0.0, math.log(0.5)]), torch.tensor([0.0, 0.0]))
    assert term.tolist() == pytest.approx([0.0, 0.5 - 1 + math.log(2)])


def test_the_gradient_of_k2_is_that_of_a_log_ratio_in_the_reward() -> None:
    logprobs, entropies, batch = small()
    logprobs.requires_grad_(True)
    mean(KL(1.0, estimator="k2")(logprobs, entropies, batch), batch).backward()
    assert batch.ref_logprobs_BT is not None
    expected = (logprobs.detach() - batch.ref_logprobs_BT) * batch.mask_BT * batch.scale_B[:, None]
    assert torch.allclose(logprobs.grad, expected)  # type: ignore[arg-type]


def test_a_reference_is_asked_for() -> None:
    logprobs, entropies, batch = small()
    with pytest.raises(ValueError, match="reference"):
        KL(0.1)(logprobs, entropies, replace(batch, ref_logprobs_BT=None))


def test_entropy_by_hand_and_its_gradient() -> None:
    logprobs, entropies, batch = small()
    entropies.requires_grad_(True)
    loss = mean(Entropy(0.01)(logprobs, entropies, batch), batch)
    assert loss.item() == pytest.approx(-sum(ENTROPIES) / 2)
    loss.backward()
    assert torch.equal(entropies.grad, -batch.mask_BT * batch.scale_B[:, None])  # type: ignore[arg-type]


def test_smoothing_by_hand() -> None:
    """After a history of 1 nat the band is 0.8 to 1.2: the tokens lie 0.3 below and 0.8 above it."""
    term = EntropySmoothing(1.0)
    logprobs, entropies, batch = small()
    assert not term(logprobs, entropies, batch).any()  # no history yet
    term.end_update()
    assert term.state() == [sum(ENTROPIES) / 2]
    term.load([0.5, 1.5])
    entropies.requires_grad_(True)
    loss = mean(term(logprobs, entropies, batch), batch)
    assert loss.item() == pytest.approx((0.3 + 0.8) / 2)
    loss.backward()
    where = batch.sampled_BT > 0
    assert entropies.grad[where].tolist() == [-0.5, 0.5]  # type: ignore[index]
    wide = EntropySmoothing(1.0, 0.4, 2.0)
    wide.load([1.0])
    assert mean(wide(logprobs, entropies.detach(), batch), batch).item() == 0


def test_smoothing_pulls_both_ways_where_a_bonus_pulls_one() -> None:
    term = EntropySmoothing(1.0)
    term.load([1.0])
    grads = []
    for part in (term, Entropy(1.0)):
        logprobs, entropies, batch = small()
        entropies.requires_grad_(True)
        mean(part(logprobs, entropies, batch), batch).backward()
        grads.append(entropies.grad[batch.sampled_BT > 0].sign().tolist())  # type: ignore[index]
    assert grads == [[-1, 1], [-1, -1]]


def test_history_does_not_depend_on_how_a_batch_was_cut() -> None:
    episodes = [episode([0.0] * turns, tokens=turns) for turns in (1, 2, 3)]
    samples = samples_of(episodes, per_episode(episodes, [1.0] * 3))
    states = []
    for tokens in (1, 10**6):
        term = EntropySmoothing(1.0)
        for batch in micro_batches(samples, tokens, CPU):
            entropies = batch.sampled_BT * batch.ids_BT / 10
            term(torch.zeros_like(entropies), entropies, batch)
        term.end_update()
        states.append(json.loads(json.dumps(term.state())))
    assert states[0] == pytest.approx(states[1])
    term.end_update()  # nothing was seen since
    assert len(term.state()) == 1


def test_options_without_meaning_are_refused() -> None:
    with pytest.raises(ConfigError, match="band"):
        EntropySmoothing(1.0, low=1.1)
    for name, kind in REGULARIZERS.items():
        part = kind(0.5)
        assert part.needs_reference == (name == "kl")
        part.load(part.state())
