"""What a training run has learned, evaluated: the same tokens and transcripts as in the run's own evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra `train` is not installed")
pytest.importorskip("transformers", reason="the extra `train` is not installed")

from agentgym.agents import Prompt, run_policy
from agentgym.agents.context import Window
from agentgym.cli import run as command
from agentgym.core import DataError
from agentgym.evaluate import AgentSetting, RecordHeader, evaluate, read_episodes, record_episode, replay
from agentgym.rollout import EnvPool, RecordOptions, assign_roles, play
from agentgym.rollout.evaluation import evaluation_specs
from agentgym.train import Trainer, evaluate_policy, recipe_table, run_recipe

WORLD, ENV_KWARGS, TASKS, SEED = "FrozenLake-v0", {"size": 3, "slippery": False}, 6, 11
SMALL = {
    "world": {"id": WORLD, "env_kwargs": ENV_KWARGS},
    "model": {"tiny": {"layers": 1, "width": 32, "heads": 2, "context": 2048}, "max_new_tokens": 4},
    "clone": {"episodes": 24, "noise": 0.2, "epochs": 2},
    "rollout": {"groups": 2, "group_size": 2},
    "update": {"updates": 1, "steps": 2},
    "callback": [],
}


def trained(folder: Path, **changes: Any) -> Trainer:
    return run_recipe(recipe_table("grpo", {**SMALL, **changes}), folder)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {
            "model.manual": True,
            "model.answer": "last_line",
            "rollout.context": {"name": "window", "turns": 1},
            "world.wrappers": [{"name": "AdmissibleInText"}],
        },
    ],
    ids=["bare", "with manual, window and wrapper"],
)
def test_eval_gives_the_transcripts_of_the_runs_own_evaluation(tmp_path: Path, changes: dict[str, Any]) -> None:
    """Byte for byte, and token for token."""
    trainer = trained(tmp_path / "run", **changes)
    world = trainer.recipe.world
    pool = EnvPool(WORLD, wrappers=world.wrappers, split="val", **ENV_KWARGS)
    own = evaluate_policy(trainer.engine, pool, range(TASKS), seed=SEED)
    agent = f"run:{tmp_path / 'run'}"
    arguments = [WORLD, "--agent", agent, "--split", "val", "--episodes", str(TASKS), "--seed", str(SEED)]
    assert command(["eval", *arguments, "--out", str(tmp_path / "eval")]) == 0
    found = {episode.task_id: episode for episode in read_episodes(tmp_path / "eval")}
    assert [episode.task_id for episode in own] == list(found)
    for episode in own:
        theirs = found[episode.task_id]
        assert [(turn.observation, turn.action, turn.reward) for turn in episode.turns] == [
            (turn.observation, turn.action, turn.reward) for turn in theirs.turns
        ]
        assert (episode.final, episode.success, episode.stop) == (
            theirs.only.final_observation, theirs.success, theirs.stop,
        )  # fmt: skip
    # The whole lines, made here from the trainer's own policy, but for the time that they took.
    cast = assign_roles(trainer.engine, pool)
    specs = evaluation_specs(pool, range(TASKS), SEED)
    ours = play(pool, cast, specs, options=RecordOptions(infos=True))
    first = next(iter(found.values()))
    header = RecordHeader(first.env, ENV_KWARGS, "val", {agent: AgentSetting()}, first.wrappers)
    told = [record_episode(running, pool, header, {pool.players[0]: agent}) for running in ours]
    lines = [each.to_line().rpartition('"wall_seconds"')[0] for each in told]
    assert lines == [each.to_line().rpartition('"wall_seconds"')[0] for each in found.values()]
    # And the tokens, with what was read.
    saved = run_policy(path=str(tmp_path / "run"), device="cpu")
    assert saved.prompt == trainer.engine.prompt == trainer.recipe.prompt
    again = evaluate_policy(saved, pool, range(TASKS), seed=SEED)
    assert [episode.segments for episode in again] == [episode.segments for episode in own]
    assert all(outcome.same for outcome in replay(tmp_path / "eval"))


def test_a_run_brings_its_world_along_unless_told_otherwise(tmp_path: Path) -> None:
    trained(tmp_path / "run")
    agent = f"run:{tmp_path / 'run'}"
    result = evaluate(WORLD, agent, split="val", episodes=2, out=tmp_path / "own")
    assert result.config.env_kwargs == ENV_KWARGS
    other = evaluate(WORLD, agent, split="val", episodes=2, out=tmp_path / "other", env_kwargs={"size": 4})
    assert other.config.env_kwargs == {**ENV_KWARGS, "size": 4}
    assert other.episodes[0].turns[0].observation != result.episodes[0].turns[0].observation


def test_what_is_played_is_what_was_learned_last(tmp_path: Path) -> None:
    trainer = trained(tmp_path / "run")
    assert run_policy(path=str(tmp_path / "run"), device="cpu").version == trainer.engine.version == 1
    assert run_policy(path=str(tmp_path / "run" / "cloned"), device="cpu").version == 0
    with pytest.raises(DataError, match="holds no run that has saved a policy"):
        run_policy(path=str(tmp_path / "nowhere"))


def test_prompts_of_recipes() -> None:
    from agentgym.train import read_recipe

    table = {**SMALL, "model.manual": True, "rollout.context": {"name": "window", "turns": 2}}
    assert read_recipe(recipe_table("grpo", table)).prompt == Prompt(manual=True, context=Window(2))
