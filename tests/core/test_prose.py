"""The rule by which an action is read from prose: each form, and no way past a wrong action."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.agents import extract_action
from agentgym.core import Call, Command, Grammar, Invalid, Tool, ToolGrammar
from agentgym.core.prose import extract, marked, peelings, plain, unquoted
from tests.clock import own_seconds

GAME = Grammar(
    [
        Command("go <direction>", "walk.", choices={"direction": ("north", "south")}),
        Command("take <object> from <place>", "take it."),
        Command("search[<words>]", "search."),
        Command("guess <word>", "guess.", variants=("[<word>]", "<word>")),
        Command("vote pass", "vote for nobody.", name="pass"),
        Command("vote <name>", "vote."),
        Command("say <words>", "talk.", free="lines"),
        Command("propose <plan> saying <words>", "propose and talk.", name="argue", free="lines"),
        Command("propose <plan>", "propose."),
    ]
)
TALK = GAME.first_words
STRICT = Grammar([command for command in GAME.commands if command.name != "guess"])  # nothing that takes any word
RIGHT = ("go north", "take mug 1 from desk 1", "search[red shoes]", "vote player_2", "vote pass")
WRONG = ("go up", "fly home", "vote", "search[", "take mug 1 to desk 1", "I will not go north", "north")
FORMS = (
    "%s", "%s.", "%s!", "  %s  ", '"%s"', "'%s'", "`%s`", "**%s**", "(%s)", "[%s]", "**Action: %s**", "Action: %s",
    "<answer>%s</answer>", "<action>\n%s\n</action>", "\\boxed{%s}", "$\\boxed{\\text{%s}}$", "- %s", "2. %s",
    "My answer is: %s.", "The best move is:\n%s", "```\n%s\n```", '"%s."', "<think>a\nb</think>\n\n%s",
)  # fmt: skip
words = st.sampled_from(FORMS)


@given(
    st.sampled_from(RIGHT), st.lists(words, min_size=1, max_size=1), st.sampled_from(["", "I think so.\n", "1. no\n\n"])
)
def test_an_action_in_any_form_is_that_action(action: str, forms: list[str], before: str) -> None:
    text = before + forms[0] % action
    assert GAME.parse(text) == GAME.parse(action)
    assert GAME.parse(extract_action(text, first_words=TALK)) == GAME.parse(action)


@given(st.sampled_from(RIGHT), words, st.sampled_from(WRONG), words)
def test_a_wrong_action_after_a_right_one_stays_refused(right: str, first: str, wrong: str, second: str) -> None:
    """Whatever stands before it; only a mark says that what follows it is no action, so the later one is marked too."""
    has_mark = marked(first % right) is not None
    text = f"{first % right}\n{(second if not has_mark else '<answer>%s</answer>') % wrong}"
    assert isinstance(STRICT.parse(text), Invalid), text
    assert isinstance(STRICT.parse(extract_action(text, first_words=STRICT.first_words)), Invalid), text


@given(st.text(max_size=60), st.sampled_from(WRONG))
def test_no_text_before_a_wrong_last_line_makes_it_an_action(before: str, wrong: str) -> None:
    if marked(before) is None and "<think>" not in before and "say" not in before.lower():
        assert isinstance(STRICT.parse(f"{before}\n{wrong}"), Invalid) or "propose" in before.lower()


@pytest.mark.parametrize(
    "action",
    ["do not go north", "go north or go south", "I could go north", "I'd go north", "I will not go north",
     "I go north or south", "I go north if I must", "Do I go north?", "He says I go north", "It's not north",
     "go north?", "not: go north"],
)  # fmt: skip
def test_a_sentence_about_an_action_is_none(action: str) -> None:
    assert isinstance(STRICT.parse(action), Invalid)


DEEDS = (
    "I", "i", "I'll", "I’ll", "I will", "I'd like to", "I would like to", "I want to", "I choose to", "I decide to",
    "I'm going to", "I am going to", "Let me", "Let's", "let us", "My move is", "The best action is",
)  # fmt: skip


@pytest.mark.parametrize("form", ["%s %s", "%s %s.", "**%s %s!**", "I see a wall.\n%s %s.", "Action: %s `%s`."])
@pytest.mark.parametrize("begin", DEEDS)
def test_a_sentence_that_says_what_is_done_is_that_action(begin: str, form: str) -> None:
    for action in RIGHT:
        text = form % (begin, action)
        assert STRICT.parse(text) == STRICT.parse(action)
        assert STRICT.parse(extract_action(text, first_words=STRICT.first_words)) == STRICT.parse(action)
        assert isinstance(STRICT.parse(text), Call)


@pytest.mark.parametrize("begin", ["My guess is", "It's", "it is", "The answer is", "My final answer is"])
def test_a_sentence_that_says_the_answer_is_that_answer(begin: str) -> None:
    for text in (f"{begin} crane.", f'{begin} "crane"'):
        assert GAME.parse(text) == Call("guess", {"word": "crane"})
    assert isinstance(STRICT.parse(f"{begin} crane."), Invalid)  # no command takes a word alone


@pytest.mark.parametrize(
    "text",
    [
        "go north\nI go south.",
        "I go north.\nI go south.",
        "1. go north\n\nSo\nLet's go south",
        "**I'll go north**\nMy move is go south",
        "<answer>go north\nI go south</answer>",
    ],
)
def test_a_sentence_after_another_action_leaves_the_choice(text: str) -> None:
    for heard in (text, extract_action(text, first_words=STRICT.first_words)):
        refused = STRICT.parse(heard)
        assert isinstance(refused, Invalid)
        assert "names more than one action" in refused.reason


@pytest.mark.parametrize("text", ["I say hello", "I'll say go north", "I propose a; b saying Fair."])
def test_a_sentence_about_speech_is_no_speech(text: str) -> None:
    assert isinstance(STRICT.parse(text), Invalid)


def test_a_sentence_within_speech_is_said() -> None:
    for text in ("say hello\nI go north.", "say I go north.", "Action: say I go north.\nI mean it"):
        call = STRICT.parse(text)
        assert isinstance(call, Call)
        assert call.name == "say"


ASKING = Grammar(
    [
        Command("guess <thing>", "guess.", examples=("guess kite", "my guess is violin")),
        Command("ask <question>", "ask.", variants=("<question>",), free="line"),
    ]
)


def test_free_text_that_stands_alone_is_left_as_it_is() -> None:
    for text in ("It's alive.", "I ask whether it is alive", "My answer is a kite?", "My thought: it flies"):
        assert ASKING.parse(text) == Call("ask", {"question": text})


def test_a_sentence_may_name_the_command_by_its_noun() -> None:
    for text in ("My guess is a kite.", "I guess a kite", "My thought: it flies.\nI guess a kite."):
        assert ASKING.parse(text) == Call("guess", {"thing": "a kite"})
    assert isinstance(ASKING.parse("My guess is a kite.\nI guess a violin."), Invalid)


@pytest.mark.parametrize(
    "unit", ["I ", "I will ", "Let's go ", "I go north. ", "I go north\n", "My guess is ", "it's "]
)
def test_sentences_are_read_in_time_linear_in_their_length(unit: str) -> None:
    short, long = ((unit * length)[:length] for length in (512, 2_048))
    assert own_seconds(lambda: STRICT.parse(long), 5) < 8 * own_seconds(lambda: STRICT.parse(short), 5)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("guess crane.", Call("guess", {"word": "crane"})),
        ('guess "crane"', Call("guess", {"word": "crane"})),
        ("**crane**", Call("guess", {"word": "crane"})),
        ("[crane]", Call("guess", {"word": "crane"})),
        ("My guess is: crane.", Call("guess", {"word": "crane"})),
        ("[guess crane]", Call("guess", {"word": "crane"})),
        ("vote pass.", Call("pass")),
        ("take mug 1 from (desk 1).", Call("take", {"object": "mug 1", "place": "desk 1"})),
        ("say Well, go north.", Call("say", {"words": "Well, go north."})),
        ("say It is \\boxed{4}.", Call("say", {"words": "It is \\boxed{4}."})),
        ("say I saw him.\nHe lied!\n\nTrust me.", Call("say", {"words": "I saw him. He lied! Trust me."})),
        ("Action: say I saw him.\nHe lied!", Call("say", {"words": "I saw him. He lied!"})),
        ("Action: say I saw him.\nHe lied!\nObservation: ok", Call("say", {"words": "I saw him. He lied!"})),
        ("say I saw him.\nHe lied.\nvote player_2", Call("vote", {"name": "player_2"})),
        ("propose a; b saying Fair.\nIs it not?", Call("argue", {"plan": "a; b", "words": "Fair. Is it not?"})),
        ("Action: propose a; b\nThat is fair.", Call("propose", {"plan": "a; b"})),
        ("Action: go north\nObservation: a wall\nAction: go south", Call("go", {"direction": "north"})),
        ("Action 2: go north", Call("go", {"direction": "north"})),
        ("Action:\n\ngo north\nThat is best.", Call("go", {"direction": "north"})),
        ("\\boxed{go south} or \\boxed{go north} which is best", Call("go", {"direction": "north"})),
        ("<think>\\boxed{go south}</think>go north", Call("go", {"direction": "north"})),
    ],
)  # fmt: skip
def test_what_is_read(text: str, meant: Call) -> None:
    assert GAME.parse(text) == meant
    assert GAME.parse(extract_action(text, first_words=TALK)) == meant


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I think.\ngo up", "'up' is no <direction>"),
        ("I think.\nfly home", "'fly home' is not an action here"),
        ("I go up.", "'up' is no <direction>"),
        ("I fly home.", "'I fly home.' is not an action here"),
        ("<think>go north", "names no action"),
        ("Action:", "names no action"),
        ("search[a\x00]", "U+0000"),
        ("I think\u2028\ngo north", "is not an action here"),
    ],
)
def test_a_refusal_names_the_true_reason(text: str, reason: str) -> None:
    refused = STRICT.parse(text)
    assert isinstance(refused, Invalid)
    assert reason in refused.reason


def test_what_was_said_stands_in_the_call() -> None:
    for text, said in (
        ("I go.\n**go north.**", "go north"),
        ("take a from 'b'.", "take a from b"),
        ("VOTE PASS", "vote pass"),
    ):
        call = GAME.parse(text)
        assert isinstance(call, Call)
        assert call.said == said


TOOLS = ToolGrammar([Tool("a", "", {"type": "object"}), Tool("b", "", {"type": "object"})])
CALL = '{"name": "a", "arguments": {}}'


@pytest.mark.parametrize(
    "form", ["I call\n%s", "```json\n%s\n```", "%s.", "[%s]", "Action: %s", "<answer>%s</answer>", "{no} %s"]
)
def test_a_tool_call_in_prose(form: str) -> None:
    assert TOOLS.parse(form % CALL) == Call("a")


@pytest.mark.parametrize(
    "after",
    ['{"name": "c", "arguments": {}}', '{"name": "b", ', '{"name": "b", "arguments": {"x": {"name": "a"}', '{"'],
)
def test_a_broken_call_after_a_right_one_stays_refused(after: str) -> None:
    assert isinstance(TOOLS.parse(f"{CALL} {after}"), Invalid)
    assert isinstance(TOOLS.parse(f"{CALL}\n\n{after}"), Invalid)


@pytest.mark.parametrize("between", [" ", "\n", ", ", ";\n", "\n```\n\n```json\n", "</tool_call>\n<tool_call>"])
def test_two_calls_in_a_row_are_both_refused(between: str) -> None:
    for text in (CALL + between + CALL, f"I call {CALL}{between}{CALL}.", f"[{CALL}{between}{CALL}]"):
        found = TOOLS.parse(text)
        assert isinstance(found, Invalid)
        assert "a turn takes one call" in found.reason
        again = TOOLS.parse(extract_action(text, calls=True))
        assert isinstance(again, Invalid)
        assert "a turn takes one call" in again.reason


def test_a_call_after_something_else_counts() -> None:
    for before in ('{"thought": "hm"}\n', f"I could {CALL} but rather ", f"<think>{CALL}</think>", "{}"):
        assert TOOLS.parse(f"{before}{CALL}") == Call("a")


@given(st.text(max_size=200))
def test_what_is_taken_off_stands_around_what_is_left(text: str) -> None:
    for less in (*peelings(text), plain(text), unquoted(text)):
        assert less in text
        assert less.strip() or not text.strip()
    assert "\n" not in extract(text)
