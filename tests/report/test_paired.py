"""Paired comparisons against figures by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentgym.report import Section, Table
from agentgym.report.compare import changed_sides, paired_lift
from agentgym.report.evaluated import read_evaluated
from agentgym.report.paired import comparison
from tests.report.conftest import Make, episode


def compared(folders: Sequence[Path]) -> Section:
    runs = [read_evaluated(folder, folder.name) for folder in folders]
    places = [{task: [0] for task in run.by_task} for run in runs]
    (section,) = comparison(runs, places)
    return section


def test_mcnemar_by_hand() -> None:
    before, after = [1] * 5 + [0] * 1 + [0] * 9 + [1] * 20, [1] * 5 + [0] * 1 + [1] * 9 + [0] * 2 + [1] * 18
    sides = changed_sides(before, after)
    assert (sides.gained, sides.lost) == (9, 2)
    assert sides.p == pytest.approx(2 * sum(math.comb(11, k) for k in range(3)) / 2**11)


def test_runs_that_agree_are_no_surprise() -> None:
    assert changed_sides([1, 0], [1, 0]).p == 1.0
    assert changed_sides([0], [1]).p == 1.0  # one task says nothing


def test_a_difference_of_nothing_has_an_interval_to_both_sides() -> None:
    lift = paired_lift([1, 1, 0, 1], [1, 1, 0, 1])
    assert lift.value == 0
    assert lift.low == -lift.high < 0


def test_only_tasks_scored_in_both_are_compared(make_run: Make) -> None:
    one = make_run("one", [episode(name, name in "a") for name in "abcd"])
    other = make_run(
        "other",
        [episode(name, name in "bc", failure_kind="outage" if name == "d" else "") for name in "abcd"],
        seed=1,
    )
    section = compared([one, other])
    assert section.text[0].startswith("3 tasks are scored in both. other does better on 2 of them and worse on 1;")
    assert "probability 1.000 (McNemar's exact test)" in section.text[0]
    assert section.text[1] == "1 tasks are scored in one of the two only, and left out here."
    table = section.blocks[0]
    assert isinstance(table, Table)
    assert table.rows[0][:2] == ["success", "+33.3 points"]
    assert [row[0] for row in table.rows] == ["success", "score", "turns"]
    assert table.rows[2][2] == "the same on every task"


def test_trials_are_averaged_before_tasks_are_compared(make_run: Make) -> None:
    one = make_run("one", [episode("a", trial == 0, trial=trial) for trial in range(4)])
    other = make_run("other", [episode("a", trial < 3, trial=trial) for trial in range(4)], seed=1)
    section = compared([one, other])
    assert "does better on 1 of them and worse on 0" in section.text[0]
    assert "sign test" in section.text[0]
    changed = section.blocks[1]
    assert isinstance(changed, Table)
    assert [getattr(cell, "text", cell) for cell in changed.rows[0]] == ["a", "1 of 4 won", "3 of 4 won"]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"split": "val"}, "different splits"),
        ({"tasks": "u"}, "different tasks"),
        ({"env_kwargs": {"size": 9}}, "other options"),
        ({"env": "agentgym:AgentGym/Maze-v0"}, "different worlds"),
        ({"episodes": 3}, "different numbers of tasks"),
        ({"trials": 2}, "different numbers of trials"),
    ],
)
def test_other_tasks_are_not_compared(make_run: Make, changed: dict[str, object], reason: str) -> None:
    episodes = [episode(name, True) for name in "ab"]
    section = compared([make_run("one", episodes), make_run("other", episodes, **changed)])
    assert section.blocks == ()
    assert reason in section.text[0]
