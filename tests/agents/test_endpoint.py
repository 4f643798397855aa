"""The endpoint agent against a real server that misbehaves in every way servers do."""

from __future__ import annotations

import re
import socket
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from agentgym.agents import Endpoint, make_agent
from agentgym.agents.budget import Prices
from agentgym.core import AgentGymError, ConfigError, EndpointError, MissingExtra
from agentgym.rollout import EnvPool, EpisodeSpec, collect
from tests.agents.server import Answer, ChatServer, completion

TALK = [{"role": "user", "content": "hello"}]


def endpoint(server: ChatServer, waits: list[float] | None = None, **options: Any) -> Endpoint:
    """An endpoint that notes its waits and does not wait."""

    async def sleep(seconds: float) -> None:
        if waits is not None:
            waits.append(seconds)

    return Endpoint(server.base_url, "m", sleep=sleep, **options)


async def nothing(seconds: float) -> None:
    """No wait."""


def always(answer: Answer) -> ChatServer:
    return ChatServer(lambda number, request: answer)


def in_turn(*answers: Answer) -> ChatServer:
    return ChatServer(lambda number, request: answers[min(number, len(answers)) - 1])


def test_a_completion_with_tokens_and_cost() -> None:
    with always(completion("left", read=1000, written=50)) as server:
        reply = endpoint(server, prices=Prices(2.0, 10.0)).complete(TALK, seed=3, max_tokens=7)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("left", 1000, 50)
    assert reply.cost == pytest.approx((1000 * 2 + 50 * 10) / 1e6)
    (request,) = server.requests
    assert request["path"] == "/v1/chat/completions"
    assert request["body"] == {"model": "m", "messages": TALK, "seed": 3, "max_tokens": 7}
    assert "Authorization" not in request["headers"]


def test_options_reach_the_server() -> None:
    with always(completion("x")) as server:
        Endpoint(server.base_url + "/", "m", api_key="secret", temperature=0.5).complete(TALK)
    (request,) = server.requests
    assert request["path"] == "/v1/chat/completions"
    assert request["headers"]["Authorization"] == "Bearer secret"
    assert request["body"]["temperature"] == 0.5


def test_usage_may_be_missing_unless_it_is_to_be_paid() -> None:
    bare = Answer({"choices": [{"message": {"content": "left"}}]})
    with always(bare) as server:
        reply = endpoint(server).complete(TALK)
        assert (reply.prompt_tokens, reply.completion_tokens, reply.cost) == (0, 0, 0.0)
        with pytest.raises(EndpointError, match="leave out the prices"):
            endpoint(server, prices=Prices(written=1.0)).complete(TALK)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_passing_trouble_is_tried_again(status: int) -> None:
    waits: list[float] = []
    trouble = Answer({"error": "busy"}, status=status)
    with in_turn(trouble, trouble, completion("left")) as server:
        assert endpoint(server, waits).complete(TALK).text == "left"
    assert len(server.requests) == 3
    assert 0.25 <= waits[0] <= 0.5 < waits[1] <= 1.0, "waits double, shortened by at most half"


def test_the_jitter_follows_the_seed() -> None:
    def waits(seed: int) -> list[float]:
        noted: list[float] = []
        with always(Answer({}, status=500)) as server, pytest.raises(EndpointError):
            endpoint(server, noted, retries=4).complete(TALK, seed=seed)
        return noted

    assert waits(1) == waits(1) != waits(2)


def test_waits_do_not_grow_beyond_half_a_minute() -> None:
    waits: list[float] = []
    with always(Answer({}, status=500)) as server, pytest.raises(EndpointError):
        endpoint(server, waits, retries=12).complete(TALK)
    assert len(waits) == 12
    assert 15 <= max(waits) <= 30


def test_the_server_says_how_long_to_wait() -> None:
    waits: list[float] = []
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    answers = [Answer({}, status=429, headers={"Retry-After": asked}) for asked in ("7", later, "soon", "-3")]
    with in_turn(*answers, completion("left")) as server:
        endpoint(server, waits).complete(TALK)
    assert waits[0] == 7
    assert 90 < waits[1] <= 100
    assert 1 <= waits[2] <= 2, "no number and no date: the usual wait of the third try"
    assert waits[3] == 0


@pytest.mark.parametrize("asked", ["3600", "inf", "nan"])
def test_a_wait_beyond_patience_ends_the_call(asked: str) -> None:
    with (
        always(Answer({}, status=429, headers={"Retry-After": asked})) as server,
        pytest.raises(EndpointError, match=f"asks to wait {asked}; continue the run later"),
    ):
        endpoint(server).complete(TALK)
    assert len(server.requests) == 1


def test_a_lasting_trouble_ends_in_one_line() -> None:
    with (
        always(Answer({"error": {"message": "out\nof memory"}}, status=500)) as server,
        pytest.raises(EndpointError) as caught,
    ):
        endpoint(server, retries=2).complete(TALK)
    assert len(server.requests) == 3
    message = str(caught.value)
    assert "\n" not in message
    assert "answered status 500" in message
    assert "(3 tries); check the server" in message


def test_a_server_that_does_not_answer_in_time() -> None:
    with always(Answer({}, delay=5)) as server:
        begun = time.monotonic()
        with pytest.raises(EndpointError, match=r"did not answer within 0\.2 s \(2 tries\)"):
            endpoint(server, timeout=0.2, retries=1).complete(TALK)
    assert time.monotonic() - begun < 4


def test_a_server_that_starts_late() -> None:
    """Tries go on while nothing listens, so a run may begin before its server does."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    servers: list[ChatServer] = []
    waits: list[float] = []

    async def start_at_the_second_wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            server = always(completion("left"))
            server._server.server_close()
            server._server.socket = socket.create_server(("127.0.0.1", port))
            servers.append(server.__enter__())

    try:
        model = Endpoint(f"http://127.0.0.1:{port}/v1", "m", sleep=start_at_the_second_wait)
        assert model.complete(TALK).text == "left"
    finally:
        for server in servers:
            server.__exit__()
    assert len(waits) == 2


def test_a_server_that_hangs_up() -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def hang_up() -> None:
        for _ in range(2):
            connection, _address = listener.accept()
            connection.recv(10)
            connection.close()

    thread = threading.Thread(target=hang_up, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    with pytest.raises(EndpointError, match=r"cannot be reached: .+ \(2 tries\)"):
        Endpoint(url, "m", retries=1, sleep=nothing).complete(TALK)
    thread.join(5)
    listener.close()


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        (b"<html>welcome</html>", "it is no JSON"),
        (b"\xff\xfe{", "it is no JSON"),
        (b"[" * 100_000, "it is no JSON"),
        (["left"], "it has no 'choices'"),
        ({"answer": "left"}, "it has no 'choices'"),
        ({"choices": []}, "it has no 'choices'"),
        ({"choices": {"0": "left"}}, "it has no 'choices'"),
        ({"choices": ["left"]}, "its first choice has no 'message'"),
        ({"choices": [{"text": "left"}]}, "its first choice has no 'message'"),
        ({"choices": [{"message": {"role": "assistant"}}]}, "its first choice has no 'message' with 'content'"),
        ({"choices": [{"message": {"content": ["left"]}}]}, "the content of its message is no text"),
    ],
)
def test_nonsense_is_final_and_said_in_one_line(body: Any, wrong: str) -> None:
    with always(Answer(body)) as server, pytest.raises(EndpointError, match=re.escape(wrong)) as caught:
        endpoint(server).complete(TALK)
    assert len(server.requests) == 1
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_model_that_says_nothing() -> None:
    with always(completion(None)) as server:
        assert endpoint(server).complete(TALK).text == ""


@pytest.mark.parametrize(
    ("status", "advice"), [(401, "API key"), (404, "ends in /v1"), (422, "options"), (302, "sends elsewhere")]
)
def test_a_refusal_is_final(status: int, advice: str) -> None:
    with (
        always(Answer({"error": "the key secret is wrong"}, status=status)) as server,
        pytest.raises(EndpointError, match=f"status {status}.*{advice}") as caught,
    ):
        endpoint(server, api_key="secret").complete(TALK)
    assert len(server.requests) == 1
    assert "secret" not in str(caught.value), "servers echo keys; transcripts must not hold them"


@pytest.mark.parametrize(
    ("options", "said", "advice"),
    [
        ({}, {"param": "seed", "message": "Unsupported parameter"}, "'seed', leave it out with --drop seed"),
        ({"temperature": 0.5}, {"message": "temperature: only 1 is taken"}, "'temperature', leave out --temperature"),
        ({"top_p": 0.5}, {"message": "unknown field `top_p`"}, "'top_p', leave out --top-p"),
        (
            {},
            {"message": "'max_tokens' is not supported, use 'max_completion_tokens'", "param": "max_tokens"},
            "'max_tokens', name it otherwise with --limit-name max_completion_tokens, or leave it out with --drop",
        ),
        (
            {"limit_name": "max_completion_tokens"},
            {"message": "Extra inputs are not permitted: max_completion_tokens"},
            "name it otherwise with --limit-name max_tokens",
        ),
        ({"extra_body": {"top_k": 5}}, {"message": "no top_k here"}, "'top_k', leave it out of --extra-body"),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_a_refused_parameter_is_named(status: int, options: dict[str, Any], said: dict[str, str], advice: str) -> None:
    with (
        always(Answer({"error": said}, status=status)) as server,
        pytest.raises(EndpointError, match=re.escape(advice)) as caught,
    ):
        endpoint(server, **options).complete(TALK)
    assert len(server.requests) == 1
    assert "\n" not in str(caught.value)


def test_a_refusal_that_names_no_parameter() -> None:
    with always(Answer({"error": "no"}, status=400)) as server, pytest.raises(EndpointError, match="check the options"):
        endpoint(server).complete(TALK)


def test_parameters_are_left_out_and_added() -> None:
    with always(completion("x")) as server:
        endpoint(server, drop=["seed", "max_tokens"], top_p=0.9, extra_body={"top_k": 5, "a": {"b": [1]}}).complete(
            TALK
        )
        endpoint(server, limit_name="max_completion_tokens").complete(TALK, seed=4, max_tokens=9)
    bare = {"model": "m", "messages": TALK}
    assert server.requests[0]["body"] == {**bare, "top_p": 0.9, "top_k": 5, "a": {"b": [1]}}
    assert server.requests[1]["body"] == {**bare, "seed": 4, "max_completion_tokens": 9}


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"base_url": "localhost:8000"}, "http://"),
        ({"base_url": "http://[::1"}, "no address"),
        ({"base_url": "http:///v1"}, "no server"),
        ({"temperature": -1.0}, "temperature"),
        ({"timeout": 0.0}, "timeout"),
        ({"retries": -1}, "retries"),
        ({"price_in": -1.0}, "prices"),
        ({"price_in": 1.0, "prices": "prices.toml"}, "given twice"),
        ({"max_cost": 1.0}, "needs to know what tokens cost"),
        ({"max_cost": 0.0, "price_in": 1.0}, "max_cost must be above 0"),
        ({"max_total_tokens": -1}, "max_total_tokens must be above 0"),
        ({"top_p": 1.5}, "top_p"),
        ({"concurrency": 0}, "concurrency"),
        ({"drop": ["temperature"]}, "drop names 'temperature'"),
        ({"drop": "stop"}, "drop names 'stop'"),
        ({"limit_name": "most"}, "limit_name"),
        ({"limit_name": "max_tokens", "drop": ["max_tokens"]}, "not with drop"),
        ({"extra_body": {"messages": []}}, "extra_body must not hold 'messages'"),
        ({"extra_body": [1]}, "must be a JSON object"),
        ({"extra_body": {"api_key": "x"}}, "extra_body holds a credential in 'api_key'.*--api-key-env"),
        ({"extra_body": {"headers": [{"Authorization": "Bearer x"}]}}, "holds a credential in 'Authorization'"),
        ({"extra_body": {"proxy": {"auth-token": "x"}}}, "holds a credential in 'auth-token'"),
        ({"window": -1}, "window"),
        ({"max_tokens": 0}, "max_tokens"),
    ],
)
def test_wrong_options(options: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ConfigError, match=wrong):
        make_agent("endpoint", **{"model": "m", **options})


def test_a_key_among_the_parameters_is_refused_by_its_value() -> None:
    given = {"stop": ["\n"], "max_completion_tokens_soft": 4, "note": "as sk-0123456789abcdef says"}
    Endpoint("http://localhost:1/v1", "m", extra_body=given)
    with pytest.raises(ConfigError, match="holds a credential in 'note'") as found:
        Endpoint("http://localhost:1/v1", "m", api_key="sk-0123456789abcdef", extra_body=given)
    assert "sk-" not in str(found.value)


@pytest.mark.parametrize("module", ["openai", "httpx2", "tenacity"])
def test_without_its_libraries_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises((MissingExtra, AgentGymError), match=r"agentgym-suite\[endpoint\]"):
        make_agent("endpoint", model="m")


def test_it_plays_an_episode() -> None:
    """Follow the map: the server reads the observation as a model would, and reasons before it answers."""
    task = {"rows": ["SFF", "HHF", "HHG"], "slippery": False}
    moves = ["right", "right", "down", "down"]

    def script(number: int, request: dict[str, Any]) -> Answer:
        return completion(f"I walk on.\nAction: {moves[number - 1]}")

    pool = EnvPool("FrozenLake-v0")
    with ChatServer(script) as server:
        policy = make_agent("endpoint", model="m", base_url=server.base_url)
        (episode,) = collect(pool, policy, [EpisodeSpec(task, 0, 0, (0,))])
    assert episode.success
    last = server.requests[-1]["body"]["messages"]
    assert [message["role"] for message in last] == ["system", *["user", "assistant"] * 3, "user"]
    assert last[0]["content"].startswith(pool.manual)
    assert last[2]["content"] == "I walk on.\nAction: right"
    seeds = [request["body"]["seed"] for request in server.requests]
    assert len(set(seeds)) == 4, "each turn is sampled anew"


def test_what_is_no_plain_text_neither_comes_nor_goes() -> None:
    with always(completion("go \ud800 \u202eleft")) as server:
        reply = endpoint(server).complete([{"role": "user", "content": "you see \udfff"}])
    assert reply.text == "go \ufffd \ufffdleft"
    (request,) = server.requests
    assert request["body"]["messages"] == [{"role": "user", "content": "you see \ufffd"}]
