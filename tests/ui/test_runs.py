"""Runs of a folder: what is there can be read, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest

from agentgym.evaluate import evaluate, match
from agentgym.ui.runs import find_runs
from tests.ui.conftest import Site, write_training


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("played") / "random"
    return evaluate("FrozenLake-v0", "random", episodes=3, workers=0, out=out).folder


def test_runs_are_found_where_they_are(tmp_path: Path, played: Path) -> None:
    root = tmp_path / "runs"
    shutil.copytree(played, root / "eval" / "lake")
    write_training(root / "train" / "grpo", 2)
    write_training(root / ".hidden" / "grpo", 2)
    (root / "notes").mkdir()
    os.utime(root / "train/grpo/recipe.json", (1, 1))
    os.utime(root / "train/grpo/updates.jsonl", (2, 2))
    assert {name: run.kind for name, run in find_runs(root).items()} == {
        "eval/lake": "evaluation",
        "train/grpo": "training",
    }
    assert list(find_runs(root)) == ["eval/lake", "train/grpo"], "the newest first"


def test_a_match_that_has_no_game_yet_is_one_of_games(tmp_path: Path) -> None:
    for name, settings in (("match", {"players": [], "games": 2}), ("run", {"agent": "random"})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text(json.dumps(settings))
    assert {name: run.kind for name, run in find_runs(tmp_path).items()} == {"match": "games", "run": "evaluation"}


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path, played: Path) -> None:
    root = tmp_path / "runs"
    root.mkdir()
    secret = write_training(tmp_path / "secret", 2)
    (root / "linked").symlink_to(secret, target_is_directory=True)
    (root / "half").mkdir()
    (root / "half" / "recipe.json").write_text((secret / "recipe.json").read_text())
    (root / "half" / "updates.jsonl").symlink_to(secret / "updates.jsonl")
    assert find_runs(root) == {}


def test_a_run_whose_files_lead_nowhere_hides_no_other(tmp_path: Path) -> None:
    for name, target in (("broken", "nowhere"), ("circle", "updates.jsonl")):
        run = write_training(tmp_path / name, 2)
        (run / "updates.jsonl").unlink()
        (run / "updates.jsonl").symlink_to(target)
    write_training(tmp_path / "good", 2)
    assert list(find_runs(tmp_path)) == ["good"]


@pytest.mark.parametrize("name", ["../secret", "/etc", "..", "", ".", "grpo/../../secret", "%2e%2e/secret", "grpo\0"])
def test_a_request_names_what_was_found_or_nothing(site: Site, runs: Path, name: str) -> None:
    write_training(runs.parent / "secret", 2)
    write_training(runs / "grpo", 2)
    for page in ("report", "training", "training/curves", "training/events"):
        status, _, text = site.ask("GET", f"/{page}?run={quote(name)}")
        assert status == 404, text
        assert "curves" not in text


def test_reports_are_those_of_the_command(site: Site, runs: Path, played: Path) -> None:
    shutil.copytree(played, runs / "one")
    shutil.copytree(played, runs / "two")
    write_training(runs / "grpo", 4)
    match("KuhnPoker-v0", {"player_0": "strong", "player_1": "random"}, games=1, out=runs / "kuhn")
    shutil.copytree(runs / "kuhn", runs / "again")
    status, headers, text = site.ask("GET", "/report?run=one&run=two")
    assert status == 200
    assert 'id="' in text
    assert headers["content-security-policy"] == "frame-ancestors 'none'"
    assert "default-src &#39;none&#39;" in text, "its own policy stands in it"
    assert site.ask("GET", "/report?run=grpo")[0] == 200
    assert site.ask("GET", "/report?run=grpo&run=one")[0] == 400
    assert site.ask("GET", "/report?run=kuhn&run=one")[0] == 400
    assert site.ask("GET", "/report?run=kuhn&run=again")[0] == 400
    status, _, text = site.ask("GET", "/report?run=kuhn")
    assert status == 200
    assert "each as every player saw it" in text
    assert "kuhn</a> <span>games</span>" in site.ask("GET", "/runs")[2]
    assert site.ask("GET", "/report")[0] == 400
    assert site.ask("GET", "/training?run=one")[0] == 404
