"""A run that is cut off at any moment and taken up ends as the unbroken one, bit for bit."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from agentgym.agents.hugging_face import saved_engine
from agentgym.core import ConfigError, DataError
from agentgym.core.files import MANIFEST
from agentgym.train import build_trainer, read_recipe, recipe_table, run_recipe
from agentgym.train.checkpoint import checkpoints
from agentgym.train.run_dir import lines_of
from tests.disks import disk, fill, write_protect

SETTINGS: dict[str, Any] = {
    "model.tiny": {"layers": 1, "width": 32, "heads": 2, "vocabulary": 400},
    "clone.episodes": 64,
    "clone.batch": 8,
    "rollout.groups": 4,
    "rollout.group_size": 4,
    "rollout.horizon": {"steps": [[0, 5], [4, 10]]},
    "rollout.tasks": {"name": "frontier", "pool": 8},
    "replay": {"name": "success"},
    "update.updates": 8,
    "update.steps": 2,
    "update.ref_sync_every": 3,
    "update.learning_rate": {"linear": [3e-3, 0.0], "over": 8},
    "advantage": [{"name": "gae", "level": "turn"}],
    "learner": [{"name": "critic", "level": "turn"}],
    "regularizer": [
        {"name": "entropy_smoothing", "coefficient": 0.01},
        {"name": "kl", "coefficient": 0.01},
    ],
    "callback": [{"name": "evaluate", "every": 4, "tasks": 4}],
    "checkpoint.every": 2,
}
CLOCK = ("seconds", "per_second")


def numbers(folder: Path, name: str = "updates") -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
    return [{k: v for k, v in line.items() if not any(word in k for word in CLOCK)} for line in lines]


def weights(folder: Path) -> dict[str, Any]:
    state: dict[str, Any] = torch.load(checkpoints(folder)[-1] / "state.pt", weights_only=True)
    return {**state["weights"], **{f"optimizer {k}": v["exp_avg"] for k, v in state["optimizer"]["state"].items()}}


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unbroken") / "run"
    run_recipe(recipe_table("grpo", SETTINGS), folder)
    return folder


def same(one: Path, other: Path) -> None:
    assert numbers(one) == numbers(other)
    assert numbers(one, "clone") == numbers(other, "clone")
    assert (one / "episodes.jsonl").read_bytes() == (other / "episodes.jsonl").read_bytes()
    mine, its = weights(one), weights(other)
    assert mine.keys() == its.keys()
    assert all(torch.equal(mine[name], its[name]) for name in mine)


PROGRAM = """
import json, sys
from agentgym.train import run_recipe
import torch
torch.set_num_threads(1)

def tell(phase, done, total, metrics):
    print(phase, done, flush=True)

run_recipe(json.loads(sys.argv[1]), sys.argv[2], tell=tell)
"""


def run_until(folder: Path, stop: str) -> int:
    """Start the run in a process of its own and kill it without warning when it has said `stop`."""
    table = json.dumps(recipe_table("grpo", SETTINGS))
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, table, str(folder)], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip() == stop:
                time.sleep(0.02)
                process.send_signal(signal.SIGKILL)
                break
        return process.wait()


@pytest.mark.full
@pytest.mark.parametrize(
    "stops",
    [
        pytest.param(("updates 5",), id="between two checkpoints"),
        pytest.param(("clone 3", "updates 1", "updates 4"), id="while cloning, then twice", marks=pytest.mark.full),
    ],
)
def test_a_killed_run_ends_as_the_unbroken_one(unbroken: Path, tmp_path: Path, stops: tuple[str, ...]) -> None:
    assert [run_until(tmp_path / "run", stop) for stop in stops] == [-signal.SIGKILL] * len(stops)
    run_recipe(recipe_table("grpo", SETTINGS), tmp_path / "run")
    same(unbroken, tmp_path / "run")


def test_a_finished_run_is_not_repeated(unbroken: Path) -> None:
    before = (unbroken / "updates.jsonl").stat().st_mtime_ns
    trainer = run_recipe(recipe_table("grpo", SETTINGS), unbroken)
    assert trainer.update == 8
    assert len(trainer.history) == 8
    assert (unbroken / "updates.jsonl").stat().st_mtime_ns == before


def test_only_the_two_newest_checkpoints_are_kept(unbroken: Path) -> None:
    assert [path.name for path in checkpoints(unbroken)] == ["checkpoint-000006", "checkpoint-000008"]
    assert not list(unbroken.glob(".*partial"))


def test_another_recipe_does_not_go_on_with_the_run(unbroken: Path) -> None:
    with pytest.raises(ConfigError, match=r"holds a run with seed null, this one has 1; .*give the same recipe"):
        run_recipe(recipe_table("grpo", {**SETTINGS, "seed": 1}), unbroken)


def copied(unbroken: Path, place: Path) -> Path:
    return Path(shutil.copytree(unbroken, place / "run"))


@pytest.mark.parametrize("damage", ["state.pt changed", "model.safetensors shortened", "manifest.json gone"])
def test_a_damaged_checkpoint_is_told_and_the_run_goes_on_from_the_older_one(
    unbroken: Path, tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    run = copied(unbroken, tmp_path)
    name, how = damage.split()
    file = run / "checkpoint-000008" / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    if how == "gone":
        file.unlink()
    else:
        file.write_bytes(content if how == "changed" else content[:-100])
    if name != "state.pt":  # what training alone needs
        assert saved_engine(run).name == "checkpoint-000006"
    run_recipe(recipe_table("grpo", SETTINGS), run)
    same(unbroken, run)
    assert f"checkpoint-000008 cannot be gone on from: {file}" in caplog.text
    assert saved_engine(run).name == "checkpoint-000008", "it was written again"


def test_a_run_without_a_whole_checkpoint_keeps_its_records(unbroken: Path, tmp_path: Path) -> None:
    run = copied(unbroken, tmp_path)
    before = (run / "episodes.jsonl").read_bytes()
    for folder in checkpoints(run):
        (folder / "state.pt").write_bytes(b"")
    with pytest.raises(DataError, match=r"has no whole checkpoint: .*state.pt is damaged; to begin anew, remove"):
        run_recipe(recipe_table("grpo", SETTINGS), run)
    for folder in checkpoints(run):
        shutil.rmtree(folder)
    with pytest.raises(DataError, match="has recorded 8 updates, but its checkpoints are gone"):
        run_recipe(recipe_table("grpo", SETTINGS), run)
    assert (run / "episodes.jsonl").read_bytes() == before


def test_records_that_were_shortened_are_done_again_from_the_older_checkpoint(unbroken: Path, tmp_path: Path) -> None:
    run = copied(unbroken, tmp_path)
    content = (unbroken / "episodes.jsonl").read_bytes()
    (run / "episodes.jsonl").write_bytes(content[:-10])
    run_recipe(recipe_table("grpo", SETTINGS), run)
    same(unbroken, run)
    (run / "episodes.jsonl").write_bytes(content[:1000])
    with pytest.raises(DataError, match=r"no whole checkpoint: .*episodes.jsonl has lost lines"):
        run_recipe(recipe_table("grpo", SETTINGS), run)


def test_a_damaged_clone_is_made_again_and_costs_no_updates(
    unbroken: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run = copied(unbroken, tmp_path)
    (run / "cloned" / "model.safetensors").write_bytes(b"")
    shutil.rmtree(run / "checkpoint-000008")
    run_recipe(recipe_table("grpo", SETTINGS), run)
    same(unbroken, run)
    assert "it is made again" in caplog.text


def test_a_full_disk_leaves_the_last_good_checkpoint(unbroken: Path, tmp_path: Path) -> None:
    """The disk is full when the second half of the run is saved; with room again, the run ends as the unbroken one."""
    with disk(tmp_path / "disk", 16384) as place:
        run = place / "run"

        def tell(phase: str, done: int, total: int, metrics: Any) -> None:
            if (phase, done) == ("updates", 5):
                fill(place, leave=300_000)

        with pytest.raises(DataError, match=r"checkpoint-000006 could not be written \(.*; .* make room"):
            run_recipe(recipe_table("grpo", SETTINGS), run, tell=tell)
        assert [path.name for path in checkpoints(run)] == ["checkpoint-000002", "checkpoint-000004"]
        assert not list(run.glob(".*partial"))
        (place / "filler").unlink()
        run_recipe(recipe_table("grpo", SETTINGS), run)
        same(unbroken, run)
        write_protect(place)
        with pytest.raises(ConfigError, match="Read-only file system"):
            run_recipe(recipe_table("grpo", SETTINGS), run)


def test_two_processes_do_not_train_in_one_folder(unbroken: Path, tmp_path: Path) -> None:
    run = copied(unbroken, tmp_path)
    trainer = build_trainer(recipe_table("grpo", SETTINGS), run)
    with pytest.raises(ConfigError, match="another process is writing"):
        build_trainer(recipe_table("grpo", SETTINGS), run)
    trainer.close()
    build_trainer(recipe_table("grpo", SETTINGS), run).close()


@pytest.mark.parametrize("setting", [{"every": 0}, {"keep": 0}])
def test_checkpoints_are_written_and_kept(setting: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="must be above 0"):
        read_recipe({**recipe_table("grpo"), "checkpoint": setting})


def test_a_folder_that_does_not_say_what_was_recorded_may_be_of_an_older_version(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text('{"files": {}}')
    with pytest.raises(DataError, match="does not say what was recorded: it is damaged, or an older version wrote it"):
        lines_of(tmp_path)
    (tmp_path / MANIFEST).write_text('{"files": {}, "lines": {"updates.jsonl": 12}}')
    assert lines_of(tmp_path) == {"updates.jsonl": 12}
