"""What another server answered is kept as it was sampled there; what it does not tell is said, and never made up."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai
import pytest

from agentgym.core import DataError
from agentgym.rollout.recordings import Sampler, read_recordings
from agentgym.serve.record_app import RecordServer, RecordSettings, make_record_app
from agentgym.serve.upstream import Upstream
from tests.agents.server import Answer, ChatServer
from tests.serve.conftest import serving
from tests.serve.test_record_app import CALLING, TOKEN, TOOL, Endpoint, check_exact, spell, start, tokenizer

__all__ = ["start", "tokenizer"]

ASKED: list[dict[str, Any]] = [{"role": "user", "content": "say one"}]
GOOD: dict[str, Any] = {
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "left now"},
            "finish_reason": "stop",
            "logprobs": {"content": [{"token": "left", "logprob": -0.5}, {"token": " now", "logprob": -1.5}]},
        }
    ],
    "usage": {"prompt_tokens": 7, "completion_tokens": 2},
}


@dataclass
class Relay:
    """A recording endpoint that passes on what an upstream answers."""

    url: str
    out: Path
    told: list[str]

    def client(self, session: str) -> Any:
        return openai.OpenAI(base_url=f"{self.url}/sessions/{session}/v1", api_key="any", max_retries=0)

    def end(self, session: str, **outcome: Any) -> None:
        client = openai.OpenAI(base_url=f"{self.url}/sessions/{session}", api_key="any", max_retries=0)
        client.post("/outcome", body={"task": "1", "reward": 1.0, **outcome}, cast_to=object)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.out / "turns.jsonl").read_text().splitlines()]


@contextlib.contextmanager
def relaying(url: str, out: Path) -> Iterator[Relay]:
    told: list[str] = []
    upstream = Upstream(url, "there", TOKEN, timeout=30, tell=lambda: told.append("no ids"))
    with serving(make_record_app(RecordServer(RecordSettings(out, "relayed"), upstream))) as here:
        yield Relay(here, out, told)


@pytest.mark.parametrize("stream", [False, True])
def test_tokens_of_an_upstream_are_those_that_it_sampled(start: Any, tmp_path: Path, stream: bool) -> None:
    endpoint: Endpoint = start()
    with relaying(f"{endpoint.url}/sessions/up/v1", tmp_path / "relay") as relay:
        client = relay.client("a")
        messages = list(ASKED)
        for turn in range(3):
            options = {"model": "any", "messages": messages, "logprobs": True}
            if stream:
                parts = [part.choices[0] for part in client.chat.completions.create(**options, stream=True)]
                told, said = parts[0].logprobs.content, "".join(part.delta.content or "" for part in parts)
            else:
                choice = client.chat.completions.create(**options).choices[0]
                told, said = choice.logprobs.content, choice.message.content
            assert [each.logprob for each in told] == list(endpoint.sampled[-1][2])
            messages += [{"role": "assistant", "content": said}]
            messages += [{"role": "user", "content": f"no {turn}"}]
        relay.end("a")
        own = endpoint.engine.weights_digest()
        (episode,) = read_recordings(relay.out, Sampler(own, 3, 1.0))
    assert len(episode.segments) == 1
    assert [turn.version for turn in episode.turns] == [3, 3, 3]
    check_exact(endpoint, [episode])
    assert not relay.told


def test_tools_and_several_choices_of_an_upstream_reach_the_client_and_the_record(start: Any, tmp_path: Path) -> None:
    endpoint: Endpoint = start()
    endpoint.engine.constraint = spell(endpoint.engine, CALLING)
    with relaying(f"{endpoint.url}/sessions/up/v1", tmp_path / "relay") as relay:
        client = relay.client("a")
        options: dict[str, Any] = {"model": "m", "messages": ASKED, "tools": [TOOL], "max_tokens": 64, "n": 2}
        choices = client.chat.completions.create(**options).choices
        assert [each.finish_reason for each in choices] == ["tool_calls", "tool_calls"]
        call = choices[1].message.tool_calls[0]
        assert json.loads(call.function.arguments) == {"at": 1}
        answered = {"role": "tool", "tool_call_id": call.id, "content": "a door"}
        said = {"role": "assistant", "content": "hm", "tool_calls": [call.model_dump()]}
        client.chat.completions.create(**{**options, "messages": [*ASKED, said, answered], "n": 1})
        relay.end("a")
        (episode,) = read_recordings(relay.out)
    assert (len(episode.turns), len(episode.segments)) == (2, 1)
    check_exact(endpoint, [episode])


def test_an_upstream_without_token_ids_is_told_of_and_not_learned_from(tmp_path: Path) -> None:
    def answer(number: int, request: dict[str, Any]) -> Answer:
        if "return_token_ids" in request["body"]:
            told = {"message": "Unrecognized request argument: return_token_ids", "param": None}
            return Answer({"error": told}, status=400)
        return Answer(GOOD)

    with ChatServer(answer) as upstream, relaying(upstream.base_url, tmp_path) as relay:
        for _ in range(2):
            choice = relay.client("a").chat.completions.create(model="m", messages=ASKED).choices[0]
            assert choice.message.content == "left now"
        relay.end("a")
    asked = [request["body"] for request in upstream.requests]
    assert ["return_token_ids" in body for body in asked] == [True, False, False]
    assert all((body["model"], body["temperature"], body["logprobs"]) == ("there", 1.0, True) for body in asked)
    assert relay.told == ["no ids"]
    line = relay.lines()[0]
    assert (line["ids"], line["tokens"], line["logprobs"]) == (None, ["left", " now"], [-0.5, -1.5])
    assert line["why"] == "the upstream told no token ids"
    (episode,) = read_recordings(tmp_path)
    assert ([turn.action for turn in episode.turns], episode.segments) == (["left now"] * 2, [])
    with pytest.raises(DataError, match="answer 0 of session a has no token ids, for the upstream told none"):
        read_recordings(tmp_path, Sampler("any", 0, 1.0, correct=True))


def changed(**changes: Any) -> dict[str, Any]:
    return {**GOOD, "choices": [{**GOOD["choices"][0], **changes}]}


@pytest.mark.parametrize(
    ("status", "told", "seen", "words"),
    [
        (200, b"{", 503, "cannot be recorded"),
        (200, {"choices": "ab"}, 503, "'choices' should be a list"),
        (200, {"choices": ["ab"]}, 503, "at place 0 should be an object"),
        (200, {}, 503, "no chat completion: it has no 'choices'"),
        (200, [], 503, "no chat completion: should be an object"),
        (200, changed(message="hi"), 503, "'message' should be an object"),
        (200, changed(message={"content": [1]}), 503, "'content' should be a text"),
        (200, changed(message={"tool_calls": [{"function": 3}]}), 503, "'function' should be an object"),
        (200, changed(index="first"), 503, "'index' should be a whole number"),
        (200, changed(logprobs={"content": [{"token": "x", "logprob": 10**400}]}), 503, "'logprob' should be a number"),
        (200, changed(logprobs={"content": [{"token": "x", "logprob": 0.5}]}), 503, "no number up to 0"),
        (200, {**GOOD, "usage": [1]}, 503, "'usage' should be an object"),
        (200, {**GOOD, "usage": {"prompt_tokens": 1e999}}, 503, "'prompt_tokens' should be a whole number"),
        (200, {"choices": []}, 503, "1 choices were asked for, and 0 came"),
        (200, changed(logprobs=None), 503, "no log-probabilities"),
        (200, {**changed(token_ids=[1]), "prompt_token_ids": [1]}, 503, "1 token ids and 2 log-probabilities"),
        (200, {**changed(token_ids=[1, -2]), "prompt_token_ids": [1]}, 503, "no whole numbers"),
        (200, changed(finish_reason="content_filter"), 503, "ended for the reason 'content_filter'"),
        (200, b'"' + b"x" * (2**24 + 1) + b'"', 503, "more than 16,777,216 bytes"),
        (401, {"error": {"message": f"bad key {TOKEN}"}}, 503, r"status 401 \(bad key \*\*\*\)"),
        (429, {"error": {"message": "slower"}}, 429, "slower"),
        (400, {"error": {"message": "too long", "code": "context_length_exceeded"}}, 400, "context_length_exceeded"),
    ],
)
def test_what_an_upstream_cannot_answer_is_told_and_nothing_is_recorded(
    tmp_path: Path, status: int, told: Any, seen: int, words: str
) -> None:
    upstream = ChatServer(lambda number, request: Answer(told, status=status))
    with upstream, relaying(upstream.base_url, tmp_path) as relay:
        with pytest.raises(openai.APIStatusError, match=words) as caught:
            relay.client("a").chat.completions.create(model="m", messages=ASKED)
        assert caught.value.status_code == seen
        assert TOKEN not in str(caught.value)
    assert not (tmp_path / "turns.jsonl").exists()
