"""The last JSON value of a text, as a search by Python's own decoder would find it, in linear time."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym.agents import extract_action
from agentgym.agents.chat import shown_call
from agentgym.core import Invalid, Tool, ToolCall, ToolGrammar
from agentgym.core.json_text import DEEPEST, last_value, nests_deeper, read_json, read_toml

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


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_what_nests_too_deeply_is_no_json_wherever_it_is_read(opening: str, closing: str) -> None:
    def nested(levels: int) -> str:
        return opening * levels + "1" + closing * levels

    assert not nests_deeper(read_json(nested(DEEPEST)))
    for levels in (DEEPEST + 1, 500, 900, 991, 992, 5_000):
        with pytest.raises(ValueError, match="nested more than 100 levels deep"):
            read_json(nested(levels))
    assert last_value(f"so {nested(500)}", opening[0]) is None
    assert read_toml("a = [[1]]") == {"a": [[1]]}
    with pytest.raises(ValueError, match="nested too deeply"):
        read_toml(f"a = {'[' * 5_000}")


def test_a_call_that_nests_deeply_is_refused_and_raises_nothing() -> None:
    grammar = ToolGrammar([Tool("find", "Find.", {"type": "object", "properties": {"what": {}}}, ({"what": 1},))])
    for levels in (101, 450, 600, 900, *range(980, 1000)):
        deep = "[" * levels + "]" * levels
        for text in (
            f'{{"name": "find", "arguments": {{"what": {deep}}}}}',
            f'{{"n\\u0061me": "find",\n"arguments": {deep}}}',
        ):
            assert isinstance(grammar.parse(text), Invalid)
            assert isinstance(grammar.parse(f"I call {text}"), Invalid)
        call = ToolCall("1", "find", f'{{"what": {deep}}}')
        assert shown_call(call)["function"]["arguments"] == "{}"
        assert isinstance(grammar.parse(call.action), Invalid)
