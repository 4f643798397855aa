"""What parts count is told once a round, under the name of their class."""

from __future__ import annotations

from agentgym.rollout import Attempts, Branching
from agentgym.rollout.counters import take_counts
from tests.train.methods import small, trained


def test_counts_of_one_class_add_up_and_are_taken_once() -> None:
    one, other, third = Attempts(2), Attempts(3), Branching(every=1)
    one.count(tries=1, fails=2)
    one.count(tries=1)
    other.count(tries=3)
    parts = [one, other, third, None, "not a part"]
    assert take_counts(parts) == {"Attempts": {"tries": 5, "fails": 2}}
    assert take_counts(parts) == {}
    assert one == Attempts(2)  # what was counted is no setting


def test_strategies_and_learners_count_in_a_round() -> None:
    recipe = small("ppo", rollout__strategy={"name": "branching", "every": 1}, update__updates=1)
    recipe.learners[0].count(fitted=1)
    counters = trained(recipe).history[0]["counters"]
    assert counters["Branching"]["branches"] == 32
    assert counters["Critic"] == {"fitted": 1}
