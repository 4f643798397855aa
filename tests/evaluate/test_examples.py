"""Few-shot examples: whose they are, of which tasks, and what they are not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from agentgym.core import ConfigError
from agentgym.core.catalog import _CARDS
from agentgym.evaluate.examples import expert_shots
from agentgym.evaluate.limits import EpisodeLimits
from tests.agents.tool_world import CARD, Drawers

HERE = EpisodeLimits(here=True)


def shots(env_id: str, count: int, **others: Any) -> Any:
    asked: dict[str, Any] = {"split": "test", "seed": 0, "limits": HERE, "env_kwargs": {}, **others}
    return expert_shots(env_id, count, **asked)


@contextmanager
def with_train() -> Iterator[None]:
    """The world of drawers with a split `train` and an expert that looks where the coin is."""
    known = replace(CARD, splits={"test": 3, "train": 3})
    before = Drawers.__dict__.get("_expert")
    _CARDS[CARD.id] = Drawers.card = known
    Drawers._expert = lambda self: f'{{"name": "look", "arguments": {{"drawer": {self.task.spec["at"]}}}}}'  # type: ignore[method-assign]
    try:
        yield
    finally:
        _CARDS[CARD.id] = Drawers.card = CARD
        if before is None:
            del Drawers._expert
        else:
            Drawers._expert = before  # type: ignore[method-assign]


def test_they_are_solved_and_the_same_for_the_same_seed() -> None:
    found = shots("FrozenLake-v0", 3)
    assert list(found) == ["player_0"]
    assert all("You are at the goal" in shot.seen[-1] for shot in found["player_0"])
    assert len({shot.seen for shot in found["player_0"]}) == 3
    assert shots("FrozenLake-v0", 3) == found
    assert shots("FrozenLake-v0", 3, seed=1) != found


def test_they_speak_through_the_wrappers_that_do_not_repeat_what_was() -> None:
    tables = [{"name": "ReAct"}, {"name": "History", "turns": 2}, {"name": "Screenshot"}]
    (shot,) = shots("FrozenLake-v0", 1, wrappers=tables)["player_0"]
    assert all(said.startswith("Thought: ") for said in shot.said)
    assert not any("\nTurn 1\n" in seen for seen in shot.seen)


def test_in_a_game_each_player_has_its_own_and_what_it_won_comes_first() -> None:
    found = shots("KuhnPoker-v0", 2, env_kwargs={"hands": 4}, formats={"player_1": [{"name": "ReAct"}]})
    assert {player: len(each) for player, each in found.items()} == {"player_0": 2, "player_1": 2}
    assert all("You are player_1." in shot.seen[0] for shot in found["player_1"])
    assert found["player_1"][0].said[0].startswith("Thought: ")
    assert found["player_0"][0].said[0] in ("pass", "bet")
    assert "player_0 +" in found["player_0"][0].seen[-1]


def test_tasks_of_the_evaluated_split_are_refused() -> None:
    with pytest.raises(ConfigError, match="shots are tasks of train, which is the split that is evaluated"):
        shots("FrozenLake-v0", 1, split="train")
    with pytest.raises(ConfigError, match="shots must be from 1 to 64, got 65"):
        shots("FrozenLake-v0", 65)


def test_a_split_that_has_too_few() -> None:
    with with_train(), pytest.raises(ConfigError, match="the expert of AgentGymTests/Drawers-v0 gave 3 of 4 shots"):
        shots("tests.agents.tool_world:AgentGymTests/Drawers-v0", 4)
