"""A leaderboard is written from any tree of runs, and read in a real browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentgym.core import DataError
from agentgym.report.leaderboard import write_leaderboard
from tests.report.conftest import HOSTILE, Make, episode


@pytest.fixture
def tree(make_run: Make) -> Path:
    """Three agents in one world, one of them in two, beside a run that is damaged and one that is short."""
    for name, won, env in (
        ("x/low", 0, "FrozenLake"), ("x/high", 3, "FrozenLake"), ("y/high", 2, "Maze"), ("mid", 2, "FrozenLake"),
    ):  # fmt: skip
        model = name.rpartition("/")[2] + (HOSTILE if name == "mid" else "")
        make_run(
            f"tree/{name}",
            [
                episode(str(n), n < won, env=f"agentgym:AgentGym/{env}-v0", agent_options={"model": model})
                for n in range(4)
            ],
        )
    make_run("tree/short", [episode("0", True, agent_options={"model": "short"})])
    return make_run("tree/damaged", [episode("0", True)], env=7).parent


def test_the_page_sorts_and_leads_to_reports(tree: Path, tmp_path: Path, browser: Any) -> None:
    written = write_leaderboard(tree, tmp_path / "out")
    assert (written.runs, sorted(written.apart), sorted(written.unread)) == (5, ["short"], ["damaged"])
    page = browser.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    page.goto(written.page.as_uri())
    board = page.locator("table").first
    rows = board.locator("tbody tr")

    def agents() -> list[str]:
        return [text[:4].strip() for text in board.locator("tbody th").all_inner_texts()]

    assert board.locator("thead th").all_inner_texts() == ["agent", "mean", "FrozenLake-v0", "Maze-v0"]
    assert agents()[0] == "high"
    board.locator("thead button", has_text="FrozenLake").click()
    assert [name[:3] for name in agents()] == ["hig", "mid", "low"]
    board.locator("thead button", has_text="FrozenLake").click()
    assert agents()[0][:3] == "low"
    assert board.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    board.locator("thead button", has_text="Maze").click()
    assert agents()[0] == "high"  # those that have not played it come last
    assert "cannot be read" in page.inner_text("body")
    rows.first.locator("a").first.click()
    page.locator("#rows a").first.wait_for()
    assert page.title() == "FrozenLake-v0: endpoint"
    assert wrong == []
    page.close()


def test_the_figures_are_there_as_json(tree: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_leaderboard(tree, out)
    found = json.loads((out / "leaderboard.json").read_text())
    runs = {run["run"]: run for run in found["runs"]}
    assert runs["x/high"]["success"]["value"] == 0.75
    assert runs["x/high"]["command"].endswith("--model high")
    assert runs["x/high"]["apart"] == ""
    assert runs["short"]["apart"] == "1 tasks, the column has 4"
    assert found["unread"].keys() == {"damaged"}
    assert all((out / run["report"]).is_file() for run in runs.values())
    before = (out / "index.html").read_bytes()
    write_leaderboard(tree, out)
    assert (out / "index.html").read_bytes() == before


def test_what_share_is_left_out_stands_beside_every_figure(make_run: Make, tmp_path: Path) -> None:
    fell = {"failure_kind": "environment", "failure": "it fell", "stop": "failure"}
    for env, failing in (("FrozenLake", 1), ("Maze", 0)):
        episodes = [
            episode(str(n), n > 1, env=f"agentgym:AgentGym/{env}-v0", **(fell if n < failing else {})) for n in range(4)
        ]
        out = make_run(f"tree/{env}", episodes).parent
    write_leaderboard(out, tmp_path / "out")
    runs = {run["run"]: run for run in json.loads((tmp_path / "out" / "leaderboard.json").read_text())["runs"]}
    assert {name: run["left_out"] for name, run in runs.items()} == {"FrozenLake": 0.25, "Maze": 0.0}
    page = (tmp_path / "out" / "index.html").read_text()
    assert page.count("12.5 % left out") == 2, "the tile and the mean over worlds"
    assert page.count("25.0 % left out") == 1 + 4, "the board; success, normalized, score and turns of the run"


def test_a_folder_without_runs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no run"):
        write_leaderboard(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()
