"""The program in little that plays through both servers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -c constraints.txt '.[train]'")

from agentgym.baselines import record_episode
from agentgym.rollout.recordings import read_recordings
from tests.serve.conftest import starter
from tests.serve.test_record_app import TOKEN, check_exact, start, tokenizer

__all__ = ["start", "tokenizer"]


def test_an_episode_is_played_recorded_and_joined(
    start: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tokens").write_text(f"{TOKEN}\n")
    with starter() as serve:
        worlds = serve(record_episode.WORLD, "--tokens", str(tmp_path / "tokens"))
        endpoint = start(world=worlds.url, world_token=TOKEN)
        assert record_episode.main([worlds.url, endpoint.url, str(tmp_path / "tokens")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (len(told["rewards"]), told["ended"]) == (record_episode.TURNS, True)
    (episode,) = read_recordings(endpoint.out)
    assert (episode.task_id, len(episode.turns)) == (told["task"], record_episode.TURNS)
    check_exact(endpoint, [episode])
