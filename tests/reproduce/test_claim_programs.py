"""Claims about worlds in which programs are run: what they compare, and that a small pilot of each goes through."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentgym.reproduce import Claim, load_claim, reproduce
from agentgym.reproduce.metrics import tokens_before_call
from agentgym.train import load_recipe
from agentgym.train.recipe import read_recipe
from tests.envs.boxes import sandbox
from tests.train.making import episode

SMALL: dict[str, dict[str, Any]] = {
    "model": {"tiny": {"layers": 1, "width": 32, "heads": 2, "context": 2048, "vocabulary": 400}, "max_new_tokens": 24},
    "clone": {"episodes": 4, "batch": 2, "epochs": 1},
    "rollout": {"groups": 2, "group_size": 2, "horizon": 2},
    "update": {"updates": 1, "learning_rate": 1e-3},
}


def pilot(name: str) -> Claim:
    """A claim on a model that learns nothing, one update and one task."""
    claim = load_claim(name)
    arms = {}
    for arm in claim.arms.values():
        table = copy.deepcopy(dict(arm.table))
        for part, settings in SMALL.items():
            table[part] = {**table[part], **settings}
        table["world"]["env_kwargs"] = {**table["world"].get("env_kwargs", {}), "max_turns": 3}
        arms[arm.name] = replace(arm, table=table)
    return replace(claim, arms=arms, tasks=1)


@pytest.mark.parametrize(("name", "world"), [("aspo", "PythonMath-v0"), ("agent_rlvr", "RepoRepair-v0")])
def test_every_arm_is_a_recipe(name: str, world: str) -> None:
    recipes = [read_recipe(dict(arm.table)) for arm in load_claim(name).arms.values()]
    assert {recipe.world.id for recipe in recipes} == {world}
    assert all(recipe.loss is not None for recipe in recipes)


def test_arms_differ_in_what_is_claimed_alone() -> None:
    arms = load_claim("aspo").arms
    early, tool, alone = (dict(arms[name].table) for name in ("early", "tool", "alone"))
    assert {key for key in early if early[key] != tool[key]} == {"advantage"}
    assert {key for key in tool if tool[key] != alone[key]} == {"world"}
    assert alone["world"]["env_kwargs"] == {**tool["world"]["env_kwargs"], "tool": False}
    arms = load_claim("agent_rlvr").arms
    guided, attempts = dict(arms["guided"].table), dict(arms["attempts"].table)
    assert {key for key in guided if guided[key] != attempts[key]} == {"rollout"}
    assert load_recipe("open_agentrl").model.max_new_tokens >= 128, "programs fit into an answer"


def test_tokens_before_a_call_by_hand() -> None:
    call, final = '{"name": "python", "arguments": {}}', '{"name": "answer", "arguments": {}}'
    count = tokens_before_call
    assert count(episode([0.0, 0.0, 1.0], tokens=[5, 7, 3], said=["hm", call, final])) == 5
    assert count(episode([0.0, 1.0], tokens=[5, 7], said=[call, final])) == 0
    assert count(episode([0.0, 1.0], tokens=[5, 7], said=["hm", final])) is None, "the answer ends the episode"
    assert count(episode([0.0, 0.0], tokens=[5, 7], said=["hm", call], stop="truncated")) == 5


@pytest.mark.full
@pytest.mark.parametrize("name", ["aspo", "agent_rlvr"])
def test_a_pilot_goes_through(name: str, tmp_path: Path) -> None:
    """What a policy that can do nothing measures is nothing, but each figure is there, and the claim does not hold."""
    sandbox()
    claim = pilot(name)
    record = reproduce(claim, 2, tmp_path, command="a test", workers=1)
    for arm in record["arms"].values():
        for figures in arm["by_seed"]:
            assert {check.metric for check in claim.checks} <= figures.keys()
            assert figures["left_out"] == 0
    assert record["verdict"] != "holds"
    assert (tmp_path / f"{name}.json").is_file()
