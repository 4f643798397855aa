"""The page on a pretrained model: the plan is that of the program, and figures are those of the records, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the extra `train` is not installed")

from agentgym.baselines.pretrained.results import read
from agentgym.baselines.pretrained.study import ARMS, TESTS, WORLDS
from docs import pretrained
from tests.baselines.pretrained_records import made

PAGE = Path(pretrained.__file__).with_suffix(".md")


def test_the_page_names_every_policy_and_world_and_the_number_of_tests() -> None:
    text = " ".join(PAGE.read_text(encoding="utf8").split())
    for world in WORLDS:
        assert world.rpartition("-")[0].replace("TicTacToe", "Tic-Tac-Toe") in text
    for arm in ARMS.values():
        assert arm.title.replace(", all weights", "") in text
    assert f"{TESTS} episodes" in text


def test_the_plan_has_a_row_for_each_stage() -> None:
    lines = pretrained.plan_table().splitlines()
    assert len(lines) == 2 + len(WORLDS) + 3
    assert lines[2].startswith("| SearchQA-v0: cloned and GRPO, 3 seeds |")


def test_without_records_nothing_is_claimed(tmp_path: Path) -> None:
    assert pretrained.results_table(tmp_path) == pretrained.NOTHING


def test_every_figure_is_that_of_the_record(tmp_path: Path) -> None:
    made(tmp_path, "SearchQA-v0", {"base": [0.1], "cloned": [0.5, 0.55, 0.6], "grpo": [0.8, 0.9, 0.85]})
    text = pretrained.results_table(tmp_path)
    (row,) = [line for line in text.splitlines() if line.startswith("| SearchQA-v0 | cloned, then GRPO |")]
    assert "80 % (" in row
    assert "+75 points" in row
    assert "+30 points" in row
    assert "SearchQA-v0, cloned, then GRPO, over its clone: +30 points" in text


def test_what_is_published_stands_on_the_page() -> None:
    records = read(pretrained.RESULTS)
    text = pretrained.results_table()
    assert (text == pretrained.NOTHING) == (not records)
    for record in records:
        assert all(f"| {record['world']} | {ARMS[arm].title} |" in text for arm in record["arms"])
