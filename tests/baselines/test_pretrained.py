"""The study of a pretrained model: its order and plan, one part in little, what is gone on with, and what holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra `train` is not installed")
pytest.importorskip("peft", reason="the extra `train` is not installed")

from agentgym.baselines.pretrained.__main__ import main, study
from agentgym.baselines.pretrained.plan import cost, planned
from agentgym.baselines.pretrained.results import as_it_comes, lift, read, rows, verdicts
from agentgym.baselines.pretrained.study import (
    ARMS,
    SEEDS,
    TESTS,
    UNTRAINED,
    WORLDS,
    Part,
    measured,
    stages,
    table_of,
)
from agentgym.core import AgentGymError, catalog, full_id
from agentgym.evaluate import wilson
from agentgym.train import read_recipe
from tests.agents.pretrained import save_small
from tests.baselines.pretrained_records import made

RESULTS = Path(__file__).parents[2] / "baselines" / "results" / "pretrained"
LAKE = "FrozenLake-v0"


@pytest.fixture(scope="module")
def little(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A random model of width 32 in place of SmolLM2, and hardly anything to do for it."""
    weights = save_small(tmp_path_factory.mktemp("weights"))
    return {
        "model.name": str(weights), "model.max_new_tokens": 4, "model.lora": 2, "world.env_kwargs.max_turns": 2,
        "clone.episodes": 2, "clone.epochs": 1, "clone.batch": 2, "rollout.groups": 1, "rollout.group_size": 2,
        "update.updates": 1, "update.steps": 1, "update.epochs": 2, "checkpoint.every": 1,
    }  # fmt: skip


def test_worlds_are_of_five_families_and_every_part_has_a_recipe() -> None:
    assert len({catalog()[full_id(world)].kind for world in WORLDS}) == len(WORLDS) == 5
    for part in {part for _, parts in stages(list(WORLDS), 1) for part in parts}:
        if part.arm not in UNTRAINED:  # no recipe teaches nothing
            read_recipe(table_of(part))


def test_the_most_telling_part_comes_first_and_none_twice() -> None:
    found = stages(list(WORLDS), SEEDS)
    parts = [part for _, own in found for part in own]
    assert len(parts) == len(set(parts))
    first = next(iter(WORLDS))
    assert found[0][1] == [
        Part(first, "base"), Part(first, "asked"),
        *(Part(first, arm, seed) for seed in range(SEEDS) for arm in ("cloned", "grpo")),
    ]  # fmt: skip
    wanted = {
        Part(world, arm, seed) for world in WORLDS for arm in ("cloned", "grpo", "gigpo") for seed in range(SEEDS)
    }
    assert wanted < set(parts)
    assert {part.arm for part in parts} == set(ARMS)


def test_one_seed_of_everything_is_planned_within_two_and_a_half_hours() -> None:
    lines = planned(list(WORLDS), SEEDS)
    assert float(lines[0][-1]) <= 0.8, "the first stage is done soon"
    assert 2.0 <= float(lines[-2][-1]) <= 2.6
    assert sum(int(line[1]) for line in lines) == sum(len(parts) for _, parts in stages(list(WORLDS), SEEDS))
    assert cost(Part(LAKE, "grpo_all")).seconds > cost(Part(LAKE, "grpo")).seconds
    assert cost(Part(LAKE, "base")).learned == 0


def test_arms_of_a_seed_begin_with_one_clone_and_seeds_with_their_own() -> None:
    cloned = table_of(Part(LAKE, "cloned"))
    assert "loss" not in cloned
    for name in ("world", "model", "clone"):
        assert table_of(Part(LAKE, "grpo"))[name] == table_of(Part(LAKE, "gigpo"))[name] == cloned[name]
    assert cloned["seed"] != table_of(Part(LAKE, "cloned", 1))["seed"]
    assert table_of(Part(LAKE, "grpo_all"))["model"]["lora"] == 0


def test_a_part_is_measured_once_and_written_down(little: dict[str, Any], tmp_path: Path) -> None:
    out, runs = tmp_path / "out", tmp_path / "runs"
    for part in (Part(LAKE, "base"), Part(LAKE, "grpo")):
        assert measured(part, out, runs, 2, little)
        assert not measured(part, out, runs, 2, little)
    (record,) = read(out)
    assert list(record["arms"]) == ["base", "grpo"]
    entry = record["arms"]["grpo"]
    found = entry["seeds"]["0"]
    assert found["training"]["columns"] == ["update", "success", "return", "valid"]
    assert [point[0] for point in found["training"]["curve"]] == [1]
    assert found["success"]["value"] == sum(found["wins"]) / 2
    assert found["success"]["high"] == pytest.approx(wilson(found["success"]["value"], 2).high)
    assert len(found["transcripts"]) == 2
    assert found["transcripts"][0]["turns"][0]["seen"].startswith("Walk over the frozen lake")
    assert entry["recipe"]["world"]["env_kwargs"]["max_turns"] == 2
    assert "seed" not in entry["recipe"]
    assert {path.name.rpartition("-")[0] for path in runs.iterdir()} == {f"{LAKE}-cloned", f"{LAKE}-grpo"}
    clone_of = (next(runs.glob(f"{LAKE}-cloned-*")) / "cloned" / "manifest.json").stat().st_mtime_ns
    assert measured(Part(LAKE, "gigpo"), out, runs, 2, little)
    assert (next(runs.glob(f"{LAKE}-cloned-*")) / "cloned" / "manifest.json").stat().st_mtime_ns == clone_of
    assert measured(Part(LAKE, "grpo", 1), out, runs, 2, little)
    assert list(read(out)[0]["arms"]["grpo"]["seeds"]) == ["0", "1"]
    assert [row[1] for row in rows(read(out))] == [ARMS[arm].title for arm in ("base", "grpo", "gigpo")]
    changed = {**little, "update.learning_rate": 1e-3}
    assert measured(Part(LAKE, "grpo"), out, runs, 2, changed), "another recipe is another measurement"
    assert list(read(out)[0]["arms"]["grpo"]["seeds"]) == ["0"]
    assert not measured(Part(LAKE, "base"), out, runs, 2, changed), "which the model as it comes knows nothing of"


@pytest.mark.full
def test_a_game_is_played_from_every_place_and_all_weights_learn(little: dict[str, Any], tmp_path: Path) -> None:
    game = {**little, "world.env_kwargs": {}}
    assert measured(Part("TicTacToe-v0", "asked"), tmp_path, tmp_path / "runs", 4, game)
    (found,) = read(tmp_path)[0]["arms"]["asked"]["seeds"].values()
    assert (found["tasks"], found["episodes"]) == (2, 4)
    assert {each["player"] for each in found["transcripts"]} == {"player_0", "player_1"}
    whole = {**little, "model.lora": 0}
    assert measured(Part(LAKE, "grpo_all"), tmp_path, tmp_path / "runs", 2, whole)
    saved = {file.name for file in next((tmp_path / "runs").glob(f"{LAKE}-grpo_all-*")).glob("checkpoint-*/*")}
    assert "model.safetensors" in saved


def test_a_gain_is_counted_from_the_better_way_to_play_the_model_as_it_comes(tmp_path: Path) -> None:
    rates = {"base": [0.1], "asked": [0.3], "cloned": [0.5, 0.55, 0.6], "grpo": [0.6, 0.8, 0.75]}
    record = made(tmp_path, LAKE, rates)
    assert as_it_comes(record) == "asked"
    over = lift(record, "asked", "cloned")
    assert over is not None
    assert over.estimate.value == pytest.approx(0.25)
    assert over.least == pytest.approx(0.2)
    assert [round(each.value, 3) for each in over.by_seed] == [0.2, 0.25, 0.3]
    assert over.estimate.low < 0.25 < over.estimate.high
    beyond = lift(record, "cloned", "grpo")
    assert beyond is not None
    assert (round(beyond.least, 3), beyond.holds) == (0.1, False)
    assert lift(record, "cloned", "gigpo") is None
    assert all("over its clone" not in line for line in verdicts([record]))
    assert any("cloned, then GRPO, over the model as it comes" in line for line in verdicts([record]))


def test_a_gain_of_two_seeds_does_not_hold_yet(tmp_path: Path) -> None:
    record = made(tmp_path, LAKE, {"base": [0.0], "cloned": [0.9, 0.9]})
    assert verdicts([record]) == []
    assert verdicts([made(tmp_path, LAKE, {"base": [0.0], "cloned": [0.9, 0.9, 0.9]})]) != []
    assert verdicts([made(tmp_path, LAKE, {"base": [0.0], "cloned": [0.9, 0.9, 0.15]})]) == []


def test_tasks_in_which_the_world_failed_are_in_no_gain(tmp_path: Path) -> None:
    record = made(tmp_path, LAKE, {"base": [0.0], "cloned": [0.5]})
    record["arms"]["cloned"]["seeds"]["0"]["wins"][:25] = [None] * 25  # of the solved ones
    over = lift(record, "base", "cloned")
    assert over is not None
    assert over.estimate.value == over.least == pytest.approx(25 / 75)


def test_a_part_that_cannot_be_measured_keeps_nobody_from_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    asked = []

    def do(part: Part) -> bool:
        asked.append(part)
        if part.seed == 1:
            raise AgentGymError("no sandbox")
        return part.seed == 0

    parts = [Part(LAKE, "cloned", seed) for seed in range(3)]
    assert study(parts, do, None) == 1
    assert asked == parts
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith("minutes")
    assert said[1].endswith("seed 1: not measured: no sandbox")
    assert said[2].endswith("was measured")
    assert study(parts, do, 0.0) == 3
    assert asked == parts


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--worlds", "FrozenLak-v0"], "did you mean 'FrozenLake-v0'"),
        (["--only", "gripo"], "arm of the study"),
        (["--seeds", "0"], "--seeds must be at least 1"),
        ([], "--out is missing"),
    ],
)
def test_wrong_arguments_are_refused(words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert complaint in capsys.readouterr().err


def test_what_is_published_is_of_the_recipes_as_they_stand() -> None:
    assert {path.stem for path in RESULTS.glob("*.json")} <= set(WORLDS)
    for record in read(RESULTS):
        for arm, entry in record["arms"].items():
            recipe = {key: value for key, value in table_of(Part(record["world"], arm)).items() if key != "seed"}
            assert (entry["recipe"], entry["tests"]) == (json.loads(json.dumps(recipe)), TESTS)
            for found in entry["seeds"].values():
                known = [win for win in found["wins"] if win is not None]
                assert found["success"]["value"] == pytest.approx(sum(known) / len(known))
