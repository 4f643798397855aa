"""Credit that differs from turn to turn: terms of the reward by name, and turns compared within a player."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentgym.core import AgentGymError
from agentgym.train import load_recipe
from agentgym.train.advantages import GroupRelative, StepRelative
from agentgym.train.turn_advantages import TurnReturn
from tests.train.making import by_turn, episode, values


def told(rewards: list[float], group: int = 0, **terms: list[float]) -> Any:
    """An episode whose world tells terms beside its rewards."""
    made = episode(rewards, group)
    made.turns = [
        replace(turn, rewards={name: each[place] for name, each in terms.items()})
        for place, turn in enumerate(made.turns)
    ]
    return made


def test_a_term_of_the_reward_is_compared_by_its_name() -> None:
    group = [told([1.0], style=[0.0]), told([0.0], style=[0.1])]
    assert values(GroupRelative()(group), group) == [1.0, -1.0]
    assert values(GroupRelative(reward="style")(group), group) == pytest.approx([-1.0, 1.0])  # as much, from a tenth
    steps = [told([0.0, 0.0], style=[0.0, 2.0]), told([0.0, 0.0], style=[0.0, 0.0])]
    found = StepRelative("style", gamma=0.0, scale="none")(steps)
    assert by_turn(found, steps[0]) == [[-0.5, -0.5], [1.5, 1.5]]
    with pytest.raises(AgentGymError, match="the world tells no term"):
        GroupRelative(reward="grace")(group)


def test_a_name_that_no_world_tells_is_refused_before_the_run() -> None:
    with pytest.raises(AgentGymError, match="does not tell"):
        load_recipe("grpo", {"advantage.0.reward": "grace"})
    with pytest.raises(AgentGymError, match="does not tell"):
        load_recipe("grpo", {"advantage": [{"name": "turn_return", "reward": "grace"}]})


def test_turns_are_centred_within_a_player() -> None:
    """By hand: player_0 has returns to go 3, 2 and 1, 1 (mean 1.75), player_1 has 10 alone."""
    first = episode([1.0, 2.0], player="player_0", role="player_0")
    second = episode([0.0, 1.0], 1, player="player_0", role="player_0")
    other = episode([10.0], player="player_1", role="player_1")
    together = [first, other, second]
    found = TurnReturn()(together)
    assert by_turn(found, first, 0) == [[1.25, 1.25], [0.25, 0.25]]
    assert by_turn(found, second, 2) == [[-0.75, -0.75], [-0.75, -0.75]]
    assert by_turn(found, other, 1) == [[0.0, 0.0]]
    discounted = TurnReturn(gamma=0.5)(together)
    assert by_turn(discounted, first, 0)[0][0] == pytest.approx(2.0 - (2.0 + 2.0 + 0.5 + 1.0) / 4)
    scaled = by_turn(TurnReturn(scale="player")(together), first, 0)[0][0]
    assert scaled == pytest.approx(1.25 / 0.6875**0.5)
