"""Files of recipes: what a base gives, what a recipe says over it, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentgym.core import AgentGymError
from agentgym.train import recipe_names, recipe_table
from agentgym.train.recipe_files import merge

TABLES = {
    "method", "paper", "axis", "seed", "world", "model", "clone", "rollout", "filter", "learner", "advantage", "loss",
    "regularizer", "replay", "update", "checkpoint", "callback", "policies", "players", "records", "mixture",
    "artifact",
}  # fmt: skip


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_of_the_suite_resolves(name: str) -> None:
    table = recipe_table(name)
    assert set(table) <= TABLES
    assert {"method", "paper", "world", "model"} <= set(table)


def test_a_recipe_is_found_by_either_spelling_of_its_name() -> None:
    assert recipe_table("flow-grpo") == recipe_table("flow_grpo")
    with pytest.raises(AgentGymError, match="did you mean 'flow_grpo'"):
        recipe_table("flow-grop")


def test_tables_merge_key_by_key_and_lists_are_replaced() -> None:
    below = {"a": {"b": 1, "c": {"d": 2}}, "list": [1, 2], "text": "x"}
    above = {"a": {"c": {"e": 3}}, "list": [3], "text": {"y": 1}}
    assert merge(below, above) == {"a": {"b": 1, "c": {"d": 2, "e": 3}}, "list": [3], "text": {"y": 1}}
    assert below == {"a": {"b": 1, "c": {"d": 2}}, "list": [1, 2], "text": "x"}


def test_a_part_of_another_name_takes_no_options_of_the_one_below() -> None:
    below = {"loss": {"name": "ppo_clip", "high": 0.3}, "model": {"tiny": {"layers": 2}, "max_new_tokens": 3}}
    assert merge(below, {"loss": {"low": 0.1}})["loss"] == {"name": "ppo_clip", "high": 0.3, "low": 0.1}
    assert merge(below, {"loss": {"name": "cispo"}})["loss"] == {"name": "cispo"}
    assert merge(below, {"model": {"name": "own"}})["model"] == {"name": "own", "max_new_tokens": 3}
    assert merge({"model": {"name": "own"}}, below)["model"] == below["model"]


def test_a_base_is_a_recipe_a_base_of_the_suite_or_a_file_beside_the_one_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "shelf").mkdir()
    (tmp_path / "shelf" / "first.toml").write_text('base = "gigpo"\n[update]\nupdates = 7\n')
    (tmp_path / "second.toml").write_text('base = "shelf/first.toml"\nseed = 3\n')
    table = recipe_table(tmp_path / "second.toml", {"update.steps": 4})
    gigpo = recipe_table("gigpo")
    assert table == {**gigpo, "seed": 3, "update": {**gigpo["update"], "updates": 7, "steps": 4}}
    assert recipe_table("gigpo") == gigpo  # what was changed was a copy


@pytest.mark.parametrize(
    ("base", "complaint"),
    [
        ('"roundz"', "unknown base 'roundz'; did you mean 'rounds'"),
        ('"other.toml"', r"the base .*other\.toml cannot be read"),
        ('"mine.toml"', r"go in a circle: .*mine\.toml -> .*mine\.toml"),
        ('"back.toml"', r"go in a circle: .*mine\.toml -> .*back\.toml -> .*mine\.toml"),
        ("3", "must be the name or path of a recipe, got 3"),
    ],
)
def test_a_base_that_cannot_be_is_refused_in_one_line(tmp_path: Path, base: str, complaint: str) -> None:
    (tmp_path / "mine.toml").write_text(f"base = {base}\n")
    (tmp_path / "back.toml").write_text('base = "mine.toml"\n')
    with pytest.raises(AgentGymError, match=complaint) as refused:
        recipe_table(tmp_path / "mine.toml")
    assert "\n" not in str(refused.value)


def test_a_base_is_no_recipe() -> None:
    assert not {"tiny", "rounds"} & set(recipe_names())
    with pytest.raises(AgentGymError, match="unknown recipe 'rounds'"):
        recipe_table("rounds")


def test_entries_are_added_to_lists_of_a_recipe() -> None:
    stop, plain = {"name": "early_stop", "above": 0.9}, recipe_table("grpo")
    table = recipe_table("grpo", {"callback+": [stop, "tensorboard"], "filter+": ["drop_zero_variance"]})
    assert table["callback"] == [*plain["callback"], stop, "tensorboard"]
    assert table["filter"] == ["drop_zero_variance"], "a list that no file has begins empty"
    assert recipe_table("grpo", {"callback+": [stop], "callback": []})["callback"] == [stop]
    for key in ("update+", "update.updates+", "seed.x+"):
        with pytest.raises(AgentGymError, match=r"cannot be added to: .* is no list"):
            recipe_table("grpo", {"seed": 1, key: [1]})
    with pytest.raises(AgentGymError, match="must be a list of the entries to add"):
        recipe_table("grpo", {"callback+": stop})


# What counts in one world alone


def test_settings_of_a_world_count_there_alone(tmp_path: Path) -> None:
    lake, house = recipe_table("gigpo"), recipe_table("gigpo", {"world.id": "Household-v1"})
    assert lake["world"] == {"id": "FrozenLake-v0", "env_kwargs": {"size": 4, "slippery": False, "frozen": 0.8}}
    assert house["world"] == {"id": "Household-v1"}
    assert house["model"]["max_new_tokens"] > lake["model"]["max_new_tokens"]
    assert {key: lake[key] for key in ("advantage", "loss", "update")} == {
        key: house[key] for key in ("advantage", "loss", "update")
    }
    for name in ("AgentGym/Household-v1", "agentgym:AgentGym/Household-v1"):
        assert recipe_table("gigpo", {"world.id": name}) == {**house, "world": {"id": name}}
    assert recipe_table("gigpo", {"world.id": "Hangman-v0"})["model"]["max_new_tokens"] == 32


def test_a_recipe_goes_over_what_its_base_says_of_a_world_and_the_command_line_over_both(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        'base = "gigpo"\n[world]\nid = "Household-v1"\n[rollout]\ngroups = 5\nhorizon = 9\n'
        '[per_world."AgentGym/Household-v1"]\nrollout.groups = 6\nworld.env_kwargs = { rooms = 4 }\n'
    )
    table = recipe_table(own)
    assert (table["rollout"]["horizon"], table["rollout"]["groups"]) == (9, 6)
    assert table["model"] == recipe_table("household")["model"]
    changed = recipe_table(own, {"rollout.groups": 7, "world.env_kwargs.objects": 20})
    assert (changed["rollout"]["groups"], changed["world"]["env_kwargs"]) == (7, {"rooms": 4, "objects": 20})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            '[per_world."Househld-v0"]\nseed = 1',
            "unknown world in per_world 'Househld-v0'; did you mean .*Household-v1",
        ),
        ("[per_world]\nseed = 1", "must hold a table by id of a world"),
        ('[per_world."FrozenLake-v0".world]\nid = "Household-v1"', "cannot set world.id"),
    ],
)
def test_settings_of_no_world_are_refused_in_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "own.toml").write_text(f'base = "gigpo"\n{text}\n')
    with pytest.raises(AgentGymError, match=complaint) as refused:
        recipe_table(tmp_path / "own.toml")
    assert "\n" not in str(refused.value)


def test_overrides_stay_as_they_were_given() -> None:
    given = {"model": {"max_new_tokens": 4}, "model.name": "a/model"}
    recipe_table("grpo", given)
    assert given == {"model": {"max_new_tokens": 4}, "model.name": "a/model"}
