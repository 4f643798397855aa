"""Candidates for a werewolf: what the policy sees of them, that it learns, and that choosing is better than not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agentgym.agents import View
from agentgym.baselines.candidates import (
    CandidatePolicy,
    Chooser,
    Scripted,
    Table,
    chosen,
    features,
    measured,
    train,
    unchosen,
)
from agentgym.core.rng import stream
from agentgym.evaluate.tournament import tournament

ME = "You are player_0, villager."
HERE = "agentgym.baselines.candidates"


def test_what_is_said_of_a_player_tells_candidates_that_name_it_from_others() -> None:
    quiet = ["player_1 talks.", ME]
    accused = ["player_2: player_3 is a werewolf.", ME]
    assert set(features("vote player_1", accused)) == set(features("vote player_4", accused)), (
        "nothing was said of them"
    )
    assert set(features("vote player_3", accused)) > set(features("vote player_4", accused))
    assert set(features("vote player_3", quiet)).isdisjoint(features("vote player_3", ["You are player_0, werewolf."]))


def test_the_gradient_raises_what_was_rewarded() -> None:
    chooser, options = Chooser(), [np.array([1, 2]), np.array([2, 3]), np.array([4])]
    assert chooser.chances(options) == pytest.approx([1 / 3] * 3)
    for _ in range(50):
        chooser.learn(options, 1, 1.0)
    assert chooser.chances(options).argmax() == 1
    for _ in range(200):
        chooser.learn(options, 1, -1.0)
    assert chooser.chances(options).argmin() == 1


def test_a_policy_proposes_distinct_actions_and_plays_one_of_them() -> None:
    said = iter(["pass", "PASS", "say I suspect player_3.", "pass", "say hello.", "x"])
    policy = CandidatePolicy(Chooser(), count=3, greedy=False)
    view = View("", "player_0", ME, {}, "", (), [ME], (), lambda method, *given: next(said))
    action = policy.act(view, stream("tests.candidates", 0))
    ((options, place),) = policy.played
    assert action == ["pass", "say I suspect player_3.", "say hello."][place]
    assert len(options) == 3


def test_training_repeats_and_changes_what_is_chosen() -> None:
    one, other = Chooser(), Chooser()
    assert train(one, 20, 1, Table()) == train(other, 20, 1, Table())
    assert (one.weights == other.weights).all()
    assert one.weights.any()


@pytest.mark.full
def test_what_was_learned_wins_more_as_either_side_than_candidates_that_nobody_chooses_among() -> None:
    table, best, plain = Table(), chosen(), unchosen()
    for rival in (plain, Scripted("simple")):
        with_choice, without = (measured(player, rival, 60, table) for player in (best, plain))
        assert sum(with_choice.values()) > sum(without.values())
        assert with_choice["village"] > without["village"]


@pytest.mark.full
def test_a_tournament_takes_them_by_name(tmp_path: Path) -> None:
    names = [f"{HERE}:chosen", f"{HERE}:unchosen"]
    found = tournament("Werewolf-v1", names, deals=4, out=tmp_path)
    assert {standing.name for standing in found.standings} == set(names)
    assert all(standing.games == 8 and not standing.lost for standing in found.standings), "each deal as either side"
