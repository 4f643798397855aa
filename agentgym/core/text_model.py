"""Language models inside worlds and agents: one protocol, a scripted one, and cassettes that record and replay."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypedDict

from agentgym.core.errors import ConfigError, DataError
from agentgym.core.files import parse_object
from agentgym.core.json_text import read_json
from agentgym.core.kinds import check_kind
from agentgym.core.lines import append_lines, mend, read_lines
from agentgym.core.snapshot import fingerprint

Message = Mapping[str, str]  # {"role": "system" | "user" | "assistant", "content": ...}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool as a model wrote it.

    Attributes:
        id: With which the tool's answer names it.
        name: Of the tool.
        arguments: JSON, unless the model wrote something else.
    """

    id: str
    name: str
    arguments: str

    @property
    def action(self) -> str:
        """The JSON object that a world of tool calls reads; arguments that are no JSON object stay a string."""
        try:
            arguments = read_json(self.arguments or "{}")
        except ValueError:
            arguments = self.arguments
        return json.dumps({"name": self.name, "arguments": arguments})


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said and what it cost.

    Attributes:
        text: What it said.
        prompt_tokens, completion_tokens: Tokens read and written.
        cost: US dollars.
        reasoning_tokens: Those of the written ones that were spent on reasoning.
        reasoning: What it thought, where the server tells that apart.
        finish_reason: Why it stopped, in the server's word, such as `stop`, `length` or `tool_calls`.
        refusal: What it said in place of an answer, where the server tells that apart.
        calls: The tools it called.
        seconds: From the first question to the answer; not compared.
        tries: Questions until there was an answer; not compared.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    reasoning_tokens: int = 0
    reasoning: str = ""
    finish_reason: str = ""
    refusal: str = ""
    calls: tuple[ToolCall, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    tries: int = field(default=1, compare=False)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Reply:
        """The reply that `dataclasses.asdict` took apart.

        Raises:
            TypeError: if it is no such record.
        """
        return cls(**{**record, "calls": tuple(ToolCall(**call) for call in record.get("calls", ()))})


class TextModel(Protocol):
    """Anything that answers a chat. Equal messages and seed should give equal replies."""

    def complete(self, messages: Sequence[Message], *, seed: int = 0, max_tokens: int = 512) -> Reply:
        """Answer the conversation.

        Args:
            messages: The conversation, the oldest message first.
            seed: Of sampling.
            max_tokens: The most tokens of the reply.
        """


@dataclass(frozen=True)
class ScriptedModel:
    """A deterministic model made of a function of the messages and the seed; the default inside worlds."""

    answer: Callable[[Sequence[Message], int], str]

    def complete(self, messages: Sequence[Message], *, seed: int = 0, max_tokens: int = 512) -> Reply:
        """Answer by the function.

        Args:
            messages: The conversation, the oldest message first.
            seed: Of sampling.
            max_tokens: Not used.
        """
        return Reply(self.answer(messages, seed))


class Cassette:
    """Records a model's replies in a JSONL file and replays them without it.

    Args:
        path: The file; new replies are appended, one a line, and are on disk when they are returned. A last line that
            was cut short is left out.
        model: The model to record; None replays only.

    Raises:
        DataError: if the file is missing in replay mode, or another line of it is damaged.
    """

    def __init__(self, path: str | Path, model: TextModel | None = None):
        self.path = Path(path)
        self._model = model
        self._replies: dict[str, Reply] = {}
        if not self.path.exists():
            if model is None:
                raise DataError(f"there is no cassette at {self.path}; record one by giving a model")
            return
        self._replies = dict(read_lines(self.path, _entry))
        if model is not None:
            mend(self.path)

    def complete(self, messages: Sequence[Message], *, seed: int = 0, max_tokens: int = 512) -> Reply:
        """The recorded reply, or, when recording, the model's.

        Args:
            messages: The conversation, the oldest message first.
            seed: Of sampling.
            max_tokens: The most tokens of the reply.

        Raises:
            ConfigError: if the reply was never recorded and there is no model to ask.
            DataError: if a new reply cannot be written, such as on a full disk.
        """
        key = fingerprint([[dict(message) for message in messages], seed, max_tokens])
        if key not in self._replies:
            if self._model is None:
                raise ConfigError(f"{self.path} holds no reply to this conversation; record it by giving a model")
            reply = self._model.complete(messages, seed=seed, max_tokens=max_tokens)
            append_lines(self.path, (json.dumps({"key": key, "reply": asdict(reply)}) + "\n").encode())
            self._replies[key] = reply
        return self._replies[key]


class _Entry(TypedDict):
    key: str
    reply: Reply


def _entry(line: bytes) -> tuple[str, Reply]:
    """Key and reply of a line.

    Raises:
        DataError: if it holds none.
    """
    try:
        entry = parse_object(line)
        check_kind(entry, _Entry, "entry")
    except DataError as error:
        raise DataError(f"no cassette entry ({error})") from None
    return entry["key"], Reply.from_record(entry["reply"])
