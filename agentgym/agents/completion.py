"""What OpenAI-compatible servers send: completions, refused parameters and errors, read with distrust."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym.agents.content_policy import FILTERED
from agentgym.core import ToolCall
from agentgym.core.grammar import shorten
from agentgym.core.json_text import DEEPEST, read_json
from agentgym.core.text import clean

SHORTEST_SECRET = 6  # characters; shorter keys are the dummies of local servers and words that a model may say
ESCAPES = ("\\", "%", "&#")
ESCAPE, LOOKED_AT = 10, 4000  # characters of a spelling of one; characters of a body that are looked at
MOST_TOKENS = 10**9  # of one answer; more is no count
MOST_CALLS = 32  # that are kept of one answer
KEPT_BACK = (*sorted(FILTERED), "length")  # reasons for which a completion may hold no content
THOUGHT_KEYS = ("reasoning_content", "reasoning")  # servers name it in two ways


class NoCompletion(Exception):
    """An answer with status 200 is no chat completion; the message says in words why."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The first choice of a chat completion.

    Attributes:
        text, reasoning, refusal: What the model said, thought, and said in place of an answer; "" for nothing.
        finish_reason: In the server's word; "" if it gave none.
        calls: The tools it called.
        read, written, reasoned: Token counts; None where the server gave none.
    """

    text: str
    reasoning: str
    refusal: str
    finish_reason: str
    calls: tuple[ToolCall, ...]
    read: int | None
    written: int | None
    reasoned: int | None


class Secrets:
    """Hides keys in what a server says, since some echo them.

    Args:
        values: The keys; those shorter than 6 characters are no secrets.
    """

    def __init__(self, values: Iterable[str]):
        self._values = sorted({value for value in values if len(value) >= SHORTEST_SECRET}, key=len, reverse=True)
        self._spelled = re.compile("|".join("".join(map(_spellings, value)) for value in self._values) or r"(?!)")
        self._longest = ESCAPE * max(map(len, self._values), default=0)

    def hidden(self, text: str) -> str:
        """The text with `***` in place of every key, however it is spelled."""
        for value in self._values:
            text = text.replace(value, "***")
        escaped = any(sign in text for sign in ESCAPES)
        return self._spelled.sub("***", text) if escaped else text

    def line(self, text: str) -> str:
        """The beginning of a raw text on one line, without a key, however it is spelled, or a part of one."""
        window, place, kept = mended(text[: LOOKED_AT + self._longest]), 0, ""
        for found in self._spelled.finditer(window):
            if found.start() < LOOKED_AT:
                kept, place = f"{kept}{window[place : found.start()]}***", found.end()
        kept += window[place:LOOKED_AT]
        return shorten(" ".join(kept.split()), 200)


def _spellings(character: str) -> str:
    """The pattern of a character as it may stand in a body: as it is, or escaped as in JSON, HTML or an address."""
    number = ord(character)
    escaped = rf"\\{{1,4}}u{number:04x}|\\{{1,2}}x{number:02x}|%{number:02x}|&\#x0*{number:x};|&\#0*{number};"
    return rf"(?:\\?{re.escape(character)}|(?i:{escaped}))"


def mended(text: str) -> str:
    """The text with surrogates joined to characters, and without what is no plain text (`agentgym.core.text`)."""
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return clean(text)


def read_completion(body: bytes, secrets: Secrets) -> Completion:
    """The completion in a body.

    Args:
        body: As it came.
        secrets: What is hidden in all that the model said.

    Raises:
        NoCompletion: if it is none.
    """
    try:
        answer = read_json(body, deepest=4 * DEEPEST)  # arguments of calls may be what a model nested
    except ValueError:
        raise NoCompletion("it is no JSON") from None
    if not isinstance(answer, dict) or not isinstance(answer.get("choices"), list) or not answer["choices"]:
        raise NoCompletion("it has no 'choices'")
    choice = answer["choices"][0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if isinstance(choice, dict) and choice.get("finish_reason") in KEPT_BACK:
        message = {"content": None, **_table(message)}  # servers send none, or one without content
    if not isinstance(message, dict) or not {"content", "tool_calls", "refusal"} & message.keys():
        raise NoCompletion("its first choice has no 'message' with 'content'")
    content = message.get("content")
    if content is not None and not isinstance(content, str):
        raise NoCompletion("the content of its message is no text")

    def text(value: Any) -> str:
        return secrets.hidden(mended(value)) if isinstance(value, str) else ""

    thought = next((text(message[key]) for key in THOUGHT_KEYS if isinstance(message.get(key), str)), "")
    usage = _table(answer.get("usage"))
    return Completion(
        text(content),  # null: the model said nothing
        thought,
        text(message.get("refusal")),
        shorten(text(choice.get("finish_reason")), 40),
        tuple(_calls(message.get("tool_calls"), text)),
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        _count(_table(usage.get("completion_tokens_details")).get("reasoning_tokens")),
    )


def _calls(listed: Any, text: Any) -> Iterable[ToolCall]:
    """The tool calls of a message; a server's nonsense among them is a call of no tool, which the world refuses."""
    if listed is None:
        return
    if not isinstance(listed, list):
        raise NoCompletion("its 'tool_calls' are no list")
    for number, call in enumerate(listed[:MOST_CALLS]):
        function = _table(_table(call).get("function"))
        arguments = function.get("arguments")
        if not isinstance(arguments, str):  # some servers send the object itself
            arguments = "" if arguments is None else json.dumps(arguments)
        yield ToolCall(text(_table(call).get("id")) or f"call_{number}", text(function.get("name")), text(arguments))


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def error_of(body: bytes) -> Mapping[str, Any]:
    """The table that says what was wrong, as servers put it into the body of a refusal; empty if there is none."""
    try:
        answer = read_json(body)
    except ValueError:
        return {}
    table = _table(answer)
    return _table(table.get("error")) or table


def refused_parameter(body: bytes, sent: Sequence[str]) -> str:
    """The parameter that a server does not take; "" if it names none of those that were sent.

    Args:
        body: Of its answer.
        sent: Names of the parameters of the question.
    """
    error = error_of(body)
    if error.get("param") in sent:
        return str(error["param"])
    said = str(error.get("message") or body[:4000].decode(errors="replace"))
    found = [(place.start(), name) for name in sent if (place := re.search(rf"\b{re.escape(name)}\b", said))]
    return min(found)[1] if found else ""
