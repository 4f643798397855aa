"""Calls of tools in the forms of several makers are read as the JSON object that worlds read, in linear time."""

from __future__ import annotations

import json
import time

import pytest

from agentgym.core import Call, Invalid, Tool, ToolGrammar
from agentgym.core.call_forms import FORMS, Form, native_calls

PARAMETERS = {
    "type": "object",
    "properties": {"place": {"type": "string"}, "days": {"type": "integer"}, "also": {"type": "array"}},
    "required": ["place"],
    "additionalProperties": False,
}
GRAMMAR = ToolGrammar(
    [Tool("weather", "What it will be like.", PARAMETERS), Tool("now", "The time.", {"type": "object"})]
)
WANTED = {"place": "São Paulo, 7", "days": 3, "also": ["wind", "rain"]}
ARGUMENTS = json.dumps(WANTED)
BEFORE = {
    "glm": "I look.\n",
    "qwen": "I look.\n",
    "qwen3-coder": "<think>\nWhere?\n</think>\n\n",
    "mistral with an id": "Well.",
}
CALLS = {
    "llama": f'{{"name": "weather", "parameters": {ARGUMENTS}}}',
    "qwen": f'<tool_call>\n{{"name": "weather", "arguments": {ARGUMENTS}}}\n</tool_call>',
    "qwen3-coder": "<tool_call>\n<function=weather>\n<parameter=place>\nSão Paulo, 7\n</parameter>\n<parameter=days>\n3"
    '\n</parameter>\n<parameter=also>\n["wind", "rain"]\n</parameter>\n</function>\n</tool_call>',
    "glm": "<tool_call>weather\n<arg_key>place</arg_key>\n<arg_value>São Paulo, 7</arg_value>\n<arg_key>days</arg_key>"
    '\n<arg_value>3</arg_value>\n<arg_key>also</arg_key>\n<arg_value>["wind", "rain"]</arg_value>\n</tool_call>',
    "gemma": '<|tool_call>call:weather{also:[<|"|>wind<|"|>,<|"|>rain<|"|>],days:3,place:<|"|>São Paulo, 7<|"|>}'
    "<tool_call|>",
    "gpt-oss": f"<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{ARGUMENTS}<|call|>",
    "gpt-oss, as its template writes it": f" to=functions.weather<|channel|>commentary json<|message|>{ARGUMENTS}",
    "deepseek": f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n```json\n{ARGUMENTS}\n```"
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek 3.1": f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>weather<｜tool▁sep｜>{ARGUMENTS}<｜tool▁call▁end｜>",
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>"
    f"{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>",
    "mistral": f"[TOOL_CALLS]weather[ARGS]{ARGUMENTS}",
    "mistral with an id": f"[TOOL_CALLS]weather[CALL_ID]abc123def[ARGS]{ARGUMENTS}",
}


@pytest.mark.parametrize("maker", CALLS)
def test_a_call_is_read(maker: str) -> None:
    for before in ("", BEFORE.get(maker, "")):
        assert GRAMMAR.parse(before + CALLS[maker]) == Call("weather", WANTED)


@pytest.mark.parametrize("maker", CALLS)
def test_two_calls_are_none(maker: str) -> None:
    said = GRAMMAR.parse(f"{BEFORE.get(maker, '')}{CALLS[maker]}\n{CALLS[maker]}")
    assert isinstance(said, Invalid)
    assert "a turn takes one call" in said.reason


@pytest.mark.parametrize("maker", CALLS)
def test_an_unknown_tool_and_a_damaged_call_are_named(maker: str) -> None:
    unknown = GRAMMAR.parse(CALLS[maker].replace("weather", "whether"))
    assert isinstance(unknown, Invalid)
    assert "no tool 'whether'; did you mean 'weather'" in unknown.reason
    for end in range(len(CALLS[maker])):
        assert GRAMMAR.parse(CALLS[maker][:end]) is not None


def test_what_a_schema_calls_a_text_stays_one() -> None:
    said = "<tool_call>weather\n<arg_key>place</arg_key>\n<arg_value>12</arg_value>\n</tool_call>"
    assert GRAMMAR.parse(said) == Call("weather", {"place": "12"})
    wrong = GRAMMAR.parse(said.replace("place", "days"))
    assert isinstance(wrong, Invalid)
    assert "place" in wrong.reason


def test_calls_without_arguments() -> None:
    for said in ("<tool_call>now</tool_call>", "<function=now>\n</function>", "<|tool_call>call:now{}<tool_call|>"):
        assert GRAMMAR.parse(said) == Call("now", {})


def test_keys_and_quotes_in_a_text_of_gemmas_form_stay_as_they_are() -> None:
    said = '<|tool_call>call:weather{place:<|"|>{a: "b", c: 1}<|"|>}<tool_call|>'
    assert native_calls(said, {}) == [{"name": "weather", "arguments": {"place": '{a: "b", c: 1}'}}]


def test_an_action_in_json_is_read_as_json_whatever_its_texts_hold() -> None:
    said = json.dumps({"name": "weather", "arguments": {"place": "<function=now></function>"}})
    assert GRAMMAR.parse(said) == Call("weather", {"place": "<function=now></function>"})


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.begin)
def test_reading_takes_linear_time(form: Form) -> None:
    for unit in (
        form.begin,
        f"{form.begin}a",
        f"{form.begin}a{{",
        "{a",
        ",a ",
        "<parameter=a>",
        "<arg_key>",
        '<|"|>',
        "\n{",
    ):
        text = (form.begin + unit * 60_000)[:200_000]
        began = time.process_time()
        native_calls(text, {})
        assert time.process_time() - began < 3
