"""Agent programs are learned from while they play, and from what they left on record."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gymnasium as gym
import openai
import pytest
import requests

from agentgym.core import ConfigError, DataError
from agentgym.rollout import EnvPool
from agentgym.rollout.recordings import read_recordings
from agentgym.serve.learning import LearningServer
from agentgym.serve.metrics import Log
from agentgym.serve.record_app import RecordServer, RecordSettings, make_record_app
from agentgym.train import Run
from agentgym.train.records import RecordTrainer, whole_sessions
from tests.rollout.worlds import ID
from tests.serve.conftest import serving
from tests.serve.test_record_app import spy
from tests.train.methods import clumsy, small

LITTLE = {"rollout__groups": 4, "rollout__group_size": 4, "update__learning_rate": 3e-3}


def recipe(folder: Path | None = None, **changes: Any) -> Any:
    records = {} if folder is None else {"records.folder": str(folder)}
    return small("record_grpo", **{**LITTLE, **changes}, **records)


def play(url: str, session: str, task: int) -> float:
    """A program that knows nothing of training: it asks a model what to say, and says it."""
    client = openai.OpenAI(base_url=f"{url}/sessions/{session}/v1", api_key="any", max_retries=0)
    env = gym.make(ID)
    seen, info = env.reset(seed=0, options={"task": task})
    messages: list[Any] = []
    total, ended = 0.0, False
    while not ended:
        messages.append({"role": "user", "content": seen})
        said = client.chat.completions.create(model="any", messages=messages).choices[0].message.content
        messages.append({"role": "assistant", "content": said})
        seen, reward, terminated, truncated, info = env.step(said)
        total, ended = total + float(reward), terminated or truncated
    outcome = {"task": str(task), "reward": total, "success": info["success"]}
    answer = requests.post(f"{url}/sessions/{session}/outcome", json=outcome, timeout=60)
    assert answer.status_code == 200, answer.text
    return total


def play_round(url: str, number: int, groups: int = 4, size: int = 4) -> float:
    """The mean return of one session of each group member, all at once."""
    jobs = [(f"r{number}-{task}-{k}", (number * groups + task) % 64) for task in range(groups) for k in range(size)]
    with ThreadPoolExecutor(len(jobs)) as threads:
        earned = list(threads.map(lambda job: play(url, *job), jobs))
    return sum(earned) / len(earned)


def trainer(tmp_path: Path, **changes: Any) -> RecordTrainer:
    made = recipe(**changes)
    return RecordTrainer(made, clumsy(), EnvPool(ID), run=Run(tmp_path / "run", {"of": "a test"}))


def server_of(learner: RecordTrainer) -> LearningServer:
    stream = (learner.folder / "log").open("w")
    return LearningServer(RecordSettings(learner.records, "tiny"), learner, Log(stream))


def test_an_endpoint_learns_when_a_round_is_whole_from_exactly_what_was_sampled(tmp_path: Path) -> None:
    learner = trainer(tmp_path, update__updates=2)
    sampled = spy(learner.engine)
    before = learner.engine.weights_digest()
    server = server_of(learner)
    with serving(make_record_app(server)) as url:
        for number in range(3):
            play_round(url, number)
    learner.close()
    assert server.failed is None
    assert (learner.update, len(learner.history)) == (2, 2)
    assert learner.engine.weights_digest() != before
    assert [metrics["stale"] for metrics in learner.history] == [0, 0]
    assert all(metrics["mismatch"] < 1e-4 for metrics in learner.history)  # the first step sees what was noted
    episodes = read_recordings(learner.records)
    parts = [(segment, span) for episode in episodes for segment in episode.segments for span in segment.spans]
    learned = [
        (segment.token_ids[: span.start], tuple(segment.token_ids[span.start : span.end]),
         tuple((segment.logprobs or [])[span.start : span.end]))
        for segment, span in parts
    ]  # fmt: skip
    assert sorted(learned) == sorted(sampled)
    assert len(sampled) == sum(len(episode.turns) for episode in episodes)
    assert [turn.version for turn in episodes[0].turns] == [0] * len(episodes[0].turns)
    assert {turn.version for episode in episodes[16:32] for turn in episode.turns} == {1}
    assert {turn.version for episode in episodes[32:] for turn in episode.turns} == {2}
    told = [json.loads(line) for line in (learner.folder / "log").read_text().splitlines()]
    assert [line["update"] for line in told if line["event"] == "update"] == [1, 2]


@pytest.mark.full
def test_a_session_in_which_two_policies_spoke_is_left_out_and_counted(tmp_path: Path) -> None:
    learner = trainer(tmp_path, update__updates=2)
    server = server_of(learner)
    with serving(make_record_app(server)) as url:
        client = openai.OpenAI(base_url=f"{url}/sessions/late/v1", api_key="any", max_retries=0)
        ask = [{"role": "user", "content": "red"}]
        said = client.chat.completions.create(model="any", messages=ask).choices[0].message.content
        play_round(url, 0)
        ask += [{"role": "assistant", "content": said}, {"role": "user", "content": "blue"}]
        client.chat.completions.create(model="any", messages=ask)
        requests.post(f"{url}/sessions/late/outcome", json={"task": "4", "reward": 1.0}, timeout=60)
        play_round(url, 1)
    learner.close()
    assert server.failed is None
    assert learner.history[1]["stale"] == 1
    assert learner.history[1]["kept"] == 15
    (late,) = read_recordings(learner.records, sessions=["late"])
    assert [turn.version for turn in late.turns] == [0, 1]


@pytest.mark.full
def test_success_rises(tmp_path: Path) -> None:
    learner = trainer(tmp_path, update__updates=50, rollout__groups=8)
    server = server_of(learner)
    with serving(make_record_app(server)) as url:
        earned = [play_round(url, number, groups=8) for number in range(50)]
    learner.close()
    assert server.failed is None
    before, after = sum(earned[:10]) / 10, sum(earned[-10:]) / 10
    assert after > before + 0.15, earned  # means of 320 sessions each; which is sampled first is chance


def recorded(folder: Path, rounds: int) -> Any:
    """Records of a model that does not learn."""
    engine = clumsy()
    server = RecordServer(RecordSettings(folder, "tiny"), engine)
    with serving(make_record_app(server)) as url:
        for number in range(rounds):
            play_round(url, number)
    return engine


@pytest.mark.full
def test_a_folder_is_learned_from_until_it_is_used_up(tmp_path: Path) -> None:
    recorded(tmp_path / "records", 2)
    learner = RecordTrainer(recipe(tmp_path / "records"), clumsy(), EnvPool(ID))
    learner.train()
    assert (learner.update, learner.stopped) == (2, "the records are used up")
    assert [metrics["kept"] for metrics in learner.history] == [16, 16]
    assert learner.history[0]["mismatch"] < 1e-4
    few = RecordTrainer(recipe(tmp_path / "records", rollout__groups=9), clumsy(), EnvPool(ID))
    with pytest.raises(DataError, match="holds no round of 9 tasks with 4 sessions each"):
        few.train()
    other = clumsy()
    next(other.model.parameters()).data.add_(1e-3)
    with pytest.raises(DataError, match="sampled from other weights than those that learn"):
        RecordTrainer(recipe(tmp_path / "records"), other, EnvPool(ID)).train()


def test_sessions_make_groups_by_task_in_the_order_in_which_they_ended() -> None:
    ended = [(name, ("", "train", name[0])) for name in ("a1", "b1", "a2", "c1", "b2", "a3", "a4")]
    assert whole_sessions(ended, 2) == [["a1", "a2"], ["b1", "b2"], ["a3", "a4"]]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rollout__horizon": 3}, r"rollout.horizon has no effect with \[records\]"),
        ({"rollout__workers": {}}, r"rollout.workers has no effect"),
        ({"rollout__temperature": {"linear": [1.0, 0.5], "over": 4}}, "must be one number"),
        ({"records__port": 70000}, "records.port must be from 0 to 65535"),
        ({"records": {"folder": "x", "port": 9}}, "records.port has no effect with records.folder"),
    ],
)
def test_what_has_no_effect_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        recipe(**changes)
