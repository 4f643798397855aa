"""Several worlds in one run: groups, tasks, credit and evaluation are each world's own; gradient steps are of all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.core import AgentGymError
from agentgym.rollout import EnvPool
from agentgym.train import Trainer, build_trainer, read_recipe, recipe_table
from agentgym.train.advantages import GroupRelative, WhitenedReturn
from agentgym.train.mixture import world_by_world
from tests.rollout.worlds import ID
from tests.train.making import random_episodes
from tests.train.methods import clumsy, small
from tests.train.test_self_play import SMALL

BESIDE = [{"id": ID, "groups": 3, "horizon": 1, "tasks": {"name": "frontier", "pool": 8}}]
GAMES: dict[str, Any] = {
    "mixture": [{"id": "TicTacToe-v0", "groups": 1, "opponent": "self_play", "horizon": 2}],
    "callback": [{"name": "evaluate", "every": 1, "tasks": 2}],
    "model.tiny.context": 1024,
    "model.max_new_tokens": 8,  # `place 5` takes 5
}


def test_each_world_has_groups_tasks_and_a_horizon_of_its_own() -> None:
    trainer = Trainer(small("grpo", mixture=BESIDE, update__updates=2), clumsy(), EnvPool(ID), EnvPool(ID))
    seen: list[Any] = []
    report = trainer._metrics
    trainer._metrics = lambda *args: seen.extend(each.episodes for each in args[2]) or report(*args)  # type: ignore
    metrics = trainer.train()[-1]
    names = [ID, f"{ID}#2"]
    assert list(metrics["worlds"]) == names
    assert [metrics["worlds"][name]["episodes"] for name in names] == [8 * 8, 3 * 8]
    assert [metrics["worlds"][name]["turns"] for name in names] == [3, 1]
    assert metrics["episodes"] == 11 * 8
    assert metrics["groups"] == 11
    assert {episode.world for episode in seen[0]} == set(names)
    groups = [{episode.group for episode in seen[0] if episode.world == name} for name in names]
    assert groups == [set(range(8)), {8, 9, 10}]
    assert {int(episode.task_id) for episode in seen[0] if episode.world == names[1]} <= set(range(8))
    assert trainer.worlds[0].tasks.state() is None
    assert trainer.worlds[1].tasks.state()  # what its sampler saw, and the other did not


def test_the_first_world_is_played_as_if_it_were_alone() -> None:
    alone = Trainer(small("grpo", update__updates=1), clumsy(), EnvPool(ID))
    mixed = Trainer(small("grpo", mixture=BESIDE, update__updates=1), clumsy(), EnvPool(ID), EnvPool(ID))
    assert mixed._starts(0, 8) == alone._starts(0, 8)
    starts = [mixed._starts(0, 3, world) for world in mixed.worlds]
    assert not {start.sample for start in starts[0]} & {start.sample for start in starts[1]}
    assert alone.train()[0]["return"] == mixed.train()[0]["worlds"][ID]["return"]


@pytest.mark.parametrize("term", [GroupRelative(scale="batch"), GroupRelative("batch", "none"), WhitenedReturn()])
def test_credit_mixes_no_two_worlds(term: Any) -> None:
    one, other = random_episodes(0, 8), random_episodes(1, 8)
    for episode in other:
        episode.world, episode.group = "other", episode.group + 2
        object.__setattr__(episode.turns[-1], "reward", 100 * episode.turns[-1].reward)
    mixed = [episode for pair in zip(one, other, strict=True) for episode in pair]
    found = world_by_world(mixed, term)
    for place, (mine, theirs) in enumerate(zip(term(one), term(other), strict=True)):
        for row, wanted in zip([*found[2 * place], *found[2 * place + 1]], [*mine, *theirs], strict=True):
            assert np.array_equal(row, wanted)
    assert not all(np.array_equal(a, b) for rows, whole in zip(found, term(mixed), strict=True)
                   for a, b in zip(rows, whole, strict=True))  # fmt: skip


@pytest.mark.full
def test_two_games_are_cloned_trained_evaluated_and_gone_on_with(tmp_path: Path) -> None:
    table = recipe_table("grpo", {**SMALL, **GAMES, "checkpoint.every": 1, "regularizer": [
        {"name": "entropy", "coefficient": 1.0}]})  # fmt: skip
    whole = build_trainer(table, tmp_path / "whole")
    history = whole.train()
    whole.close()
    assert set(history[-1]["eval_worlds"]) == {"KuhnPoker-v0", "TicTacToe-v0"}
    own = [each["eval_return"] for each in history[-1]["eval_worlds"].values()]
    assert history[-1]["eval_return"] == pytest.approx(sum(own) / 2)
    half = build_trainer(table, tmp_path / "half")
    half.train_step()
    half.close()
    rest = build_trainer(table, tmp_path / "half")
    rest.train()
    rest.close()
    for name, weight in rest.engine.model.named_parameters():
        assert torch.equal(weight, dict(whole.engine.model.named_parameters())[name]), name


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"mixture": {"id": ID}}, r"write \[\[mixture\]\]"),
        ({"mixture": [{"id": "FrozenLake-v0", "opponent": "self_play"}]}, "mixture.opponent has no effect"),
        ({"mixture": [{"id": "FrozenLake-v0", "env_kwargs": {"sizes": 3}}]}, "did you mean 'size'"),
        ({"mixture": [{"id": "FrozenLake-v0", "groups": 0}]}, "mixture.groups must be above 0"),
        ({"mixture": [{"id": "FrozenLake-v0", "split": "val"}]}, "unknown setting of mixture"),
        ({"mixture": [{"id": "FrozenLake-v0"}], "policies": {"a": {}}, "players": {"x": "a"}}, "in every world"),
    ],
)
def test_mixtures_that_make_no_sense_are_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(AgentGymError, match=complaint) as refused:
        read_recipe(recipe_table("grpo", changes))
    assert "\n" not in str(refused.value)


def test_one_pool_a_world() -> None:
    with pytest.raises(AgentGymError, match="plays 2 worlds, but 1 were given"):
        Trainer(small("grpo", mixture=BESIDE), clumsy(), EnvPool(ID))
