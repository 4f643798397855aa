"""Figures of test episodes and of training, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from agentgym.reproduce.metrics import TESTED, TRAINED, TriedTasks, by_task, of_tests
from agentgym.rollout.episode import Episode, Segment, Span, Turn

CALL = '{"name": "look", "arguments": {}}'


def episode(success: bool, *, actions: tuple[str, ...], tokens: int = 0, valid: bool = True) -> Episode:
    turns = [Turn("seen", action, 0.0, valid) for action in actions]
    segments = []
    if tokens:  # two are read, and the last turn says all
        spans = [Span(turn, 2, 2 if turn < len(turns) - 1 else 2 + tokens) for turn in range(len(turns))]
        segments = [Segment(token_ids=[1] * (tokens + 2), sampled_mask=[0, 0, *[1] * tokens], spans=spans)]
    return Episode("t", "test", 0, 0, turns=turns, segments=segments, success=success)


def figures(*tasks: list[Episode]) -> dict[str, float]:
    tried = TriedTasks([list(enumerate(tries)) for tries in tasks])
    return {name: metric.measure(tried) for name, metric in TESTED.items()}


def test_figures_of_test_episodes_by_hand() -> None:
    """Two tasks: one won in both tries, one in the second."""
    won = episode(True, actions=(CALL, "b"), tokens=6)
    lost = episode(False, actions=("a", CALL, CALL, "b"), tokens=10, valid=False)
    found = figures([won, won], [lost, won])
    assert found["success"] == 0.5
    assert found["mastered"] == 0.5
    assert found["turns"] == (2 + 2 + 4 + 2) / 4
    assert found["tokens"] == (6 * 3 + 10) / 4
    assert found["grounding"] == pytest.approx(6 / 10)
    assert found["turns_per_success"] == 10 / 3
    assert found["tokens_per_success"] == 28 / 3
    assert found["calls_per_success"] == 5 / 3
    assert figures([lost])["calls_per_success"] == 2, "without a success, what all episodes took"


def update(steps: int, success: float, **more: Any) -> dict[str, Any]:
    told = {"world_steps": steps, "success": success, "turns": 2.0, "episodes": steps / 2, "sampled_tokens": 3 * steps}
    return {**told, "groups_learned": 2, "dead_groups_learned": 1, **more}


def test_figures_of_training_by_hand() -> None:
    """From 10 steps to 30 the success rises from 0 to 0.5 and stays there for 20 more."""
    found = {
        name: metric.measure([update(10, 0.0), update(20, 0.5), update(20, 0.5)]) for name, metric in TRAINED.items()
    }
    assert found["world_steps"] == 50
    assert found["tokens_sampled"] == 150
    assert found["area"] == pytest.approx((20 * 0.25 + 20 * 0.5) / 40)
    assert found["shared_steps"] == 0.0
    assert found["dead_share_learned"] == 0.5
    assert TRAINED["area"].measure([update(10, 0.25)]) == 0.25
    assert {metric.measure([]) for metric in TRAINED.values()} == {0.0}, "a clone alone trains nothing"


def test_figures_task_by_task() -> None:
    wins = {"wins": [2, 0, None], "played": [4, 4, 0]}
    assert by_task("pass_at_1", wins, 4) == [0.5, 0.0, None]
    assert by_task("pass_at_4", {**wins, "played": [4, 3, 0]}, 4) == [1.0, None, None]
    assert by_task("pass_at_1", {"wins": [1, None]}, 2) == [0.5, None], "where nothing was left out"
    assert by_task("success", wins, 4) is None
    assert by_task("pass_at_1", {"pass_at_1": 0.5}, 4) is None
    assert [name for name in ("pass_at_8", "turns", "area") if of_tests(name)] == ["pass_at_8", "turns"]
