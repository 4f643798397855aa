"""Verdicts against truths, by hand."""

from __future__ import annotations

import pytest

from agentgym.core import ConfigError
from agentgym.train.agreement import Agreement, pairs_of_episodes, pairs_of_turns
from tests.train.making import episode

PAIRS = [(True, True)] * 6 + [(True, False)] * 2 + [(False, False)] * 3 + [(False, True)]


def test_counts_shares_and_intervals_are_those_of_a_table_worked_by_hand() -> None:
    found = Agreement.of(PAIRS)
    assert found == Agreement(6, 2, 3, 1)
    assert found.metrics() == {
        "judged": 12, "true_positives": 6, "false_positives": 2, "true_negatives": 3, "false_negatives": 1,
        "accuracy": 9 / 12, "precision": 6 / 8, "recall": 6 / 7,
    }  # fmt: skip
    assert found.lines() == [  # Wilson (1927) for 9 of 12, 6 of 8 and 6 of 7
        "accuracy 0.750 (0.468 to 0.911), 9 of 12",
        "precision 0.750 (0.409 to 0.929), 6 of 8",
        "recall 0.857 (0.487 to 0.974), 6 of 7",
    ]


def test_shares_of_nothing_are_none_and_updates_add_up() -> None:
    empty = Agreement.of([(False, False)])
    assert (empty.metrics()["precision"], empty.metrics()["recall"]) == (None, None)
    assert empty.lines()[1:] == ["precision: none to judge by", "recall: none to judge by"]
    history = [{"agreement": Agreement.of(PAIRS[:7]).metrics()}, {"update": 1}, {"agreement": empty.metrics()}]
    assert Agreement.of_metrics(history, "agreement") == Agreement(6, 1, 1, 0)


def test_an_episode_is_judged_by_all_its_turns_and_a_turn_by_itself() -> None:
    won, lost = episode([0.0, 1.0], success=True), episode([0.0, 1.0], success=False)
    broken = episode([0.0], stop="failure")
    for made, terms in ((won, [0.0, 0.2]), (lost, [0.3, 0.3])):
        for turn, judge in zip(made.turns, terms, strict=True):
            turn.terms.update(judge=judge, progress=turn.reward)
    assert pairs_of_episodes([won, lost, broken], "judge", 0.5) == [(False, True), (True, False)]
    assert pairs_of_turns([won, lost, broken], "judge", 0.25, "progress") == [
        (False, False), (False, True), (True, False), (True, True),
    ]  # fmt: skip
    with pytest.raises(ConfigError, match=r"no wrapper pays the term 'jugde' .* there are: judge, progress"):
        pairs_of_episodes([won], "jugde", 0.5)
