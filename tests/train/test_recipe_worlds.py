"""Recipes on other worlds than the one they were written for: each learns there, and what does not fit is refused."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from agentgym.cli import run
from agentgym.conformance.env_under_test import fixture
from agentgym.core import AgentGymError
from agentgym.envs import CARDS
from agentgym.train import read_recipe, recipe_names, recipe_table, run_recipe
from agentgym.train.opponents import SelfPlayOpponent

WORLDS = ("Household-v1", "TextCraft-v1", "CraftTree-v0", "WebShop-v1", "WikiNav-v0", "Sokoban-v0", "KuhnPoker-v0")
READY = {
    "household": "Household-v1", "textcraft": "TextCraft-v1", "craft_tree": "CraftTree-v0", "webshop": "WebShop-v1",
    "wiki_nav": "WikiNav-v0", "sokoban": "Sokoban-v0", "kuhn": "KuhnPoker-v0",
}  # fmt: skip
# Episodes branch off; answers or hints are read; one player is served, or pays through a wrapper.
NO_GAMES = (
    "agent_rlvr", "arpo", "era", "hi_agent", "igpo", "igpo_search", "pae", "plan_and_act", "record_grpo", "seagent",
)  # fmt: skip
OF_SEARCHES = ("reseek", "deep_dxsearch", "ssrl")  # they read reward terms of SearchQA; see test_recipe_searches.py
ENGINES = ("BabyAI-v0", "ScienceWorld-v0", "TextWorld-v0")
OTHERS = {
    "ALFWorld-v0": "alfworld",
    "Jericho-v0": "jericho",
    "TextWorldExpress-v0": "textworld_express",
}  # two with files of the user
OF_ENGINES = ("scaling_inter", "epo", "agentevol")
QUICK = ("Sokoban-v0", "KuhnPoker-v0")
ELSEWHERE = ("arpo", "dapo", "igpo", "ppo", "scaling_inter", "spa", "success_replay", "trajectory_dpo")
LITTLE: dict[str, Any] = {
    "model.tiny.layers": 1,
    "model.tiny.width": 32,
    "clone.episodes": 8,
    "clone.batch": 4,
    "rollout.groups": 2,
    "rollout.group_size": 2,
    "update.updates": 2,
    "update.learning_rate": 1e-3,
    "callback": [{"name": "evaluate", "every": 2, "tasks": 2}],
}


def learned(recipe: str, folder: Path, changes: dict[str, Any]) -> list[dict[str, Any]]:
    """The rounds of a recipe in little; what was played has been read without a failure of the world."""
    trainer = run_recipe(recipe_table(recipe, {**LITTLE, **changes}), folder)
    lines = [json.loads(line) for line in (folder / "episodes.jsonl").read_text(encoding="utf8").splitlines()]
    assert lines
    assert "failure" not in {line["stop"] for line in lines}
    return trainer.history


@pytest.mark.parametrize(
    "world", [pytest.param(world, marks=() if world in QUICK else pytest.mark.full) for world in WORLDS]
)
def test_a_recipe_plays_and_learns_in_every_family(world: str, tmp_path: Path) -> None:
    first, last = learned("gigpo", tmp_path, {"world.id": world})
    assert first["episodes"] == last["episodes"] == 4 * (1 + (world == "KuhnPoker-v0"))
    assert last["turns"] > 0
    assert "eval_success" in last


@pytest.mark.parametrize("name", sorted(READY))
def test_a_ready_recipe_is_the_method_on_its_world(name: str) -> None:
    assert recipe_table(name) == recipe_table("gigpo", {"world.id": READY[name]})


@pytest.mark.full
@pytest.mark.parametrize("name", ELSEWHERE)
def test_methods_with_settings_of_their_own_learn_elsewhere_too(name: str, tmp_path: Path) -> None:
    fitted = {"scaling_inter": {"rollout.horizon": {"steps": [[0, 3], [1, 4]]}}, "arpo": {"rollout.group_size": 4}}
    assert len(learned(name, tmp_path, {"world.id": "TextCraft-v1", **fitted.get(name, {})})) == 2


def test_recipes_have_tables_for_worlds_of_engines() -> None:
    tables = {(name, world): recipe_table(name, {"world.id": world}) for name in OF_ENGINES for world in ENGINES}
    for table in tables.values():
        read_recipe(table)
    caps = {world: tables["scaling_inter", world]["rollout"]["horizon"]["steps"] for world in ENGINES}
    assert [[turns for _, turns in caps[world]] for world in ENGINES] == [[6, 13, 20], [10, 20, 30], [6, 8, 12]]
    teachers = {world: tables["epo", world]["clone"].get("teacher", "expert") for world in ENGINES}
    assert teachers == {"BabyAI-v0": "expert", "ScienceWorld-v0": "oracle", "TextWorld-v0": "oracle"}
    for world in ENGINES:
        assert [part["name"] for part in tables["epo", world]["regularizer"]] == ["entropy", "entropy_smoothing"]
        assert tables["epo", world]["regularizer"][1]["high"] == 2.0
        assert tables["agentevol", world]["rollout"]["group_size"] == 1


def test_recipes_have_tables_for_the_other_engines_too() -> None:
    tables = {(name, world): recipe_table(name, {"world.id": world}) for name in OF_ENGINES for world in OTHERS}
    files = {"ALFWorld-v0": {"games": "FOLDER"}, "Jericho-v0": {"story": "FILE"}}
    for name, world in tables:
        given = {f"world.env_kwargs.{key}": value for key, value in files.get(world, {}).items()}
        read_recipe(recipe_table(name, {"world.id": world, **given}))
    caps = {
        world: [turns for _, turns in tables["scaling_inter", world]["rollout"]["horizon"]["steps"]] for world in OTHERS
    }
    assert caps == {"ALFWorld-v0": [10, 20, 30], "Jericho-v0": [10, 20, 30], "TextWorldExpress-v0": [6, 12, 20]}
    teachers = {world: tables["epo", world]["clone"].get("teacher", "expert") for world in OTHERS}
    assert teachers == {"ALFWorld-v0": "expert", "Jericho-v0": "oracle", "TextWorldExpress-v0": "oracle"}
    for world in OTHERS:
        assert caps[world][-1] == tables["epo", world]["rollout"]["horizon"], (
            "the last cap is that of the other recipes"
        )
        assert tables["epo", world]["regularizer"][1]["high"] == 2.0
        assert tables["agentevol", world]["rollout"]["group_size"] == 1
        pays_for_parts = {
            part.get("threshold") for part in tables["agentevol", world]["filter"] if isinstance(part, dict)
        }
        assert (0.01 in pays_for_parts) == (world != "ALFWorld-v0")


@pytest.mark.full
@pytest.mark.parametrize("world", OTHERS)
def test_a_recipe_learns_in_the_other_engines(world: str, tmp_path: Path) -> None:
    if find_spec(OTHERS[world]) is None:
        pytest.skip(f'{OTHERS[world]} is not installed: run  pip install "agentgym-suite[worlds]"')
    card = next(card for card in CARDS if card.name == world)
    given = fixture(card, tmp_path / "files") if card.requires else {}
    changes = {"world.id": world, **{f"world.env_kwargs.{name}": value for name, value in given.items()}}
    changes["rollout.horizon"] = {"steps": [[0, 3], [1, 4]]}
    changes["callback"] = [{"name": "evaluate", "every": 2, "tasks": 1}]  # ALFWorld's little folder has one in val
    assert len(learned("scaling_inter", tmp_path / "run", changes)) == 2


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where games of TextWorld are kept, so that each is made once."""
    return tmp_path_factory.mktemp("games")


@pytest.mark.full
@pytest.mark.parametrize("world", ENGINES)
@pytest.mark.parametrize("name", OF_ENGINES)
def test_recipes_learn_in_worlds_of_engines(name: str, world: str, games: Path, tmp_path: Path) -> None:
    if world == "TextWorld-v0" and find_spec("textworld") is None:
        pytest.skip('textworld is not installed: run  pip install "agentgym-suite[worlds]"')
    changes: dict[str, Any] = {"world.id": world}
    if world == "TextWorld-v0":
        changes["world.env_kwargs.folder"] = str(games)
    if name == "scaling_inter":
        changes["rollout.horizon"] = {"steps": [[0, 3], [1, 4]]}
    if name == "agentevol":
        changes["update.steps"] = 2  # one of each group
    history = learned(name, tmp_path / "run", changes)
    assert len(history) == 2
    if name == "scaling_inter":
        assert [round(update["turns"]) for update in history] == [3, 4], "a clone of eight is cut off at the cap"


def test_loop_is_ready_for_office() -> None:
    assert recipe_table("loop_office") == recipe_table("loop", {"world.id": "Office-v0"})


def test_an_option_of_another_world_is_refused_in_one_line(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = [
        "train",
        "gigpo",
        "--world.id",
        "Household-v1",
        "--world.env_kwargs.size",
        "4",
        "--out",
        str(tmp_path / "run"),
    ]
    assert run(words) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert "unknown option of AgentGym/Household-v1 'size'" in said


def test_every_recipe_resolves_and_takes_another_world() -> None:
    assert set(READY) < set(recipe_names())
    for name in recipe_names():
        table = recipe_table(name, {"world.id": "Household-v1"})
        assert table["world"]["id"] == "Household-v1"
        own = {"size", "slippery", "frozen", "hops", "tiers", "results", "judge_action", "backend", "masks"}
        assert not own & set(table["world"].get("env_kwargs", {}))
        if name in OF_SEARCHES:
            continue
        if name == "mle":  # weighs turns by a duration that the world must tell
            with pytest.raises(AgentGymError, match="'duration', which no"):
                read_recipe(table)
            continue
        first, *beside = read_recipe(table).plans
        assert first.opponent is None
        assert len(beside) == len(table.get("mixture", []))
        game = recipe_table(name, {"world.id": "Hanabi-v0"})
        if "artifact" in table:
            with pytest.raises(AgentGymError, match=r"read by those in \[players\]"):
                read_recipe(game)
            continue
        if name in NO_GAMES:
            with pytest.raises(AgentGymError, match=r"several players|for worlds of one player"):
                read_recipe(game)
            continue
        played = read_recipe(game).plans[0]
        assert played.opponent == (None if "players" in game else SelfPlayOpponent())  # unless it says who plays


@pytest.mark.parametrize("game", [card.id for card in CARDS if card.api != "gymnasium"])
def test_a_method_takes_every_game_as_it_is(game: str) -> None:
    plan, beside = read_recipe(recipe_table("gigpo", {"world.id": game, "mixture": [{"id": "KuhnPoker-v0"}]})).plans
    assert plan.opponent == beside.opponent == SelfPlayOpponent()


def test_every_player_of_a_game_learns_where_nobody_was_named(tmp_path: Path) -> None:
    (first, _) = learned("gigpo", tmp_path, {"world.id": "TicTacToe-v0"})
    assert first["episodes"] == 2 * 4
    lines = [json.loads(line) for line in (tmp_path / "episodes.jsonl").read_text(encoding="utf8").splitlines()]
    assert {line["player"] for line in lines} == {"player_0", "player_1"}


def test_an_unknown_world_is_refused_before_the_folder_of_the_run_is_made(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name, meant in (("Houshold-v0", "Household-v1"), ("AgentGym/KuhnPokr-v0", "AgentGym/KuhnPoker-v0")):
        assert run(["train", "gigpo", "--world.id", name, "--out", str(tmp_path / "run")]) == 2
        said = capfd.readouterr().err
        assert said.count("\n") == 1
        assert f"unknown environment {name!r}; did you mean {meant!r}?" in said
        assert list(tmp_path.iterdir()) == []
