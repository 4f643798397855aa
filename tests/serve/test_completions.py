"""What a chat completion cannot ask for is refused in one line, before a model reads any of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentgym.serve.completions import read_question
from agentgym.serve.errors import BAD_REQUEST, Refused

GOOD: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "one"}]}
HALF = "U+D800, half of a surrogate pair; leave it out"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"messages": [{"role": "user", "content": "half \ud800"}]}, HALF),
        ({"messages": [{"role": "tool", "content": [{"type": "text", "text": "\ud800"}]}]}, HALF),
        ({"tools": [{"type": "function", "function": {"name": "look", "description": "\ud800"}}]}, HALF),
        ({"a\nb": 1}, r'"a\nb": 1 is not possible here; leave it out'),
        ({"top_p": [0.5]}, '"top_p": [0.5] is not possible here; leave it out'),
    ],
)
def test_what_no_model_can_read_is_refused_in_a_line(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(Refused) as refused:
        read_question(json.dumps({**GOOD, **changes}).encode())
    assert refused.value.status == BAD_REQUEST
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_whole_surrogate_pair_is_a_character() -> None:
    told = {**GOOD, "messages": [{"role": "user", "content": "\U0001f4a5"}]}
    assert read_question(json.dumps(told).encode()).messages[0]["content"] == "\U0001f4a5"
