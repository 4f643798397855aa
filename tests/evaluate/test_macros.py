"""Macros mined from the episodes of a run, and what they save when they are played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentgym.cli import app
from agentgym.core import ConfigError, DataError
from agentgym.evaluate import evaluate
from agentgym.evaluate.macros import Macro, find_macros, mine_run

A, B, C, D = "abcd"
LAKE: dict[str, Any] = {"env_kwargs": {"slippery": False}, "split": "val", "episodes": 12, "workers": 0}


def test_the_run_that_saves_most_comes_first_and_is_struck_out() -> None:
    episodes = [[(A, B, C, D)], [(D, A, B, C)], [(A, B), (B, C)], [(A, B)]]
    found = find_macros(episodes, most=8, longest=4, least=2)
    assert found == [Macro((A, B, C), 2, 2), Macro((A, B), 2, 2)], "of equal savings the longer one"
    assert find_macros([[(A, B, C, D)], [(D, A, B, C)]], 8, 4, 2) == [Macro((A, B, C), 2, 2)]


def test_repeats_within_an_episode_count_as_often_as_they_can_be_played() -> None:
    assert find_macros([[(A, A, A, A, A)], [(A, A)]], 1, 2, 2) == [Macro((A, A), 3, 2)]
    assert find_macros([[(A, A, A, A, A)]], 1, 2, 2) == [], "one episode is no habit"


def test_no_macro_goes_beyond_a_stretch_and_no_more_are_found_than_wanted() -> None:
    assert find_macros([[(A, B), (C, D)], [(A, B), (C, D)]], 8, 8, 2) == [Macro((C, D), 2, 2), Macro((A, B), 2, 2)]
    assert len(find_macros([[(A, B), (C, D)], [(A, B), (C, D)]], 1, 8, 2)) == 1


def test_macros_of_a_run_save_turns_at_equal_success(tmp_path: Path) -> None:
    alone = evaluate("AgentGym/FrozenLake-v0", "oracle", out=tmp_path / "alone", **LAKE)
    mined = mine_run(tmp_path / "alone", tmp_path / "macros.json", most=4, longest=4, least=2)
    assert (mined.world, mined.episodes) == ("AgentGym/FrozenLake-v0", 12)
    assert mined.turns == round(12 * alone.summary.turns)
    assert 0 < mined.saved < mined.turns
    wrap = [{"name": "Macros", "file": str(tmp_path / "macros.json")}]
    helped = evaluate("AgentGym/FrozenLake-v0", "oracle", wrap=wrap, out=tmp_path / "helped", **LAKE)
    assert helped.summary.success.value == alone.summary.success.value == 1
    assert helped.summary.turns < alone.summary.turns
    with pytest.raises(DataError, match="was played with macros"):
        mine_run(tmp_path / "helped", tmp_path / "again.json")


def test_the_command_says_what_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluate("AgentGym/FrozenLake-v0", "oracle", out=tmp_path / "run", **LAKE)
    file = tmp_path / "new" / "macros.json"
    with pytest.raises(SystemExit) as done:
        app(["macros", str(tmp_path / "run"), "--out", str(file), "--most", "2", "--least", "2"])
    assert done.value.code == 0
    held = json.loads(file.read_text())
    assert held["world"] == "AgentGym/FrozenLake-v0"
    assert len(held["macros"]) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert f"macro 1: {'; '.join(held['macros'][0])}" in said
    assert "2 macros, which would have saved" in said


def test_what_cannot_be_mined_is_refused(tmp_path: Path) -> None:
    evaluate("AgentGym/FrozenLake-v0", "nothing", out=tmp_path / "lost", **LAKE)
    with pytest.raises(DataError, match="in 3 of the 0 successful episodes"):
        mine_run(tmp_path / "lost", tmp_path / "m.json")
    with pytest.raises(ConfigError, match="least at least 2"):
        mine_run(tmp_path / "lost", tmp_path / "m.json", least=1)
    assert not (tmp_path / "m.json").exists()
