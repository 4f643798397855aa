"""The frozen modules of AgentFlow: what is found in a plan, what is done without one, and what all remember."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from agentgym.agents.context import Record
from agentgym.baselines import flow

RNG = np.random.default_rng(0)
MOVES = ("left", "left twice", "right")


@pytest.mark.parametrize(
    ("plan", "admissible", "found"),
    [
        ("right", MOVES, "right"),
        ("First go LEFT\ntwice then", MOVES, "left twice"),
        ("go left  twice now", MOVES, "left twice"),
        ("upright", MOVES, flow.NOTHING),
        ("anything", None, "anything"),
        ("", MOVES, flow.NOTHING),
    ],
)
def test_the_executor_finds_the_command_in_the_plan(plan: str, admissible: Sequence[str] | None, found: str) -> None:
    assert flow.execute(f"a hall\nplan: {plan}", admissible, RNG) == found


def test_the_generator_does_what_was_found_and_otherwise_what_the_verifier_thinks() -> None:
    said = "a hall\nplan: x\nexecute: {}\nverify: {}"
    assert flow.generate(said.format("left", "right"), MOVES, RNG) == "left"
    assert flow.generate(said.format(flow.NOTHING, "better right"), MOVES, RNG) == "right"
    assert flow.generate(said.format(flow.NOTHING, "who knows"), MOVES, RNG) == flow.NOTHING


def test_the_memory_holds_the_last_turns_in_one_line() -> None:
    record = Record("Get out.", ["a"] * 12, [f"step\n{turn}" for turn in range(11)])
    told = flow.memory(record)
    assert told == f"Get out.\nDone so far: {'; '.join(f'step {turn}' for turn in range(3, 11))}\n"
