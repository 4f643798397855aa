"""Advantages and losses against hand-computed figures, and what must not change them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from agentgym.core import ConfigError
from agentgym.train import group_relative
from agentgym.train.losses import clipped_surrogate, kl_from_sampler, negative_log_likelihood


def test_advantages_by_hand() -> None:
    # Group 4: returns 1, 0, 0, 0; mean 1/4, deviation sqrt(3)/4. Group 2: all equal, so dead.
    result = group_relative([1, 5, 0, 5, 0, 0], [4, 2, 4, 2, 4, 4])
    assert result.values == pytest.approx([math.sqrt(3), 0, -1 / math.sqrt(3), 0, -1 / math.sqrt(3), -1 / math.sqrt(3)])
    assert (result.groups, result.dead) == (2, 1)
    assert result.variance == pytest.approx((3 / 16 + 0) / 2)


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-5, 5)), min_size=1, max_size=20), st.randoms())
def test_advantages_do_not_feel_the_order(pairs: list[tuple[int, float]], shuffler: np.random.RandomState) -> None:
    pairs = pairs + pairs  # so that no group is alone
    order = list(range(len(pairs)))
    shuffler.shuffle(order)
    straight = group_relative([score for _, score in pairs], [group for group, _ in pairs]).values
    mixed = group_relative([pairs[i][1] for i in order], [pairs[i][0] for i in order]).values
    assert mixed == pytest.approx([straight[i] for i in order], abs=1e-6)


@given(st.lists(st.booleans(), min_size=2, max_size=12).filter(lambda wins: 0 < sum(wins) < len(wins)))
def test_a_rare_success_is_never_without_advantage(wins: list[bool]) -> None:
    values = group_relative([float(win) for win in wins], [0] * len(wins)).values
    assert all((value > 0) == win for value, win in zip(values, wins, strict=True))
    assert sum(values) == pytest.approx(0, abs=1e-9)


def test_lonely_groups_and_strange_returns_are_refused() -> None:
    with pytest.raises(ConfigError, match="group 1 has one episode"):
        group_relative([1, 0, 1], [0, 0, 1])
    with pytest.raises(ConfigError, match="finite"):
        group_relative([1, math.nan], [0, 0])


def test_the_surrogate_by_hand() -> None:
    old = torch.zeros(1, 4)
    ratios = torch.tensor([[1.0, 1.5, 0.5, 3.0]])
    weights = torch.tensor([[0.5, 0.5, 0.5, 0.0]])
    better = clipped_surrogate(ratios.log(), old, torch.tensor([[2.0]]), weights, 0.2)
    assert better.loss.item() == pytest.approx(-0.5 * 2 * (1.0 + 1.2 + 0.5))  # 1.5 is clipped to 1.2, 0.5 is not
    assert better.clipped.tolist() == [[0, 1, 0, 0]]
    worse = clipped_surrogate(ratios.log(), old, torch.tensor([[-1.0]]), weights, 0.2)
    assert worse.loss.item() == pytest.approx(0.5 * (1.0 + 1.5 + 0.8))  # now 0.5 is clipped to 0.8
    assert worse.clipped.tolist() == [[0, 0, 1, 0]]


def test_the_surrogate_has_the_gradient_of_reinforce_where_it_was_sampled() -> None:
    logprobs = torch.tensor([[-0.3, -1.0]], requires_grad=True)
    weights = torch.tensor([[0.25, 0.75]])
    clipped_surrogate(logprobs, logprobs.detach(), torch.tensor([[2.0]]), weights, 0.2).loss.backward()
    assert logprobs.grad is not None
    assert torch.allclose(logprobs.grad, -2.0 * weights)


def test_cloning_is_weighted_cross_entropy() -> None:
    loss = negative_log_likelihood(torch.tensor([[-1.0, -2.0, -9.0]]), torch.tensor([[0.5, 0.25, 0.0]]))
    assert loss.item() == pytest.approx(1.0)


def test_the_kl_estimate_by_hand() -> None:
    term = kl_from_sampler(torch.tensor([0.0, math.log(0.5)]), torch.tensor([0.0, 0.0]))
    assert term.tolist() == pytest.approx([0.0, 0.5 - 1 + math.log(2)])
