"""A program that knows nothing of training plays a served world, and gets better at it."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agentgym.serve.learning import LearningServer
from agentgym.serve.metrics import Log
from agentgym.serve.record_app import RecordSettings, make_record_app
from agentgym.train.recipe_files import recipe_table
from agentgym.train.run import build_trainer
from tests.serve.conftest import serving, starter
from tests.serve.test_recording_commands import play

WORLD, GROUPS, SIZE, UPDATES = "FrozenLake-v0", 8, 6, 25
OPTIONS = ("--env", "size=4", "--env", "slippery=false", "--env", "frozen=0.8")  # as the recipe's base plays it
SETTINGS = {
    "world.id": WORLD,
    "clone.episodes": 600,
    "rollout.groups": GROUPS,
    "rollout.group_size": SIZE,
    "update.updates": UPDATES,
    "update.learning_rate": 1e-3,
}
ENDS, LEAST_RISE = 5, 0.1  # updates at either end, and by how much success has to differ


@pytest.mark.full
@pytest.mark.timeout(3000)
def test_success_rises_on_a_served_world(tmp_path: Path) -> None:
    with starter() as begin:
        worlds = begin(WORLD, *OPTIONS).url
        trainer = build_trainer(recipe_table("record_grpo", {**SETTINGS, "records.world": worlds}), tmp_path / "run")
        with (tmp_path / "log").open("w") as log:
            server = LearningServer(RecordSettings(trainer.records, "tiny", world=worlds), trainer, Log(log))
            with serving(make_record_app(server)) as url, ThreadPoolExecutor(GROUPS * SIZE) as threads:
                for number in range(UPDATES):
                    places = [(task, k) for task in range(GROUPS) for k in range(SIZE)]
                    jobs = [(f"r{number}-{task}-{k}", number * GROUPS + task) for task, k in places]
                    list(threads.map(lambda job: play(url, worlds, *job), jobs))
        trainer.close()
    assert server.failed is None
    curve = [update["success"] for update in trainer.history]
    sys.stdout.write(f"success by update: {[round(each, 3) for each in curve]}\n")
    assert len(curve) == UPDATES
    assert all(update["stale"] == 0 for update in trainer.history)
    assert sum(curve[-ENDS:]) / ENDS - sum(curve[:ENDS]) / ENDS > LEAST_RISE, curve
