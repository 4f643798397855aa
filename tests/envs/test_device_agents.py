"""Agents of two policies on the phone: what is learned from, and that the recipe runs there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the package starlette is not installed: pip install starlette")
from agentgym.train import read_lines, read_recipe, recipe_table, run_recipe
from tests.envs.browsing import needs_browser
from tests.train.making import by_turn, episode

PHONE = {"world.id": "Phone-v0"}


def test_a_subgoal_on_the_phone_is_worth_what_the_low_level_made_of_it_in_the_end() -> None:
    """The phone pays at the end alone: what went on from a better subgoal must be told from what went on otherwise."""
    (term,) = read_recipe(recipe_table("hi_agent", PHONE)).advantages
    won = episode([0.0, 0.0, 1.0], keys=["home", "clock", "alarm"], role="subgoal")
    lost = episode([0.0, 0.0, 0.0], keys=["home", "notes", "note"], role="subgoal")
    credit = term([won, lost])
    first = [by_turn(credit, made, place)[0] for place, made in enumerate((won, lost))]
    assert all(value == pytest.approx(1.0) for value in first[0])
    assert all(value == pytest.approx(-1.0) for value in first[1])
    assert not any(by_turn(credit, won, 0)[1]), "nobody else was there"


def test_seagent_pushes_no_step_of_a_success_on_the_desktop_away() -> None:
    """The desktop pays at the end alone, so no step before the last earns anything; it has helped all the same."""
    (term,) = read_recipe(recipe_table("seagent", {"world.id": "Desktop-v0"})).advantages
    won, lost = episode([0.0, 0.0, 2.0]), episode([0.0, 0.0, 0.0])
    credit = term([won, lost])
    assert all(value > 0 for turn in by_turn(credit, won, 0) for value in turn)
    assert all(value < 0 for turn in by_turn(credit, lost, 1) for value in turn)


@pytest.mark.full
@needs_browser
def test_hi_agent_branches_on_the_phone_and_both_policies_learn(tmp_path: Path) -> None:
    little: dict[str, Any] = {
        **PHONE, "model.tiny.layers": 1, "model.tiny.width": 32, "clone.episodes": 4, "clone.batch": 4,
        "rollout.groups": 2, "rollout.group_size": 4, "rollout.horizon": 3, "update.updates": 2, "callback": [],
    }  # fmt: skip
    trainer = run_recipe(recipe_table("hi_agent", little), tmp_path)
    plans = read_lines(tmp_path / "plans.jsonl")
    assert [plan["refused"] for plan in plans] == [""] * 4
    assert all(len(plan["steps"]) > 1 for plan in plans)
    for update in trainer.history:
        assert update["counters"]["Branching"]["branches"] > 0
        assert update["counters"]["GiGPOStep"]["turns_anchored"] > 0
        assert update["stops"]["failure"] == 0
        assert set(update["policies"]) == {"high", "low"}
        assert update["roles"]["subgoal"]["turns"] == update["roles"]["act"]["turns"]
    episodes = read_lines(tmp_path / "episodes.jsonl")
    assert {each["role"] for each in episodes} == {"subgoal", "act"}
