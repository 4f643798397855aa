"""Every loss recomputed in plain Python, told apart from its neighbours, and held to what must not change it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym.core import ConfigError
from agentgym.rollout import Episode
from agentgym.train import load_recipe
from agentgym.train.advantage_utils import per_turn
from agentgym.train.batch import REFERENCE, Batch, Sample, micro_batches, pad
from agentgym.train.losses import (
    LOSSES,
    CISPOLoss,
    DPOLoss,
    GSPOLoss,
    NegativeImitationLoss,
    PolicyGradientLoss,
    PPOClipLoss,
    SFTLoss,
    TurnPPOLoss,
    UnbiasedClipLoss,
    WeightedSFTLoss,
    loss_scales,
)
from tests.train.making import CPU, batch_of, episode, mean, random_episodes, samples_of

# Two episodes. The first has two turns of two tokens, each a segment; the second one turn of three.
SHIFTS = [[[0.5, 0.1], [-0.4, -0.2]], [[0.3, -0.1, 0.05]]]  # log-ratio of each token
CREDIT = [[2.0, -1.0], [-3.0]]  # advantage of each turn


def two_episodes() -> list[Episode]:
    return [episode([0.0, 1.0], tokens=2, split=True), episode([0.0], tokens=3)]


def two_batch() -> tuple[torch.Tensor, Batch]:
    episodes = two_episodes()
    batch = batch_of(episodes, per_turn(episodes, CREDIT))
    logprobs = batch.old_logprobs_BT.clone()
    for row, turn in ((0, SHIFTS[0][0]), (1, SHIFTS[0][1]), (2, SHIFTS[1][0])):
        logprobs[row, 3 : 3 + len(turn)] += torch.tensor(turn)
    return logprobs.requires_grad_(True), batch


def loss_of(loss_fn: Any, logprobs: torch.Tensor, batch: Batch) -> torch.Tensor:
    return mean(loss_fn(logprobs, batch)[0], batch)


def clip(ratio: float, advantage: float, low: float, high: float) -> float:
    return min(ratio * advantage, min(max(ratio, 1 - low), 1 + high) * advantage)


def mean_over(terms: Callable[[int, int, int], float]) -> float:
    """Minus the mean over an episode's tokens of terms(episode, turn, token), then over the two episodes."""
    total = 0.0
    for one, turns in enumerate(SHIFTS):
        count = sum(map(len, turns))
        total += sum(terms(one, t, j) for t, turn in enumerate(turns) for j in range(len(turn))) / count
    return -total / 2


def average(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def whole(one: int) -> float:
    return math.exp(average([shift for turn in SHIFTS[one] for shift in turn]))


def turnwise(one: int, t: int) -> float:
    return math.exp(average(SHIFTS[one][t]))


def lost(one: int) -> float:
    """Mean over an episode's tokens of |ratio * advantage| where the turn's ratio was clipped at 0.2."""
    terms = []
    for t, turn in enumerate(SHIFTS[one]):
        ratio, advantage = turnwise(one, t), CREDIT[one][t]
        clipped = clip(ratio, advantage, 0.2, 0.2) < ratio * advantage
        terms += [abs(ratio * advantage) if clipped else 0.0] * len(turn)
    return average(terms)


def lost_by_token(one: int) -> float:
    """The same where each token's own ratio was clipped."""
    terms = []
    for turn, advantage in zip(SHIFTS[one], CREDIT[one], strict=True):
        for shift in turn:
            free = math.exp(shift) * advantage
            terms.append(abs(free) if clip(math.exp(shift), advantage, 0.2, 0.2) < free else 0.0)
    return average(terms)


BY_HAND: dict[str, tuple[Any, float]] = {
    "sft": (SFTLoss(), mean_over(lambda e, t, j: -1 + SHIFTS[e][t][j])),
    "policy_gradient": (PolicyGradientLoss(), mean_over(lambda e, t, j: CREDIT[e][t] * (-1 + SHIFTS[e][t][j]))),
    "ppo_clip": (PPOClipLoss(), mean_over(lambda e, t, j: clip(math.exp(SHIFTS[e][t][j]), CREDIT[e][t], 0.2, 0.2))),
    "clip_higher": (
        PPOClipLoss(high=0.28),
        mean_over(lambda e, t, j: clip(math.exp(SHIFTS[e][t][j]), CREDIT[e][t], 0.2, 0.28)),
    ),
    "gspo": (GSPOLoss(0.02, 0.03), mean_over(lambda e, t, j: clip(whole(e), CREDIT[e][t], 0.02, 0.03))),
    "turn_ppo": (TurnPPOLoss(), mean_over(lambda e, t, j: clip(turnwise(e, t), CREDIT[e][t], 0.2, 0.2))),
    "st_ppo": (
        TurnPPOLoss(correct_bias=True),
        mean_over(lambda e, t, j: clip(turnwise(e, t), CREDIT[e][t], 0.2, 0.2) / (1 + lost(e))),
    ),
    "s_ppo": (
        UnbiasedClipLoss(),
        mean_over(lambda e, t, j: clip(math.exp(SHIFTS[e][t][j]), CREDIT[e][t], 0.2, 0.2) / (1 + lost_by_token(e))),
    ),
    "cispo": (
        CISPOLoss(high=0.28),
        mean_over(lambda e, t, j: min(math.exp(SHIFTS[e][t][j]), 1.28) * CREDIT[e][t] * (-1 + SHIFTS[e][t][j])),
    ),
}


def test_the_three_means_by_hand() -> None:
    """Episode 0 has two segments of two tokens, episode 1 one of three: 7 tokens in all; one is masked out below."""
    samples = samples_of(two_episodes(), per_turn(two_episodes(), CREDIT))
    assert loss_scales(samples, "episode") == pytest.approx([1 / 8, 1 / 8, 1 / 6])
    assert loss_scales(samples, "token") == pytest.approx([1 / 7] * 3)
    assert loss_scales(samples, "sum") == pytest.approx([1 / 2] * 3)
    assert loss_scales(samples, "constant", budget=10.0) == pytest.approx([1 / 20] * 3)
    samples[2].segment.loss_weight[-1] = 0.0
    assert loss_scales(samples, "episode") == pytest.approx([1 / 8, 1 / 8, 1 / 4])
    assert loss_scales(samples, "token") == pytest.approx([1 / 6] * 3)
    with pytest.raises(ConfigError, match="budget"):
        loss_scales(samples, "constant")


@pytest.mark.parametrize("name", BY_HAND)
def test_losses_by_hand(name: str) -> None:
    loss_fn, expected = BY_HAND[name]
    logprobs, batch = two_batch()
    loss, clipped = loss_fn(logprobs, batch)
    assert mean(loss, batch).item() == pytest.approx(expected, rel=1e-5)
    assert loss.shape == clipped.shape == logprobs.shape
    assert not (clipped * (1 - batch.sampled_BT)).any()


@pytest.mark.parametrize("name", BY_HAND)
@pytest.mark.parametrize("other", BY_HAND)
def test_no_two_losses_agree(name: str, other: str) -> None:
    losses = [loss_of(BY_HAND[each][0], *two_batch()).item() for each in (name, other)]
    assert (name == other) == (abs(losses[0] - losses[1]) < 1e-4)


def gradient(loss_fn: Any) -> tuple[torch.Tensor, Batch]:
    logprobs, batch = two_batch()
    loss_of(loss_fn, logprobs, batch).backward()
    assert logprobs.grad is not None
    return logprobs.grad, batch


def test_where_the_model_sampled_all_have_the_gradient_of_reinforce() -> None:
    _, batch = two_batch()
    for loss_fn in (
        PolicyGradientLoss(),
        PPOClipLoss(),
        GSPOLoss(),
        TurnPPOLoss(),
        TurnPPOLoss(correct_bias=True),
        UnbiasedClipLoss(),
        CISPOLoss(),
    ):
        logprobs = batch.old_logprobs_BT.clone().requires_grad_(True)
        loss_of(loss_fn, logprobs, batch).backward()
        assert torch.allclose(logprobs.grad, -batch.advantages_BT * batch.mask_BT * batch.scale_B[:, None])  # type: ignore[arg-type]


def test_the_clip_drops_a_gradient_that_cispo_keeps() -> None:
    """The first token rose by half with a positive advantage: PPO lets go of it, CISPO weighs it 1.28."""
    ppo, _ = gradient(PPOClipLoss())
    cispo, batch = gradient(CISPOLoss(high=0.28))
    assert ppo[0, 3] == 0
    assert cispo[0, 3].item() == pytest.approx(-1.28 * 2 * batch.scale_B[0].item())


def test_gspo_keeps_or_drops_a_sequence_whole() -> None:
    """The geometric mean of the first episode's ratios is 1: nothing is clipped, though two tokens moved far."""
    rows, batch = gradient(GSPOLoss(0.02, 0.03))
    assert (rows[batch.episode_B == 0][batch.mask_BT[batch.episode_B == 0] > 0] != 0).all()
    logprobs, batch = two_batch()
    _, clipped = GSPOLoss(0.02, 0.03)(logprobs, batch)
    assert not clipped[:2].any()
    tokens, _ = gradient(PPOClipLoss(0.02, 0.03))
    assert (tokens[0] == 0).any()


def test_the_gradient_of_gspo_is_that_of_the_sequence_form() -> None:
    episodes = two_episodes()
    batch = batch_of(episodes, per_turn(episodes, [[2.0, 2.0], [-3.0]]))  # one advantage an episode
    shift = torch.tensor(0.1)
    logprobs = (batch.old_logprobs_BT + shift * batch.sampled_BT * (1 - 2 * batch.episode_B[:, None])).requires_grad_(
        True
    )
    loss_of(GSPOLoss(0.5, 0.5), logprobs, batch).backward()
    other = logprobs.detach().clone().requires_grad_(True)
    loss = torch.tensor(0.0)
    for number, advantage in ((0, 2.0), (1, -3.0)):
        mask = (batch.episode_B == number)[:, None] * batch.sampled_BT
        mean = ((other - batch.old_logprobs_BT) * mask).sum() / mask.sum()
        loss = loss - torch.exp(mean) * advantage / 2
    loss.backward()
    assert torch.allclose(logprobs.grad, other.grad, atol=1e-6)  # type: ignore[arg-type]


def test_turns_share_their_ratio_and_their_fate() -> None:
    """Turn 1 of the first episode has the mean log-ratio 0.3: clipped as a whole, its second token too."""
    logprobs, batch = two_batch()
    assert TurnPPOLoss()(logprobs, batch)[1][0, 3:5].tolist() == [1, 1]
    assert PPOClipLoss()(logprobs, batch)[1][0, 3:5].tolist() == [1, 0]


def test_bias_correction_weakens_only_what_was_clipped() -> None:
    plain, batch = gradient(TurnPPOLoss())
    weak, _ = gradient(TurnPPOLoss(correct_bias=True))
    first, second = (batch.episode_B == number for number in (0, 1))
    assert torch.allclose(weak[first] * (1 + lost(0)), plain[first], atol=1e-6)
    assert lost(0) > 0
    assert lost(1) == 0
    assert torch.equal(weak[second], plain[second])


def pair_batch() -> tuple[torch.Tensor, Batch, list[list[float]]]:
    """Two pairs; gains of (better, worse) over the reference: (0.6, -0.2) and (0.1, 0.4)."""
    episodes = [episode([1.0], tokens=2), episode([0.0], tokens=4), episode([1.0], tokens=1), episode([0.0], tokens=3)]
    samples = []
    for number, made in enumerate(episodes):
        (segment,) = made.segments
        said = sum(segment.sampled_mask)
        segment.annotations[REFERENCE] = [-1.5 * mask for mask in segment.sampled_mask]
        samples.append(Sample(segment, None, 1 / (4 * said), number, number // 2, 1 - 2 * (number % 2)))
    batch = pad(samples, CPU)
    gains = [0.6, -0.2, 0.1, 0.4]
    logprobs = batch.ref_logprobs_BT.clone()  # type: ignore[union-attr]
    for row, gain in enumerate(gains):
        logprobs[row] += batch.sampled_BT[row] * gain / batch.sampled_BT[row].sum()
    return logprobs, batch, [gains[:2], gains[2:]]


def test_trajectory_dpo_by_hand() -> None:
    logprobs, batch, gains = pair_batch()
    beta = 0.5
    expected = average([math.log(1 + math.exp(-beta * (better - worse))) for better, worse in gains])
    assert loss_of(DPOLoss(beta), logprobs, batch).item() == pytest.approx(expected, rel=1e-5)
    with pytest.raises(ValueError, match="reference"):
        DPOLoss()(logprobs, replace(batch, ref_logprobs_BT=None))


def test_dpo_differs_from_cloning_the_better_one() -> None:
    logprobs, batch, _ = pair_batch()
    first, second = (logprobs.clone().requires_grad_(True) for _ in range(2))
    loss_of(DPOLoss(), first, batch).backward()
    loss_of(SFTLoss(), second, batch).backward()
    worse = (batch.sign_B < 0)[:, None] * batch.sampled_BT > 0
    assert (first.grad[worse] > 0).all()  # type: ignore[index]
    assert (second.grad[worse] < 0).all()  # type: ignore[index]


def total(
    loss_fn: Any, samples: list[Sample], shifts: dict[tuple[int, ...], torch.Tensor], tokens: int
) -> tuple[float, list[float]]:
    """The loss over micro-batches of at most `tokens` tokens, and the gradients at sampled tokens."""
    loss, grads = 0.0, []
    for batch in micro_batches(samples, tokens, CPU, loss_fn.unit):
        logprobs = batch.old_logprobs_BT.clone()
        for row, (ids, real) in enumerate(zip(batch.ids_BT, batch.attention_mask_BT, strict=True)):
            own = tuple(ids[real > 0].tolist())
            logprobs[row, : len(own)] += shifts[own]
        logprobs = (logprobs * batch.sampled_BT).requires_grad_(True)
        part = loss_of(loss_fn, logprobs, batch)
        part.backward()
        loss += part.item()
        assert logprobs.grad is not None
        grads += logprobs.grad[batch.sampled_BT > 0].tolist()
    return loss, sorted(grads)


@pytest.mark.parametrize("loss_fn", [each for each, _ in BY_HAND.values()], ids=list(BY_HAND))
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 500), tokens=st.integers(1, 200))
def test_cutting_padding_and_order_leave_every_loss_alone(loss_fn: Any, seed: int, tokens: int) -> None:
    episodes = random_episodes(seed, 6)
    rng = np.random.default_rng(seed)
    shifts = {}
    for made in episodes:
        for segment in made.segments:
            segment.token_ids[0] = int(rng.integers(10**6))  # segments are told apart by their tokens
            shifts[tuple(segment.token_ids)] = torch.from_numpy(0.5 * rng.normal(size=len(segment))).float()
    samples = samples_of(episodes, per_turn(episodes, [rng.normal(size=len(made.turns)).tolist() for made in episodes]))
    loss, grads = total(loss_fn, samples, shifts, 10**6)
    other, others = total(loss_fn, [samples[place] for place in rng.permutation(len(samples))], shifts, tokens)
    assert other == pytest.approx(loss, abs=1e-5)
    assert others == pytest.approx(grads, abs=1e-5)


@pytest.mark.parametrize("name", BY_HAND)
def test_perturbing_masked_tokens_leaves_the_loss_unchanged(name: str) -> None:
    loss_fn, _ = BY_HAND[name]
    logprobs, batch = two_batch()
    before, clipped_before = loss_fn(logprobs, batch)
    noise = torch.randn(logprobs.shape, generator=torch.Generator().manual_seed(0)) * (1 - batch.sampled_BT)
    changed = replace(
        batch,
        old_logprobs_BT=batch.old_logprobs_BT + noise,
        advantages_BT=batch.advantages_BT + noise,
        ids_BT=batch.ids_BT + 5,
    )
    after, clipped_after = loss_fn(logprobs + 3 * noise, changed)
    assert mean(after, changed).item() == pytest.approx(mean(before, batch).item(), abs=1e-6)
    assert torch.equal(clipped_after * batch.mask_BT, clipped_before * batch.mask_BT)


def test_weighted_likelihood_weighs_what_likelihood_does_not() -> None:
    logprobs, batch = two_batch()
    weighted = loss_of(WeightedSFTLoss(), logprobs, batch)
    assert weighted.item() == pytest.approx(BY_HAND["policy_gradient"][1], rel=1e-5)
    assert weighted.item() != pytest.approx(BY_HAND["sft"][1])
    ones = loss_of(WeightedSFTLoss(), logprobs, replace(batch, advantages_BT=batch.sampled_BT))
    assert ones.item() == pytest.approx(BY_HAND["sft"][1], rel=1e-5)


@pytest.mark.parametrize(
    "make",
    [
        lambda: PPOClipLoss(low=0),
        lambda: PPOClipLoss(low=1.5),
        lambda: GSPOLoss(high=-1),
        lambda: CISPOLoss(high=float("inf")),
        lambda: TurnPPOLoss(low=float("nan")),
        lambda: DPOLoss(beta=0),
    ],
)
def test_options_without_meaning_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(ConfigError):
        make()


def test_what_the_trainer_asks_is_answered() -> None:
    for loss_fn in LOSSES.values():
        assert loss_fn.unit in ("segment", "episode", "pair")
        assert not (loss_fn.on_policy and loss_fn.uses_ratio)
    assert [name for name, each in LOSSES.items() if each.needs_reference] == ["negative_imitation", "dpo"]


def test_the_gradient_of_reinforce_is_that_of_the_expected_return() -> None:
    """Two arms of equal chance: 1.0 for eight tokens, 0.5 for one. The first is to become likelier."""
    arms = [episode([1.0], tokens=8), episode([0.5], tokens=1)]
    credit = per_turn(arms, [[1.0], [0.5]])
    batch = batch_of(arms, credit)
    said = batch.sampled_BT.argmax(1)  # the arm is chosen by the first token; the others have no choice
    found = {}
    for how in ("sum", "episode"):
        preference = torch.zeros((), requires_grad=True)
        logprobs = torch.zeros_like(batch.mask_BT)
        chances = torch.nn.functional.logsigmoid(torch.stack([preference, -preference]))
        logprobs = logprobs.scatter(1, said[:, None], chances[:, None])
        scales = loss_scales(samples_of(arms, credit), how)  # type: ignore[arg-type]
        loss, _ = PolicyGradientLoss()(logprobs, batch)
        (loss * batch.mask_BT * torch.tensor(scales)[:, None]).sum().backward()
        assert preference.grad is not None
        found[how] = -preference.grad.item()
    assert found["sum"] == pytest.approx(0.125)  # p (1 - p) (1.0 - 0.5), by hand
    assert found["episode"] == pytest.approx(-0.09375)  # the wrong sign
    for name in ("reinforce", "rloo"):
        assert load_recipe(name).update.loss_aggregation == "sum"


# Failed steps


def test_failed_steps_are_pushed_below_the_reference_and_others_clipped() -> None:
    """-gamma log sigmoid(log p_reference - log p) where the advantage is below 0, the clip elsewhere."""
    logprobs, batch = two_batch()
    away = replace(batch, ref_logprobs_BT=batch.old_logprobs_BT + 0.7)
    gamma = 0.3

    def term(one: int, turn: int, token: int) -> float:
        shift, advantage = SHIFTS[one][turn][token], CREDIT[one][turn]
        if advantage >= 0:
            return clip(math.exp(shift), advantage, 0.2, 0.2)
        return gamma * math.log(1 / (1 + math.exp(shift - 0.7)))

    term_loss = NegativeImitationLoss(gamma=gamma)
    assert loss_of(term_loss, logprobs, away).item() == pytest.approx(mean_over(term), rel=1e-5)
    _, clipped = term_loss(logprobs, away)
    assert not clipped[batch.advantages_BT < 0].any()
    loss_of(term_loss, logprobs, away).backward()
    failed = batch.advantages_BT < 0
    assert logprobs.grad is not None
    assert (logprobs.grad[failed] > 0).all(), "descent makes failed tokens less likely"
    assert torch.equal(
        PPOClipLoss()(logprobs, batch)[0][batch.advantages_BT > 0],
        term_loss(logprobs, away)[0][batch.advantages_BT > 0],
    )


def test_the_push_fades_as_a_failed_token_becomes_unlikely_and_is_blind_to_how_bad_it_was() -> None:
    pushes = []
    for advantage, shift in ((-1.0, 0.0), (-9.0, 0.0), (-1.0, -4.0)):
        episodes = [episode([0.0], tokens=1)]
        batch = batch_of(episodes, per_turn(episodes, [[advantage]]))
        logprobs = (batch.old_logprobs_BT + shift).requires_grad_(True)
        away = replace(batch, ref_logprobs_BT=batch.old_logprobs_BT)
        NegativeImitationLoss(gamma=1.0)(logprobs, away)[0][batch.sampled_BT > 0].sum().backward()
        assert logprobs.grad is not None
        pushes.append(float(logprobs.grad[batch.sampled_BT > 0]))
    assert pushes[0] == pushes[1] == pytest.approx(0.5)
    assert pushes[2] == pytest.approx(1 / (1 + math.exp(4)))


def test_negative_imitation_asks_for_a_reference_and_a_weight() -> None:
    logprobs, batch = two_batch()
    with pytest.raises(ValueError, match="reference"):
        NegativeImitationLoss()(logprobs, replace(batch, ref_logprobs_BT=None))
    with pytest.raises(ConfigError, match="or use ppo_clip"):
        NegativeImitationLoss(gamma=0.0)
    assert load_recipe("seagent").needs_reference
