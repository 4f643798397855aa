"""Runs to report on: one that the engine played, and some whose transcripts are written out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentgym.evaluate import AnswerRecord, EpisodeRecord, PlayerRecord, TurnRecord, evaluate

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> & \u2028 ∞"
TURNED = "pay \u202eevil\u202c \u2066now\u2069"
HALF = "half \ud800 pair"
Make = Callable[..., Path]


def turn(seen: str, action: str, **others: Any) -> TurnRecord:
    return TurnRecord("player_0", seen, action, **others)


def episode(task: str, success: bool, turns: Sequence[TurnRecord] = (), **others: Any) -> EpisodeRecord:
    """The record of an episode in a world whose card is known; `others` are entries of it, or of its player."""
    told: dict[str, Any] = {"agent": "endpoint", "agent_options": {"model": "m"}, "final_observation": "the end"}
    told |= {"success": success, "score": float(success), "progress": float(success)}
    told |= {name: others.pop(name) for name in [*others] if name in PlayerRecord.__dataclass_fields__}
    record = EpisodeRecord(
        env="agentgym:AgentGym/FrozenLake-v0",
        env_kwargs={},
        split="test",
        task_id=task,
        seed=7,
        stop="terminated",
        players={"player_0": PlayerRecord(**told)},
        turns=list(turns) or [turn("you see ice", "left")],
        wall_seconds=1.0,
    )
    return replace(record, **others)


def answer(**others: Any) -> AnswerRecord:
    return replace(AnswerRecord(30, 5, 3, 0.001, "", (), 1.0, 1), **others)


@pytest.fixture
def make_run(tmp_path: Path) -> Make:
    """Writes the folder of a run."""

    def make(name: str, episodes: Sequence[EpisodeRecord], /, **settings: Any) -> Path:
        first = episodes[0]
        config = {
            "env": first.env,
            "env_kwargs": dict(first.env_kwargs),
            "split": first.split,
            "agent": first.only.agent,
            "agent_options": dict(first.only.agent_options),
            "episodes": len({each.task_id for each in episodes}),
            "trials": 1 + max(each.trial for each in episodes),
            "seed": 0,
            "version": "0.2.0",
            "tasks": "t",
            "wrappers": [],
            "prompt": {},
        }
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "run.json").write_text(json.dumps({**config, **settings}))
        (folder / "episodes.jsonl").write_text("".join(each.to_line() + "\n" for each in episodes))
        return folder

    return make


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 12 tasks of FrozenLake by the random player."""
    out = tmp_path_factory.mktemp("played") / "random"
    return evaluate("FrozenLake-v0", "random", episodes=12, workers=0, out=out).folder
