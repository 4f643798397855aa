"""Pictures are of the episodes on record."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentgym.core import ConfigError, DataError
from agentgym.report.evaluated import read_evaluated
from agentgym.report.evaluation import evaluation_page
from agentgym.report.pictures import FRAMES, pictures


@pytest.mark.full
def test_a_world_draws_the_episodes_again(played: Path, browser: Any, tmp_path: Path) -> None:
    run = read_evaluated(played, "run")
    drawn = pictures(run)
    assert drawn.keys() == {(each.task_id, each.trial) for each in run.episodes}
    for each in run.episodes:
        frames = drawn[each.task_id, each.trial]
        assert {0, len(each.turns)} <= frames.keys()
        assert len(frames) == min(FRAMES, len(each.turns) + 1)
        assert all(base64.b64decode(frame.partition(",")[2])[:4] == b"\x89PNG" for frame in frames.values())
    page = browser.new_page()
    page.goto(f"{evaluation_page([played], drawn=True).write(tmp_path / 'page.html').as_uri()}#e0")
    image = page.locator("#reading img").first
    image.wait_for()
    assert image.evaluate("node => node.naturalWidth") == 240
    page.close()


def test_a_world_that_plays_otherwise_is_told(played: Path, tmp_path: Path) -> None:
    other = shutil.copytree(played, tmp_path / "other")
    lines = (other / "episodes.jsonl").read_text().splitlines()
    record = json.loads(lines[0])
    record["players"]["player_0"]["final_observation"] = "another end"
    (other / "episodes.jsonl").write_text("\n".join([json.dumps(record), *lines[1:]]) + "\n")
    with pytest.raises(DataError, match="shows another observation than on record"):
        pictures(read_evaluated(other, "run"))


def test_a_file_that_names_a_function_is_not_played_without_trust(played: Path, tmp_path: Path) -> None:
    other = shutil.copytree(played, tmp_path / "other")
    settings = json.loads((other / "run.json").read_text())
    settings["wrappers"] = [{"name": "Hints", "hint": "os:getcwd"}]
    (other / "run.json").write_text(json.dumps(settings))
    with pytest.raises(ConfigError, match="os:getcwd"):
        evaluation_page([other], drawn=True)
    assert evaluation_page([other]).sections  # what is only read is not refused
