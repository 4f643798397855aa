"""What a person recorded is cloned like what an expert shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentgym.core import ConfigError, DataError
from agentgym.evaluate import evaluate, read_episodes
from agentgym.rollout import EnvPool
from agentgym.train.config import CloneConfig
from agentgym.train.recorded import recorded


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("record") / "lake"
    return evaluate("FrozenLake-v0", "expert", split="train", episodes=4, workers=0, out=out).folder


def test_episodes_are_those_on_record(record: Path) -> None:
    ended: list[int] = []
    shown = recorded(EnvPool("FrozenLake-v0"), record, "train", 3, ended.append)
    kept = read_episodes(record)[:3]
    assert [episode.task_id for episode in shown] == [each.task_id for each in kept]
    for episode, each in zip(shown, kept, strict=True):
        assert [(turn.observation, turn.action, turn.reward) for turn in episode.turns] == [
            (turn.observation, turn.action, turn.reward) for turn in each.turns
        ]
        assert (episode.success, episode.final) == (each.success, each.only.final_observation)
    assert sum(ended) == 3


def test_a_record_of_something_else_is_refused(record: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds an episode of AgentGym/FrozenLake-v0 train, but the recipe is of"):
        recorded(EnvPool("LightsOut-v0"), record, "train", 3)
    with pytest.raises(ConfigError, match="FrozenLake-v0 val"):
        recorded(EnvPool("FrozenLake-v0", split="val"), record, "val", 3)
    with pytest.raises(DataError, match=r"another observation than on record; world\.env_kwargs"):
        recorded(EnvPool("FrozenLake-v0", size=5), record, "train", 3)
    with pytest.raises(ConfigError, match="is for worlds of one player"):
        recorded(EnvPool("KuhnPoker-v0"), record, "train", 3)
    with pytest.raises(DataError, match="there is no file"):
        recorded(EnvPool("FrozenLake-v0"), tmp_path, "train", 3)
    (tmp_path / "episodes.jsonl").write_text("")
    with pytest.raises(DataError, match="no finished episode"):
        recorded(EnvPool("FrozenLake-v0"), tmp_path, "train", 3)


def test_an_episode_that_was_cut_short_is_named(record: Path, tmp_path: Path) -> None:
    line = json.loads((record / "episodes.jsonl").read_text().splitlines()[0])
    line["turns"] = line["turns"][:-1]
    (tmp_path / "episodes.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(DataError, match="goes on after its end"):
        recorded(EnvPool("FrozenLake-v0"), tmp_path, "train", 3)


@pytest.mark.parametrize("other", [{"noise": 0.1}, {"teacher": "strong"}])
def test_what_has_no_effect_on_a_record_is_refused(other: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"have no effect on clone\.transcripts"):
        CloneConfig(3, "runs/people", **other)  # type: ignore[arg-type]
