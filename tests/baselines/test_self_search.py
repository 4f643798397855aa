"""Self-search: the recipes of its arms, and an arm that is measured in little."""

from __future__ import annotations

from typing import Any

import pytest

from agentgym.baselines.self_search import measure, tables
from agentgym.core import UnknownName
from agentgym.reproduce import load_claim
from agentgym.train import read_recipe

WORLD = {"hops": [1], "kinds": ["bridge"], "results": 1, "budget": 3}
LITTLE: dict[str, Any] = {
    "model.tiny.layers": 1, "model.tiny.width": 32, "clone.episodes": 8, "clone.batch": 4, "rollout.groups": 2,
    "rollout.group_size": 2, "rollout.horizon": 4,
}  # fmt: skip


def test_the_clone_is_shown_the_engine_and_learns_on_its_memory() -> None:
    cloned, trained = tables(3, 24, WORLD, LITTLE)
    assert cloned["world"]["env_kwargs"] == {**WORLD, "backend": "bm25"}
    assert trained["world"]["env_kwargs"] == {**WORLD, "backend": "self"}
    assert cloned["model"] == trained["model"]
    assert (cloned["seed"], trained["seed"]) == (3, 3)
    recipe = read_recipe(trained)
    assert recipe.update.updates == 24
    assert [term.reward for term in recipe.advantages if term.reward] == ["format"]


def test_an_unknown_back_end_is_refused() -> None:
    with pytest.raises(UnknownName, match="back end"):
        measure(seed=0, backend="google", updates=0, world=WORLD, settings=LITTLE)


def test_the_arms_of_the_claims_are_what_the_papers_compare() -> None:
    arms = load_claim("ssrl").arms
    assert {name: arm.table["options"]["backend"] for name, arm in arms.items()} == {
        "clone, engine": "bm25", "self, memory": "self", "self, engine": "bm25",
    }  # fmt: skip
    judged = load_claim("reseek").arms
    told = {name: arm.table["world"]["env_kwargs"].get("judge_action", False) for name, arm in judged.items()}
    assert told == {"unjudged": False, "judged": True}
    branching = load_claim("arpo_branching").arms["branching"].table
    assert branching["rollout"]["strategy"] == {"name": "entropy_branching"}
    assert (branching["rollout"]["group_size"], branching["world"]["env_kwargs"]["hops"]) == (16, [2])
    for name in ("reseek", "arpo_branching"):
        for arm in load_claim(name).arms.values():
            read_recipe(arm.table)


@pytest.mark.full
def test_an_arm_is_measured() -> None:
    found = measure(seed=0, backend="bm25", updates=1, world=WORLD, settings=LITTLE, tests=4)
    assert set(found) == set(load_claim("ssrl").metrics)
    assert 0 <= found["success"] <= 1
    assert found["searches"] >= 0
