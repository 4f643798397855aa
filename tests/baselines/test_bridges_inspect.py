"""Inspect AI: its own runner evaluates worlds, where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

WHY = "Inspect AI is not installed: pip install inspect-ai"
inspect_ai = pytest.importorskip("inspect_ai", reason=WHY)

from inspect_ai.model import get_model  # noqa: E402

from agentgym.baselines.bridges import inspect_worlds  # noqa: E402
from agentgym.baselines.bridges.chat import from_row, rows  # noqa: E402
from tests.baselines.calling import calling  # noqa: E402
from tests.baselines.scripted import endpoint, oracle_script  # noqa: E402

LAKE = {"size": 3, "slippery": False}


def test_a_sample_is_a_task_of_the_split() -> None:
    task = inspect_worlds.worlds("FrozenLake-v0", "train", 3, **LAKE)
    made = rows("FrozenLake-v0", "train", 3, **LAKE)
    assert [sample.id for sample in task.dataset] == [f"FrozenLake-v0-train-{seed}" for seed in range(3)]
    assert [sample.input for sample in task.dataset] == [row["prompt"][1]["content"] for row in made]


def test_its_runner_plays_to_the_end_and_scores_what_the_world_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = rows("FrozenLake-v0", "train", 3, **LAKE)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with endpoint(oracle_script(made)) as (address, asked):
        model = get_model("openai-api/scripted/oracle", base_url=address, api_key="none", responses_api=False)
        (log,) = inspect_ai.eval(
            inspect_worlds.worlds("FrozenLake-v0", "train", 3, **LAKE),
            model=model,
            log_dir=str(tmp_path),
            display="none",
            max_retries=0,
        )
    assert log.status == "success", log.error
    scores = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert scores["success"] == scores["progress"] == scores["return"] == 1.0
    assert scores["turns"] == pytest.approx(len(asked) / 3)
    first = next(each for each in asked if each["messages"][1]["content"] == made[0]["prompt"][1]["content"])
    assert first["messages"][0]["content"] == from_row(made[0]).manual


def test_a_model_that_says_nothing_of_use_scores_nothing(tmp_path: Path) -> None:
    task = inspect_worlds.worlds("FrozenLake-v0", "train", 1, max_turns=4, **LAKE)
    with calling([]) as (address, asked):
        model = get_model("openai-api/scripted/done", base_url=address, api_key="none", responses_api=False)
        (log,) = inspect_ai.eval(task, model=model, log_dir=str(tmp_path), display="none", max_retries=0)
    assert log.status == "success", log.error
    assert len(asked) == 4
    scores = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert (scores["success"], scores["return"], scores["turns"]) == (0.0, 0.0, 4.0)
