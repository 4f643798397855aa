"""Pretrained weights in two processes, with adapters and whole, with a reference: divided, resumed, and never whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from agentgym.agents import run_policy
from agentgym.train import build_trainer, recipe_table, run_recipe
from agentgym.train.checkpoint import checkpoints
from agentgym.train.memory import estimate
from agentgym.train.recipe import read_recipe
from tests.agents.pretrained import save_small
from tests.rollout.worlds import ID

pytestmark = [pytest.mark.full, pytest.mark.xdist_group("distributed")]

ROOT = Path(__file__).parents[2]
LAYERS = 4
UPDATES = 3
KINDS: dict[str, dict[str, Any]] = {
    "adapters": {"model.lora": 2},
    "whole": {"update.ref_sync_every": 1, "model.gradient_checkpointing": True},
}
MIXED = {"model.lora": 2, "model.bf16": True}  # adapters in float32 on a base in bfloat16
PROGRAM = """
import json, sys
import torch
from torch.distributed.tensor import DTensor
from agentgym.train import build_trainer
from agentgym.train.distributed import DataParallel, FSDP
import tests.rollout.worlds

loaded, held, playing = [], [], []

def watched(kind):
    share, generating = kind.share, kind.generating

    def sharing(self, model):
        loaded.append(sorted({w.device.type for w in model.parameters()}))
        share(self, model)
        modules = list(model.modules())

        def note(*_):
            if not playing:
                whole = {id(w): w.numel() for m in modules for w in m._parameters.values() if w is not None
                         and not isinstance(w, DTensor)}
                held.append(sum(whole.values()))

        blocks = [m for m in modules if type(m).__name__.endswith("LlamaDecoderLayer")]
        blocks[-1].register_forward_pre_hook(note)
        blocks[1].register_full_backward_hook(note)

    def plays(self):
        context = generating(self)
        class Plays:
            def __enter__(self): playing.append(1); return context.__enter__()
            def __exit__(self, *why): playing.pop(); return context.__exit__(*why)
        return Plays()

    kind.share, kind.generating = sharing, plays

watched(FSDP)
folder = sys.argv[2]
for name, table in json.loads(sys.argv[1]).items():
    del loaded[:], held[:]
    trainer = build_trainer(table, f"{folder}/{name.removesuffix('_again')}")
    if name.endswith("_cut"):
        trainer.train_step()
        trainer.train_step()
    else:
        trainer.train()
    trainer.close()
    found = {"loaded": loaded, "held": max(held, default=0), "begun": trainer.update}
    weights = dict(trainer.engine.model.named_parameters())
    found["whole"] = sum(w.numel() for w in weights.values())
    found["own"] = sum(w.to_local().numel() if isinstance(w, DTensor) else w.numel() for w in weights.values())
    reference = trainer.reference.state().values()
    found["reference"] = sum(w.to_local().numel() if isinstance(w, DTensor) else w.numel() for w in reference)
    with open(f"{folder}/{name}-{trainer.distributed.rank}.json", "w") as file:
        json.dump(found, file)
"""


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_small(tmp_path_factory.mktemp("weights"), LAYERS, tied=True)


def table(weights: Path, kind: str, **more: Any) -> dict[str, Any]:
    settings = {
        "world.id": ID, "world.env_kwargs": {}, "model.name": str(weights), "model.max_new_tokens": 4,
        "clone.episodes": 5, "clone.epochs": 1, "clone.batch": 3, "clone.learning_rate": 1e-2,
        "rollout.groups": 3, "rollout.group_size": 2, "update.updates": UPDATES, "update.learning_rate": 1e-2,
        "update.micro_tokens": 400, "checkpoint.every": 1, "callback": [{"name": "evaluate", "every": 2, "tasks": 3}],
        "regularizer": [{"name": "kl", "coefficient": 0.1}, {"name": "entropy", "coefficient": 0.1}],
    }  # fmt: skip
    return recipe_table("reinforce", {**settings, **KINDS.get(kind, MIXED), **more})


def numbers(folder: Path, file: str = "updates.jsonl") -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (folder / file).read_text().splitlines()]
    return [{k: v for k, v in line.items() if "second" not in k} for line in lines]


@pytest.fixture(scope="module")
def two(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of runs of two processes that `torchrun` has started."""
    folder = tmp_path_factory.mktemp("two")
    script = folder / "program.py"
    script.write_text(PROGRAM)
    tables = {}
    for kind in KINDS:
        tables[f"{kind}_together"] = table(weights, kind)
        sharded = table(weights, kind, **{"model.shard": True})
        tables |= {f"{kind}_sharded": sharded, f"{kind}_cut": sharded, f"{kind}_cut_again": sharded}
    tables["mixed_sharded"] = table(weights, "mixed", **{"model.shard": True})
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    done = subprocess.run(
        [*command, str(script), json.dumps(tables), str(folder)],
        capture_output=True,
        text=True,
        timeout=400,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-6000:]
    return folder


def found(two: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads((two / f"{name}-{rank}.json").read_text()) for rank in range(2)]


@pytest.fixture(scope="module")
def one(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("one")
    for kind in (*KINDS, "mixed"):
        run_recipe(table(weights, kind), folder / kind)
    return folder


@pytest.mark.parametrize("way", ["together", "sharded"])
@pytest.mark.parametrize("kind", KINDS)
def test_two_processes_learn_what_one_learns(kind: str, way: str, one: Path, two: Path) -> None:
    """Cloning and play, a reference among what is learned from; gradients are sums in another order."""
    for file in ("clone.jsonl", "updates.jsonl"):
        single, both = numbers(one / kind, file), numbers(two / f"{kind}_{way}", file)
        assert len(single) == len(both) > 1
        for before, after in zip(single, both, strict=True):
            compared = before.keys() & {"loss", "grad_norm", "entropy", "return", "tokens", "episodes", "eval_return"}
            assert {"loss", "grad_norm", "tokens"} <= compared
            for name in compared:
                assert after[name] == pytest.approx(before[name], rel=1e-3, abs=1e-4), (file, name)


def test_adapters_of_another_type_than_their_base_are_divided_with_it(one: Path, two: Path) -> None:
    single, both = numbers(one / "mixed", "clone.jsonl"), numbers(two / "mixed_sharded", "clone.jsonl")
    for before, after in zip(single, both, strict=True):
        assert after["loss"] == pytest.approx(before["loss"], rel=2e-2)  # bfloat16 rounds each batch in its own way
        assert after["grad_norm"] == pytest.approx(before["grad_norm"], rel=5e-2)
    assert all(rank["own"] < 0.6 * rank["whole"] for rank in found(two, "mixed_sharded"))
    assert len(numbers(two / "mixed_sharded")) == UPDATES


@pytest.mark.parametrize("kind", KINDS)
def test_no_process_holds_the_whole_while_it_learns(kind: str, two: Path) -> None:
    first, second = found(two, f"{kind}_sharded")
    assert first["loaded"] == [["cpu"]]
    assert second["loaded"] == [["meta"]]  # it has read no weights, and was sent its part
    assert first["whole"] == second["whole"] == first["own"] + second["own"]
    for rank in (first, second):
        assert rank["own"] < 0.6 * rank["whole"]
        assert 0 < rank["held"] < 0.5 * rank["whole"]  # its parts, and what it has put together for a moment
        trained = 0.2 if kind == "adapters" else 1.0
        assert rank["reference"] < 0.6 * trained * rank["whole"]
    for rank in found(two, f"{kind}_together"):
        assert rank["own"] == rank["whole"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_memory_of_a_process_is_what_it_holds(
    kind: str, weights: Path, two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = read_recipe(table(weights, kind, **{"model.shard": True}))
    alone = estimate(recipe)
    monkeypatch.setenv("WORLD_SIZE", "2")
    expected = estimate(recipe)
    (rank, _) = found(two, f"{kind}_sharded")
    copied = rank["reference"] if kind == "whole" else 0  # of adapters these are kept, which is left out of the sum
    assert expected.weights == 4 * (rank["own"] + copied) == alone.weights / 2
    assert expected.together == 4 * rank["whole"]
    assert 4 * rank["held"] <= expected.passing < expected.together
    assert (expected.gradients, expected.optimizer) == (alone.gradients / 2, alone.optimizer / 2)
    assert "put together to play" in expected.line()
    assert "put together" not in alone.line()


@pytest.mark.parametrize("kind", KINDS)
def test_a_sharded_run_with_a_reference_that_is_cut_off_ends_as_the_unbroken_one(kind: str, two: Path) -> None:
    assert [rank["begun"] for rank in found(two, f"{kind}_cut")] == [2, 2]
    assert numbers(two / f"{kind}_cut") == numbers(two / f"{kind}_sharded")
    ends = [checkpoints(two / f"{kind}_{way}")[-1] for way in ("sharded", "cut")]
    whole, again = (torch.load(end / "state.pt", weights_only=True) for end in ends)
    assert whole["update"] == again["update"] == UPDATES
    assert (whole["reference"] is None) == (kind == "adapters")  # of the other kind it is renewed
    for name in ("weights", "reference", "masters"):
        for key, value in (whole[name] or {}).items():
            assert torch.equal(value, again[name][key]), (name, key)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_sharded_run_has_learned_is_played_and_gone_on_with_by_one_process(
    kind: str, weights: Path, two: Path, tmp_path: Path
) -> None:
    end = checkpoints(two / f"{kind}_sharded")[-1]
    files = {file.name for file in end.iterdir()}
    assert ("adapter_model.safetensors" in files) == (kind == "adapters") != ("model.safetensors" in files)
    learned = torch.load(end / "state.pt", weights_only=True)["weights"]
    played = dict(run_policy(path=str(two / f"{kind}_sharded"), device="cpu").model.named_parameters())
    for name, value in learned.items():
        assert torch.equal(played[name], value), name
    trainer = build_trainer(table(weights, kind, clone="none"), begin=two / f"{kind}_sharded" / "cloned")
    trainer.train_step()
