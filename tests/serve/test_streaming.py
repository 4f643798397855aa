"""What of an answer under way can be sent is the beginning of the whole answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.serve.completions import read_calls
from agentgym.serve.streaming import settled

WORDS = st.lists(
    st.sampled_from(["a", "b", "ab", " ", "\n", "<", "<tool", "<tool_call>", '{"name": "f"}', "</tool_call>", "c"]),
    max_size=12,
)


def whole(text: str, stop: list[str], calling: bool) -> str:
    """The words of an answer that is over, letter by letter."""
    for size in range(len(text) + 1):
        found = [text[:size].find(each) for each in stop if each in text[:size]]
        if found:
            text = text[: min(found)]
            break
    return read_calls(text, ["f"])[0] if calling else text


@given(WORDS, st.lists(st.sampled_from(["ab", "abc", "bc", "a b", "b"]), max_size=2), st.booleans())
def test_what_is_sent_is_never_taken_back(words: list[str], stop: list[str], calling: bool) -> None:
    text, sent = "".join(words), ""
    for size in range(len(text) + 1):
        ready = settled(text[:size], stop, calling)
        if len(ready) > len(sent):
            assert ready.startswith(sent)
            sent = ready
    assert whole(text, stop, calling).startswith(sent)


@pytest.mark.parametrize(
    ("text", "stop", "calling", "ready"),
    [
        ("left ri", [], False, "left ri"),
        ("left ri", ["right"], False, "left "),
        ("left right up", ["right"], False, "left "),
        ("caf\ufffd", [], False, "caf"),
        ("hm <tool", [], True, "hm"),
        ("hm <tool", [], False, "hm <tool"),
        ("hm <tool_call>{", [], True, "hm"),
        ("<think>so</think>", [], False, "<think>so"),
        ("<think>so be it</think>up", [], False, "<think>so be it</think>up"),
    ],
)
def test_what_may_change_is_held_back(text: str, stop: list[str], calling: bool, ready: str) -> None:
    assert settled(text, stop, calling) == ready
