"""Several policies in one run: who speaks is written down, each learns from its own words, and a base stands once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from agentgym.agents import run_policy
from agentgym.core import AgentGymError
from agentgym.rollout import EnvPool
from agentgym.train import Trainer, build_trainer, read_recipe, recipe_table
from agentgym.train.adapters import AdapterModel
from tests.agents.pretrained import save_small
from tests.rollout.worlds import ID
from tests.train.methods import clumsy, small
from tests.train.test_self_play import SMALL

ROLES: dict[str, Any] = {
    "policies": {"planner": {}, "helper": {"trainable": False}, "actor": {"trainable": False}},
    "players": {"plan": {"policy": "planner", "instruction": "red"}, "help": "helper", "act": "actor"},
}
TWO: dict[str, Any] = {
    "rollout.opponent": None,
    "regularizer": [{"name": "entropy", "coefficient": 1.0}],
    "policies": {"one": {}, "two": {"learning_rate": 1e-4, "context": "single_turn"}},
    "players": {"player_0": {"plan": "one", "act": "two"}, "player_1": "one"},
}


def weights(model: Any) -> list[torch.Tensor]:
    return [weight.detach().clone() for weight in model.parameters()]


def equal(model: Any, before: list[torch.Tensor]) -> bool:
    return all(torch.equal(weight, old) for weight, old in zip(model.parameters(), before, strict=True))


def without_none(table: dict[str, Any]) -> dict[str, Any]:
    table["rollout"] = {name: value for name, value in table["rollout"].items() if value is not None}
    return table


def test_only_what_the_planner_said_is_learned_and_the_frozen_share_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = Trainer(small("grpo", **ROLES, update__updates=2), clumsy(), EnvPool(ID))
    engines = trainer.policies.engines
    assert engines["helper"].model is engines["actor"].model is not engines["planner"].model
    assert engines["planner"] is trainer.engine
    begun = weights(trainer.engine.model)
    assert equal(engines["actor"].model, begun)
    learned: list[Any] = []
    report = trainer._metrics
    monkeypatch.setattr(trainer, "_metrics", lambda *args: learned.extend(args[2]) or report(*args))  # type: ignore[func-returns-value]
    metrics = trainer.train()[-1]
    assert equal(engines["actor"].model, begun)
    assert not equal(trainer.engine.model, begun)
    assert engines["actor"].version == 0
    assert engines["planner"].version == 2
    assert len(learned) == 2
    for each in learned:
        assert {turn.policy for episode in each.episodes for turn in episode.turns} == {"planner"} == {each.policy.name}
        assert {episode.role for episode in each.episodes} == {"plan"}
        assert each.phase.name == ""
        assert all(any(segment.sampled_mask) for episode in each.episodes for segment in episode.segments)
    assert metrics["episodes"] == 64  # of the planner; what the frozen said is no figure
    assert list(metrics["policies"]) == ["planner"]


def test_each_turn_of_a_transcript_says_which_policy_spoke(tmp_path: Path) -> None:
    table = without_none(recipe_table("grpo", {**SMALL, **TWO, "callback": []}))
    trainer = build_trainer(table, tmp_path / "run")
    metrics = trainer.train()
    trainer.close()
    lines = [json.loads(line) for line in (tmp_path / "run" / "episodes.jsonl").read_text().splitlines()]
    said = {(line["player"], line["role"]): {turn["policy"] for turn in line["turns"]} for line in lines}
    assert said == {
        ("player_0", "plan"): {"one"}, ("player_0", "act"): {"two"}, ("player_1", "player_1"): {"one"},
    }  # fmt: skip
    assert metrics[0]["policies"]["one"]["kept"] == 2 * metrics[0]["policies"]["two"]["kept"] == 8
    assert [policy.optimizer.param_groups[0]["lr"] for policy in trainer.policies] == [1e-3, 1e-4]
    one, two = (trainer.policies.engines[name] for name in ("one", "two"))
    assert one.model is not two.model
    assert not equal(one.model, weights(two.model))
    assert type(two.prompt.context).__name__ == "SingleTurn"


def test_one_base_stands_in_memory_for_all_its_adapters(tmp_path: Path) -> None:
    folder = save_small(tmp_path / "weights")
    policies = {"planner": {}, "critic": {"learning_rate": 1e-3}, "actor": {"trainable": False}}
    settings = {
        "world.id": ID, "world.env_kwargs": {}, "model.name": str(folder), "model.lora": 2, "model.max_new_tokens": 4,
        "clone.episodes": 4, "clone.learning_rate": 1e-2, "rollout.groups": 2, "rollout.group_size": 2,
        "update.updates": 2, "update.learning_rate": 1e-2, "callback": [], "checkpoint.every": 1,
        "regularizer": [{"name": "entropy", "coefficient": 1.0}, {"name": "kl", "coefficient": 0.1}],
        "policies": policies, "players": {name: name for name in policies},
    }  # fmt: skip
    trainer = build_trainer(recipe_table("reinforce", settings), tmp_path / "run")
    models = {name: engine.model for name, engine in trainer.policies.engines.items()}
    assert all(isinstance(model, AdapterModel) for model in models.values())
    base = {name: each.data_ptr() for name, each in models["planner"].named_parameters() if "lora" not in name}
    own: dict[str, set[int]] = {}
    for name, model in models.items():
        assert {key: each.data_ptr() for key, each in model.named_parameters() if "lora" not in key} == base
        own[name] = {each.data_ptr() for key, each in model.named_parameters() if "lora" in key}
    assert not own["planner"] & (own["critic"] | own["actor"])
    count = {name: sum(each.numel() for each in model.parameters()) for name, model in models.items()}
    adapters = sum(map(torch.numel, trainer.params))
    in_memory = sum(weight.numel() for weight in models["planner"].base.model.parameters())
    assert in_memory == count["planner"] + 2 * adapters  # the base with its first adapters, and two more of them
    before = {name: weights(model) for name, model in models.items()}
    assert equal(models["actor"], before["planner"])  # all begin as cloning left them
    trainer.train()
    trainer.close()
    assert equal(models["actor"], before["actor"])
    for name in ("planner", "critic"):
        moved = [not torch.equal(a, b) for a, b in zip(models[name].parameters(), before[name], strict=True)]
        assert any(moved)
        assert all("lora" in key for (key, _), m in zip(models[name].named_parameters(), moved, strict=True) if m)
    assert not equal(models["planner"], weights(models["critic"]))
    again = build_trainer(recipe_table("reinforce", settings), tmp_path / "run")
    again.close()
    for name, engine in again.policies.engines.items():
        assert equal(engine.model, weights(models[name])), name
    saved = tmp_path / "run" / "checkpoint-000002"
    ids = torch.arange(5, 25)[None]
    for place, name in ((saved, "planner"), (saved / "policies" / "critic", "critic")):
        assert torch.equal(run_policy(path=str(place), device="cpu").model(ids).logits, models[name](ids).logits)


def test_a_run_of_two_policies_goes_on_to_the_same_numbers(tmp_path: Path) -> None:
    table = without_none(recipe_table("grpo", {**SMALL, **TWO, "callback": [], "checkpoint.every": 1}))
    whole = build_trainer(table, tmp_path / "whole")
    whole.train()
    whole.close()
    half = build_trainer(table, tmp_path / "half")
    half.train_step()
    half.close()
    rest = build_trainer(table, tmp_path / "half")
    assert rest.update == 1
    rest.train()
    rest.close()
    for name, engine in rest.policies.engines.items():
        assert equal(engine.model, weights(whole.policies.engines[name].model)), name


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"policies": ROLES["policies"]}, "no effect without .players."),
    ({**ROLES, "players": {"plan": "planer", "act": "helper"}}, "did you mean 'planner'"),
    ({**ROLES, "players": {"plan": "planner", "act": "helper"}}, "'actor' has no effect"),
    ({"policies": {"a": {"trainable": False}}, "players": {"act": "a"}}, "no policy in .players. learns"),
    ({"policies": {"a/b": {}}, "players": {"act": "a/b"}}, "named by letters"),
    ({"policies": {"a": {"agent": "expert", "trainable": True}}, "players": {"act": "a"}}, "is frozen"),
    ({"policies": {"a": {"agent": "expertt"}}, "players": {"act": "a"}}, "did you mean 'expert'"),
    ({"policies": {"a": {"adapter": "x"}}, "players": {"act": "a"}}, "needs model.lora"),
    ({"policies": {"a": {"trainable": False, "learning_rate": 1e-3}}, "players": {"act": "a"}}, "does not learn"),
    ({"policies": {"a": {"learning_rate": 0}}, "players": {"act": "a"}}, "must be above 0"),
    ({"policies": {"a": {"modle": "x"}}, "players": {"act": "a"}}, "did you mean 'model'"),
    ({"players": {"player_0": {"plan": "policy", "act": "policy"}}}, "keys of .players. are its roles"),
]


@pytest.mark.parametrize(("changes", "complaint"), REFUSED, ids=[complaint for _, complaint in REFUSED])
def test_tables_that_make_no_sense_are_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(AgentGymError, match=complaint) as refused:
        read_recipe(recipe_table("grpo", changes))
    assert "\n" not in str(refused.value)


def test_agents_and_scripted_opponents_hold_places_too() -> None:
    policies: dict[str, Any] = {"mine": {}, "other": {"agent": "expert"}}
    told = {"player_0": "mine", "player_1": {"policy": "simple", "instruction": "x"}}
    with pytest.raises(AgentGymError, match="no effect on the scripted opponent"):
        read_recipe(without_none(recipe_table("grpo", {**SMALL, **TWO, "policies": {"mine": {}}, "players": told})))
    trainer = Trainer(
        small("grpo", policies=policies, players={"help": "other", "act": "mine"}, update__updates=1),
        clumsy(),
        EnvPool(ID),
    )
    (metrics,) = trainer.train()
    assert metrics["episodes"] == 64
    assert list(trainer.policies.learning) == ["mine"]
