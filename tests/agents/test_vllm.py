"""What a vLLM server is asked, and that whatever it answers amiss ends in one line."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from agentgym.agents.policy import ContextOverflow
from agentgym.agents.vllm import Sampled, Sampling, VLLMServer, open_server
from agentgym.core import ConfigError, EndpointError
from tests.agents.server import Answer, ChatServer

PROMPT, END = [5, 6, 7], 2
HOW = Sampling(temperature=0.5, max_tokens=3, ends=frozenset({END, 3}), vocabulary=100)
KEY = "sk-0123456789abcdef"


def completion(**choice: Any) -> dict[str, Any]:
    """What vLLM answers to a completion."""
    usual = {
        "index": 0,
        "text": "x",
        "logprobs": {"token_logprobs": [-1.5, -0.25], "tokens": ["token_id:9", "token_id:2"]},
        "finish_reason": "stop",
        "token_ids": [9, END],
        "prompt_token_ids": PROMPT,
    }
    return {"id": "cmpl-1", "model": "m", "choices": [{**usual, **choice}]}


def cut(**choice: Any) -> dict[str, Any]:
    """An answer that the token limit has ended."""
    told = {"token_logprobs": [-1.0, -1.0, -1.0]}
    return completion(**{"token_ids": [9, 9, 9], "logprobs": told, "finish_reason": "length", **choice})


def ask(server: ChatServer, **options: Any) -> Future[Sampled]:
    return VLLMServer(server.base_url, retries=0, **options).sample(PROMPT, "m", 11, HOW)


def answering(body: Any, **options: Any) -> ChatServer:
    return ChatServer(lambda number, request: Answer(body, **options))


def test_a_question_is_plain_sampling_of_ids() -> None:
    with answering(completion()) as server:
        assert ask(server, api_key=KEY).result() == Sampled((9, END), (-1.5, -0.25), closed=True)
    (request,) = server.requests
    assert request["path"] == "/v1/completions"
    assert request["headers"]["Authorization"] == f"Bearer {KEY}"
    assert request["body"] == {
        "model": "m", "prompt": PROMPT, "max_tokens": 3, "temperature": 0.5, "top_p": 1.0, "top_k": 0, "min_p": 0.0,
        "repetition_penalty": 1.0, "presence_penalty": 0.0, "frequency_penalty": 0.0, "seed": 11,
        "stop_token_ids": [2, 3], "logprobs": 0, "return_token_ids": True, "return_tokens_as_token_ids": True,
    }  # fmt: skip


def test_an_answer_may_be_cut_off_or_end_with_its_last_token() -> None:
    with answering(cut()) as server:
        assert not ask(server).result().closed
    with answering(cut(token_ids=[9, 9, END])) as server:
        assert ask(server).result().closed


AMISS: list[tuple[Any, str]] = [
    (b"<html>", r"it is no JSON"),
    ({}, r"none of vLLM's answers \(KeyError\)"),
    ([], r"none of vLLM's answers"),
    ({"model": "m", "choices": []}, r"none of vLLM's answers"),
    ({**completion(), "model": "other"}, r"the model m was asked, and another one answered"),
    (completion(token_ids=None), r"it tells no token ids \(return_token_ids\)"),
    (completion(prompt_token_ids=[5, 6]), r"it has read other tokens than it was sent"),
    (completion(token_ids=[]), r"it has 0 tokens of at most 3, and 2 log-probabilities"),
    (completion(token_ids=[9, 9, 9, END]), r"it has 4 tokens of at most 3"),
    (completion(token_ids=[100, END]), r"100 is none of the model's 100 tokens"),
    (completion(token_ids=[-1, END]), r"-1 is none of the model's 100 tokens"),
    (completion(token_ids=["9", END]), r"'9' is none of the model's 100 tokens"),
    (completion(token_ids=[True, END]), r"True is none of the model's 100 tokens"),
    (completion(logprobs=None), r"none of vLLM's answers \(TypeError\)"),
    (completion(logprobs={"token_logprobs": [-1.0]}), r"2 tokens of at most 3, and 1 log-probabilities"),
    (completion(logprobs={"token_logprobs": [None, -1.0]}), r"a log-probability is no number up to 0"),
    (completion(logprobs={"token_logprobs": [0.5, -1.0]}), r"a log-probability is no number up to 0"),
    (completion(token_ids=[END, 9]), r"it goes on after an end token"),
    (completion(token_ids=[9, 9]), r"it ended for the reason 'stop' after 2 tokens, without an end token"),
    (completion(finish_reason="abort"), r"it ended for the reason 'abort'"),
    (cut(token_ids=[9, 9], logprobs={"token_logprobs": [-1.0, -1.0]}), r"for the reason 'length' after 2 tokens"),
]


@pytest.mark.parametrize(("body", "told"), AMISS, ids=[told[:40] for _, told in AMISS])
def test_what_is_no_answer_to_it_ends_in_one_line(body: Any, told: str) -> None:
    with answering(body) as server, pytest.raises(EndpointError, match=told) as caught:
        ask(server, api_key=KEY).result()
    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith(f"{server.base_url} answered amiss: ")
    assert "check base_url, the model and the version of vLLM" in said
    assert len(server.requests) == 1, "it is not asked again"


def test_a_server_that_echoes_the_key_tells_nobody() -> None:
    refused = answering({"error": {"message": f"bad key {KEY}"}}, status=401)
    with refused as server, pytest.raises(EndpointError, match=r"bad key \*\*\*.*check the API key") as caught:
        ask(server, api_key=KEY).result()
    assert KEY not in str(caught.value)
    refused = answering({"error": "Unauthorized"}, status=401)
    with refused as server, pytest.raises(EndpointError, match=r"holds its key with rollout.engine.api_key_env"):
        ask(server).result()


def test_a_prompt_that_is_too_long_is_told_apart() -> None:
    said = {"error": {"message": "This model's maximum context length is 4 tokens.", "type": "BadRequestError"}}
    with answering(said, status=400) as server, pytest.raises(ContextOverflow):
        ask(server).result()


def test_an_older_vllm_that_knows_a_parameter_not() -> None:
    said = {"error": {"message": "Extra inputs are not permitted: return_token_ids", "param": "return_token_ids"}}
    with answering(said, status=400) as server, pytest.raises(EndpointError, match="use a newer vLLM"):
        ask(server).result()


def test_a_server_that_is_too_slow_too_large_or_gone() -> None:
    async def at_once(seconds: float) -> None:
        await asyncio.sleep(0)

    with answering(completion(), delay=3.0) as server:
        began = time.monotonic()
        with pytest.raises(EndpointError, match=r"did not answer within 0.2 s \(1 try\)"):
            ask(server, timeout=0.2).result()
        assert time.monotonic() - began < 2.5
    with (
        answering(completion(text="x" * 10_000)) as server,
        pytest.raises(EndpointError, match="more than 5,000 bytes"),
    ):
        ask(server, largest=5_000).result()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(EndpointError, match=r"completions cannot be reached: .* \(3 tries\)"):
        VLLMServer(url, retries=2, sleep=at_once).sample(PROMPT, "m", 0, HOW).result()


def test_a_passing_trouble_is_tried_again() -> None:
    answers = [Answer({"error": "busy"}, status=503), Answer(completion())]
    with ChatServer(lambda number, request: answers[number - 1]) as server:
        model = VLLMServer(server.base_url, sleep=asyncio.sleep)
        assert model.sample(PROMPT, "m", 0, HOW).result().closed


ORDERS: list[tuple[Callable[[VLLMServer], None], list[tuple[str, Any]], str]] = [
    (
        lambda server: server.load_adapter("a-1", Path("/w/1")),
        [("/v1/load_lora_adapter", {"lora_name": "a-1", "lora_path": "/w/1"})],
        "VLLM_ALLOW_RUNTIME_LORA_UPDATING=True",
    ),
    (
        lambda server: server.unload_adapter("a-1"),
        [("/v1/unload_lora_adapter", {"lora_name": "a-1"})],
        "--enable-lora",
    ),
    (
        lambda server: server.load_weights(Path("/w/1")),
        [
            (
                "/collective_rpc",
                {"method": "reload_weights", "kwargs": {"weights_path": "/w/1", "is_checkpoint_format": True}},
            ),
            ("/reset_prefix_cache", {}),
        ],
        "VLLM_SERVER_DEV_MODE=1",
    ),
    (VLLMServer.sleep, [("/sleep", {})], "--enable-sleep-mode"),
    (VLLMServer.wake_up, [("/wake_up", {})], "--enable-sleep-mode"),
]


@pytest.mark.parametrize(("order", "asked", "hint"), ORDERS)
def test_orders_go_to_the_routes_of_vllm(order: Any, asked: list[tuple[str, Any]], hint: str) -> None:
    with answering(b"") as server:
        order(VLLMServer(server.base_url, retries=0))
    assert [(request["path"], request["body"]) for request in server.requests] == asked
    unknown, told = answering({"detail": "Not Found"}, status=404), f"status 404 .*; start vLLM with .*{hint}"
    with unknown as server, pytest.raises(EndpointError, match=told):
        order(VLLMServer(server.base_url, retries=0))


def test_an_adapter_that_the_server_has_stays() -> None:
    said = {"error": {"message": "The lora adapter 'a-1' has already been loaded. If you want", "code": 400}}
    with answering(said, status=400) as server:
        VLLMServer(server.base_url, retries=0).load_adapter("a-1", Path("/w/1"))
    refused = answering({"error": {"message": "no rank 8"}}, status=400)
    with refused as server, pytest.raises(EndpointError, match="no rank 8"):
        VLLMServer(server.base_url, retries=0).load_adapter("a-1", Path("/w/1"))


def test_options_of_a_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="ends in /v1"):
        VLLMServer("http://localhost:8000")
    monkeypatch.delenv("VLLM_KEY", raising=False)
    with pytest.raises(ConfigError, match="the environment variable VLLM_KEY is not set"):
        open_server("http://localhost:8000/v1", "", "VLLM_KEY", 1.0, 0, 1)
    monkeypatch.setenv("VLLM_KEY", KEY)
    with answering(completion()) as server:
        open_server(server.base_url, "", "VLLM_KEY", 60.0, 0, 1).sample(PROMPT, "m", 0, HOW).result()
    assert server.requests[0]["headers"]["Authorization"] == f"Bearer {KEY}"
