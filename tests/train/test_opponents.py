"""Who plays the others: earlier selves are kept, met, forgotten, and part of a checkpoint."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.core import AgentGymError
from agentgym.rollout import EnvPool, Role
from agentgym.train import HuggingFaceEngine, recipe_table, run_recipe
from agentgym.train.opponents import PolicyPool, ScriptedOpponent, SelfPlayOpponent, opponent_of
from agentgym.train.tasks import Listed
from tests.train.test_self_play import SMALL

PAST: dict[str, Any] = {
    **SMALL,
    "rollout.opponent": {"name": "policy_pool", "every": 2, "kept": 2},
    "rollout.tasks": {"name": "listed", "specs": [{"deals": ["JQ"]}, {"deals": ["KJ"]}]},
    "update.updates": 6,
    "callback": [],
    "checkpoint.every": 3,
}


def nudge(engine: HuggingFaceEngine) -> None:
    with torch.no_grad():
        for weight in engine.model.parameters():
            weight.add_(1.0)


def first_weight(engine: Any) -> torch.Tensor:
    weight: torch.Tensor = next(iter(engine.model.parameters()))
    return weight


def test_earlier_selves_are_kept_as_they_were_and_the_oldest_is_forgotten(make_engine: Any) -> None:
    world, past = EnvPool("KuhnPoker-v0", split="train", hands=4), PolicyPool(every=2, kept=2)
    engine = make_engine()
    began, met = first_weight(engine).clone(), set()
    for update in range(8):
        players = past.assign_policies(world, engine, update, 0)
        mine, other = world.players[update % 2], world.players[1 - update % 2]
        own, rival = players[mine], players[other]
        assert isinstance(own, Role)
        assert isinstance(rival, Role)
        assert own.policy is engine
        assert own.trainable
        assert not rival.trainable
        assert rival.policy.version in past.selves
        age = (first_weight(rival.policy) - began).mean().item()
        assert age == pytest.approx(rival.policy.version, abs=1e-3)  # as heavy as it was then
        met.add(rival.policy.version)
        nudge(engine)
    assert past.selves == (4, 6)
    assert len(met) > 2
    again = PolicyPool(every=2, kept=2)
    again.load(past.state())
    assert again.selves == past.selves


def test_a_run_against_earlier_selves_goes_on_to_the_same_numbers(tmp_path: Any) -> None:
    table = recipe_table("grpo", PAST)
    whole = run_recipe(table, tmp_path / "whole")
    assert whole.history[0]["episodes"] == 2 * 2  # one player learns
    assert whole.opponent.selves == (2, 4)
    shutil.copytree(tmp_path / "whole", tmp_path / "cut")
    for folder in (tmp_path / "cut").glob("checkpoint-000006"):
        shutil.rmtree(folder)
    resumed = run_recipe(table, tmp_path / "cut")
    assert resumed.opponent.selves == (2, 4)
    for name, weight in whole.engine.model.named_parameters():
        assert torch.equal(weight, dict(resumed.engine.model.named_parameters())[name])


def test_names_of_opponents() -> None:
    assert opponent_of("self_play") == SelfPlayOpponent()
    assert opponent_of("simple") == ScriptedOpponent("simple")
    assert opponent_of({"name": "policy_pool", "every": 3}) == PolicyPool(3)
    with pytest.raises(AgentGymError, match="at least 1"):
        PolicyPool(every=0)
    with pytest.raises(AgentGymError, match="only ever meet its first"):
        run_recipe(recipe_table("grpo", {**PAST, "rollout.opponent": {"name": "policy_pool", "every": 6}}))


def test_listed_tasks_are_played_and_shown(tmp_path: Any) -> None:
    run_recipe(recipe_table("grpo", {**PAST, "update.updates": 3}), tmp_path / "run")
    lines = (tmp_path / "run" / "episodes.jsonl").read_text(encoding="utf8")
    assert "over 1 hand " in lines
    assert "over 4 hands" not in lines
    listed = Listed(({"deals": ["JQ"]}, {"deals": ["KJ"]}))
    assert [listed.place(listed.name(place)) for place in (0, 1)] == [0, 1]
    with pytest.raises(AgentGymError, match="needs specs"):
        Listed(())
    with pytest.raises(AgentGymError, match="at most 1, got 0"):
        Listed(({"deals": ["JQ"]},), share=0.0)


def test_listed_tasks_may_be_a_share_beside_the_split() -> None:
    listed = Listed(({"deals": ["JQ"]}, {"deals": ["KJ"]}), share=0.75)
    drawn = listed.draw(np.random.default_rng(0), 4_000, 5)
    names = [listed.name(place) for place in drawn]
    assert [listed.place(name) for name in names] == drawn
    assert 0.72 < sum(isinstance(name, dict) for name in names) / 4_000 < 0.78
    assert {name for name in names if not isinstance(name, dict)} == set(range(5))
    assert listed.demonstrated(np.random.default_rng(0), 4_000, 5) == drawn


def test_a_teacher_may_be_a_scripted_opponent_in_games_only() -> None:
    with pytest.raises(AgentGymError, match="did you mean 'simple'"):
        run_recipe(recipe_table("grpo", {**SMALL, "clone.teacher": "simpel"}))
    with pytest.raises(AgentGymError, match="has one player"):
        run_recipe(recipe_table("grpo", {"clone.teacher": "simple"}))
