"""Self-play: every player learns from its own episodes, or one player at a time against a script."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentgym.agents.hugging_face import run_home
from agentgym.core import AgentGymError
from agentgym.rollout import EnvPool, demonstrate
from agentgym.train import read_recipe, recipe_table, run_recipe

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


FORMATTED: dict[str, Any] = {
    **{key: value for key, value in SMALL.items() if key != "rollout.opponent"},
    "model.max_new_tokens": 24,
    "clone.episodes": 64,
    "clone.epochs": 12,
    "clone.learning_rate": 1e-2,
    "players": {
        "player_0": {"policy": "policy", "wrappers": [{"name": "JsonReply"}]},
        "player_1": {"policy": "policy", "wrappers": [{"name": "JsonReply"}]},
    },
}


@pytest.mark.full
def test_players_of_a_game_speak_through_wrappers_of_their_own(tmp_path: Any) -> None:
    """Taught, playing, evaluated against a scripted opponent, which speaks plainly, and as the run says afterwards."""
    trainer = run_recipe(recipe_table("grpo", FORMATTED), tmp_path / "run")
    trainer.close()
    episodes = [json.loads(line) for line in (tmp_path / "run" / "episodes.jsonl").read_text().splitlines()]
    assert {episode["player"] for episode in episodes} == {"player_0", "player_1"}
    said = [turn for episode in episodes for turn in episode["turns"]]
    assert sum(turn["valid"] for turn in said) > 0.5 * len(said)
    assert all(turn["action"].startswith("{") for turn in said if turn["valid"])
    assert trainer.history[-1]["eval_left_out"] == 0
    assert run_home(tmp_path / "run").wrappers == ({"name": "JsonReply"},)
    ((pool,), plan) = [world.pool for world in trainer.worlds], trainer.recipe.plans[0]
    assert list(plan.formats) == ["player_0", "player_1"]
    shown = demonstrate(pool, range(2), noise=0.0, seed=0)
    assert all(turn.action.startswith("{") and turn.valid for each in shown for turn in each.turns)


@pytest.mark.parametrize(
    ("players", "changes", "complaint"),
    [
        ({"player_0": {"policy": "policy", "wrappers": [{"name": "JsonReply"}]}, "player_1": "policy"}, {}, "equal"),
        (
            {"player_0": "policy", "player_1": {"policy": "random", "wrappers": [{"name": "ReAct"}]}},
            {},
            "wrappers have no effect on the scripted opponent",
        ),
        (
            {"player_0": {"policy": "policy", "wrappers": [{"name": "Horizon", "turns": 3}]}, "player_1": "random"},
            {},
            "Horizon cannot stand around a player",
        ),
        (
            {"player_0": {"policy": "policy", "wrappers": [{"name": "ReAct"}]}, "player_1": "random"},
            {"clone.teacher": "simple"},
            "speaks without wrappers",
        ),
        (
            {
                "player_0": {
                    "think": {"policy": "policy", "wrappers": [{"name": "ReAct"}]},
                    "act": "policy",
                },
                "player_1": "random",
            },
            {},
            "the last of its roles",
        ),
        (
            {"act": {"policy": "policy", "wrappers": [{"name": "ReAct"}]}},
            {"world": {"id": "FrozenLake-v0"}},
            "write world.wrappers",
        ),
    ],
)
def test_wrappers_that_make_no_sense_are_refused(
    players: dict[str, Any], changes: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(AgentGymError, match=complaint):
        read_recipe(recipe_table("grpo", {**FORMATTED, "players": players, **changes}))


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
