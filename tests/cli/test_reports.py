"""`agentgym report` of evaluations and `agentgym leaderboard`, as commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentgym.cli import run
from tests.agents.server import Answer, ChatServer

QUICK = ("--episodes", "3", "--workers", "0")


def test_a_report_and_a_leaderboard_of_two_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [str(tmp_path / "runs" / agent) for agent in ("random", "expert")]
    for folder in folders:
        assert run(["eval", "FrozenLake-v0", "--agent", Path(folder).name, *QUICK, "--out", folder]) == 0
    capsys.readouterr()
    assert run(["report", *folders, "--pictures", "--out", str(tmp_path / "page.html")]) == 0
    assert "page.html: 2 runs, " in capsys.readouterr().out
    page = (tmp_path / "page.html").read_text(encoding="utf8")
    assert "expert against random" in page
    assert "data:image/png;base64," in page
    assert run(["leaderboard", str(tmp_path / "runs"), "--out", str(tmp_path / "board")]) == 0
    assert "index.html: 2 runs, 0 shown apart" in capsys.readouterr().out
    assert len(list((tmp_path / "board" / "reports").iterdir())) == 2


def test_what_is_no_run_is_said_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = str(tmp_path / "good")
    assert run(["eval", "FrozenLake-v0", *QUICK, "--out", good]) == 0
    assert run(["report", good, str(tmp_path), "--out", str(tmp_path / "page.html")]) == 2
    assert "a page is of evaluations or of trainings" in capsys.readouterr().err
    assert run(["report", str(tmp_path), "--out", str(tmp_path / "page.html")]) == 2
    assert "holds no run" in capsys.readouterr().err
    assert run(["leaderboard", str(tmp_path / "nothing")]) == 2
    assert "holds no run" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()


def test_no_command_writes_over_a_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    record = folder / "episodes.jsonl"
    assert run(["eval", "FrozenLake-v0", "--agent", "expert", "--split", "val", *QUICK, "--out", str(folder)]) == 0
    written = record.read_bytes()
    for command in (["report", str(folder)], ["export", str(folder), "--format", "openai"]):
        assert run([*command, "--out", str(record)]) == 2
        assert "is part of the record of" in capsys.readouterr().err
        assert record.read_bytes() == written
        assert run([*command, "--out", str(record / "deeper.jsonl")]) == 2
        assert "could not be written" in capsys.readouterr().err
    assert run(["report", str(folder), "--out", str(folder / "report.html")]) == 0


def test_a_run_without_an_answer_has_no_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer(lambda number, request: Answer({}, status=302)) as server:
        model = ["--agent", "endpoint:m", "--base-url", server.base_url, "--out", str(tmp_path / "run")]
        assert run(["eval", "FrozenLake-v0", *model, *QUICK]) == 1
        assert run(["match", "KuhnPoker-v0", "--player", "player_0=simple", "--player", "player_1=endpoint:m",
                    "--base-url", server.base_url, "--games", "1", "--out", str(tmp_path / "match")]) == 1  # fmt: skip
    for name in ("run", "match"):
        assert run(["report", str(tmp_path / name), "--out", str(tmp_path / f"{name}.html")]) == 0
        assert not re.search(r"\bnan\b", (tmp_path / f"{name}.html").read_text(encoding="utf8"))
    told = capsys.readouterr().out
    assert "none, as every episode is left out" in told
    assert "nan" not in told
    assert "give that address as base_url" in told
