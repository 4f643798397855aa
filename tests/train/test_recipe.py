"""Recipes: what they say is what is built, and what contradicts itself or has no effect is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentgym.core import AgentGymError
from agentgym.train import load_recipe, read_recipe, recipe_names, recipe_table
from agentgym.train.schedules import Schedule


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_that_ships_is_valid_and_cites_its_paper(name: str) -> None:
    recipe = load_recipe(name)
    assert recipe.method
    assert recipe.paper
    assert recipe.world.split == "train"


def test_a_recipe_is_built_as_written() -> None:
    recipe = load_recipe("grpo", {"update.steps": 4, "advantage.0.weight": 0.5, "rollout.horizon": {"steps": [[0, 3]]}})
    assert recipe.update.steps == 4
    assert recipe.advantages[0].weight == 0.5
    assert recipe.rollout.horizon == Schedule("steps", (3,), (0,))
    assert recipe.model.tiny is not None
    assert recipe.model.tiny.width == 128


def test_a_recipe_of_ones_own_is_read_from_a_file(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(
        '[world]\nid = "FrozenLake-v0"\n[model]\ntiny = { layers = 1, width = 32, heads = 2 }\n[clone]\nepisodes = 8\n'
    )
    recipe = load_recipe(own)
    assert recipe.loss is None
    assert recipe.clone is not None
    own.write_text("[world")
    with pytest.raises(AgentGymError, match="no TOML"):
        load_recipe(own)
    with pytest.raises(AgentGymError, match="cannot be read"):
        load_recipe(tmp_path / "other.toml")
    with pytest.raises(AgentGymError, match="did you mean 'grpo'"):
        load_recipe("grpoo")


STOP = {"name": "early_stop", "metric": "eval_success", "above": 0.9}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"update.stepz": 1}, "'stepz'; did you mean 'steps'"),
    ({"worlds": {}}, "table of a recipe 'worlds'"),
    ({"advantage.0.baselin": 1}, "'baselin'; did you mean 'baseline'"),
    ({"advantage.3.weight": 1}, "'3' is no entry from 0 to 0"),
    ({"advantage": {"name": "group_relative"}}, r"write \[\[advantage\]\]"),
    ({"loss.low": "a"}, "low must be a number, got 'a'"),
    ({"loss.name": "ppo_clib"}, "did you mean 'ppo_clip'"),
    ({"loss": {"low": 0.1}}, "loss must name one of"),
    ({"update.steps": 1}, "which are all 1 with one gradient step"),
    ({"loss": "policy_gradient"}, "one gradient step"),
    ({"update.steps": 64}, "exceeds rollout.groups"),
    ({"update.steps": 2.5}, "must be a whole number, got 2.5"),
    ({"update.updates": 0}, "at least 1"),
    ({"update.learning_rate": 0}, "learning_rate must be above 0"),
    ({"update.learning_rate": {"linear": [1e-3, 1e-3], "over": 3}}, "is a constant"),
    ({"update.learning_rate": {"linear": [1e-3], "over": 3}}, "needs \\[from, to\\]"),
    ({"update.learning_rate": {"line": [1e-3, 0], "over": 3}}, "must be a number, "),
    ({"update.loss_aggregation": "mean"}, "update.loss_aggregation"),
    ({"update.betas": [1.0, 0.9]}, "betas must be from 0 to below 1"),
    ({"update.betas": [0.9]}, "must be a list of 2 values"),
    ({"update.ref_sync_every": -1}, "ref_sync_every must be at least 0"),
    ({"update.ref_sync_every": 5}, "ref_sync_every has no effect: no part reads"),
    (
        {"update.ref_sync_every": 60, "regularizer": [{"name": "kl", "coefficient": 1}]},
        "only 60 updates: the reference would never be renewed",
    ),
    ({"rollout.group_size": 1}, "group_size above 1"),
    ({"rollout.temperature": 0}, "temperature must stay above 0"),
    ({"rollout.horizon": {"steps": [[0, 5], [70, 6]]}}, "only 60 updates"),
    ({"rollout.horizon": {"steps": [[3, 5]]}}, "begin at update 0"),
    ({"rollout.horizon": 2.5}, "whole number of turns"),
    ({"rollout.refill": 2}, "no effect without a filter that drops groups"),
    ({"rollout.strategy": "branchy"}, "rollout.strategy"),
    ({"model.name": "x", "model.tiny.layers": 1}, "and not both"),
    ({"model": {}}, "either name"),
    ({"model.bf16": 1}, "must be true or false"),
    ({"model.bf16": True}, "bf16 has no effect on a tiny model"),
    ({"rollout.strategy": {"name": "attempts", "attempts": 9}}, "no room for 9 attempts"),
    ({"rollout.strategy": {"name": "tree", "depths": [1, 2], "width": 3}}, "has 9 leaves"),
    ({"rollout.strategy": {"name": "branching", "every": 2, "reach": 1}}, "cannot be compared"),
    ({"rollout.strategy": {"name": "branching", "every": 2, "share": 0.9}}, "no effect in groups of 4"),
    ({"world.split": "test"}, "for evaluation"),
    ({"world.env_kwargs": {"split": "test"}}, "write world.split"),
    ({"world.wrappers": [{"name": "ReActt"}]}, "did you mean 'ReAct'"),
    ({"world.wrappers": ["ReAct"]}, "world.wrappers"),
    ({"rollout.workers": {"processes": 0}}, "processes must be at least 1"),
    ({"clone.noise": 2}, "from 0 to 1"),
    ({"advantage": []}, "needs at least one"),
    ({"advantage.0.weight": 0}, "with weight 0 has no effect"),
    ({"loss": "sft"}, "no effect with the loss"),
    ({"regularizer": [{"name": "kl", "coefficient": 0}]}, "with weight 0 has no effect"),
    ({"regularizer": [{"name": "kl"}]}, "needs the setting 'coefficient'"),
    ({"advantage": ["gae"]}, "needs one \\[\\[learner\\]\\]"),
    ({"callback": [{"name": "evaluate", "every": 99}]}, "it never happens"),
    ({"callback": [{"name": "evaluate", "specs": [3]}]}, "evaluate.specs must be a list of task specifications"),
    ({"callback": [{"name": "evaluate", "temperature": 0}]}, "evaluate.temperature must be above 0"),
    ({"callback": [{"name": "evaluate", "split": "test"}]}, "may not look at the test panel"),
    ({"callback": [{"name": "evaluate", "split": "vall"}]}, "unknown evaluate.split 'vall'; did you mean 'val'"),
    (
        {"world.env_kwargs": {}, "callback": [{"name": "evaluate", "tasks": 10**9}]},
        "evaluate.tasks is 1000000000, but the split 'val'",
    ),
    ({"callback": [{"name": "evaluate", "opponent": "random"}]}, "no world of the recipe is a game"),
    ({"callback": ["early_stop"]}, "never stops anything"),
    ({"callback": [STOP]}, "is added by the callback 'evaluate'; list one before 'early_stop'"),
    ({"callback": [STOP, {"name": "evaluate", "every": 20}]}, "list one before 'early_stop'"),
    ({"callback": ["budget"]}, "budget needs world_steps or tokens, at least 1"),
    ({"callback": [{"name": "budget", "tokens": 0}]}, "budget needs world_steps or tokens, at least 1"),
    ({"seed": "x"}, "seed must be a whole number"),
    ({"world.env_kwargs": 3}, "world.env_kwargs must be a table, got 3"),
    ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
    ({"method.x": 1}, "method is no table"),
]


@pytest.mark.parametrize(("changes", "complaint"), REFUSED, ids=[", ".join(changes) for changes, _ in REFUSED])
def test_what_makes_no_sense_is_refused_by_name(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(AgentGymError, match=complaint) as refused:
        load_recipe("grpo", changes)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["masked", "learning_rate"])
def test_settings_of_gradient_steps_need_a_loss(name: str) -> None:
    update = {"updates": 0, name: {"masked": ["cut"], "learning_rate": 1e-5}[name]}
    cloned = {each: recipe_table("grpo")[each] for each in ("world", "model", "clone")}
    with pytest.raises(AgentGymError, match=f"update.{name} has no effect without .loss."):
        read_recipe({**cloned, "update": update})
    editor = {"name": "function", "rule": "tests.train.test_artifacts:lessons"}
    text = {**cloned, "artifact": {"kind": "rules", "editor": editor}, "update": {**update, "updates": 3}}
    with pytest.raises(AgentGymError, match=f"update.{name} has no effect without .loss."):
        read_recipe(text)


def test_a_recipe_without_play_has_nothing_that_play_needs() -> None:
    table = {name: recipe_table("grpo")[name] for name in ("world", "model", "clone")}
    assert read_recipe(table).loss is None
    advice: list[dict[str, Any]] = [
        {"advantage": ["group_relative"]}, {"update": {"updates": 3}}, {"replay": "success"},
        {"rollout": {"groups": 3}}, {"callback": ["tensorboard"]}, {"checkpoint": {"every": 5}},
    ]  # fmt: skip
    for idle in advice:
        with pytest.raises(AgentGymError, match="has no effect without"):
            read_recipe({**table, **idle})
    with pytest.raises(AgentGymError, match="teaches nothing"):
        read_recipe({"world": table["world"], "model": {"name": "x"}})
    with pytest.raises(AgentGymError, match=r"needs the table \[model\]"):
        read_recipe({"world": table["world"]})
    with pytest.raises(AgentGymError, match="learns its words from demonstrations"):
        read_recipe({name: value for name, value in recipe_table("grpo").items() if name != "clone"})
