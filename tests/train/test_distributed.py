"""Two processes come to what one comes to, with the model whole in each or divided between them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from agentgym.core import ConfigError
from agentgym.rollout import EnvPool, Episode, EpisodeSpec, Parent
from agentgym.train import Trainer, load_engine, recipe_table, run_recipe
from agentgym.train.checkpoint import checkpoints
from agentgym.train.distributed import FSDP, DataParallel, SingleProcess
from tests.rollout.worlds import ID
from tests.train.methods import small

pytestmark = pytest.mark.xdist_group("distributed")  # one process, so that the two-process runs they look at run once

SETTINGS: dict[str, Any] = {
    "model.tiny": {"layers": 2, "width": 32, "heads": 2, "vocabulary": 400},
    "clone.episodes": 64,
    "clone.epochs": 5,
    "clone.batch": 16,
    "clone.learning_rate": 1e-2,
    "rollout.groups": 5,
    "rollout.group_size": 4,
    "update.updates": 3,
    "update.steps": 2,
    "update.micro_tokens": 512,
    "update.learning_rate": 1e-3,
    "callback": [{"name": "evaluate", "every": 2, "tasks": 8}],
    "checkpoint.every": 1,
}
PROGRAM = """
import json, sys
import torch
from torch.distributed.tensor import DTensor
from agentgym.train import run_recipe
torch.set_num_threads(1)

class Cut(Exception):
    pass

def cut(phase, done, total, metrics):
    if phase == "updates" and done == 2:
        raise Cut

def play(name, table, tell=None):
    trainer = run_recipe(table, f"{sys.argv[2]}/{name}", tell=tell)
    weights = dict(trainer.engine.model.named_parameters())
    shares = {name: list(w.to_local().shape) for name, w in weights.items() if isinstance(w, DTensor)}
    shapes = {name: list(w.shape) for name, w in weights.items()}
    if trainer.distributed.rank == 0:
        print("RESULT " + json.dumps({"size": trainer.distributed.size, "shares": shares, "shapes": shapes}))

plain, sharded = json.loads(sys.argv[1])
play("together", plain)
play("sharded", sharded)
try:
    play("resumed", sharded, cut)
except Cut:
    pass
play("resumed", sharded)
"""
UPDATES = 3


def numbers(folder: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (folder / "updates.jsonl").read_text().splitlines()]
    return [{k: v for k, v in line.items() if "second" not in k} for line in lines]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """Two processes, started as `torchrun` starts them, play three runs; their folder, and what the first said."""
    folder = tmp_path_factory.mktemp("two")
    script = folder / "program.py"
    script.write_text(PROGRAM)
    tables = json.dumps([recipe_table("grpo", {**SETTINGS, **more}) for more in ({}, {"model.shard": True})])
    world = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    both = [
        subprocess.Popen(
            [sys.executable, str(script), tables, str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **world, "OMP_NUM_THREADS": "1", "RANK": str(rank), "LOCAL_RANK": str(rank)},
        )
        for rank in range(2)
    ]
    said = [process.communicate(timeout=400) for process in both]
    assert [process.returncode for process in both] == [0, 0], "\n\n".join(errors[-6000:] for _, errors in said)
    lines = [line for line in said[0][0].splitlines() if line.startswith("RESULT ")]
    return folder, [json.loads(line.removeprefix("RESULT ")) for line in lines]


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("one") / "run"
    run_recipe(recipe_table("grpo", SETTINGS), folder)
    return numbers(folder)


def agree(single: list[dict[str, Any]], both: list[dict[str, Any]]) -> None:
    """The first round is played by equal weights; its gradients are sums in another order."""
    assert len(both) == len(single) == UPDATES
    assert single[0]["steps"] == 2
    for name in ("episodes", "return", "success", "turns", "tokens", "stops", "groups", "dead_groups", "kept"):
        assert both[0][name] == single[0][name], name
    for name in ("loss", "grad_norm", "entropy", "kl_sampler", "clip_fraction"):
        assert both[0][name] == pytest.approx(single[0][name], rel=1e-4, abs=1e-6), name


@pytest.mark.full
def test_two_processes_agree_with_one(one: list[dict[str, Any]], two: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, (together, *_) = two
    assert together["size"] == 2
    assert together["shares"] == {}
    agree(one, numbers(folder / "together"))


@pytest.mark.full
def test_a_sharded_model_is_divided_and_agrees(
    one: list[dict[str, Any]], two: tuple[Path, list[dict[str, Any]]]
) -> None:
    folder, (_, sharded, _) = two
    assert set(sharded["shares"]) == set(sharded["shapes"])
    for name, shape in sharded["shapes"].items():
        assert 2 * sharded["shares"][name][0] in (shape[0], shape[0] + 1), name
    agree(one, numbers(folder / "sharded"))


@pytest.mark.full
def test_a_sharded_run_that_is_cut_off_ends_as_the_unbroken_one(two: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, results = two
    assert results[2] == results[1]
    assert numbers(folder / "resumed") == numbers(folder / "sharded")
    ends = [checkpoints(folder / name)[-1] for name in ("sharded", "resumed")]
    whole, again = (torch.load(end / "state.pt", weights_only=True) for end in ends)
    assert whole["update"] == again["update"] == UPDATES
    for name, weight in whole["weights"].items():
        assert list(weight.shape) == results[1]["shapes"][name]
        assert torch.equal(weight, again["weights"][name]), name
    for number, moments in whole["optimizer"]["state"].items():
        assert all(torch.equal(value, again["optimizer"]["state"][number][name]) for name, value in moments.items())


def test_the_checkpoint_of_a_sharded_run_is_a_whole_model(two: tuple[Path, list[dict[str, Any]]]) -> None:
    end = checkpoints(two[0] / "sharded")[-1]
    engine = load_engine(end)
    kept = torch.load(end / "state.pt", weights_only=True)["weights"]
    for name, weight in engine.model.named_parameters():
        assert torch.equal(weight, kept[name]), name


@pytest.mark.parametrize(
    "name",
    ["istar", "spa"],
)
def test_a_sharded_model_is_not_copied(name: str, make_engine: Any) -> None:
    class Two(FSDP):
        def __init__(self) -> None:
            self.rank, self.size = 0, 2

    with pytest.raises(ConfigError, match="a sharded model cannot be copied"):
        Trainer(small(name), make_engine(), EnvPool(ID), distributed=Two())


def test_regularisers_without_memory_train_in_many_processes(make_engine: Any) -> None:
    class Two(DataParallel):
        def __init__(self) -> None:
            self.rank, self.size = 0, 2

    kl = small("grpo", regularizer=[{"name": "kl", "coefficient": 0.1}])
    assert Trainer(kl, make_engine(), EnvPool(ID), distributed=Two()).reference is not None
    with pytest.raises(ConfigError, match="EntropySmoothing remembers what one process saw"):
        Trainer(small("epo"), make_engine(), EnvPool(ID), distributed=Two())


def test_sharding_needs_somebody_to_share_with(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="needs several processes"):
        run_recipe(recipe_table("grpo", {**SETTINGS, "model.shard": True}))


def test_whole_groups_are_dealt_and_come_back_in_order() -> None:
    class Second(DataParallel):
        def __init__(self) -> None:
            self.rank, self.size = 1, 2

    starts = [EpisodeSpec(task, 0, group, (group, k)) for group, task in enumerate("abc") for k in range(2)]
    assert SingleProcess().own_starts(starts) == starts
    second = Second()
    assert [start.group for start in second.own_starts(starts)] == [1, 1]

    def played(group: int, number: int, parent: Parent | None = None) -> Episode:
        return Episode("t", "train", 0, group, number=number, parent=parent)

    theirs = [(0, played(0, 0)), (0, played(2, 1)), (0, played(2, 2, Parent(1, 0, "child")))]
    mine = [(1, played(1, 0)), (1, played(1, 1, Parent(0, 2, "branch")))]
    second._gather = lambda _: theirs + mine  # type: ignore[method-assign]
    whole = second.gather_episodes([])
    assert [(each.group, each.number) for each in whole] == [(0, 0), (1, 1), (1, 2), (2, 3), (2, 4)]
    assert [each.parent.episode if each.parent else None for each in whole] == [None, None, 1, None, 3]
