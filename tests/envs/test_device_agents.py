"""Methods on phone and desktop: what is learned from, and that the recipes run there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the package starlette is not installed: pip install starlette")
from agentgym.rollout import Episode
from agentgym.train import read_lines, read_recipe, recipe_table, run_recipe
from tests.envs.browsing import needs_browser
from tests.train.making import by_turn, episode

PHONE = {"world.id": "Phone-v0"}


def test_a_subgoal_on_the_phone_is_worth_what_the_step_brought_at_once() -> None:
    """What becomes of the episode later says nothing of it: the other subgoals were tried in the same state."""
    recipe = read_recipe(recipe_table("hi_agent", PHONE))
    assert [each.func.term for each in recipe.world.wrappers] == ["progress"]
    (term,) = recipe.advantages
    nearer = episode([0.25, 0.0, 0.0], keys=["home", "clock", "clock 2"], role="subgoal")
    aside = episode([0.0, 0.25, 1.25], keys=["home", "notes", "note"], role="subgoal")
    credit = term([nearer, aside])
    first = [by_turn(credit, made, place)[0] for place, made in enumerate((nearer, aside))]
    assert all(value == pytest.approx(1.0) for value in first[0])
    assert all(value == pytest.approx(-1.0) for value in first[1])
    assert not any(by_turn(credit, nearer, 0)[1]), "nobody else was there"


def test_seagent_judges_each_step_on_the_desktop_by_itself() -> None:
    """What leads to the end is reinforced in a failure too; only what leads away is pushed away."""
    recipe = read_recipe(recipe_table("seagent", {"world.id": "Desktop-v0"}))
    assert [each.func.term for each in recipe.world.wrappers] == ["potential"]
    (term,) = recipe.advantages
    elsewhere, lost = episode([0.0, 0.0, 1.0]), episode([0.25, 0.25, -0.5, 0.0])
    alike = episode([0.25, 0.25, 0.25, 0.25], group=1)
    credit = term([elsewhere, lost, alike])

    def signs(made: Episode, place: int) -> list[float]:
        return [float(np.sign(turn[0])) for turn in by_turn(credit, made, place)]

    assert signs(elsewhere, 0) == [0, 0, 1], "another way to a success is no failure"
    assert signs(lost, 1) == [1, 1, -1, 0]
    assert {float(value) for turn in by_turn(credit, alike, 2) for value in turn} == {1.0}


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
