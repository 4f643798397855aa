"""OpenAI's chat completions: what a request asks for, and how an answer is written down, whole or in parts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym.agents.chat_messages import CALL, END_OF_CALL
from agentgym.core.json_text import read_json
from agentgym.serve.errors import BAD_REQUEST, Refused

ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
MOST_CHOICES, MOST_STOPS = 64, 16
IGNORED = frozenset({"model", "user", "metadata", "store", "service_tier", "parallel_tool_calls", "safety_identifier"})
READ = frozenset({
    *("messages", "tools", "tool_choice", "n", "logprobs", "top_logprobs", "stop", "max_tokens"),
    *("max_completion_tokens", "temperature", "seed", "stream", "stream_options", "return_token_ids"),
})  # fmt: skip
NEUTRAL: Mapping[str, tuple[Any, ...]] = {  # parameters that are taken with these values alone
    "top_p": (1,),
    "top_logprobs": (0,),
    "frequency_penalty": (0,),
    "presence_penalty": (0,),
    "logit_bias": ({},),
    "response_format": ({"type": "text"},),
    "reasoning_effort": ("none",),
}


@dataclass(frozen=True)
class Question:
    """What a request asks for.

    Attributes:
        model: The name that the client gave it.
        messages: With `role`, `content` (text) and, of an assistant, `tool_calls` (name and arguments).
        tools: JSON-Schema tools; empty for none, or where none may be called.
        forced: Text with which the answer begins, so that it is a call; "" for none.
        n: Answers.
        logprobs: Whether log-probabilities are told.
        stop: Texts before which an answer ends.
        max_tokens: Most tokens of an answer; None for the model's own limit.
        temperature: Of sampling.
        seed: Of sampling; None for one of the session's own.
        stream, usage: Whether the answer comes in parts, and whether the last of them tells numbers of tokens.
        token_ids: Whether the ids of what was read and said are told, as vLLM tells them.
    """

    model: str
    messages: tuple[dict[str, Any], ...]
    tools: tuple[dict[str, Any], ...] = ()
    forced: str = ""
    n: int = 1
    logprobs: bool = False
    stop: tuple[str, ...] = ()
    max_tokens: int | None = None
    temperature: float = 1.0
    seed: int | None = None
    stream: bool = False
    usage: bool = False
    token_ids: bool = False


def read_question(body: bytes) -> Question:
    """The question in the body of a request.

    Raises:
        Refused: if it is none, or asks for what would have no effect here.
    """
    try:
        told = read_json(body)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise Refused(BAD_REQUEST, "a request is an object of JSON")
    _check_text(told)
    for name, value in told.items():
        if value is None or name in IGNORED or name in READ:
            if name == "top_logprobs" and value:
                raise Refused(BAD_REQUEST, "top_logprobs is not possible: sampled tokens alone have log-probabilities")
            continue
        if name not in NEUTRAL or value not in NEUTRAL[name]:
            shown = f"{json.dumps(name[:40])}: {json.dumps(value)[:60]}"
            raise Refused(BAD_REQUEST, f"{shown} is not possible here; leave it out")
    messages = told.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused(BAD_REQUEST, "messages must be a list of at least one message")
    tools, forced = _tools(told)
    stop = told.get("stop") or []
    stop = (stop,) if isinstance(stop, str) else tuple(stop) if isinstance(stop, list) else (None,)
    if len(stop) > MOST_STOPS or not all(isinstance(each, str) and each for each in stop):
        raise Refused(BAD_REQUEST, f"stop must be a text, or a list of at most {MOST_STOPS} texts, none empty")
    options = told.get("stream_options") or {}
    return Question(
        str(told.get("model", "")),
        tuple(_message(each) for each in messages),
        tools,
        forced,
        _whole(told, "n", 1, MOST_CHOICES) or 1,
        bool(told.get("logprobs")),
        stop,
        _whole(told, "max_completion_tokens", 1) or _whole(told, "max_tokens", 1),
        _temperature(told.get("temperature")),
        _whole(told, "seed", 0),
        bool(told.get("stream")),
        bool(options.get("include_usage")) if isinstance(options, dict) else False,
        bool(told.get("return_token_ids")),
    )


def _check_text(told: Any) -> None:
    """See that no text holds half of a surrogate pair, which JSON can spell and no tokenizer reads."""
    try:
        json.dumps(told, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        half = f"U+{ord(error.object[error.start]):04X}"
        raise Refused(BAD_REQUEST, f"a text holds {half}, half of a surrogate pair; leave it out") from None


def _whole(told: Mapping[str, Any], name: str, least: int, most: int = 2**63) -> int | None:
    value = told.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Refused(BAD_REQUEST, f"{name} must be a whole number from {least} to {most}")
    return value


def _temperature(value: Any) -> float:
    if value is None:
        return 1.0
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 2:
        raise Refused(BAD_REQUEST, "temperature must be a number from 0 to 2")
    return float(value)


def _tools(told: Mapping[str, Any]) -> tuple[tuple[dict[str, Any], ...], str]:
    """The tools that may be called, and how the answer begins if one must be."""
    tools, choice = told.get("tools") or [], told.get("tool_choice")
    if not isinstance(tools, list) or not all(isinstance(tool, dict) and _name(tool) for tool in tools):
        raise Refused(BAD_REQUEST, "tools must be a list of functions, each with a name")
    if not tools and choice not in (None, "none", "auto"):
        raise Refused(BAD_REQUEST, "tool_choice has no effect without tools; leave it out")
    if choice == "none" or not tools:
        return (), ""
    if choice in (None, "auto"):
        return tuple(tools), ""
    if choice == "required":
        return tuple(tools), CALL + '{"name": "'
    name = _name(choice) if isinstance(choice, dict) else ""
    if name not in map(_name, tools):
        raise Refused(BAD_REQUEST, "tool_choice must be none, auto, required, or name one of the tools")
    return tuple(tools), f'{CALL}{{"name": {json.dumps(name)}, "arguments": '


def _name(tool: Mapping[str, Any]) -> str:
    function = tool.get("function")
    name = function.get("name") if isinstance(function, dict) else None
    return name if isinstance(name, str) else ""


def _message(told: Any) -> dict[str, Any]:
    role = ROLES.get(str(told.get("role"))) if isinstance(told, dict) else None
    if role is None:
        raise Refused(BAD_REQUEST, f"a message has one of the roles {', '.join(ROLES)}")
    message: dict[str, Any] = {"role": role, "content": _text(told.get("content"))}
    calls = told.get("tool_calls")
    if role == "assistant" and calls:
        try:
            message["tool_calls"] = [
                {"name": str(each["function"]["name"]), "arguments": read_arguments(each["function"].get("arguments"))}
                for each in calls
            ]
        except (AttributeError, KeyError, TypeError):
            raise Refused(BAD_REQUEST, "tool_calls are functions with a name and a text of arguments") from None
    return message


def read_arguments(told: Any) -> Any:
    """The arguments of a call; a text that is no object of JSON stays as it was sampled, and is known again by that.

    Args:
        told: As they stand in a message.

    Raises:
        TypeError: if they are no text.
    """
    if not told:
        return {}
    if not isinstance(told, str):
        raise TypeError(f"arguments are a text, not {type(told).__name__}")
    try:
        found = read_json(told)
    except ValueError:
        return told
    return found if isinstance(found, dict) else told


def _text(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) and part.get("type") == "text" for part in content):
        return "".join(str(part.get("text", "")) for part in content)
    raise Refused(BAD_REQUEST, "content is a text, or a list of parts of text; pictures are not read here")


def read_calls(text: str, names: Sequence[str]) -> tuple[str, list[dict[str, Any]]]:
    """The words of an answer, and its calls of tools.

    Calls are JSON objects, or lists of them, between `<tool_call>` tags. What is none stays words.

    Args:
        text: The whole answer.
        names: The tools that may be called.
    """
    words: list[str] = []
    calls: list[Any] = []
    rest = text
    while True:
        before, found, after = rest.partition(CALL)
        words.append(before)
        if not found:
            return "".join(words).strip() if calls else text, calls
        inside, _, rest = after.partition(END_OF_CALL)
        made = _calls(inside, names)
        calls += made
        if not made:
            words.append(found + inside)


def _calls(text: str, names: Sequence[str]) -> list[dict[str, Any]]:
    try:
        value = read_json(text)
    except ValueError:
        return []
    made = []
    for each in value if isinstance(value, list) else [value]:
        if not isinstance(each, dict) or each.get("name") not in names:
            return []
        if not isinstance(each.get("arguments", {}), dict):
            return []
        made.append({"name": each["name"], "arguments": each.get("arguments", {})})
    return made


@dataclass(frozen=True)
class Choice:
    """One answer, as its client is told it.

    Attributes:
        text: Its words.
        calls: Name and arguments of each call.
        reason: `stop`, `length` or `tool_calls`.
        tokens: Text and log-probability of each token; None where they are not told.
        ids: Of each token; None where they are not told.
    """

    text: str
    calls: Sequence[Mapping[str, Any]]
    reason: str
    tokens: Sequence[tuple[str, float]] | None = None
    ids: Sequence[int] | None = None


def write_choice(number: int, choice: Choice, name: str) -> dict[str, Any]:
    """A choice of a whole answer.

    Args:
        number: Its index.
        choice: The answer.
        name: Of the completion, which the names of its calls begin with.
    """
    message: dict[str, Any] = {"role": "assistant", "content": choice.text, "refusal": None}
    if choice.calls:
        message["content"] = choice.text or None
        message["tool_calls"] = [
            {
                "id": f"call_{name}_{number}_{place}",
                "type": "function",
                "function": {"name": call["name"], "arguments": _arguments(call["arguments"])},
            }
            for place, call in enumerate(choice.calls)
        ]
    written = {"index": number, "message": message, "finish_reason": choice.reason, "logprobs": None}
    if choice.tokens is not None:
        written["logprobs"] = {"content": [_token(*each) for each in choice.tokens], "refusal": None}
    if choice.ids is not None:
        written["token_ids"] = list(choice.ids)
    return written


def _arguments(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _token(text: str, logprob: float) -> dict[str, Any]:
    return {"token": text, "logprob": logprob, "bytes": list(text.encode("utf-8", "replace")), "top_logprobs": []}


def write_parts(
    head: Mapping[str, Any],
    written: Sequence[Mapping[str, Any]],
    usage: Mapping[str, int] | None,
    beside: Mapping[str, Any] | None = None,
) -> str:
    """A whole answer as the events of a stream.

    Args:
        head: What all parts begin with: `id`, `created`, `model`.
        written: As `write_choice` gives them.
        usage: Numbers of tokens; None where they are not asked for.
        beside: What the first part tells as well, such as the ids that were read.
    """
    parts: list[dict[str, Any]] = [{"choices": [part]} for each in written for part in write_rest(each)]
    if usage is not None:
        parts.append({"choices": [], "usage": dict(usage)})
    parts[0] |= beside or {}
    told = [event({**head, "object": "chat.completion.chunk", **part}) for part in parts]
    return "".join([*told, "data: [DONE]\n\n"])


def write_rest(written: Mapping[str, Any], sent: str | None = None) -> list[dict[str, Any]]:
    """The last two parts of a choice: what is not sent yet of it, and why it ended.

    Args:
        written: As `write_choice` gives it.
        sent: The beginning of its words that is sent already, with its role; None if nothing is.
    """
    delta = {key: value for key, value in written["message"].items() if key != "refusal"}
    if sent is not None:
        del delta["role"]
        words = (delta.pop("content") or "")[len(sent) :]
        delta |= {"content": words} if words else {}
    if "tool_calls" in delta:
        delta["tool_calls"] = [{"index": place, **call} for place, call in enumerate(delta["tool_calls"])]
    rest = {"index": written["index"], "delta": delta, "finish_reason": None, "logprobs": written["logprobs"]}
    if "token_ids" in written:
        rest["token_ids"] = written["token_ids"]
    last = {"index": written["index"], "delta": {}, "finish_reason": written["finish_reason"], "logprobs": None}
    return [rest, last]


def event(told: Mapping[str, Any]) -> str:
    """An object as an event of a stream."""
    return f"data: {json.dumps(told)}\n\n"
