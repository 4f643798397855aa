"""The last JSON value of a text, as a search by Python's own decoder would find it, in linear time."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym.agents import extract_action
from agentgym.core.json_text import last_value

LENGTH = 60_000
PIECES = (
    *'{}[],:" ', '"a"', '"name"', "1", "-2.5e3", "true", "NaN", "x", "\n", '\\"', "\\u00e9", '{"a":1}', '{"b":[1,{}]}',
    '{"t": "he said {\\"x\\":1}"}', 'say "',
)  # fmt: skip


def by_decoder(said: str) -> Any:
    """The same by trying every bracket."""
    decoder, found, place = json.JSONDecoder(), None, 0
    while (place := said.find("{", place)) >= 0:
        try:
            found, place = decoder.raw_decode(said, place)
        except (ValueError, RecursionError):
            place += 1
    return found


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_it_finds_what_the_decoder_finds(said: str) -> None:
    assert repr(last_value(said)) == repr(by_decoder(said))


def test_lists_are_found_too() -> None:
    assert last_value('I propose [{"a": [1]}, 2]. That is [all', "[") == [{"a": [1]}, 2]
    assert last_value("no list [", "[") is None


@pytest.mark.parametrize(
    "unit",
    ["{", '{"', '{"a":', '{"a":[', '{"a":"', '{"a":1,', "{ ", "{}", "{[", "[", '"', '{"\\"', '{"a":[{},', '{",":"',
     "</think>", "Action:", "action ", "* ", "```", "\n", "_", "#", "> ", "**Action**: ", "\\boxed{", "<answer>",
     "action 1", "\nObservation:"],
    ids=ascii,
)  # fmt: skip
@pytest.mark.parametrize("calls", [False, True], ids=["words", "calls"])
def test_an_answer_of_repeated_openers_is_read_in_linear_time(unit: str, calls: bool) -> None:
    def cost(length: int) -> float:
        costs = []
        for _ in range(3):
            begin = time.process_time()
            extract_action((unit * length)[:length], calls=calls)
            costs.append(time.process_time() - begin)
        return min(costs)

    assert cost(LENGTH) < max(0.02, 12 * cost(LENGTH // 4)), "four times the text, at most twelve times the time"
