"""Returns compared within a group, with a bonus for early calls, and times what actions took."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentgym.core import ConfigError
from agentgym.rollout import Parent
from agentgym.train import load_recipe
from agentgym.train.advantage_utils import whole_groups
from agentgym.train.advantages import DurationWeighted, EarlyCall, GroupRelative, RootRelative
from tests.train.making import by_turn, episode, values

CALL = '{"name": "python", "arguments": {"code": "print(1)"}}'


def calling(rewards: list[float], at: int | None, group: int = 0) -> Any:
    """An episode whose turn `at` calls Python; turns say two tokens each."""
    made = episode(rewards, group)
    made.turns = [replace(turn, action=CALL) if place == at else turn for place, turn in enumerate(made.turns)]
    return made


def lasting(rewards: list[float], durations: list[float]) -> Any:
    """An episode whose world tells what its turns took."""
    made = episode(rewards)
    made.turns = [replace(turn, rewards={"duration": took}) for turn, took in zip(made.turns, durations, strict=True)]
    return made


def test_early_calls_of_successes_are_preferred_within_bounds() -> None:
    """By hand: returns 1, 1, 0 give 0.7071 and -1.4142; calls after 0 and 2 of 4 tokens, 1 on average."""
    group = [calling([0.0, 1.0], 0), calling([0.0, 1.0], 1), calling([0.0, 0.0], 0)]
    assert values(EarlyCall(pull=1.0)(group), group) == pytest.approx([0.7071 + 0.25, 0.7071 - 0.25, -1.4142], abs=1e-4)
    assert values(EarlyCall(pull=9.0)(group), group) == pytest.approx([0.7071 * 1.7, 0.7071 * 0.3, -1.4142], abs=1e-4)
    part = EarlyCall(tool="other")
    assert values(part(group), group) == pytest.approx(values(GroupRelative()(group), group))
    assert part.take_counts() == {"calls": 0, "tokens_before_calls": 0}


def test_a_thought_before_the_call_counts() -> None:
    """By hand: calls after 1 (a thought) and 2 of 4 tokens, 1.5 on average; without the mark, after 0 and 2."""
    group = [calling([0.0, 1.0], 0), calling([0.0, 1.0], 1), calling([0.0, 0.0], None)]
    group[0].turns[0] = replace(group[0].turns[0], marks={"thought": (0, 1), "action": (1, 2)})
    found = EarlyCall(pull=1.0)(group)
    assert values(found, group) == pytest.approx([0.7071 + 0.125, 0.7071 - 0.125, -1.4142], abs=1e-4)


def test_where_all_succeed_nothing_is_left_of_the_bonus() -> None:
    group = [calling([0.0, 1.0], 0), calling([0.0, 1.0], 1)]
    assert values(EarlyCall()(group), group) == [0.0, 0.0]


def test_a_success_without_a_call_keeps_what_it_has() -> None:
    group = [calling([0.0, 1.0], 0), calling([0.0, 1.0], None), calling([0.0, 0.0], None)]
    plain = values(GroupRelative()(group), group)
    assert values(EarlyCall()(group), group) == pytest.approx(plain)  # who calls is alone, and neither early nor late


def test_each_turn_counts_by_what_it_took() -> None:
    """By hand: returns 1 and 0 give 1 and -1; turns take 1, 5, 1 and 1, on average 2."""
    group = [lasting([0.0, 1.0], [1.0, 5.0]), lasting([0.0, 0.0], [1.0, 1.0])]
    part = DurationWeighted()
    found = part(group)
    assert by_turn(found, group[0], 0) == [[0.5, 0.5], [2.5, 2.5]]
    assert by_turn(found, group[1], 1) == [[-0.5, -0.5], [-0.5, -0.5]]
    assert part.take_counts() == {"duration": 8.0}
    with pytest.raises(ConfigError, match="some above"):
        part([lasting([0.0], [0.0]), lasting([1.0], [0.0])])


def test_parts_without_sense_or_effect_are_refused() -> None:
    for make in (lambda: EarlyCall(pull=0.0), lambda: EarlyCall(bound=1.0)):
        with pytest.raises(ConfigError, match="EarlyCall needs"):
            make()
    with pytest.raises(ConfigError, match="does not tell"):
        load_recipe("grpo", {"advantage": [{"name": "duration_weighted"}]})


def test_trees_are_compared_with_trees_however_many_children_they_have() -> None:
    """Roots earn 1, 0 and 0; the second has two children, one of which has one of its own."""
    won, lost, alone = episode([0.0, 1.0], number=0), episode([0.0], number=1), episode([0.0], number=2)
    called = [
        episode([0.0], number=3, role="helper", parent=Parent(1, 0, "child")),
        episode([0.0], number=4, role="helper", parent=Parent(1, 0, "child")),
        episode([0.0], number=5, role="helper", parent=Parent(4, 0, "child")),
        episode([1.0], number=6, role="helper", parent=Parent(0, 1, "child")),
    ]
    everyone = [won, lost, alone, *called]
    found = values(RootRelative(scale="none")(everyone), everyone)
    assert found == pytest.approx([2 / 3, -1 / 3, -1 / 3, -1 / 3, -1 / 3, -1 / 3, 2 / 3])
    by_role = values(GroupRelative(scale="none")(everyone), everyone)
    assert by_role[3:] == pytest.approx([-1 / 4, -1 / 4, -1 / 4, 3 / 4])


def test_a_child_is_kept_beside_its_root_and_not_alone() -> None:
    roots = [episode([1.0], number=number) for number in range(2)]
    child = episode([1.0], number=2, role="helper", parent=Parent(1, 0, "child"))
    assert whole_groups([*roots, child], 2) == [*roots, child]
    assert whole_groups([roots[1], child], 2) == []
    assert whole_groups([child], 2) == []
