"""Runs that come first: specialists learn by themselves, and one policy clones what they did well."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from agentgym.cli import run
from agentgym.core import ConfigError, DataError, Task, TaskSet
from agentgym.core.tasks import FiniteTaskSet
from agentgym.reproduce.trial import _shares_clone
from agentgym.rollout import EnvPool
from agentgym.train import read_lines, recipe_table, run_recipe
from agentgym.train.recipe import run_table
from agentgym.train.recorded import recorded
from tests.rollout.worlds import CARD, SIZE, WORDS
from tests.train.cutting import Cut, cut_at
from tests.train.test_proposals import Spelled

SELF = "tests.train.test_run_first"
ID = "AgentGymTests/Chosen-v0"
WARM, COLD = ["red", "pink"], ["green", "blue"]


class Chosen(Spelled):
    """The echo world with a choice of its words: the same task ids stand for other tasks."""

    card = replace(CARD, id=ID, entry_point=f"{SELF}:Chosen")

    def __init__(self, *, chosen: tuple[str, ...] = WORDS, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._chosen = tuple(chosen)

    def tasks(self, split: str) -> TaskSet:
        def make(task_id: str) -> Task:
            place, own = int(task_id), self._chosen
            words = [own[(place // 4**turn) % len(own)] for turn in range(3)]
            return Task(task_id, split, "Say what is shown.", {"place": place, "words": words})

        return FiniteTaskSet(split, [str(place) for place in range(SIZE)], make)


if ID not in gym.registry:
    gym.register(id=ID, entry_point=f"{SELF}:Chosen")

TABLE: dict[str, Any] = {
    "world": {"id": ID},
    "model": {"tiny": {"layers": 1, "width": 32, "heads": 2, "context": 128, "vocabulary": 300}, "max_new_tokens": 3},
    "clone": {
        "episodes": 64, "epochs": 12, "batch": 8, "learning_rate": 1e-2, "noise": 0.2,
        "runs": {
            "warm": {"world": {"env_kwargs": {"chosen": WARM}}},
            "cold": {"world": {"env_kwargs": {"chosen": COLD}}, "seed": 1},
        },
    },
    "rollout.groups": 4,
    "rollout.group_size": 4,
    "update.updates": 2,
    "update.learning_rate": 1e-3,
    "checkpoint.every": 1,
    "callback": [],
}  # fmt: skip


@pytest.fixture(scope="module")
def generalist(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, int, int]]]:
    """A run of two specialists and who clones them, and what was told of it."""
    folder, told = tmp_path_factory.mktemp("generalist"), []

    def tell(phase: str, done: int, total: int, metrics: Any) -> None:
        told.append((phase, done, total))

    run_recipe(recipe_table("grpo", TABLE), folder, tell=tell)
    return folder, told


def successes(folder: Path) -> list[dict[str, Any]]:
    return [line for line in read_lines(folder / "episodes.jsonl") if line["success"]]


def test_what_each_specialist_did_well_is_what_is_cloned(generalist: Any) -> None:
    folder, told = generalist
    phases = list(dict.fromkeys(phase for phase, _, _ in told))
    own = ["demonstrations", "clone", "updates"]
    assert phases == [*(f"{name}: {phase}" for name in ("warm", "cold") for phase in own), *own]
    for name, words in (("warm", WARM), ("cold", COLD)):
        recipe = json.loads((folder / "runs" / name / "recipe.json").read_text())
        assert recipe["world"]["env_kwargs"] == {"chosen": words}
        assert "runs" not in recipe["clone"]
        assert recipe.get("seed", 0) == (name == "cold")
        seen = {turn["observation"].split()[-1] for line in read_lines(folder / "runs" / name / "episodes.jsonl")
                for turn in line["turns"][1:]}  # fmt: skip
        assert seen <= set(words)
    found = [len(successes(folder / "runs" / name)) for name in ("warm", "cold")]
    assert all(found), "else nothing can be cloned"
    assert [entry for entry in told if entry[0] == "demonstrations"][-1] == ("demonstrations", sum(found), 128)
    assert len(read_lines(folder / "episodes.jsonl")) == 2 * 16


def test_of_a_training_the_newest_successes_are_taken_and_played_again(generalist: Any) -> None:
    folder, _ = generalist
    warm = folder / "runs" / "warm"
    shown = recorded(EnvPool(ID), [warm], "train", 2)
    assert len(shown) == 2
    for (task, episode), line in zip(shown, successes(warm)[-2:], strict=True):
        assert isinstance(task, dict), "in the world of all words the id is that of another task"
        assert [turn.action for turn in episode.turns] == [turn["action"] for turn in line["turns"]]
        assert episode.success
    same = recorded(EnvPool(ID, chosen=WARM), [warm], "train", 1)
    assert [task for task, _ in same] == [successes(warm)[-1]["task_id"]]


def test_tasks_that_were_proposed_are_played_again(tmp_path: Path) -> None:
    spec = {"place": 5000, "words": ["red", "blue", "red"]}
    changes = {**TABLE, "rollout.tasks": {"name": "listed", "specs": [spec]}}
    table = recipe_table("grpo", {**changes, "clone": {**TABLE["clone"], "noise": 0.0, "runs": {}}})
    run_recipe(table, tmp_path)
    shown = recorded(EnvPool(ID), [tmp_path], "train", 3)
    assert [task for task, _ in shown] == [spec] * len(shown)
    assert {episode.split for _, episode in shown} == {"custom"}


def test_a_run_that_was_cut_off_trains_nobody_twice(generalist: Any, tmp_path: Path) -> None:
    whole, _ = generalist
    table = recipe_table("grpo", TABLE)
    for phase, done in (("cold: updates", 1), ("updates", 1)):
        with pytest.raises(Cut):
            run_recipe(table, tmp_path, tell=cut_at(phase, done))
    told: list[str] = []
    run_recipe(table, tmp_path, tell=lambda phase, *_: told.append(phase))
    assert set(told) == {"updates"}, "the clone is there"
    for name in ("runs/warm", "runs/cold", "."):
        played = [read_lines(folder / name / "episodes.jsonl") for folder in (tmp_path, whole)]
        assert played[0] == played[1]


def test_what_cannot_be_cloned_is_refused_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(match: str, folder: Path | None = tmp_path / "run", **changes: Any) -> None:
        with pytest.raises(ConfigError, match=match):
            run_recipe(recipe_table("grpo", {**TABLE, **changes}), folder)
        assert folder is None or not folder.exists()

    refused("recorded in the folder of the run", None)
    refused(r"clone\.runs\.warm: .*unknown setting of update", **{"clone.runs.warm.update.rate": 1})
    refused("by a name of letters", **{"clone.runs": {"../warm": {}}})
    refused("both say what is cloned", **{"clone.transcripts": "elsewhere"})
    two = {"policies": {"a": {}, "b": {}}, "players": {"plan": "a", "act": "b"}}
    refused(r"clone\.runs\.warm: what is cloned are successes of a policy", **two)
    assert run(["train", "grpo", "--clone.runs.one.world.idd", "x", "--out", str(tmp_path / "run")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_training_of_several_or_without_success_is_refused(tmp_path: Path) -> None:
    def run_of(**table: Any) -> list[Path]:
        (tmp_path / "recipe.json").write_text(json.dumps({"world": {"id": ID}, **table}))
        return [tmp_path]

    with pytest.raises(ConfigError, match=r"a training with \[players\].*agentgym eval"):
        recorded(EnvPool(ID), run_of(players={"act": "a"}), "train", 3)
    with pytest.raises(DataError, match="holds no success yet"):
        recorded(EnvPool(ID), run_of(), "train", 3)
    turn = {"observation": "red", "action": "red", "reward": 1.0, "valid": True}
    line = {"task_id": "custom-1", "split": "custom", "seed": 0, "success": True, "score": 1.0, "stop": "terminated"}
    (tmp_path / "episodes.jsonl").write_text(json.dumps({**line, "failure": "", "final": "", "turns": [turn]}) + "\n")
    with pytest.raises(ConfigError, match="holds an episode of AgentGymTests/Chosen-v0 custom"):
        recorded(EnvPool(ID), run_of(), "train", 3)


def test_arms_share_no_clone_of_runs_of_their_own() -> None:
    table = recipe_table("grpo", TABLE)
    assert not _shares_clone(table)
    assert _shares_clone(run_table(table, "warm"))
    assert not _shares_clone({"world": {"id": ID}})
