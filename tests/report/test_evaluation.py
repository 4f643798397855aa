"""The page of evaluations says what the transcripts say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentgym.core import ConfigError, DataError
from agentgym.evaluate import read_episodes, summarize
from agentgym.report import Cell, Figure, Table
from agentgym.report.evaluation import evaluation_page
from tests.report.conftest import HOSTILE, Make, answer, episode, turn


def table(page: object, title: str, number: int = 0) -> dict[str, list[str]]:
    """Rows of a table of a section by their first cell."""
    (section,) = [each for each in page.sections if each.title == title]  # type: ignore[attr-defined]
    found = [block for block in section.blocks if isinstance(block, Table)][number]
    plain = [[f"{c.text} {c.note}".strip() if isinstance(c, Cell) else c for c in row] for row in found.rows]
    return {row[0]: row[1:] for row in plain}


def test_the_figures_are_those_of_the_summary(played: Path) -> None:
    page = evaluation_page([played])
    summary = summarize(read_episodes(played), 1)
    figures = table(page, "Figures")
    low, high = 100 * summary.success.low, 100 * summary.success.high
    assert figures["success"] == [f"{100 * summary.success.value:.1f} % {low:.1f} to {high:.1f} %"]
    assert figures["turns an episode"] == [f"{summary.turns:.2f}"]
    assert figures["episodes scored"] == ["12"]
    assert "cost in dollars" not in figures  # nobody was paid
    assert sum(int(cells[0].split()[0].replace(",", "")) for cells in table(page, "How episodes ended").values()) == 12
    assert "agentgym eval FrozenLake-v0 --agent random --split test" in page.html()
    assert "random (card)" in page.html()


def test_metrics_of_the_end_and_costs_of_all_actions_stand_in_rows(make_run: Make) -> None:
    paid = [turn("s", "x", costs={"money": 2.0}), turn("s", "y", costs={"money": 0.5})]
    found = [episode("a", True, paid, metrics={"recall": 0.25}), episode("b", True, paid, metrics={"recall": 0.75})]
    figures = table(evaluation_page([make_run("one", found), make_run("two", [episode("a", True)])]), "Figures")
    assert figures["recall, at the end"] == ["0.5 0.25 to 0.75", ""]
    assert figures["money, in an episode"][0].startswith("2.5 ")


def test_what_was_left_out_and_why(make_run: Make) -> None:
    episodes = [
        episode("a", True, [turn("s", "x", answer=answer(), finish_reason="stop")], cost=0.5, prompt_tokens=9),
        episode("b", False, stop="failure", failure_kind="outage", failure=HOSTILE),
        episode("c", False, stop="failure", failure_kind="environment", failure="it fell"),
        episode("d", False, stop="failure", failure_kind="agent", failure="nothing to say"),
    ]
    page = evaluation_page([make_run("run", episodes, episodes=9)])
    (section,) = [each for each in page.sections if each.title == "What was left out"]
    (left,) = section.blocks
    assert isinstance(left, Table)
    assert [list(row) for row in left.rows] == [
        ["run", "nobody answered", "1", HOSTILE],
        ["run", "the world failed", "1", "it fell"],
        ["run", "not played yet", "5", "the same command goes on"],
    ]
    assert table(page, "How episodes ended", 1) == {"run": ["1", "nothing to say"]}
    figures = table(page, "Figures")
    assert figures["success"][0].startswith("50.0 %")
    assert figures["episodes left out"] == ["2 50.0 %"]
    assert figures["dollars a success"] == ["0.5000 50.0 % left out"]
    for name in ("success", "score", "valid actions", "turns an episode"):
        assert figures[name][0].endswith("50.0 % left out"), name
    for tile in page.tiles[:3]:
        assert tile.note.endswith("50.0 % left out"), tile.label
    drawn = [block for section in page.sections for block in section.blocks if isinstance(block, Figure)]
    assert drawn
    assert all("50.0 % left out" in f"{each.svg} {each.caption}" for each in drawn)
    two = evaluation_page([make_run("one", episodes[:1]), make_run("two", episodes)])
    assert [("left out" in tile.note) for tile in two.tiles] == [False, True]
    assert "<img" not in page.html()


def test_success_by_kind_is_drawn_for_each_run(make_run: Make) -> None:
    kinds = [episode(str(n), n % 2 == 0, task_kind=f"kind {n % 3}") for n in range(12)]
    one, other = make_run("one", kinds), make_run("other", kinds, seed=1)
    html = evaluation_page([one, other]).html()
    drawing = re.search(r'aria-label="Success by kind".*?</svg>', html, re.DOTALL)
    assert drawing is not None
    assert [drawing[0].count(f">kind {n}<") for n in range(3)] == [1, 1, 1]
    assert drawing[0].count('<circle cx="') == 2 * 3 + 2  # a dot for each run and kind, and two in the legend
    assert "fl-other" not in html


def test_a_page_of_several_runs_leads_from_changed_tasks_to_both_transcripts(make_run: Make) -> None:
    one = make_run("one", [episode(name, name in "ab") for name in "abc"])
    other = make_run("other", [episode(name, name in "bc") for name in "abc"], seed=1)
    page = evaluation_page([one, other])
    (section,) = [each for each in page.sections if each.title == "other against one"]
    changed = section.blocks[1]
    assert isinstance(changed, Table)
    leads = {str(row[0]): [cell.href for cell in row if isinstance(cell, Cell)] for row in changed.rows}
    assert leads == {"c": ["#e2", "#e5"], "a": ["#e0", "#e3"]}


@pytest.mark.parametrize(
    ("settings", "line", "reason"),
    [
        ({"env": 3}, None, "'env' should be a text, not 3"),
        ({"surprise": 1}, None, "'surprise', which is unknown"),
        ({}, "", "no episode of the run"),
        ({}, "nonsense\n{}\n", "line 1"),
    ],
)
def test_a_folder_that_is_no_run_is_named(make_run: Make, settings: dict[str, int], line: str, reason: str) -> None:
    folder = make_run("run", [episode("a", True)], **settings)
    if line is not None:
        (folder / "episodes.jsonl").write_text(line)
    with pytest.raises(DataError, match=reason):
        evaluation_page([folder])


def test_a_world_without_pictures_says_so(make_run: Make) -> None:
    folder = make_run("run", [episode("a", True, env="agentgym:AgentGym/TextCraft-v1")])
    with pytest.raises(ConfigError, match="TextCraft-v1 draws no pictures"):
        evaluation_page([folder], drawn=True)


def test_a_page_of_nothing_scored_can_still_be_read(make_run: Make) -> None:
    folder = make_run("run", [episode("a", False, failure_kind="environment", failure="it fell", stop="failure")])
    html = evaluation_page([folder]).html()
    assert "it fell" in html


def test_a_world_of_another_package_is_not_imported(make_run: Make, tmp_path: Path) -> None:
    (tmp_path / "trap.py").write_text("raise SystemExit('imported')")
    folder = make_run("run", [episode("a", True, env="trap:Trap/World-v0")])
    assert "Trap/World-v0" in evaluation_page([folder]).html()
