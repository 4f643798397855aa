"""Recipes of tools and searches learn, in little, each on its own world; what they count stands in the round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.train.test_recipe_worlds import learned

# Recipe, world, further changes, and what its parts must have counted.
PLAYED: dict[str, tuple[str, dict[str, Any], dict[str, tuple[str, ...]]]] = {
    "artist": ("Weather-v0", {"rollout.horizon": 4}, {"InvalidActionPenalty": ("turns_refused",)}),
    "reseek": ("SearchQA-v0", {}, {"StepRelative": ("judge",)}),
    "ssrl": ("SearchQA-v0", {}, {"StepRelative": ("format",)}),
    "deep_dxsearch": ("SearchQA-v0", {}, {"StepRelative": ("format", "retrieval")}),
    "mask_search": ("MaskedSpans-v0", {"clone.episodes": 4}, {}),
    "loop_todo": ("Todo-v0", {"rollout.horizon": 3, "clone.episodes": 4}, {}),
    "igpo_search": ("SearchQA-v0", {}, {}),
    "search_window": ("SearchQA-v0", {"rollout.horizon": 6}, {}),
    "ssp": ("SearchDuel-v0", {"rollout.horizon": 6}, {"InvalidActionPenalty": ("turns_refused",)}),
    "arpo": ("SearchQA-v0", {"rollout.group_size": 4}, {}),
    "grpo_roc": (
        "Weather-v0",
        {"rollout.horizon": 4, "rollout.group_size": 4, "filter": [{"name": "clean_resample", "keep": 2}]},
        {"CleanResample": ("episodes_dropped", "turns_refused", "turns_refused_kept")},
    ),
}


@pytest.mark.full
@pytest.mark.parametrize("name", PLAYED)
def test_a_recipe_learns_on_its_own_world(name: str, tmp_path: Path) -> None:
    world, changes, counted = PLAYED[name]
    first, last = learned(name, tmp_path / "run", {"world.id": world, **changes})
    assert (first["update"], last["update"]) == (0, 1)
    assert last["turns"] > 0
    assert "eval_success" in last
    for update in (first, last):
        for part, keys in counted.items():
            assert set(keys) <= set(update["counters"][part]), update.get("counters")
