"""Curves of pass@k that cross, and tasks that only one arm solves, by hand."""

from __future__ import annotations

from typing import Any

from agentgym.evaluate.metrics import pass_at_k
from agentgym.reproduce.metrics import powers
from agentgym.reproduce.support import compared

TRIES = 4


def seed(*wins: int) -> dict[str, Any]:
    curve = {f"pass_at_{k}": sum(pass_at_k(TRIES, won, k) for won in wins) / len(wins) for k in powers(TRIES)}
    return {**curve, "wins": list(wins)}


def test_the_surer_arm_leads_until_the_curves_cross() -> None:
    """Tuned wins 4 of 4 at two of four tasks; base 1 of 4 at three, at pass@1 3/16, at pass@4 3/4."""
    (pair,) = compared({"base": [seed(1, 1, 1, 0)], "tuned": [seed(4, 4, 0, 0)]}, TRIES)
    assert pair["arms"] == ["tuned", "base"]
    assert pair["pass_at"] == {"1": [0.5, 3 / 16], "2": [0.5, 3 / 8], "4": [0.5, 0.75]}
    assert pair["crossover"] == 4
    assert pair["solved"] == {"both": 2, "first": 0, "second": 1, "neither": 1}


def test_an_arm_that_leads_everywhere_is_never_met() -> None:
    pairs = compared({"a": [seed(4, 4)], "b": [seed(1, 0)], "c": [seed(4, 4)]}, TRIES)
    assert [(pair["arms"], pair["crossover"]) for pair in pairs] == [
        (["a", "b"], None), (["a", "c"], 1), (["c", "b"], None),
    ]  # fmt: skip


def test_tries_are_powers_of_two() -> None:
    assert powers(1) == [1]
    assert powers(256) == [1, 2, 4, 8, 16, 32, 64, 128, 256]
