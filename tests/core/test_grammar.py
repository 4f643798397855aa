"""One object renders the manual and parses; parsing never raises, whatever the text."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentgym.core import Call, Command, Grammar, GrammarError, Invalid, Tool, ToolGrammar
from agentgym.core.grammar import shorten

HOSTILE_SECONDS = 0.1  # of processor time; an action of full length takes milliseconds, a cubic pattern half a minute

WORDS = Grammar(
    [
        Command("search[<words>]", "search the shop.", examples=("search[red shoes]", "search[ a ]")),
        Command("take <object> from <place>", "take it.", variants=("grab <object> out of <place>",)),
        Command("go <direction>", "walk.", choices={"direction": ("north", "south")}, examples=("go north",)),
        Command("move <object> to <place> from <origin>", "move it."),
        Command("look", "look around.", variants=("look around", "l")),
        Command("put <the thing> down", "put it down.", name="drop", examples=("put lamp down",)),
    ],
    rules="Find the lamp.",
)

TOOLS = ToolGrammar(
    [
        Tool(
            "book",
            "Book a flight.",
            {
                "type": "object",
                "properties": {"flight": {"type": "string", "maxLength": 6}, "seats": {"type": "integer"}},
                "required": ["flight"],
                "additionalProperties": False,
            },
            examples=({"flight": "HAT001"}, {"flight": "HAT002", "seats": 2}),
        ),
        Tool("think", "Think.", {"type": "object"}),
    ],
    rules="Help the caller.",
)


def test_forms_slots_and_variants() -> None:
    assert WORDS.parse("search[red shoes]") == Call("search", {"words": "red shoes"})
    assert WORDS.parse("take mug 1 from desk 1") == Call("take", {"object": "mug 1", "place": "desk 1"})
    assert WORDS.parse("grab mug out of bin") == Call("take", {"object": "mug", "place": "bin"})
    assert WORDS.parse("l") == WORDS.parse("look around") == Call("look")
    assert WORDS.parse("put brass lamp down") == Call("drop", {"the_thing": "brass lamp"})


@pytest.mark.parametrize(
    "action", ["take Mug from Desk", " TAKE Mug FROM Desk ", "take  Mug\tfrom  Desk", "take Mug\nfrom Desk\n"]
)
def test_case_and_space_around_words_do_not_matter_and_slots_keep_theirs(action: str) -> None:
    assert WORDS.parse(action) == Call("take", {"object": "Mug", "place": "Desk"})


def test_slots_are_stripped_kept_inside_and_never_empty_or_of_two_lines() -> None:
    assert WORDS.parse("search[  Red   shoes ]") == Call("search", {"words": "Red   shoes"})
    for action in ("search[]", "search[   ]", "take from", "take  from desk", "search[a\nb]"):
        assert isinstance(WORDS.parse(action), Invalid), action


def test_the_shortest_reading_of_the_first_slot_wins() -> None:
    assert WORDS.parse("take a from b from c") == Call("take", {"object": "a", "place": "b from c"})


def test_choices_are_lowered_and_a_value_outside_is_answered_with_the_list() -> None:
    assert WORDS.parse("GO North") == Call("go", {"direction": "north"})
    refused = WORDS.parse("go up")
    assert isinstance(refused, Invalid)
    assert refused.reason == "'up' is no <direction> of 'go <direction>'; it is one of: north, south."


def test_refusals_show_what_was_said_and_what_is_understood() -> None:
    for action, said in (("fly away", "'fly away'"), ("", "empty"), (" \n", "empty")):
        refused = WORDS.parse(action)
        assert isinstance(refused, Invalid)
        assert said in refused.reason
        assert WORDS.line in refused.reason
        assert "\n" not in refused.reason


def test_special_characters_in_forms_are_literal() -> None:
    grammar = Grammar([Command("f(<x>) + 1.5?", "odd.", name="f")])
    assert grammar.parse("f(3) + 1.5?") == Call("f", {"x": "3"})
    assert isinstance(grammar.parse("f(3) + 1x5"), Invalid)


def test_the_manual_names_everything_and_every_example_parses() -> None:
    for grammar in (WORDS, TOOLS):
        assert grammar.rules in grammar.manual
        assert "\n" not in grammar.line
        for example_ in grammar.examples:
            assert example_ in grammar.manual
            assert isinstance(grammar.parse(example_), Call)
    for command in WORDS.commands:
        assert f"- {command.form}: {command.help}" in WORDS.manual
        assert command.form in WORDS.line
    assert "<direction> is one of: north, south." in WORDS.manual


def test_examples_in_a_manual_cannot_be_read_as_one() -> None:
    """A semicolon between examples would be lost among those within them."""
    plain = Command("go <way>", "go.", ("go north", "go south"))
    listing = Command("name <things>", "name some.", ("name a; b", "name c"), free="line")
    assert Grammar([plain]).manual.endswith("For example: go north; go south")
    assert Grammar([listing]).manual.endswith("For example: name a; b or name c")


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        ([Command("go <x>", "", examples=("walk home",))], "example 'walk home' of 'go <x>' parses as"),
        ([Command("go <x>", ""), Command("go home", "", name="home", examples=("go home now",))], "'go home now'"),
        ([Command("go", ""), Command("go <x>", "")], "share a name"),
        ([Command("go <x>", "", variants=("walk",))], "variant 'walk' must have the slots"),
        ([Command("go <x>", "", choices={"y": ("a",)})], "choices are given for <y>"),
        ([Command("go <x>", "", choices={"x": ("North",)})], "must be in lower case"),
        ([Command("go <x> <x>", "")], "names a slot twice"),
    ],
)
def test_a_grammar_that_contradicts_itself_is_refused(commands: list[Command], message: str) -> None:
    with pytest.raises(GrammarError, match=re.escape(message)):
        Grammar(commands)


@given(st.text() | st.from_regex(r"(take|search\[|go|put|\s|from|\]|down|.)*", fullmatch=True))
@example("\ud800")
@example("search[" + " " * 2000)
def test_parsing_words_never_raises(action: str) -> None:
    parsed = WORDS.parse(action)
    assert isinstance(parsed, Call) or parsed.reason


@pytest.mark.parametrize(
    "action",
    [
        "move " + "a " * 1021,
        "move a to " + "to from " * 250,
        "take " + " " * 2043,
        "take" + " x" * 1022,
        "take " + " from" * 408 + " ",
        "search[" + "a " * 1020,
        " " * 2048,
    ],
    ids=["three slots", "all words", "spaces", "words", "froms", "open bracket", "blank"],
)
def test_hostile_actions_take_no_unbounded_time(action: str) -> None:
    begin = time.process_time()
    WORDS.parse(action)
    assert time.process_time() - begin < HOSTILE_SECONDS


# Tools


def test_a_tool_call_parses() -> None:
    assert TOOLS.parse('{"name": "book", "arguments": {"flight": "HAT001", "seats": 2}}') == Call(
        "book", {"flight": "HAT001", "seats": 2}
    )
    assert TOOLS.parse(' {"arguments": {}, "name": "think"}\n') == Call("think", {})


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ("", "no JSON"),
        ("book HAT001", "no JSON"),
        ("[]", 'keys "name" and "arguments" only'),
        ('{"name": "book"}', 'keys "name" and "arguments" only'),
        ('{"name": "book", "arguments": {}, "id": 1}', 'keys "name" and "arguments" only'),
        ('{"name": "fly", "arguments": {}}', "there is no tool 'fly'; the tools are: book, think."),
        ('{"name": ["book"], "arguments": {}}', "there is no tool"),
        ('{"name": "book", "arguments": []}', "book: arguments must be of type object, got list."),
        ('{"name": "book", "arguments": {}}', "book: arguments lacks 'flight'."),
        ('{"name": "book", "arguments": {"flight": "HAT0001"}}', "arguments.flight must have at most 6 characters"),
        ('{"name": "book", "arguments": {"flight": "A", "seats": 1.0}}', "seats must be of type integer, got float"),
        ('{"name": "book", "arguments": {"flight": "A", "seats": NaN}}', "NaN is no JSON number"),
        ('{"name": "book", "arguments": {"flight": "A", "seats": -Infinity}}', "-Infinity is no JSON number"),
        ('{"name": "book", "arguments": {"flight": "A", "seats": 1e400}}', "1e400 is no number that can be kept"),
        ('{"name": "book", "arguments": {"flight": "A", "seats": [-9e999]}}', "-9e999 is no number that can be kept"),
        ('{"name": "think", "arguments": {"x": ' + "[" * 100_000, "no JSON"),
        ('{"name": "think", "arguments": {"x": ' + "9" * 5000 + "}}", "no JSON"),
    ],
)
def test_bad_tool_calls_are_answered(action: str, message: str) -> None:
    refused = TOOLS.parse(action)
    assert isinstance(refused, Invalid)
    assert message in refused.reason
    assert "\n" not in refused.reason


def test_the_tool_list_is_fresh_and_of_the_chat_form() -> None:
    tools = TOOLS.tools
    assert [tool["function"]["name"] for tool in tools] == ["book", "think"]
    assert json.loads(json.dumps(tools)) == tools
    tools[0]["function"]["parameters"]["required"].append("seats")
    assert TOOLS.tools[0]["function"]["parameters"]["required"] == ["flight"]
    assert WORDS.tools == []


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ([Tool("a", "", {}), Tool("a", "", {})], "share a name"),
        ([Tool("a", "", {"type": "object", "pattern": "x"})], "the parameters of a: the schema keyword 'pattern'"),
        ([Tool("a", "", {"type": "object", "required": ["x"]}, examples=({},))], "does not parse: a: arguments lacks"),
    ],
)
def test_tools_that_contradict_themselves_are_refused(tools: list[Tool], message: str) -> None:
    with pytest.raises(GrammarError, match=re.escape(message)):
        ToolGrammar(tools)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.text())
def test_parsing_tool_calls_never_raises_on_text(action: str) -> None:
    assert isinstance(TOOLS.parse(action), (Call, Invalid))


@given(st.sampled_from(["book", "think", "fly"]) | json_values, json_values)
def test_parsing_tool_calls_never_raises_on_json(name: Any, arguments: Any) -> None:
    parsed = TOOLS.parse(json.dumps({"name": name, "arguments": arguments}))
    assert isinstance(parsed, (Call, Invalid))


@given(st.text(max_size=300))
def test_shortened_text_is_short_and_stands_in_a_line(text: str) -> None:
    short = shorten(text)
    assert len(short) <= 83
    assert short.isprintable()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"examples": "bid 2"}, "the examples of 'bid <n>' must be a tuple of texts, got 'bid 2'"),
        ({"choices": {"n": range(3)}}, "the choices of <n> of 'bid <n>' must be a tuple of texts"),
    ],
)
def test_what_is_no_tuple_of_texts_is_refused_in_one_line(given: dict[str, Any], said: str) -> None:
    with pytest.raises(GrammarError, match=said):
        Command("bid <n>", "bid.", **given)
