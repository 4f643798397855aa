"""The demo from end to end, small: every part runs, the figures are those of the run, nothing half-written is left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentgym.baselines.demo.__main__ import main
from agentgym.baselines.demo.lake import STAGES, Plan, steps, steps_done
from agentgym.baselines.demo.side_by_side import Seeds
from agentgym.core import AgentGymError, TaskError, fingerprint
from agentgym.rollout import EnvPool
from agentgym.train import load_engine, read_lines, recipe_table

pytestmark = pytest.mark.xdist_group("demo")  # one process, so that the demo that they look at runs once

SMALL_SETTINGS = {
    "callback": [],
    "model.tiny": {"layers": 1, "width": 32, "heads": 2, "vocabulary": 512},
    "clone.episodes": 48,
    "clone.batch": 8,
    "rollout.groups": 2,
    "rollout.group_size": 2,
    "update.updates": 2,
    "update.learning_rate": 1e-3,
}
SMALL = Plan(recipe_table("grpo", SMALL_SETTINGS), test_maps=6)
WORLD, ENV_KWARGS = SMALL.recipe.world.id, SMALL.recipe.world.env_kwargs
GOALS = 3
AGENTS = ("random", "rule", "oracle")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo")
    assert main(["--out", str(out), "--seeds", "2"], SMALL, GOALS) == 0
    return out


def test_the_report_stands_beside_the_results(demo: Path) -> None:
    names = {path.name for path in demo.iterdir()}
    assert names == {"report.html", "results.json", "seed-0", "seed-1", *(f"webshop-{agent}" for agent in AGENTS)}
    html = (demo / "report.html").read_text(encoding="utf8")
    assert "<svg" in html
    assert "FrozenLake" in html
    assert "--seeds 2" in html


def test_the_figures_are_those_of_the_run(demo: Path) -> None:
    record = json.loads((demo / "results.json").read_text())
    assert record["webshop"]["oracle"]["success"]["value"] == 1.0
    assert {figures["episodes"] for figures in record["webshop"].values()} == {GOALS}
    seeds = record["frozen_lake"]["seeds"]
    for seed, figures in enumerate(seeds):
        lines = read_lines(demo / f"seed-{seed}" / "test.jsonl")
        rates = {}
        for stage in STAGES:
            won = [line["success"] for line in lines if line["stage"] == stage]
            assert len(won) == SMALL.test_maps
            rates[stage] = sum(won) / len(won)
            assert figures["test_success"][stage]["value"] == rates[stage]
        assert figures["lift"]["value"] == pytest.approx(rates["improved"] - rates["cloned"])
        assert len(read_lines(demo / f"seed-{seed}" / "updates.jsonl")) == SMALL.recipe.update.updates
        assert load_engine(demo / f"seed-{seed}" / "improved").version == SMALL.recipe.update.updates
    mean = record["frozen_lake"]["mean_lift"]["value"]
    assert mean == pytest.approx(sum(figures["lift"]["value"] for figures in seeds) / len(seeds))


def test_every_stage_meets_the_same_test_maps_and_training_none_of_them(demo: Path) -> None:
    test = EnvPool(WORLD, split="test", **ENV_KWARGS)
    panel: Any = test.driver().world
    wanted = [panel.tasks("test")[place].id for place in range(SMALL.test_maps)]
    for seed in range(2):
        lines = read_lines(demo / f"seed-{seed}" / "test.jsonl")
        assert {line["split"] for line in lines} == {"test"}
        for stage in STAGES:
            assert [line["task_id"] for line in lines if line["stage"] == stage] == wanted
        played = read_lines(demo / f"seed-{seed}" / "episodes.jsonl")
        assert {line["split"] for line in played} == {"train"}
    held_out = {fingerprint(task.spec) for task in panel.tasks("test")}
    train: Any = EnvPool(WORLD, split="train", **ENV_KWARGS).driver().world
    assert not held_out & {fingerprint(train.tasks("train").by_id(line["task_id"]).spec) for line in played}
    with pytest.raises(TaskError, match="held out"):
        train.tasks("train").by_id(wanted[0])


@pytest.mark.full
def test_a_second_demo_replaces_the_first(demo: Path, tmp_path: Path) -> None:
    first = json.loads((demo / "results.json").read_text())
    (tmp_path / "seed-7").mkdir()
    (tmp_path / "report.html").write_text("old")
    assert main(["--out", str(tmp_path), "--seeds", "1"], SMALL, GOALS) == 0
    second = json.loads((tmp_path / "results.json").read_text())
    assert not (tmp_path / "seed-7").exists()
    assert second["webshop"] == first["webshop"]
    for key in ("teacher", "vocabulary", "test_success", "lift"):
        assert second["frozen_lake"]["seeds"][0][key] == first["frozen_lake"]["seeds"][0][key]
    assert second["frozen_lake"]["mean_lift"] is None


@pytest.mark.full
@pytest.mark.parametrize(
    ("raised", "code", "words"),
    [(KeyboardInterrupt(), 130, "interrupted"), (AgentGymError("seed 0: it failed"), 1, "error: seed 0: it failed")],
)
def test_a_demo_that_is_cut_off_leaves_no_report(
    raised: BaseException,
    code: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stop(*args: object) -> None:
        raise raised

    (tmp_path / "report.html").write_text("old")
    monkeypatch.setattr("agentgym.baselines.demo.__main__.learn_side_by_side", stop)
    assert main(["--out", str(tmp_path)], SMALL, 1) == code
    assert not (tmp_path / "report.html").exists()
    assert words in capsys.readouterr().out


def test_an_error_of_a_seed_names_it(tmp_path: Path) -> None:
    tiny = {"layers": 1, "width": 32, "heads": 2, "context": 9}
    short = Plan(recipe_table("grpo", {**SMALL_SETTINGS, "clone.episodes": 8, "model.tiny": tiny}), test_maps=2)
    with pytest.raises(AgentGymError, match=r"^seed 3: the first .* context of 9"):
        Seeds(short, tmp_path).learn(3)


def test_the_bar_of_a_seed_ends_where_its_files_end(demo: Path, tmp_path: Path) -> None:
    assert SMALL.recipe.clone is not None
    assert steps_done(SMALL, tmp_path) == 0
    assert steps_done(SMALL, demo / "seed-1") == steps(SMALL) == 6 * SMALL.recipe.clone.epochs + 2 + 3


@pytest.mark.parametrize("seeds", ["0", "17", "many"])
def test_seeds_out_of_range_are_refused(seeds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--seeds", seeds])
    assert stop.value.code == 2
    assert "--seeds" in capsys.readouterr().err
