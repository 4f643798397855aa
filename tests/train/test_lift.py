"""Reinforcement learning lifts a cloned model on a real world, seed by seed."""

from __future__ import annotations

from typing import Any

import pytest

from agentgym.rollout import EnvPool
from agentgym.train import evaluate_policy, recipe_table, run_recipe

SEEDS = 3
TASKS = 128
LEAST_LIFT = 0.05  # the demo gains 0.18 to 0.33; a run that learns nothing stays within 0.04


def solved(trainer: Any) -> float:
    plan = trainer.recipe.world
    world = EnvPool(plan.id, split="test", **plan.env_kwargs)
    episodes = evaluate_policy(trainer.engine, world, range(TASKS), seed=99)
    return sum(episode.success for episode in episodes) / TASKS


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_grpo_lifts_the_clone_on_frozen_lake_over_three_seeds(tmp_path: Any) -> None:
    lifts = []
    for seed in range(SEEDS):
        clone_only = {key: recipe_table("grpo", {"seed": seed})[key] for key in ("world", "model", "clone", "seed")}
        before = run_recipe(clone_only, tmp_path / f"clone-{seed}")
        settings = {
            "seed": seed,
            "callback": [],
            "update.updates": 30,
            "update.learning_rate": {"linear": [1e-3, 0.0], "over": 30},
        }
        after = run_recipe(recipe_table("grpo", settings), begin=tmp_path / f"clone-{seed}" / "cloned")
        lifts.append(solved(after) - solved(before))
    assert min(lifts) > 0, lifts
    assert sum(lifts) / SEEDS > LEAST_LIFT, lifts
