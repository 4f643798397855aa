"""Transcripts are enough to play an episode again, and a changed world is noticed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentgym.core import DataError
from agentgym.evaluate import evaluate, replay
from tests.evaluate.worlds import MODULE, TASKS


@pytest.fixture
def recorded(dice: str, tmp_path: Path) -> Path:
    evaluate(dice, f"{MODULE}:Roller", workers=1, out=tmp_path, env_kwargs={"broken": "d1"})
    return tmp_path / "episodes.jsonl"


def test_equal_worlds_answer_equally(recorded: Path) -> None:
    news: list[tuple[int, int]] = []
    outcomes = replay(recorded, lambda outcome, done, total: news.append((done, total)), trust=True)
    assert [outcome.same for outcome in outcomes].count(True) == TASKS - 1
    (skipped,) = [outcome for outcome in outcomes if outcome.skipped]
    assert skipped.episode.task_id == "d1"
    assert not any(outcome.difference for outcome in outcomes)
    assert news[-1] == (TASKS, TASKS)
    assert replay(recorded.parent, trust=True) == outcomes


def test_frozen_lake(tmp_path: Path) -> None:
    evaluate("FrozenLake-v0", "random", split="train", episodes=20, workers=1, out=tmp_path)
    assert all(outcome.same for outcome in replay(tmp_path))


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda record: record["turns"][0].update(observation="?"), "turn 1 shows another observation"),
        (lambda record: record["turns"][0].update(reward=0.5), "turn 1 has another reward or info"),
        (lambda record: record["turns"][0]["events"][0].update(number=9), "turn 1 has another reward or info"),
        (lambda record: record.update(final_observation="?"), "the end is another"),
        (lambda record: record.update(success=not record["success"]), "the end is another"),
        (lambda record: record.update(stop="failure"), "the end is another"),
        (lambda record: record["turns"].append(dict(record["turns"][-1], observation=record["final_observation"])),
         "the episode is over before turn"),
    ],
)  # fmt: skip
def test_every_difference_is_found(recorded: Path, change: Callable[[Any], None], difference: str) -> None:
    records = [json.loads(line) for line in recorded.read_text().splitlines()]
    change(records[0])
    recorded.write_text("".join(json.dumps(record) + "\n" for record in records))
    outcomes = replay(recorded, trust=True)
    assert difference in outcomes[0].difference
    assert not outcomes[0].same
    assert sum(outcome.same for outcome in outcomes) == TASKS - 2


def test_files_that_are_no_transcripts(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no file"):
        replay(tmp_path)
    (tmp_path / "x").write_text("hello\n")
    with pytest.raises(DataError, match="x, line 1"):
        replay(tmp_path / "x")
