"""Chat models behind OpenAI-compatible HTTP endpoints, asked through the `openai` client."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar, Literal, TypeVar, get_args

from agentgym.agents import content_policy, overflow
from agentgym.agents.address import OPENAI, Address, refuse_credentials
from agentgym.agents.budget import FREE, Budget, Prices
from agentgym.agents.completion import (
    Completion,
    NoCompletion,
    Secrets,
    error_of,
    mended,
    read_completion,
    refused_parameter,
)
from agentgym.agents.loop_thread import LoopThread
from agentgym.agents.policy import ContextOverflow
from agentgym.core import ConfigError, ContentRefused, EndpointError, Message, Reply, RequestRefused, require
from agentgym.core.checks import check_count, check_limit
from agentgym.core.rng import stream

RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
REFUSED = frozenset({400, 422})  # how servers answer to a parameter that they do not take
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0  # seconds; the wait doubles from one try to the next
LONGEST_ASKED_WAIT = 300.0  # seconds; a server that asks for more in Retry-After is not waited for
LARGEST_BODY = 2**24  # bytes
A_CLIENT = 8  # questions that a client has under way at once
LimitName = Literal["max_tokens", "max_completion_tokens"]
T = TypeVar("T")
OWN = frozenset({"model", "messages", "stream", "n", "seed", "tools", "temperature", "top_p", *get_args(LimitName)})
DROPPED = ("seed", "max_tokens")
PICTURE = "image_url"  # a part of a message, encoded by us


class _Busy(Exception):
    """A try failed in a way that another may not."""

    def __init__(self, reason: str, wait: float | None = None):
        super().__init__(reason)
        self.wait = wait


class TooLarge(Exception):
    """An answer is longer than it may be, or compressed, so that nobody knows how long it is."""


class Endpoint:
    """A `TextModel` that asks `POST {base_url}/chat/completions`, many questions at once.

    A try that is not answered in time, finds no server, or is answered with status 408, 409, 425, 429, 500, 502, 503,
    504 or 529 is repeated after a wait of 0.5, 1, 2, ... at most 30 seconds, shortened at random by up to half, or
    after what the server asks for in `Retry-After`. Anything else that is no completion is final. Redirects are not
    followed.

    Args:
        base_url: Such as `http://localhost:8000/v1`; what it holds of credentials is sent, and stands in no message.
        model: The model's name on the server.
        api_key: Sent as bearer token unless empty, and hidden in all that the server says.
        temperature, top_p: Of sampling; None leaves it to the server.
        extra_body: Further parameters of each question, as the server knows them.
        drop: Which of `seed` and `max_tokens` are not sent.
        limit_name: What the server calls the most tokens of an answer; None for `max_completion_tokens` at OpenAI,
            which refuses the other name, and `max_tokens` elsewhere.
        timeout: Seconds from a question to the last byte of its answer.
        retries: Tries after the first.
        prices: Of tokens.
        budget: What may be spent; None for no limit.
        concurrency: Questions under way at once.
        largest: Most bytes of an answer.
        sleep: Waits for seconds.

    Raises:
        ConfigError: if an argument is out of range.
        MissingExtra: if openai or tenacity is not installed.
    """

    purpose: ClassVar[str] = "the endpoint agent"

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str = "",
        temperature: float | None = None,
        top_p: float | None = None,
        extra_body: Mapping[str, Any] | None = None,
        drop: Sequence[str] = (),
        limit_name: LimitName | None = None,
        timeout: float = 300.0,
        retries: int = 5,
        prices: Prices = FREE,
        budget: Budget | None = None,
        concurrency: int = 8,
        largest: int = LARGEST_BODY,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ):
        address = Address.of(base_url, api_key)
        check_limit("timeout", timeout, "seconds")
        retries, concurrency = check_count("retries", retries, 0), check_count("concurrency", concurrency)
        largest = check_count("largest", largest)
        drop = [drop] if isinstance(drop, str) else list(drop)
        self._extra = _checked_extra(extra_body)
        refuse_credentials(self._extra, address.secrets)
        self._given = {"temperature": temperature, "top_p": top_p}
        _check_sampling(self._given, drop)
        self._limit_name = _limit_name(limit_name, address, drop)
        self._drop = frozenset(drop)
        self.url = address.shown + "/chat/completions"
        self.budget = budget or Budget()
        self._model, self._address, self._secrets = model, address, Secrets(address.secrets)
        self._timeout, self._retries, self._prices, self._sleep = timeout, retries, prices, sleep
        self._openai = require("openai", extra="endpoint", purpose=self.purpose)
        self._httpx = require("httpx2", extra="endpoint", purpose=self.purpose)
        self._tenacity = require("tenacity", extra="endpoint", purpose=self.purpose)
        self._slots: asyncio.LifoQueue[Any] = asyncio.LifoQueue()  # a client for each question under way
        clients = Clients(self._openai, self._httpx, address, timeout, largest)
        for _ in range(concurrency):
            self._slots.put_nowait(clients.next())
        self._thread = LoopThread(clients.close)

    def complete(self, messages: Sequence[Message], *, seed: int = 0, max_tokens: int = 512) -> Reply:
        """Answer the conversation.

        Args:
            messages: The conversation, the oldest first.
            seed: Of sampling, unless it is dropped.
            max_tokens: How long the answer may be.

        Returns:
            The answer with what it cost.

        Raises:
            EndpointError: in one line, if there is no answer after all tries, or one that is no completion.
            ContextOverflow: if the server says that the conversation does not fit into the model's context.
            ContentRefused: if it refuses the conversation for what it says.
            BudgetSpent: if the budget is.
        """
        under_way = self.start(messages, seed=seed, max_tokens=max_tokens)
        try:
            return under_way.result()
        except BaseException:
            under_way.cancel()
            raise

    def start(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        seed: int = 0,
        max_tokens: int = 512,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Future[Reply]:
        """Ask without waiting for the answer.

        Args:
            messages: The conversation in the form of the API.
            seed: Of sampling.
            max_tokens: Most tokens of the answer.
            tools: Tools that the model may call; empty for none.

        Returns:
            What will hold the reply, or raise as `complete` does.
        """
        body: dict[str, Any] = {"model": self._model, "messages": list(messages)}
        body |= {name: value for name, value in self._given.items() if value is not None}
        if "seed" not in self._drop:
            body["seed"] = seed
        if "max_tokens" not in self._drop:
            body[self._limit_name] = max_tokens
        if tools:
            body["tools"] = list(tools)
        return self._thread.submit(self._answer(_sendable({**body, **self._extra}), seed))

    async def _answer(self, body: dict[str, Any], seed: int) -> Reply:
        """Ask until there is a completion, and count what it cost."""
        found, seconds, tries = await self._asked(self.url, body, seed, self._read)
        read, written = found.read or 0, found.written or 0
        cost = self._prices.cost(read, written)
        self.budget.charge(cost, read + written)
        return Reply(
            found.text,
            read,
            written,
            cost,
            found.reasoned or 0,
            found.reasoning,
            found.finish_reason,
            found.refusal,
            found.calls,
            seconds=round(seconds, 6),
            tries=tries,
        )

    async def _asked(
        self, url: str, body: Mapping[str, Any] | None, seed: int, read: Callable[[bytes], T], hint: str = ""
    ) -> tuple[T, float, int]:
        """Ask until there is an answer, as often as is allowed.

        Args:
            url: Where.
            body: What is posted; None gets what is there.
            seed: Of the waits.
            read: What the answer says; raises what ends the question.
            hint: What to do where the server knows no such route.

        Returns:
            What was read, the seconds that it took, and the tries.
        """
        tries = self._tenacity.AsyncRetrying(
            retry=self._tenacity.retry_if_exception_type(_Busy),
            stop=self._tenacity.stop_after_attempt(self._retries + 1),
            wait=self._waits(seed),
            sleep=self._sleep,
            reraise=True,
        )
        client = await self._slots.get()
        try:
            self.budget.check()
            began = time.perf_counter()
            found: T = await tries(self._ask, client, url, body, read, hint)
            return found, time.perf_counter() - began, tries.statistics["attempt_number"]
        except _Busy as busy:
            times = "1 try" if self._retries == 0 else f"{self._retries + 1} tries"
            advice = "check the server and base_url, or raise timeout or retries"
            raise EndpointError(f"{url} {busy} ({times}); {advice}") from None
        finally:
            self._slots.put_nowait(client)

    def _waits(self, seed: int) -> Callable[[Any], float]:
        """Seconds from a failed try to the next: what the server asks for, or doubled and shortened at random."""
        usual, rng = self._tenacity.wait_exponential(FIRST_WAIT, LONGEST_WAIT), stream("endpoint.wait", seed)

        def wait(state: Any) -> float:
            asked: float | None = state.outcome.exception().wait
            return usual(state) * (1 - 0.5 * rng.random()) if asked is None else asked

        return wait

    async def _ask(
        self, client: Any, url: str, body: Mapping[str, Any] | None, read: Callable[[bytes], T], hint: str
    ) -> T:
        """One try."""
        try:
            async with asyncio.timeout(self._timeout):
                if body is None:
                    response = await client.get(url, cast_to=self._httpx.Response)
                else:
                    response = await client.post(url, body=body, cast_to=self._httpx.Response)
        except (TimeoutError, self._openai.APITimeoutError):
            raise _Busy(f"did not answer within {self._timeout:g} s") from None
        except self._openai.APIStatusError as error:
            raise self._refusal(url, error.response, body or {}, hint) from None
        except TooLarge as error:
            raise EndpointError(f"{url} {error}; check base_url and the server") from None
        except self._openai.APIConnectionError as error:
            cause = error.__cause__ or error
            said = self._secrets.line(str(cause) or type(cause).__name__)
            raise _Busy(f"cannot be reached: {said}") from None
        return read(response.content)

    def _read(self, body: bytes) -> Completion:
        try:
            found = read_completion(body, self._secrets)
            if (found.read is None or found.written is None) and found.finish_reason not in content_policy.FILTERED:
                if self._prices != FREE:
                    raise NoCompletion("it has no token counts, so its cost is unknown: leave out the prices")
                if self.budget.limited:
                    raise NoCompletion("it has no token counts, so no budget can be kept: leave out the budget")
        except NoCompletion as wrong:
            raise self._no_completion(f"{self.url} answered no chat completion", str(wrong), body) from None
        return found

    def _no_completion(self, what: str, why: str, body: bytes, advice: str = "check base_url") -> EndpointError:
        """What an answer comes to that is not one."""
        return EndpointError(f"{what}: {why}; {advice}. It said: {self._secrets.line(body.decode(errors='replace'))!r}")

    def _refusal(self, url: str, response: Any, body: Mapping[str, Any], hint: str) -> Exception:
        """What an answer with another status than 200 comes to."""
        status, content = response.status_code, response.content
        if overflow.overflows(status, content.decode(errors="replace")):
            return ContextOverflow(f"{url} answered status {status}: the conversation is too long for the model")
        said = self._secrets.line(content.decode(errors="replace"))
        answered = f"answered status {status}" + (f" ({said})" if said else "")
        if content_policy.refuses_content(status, content):
            return ContentRefused(f"{url} {answered}; it refuses what the conversation says")
        if status == 429 and error_of(content).get("code") == "insufficient_quota":
            return EndpointError(f"{url} {answered}; the account has no credit left, so it is not asked again")
        if status in RETRIED:
            asked = response.headers.get("retry-after")
            wait = _asked_wait(asked)
            if wait is not None and not wait <= LONGEST_ASKED_WAIT:
                return EndpointError(f"{url} {answered} and asks to wait {asked}; continue the run later")
            return _Busy(answered, None if wait is None else max(0.0, wait))
        parameter = refused_parameter(content, [name for name in body if name not in ("model", "messages")])
        if status in REFUSED and parameter:
            advice = f"if it does not take the parameter {parameter!r}, {self._without(parameter)}"
        elif status in REFUSED and any(
            isinstance(message.get("content"), list) for message in body.get("messages", ())
        ):
            advice = "if the model reads no pictures, leave out --pictures"
        else:
            advice = hint if hint and status == 404 else self._advice(status)
        kind = RequestRefused if status in overflow.REFUSED and not parameter else EndpointError
        return kind(f"{url} {answered}; {advice}")

    def _without(self, parameter: str) -> str:
        """How a parameter is left out."""
        if parameter == self._limit_name and parameter not in self._extra:
            (other,) = set(get_args(LimitName)) - {parameter}
            return f"name it otherwise with --limit-name {other}, or leave it out with --drop max_tokens"
        if parameter in self._extra:
            return "leave it out of --extra-body"
        if parameter in DROPPED:
            return f"leave it out with --drop {parameter}"
        return f"leave out --{parameter.replace('_', '-')}"

    def _advice(self, status: int) -> str:
        if status in (401, 403):
            if self._address.authorization:
                return "check the API key and the variable it is in"
            return f"name the variable that holds the key for {self._address.host} with --api-key-env NAME"
        if status == 404:
            return "check the model's name and base_url, which usually ends in /v1"
        if 300 <= status < 400:
            return "it sends elsewhere, where nobody is asked; give that address as base_url if you trust it"
        return "check the options"


def _checked_extra(extra: Mapping[str, Any] | None) -> dict[str, Any]:
    if extra is not None and not isinstance(extra, Mapping):
        raise ConfigError(f"extra_body must be a JSON object, got {extra!r}")
    taken = sorted(OWN & set(extra or {}))
    if taken:
        raise ConfigError(f"extra_body must not hold {taken[0]!r}, which has an option of its own or is always sent")
    return dict(extra or {})


def _check_sampling(given: Mapping[str, float | None], drop: Sequence[str]) -> None:
    temperature, top_p = given["temperature"], given["top_p"]
    if temperature is not None and not 0 <= temperature < float("inf"):
        raise ConfigError(f"temperature must not be negative, got {temperature}")
    if top_p is not None and not 0 < top_p <= 1:
        raise ConfigError(f"top_p must be above 0 and at most 1, got {top_p}")
    for name in drop:
        if name not in DROPPED:
            raise ConfigError(f"drop names {name!r}; it takes {' and '.join(DROPPED)}, others are not sent unasked")


def _limit_name(name: LimitName | None, address: Address, drop: Sequence[str]) -> LimitName:
    if name is None:
        return "max_completion_tokens" if address.host == Address.of(OPENAI).host else "max_tokens"
    if name not in get_args(LimitName) or "max_tokens" in drop:
        raise ConfigError(f"limit_name is max_tokens or max_completion_tokens, and not with drop; got {name!r}")
    return name


def _sendable(value: Any) -> Any:
    """Plain data whose texts, keys included, are ones that can be sent; pictures, which are long, stay as they are."""
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, Mapping):
        return {_sendable(key): each if key == PICTURE else _sendable(each) for key, each in value.items()}
    return [_sendable(each) for each in value] if isinstance(value, (list, tuple)) else value


def _asked_wait(asked: str | None) -> float | None:
    """Seconds a server asks to wait, given as a number or a date; None if it does not ask."""
    if asked is None:
        return None
    try:
        return float(asked)
    except ValueError:
        try:
            return parsedate_to_datetime(asked).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None  # no number and no date: wait as usual


class Clients:
    """Clients that send what is meant for an address alone, follow nobody elsewhere and read so much at most.

    Each serves a few questions at once: a pool looks through all of its connections for every question.
    """

    def __init__(self, openai: Any, httpx: Any, address: Address, timeout: float, largest: int):
        async def outgoing(request: Any) -> None:
            address.prepare(request.headers)

        capped = _capped_stream(httpx, largest)

        async def incoming(response: Any) -> None:
            if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
                raise TooLarge("sent a compressed answer, which it was not asked for")
            response.stream = capped(response.stream)

        self._openai, self._httpx, self._address, self._timeout = openai, httpx, address, timeout
        self._hooks = {"request": [outgoing], "response": [incoming]}
        self._verify = httpx.create_ssl_context()
        self._made: list[Any] = []
        self._given = 0

    def next(self) -> Any:
        """A client for one more question at once."""
        if self._given % A_CLIENT == 0:
            self._made.append(self._make())
        self._given += 1
        return self._made[-1]

    async def close(self) -> None:
        """Close all connections."""
        for client in self._made:
            await client.close()

    def _make(self) -> Any:
        return self._openai.AsyncOpenAI(
            base_url=self._address.shown,
            api_key="none",  # `prepare` writes the header; an empty one would let the client look into the environment
            default_query=self._address.query,
            max_retries=0,
            timeout=self._timeout,
            http_client=self._openai.DefaultAsyncHttpxClient(
                follow_redirects=False,
                timeout=self._timeout,
                verify=self._verify,
                limits=self._httpx.Limits(max_connections=A_CLIENT, max_keepalive_connections=A_CLIENT),
                event_hooks=self._hooks,
            ),
        )


def _capped_stream(httpx: Any, largest: int) -> Any:
    """The class of a body that ends with an error beyond so many bytes."""

    class Capped(httpx.AsyncByteStream):
        def __init__(self, stream: Any):
            self._stream = stream

        async def __aiter__(self) -> Any:
            count = 0
            async for part in self._stream:
                count += len(part)
                if count > largest:
                    raise TooLarge(f"sent more than {largest:,} bytes")
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    return Capped
