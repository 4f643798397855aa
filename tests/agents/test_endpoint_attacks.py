"""Servers that do harm: what they send is bounded in size and time, mended, and never holds the key."""

from __future__ import annotations

import gzip
import itertools
import json
import time
from typing import Any
from urllib.parse import quote

import pytest

from agentgym.agents import Endpoint
from agentgym.agents.chat import shown_call
from agentgym.core import Call, ConfigError, EndpointError, Tool, ToolGrammar
from tests.agents.server import Answer, ChatServer, call, completion

TALK = [{"role": "user", "content": "hello"}]
KEY = "sk-very-secret-0123456789"
ODD_KEY = "sk-secret+abc/def=0123456789"


def ask(answer: Answer, **options: Any) -> Any:
    with ChatServer(lambda number, request: answer) as server:
        return Endpoint(server.base_url, "m", retries=0, **options).complete(TALK)


@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_huge_body_is_not_read(status: int) -> None:
    endless = Answer(b"{", status, parts=itertools.repeat(b" " * 65536))
    with ChatServer(lambda number, request: endless) as server:
        began = time.monotonic()
        with pytest.raises(EndpointError, match="sent more than 1,000,000 bytes; check base_url"):
            Endpoint(server.base_url, "m", retries=3, largest=10**6, timeout=30).complete(TALK)
        assert time.monotonic() - began < 20
        assert len(server.requests) == 1, "and is not asked for again"
    assert server.sent < 10**8


def test_a_body_of_just_the_size_that_is_allowed() -> None:
    body = json.dumps(completion("left").body).encode()
    assert ask(Answer(body), largest=len(body)).text == "left"
    with pytest.raises(EndpointError, match="sent more than"):
        ask(Answer(body), largest=len(body) - 1)


def test_a_compressed_body_is_not_unpacked() -> None:
    bomb = gzip.compress(b" " * 10**7)
    with pytest.raises(EndpointError, match="compressed answer, which it was not asked for"):
        ask(Answer(bomb, headers={"Content-Encoding": "gzip"}))
    with ChatServer(lambda number, request: completion("x")) as server:
        Endpoint(server.base_url, "m").complete(TALK)
    assert server.requests[0]["headers"]["Accept-Encoding"] == "identity"


def test_an_answer_that_drips_is_cut_off_at_the_deadline() -> None:
    """Each byte comes in time, and the whole does not."""
    drip = Answer(b"{", parts=itertools.repeat(b" "), pause=0.05)
    began = time.monotonic()
    with pytest.raises(EndpointError, match=r"did not answer within 0\.5 s \(1 try\)"):
        ask(drip, timeout=0.5)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("sent", "heard"),
    [
        (r"left \ud800 up", "left \ufffd up"),
        (r"\udc00", "\ufffd"),
        (r"\ud83d\ude00", "\U0001f600"),
        (r"\u0000\u001b[2J", "\ufffd\ufffd[2J"),
        ("é ☃", "é ☃"),
    ],
)
def test_what_is_no_plain_text_is_replaced_wherever_it_stands(sent: str, heard: str) -> None:
    message = f'"content": "{sent}", "reasoning": "{sent}", "refusal": "{sent}"'
    tool = f'{{"id": "{sent}", "function": {{"name": "{sent}", "arguments": "{sent}"}}}}'
    body = f'{{"choices": [{{"message": {{{message}, "tool_calls": [{tool}]}}, "finish_reason": "stop"}}]}}'
    reply = ask(Answer(body.encode()))
    (made,) = reply.calls
    assert [reply.text, reply.reasoning, reply.refusal, made.id, made.name, made.arguments] == [heard] * 6
    json.dumps(heard, ensure_ascii=False).encode()


@pytest.mark.parametrize("levels", [50, 300, 600, 900, *range(980, 1000, 3)])
def test_a_call_that_nests_deeply_is_an_answer_like_any_other(levels: int) -> None:
    """As a text, which servers send, and as the object itself where it can be read."""
    deep = "[" * levels + "]" * levels
    reply = ask(completion(None, tool_calls=[call(f'{{"what": {deep}}}')]))
    (made,) = reply.calls
    assert len(made.action) >= 2 * levels
    assert shown_call(made)["function"]["name"] == "look"
    assert isinstance(AgreesToAnything.parse(made.action), Call) == (levels == 50)


AgreesToAnything = ToolGrammar([Tool("look", "Look.", {"type": "object", "properties": {"what": {}}}, ({"what": 1},))])


def test_nothing_that_is_sent_holds_a_lone_surrogate() -> None:
    with ChatServer(lambda number, request: completion("x")) as server:
        endpoint = Endpoint(server.base_url, "m\udcff", extra_body={"stop": ["\ud800"]})
        endpoint.start(TALK, tools=[{"type": "function", "function": {"name": "a\ud800", "parameters": {}}}]).result()
    sent = server.requests[0]["body"]
    assert (sent["model"], sent["stop"], sent["tools"][0]["function"]["name"]) == ("m\ufffd", ["\ufffd"], "a\ufffd")


@pytest.mark.parametrize("seconds", [0.0, float("nan"), float("inf"), 1e300, "5", None])
def test_a_deadline_that_no_clock_can_keep_is_refused(seconds: Any) -> None:
    with pytest.raises(ConfigError, match="timeout must be above 0"):
        Endpoint("http://localhost:1/v1", "m", timeout=seconds)


@pytest.mark.parametrize(("name", "value"), [("retries", 1.5), ("retries", -1), ("concurrency", 0), ("largest", "1")])
def test_counts_of_an_endpoint(name: str, value: Any) -> None:
    options: dict[str, Any] = {name: value}
    with pytest.raises(ConfigError, match=f"{name} must be a whole number of at least .*, got {value!r}"):
        Endpoint("http://localhost:1/v1", "m", **options)
    address: Any = None
    with pytest.raises(ConfigError, match="base_url must begin with http:// or https://, got 'None'"):
        Endpoint(address, "m")


def test_what_is_sent_holds_no_lone_surrogates() -> None:
    with ChatServer(lambda number, request: completion("x")) as server:
        Endpoint(server.base_url, "m").complete([{"role": "user", "content": "a \ud800 b"}])
    assert server.requests[0]["body"]["messages"][0]["content"] == "a \ufffd b"


def test_a_key_is_hidden_in_all_that_is_said() -> None:
    said = f"your key is {KEY}!"
    answer = completion(said, reasoning_content=said, refusal=said, tool_calls=[call({"key": KEY}, name=KEY)])
    reply = ask(answer, api_key=KEY)
    assert KEY not in repr(reply)
    assert reply.text == reply.reasoning == reply.refusal == "your key is ***!"
    assert (reply.calls[0].name, json.loads(reply.calls[0].arguments)) == ("***", {"key": "***"})


@pytest.mark.parametrize(
    "answer",
    [
        Answer({"error": {"message": f"wrong key {KEY}", "param": KEY}}, status=401),
        Answer({"error": f"no {KEY}"}, status=500),
        Answer(f"<html>{'x' * 150}{KEY}".encode()),
        Answer({"choices": [{"message": {"content": [KEY]}}]}),
        Answer({"error": KEY}, status=429, headers={"Retry-After": "9999"}),
    ],
)
def test_a_key_is_hidden_in_errors(answer: Answer) -> None:
    with pytest.raises(EndpointError) as caught:
        ask(answer, api_key=KEY)
    assert KEY not in str(caught.value)
    assert KEY[:12] not in str(caught.value), "not even its beginning, where the line is cut"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "spelled",
    [
        ODD_KEY.replace("/", "\\/"),
        ODD_KEY.replace("+", "\\u002B"),
        "".join(f"\\u{ord(letter):04x}" for letter in ODD_KEY),
        quote(ODD_KEY, safe=""),
        "".join(f"&#x{ord(letter):X};" for letter in ODD_KEY),
        "".join(f"&#{ord(letter)};" for letter in ODD_KEY),
    ],
)
def test_a_key_is_hidden_however_it_is_spelled(spelled: str) -> None:
    with pytest.raises(EndpointError) as caught:
        ask(Answer(f"no key {spelled}.".encode(), status=401), api_key=ODD_KEY)
    assert "no key ***." in str(caught.value)
    answer = completion("", tool_calls=[call(f'{{"key": "{spelled}"}}')])
    assert ask(answer, api_key=ODD_KEY).calls[0].arguments == '{"key": "***"}'


def test_no_part_of_a_key_is_left_where_a_body_is_cut() -> None:
    """Many keys are short once they are hidden, so that the last one, which is cut, would be seen."""
    body = ODD_KEY * 50 + " " * (4_000 - 50 * len(ODD_KEY) - 20) + ODD_KEY
    with pytest.raises(EndpointError) as caught:
        ask(Answer(body.encode(), status=401), api_key=ODD_KEY)
    assert ODD_KEY[:10] not in str(caught.value)


def test_a_word_that_happens_to_be_a_dummy_key_stays() -> None:
    assert ask(completion("EMPTY none"), api_key="EMPTY").text == "EMPTY none"


@pytest.mark.parametrize("count", [-1, 10**12, 1.5, "7", True, None])
def test_counts_that_are_none(count: Any) -> None:
    answer = completion("left")
    answer.body["usage"] = {"prompt_tokens": count, "completion_tokens": 3, "completion_tokens_details": [1]}
    reply = ask(answer)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens) == (0, 3, 0)


@pytest.mark.parametrize("usage", [[], "many", 3, None])
def test_usage_that_is_no_table(usage: Any) -> None:
    answer = completion("left")
    answer.body["usage"] = usage
    assert ask(answer).prompt_tokens == 0


def test_what_a_good_server_tells_is_kept() -> None:
    answer = completion(None, 9, 7, ends="length", reasoning="I wonder", refusal="no")
    answer.body["usage"]["completion_tokens_details"] = {"reasoning_tokens": 5}
    reply = ask(answer)
    assert (reply.text, reply.reasoning, reply.refusal, reply.finish_reason) == ("", "I wonder", "no", "length")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens) == (9, 7, 5)
    assert reply.seconds > 0
    assert ask(completion("x", ends=["odd"])).finish_reason == "", "a reason that is no word"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("listed", "calls"),
    [
        (None, []),
        ([], []),
        ([None, 3], [("", ""), ("", "")]),
        ([{"function": {"name": "look", "arguments": {"at": 1}}}], [("look", '{"at": 1}')]),
        ([{"function": {"name": ["look"], "arguments": None}}], [("", "")]),
        ([{"id": 5, "function": "look"}], [("", "")]),
    ],
)
def test_odd_tool_calls(listed: Any, calls: list[tuple[str, str]]) -> None:
    reply = ask(completion("", tool_calls=listed))
    assert [(made.name, made.arguments) for made in reply.calls] == calls
    assert all(made.id for made in reply.calls)
    assert all(set(json.loads(made.action)) == {"name", "arguments"} for made in reply.calls)


def test_tool_calls_that_are_no_list() -> None:
    with pytest.raises(EndpointError, match="'tool_calls' are no list"):
        ask(completion("", tool_calls={"a": 1}))


def test_an_account_without_credit_is_not_asked_again() -> None:
    answer = Answer({"error": {"code": "insufficient_quota", "message": "pay"}}, status=429)
    with (
        ChatServer(lambda number, request: answer) as server,
        pytest.raises(EndpointError, match="no credit left"),
    ):
        Endpoint(server.base_url, "m").complete(TALK)
    assert len(server.requests) == 1
