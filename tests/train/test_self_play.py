"""Self-play: every player learns from its own episodes, or one player at a time against a script."""

from __future__ import annotations

from typing import Any

import pytest

from agentgym.core import AgentGymError
from agentgym.rollout import EnvPool, demonstrate
from agentgym.train import recipe_table, run_recipe

SMALL: dict[str, Any] = {
    "world": {"id": "KuhnPoker-v0", "env_kwargs": {"hands": 4}},
    "model.tiny": {"layers": 1, "width": 32, "heads": 2, "vocabulary": 400, "context": 1024},
    "clone.episodes": 16,
    "clone.batch": 8,
    "rollout.groups": 2,
    "rollout.group_size": 2,
    "rollout.opponent": "self_play",
    "update.updates": 2,
    "update.learning_rate": 1e-3,
    "callback": [{"name": "evaluate", "every": 2, "tasks": 2}],
}


def test_a_teacher_plays_every_player_and_every_reward_is_settled() -> None:
    world = EnvPool("KuhnPoker-v0", split="train", hands=4)
    episodes = demonstrate(world, range(6), noise=0.5, seed=0)
    assert [episode.player for episode in episodes] == ["player_0", "player_1"] * 6
    for one, other in zip(episodes[::2], episodes[1::2], strict=True):
        assert one.group == other.group
        assert one.total_return == -other.total_return  # a zero-sum game, and no chip is lost on the way
        assert one.stop == other.stop == "terminated"
    assert demonstrate(world, range(6), noise=0.5, seed=0) == episodes
    with pytest.raises(AgentGymError, match="from 0 to 1"):
        demonstrate(world, [0], noise=2, seed=0)


def test_all_players_learn_in_self_play(tmp_path: Any) -> None:
    trainer = run_recipe(recipe_table("grpo", SMALL), tmp_path / "run")
    first, last = trainer.history
    assert first["episodes"] == 2 * 2 * 2  # two groups of two games, two players each
    assert first["return"] == pytest.approx(0)
    assert "eval_success" in last
    players = {
        line.split('"policy": "')[1][:8] for line in (tmp_path / "run" / "episodes.jsonl").read_text().splitlines()
    }
    assert players == {"player_0", "player_1"}


def test_an_evaluation_may_write_out_its_tasks_and_sample_otherwise() -> None:
    """A hand whose deal is written out, at a temperature at which the policy says its favourite."""
    listed = {"name": "evaluate", "every": 1, "tasks": 3, "specs": [{"deals": ["KJ"]}], "opponent": "random"}
    found = []
    for temperature in (1e-3, 1e-4):
        settings = {**SMALL, "callback": [{**listed, "temperature": temperature}]}
        trainer = run_recipe(recipe_table("grpo", settings))
        assert trainer.engine.temperature == 1.0  # as it was
        found.append([metrics["eval_return"] for metrics in trainer.history])
    assert found[0] == found[1]
    usual = run_recipe(recipe_table("grpo", {**SMALL, "callback": [{"name": "evaluate", "every": 1, "tasks": 3}]}))
    assert [metrics["eval_return"] for metrics in usual.history] != found[0]


def test_against_a_script_the_policy_is_each_player_in_turn(tmp_path: Any) -> None:
    settings = {**SMALL, "rollout.opponent": "random", "callback": []}
    trainer = run_recipe(recipe_table("grpo", settings), tmp_path / "run")
    assert [metrics["episodes"] for metrics in trainer.history] == [4, 4]
    lines = (tmp_path / "run" / "episodes.jsonl").read_text().splitlines()
    players = [line.split('"policy": "')[1][:8] for line in lines]
    assert players == ["player_0"] * 4 + ["player_1"] * 4


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"rollout.opponent": "simpel"}, "did you mean 'simple'"),
        ({"rollout.strategy": {"name": "branching", "every": 1}}, "with the strategy independent"),
        ({"world": {"id": "FrozenLake-v0"}}, "has one player"),
    ],
)
def test_what_makes_no_sense_with_several_players_is_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(AgentGymError, match=complaint):
        run_recipe(recipe_table("grpo", {**SMALL, **changes}))
