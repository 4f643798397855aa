"""The page about runs is made of what the runs recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentgym.core import DataError
from agentgym.report import Series, line_chart
from agentgym.report.runs import read_run, runs_page


def write(folder: Path, updates: int, success: float) -> Path:
    folder.mkdir(parents=True)
    recipe = {"method": f"method <{folder.name}>", "world": {"id": "FrozenLake-v0"}}
    (folder / "recipe.json").write_text(json.dumps(recipe))
    lines: list[dict[str, Any]] = [
        {
            "update": update,
            "episodes": 15,
            "stops": {"terminated": 15, "failure": 1},
            "success": success * update / updates,
            "return": 10 * success * update,
            "turns": 4.0,
            "valid": 1.0,
            "groups": 4,
            "dead_groups": 1,
            "seconds": 2.0,
            "seconds_generation": 1.0,
            "seconds_world": 0.5,
            "seconds_update": 0.4,
            "episodes_per_second": 8.0,
            "sampled_tokens_per_second": 100.0,
        }
        for update in range(updates)
    ]
    lines[-1] |= {"eval_success": 0.75, "eval_left_out": 2}
    (folder / "updates.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    turn = {
        "observation": "<lake>",
        "action": "left",
        "valid": True,
        "reward": 0.0,
        "shades": [["le", 2.0], ["ft", -1.0]],
    }
    shaded = {"update": 0, "task_id": "7", "success": True, "score": 1.0, "final": "over", "turns": [turn]}
    (folder / "shaded.jsonl").write_text(json.dumps(shaded) + "\n")
    return folder


def test_figures_curves_and_shades_are_those_of_the_records(tmp_path: Path) -> None:
    html = runs_page([write(tmp_path / "one", 12, 0.6), write(tmp_path / "two", 8, 0.2)]).html()
    assert "method &lt;one&gt;" in html
    assert "<lake>" not in html
    assert html.count("<figure>") == 5  # success, evaluation, return, turns, valid; what was not measured is not drawn
    assert '<span class="g4" title="1">le</span><span class="b2" title="-0.5">ft</span>' in html
    assert html.count("2 episodes left out") == 2  # beside the best evaluation of each
    assert "Success on the evaluation panel, 4 episodes left out." in html
    assert "45 %" in html  # success, mean of the last five of run one: 0.6 * (7 + ... + 11) / 5 / 12
    assert "25 %" in html  # dead groups
    assert "50 %" in html  # generation
    assert "6.2 %" in html  # left out, 1 of 16


def test_runs_of_one_name_are_told_apart(tmp_path: Path) -> None:
    html = runs_page([write(tmp_path / "a" / "run", 5, 0.5), write(tmp_path / "b" / "run", 5, 0.5)]).html()
    assert "a/run" in html
    assert "b/run" in html
    with pytest.raises(DataError, match="given twice"):
        runs_page([tmp_path / "a" / "run", tmp_path / "a" / "run"])


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no recipe\.json"):
        read_run(tmp_path, "x")
    with pytest.raises(DataError, match=r"there is no folder .*none; give one"):
        read_run(tmp_path / "none", "x")
    (tmp_path / "games.jsonl").write_text("")
    with pytest.raises(DataError, match=r"holds games without run\.json"):
        read_run(tmp_path, "x")
    folder = write(tmp_path / "run", 3, 0.5)
    (folder / "updates.jsonl").write_text("")
    with pytest.raises(DataError, match="not finished an update"):
        read_run(folder, "x")


@pytest.mark.parametrize("name", ["updates.jsonl", "shaded.jsonl"])
def test_a_damaged_line_is_named_and_a_damaged_last_one_left_out(tmp_path: Path, name: str) -> None:
    folder = write(tmp_path / "run", 5, 0.5)
    lines = (folder / name).read_text()
    (folder / name).write_text(lines + '{"upd')
    whole = runs_page([folder]).html()
    for bad in ("{", "[" * 100_000, "{}", "3"):
        (folder / name).write_text(bad + "\n" + lines)
        with pytest.raises(DataError, match=rf"{name}, line 1: .*; mend or remove the line") as refused:
            runs_page([folder])
        assert "\n" not in str(refused.value)
    (folder / name).write_text(lines)
    assert runs_page([folder]).html() == whole


def test_a_scale_fits_its_numbers() -> None:
    svg = str(line_chart("t", "d", [Series("a", [(0, -3.0), (9, 41.0)])], x_label="x", y_label="y", rates=False))
    for label in (">-10<", ">0<", ">10<", ">50<"):
        assert label in svg
    flat = str(line_chart("t", "d", [Series("a", [(0, 2.0), (9, 2.0)])], x_label="x", y_label="y", rates=False))
    assert ">2<" in flat
