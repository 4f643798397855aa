"""Several policies in one run: who speaks is written down, each learns from its own words, and a base stands once."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from agentgym.agents import run_policy
from agentgym.core import AgentGymError
from agentgym.rollout import Delegation, EnvPool, Role, demonstrate
from agentgym.train import (
    CloneConfig,
    HuggingFaceEngine,
    Trainer,
    build_trainer,
    clone,
    read_recipe,
    recipe_table,
    tokenize,
)
from agentgym.train.adapters import AdapterModel
from tests.agents.pretrained import save_small
from tests.rollout.worlds import ID, SIZE
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


def test_steps_of_the_world_are_counted_once_whoever_speaks_in_them() -> None:
    for strategy in ("independent", {"name": "branching", "turns": [1]}):
        trainer = Trainer(small("grpo", **ROLES, rollout__strategy=strategy), clumsy(), EnvPool(ID))
        act, steps = trainer.world._backend.act, [0]

        def counted(moves: Any, options: Any, act: Any = act, steps: list[int] = steps) -> Any:
            steps[0] += len(moves)
            return act(moves, options)

        trainer.world._backend.act = counted  # type: ignore[method-assign]
        told = trainer.train_step()
        assert told["world_steps"] == steps[0] == trainer.world.steps
        branched = [each for each in trainer.others if each.parent is not None and each.parent.kind == "branch"]
        assert len(branched) == (32 if strategy != "independent" else 0)
        acted = [each for each in trainer.others if each.role == "act"]
        assert steps[0] == sum(len(each.turns) for each in acted) - len(branched)


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


@pytest.mark.full
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


DELEGATE: dict[str, Any] = {"name": "helper", "policy": "policy", "call": "r", "turns": 1, "instruction": "help"}


@cache
def _handing_over() -> HuggingFaceEngine:
    """A policy that says about half of the words right where it is told that it may hand things over."""
    engine = clumsy()
    told = Delegation("helper", Role(engine), call="r", turns=1).told
    shown = demonstrate(EnvPool(ID), range(SIZE), noise=0.5, seed=2)
    for episode in shown:
        first = episode.turns[0]
        episode.turns[0] = replace(first, observation=f"{told}\n{first.observation}")
    clone(engine, tokenize(shown, engine.chat, engine.context_limit), CloneConfig(SIZE, epochs=12, learning_rate=1e-2))
    return engine


def handing_over() -> HuggingFaceEngine:
    """A fresh copy of it."""
    engine = _handing_over()
    return HuggingFaceEngine(copy.deepcopy(engine.model), engine.tokenizer, max_new_tokens=3)


@pytest.mark.parametrize("world", [None, "same", {"id": ID}])
def test_children_that_a_turn_opens_are_learned_from(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who says "red" hands "ed" over, within the three turns that the world allows."""
    delegate = DELEGATE | {"policy": "worker"} | ({} if world is None else {"world": world})
    tables: dict[str, Any] = {
        "policies": {"planner": {"trainable": False}, "worker": {}},
        "players": {"act": {"policy": "planner", "delegate": delegate}},
        "advantage": [{"name": "root_relative"}],
    }
    trainer = Trainer(small("grpo", **tables, update__updates=2), handing_over(), EnvPool(ID))
    engines = trainer.policies.engines
    begun = {name: weights(engine.model) for name, engine in engines.items()}
    learned: list[Any] = []
    report = trainer._metrics
    monkeypatch.setattr(trainer, "_metrics", lambda *args: learned.extend(args[2]) or report(*args))  # type: ignore[func-returns-value]
    metrics = trainer.train()
    parents = {each.number: each for each in trainer.others}
    assert equal(engines["planner"].model, begun["planner"])
    assert not equal(engines["worker"].model, begun["worker"])
    assert [update["kept"] for update in metrics] == [len(each.episodes) for each in learned]
    assert all(update["episodes"] >= update["kept"] > 10 for update in metrics)  # one alone in its group is left out
    acted = sum(len(each.turns) for each in trainer.others) - len(trainer.played)  # to hand over is no step of a world
    talked = sum(len(each.turns) for each in trainer.played)
    assert metrics[-1]["world_steps"] == acted + (talked if world is not None else 0)
    for each in learned:
        assert {episode.role for episode in each.episodes} == {"helper"}
        assert {turn.policy for episode in each.episodes for turn in episode.turns} == {"worker"}
        assert all(len(episode.turns) == 1 for episode in each.episodes)
        for episode, rows in zip(each.episodes, each.advantages, strict=True):
            for segment, row in zip(episode.segments, rows, strict=True):
                assert not row[[not mask for mask in segment.sampled_mask]].any()
        assert any(row.any() for rows in each.advantages for row in rows)
    for child in learned[-1].episodes:
        assert child.parent is not None
        parent = parents[child.parent.episode]
        assert child.group == parent.group
        assert parent.turns[child.parent.turn].action.startswith("r")
        assert len(parent.turns) + len(child.turns) <= 3
        assert child.total_return == parent.total_return


def test_parent_and_children_share_the_advantage_of_their_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    tables: dict[str, Any] = {
        "players": {"act": {"policy": "policy", "delegate": DELEGATE}}, "advantage": [{"name": "root_relative"}]
    }  # fmt: skip
    trainer = Trainer(small("grpo", **tables, update__updates=1), handing_over(), EnvPool(ID))
    learned: list[Any] = []
    report = trainer._metrics
    monkeypatch.setattr(trainer, "_metrics", lambda *args: learned.extend(args[2]) or report(*args))  # type: ignore[func-returns-value]
    (metrics,) = trainer.train()
    (only,) = learned
    children = [episode for episode in only.episodes if episode.parent is not None]
    roots = {e.number: (e, rows) for e, rows in zip(only.episodes, only.advantages, strict=True) if e.parent is None}
    assert len(roots) == 64
    assert children
    assert metrics["episodes"] == 64 + len(children)
    assert metrics["sampled_tokens"] == sum(sum(s.sampled_mask) for e in only.episodes for s in e.segments)
    paid = 0
    for episode, rows in zip(only.episodes, only.advantages, strict=True):
        if episode.parent is not None:
            whole = roots[episode.parent.episode][1]
            tree = {float(value) for row in whole for value in row if value}
            assert {float(value) for row in rows for value in row if value} == tree
            paid += bool(tree)
    assert paid


def test_the_example_of_the_documentation_is_a_recipe(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "tutorials" / "train_llm.md").read_text(encoding="utf8")
    (example,) = [block for block in page.split("```") if block.startswith("toml\n") and "delegate]" in block]
    (tmp_path / "helped.toml").write_text(example.removeprefix("toml\n"))
    recipe = read_recipe(recipe_table(str(tmp_path / "helped.toml")))
    act: Any = recipe.players["act"]
    assert (act.delegate.world, act.delegate.most, act.delegate.paid) == ("same", 2, "parent")
    assert [type(term).__name__ for term in recipe.advantages] == ["RootRelative"]


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
    ({"players": {"act": {"policy": "policy", "delegate": DELEGATE | {"turns": 0}}}}, "must be at least 1"),
    ({"players": {"act": {"policy": "policy", "delegate": DELEGATE | {"policy": "x"}}}}, "policy in .players."),
    ({"players": {"act": {"policy": "policy", "delegate": DELEGATE | {"paid": "own"}}}}, "earns nothing"),
    ({"players": {"act": {"policy": "policy", "delegate": DELEGATE | {"word": 1}}}}, "did you mean"),
    ({"players": {"act": {"policy": "policy", "delegate": DELEGATE | {"world": {"id": "Nowhere-v0"}}}}}, "Nowhere"),
    (
        {"players": {"act": {"policy": "policy", "delegate": DELEGATE | {"world": {"id": "KuhnPoker-v0"}}}}},
        "one player",
    ),
    ({"advantage": [{"name": "root_relative"}]}, "no part hands anything over"),
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
