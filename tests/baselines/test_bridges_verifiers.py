"""`verifiers`: runs where it is installed, with `uv`, by which it starts its players."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

WHY = "verifiers is not installed: pip install '.[verifiers]', into an environment of its own"
pytest.importorskip("verifiers.v1", reason=WHY)

from agentgym.baselines.bridges import verifiers_worlds  # noqa: E402
from agentgym.baselines.bridges.chat import rows  # noqa: E402
from tests.baselines.scripted import endpoint, oracle_script  # noqa: E402

BESIDE = str(Path(sys.executable).parent)  # where pip puts the `uv` of this environment
LAKE = {"world": "FrozenLake-v0", "split": "train", "arguments": {"size": 3, "slippery": False}}


def test_the_taskset_names_every_task_and_gives_the_manual() -> None:
    config = verifiers_worlds.WorldsConfig(id="agentgym_worlds", **LAKE, count=4)
    tasks = list(verifiers_worlds.WorldsTaskset(config))
    assert [task.data.name for task in tasks] == [f"FrozenLake-v0#{seed}" for seed in range(4)]
    assert len({task.key for task in tasks}) == 4
    assert all("<action>" in task.data.system_prompt for task in tasks)


@pytest.mark.skipif(shutil.which("uv", path=BESIDE + os.pathsep + os.environ["PATH"]) is None, reason="there is no uv")
def test_a_model_plays_to_the_end_and_is_paid_what_the_world_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", BESIDE + os.pathsep + os.environ["PATH"])
    made = rows(LAKE["world"], LAKE["split"], 2, **LAKE["arguments"])
    with endpoint(oracle_script(made)) as (address, asked):
        episodes = verifiers_worlds.evaluate(address, "scripted", {**LAKE, "count": 2})
    turns = 0.0
    for row, episode in zip(made, episodes, strict=True):
        (trace,) = episode.traces
        assert trace.rewards["world"].score == 1.0
        assert trace.metrics["success"] == trace.metrics["progress"] == 1.0
        turns += trace.metrics["turns"]
        first = next(each for each in asked if each["messages"][1]["content"] == row["prompt"][1]["content"])
        assert [message["role"] for message in first["messages"]] == ["system", "user"]
        assert first["messages"][0]["content"] == row["prompt"][0]["content"]
    assert turns == len(asked) > 2
