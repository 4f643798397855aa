"""Another server of OpenAI's chat completions, which answers in place of a model of our own.

Token ids come from servers that answer `return_token_ids`, such as vLLM and `agentgym record`: `prompt_token_ids`
beside the choices, and `token_ids` in each. A server that refuses the parameter is asked without it from then on; what
it says is recorded in words with log-probabilities, and cannot be learned from token by token.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from agentgym.agents.address import Address
from agentgym.agents.completion import Secrets, error_of, refused_parameter
from agentgym.agents.endpoint import Clients, TooLarge
from agentgym.core import require
from agentgym.core.json_text import read_json
from agentgym.core.kinds import misfit
from agentgym.serve.completions import Choice, Question, read_arguments
from agentgym.serve.errors import BAD_REQUEST, FAILED, FULL, Refused

IDS = "return_token_ids"
SENT = (  # as the client wrote them; the rest of a question is written here
    *("messages", "tools", "tool_choice", "n", "stop", "max_tokens", "max_completion_tokens", "seed"),
    "parallel_tool_calls",
)
LARGEST = 2**24  # bytes of an answer
AT_ONCE = 64  # questions
PASSED_ON = {400: BAD_REQUEST, 413: BAD_REQUEST, 422: BAD_REQUEST, 429: FULL}  # a client can do something about these
REASONS = ("stop", "length", "tool_calls")
NO_IDS = "the upstream told no token ids"


@dataclass(frozen=True)
class UpstreamChoice:
    """One answer of an upstream.

    Attributes:
        choice: As the client is told it.
        ids: Of its tokens, the end token included where the upstream counts it; None if it tells none.
        texts: Of its tokens.
        logprobs: Of its tokens.
    """

    choice: Choice
    ids: tuple[int, ...] | None
    texts: tuple[str, ...]
    logprobs: tuple[float, ...]


@dataclass(frozen=True)
class UpstreamReply:
    """All answers to a question.

    Attributes:
        prompt: Ids of what was read; None if the upstream tells none.
        choices: In order.
        weights: What the upstream says of its weights (`system_fingerprint`); "" if nothing.
        read, written: Tokens, as it counts them.
    """

    prompt: tuple[int, ...] | None
    choices: tuple[UpstreamChoice, ...]
    weights: str
    read: int
    written: int


class Upstream:
    """A client of another server.

    Args:
        base_url: Such as `http://localhost:8000/v1`; credentials in it are sent, and stand in no message.
        model: The model's name there.
        api_key: Sent as bearer token unless empty.
        timeout: Seconds from a question to the last byte of its answer.
        tell: Called once if it turns out that the upstream tells no token ids.

    Raises:
        ConfigError: if the address is none.
        MissingExtra: if openai is not installed.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str = "",
        timeout: float = 300.0,
        tell: Callable[[], None] = lambda: None,
    ):
        self._openai = require("openai", extra="endpoint", purpose="agentgym record --upstream")
        self._httpx = require("httpx2", extra="endpoint", purpose="agentgym record --upstream")
        address = Address.of(base_url, api_key)
        self.url, self.model = address.shown, model
        self._secrets, self._timeout, self._tell = Secrets(address.secrets), timeout, tell
        self._clients = Clients(self._openai, self._httpx, address, timeout, LARGEST)
        self._free: asyncio.LifoQueue[Any] = asyncio.LifoQueue()
        for _ in range(AT_ONCE):
            self._free.put_nowait(self._clients.next())
        self._asks_ids, self._told = True, False

    async def answer(self, question: Question, body: bytes) -> UpstreamReply:
        """Ask the upstream.

        Args:
            question: What is asked, checked.
            body: The same as the client wrote it.

        Raises:
            Refused: if the upstream refuses it, cannot be reached, or answers no completion with log-probabilities.
        """
        given = read_json(body)
        sent = {name: given[name] for name in SENT if given.get(name) is not None}
        sent |= {"model": self.model, "temperature": question.temperature, "top_p": 1, "logprobs": True}
        reply = self._read(await self._ask(sent), question)
        if reply.prompt is None and not self._told:
            self._told = True
            self._tell()
        return reply

    async def close(self) -> None:
        """Close all connections."""
        await self._clients.close()

    async def _ask(self, sent: Mapping[str, Any]) -> bytes:
        client = await self._free.get()
        try:
            while True:
                body = {**sent, IDS: True} if self._asks_ids else dict(sent)
                try:
                    async with asyncio.timeout(self._timeout):
                        found = await client.post("/chat/completions", body=body, cast_to=self._httpx.Response)
                except self._openai.APIStatusError as error:
                    content = error.response.content
                    if (
                        self._asks_ids
                        and error.response.status_code in (400, 422)
                        and refused_parameter(content, [IDS])
                    ):
                        self._asks_ids = False
                        continue
                    raise self._refusal(error.response.status_code, content) from None
                return bytes(found.content)
        except (TimeoutError, self._openai.APITimeoutError):
            raise Refused(FAILED, f"the upstream {self.url} did not answer within {self._timeout:g} s") from None
        except TooLarge as error:
            raise Refused(FAILED, f"the upstream {self.url} {error}") from None
        except self._openai.APIConnectionError as error:
            said = self._secrets.line(str(error.__cause__ or error) or type(error).__name__)
            raise Refused(FAILED, f"the upstream {self.url} cannot be reached: {said}") from None
        finally:
            self._free.put_nowait(client)

    def _refusal(self, status: int, content: bytes) -> Refused:
        error = error_of(content)
        said = self._secrets.line(str(error.get("message") or content[:4000].decode(errors="replace")))
        if error.get("code") == "context_length_exceeded":
            return Refused(BAD_REQUEST, f"context_length_exceeded: {said}")
        return Refused(PASSED_ON.get(status, FAILED), f"the upstream answered status {status} ({said})")

    def _read(self, content: bytes, question: Question) -> UpstreamReply:
        try:
            return read_reply(read_json(content), question, self._secrets.hidden)
        except ValueError as error:
            what = str(error) if isinstance(error, ReplyError) else "it is no JSON"
            raise Refused(FAILED, f"the upstream {self.url} answered what cannot be recorded: {what}") from None


class ReplyError(ValueError):
    """An answer of an upstream lacks what is recorded; the message says what."""


class _Token(TypedDict):
    token: object
    logprob: float


class _Logprobs(TypedDict, total=False):
    content: list[_Token] | None


class _Function(TypedDict):
    name: str


class _FunctionGiven(_Function, total=False):
    arguments: str | dict[str, Any] | None  # as a text, and by some servers as they are


class _Call(TypedDict):
    function: _FunctionGiven


class _Message(TypedDict, total=False):
    content: str | None
    tool_calls: list[_Call] | None


class _Answered(TypedDict):
    message: _Message


class _Choice(_Answered, total=False):
    index: int | None
    finish_reason: object
    logprobs: _Logprobs | None
    token_ids: object


class _Usage(TypedDict, total=False):
    prompt_tokens: int | None
    completion_tokens: int | None


class _Answers(TypedDict):
    choices: list[_Choice]


class _Completion(_Answers, total=False):
    usage: _Usage | None
    system_fingerprint: object
    prompt_token_ids: object


def read_reply(told: Any, question: Question, text: Callable[[str], str] = str) -> UpstreamReply:
    """What an upstream answered.

    Args:
        told: The answer, as JSON data.
        question: What was asked.
        text: What is done to every text of it. Texts stay as they are spelled, so that the upstream knows them again.

    Raises:
        ReplyError: if it is no chat completion, there are other answers than were asked for, or no log-probability a
            token.
    """
    wrong = misfit(told, _Completion)
    if wrong:
        raise ReplyError(f"it is no chat completion: {wrong.partition(', not ')[0]}")  # what it says may be a secret
    choices = sorted(told["choices"], key=lambda each: each.get("index") or 0)
    if len(choices) != question.n:
        raise ReplyError(f"{question.n} choices were asked for, and {len(choices)} came")
    prompt = _ids(told.get("prompt_token_ids"))
    found = [_choice(each, question, text) for each in choices]
    if prompt is None or any(each.ids is None for each in found):
        prompt, found = None, [UpstreamChoice(each.choice, None, each.texts, each.logprobs) for each in found]
    usage = told.get("usage") or {}
    weights = told.get("system_fingerprint")
    return UpstreamReply(
        prompt,
        tuple(found),
        text(weights)[:128] if isinstance(weights, str) else "",
        usage.get("prompt_tokens") or 0,
        usage.get("completion_tokens") or sum(len(each.logprobs) for each in found),
    )


def _choice(told: Mapping[str, Any], question: Question, text: Callable[[str], str]) -> UpstreamChoice:
    message = told["message"]
    listed = (told.get("logprobs") or {}).get("content")
    if listed is None:
        raise ReplyError("it has no log-probabilities; use a server and a model that tell them")
    texts = tuple(text(str(each["token"])) for each in listed)
    logprobs = tuple(float(each["logprob"]) for each in listed)
    if any(each > 0 for each in logprobs):
        raise ReplyError("a log-probability is no number up to 0")
    ids = _ids(told.get("token_ids"))
    if ids is not None and len(ids) != len(logprobs):
        raise ReplyError(f"it tells {len(ids)} token ids and {len(logprobs)} log-probabilities")
    calls = [_call(each, text) for each in message.get("tool_calls") or ()]
    reason = "tool_calls" if calls else str(told.get("finish_reason"))
    if reason not in REASONS:
        raise ReplyError(f"a choice ended for the reason {text(reason)[:40]!r}")
    tokens = list(zip(texts, logprobs, strict=True)) if question.logprobs else None
    choice = Choice(text(message.get("content") or ""), calls, reason, tokens, ids if question.token_ids else None)
    return UpstreamChoice(choice, ids, texts, logprobs)


def _call(told: Mapping[str, Any], text: Callable[[str], str]) -> dict[str, Any]:
    function = told["function"]
    arguments = function.get("arguments")
    written = json.dumps(arguments) if isinstance(arguments, dict) else arguments or ""
    return {"name": text(function["name"]), "arguments": read_arguments(text(written))}


def _ids(told: Any) -> tuple[int, ...] | None:
    if told is None:
        return None
    if not isinstance(told, list) or not all(type(each) is int and 0 <= each < 2**31 for each in told):
        raise ReplyError("its token ids are no whole numbers")
    return tuple(told)
