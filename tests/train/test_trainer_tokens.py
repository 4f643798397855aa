"""Which tokens an update learns from, over whose log-probabilities, and what it says of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.core import ConfigError, UnknownName
from agentgym.rollout import Episode
from agentgym.train import HuggingFaceEngine
from agentgym.train.batch import PROXIMAL, Sample, learned_weights, pad
from agentgym.train.losses import loss_scales
from agentgym.train.metrics import group_metrics
from agentgym.train.token_logprobs import token_logprobs
from tests.train.making import CPU, episode
from tests.train.test_trainer import ON_POLICY, cloned, trainer, weights

Make = Callable[..., HuggingFaceEngine]
KINDS = {"off_policy": {"off_policy": True}, "cut": {"finish_reason": "length"}, "refused": {"valid": False}}


@pytest.mark.parametrize("kind", KINDS)
def test_masked_turns_weigh_nothing_in_the_loss_and_in_its_mean(kind: str) -> None:
    made = episode([0.0, 1.0], tokens=[2, 3])
    made.turns[0] = replace(made.turns[0], **KINDS[kind])  # type: ignore[arg-type]
    (segment,) = made.segments
    masked = learned_weights(made, segment, [kind])
    first, second = segment.spans
    assert masked[first.start : first.end].tolist() == [0, 0]
    assert masked[second.start : second.end].tolist() == [1, 1, 1]
    for other in set(KINDS) - {kind}:
        assert learned_weights(made, segment, [other]).tolist() == segment.loss_weight
    sample = Sample(segment, loss_weight=masked)
    assert loss_scales([sample], "episode") == [pytest.approx(1 / 3)]
    assert pad([sample], CPU).mask_BT.sum() == 3
    assert pad([sample], CPU).sampled_BT.sum() == 5  # who said it does not change


def constrained(engine: HuggingFaceEngine, update: dict[str, Any]) -> torch.Tensor:
    """Weights after an update whose episodes were all said under a constraint."""
    taught = trainer(engine, update={"updates": 1, "steps": 1, **update}, **ON_POLICY)
    play = taught._play

    def under_constraint(starts: Sequence[Any]) -> list[Episode]:
        played = play(starts)
        for one in played:
            one.turns = [replace(turn, off_policy=True) for turn in one.turns]
        return played

    taught._play = under_constraint  # type: ignore[method-assign]
    taught.train()
    return weights(engine)


def test_what_was_said_under_a_constraint_is_not_learned_from_unless_asked(make_engine: Make) -> None:
    before = weights(cloned(make_engine, 0.5, 4))
    assert torch.equal(constrained(cloned(make_engine, 0.5, 4), {}), before)
    assert not torch.equal(constrained(cloned(make_engine, 0.5, 4), {"masked": ()}), before)


def test_the_first_step_says_how_far_sampler_and_trainer_are_apart(make_engine: Make) -> None:
    plain = trainer(cloned(make_engine, 0.5, 4)).train()
    assert all(0 <= each["mismatch"] < 1e-5 for each in plain)

    taught = trainer(cloned(make_engine, 0.5, 4), update={"updates": 1})
    drift(taught, -0.25)
    (apart,) = taught.train()
    assert apart["mismatch"] == pytest.approx(0.25, abs=1e-5)


def drift(taught: Any, nats: float) -> None:
    """Let every log-probability be noted wrongly, as by a sampler whose arithmetic differs."""
    play = taught._play

    def elsewhere(starts: Sequence[Any]) -> list[Episode]:
        played: list[Episode] = play(starts)
        for segment in (segment for one in played for segment in one.segments):
            assert segment.logprobs is not None
            segment.logprobs = [
                logprob + nats * said for logprob, said in zip(segment.logprobs, segment.sampled_mask, strict=True)
            ]
        return played

    taught._play = elsewhere


def test_recomputed_log_probabilities_undo_a_sampler_that_differs(make_engine: Make) -> None:
    """With them an update is the same whatever the sampler noted; without them the clip takes gradients away."""
    update = {"updates": 1, "steps": 2}
    found = {}
    for name, nats, more in (
        ("exact", 0.0, {}),
        ("apart", -0.25, {}),
        ("recomputed", -0.25, {"recompute_logprobs": True}),
    ):
        engine = cloned(make_engine, 0.5, 4)
        taught = trainer(engine, update={**update, **more})
        drift(taught, nats)
        taught.train()
        found[name] = weights(engine)
    assert torch.allclose(found["recomputed"], found["exact"], atol=1e-5)
    assert not torch.allclose(found["apart"], found["exact"], atol=1e-5)


def test_importance_is_the_ratio_of_the_two_cut_off(make_engine: Make) -> None:
    engine, made = make_engine(), episode([1.0], tokens=3)
    (segment,) = made.segments
    segment.token_ids = [token % 50 for token in segment.token_ids]
    assert segment.logprobs is not None
    segment.annotations[PROXIMAL] = [
        said * value for said, value in zip(segment.sampled_mask, [0, 0, 0, -1.0, -0.5, 2.0], strict=True)
    ]
    batch = pad([Sample(segment)], CPU, importance_cap=2.0)
    assert batch.importance_BT[0, 3:].tolist() == pytest.approx([1.0, np.exp(0.5), 2.0])
    assert batch.importance_BT[0, :3].tolist() == [1, 1, 1]
    assert batch.old_logprobs_BT[0, 3:].tolist() == [-1.0, -0.5, 2.0]
    assert batch.sampler_logprobs_BT[0, 3:].tolist() == [-1.0, -1.0, -1.0]
    assert pad([Sample(segment)], CPU).importance_BT.unique().tolist() == [1]
    assert token_logprobs(engine.model, batch, 1.0)[0].shape == (1, 6)


def test_importance_reaches_the_loss(make_engine: Make) -> None:
    norms = {}
    for cap in (1.0, 0.5):  # the sampler agrees, so the ratio is 1 and a cap of a half halves every gradient
        engine = cloned(make_engine, 0.5, 4)
        update = {"updates": 1, "steps": 1, "epochs": 2, "recompute_logprobs": True, "importance_cap": cap}
        taught = trainer(engine, update={**update, "learning_rate": 1e-9, "max_grad_norm": 100.0})
        norms[cap] = taught.train()[0]["grad_norm"]
    assert norms[0.5] == pytest.approx(norms[1.0] / 2, rel=1e-3)


def test_a_loss_without_ratios_is_corrected_for_another_sampler_by_weights(make_engine: Make) -> None:
    """The gradient of REINFORCE is halved where the sampler is said to have been e^0.7 = 2 times as sure of a token."""
    norms = {}
    for nats in (0.0, float(np.log(2))):
        engine = cloned(make_engine, 0.5, 4)
        update = {"updates": 1, "steps": 1, "recompute_logprobs": True, "importance_cap": 2.0}
        taught = trainer(engine, update={**update, "learning_rate": 1e-9, "max_grad_norm": 100.0}, **ON_POLICY)
        drift(taught, nats)
        norms[nats > 0] = taught.train()[0]["grad_norm"]
    assert norms[True] == pytest.approx(norms[False] / 2, rel=1e-3)


def test_a_segment_without_advantage_stays_in_the_ratio_of_its_episode(make_engine: Make) -> None:
    made = episode([0.0, 1.0], split=True)
    for loss, rows in (("gspo", 2), ("ppo_clip", 1)):
        taught = trainer(make_engine(), loss=loss)
        silent, taught_by = (np.zeros(len(segment)) for segment in made.segments)
        taught_by[3:] = 1.0
        samples = [Sample(segment, row) for segment, row in zip(made.segments, (silent, taught_by), strict=True)]
        (batch,) = taught._micro_batches(samples, [0.5, 0.5])
        assert batch.ids_BT.shape[0] == rows


def test_roles_are_dead_by_themselves() -> None:
    """The planner's episodes earned the same, the worker's did not: one of the two groups is dead."""
    played = [episode([1.0], role="planner"), episode([1.0], role="planner")]
    played += [episode([1.0], role="worker"), episode([0.0], role="worker")]
    found = group_metrics(played, played)
    assert (found["groups"], found["dead_groups"], found["solved_groups"]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"update": {"importance_cap": 2.0}}, "importance_cap has no effect without update.recompute_logprobs"),
        ({"update": {"recompute_logprobs": True, "importance_cap": 0.0}}, "importance_cap must be above 0, got 0.0"),
        ({"update": {"masked": ["cutt"]}}, "unknown update.masked .cutt.; did you mean .cut."),
        (
            {"loss": "policy_gradient", "update": {"steps": 1, "recompute_logprobs": True}},
            "recompute_logprobs has no effect: the loss PolicyGradientLoss takes no ratio; set update.importance_cap",
        ),
        (
            {"loss": "sft", "advantage": [], "update": {"recompute_logprobs": True, "importance_cap": 2.0}},
            "recompute_logprobs has no effect: the loss SFTLoss takes no ratio$",
        ),
    ],
)
def test_settings_without_effect_are_refused(make_engine: Make, settings: dict[str, Any], message: str) -> None:
    with pytest.raises((ConfigError, UnknownName), match=message):
        trainer(make_engine(), **settings)
