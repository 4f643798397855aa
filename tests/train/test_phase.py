"""A second loss between rounds: when it comes, what it learns from, and that a checkpoint holds what waits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.core import AgentGymError
from agentgym.rollout import EnvPool
from agentgym.train import Run, Trainer, load_recipe
from agentgym.train.batch import PROXIMAL, Sample, pad
from agentgym.train.checkpoint import newest, resume
from agentgym.train.phase import Between
from agentgym.train.replay import pack_episode, unpack_episode
from tests.rollout.worlds import ID
from tests.train.making import CPU, episode
from tests.train.methods import clumsy, small

SECOND: dict[str, Any] = {"every": 2, "steps": 2, "epochs": 2}


def weights(trainer: Trainer) -> list[torch.Tensor]:
    return [weight.detach().clone() for weight in trainer.engine.model.parameters()]


def test_it_comes_every_few_rounds_and_clones_their_successes() -> None:
    quiet = {"update__learning_rate": 1e-3, "update__updates": 4}
    plain = Trainer(small("grpo", **quiet), clumsy(), EnvPool(ID))
    both = Trainer(small("grpo", between=SECOND, **quiet), clumsy(), EnvPool(ID))
    first = [trainer.train_step() for trainer in (plain, both)]
    assert first[0]["loss"] == first[1]["loss"]
    assert all(torch.equal(a, b) for a, b in zip(weights(plain), weights(both), strict=True))
    waiting = len(both.between._waiting)
    assert waiting == round(first[1]["success"] * 64) > 0
    second = [trainer.train_step() for trainer in (plain, both)]
    assert second[1]["between"]["steps"] == 4
    assert second[1]["between"]["loss"] > 0
    assert "between" not in first[1]
    assert not any(torch.equal(a, b) for a, b in zip(weights(plain), weights(both), strict=True))
    assert both.between._waiting == []
    assert second[1]["counters"]["Successes"]["episodes_dropped"] > 0


def test_what_waits_is_in_the_checkpoint(tmp_path: Path) -> None:
    recipe = small("grpo", between=SECOND, update__updates=2, checkpoint__every=1, update__learning_rate=1e-3)
    whole = Trainer(recipe, clumsy(), EnvPool(ID), run=Run(tmp_path / "run", {}))
    whole.train_step()
    waiting = list(whole.between._waiting)
    rest = Trainer(recipe, clumsy(), EnvPool(ID))
    assert whole.run is not None
    latest = newest(whole.run, 1)
    assert latest is not None
    whole.close()
    resume(rest, latest)
    assert [each.task_id for each in rest.between._waiting] == [each.task_id for each in waiting]
    whole.saves = rest.saves = False
    whole.run = None
    whole.train_step()
    rest.train_step()
    assert all(torch.equal(a, b) for a, b in zip(weights(whole), weights(rest), strict=True))


def test_it_waits_and_is_taken_once() -> None:
    second = Between(2)
    second.wait([episode([1.0]), episode([0.0])], np.random.default_rng(0))
    assert second.take(0) == []
    assert [each.success for each in second.take(1)] == [True]
    assert second.take(3) == []


def test_what_waits_is_learned_from_as_it_was_said() -> None:
    second, made = Between(1), episode([1.0])
    made.segments[0].annotations[PROXIMAL] = [-0.3 * said for said in made.segments[0].sampled_mask]
    second.wait([made], np.random.default_rng(0))
    (waiting,) = second.take(0)
    assert waiting == unpack_episode(json.loads(json.dumps(pack_episode(made))))  # as a run that goes on has it
    weights = [pad([Sample(each.segments[0])], CPU, 2.0).importance_BT for each in (waiting, made)]
    assert (weights[0] == 1).all()
    assert weights[1].max() == 2  # what the round itself learns from is weighed as ever


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"every": 0}, "between.every must be above 0"),
        ({"every": 2, "loss": "ppo_clip"}, "use 'sft'"),
        ({"every": 2, "loss": "dpo"}, "use 'sft'"),
        ({"every": 99}, "it never comes"),
        ({"every": 2, "filters": ["success"]}, "did you mean 'successes'"),
        ({}, "needs the setting 'every'"),
        ({"every": 2, "filters": ["pairs"]}, "learn from single episodes"),
        ({"every": 2, "filters": [{"name": "clean_resample", "keep": 99}]}, "play more or keep less"),
    ],
)
def test_what_makes_no_sense_is_refused(table: dict[str, Any], complaint: str) -> None:
    with pytest.raises(AgentGymError, match=complaint):
        load_recipe("grpo", {"between": table})
