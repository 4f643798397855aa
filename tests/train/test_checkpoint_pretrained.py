"""SmolLM2 with adapters: it learns, is saved, is killed, goes on, and is evaluated as it was asked in training."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from agentgym.agents import run_policy
from agentgym.evaluate import evaluate
from agentgym.rollout import EnvPool
from agentgym.train import evaluate_policy, read_lines, recipe_table, run_recipe
from tests.agents.pretrained import need_smollm2

LAKE = "FrozenLake-v0"
SETTINGS: dict[str, Any] = {
    "world.id": LAKE, "world.env_kwargs.max_turns": 2, "model.device": "cpu", "clone.episodes": 2, "clone.epochs": 1,
    "rollout.groups": 2, "rollout.group_size": 2, "update.updates": 2, "checkpoint.every": 1, "checkpoint.keep": 2,
    "regularizer": [{"name": "entropy", "coefficient": 0.01}],  # groups of which none succeeds teach something too
}  # fmt: skip
PROGRAM = """
import json, sys
from agentgym.train import run_recipe

def tell(phase, done, total, metrics):
    print(phase, done, flush=True)

run_recipe(json.loads(sys.argv[1]), sys.argv[2], tell=tell)
"""


def killed_after(stop: str, table: dict[str, Any], folder: Path) -> int:
    """Train in a process of its own, and kill it without warning when it has said `stop`."""
    words = [sys.executable, "-c", PROGRAM, json.dumps(table), str(folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip() == stop:
                process.send_signal(signal.SIGKILL)
        return process.wait()


def adapters(folder: Path) -> dict[str, torch.Tensor]:
    state: dict[str, Any] = torch.load(folder / "state.pt", weights_only=True)
    return dict(state["weights"])


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_smollm2_learns_is_killed_goes_on_and_is_asked_the_same_in_evaluation(tmp_path: Path) -> None:
    need_smollm2()
    pytest.importorskip("peft", reason="the extra `train` is not installed")
    table, run = recipe_table("smollm2_grpo", SETTINGS), tmp_path / "run"
    assert killed_after("updates 1", table, run) == -signal.SIGKILL
    first = adapters(run / "checkpoint-000001")
    began = read_lines(run / "updates.jsonl")[0]
    assert all("lora" in name for name in first)
    trainer = run_recipe(table, run)
    assert (trainer.update, trainer.engine.version) == (2, 2)
    assert trainer.history[0] == began, "what was done stands"
    second = adapters(run / "checkpoint-000002")
    assert any(not torch.equal(second[name], weight) for name, weight in first.items())

    played = run_policy(path=str(run), device="cpu")
    assert played.prompt == trainer.recipe.prompt == trainer.engine.prompt
    tasks, seed = [0, 1], 7
    both = [
        evaluate_policy(engine, EnvPool(LAKE, split="test", **table["world"]["env_kwargs"]), tasks, seed=seed)
        for engine in (trainer.engine, played)
    ]
    mine, its = ([segment for episode in each for segment in episode.segments] for each in both)
    assert [segment.token_ids for segment in mine] == [segment.token_ids for segment in its]
    text = trainer.engine.tokenizer.decode(mine[0].token_ids)
    assert "Walk over the frozen lake" in text
    assert "Answer with one action" not in text, "the recipe leaves the manual out"
    found = evaluate(
        LAKE, f"run:{run}", split="test", episodes=2, seed=seed, workers=0, out=tmp_path / "eval",
        agent_options={"device": "cpu"},
    )  # fmt: skip
    said = [[turn.action for turn in episode.turns] for episode in found.episodes]
    assert said == [[turn.action for turn in episode.turns] for episode in both[0]]
