"""A run from a recipe: what is left when it is over, or cannot be begun."""

from __future__ import annotations

import gc
import os
import weakref
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra `train` is not installed")

from agentgym.core import DataError
from agentgym.train import recipe_table, run_recipe
from tests.processes import children, ends

LITTLE: dict[str, Any] = {
    "world.id": "FrozenLake-v0",
    "model.tiny": {"layers": 1, "width": 32, "heads": 2, "vocabulary": 300},
    "clone.episodes": 2, "clone.epochs": 1,
    "rollout.groups": 1, "rollout.group_size": 2, "rollout.horizon": 2, "rollout.workers": {"processes": 1},
    "update.updates": 1, "update.steps": 1, "update.epochs": 2, "callback": [],
}  # fmt: skip


def left_running(before: list[int]) -> list[int]:
    """The processes that were started since and have not ended."""
    return [pid for pid in children(os.getpid()) if pid not in before and not ends(pid, 2.0)]


def test_a_run_that_is_over_has_closed_its_worlds_and_is_kept_by_nothing() -> None:
    before = children(os.getpid())
    trainer = run_recipe(recipe_table("grpo", LITTLE))
    assert trainer.update == 1
    assert left_running(before) == []
    parts = (trainer, trainer.engine, trainer.engine.model, trainer.optimizer, trainer.world)
    kept = [weakref.ref(part) for part in parts]
    del trainer, parts
    gc.collect()
    assert [part() for part in kept] == [None] * len(kept)


def test_a_run_that_cannot_be_begun_leaves_no_world_open(tmp_path: Path) -> None:
    table = {**recipe_table("grpo", LITTLE), "model": {"name": str(tmp_path / "nothing")}}
    before = children(os.getpid())
    with pytest.raises(DataError, match="is no model folder") as caught:
        run_recipe(table)
    assert left_running(before) == []
    del caught  # until now it held on to all that had been built
