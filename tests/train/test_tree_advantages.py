"""Credit in trees: what siblings share is paid for what all of them came to, and a fork for what was made of it."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from agentgym.core import ConfigError
from agentgym.rollout import EnvPool, Episode, Parent, Tree, collect
from agentgym.train.advantages import GroupRelative
from agentgym.train.tree_advantages import TreeRelative
from tests.rollout.players import Scripted
from tests.rollout.test_strategies import guess, starts
from tests.rollout.worlds import ID
from tests.train.making import by_turn, episode
from tests.train.methods import small, trained

RETURNS = (1.0, 0.0, 0.0, 0.0)
BRANCH_OF = (None, None, 0, 1)  # all go apart before their second action


def tree() -> list[Episode]:
    """Two beginnings, and a branch of each."""
    return [
        episode([0.0, earned], number=number, parent=None if of is None else Parent(of, 1, "branch"))
        for number, (earned, of) in enumerate(zip(RETURNS, BRANCH_OF, strict=True))
    ]


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (TreeRelative("parent", "none"), [(0.25, 0.5), (-0.25, 0.0), (0.25, -0.5), (-0.25, 0.0)]),
        (TreeRelative("root", "none"), [(0.25, 0.75), (-0.25, -0.25), (0.25, -0.25), (-0.25, -0.25)]),
        (
            TreeRelative(),
            [
                (0.5 / math.sqrt(2), 1.25),
                (-0.5 / math.sqrt(2), -0.25),
                (0.5 / math.sqrt(2), -0.75),
                (-0.5 / math.sqrt(2), -0.25),
            ],
        ),
    ],
)
def test_stretches_of_a_tree_by_hand(term: TreeRelative, expected: list[tuple[float, float]]) -> None:
    made = tree()
    found = term(made)
    for place, (one, turns) in enumerate(zip(made, expected, strict=True)):
        assert [row[0] for row in by_turn(found, one, place)] == pytest.approx(turns)
    assert term.take_counts() == {"turns": 8, "turns_shared": 4}


def test_a_branch_of_a_branch_and_one_whose_parent_was_left_out() -> None:
    """Turns 0 and 1 are one stretch where nobody went apart between them; a filter may have dropped an episode."""
    first = episode([0.0, 0.0, 1.0], number=0)
    second = episode([0.0, 0.0, 0.0], number=1, parent=Parent(0, 1, "branch"))
    third = episode([0.0, 0.0, 1.0], number=2, parent=Parent(1, 2, "branch"))
    made = [third, first, second]
    found = TreeRelative("parent", "none")(made)
    root, below = 2 / 3, 1 / 2
    assert [row[0] for row in by_turn(found, third, 0)] == pytest.approx([0.0, below - root, 1 - below])
    assert [row[0] for row in by_turn(found, first, 1)] == pytest.approx([0.0, 1 - root, 1 - root])
    assert [row[0] for row in by_turn(found, second, 2)] == pytest.approx([0.0, below - root, -below])
    orphans = [second, episode([0.0, 0.0, 1.0], number=3, parent=Parent(0, 1, "branch"))]
    found = TreeRelative("parent", "none")(orphans)
    assert [row[0] for row in by_turn(found, second, 0)] == pytest.approx([0.0, -0.5, -0.5])


def test_the_children_of_a_fork_add_up_to_nothing() -> None:
    """In trees as they are played; a path by itself, as group-relative credit sees it, has no such thing."""
    made = collect(EnvPool(ID), Scripted(guess), starts(3, 8), strategy=Tree((1, 2)))
    sums: dict[Any, float] = defaultdict(float)
    found = TreeRelative("parent", "none")(made)
    for place, one in enumerate(made):
        for turn, row in enumerate(by_turn(found, one, place)):
            words = tuple(each.action for each in one.turns[:turn])
            sums[one.group, turn, words if turn else ""] += row[0]
    assert any(abs(row[0]) > 0.1 for place, one in enumerate(made) for row in by_turn(found, one, place))
    assert all(total == pytest.approx(0.0, abs=1e-9) for total in sums.values())


def test_a_recipe_learns_from_a_tree_and_not_as_from_paths() -> None:
    """On the shared turns of a tree credit differs from that of the whole path, and the step with it."""
    changes: dict[str, Any] = {"rollout__strategy": {"name": "tree", "depths": [1, 2]}, "update__updates": 1}
    steps = [
        trained(small("grpo", **changes, advantage=[{"name": name}])).history[0]
        for name in ("tree_relative", "group_relative")
    ]
    assert steps[0]["episodes"] == steps[1]["episodes"]
    assert steps[0]["return"] == steps[1]["return"]
    assert steps[0]["grad_norm"] > 0
    assert steps[0]["grad_norm"] != pytest.approx(steps[1]["grad_norm"], rel=1e-3)
    assert steps[0]["counters"]["TreeRelative"]["turns_shared"] > 0


def test_without_branches_it_is_the_distance_from_the_group() -> None:
    made = [episode([earned]) for earned in RETURNS]
    paths = [GroupRelative(scale="none")(made), TreeRelative("root", "none")(made)]
    for mine, its in zip(*paths, strict=True):
        assert np.array(mine) == pytest.approx(np.array(its))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({}, "no episode branches"),
        ({"rollout__strategy": {"name": "tree", "depths": [1]}, "replay": {"name": "success"}}, "drop"),
    ],
)
def test_where_there_is_no_tree_it_is_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        small("grpo", advantage=[{"name": "tree_relative"}], **changes)
