"""Low-rank adapters: they alone learn, in cloning as in play, and what is saved of them can be gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from agentgym.agents import run_policy
from agentgym.rollout import Segment
from agentgym.train import AsyncTrainer, Trainer, build_trainer, recipe_table
from agentgym.train.batch import Sample, pad
from agentgym.train.memory import estimate
from agentgym.train.recipe import read_recipe
from agentgym.train.reference import Reference
from agentgym.train.token_logprobs import token_logprobs
from tests.agents.pretrained import save_small
from tests.rollout.worlds import ID


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_small(tmp_path_factory.mktemp("weights"))


def table(weights: Path, **more: Any) -> dict[str, Any]:
    settings = {
        "world.id": ID, "world.env_kwargs": {}, "model.name": str(weights), "model.lora": 2, "model.max_new_tokens": 4,
        "clone.episodes": 4, "clone.learning_rate": 1e-2, "rollout.groups": 2, "rollout.group_size": 2,
        "update.updates": 2, "update.learning_rate": 1e-2, "callback": [], "checkpoint.every": 1,
        "regularizer": [{"name": "kl", "coefficient": 0.1}, {"name": "entropy", "coefficient": 1.0}],
    }  # fmt: skip
    return recipe_table("reinforce", {**settings, **more})


def base_of(trainer: Trainer) -> dict[str, torch.Tensor]:
    named = trainer.engine.model.named_parameters()
    return {name: weight.detach().clone() for name, weight in named if "lora" not in name}


def adapters_of(trainer: Trainer) -> dict[str, torch.Tensor]:
    return {name: w.detach().clone() for name, w in trainer.engine.model.named_parameters() if "lora" in name}


def test_cloning_leaves_the_base_as_it_was_and_a_run_goes_on_with_its_adapters(weights: Path, tmp_path: Path) -> None:
    import transformers

    trainer = build_trainer(table(weights), tmp_path / "run")
    loaded = transformers.AutoModelForCausalLM.from_pretrained(weights).state_dict()
    for name, weight in base_of(trainer).items():
        assert torch.equal(weight, loaded[name.removeprefix("base_model.model.").replace(".base_layer", "")]), name
    learned = adapters_of(trainer)
    assert any(weight.abs().max() > 0 for name, weight in learned.items() if "lora_B" in name)
    trainer.close()
    again = build_trainer(table(weights), tmp_path / "run")  # from the clone that was saved
    for name, weight in adapters_of(again).items():
        assert torch.equal(weight, learned[name]), name
    again.train()
    again.close()
    assert any(not torch.equal(weight, learned[name]) for name, weight in adapters_of(again).items())
    files = {file.name for file in (tmp_path / "run" / "checkpoint-000002").iterdir()}
    assert "adapter_model.safetensors" in files
    assert "model.safetensors" not in files
    played = run_policy(path=str(tmp_path / "run"), device="cpu")
    for (name, weight), (_, other) in zip(
        played.model.named_parameters(), again.engine.model.named_parameters(), strict=True
    ):
        assert torch.equal(weight, other), name


def test_a_run_that_begins_with_the_clone_of_another_goes_on_with_its_adapters(weights: Path, tmp_path: Path) -> None:
    first = build_trainer(table(weights), tmp_path / "clone")
    first.close()
    begun = build_trainer(table(weights), tmp_path / "run", begin=tmp_path / "clone" / "cloned")
    learned = adapters_of(first)
    assert adapters_of(begun).keys() == learned.keys()  # no adapters on top of adapters
    assert all(torch.equal(weight, learned[name]) for name, weight in adapters_of(begun).items())
    begun.train()
    begun.close()
    moved = adapters_of(begun)
    assert any(not torch.equal(weight, learned[name]) for name, weight in moved.items())
    played = dict(run_policy(path=str(tmp_path / "run"), device="cpu").model.named_parameters())
    assert all(torch.equal(played[name], weight) for name, weight in moved.items())  # what was saved is all of it


def test_the_reference_is_the_base_with_the_adapters_off_and_no_copy_of_it(weights: Path) -> None:
    trainer = build_trainer(table(weights, clone="none"))
    reference, model = trainer.reference, trainer.engine.model
    assert reference is not None
    held = sum(weight.numel() for weight in reference.state().values())
    assert held == sum(weight.numel() for weight in trainer.params) < 0.2 * sum(map(torch.numel, model.parameters()))
    ids = torch.arange(5, 25)[None]
    with torch.no_grad():
        before = model(ids).logits
    trainer.train()
    with torch.no_grad():
        moved = model(ids).logits
        with reference.model() as earlier:
            assert torch.equal(earlier(ids).logits, before)
        with model.disable_adapter():
            assert torch.allclose(model(ids).logits, before, atol=1e-6)
        assert not torch.allclose(moved, before, atol=1e-6)
        assert torch.equal(model(ids).logits, moved)  # it has been put back


def test_a_reference_of_a_model_that_is_trained_whole_is_a_copy(make_engine: Any) -> None:
    engine = make_engine()
    kept = Reference(engine.model)
    with torch.no_grad():
        for weight in engine.model.parameters():
            weight += 1
    with kept.model() as earlier:
        assert not any(weight.requires_grad for weight in earlier.parameters())
        pairs = zip(earlier.parameters(), engine.model.parameters(), strict=True)
        assert all(torch.allclose(one + 1, other) for one, other in pairs)


@pytest.mark.parametrize(("lora", "recompute"), [(0, False), (4, False), (0, True), (4, True)])
def test_memory_is_what_was_measured(weights: Path, lora: int, recompute: bool) -> None:
    """Bytes of weights, gradients and optimizer to the byte; activations against what autograd keeps."""
    settings = {"update.micro_tokens": 600, "model.lora": lora, "regularizer": []}
    settings["model.gradient_checkpointing"] = recompute
    trainer = build_trainer(table(weights, clone="none", **settings))
    expected = estimate(read_recipe(table(weights, clone="none", **settings)))
    trained = sum(weight.numel() for weight in trainer.params)
    assert expected.weights == 4 * sum(weight.numel() for weight in trainer.engine.model.parameters())
    assert expected.gradients == 4 * trained
    assert expected.optimizer == 8 * trained
    own = {weight.untyped_storage().data_ptr() for weight in trainer.engine.model.parameters()}
    kept: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    segment = Segment()
    segment.read([5])
    segment.say(0, [7] * 599, [0.0] * 599)
    batch = pad([Sample(segment)], torch.device("cpu"))
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        token_logprobs(trainer.engine.model, batch, 1.0)[0].sum()
    logits = 4 * 599 * trainer.engine.model.config.vocab_size
    again = 4 * logits  # copies that come and go in the backward pass
    usual = estimate(read_recipe(table(weights, clone="none", **settings | {"model.gradient_checkpointing": False})))
    assert (expected.activations < usual.activations) == recompute
    assert 0.6 * sum(kept.values()) < expected.activations < 2.0 * (sum(kept.values()) + (again if recompute else 0))
    assert "\n" not in expected.line()
    assert "600 tokens" in expected.line()


@pytest.mark.parametrize("lora", [0, 4])
def test_memory_of_a_policy_that_plays_while_it_learns(weights: Path, lora: int) -> None:
    correction = {"update.recompute_logprobs": True, "update.importance_cap": 2.0, "rollout.max_staleness": 1}
    settings = {"model.lora": lora, "regularizer": [], **correction}
    trainer = build_trainer(table(weights, clone="none", **settings))
    assert isinstance(trainer, AsyncTrainer)
    expected = estimate(read_recipe(table(weights, clone="none", **settings)))
    models = (trainer.engine.model, trainer.player.model)
    held = {weight.data_ptr(): weight.nbytes for model in models for weight in model.parameters()}
    assert expected.weights == sum(held.values())
    assert expected.conversations == 2 * 2 * 2
    assert expected.peak == expected.weights + expected.optimizer + (
        expected.gradients + expected.activations + expected.cache
    )
