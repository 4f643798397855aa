"""What a client of the recording endpoint is answered, and what is learned from, is what was sampled."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import openai
import pytest
import requests
import torch

import agentgym
from agentgym.agents.engine import HuggingFaceEngine
from agentgym.core import DataError
from agentgym.evaluate import export
from agentgym.rollout import Episode
from agentgym.rollout.recordings import Sampler, read_recordings
from agentgym.serve.record_app import RecordServer, RecordSettings, make_record_app
from agentgym.train.batch import Sample, pad
from agentgym.train.tiny import build_decoder
from agentgym.train.token_logprobs import token_logprobs
from tests.serve.conftest import serving, starter
from tests.train.conftest import SHAPE, tokenizer

__all__ = ["tokenizer"]

TOKEN = "t" * 20
CALLING = 'hm <tool_call>{"name": "look", "arguments": {"at": 1}}</tool_call>'
TOOL = {"type": "function", "function": {"name": "look", "description": "", "parameters": {"type": "object"}}}


@dataclass
class Endpoint:
    """An endpoint that listens."""

    url: str
    engine: HuggingFaceEngine
    out: Path
    sampled: list[tuple[list[int], tuple[int, ...], tuple[float, ...]]]

    def client(self, session: str, token: str = TOKEN) -> Any:
        return openai.OpenAI(base_url=f"{self.url}/sessions/{session}/v1", api_key=token, max_retries=0)

    def post(self, path: str, body: Any, token: str = TOKEN) -> requests.Response:
        headers = {"Authorization": f"Bearer {token}"}
        data = body if isinstance(body, bytes) else json.dumps(body)
        return requests.post(self.url + path, data=data, headers=headers, timeout=60)

    def end(self, session: str, **outcome: Any) -> None:
        answer = self.post(f"/sessions/{session}/outcome", {"task": "1", "reward": 1.0, "success": True, **outcome})
        assert answer.status_code == 200, answer.text

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.out / "turns.jsonl").read_text().splitlines()]


def spy(engine: HuggingFaceEngine) -> list[Any]:
    """Every prompt that is read, with what was sampled after it: what records are compared with."""
    seen: list[Any] = []
    begin = engine.open

    def opened(generators: Any) -> Any:
        session = begin(generators)
        generate = session.generate

        def generating(prompts: Sequence[Sequence[int]], rows: Any = None) -> Any:
            said = generate(prompts, rows)
            seen.extend((list(read), each.token_ids, each.logprobs) for read, each in zip(prompts, said, strict=True))
            return said

        session.generate = generating  # type: ignore[method-assign]
        return session

    engine.open = opened  # type: ignore[method-assign]
    return seen


@pytest.fixture
def start(tokenizer: Any, tmp_path: Path) -> Iterator[Callable[..., Endpoint]]:
    running = contextlib.ExitStack()

    def begin(**options: Any) -> Endpoint:
        model = build_decoder(replace(SHAPE, context=2048), tokenizer, 0)
        engine = HuggingFaceEngine(model, tokenizer, max_new_tokens=8)
        seen = spy(engine)
        settings = RecordSettings(tmp_path / "records", "tiny", **{"tokens": [TOKEN, "o" * 20], **options})
        url = running.enter_context(serving(make_record_app(RecordServer(settings, engine))))
        return Endpoint(url, engine, settings.out, seen)

    with running:
        yield begin


def spell(engine: HuggingFaceEngine, text: str) -> Callable[[Sequence[int], Sequence[int]], Sequence[int] | None]:
    """A constraint under which the model says a text and ends."""
    ids = [*engine.tokenizer.encode(text, add_special_tokens=False), engine.chat.end]
    return lambda read, said: [ids[len(said)]]


def check_exact(endpoint: Endpoint, episodes: Sequence[Episode]) -> None:
    """Each turn's span holds what was sampled after exactly the tokens before it, with its log-probabilities."""
    known = {(tuple(read), ids): chances for read, ids, chances in endpoint.sampled}
    for episode in episodes:
        spans = [(segment, span) for segment in episode.segments for span in segment.spans]
        assert sorted(span.turn for _, span in spans) == list(range(len(episode.turns)))
        for segment, span in spans:
            assert segment.logprobs is not None
            said = tuple(segment.token_ids[span.start : span.end])
            chances = known[tuple(segment.token_ids[: span.start]), said]
            assert tuple(segment.logprobs[span.start : span.end]) == chances
            assert all(segment.sampled_mask[span.start : span.end])
        for segment in episode.segments:
            assert sum(segment.sampled_mask) == sum(span.end - span.start for span in segment.spans)


def test_what_is_learned_from_is_what_was_sampled(start: Any) -> None:
    endpoint = start()
    client = endpoint.client("a")
    messages: list[dict[str, Any]] = [{"role": "system", "content": "go"}, {"role": "user", "content": "say <end> one"}]
    for turn in range(3):
        answer = client.chat.completions.create(model="any", messages=messages, logprobs=True)
        choice = answer.choices[0]
        assert [each.logprob for each in choice.logprobs.content] == list(endpoint.sampled[-1][2])
        messages += [
            {"role": "assistant", "content": choice.message.content},
            {"role": "user", "content": f"no {turn}"},
        ]
    endpoint.end("a")
    (episode,) = read_recordings(endpoint.out)
    assert len(episode.segments) == 1
    assert [turn.reward for turn in episode.turns] == [0.0, 0.0, 1.0]
    assert len(endpoint.sampled) == 3
    check_exact(endpoint, [episode])
    batch = pad([Sample(episode.segments[0])], torch.device("cpu"))
    with torch.no_grad():
        logprobs, _ = token_logprobs(endpoint.engine.model, batch, 1.0)
    assert (logprobs - batch.old_logprobs_BT)[batch.sampled_BT > 0].abs().max() < 1e-4
    with pytest.raises(openai.ConflictError, match="has ended"):
        client.chat.completions.create(model="any", messages=messages)


def test_ids_that_spell_otherwise_stand_as_they_were_sampled(start: Any) -> None:
    endpoint = start()
    engine = endpoint.engine
    word = max((each for each in engine.tokenizer.get_vocab() if each.isascii() and each.isalpha()), key=len)
    ids = [engine.tokenizer.encode(letter, add_special_tokens=False)[0] for letter in word]
    assert ids != engine.tokenizer.encode(word, add_special_tokens=False)
    engine.constraint = lambda read, said: [[*ids, engine.chat.end][len(said)]]
    client = endpoint.client("a")
    messages = [{"role": "user", "content": "one"}]
    said = client.chat.completions.create(model="m", messages=messages).choices[0].message.content
    assert said == word
    messages += [{"role": "assistant", "content": f" {word}\n"}, {"role": "user", "content": "two"}]
    client.chat.completions.create(model="m", messages=messages)
    endpoint.end("a")
    (episode,) = read_recordings(endpoint.out)
    assert len(episode.segments) == 1
    assert all(turn.off_policy for turn in episode.turns)
    check_exact(endpoint, [episode])


@pytest.mark.parametrize("stream", [False, True])
def test_tools(start: Any, stream: bool) -> None:
    endpoint = start()
    endpoint.engine.constraint = spell(endpoint.engine, CALLING)
    client = endpoint.client("a")
    messages: list[dict[str, Any]] = [{"role": "user", "content": "one"}]
    for _ in range(2):
        options = {"model": "m", "messages": messages, "tools": [TOOL], "max_tokens": 64}
        if stream:
            with client.chat.completions.stream(**options) as parts:
                choice = parts.get_final_completion().choices[0]
        else:
            choice = client.chat.completions.create(**options).choices[0]
        assert choice.finish_reason == "tool_calls"
        (call,) = choice.message.tool_calls
        assert (call.function.name, json.loads(call.function.arguments)) == ("look", {"at": 1})
        assert choice.message.content == "hm"
        sent = {"id": call.id, "type": "function", "function": {"name": "look", "arguments": '{"at":1}'}}
        messages += [
            {"role": "assistant", "content": "hm", "tool_calls": [sent]},
            {"role": "tool", "tool_call_id": call.id, "content": "a door"},
        ]
    endpoint.end("a")
    (episode,) = read_recordings(endpoint.out)
    assert len(episode.segments) == 1
    assert len(episode.turns) == 2
    check_exact(endpoint, [episode])


def test_words_come_while_they_are_made(start: Any) -> None:
    endpoint = start()
    ids = [*endpoint.engine.tokenizer.encode("left right up down", add_special_tokens=False), endpoint.engine.chat.end]
    heard, made = threading.Event(), []

    def speak(read: Sequence[int], said: Sequence[int]) -> list[int]:
        if len(said) == 3:
            made.append(heard.wait(60))  # the rest is made when a client has heard the beginning
        return [ids[len(said)]]

    endpoint.engine.constraint = speak
    message = {"role": "user", "content": "one"}
    options: Any = {"model": "m", "messages": [message], "max_tokens": 64, "logprobs": True, "stream": True}
    words: list[str] = []
    chances: list[float] = []
    for part in endpoint.client("a").chat.completions.create(**options, stream_options={"include_usage": True}):
        for choice in part.choices:
            words.append(choice.delta.content or "")
            chances += [each.logprob for each in (choice.logprobs.content if choice.logprobs else ())]
        if "".join(words):
            heard.set()
    assert made == [True]
    assert "".join(words) == "left right up down"
    assert len([each for each in words if each]) > 2
    assert part.usage.completion_tokens == len(ids)
    assert chances == list(endpoint.sampled[0][2])
    assert part.system_fingerprint == endpoint.engine.weights_digest()
    endpoint.end("a")
    (episode,) = read_recordings(endpoint.out)
    check_exact(endpoint, [episode])


@pytest.mark.parametrize("changes", [{}, {"stop": ["e", "or"]}, {"tools": [TOOL]}, {"stop": "a", "tools": [TOOL]}])
def test_a_stream_says_what_a_whole_answer_says(start: Any, changes: dict[str, Any]) -> None:
    endpoint = start()
    options: Any = {"model": "m", "max_tokens": 40, "n": 3, "seed": 5, "temperature": 1.5, "logprobs": True, **changes}
    options |= {"messages": [{"role": "user", "content": "one"}], "extra_body": {"return_token_ids": True}}
    whole = endpoint.client("whole").chat.completions.create(**options)
    parts = [part.choices[0] for part in endpoint.client("parts").chat.completions.create(**options, stream=True)]
    for one in whole.choices:
        own = [part for part in parts if part.index == one.index]
        assert "".join(part.delta.content or "" for part in own) == (one.message.content or "")
        assert [part.finish_reason for part in own if part.finish_reason] == [one.finish_reason]
        told = [each for part in own if part.logprobs for each in part.logprobs.content]
        assert told == one.logprobs.content
        assert [each for part in own for each in getattr(part, "token_ids", None) or ()] == one.token_ids
    assert len(parts) > 3 * len(whole.choices)
    mine, theirs = (
        [line["ids"] for line in endpoint.lines() if line["session"] == name] for name in ("whole", "parts")
    )
    assert mine == theirs


def test_who_leaves_a_stream_leaves_an_answer_on_record(start: Any) -> None:
    endpoint = start()
    endpoint.engine.constraint = spell(endpoint.engine, "left right up down")
    message = {"role": "user", "content": "one"}
    options: Any = {"model": "m", "messages": [message], "max_tokens": 64}
    leaving = endpoint.client("a").chat.completions.create(**options, stream=True)
    next(iter(leaving))
    leaving.close()
    said = endpoint.client("a").chat.completions.create(**options).choices[0].message.content  # it is not held up
    assert said == "left right up down"
    assert [line["text"] for line in endpoint.lines()] == [said, said]


@pytest.mark.parametrize("place", [0, 2])
def test_a_stream_of_a_model_that_fails_ends_with_an_error(start: Any, place: int) -> None:
    endpoint = start()
    ids = endpoint.engine.tokenizer.encode("left right up down", add_special_tokens=False)

    def speak(read: Sequence[int], said: Sequence[int]) -> list[int]:
        if len(said) == place:
            raise RuntimeError("out of memory")
        return [ids[len(said)]]

    endpoint.engine.constraint = speak
    options: Any = {"model": "m", "messages": [{"role": "user", "content": "one"}], "max_tokens": 64, "stream": True}
    client = endpoint.client("a")
    kind = openai.InternalServerError if place == 0 else openai.APIError  # before the first word it is a status
    with pytest.raises(kind, match="the model failed: out of memory"):
        list(client.chat.completions.create(**options))
    assert not (endpoint.out / "turns.jsonl").exists() or not endpoint.lines()
    endpoint.engine.constraint = spell(endpoint.engine, "up")
    parts = client.chat.completions.create(**options)
    assert "".join(part.choices[0].delta.content or "" for part in parts) == "up"


def test_sessions_are_exported_with_the_ids_that_were_sampled(start: Any, tmp_path: Path) -> None:
    """By answer as TRL's rollouts give them, and by segment with a mask for verl and for `datasets`."""
    endpoint = start()
    endpoint.engine.constraint = spell(endpoint.engine, CALLING)
    client = endpoint.client("a")
    messages: list[dict[str, Any]] = [{"role": "user", "content": "one"}]
    for _ in range(2):
        options = {"model": "m", "messages": messages, "tools": [TOOL], "max_tokens": 64}
        (call,) = client.chat.completions.create(**options).choices[0].message.tool_calls
        sent = {"id": call.id, "type": "function", "function": {"name": "look", "arguments": '{"at":1}'}}
        messages += [
            {"role": "assistant", "content": "hm", "tool_calls": [sent]},
            {"role": "tool", "tool_call_id": call.id, "content": "a door"},
        ]
    with pytest.raises(DataError, match="holds no episode yet"):
        export(endpoint.out, "hf", tmp_path / "x.jsonl")
    endpoint.end("a", reward=0.5, success=False)
    endpoint.client("b").chat.completions.create(model="m", messages=messages[:1])  # a session that has not ended

    def rows(form: str) -> list[dict[str, Any]]:
        done = export(endpoint.out, form, tmp_path / f"{form}.jsonl")
        assert done.episodes == 1
        return [json.loads(line) for line in done.path.read_text().splitlines()]

    known = {(tuple(read), ids): list(chances) for read, ids, chances in endpoint.sampled}
    for row in (by_answer := rows("trl")):
        assert row["logprobs"] == known[tuple(row["prompt_ids"]), tuple(row["completion_ids"])]
        (call,) = row["completion"][0]["tool_calls"]
        assert json.loads(call["function"]["arguments"]) == {"at": 1}
    assert len(by_answer) == 2
    assert [message["role"] for message in by_answer[1]["prompt"]] == ["user", "assistant", "tool"]
    (whole,), (verl,) = rows("hf"), rows("verl")
    assert (whole["score"], whole["success"], whole["rewards"]) == (0.5, False, [0.0, 0.5])
    (segment,) = whole["segments"]
    said = [token for row in by_answer for token in row["completion_ids"]]
    masked = zip(segment["input_ids"], segment["loss_mask"], strict=True)
    assert [token for token, sampled in masked if sampled] == said
    assert verl["prompt_ids"] == by_answer[0]["prompt_ids"]
    assert verl["prompt_ids"] + verl["response_ids"] == segment["input_ids"]
    responses = zip(verl["response_ids"], verl["response_mask"], strict=True)
    assert [token for token, sampled in responses if sampled] == said
    assert len(verl["rollout_log_probs"]) == len(verl["response_ids"])


def test_a_call_can_be_demanded(start: Any) -> None:
    endpoint = start()
    endpoint.engine.constraint = spell(endpoint.engine, '{"at": 2}}</tool_call>')
    named = {"type": "function", "function": {"name": "look"}}
    options = {"model": "m", "messages": [{"role": "user", "content": "one"}], "tools": [TOOL], "max_tokens": 64}
    answer = endpoint.client("a").chat.completions.create(**options, tool_choice=named)
    (call,) = answer.choices[0].message.tool_calls
    assert json.loads(call.function.arguments) == {"at": 2}
    endpoint.end("a")
    (episode,) = read_recordings(endpoint.out)
    check_exact(endpoint, [episode])  # the beginning of the call was given, and is not learned from


def test_of_several_choices_the_one_that_was_played_counts(start: Any) -> None:
    endpoint = start()
    client = endpoint.client("a")
    messages: list[dict[str, Any]] = [{"role": "user", "content": "one"}]
    first = client.chat.completions.create(model="m", messages=messages, n=2, seed=7, temperature=2.0)
    texts = [choice.message.content for choice in first.choices]
    assert texts[0].strip() != texts[1].strip()
    again = endpoint.client("b").chat.completions.create(model="m", messages=messages, n=2, seed=7, temperature=2.0)
    assert [choice.message.content for choice in again.choices] == texts
    messages += [{"role": "assistant", "content": texts[1]}, {"role": "user", "content": "two"}]
    client.chat.completions.create(model="m", messages=messages, n=2)
    endpoint.end("a", choice=0)
    endpoint.end("b")
    mine, other = read_recordings(endpoint.out)
    assert mine.turns[0].action == texts[1]
    assert (len(mine.turns), len(mine.segments)) == (2, 1)
    assert not other.turns  # nobody says which of the two was played
    check_exact(endpoint, [mine])


def test_requests_of_a_session_are_answered_one_after_the_other_and_its_outcome_after_them(start: Any) -> None:
    endpoint = start()
    client = endpoint.client("busy")
    said: list[Any] = []

    def ask() -> None:
        message = {"role": "user", "content": "go on"}
        with contextlib.suppress(openai.APIStatusError):  # one that comes after the outcome
            said.append(client.chat.completions.create(model="m", messages=[message], max_tokens=12))

    together = [threading.Thread(target=ask) for _ in range(4)]
    for thread in together:
        thread.start()
    while len(endpoint.sampled) < 1:
        time.sleep(0.01)
    answer = endpoint.post("/sessions/busy/outcome", {"task": "1", "reward": 1.0, "success": True})
    for thread in together:
        thread.join()
    assert answer.status_code == 200, answer.text
    assert said
    answers = [ids for _, ids, _ in endpoint.sampled]
    assert len(set(answers)) == len(answers) == len(said) == len(endpoint.lines())  # each has draws of its own
    assert len(read_recordings(endpoint.out)) == 1


def test_a_stop_text_ends_an_answer_after_the_token_that_completes_it(start: Any) -> None:
    endpoint = start()
    endpoint.engine.constraint = spell(endpoint.engine, "left right up")
    client = endpoint.client("a")
    options: Mapping[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "one"}], "max_tokens": 64}
    choice = client.chat.completions.create(**options, stop=["ight"]).choices[0]
    assert (choice.message.content, choice.finish_reason) == ("left r", "stop")
    (line,) = endpoint.lines()
    said = endpoint.engine.tokenizer.decode(line["ids"])
    assert said.startswith("left right")
    assert "up" not in said
    assert tuple(line["ids"]) == endpoint.sampled[0][1][: len(line["ids"])]


def test_what_was_not_sampled_begins_a_segment_and_is_told(start: Any) -> None:
    endpoint = start()
    client = endpoint.client("a")
    messages: list[dict[str, Any]] = [{"role": "user", "content": "one"}]
    client.chat.completions.create(model="m", messages=messages)
    messages += [{"role": "assistant", "content": "something else"}, {"role": "user", "content": "two"}]
    client.chat.completions.create(model="m", messages=messages)
    endpoint.end("a")
    assert [line["why"] for line in endpoint.lines()] == ["first", "no message of the assistant was sampled here"]
    (episode,) = read_recordings(endpoint.out)
    assert (len(episode.segments), episode.new_segments) == (2, 1)
    check_exact(endpoint, [episode])


def test_hostile_requests_are_refused_in_one_line(start: Any) -> None:
    endpoint = start(body=5000, answers=3)
    path = "/sessions/a/v1/chat/completions"
    good = {"model": "m", "messages": [{"role": "user", "content": "one"}]}
    assert endpoint.post(path, good, "x" * 20).status_code == 401
    for body in (b"x", b"[]", b"[" * 4000, {}, {"messages": []}, {**good, "n": 0}, {**good, "temperature": -1},
                 {**good, "top_p": 0.5}, {**good, "stop": [""]}, {**good, "tool_choice": "required"},
                 {**good, "messages": [{"role": "root", "content": ""}]}, {**good, "max_tokens": "9"},
                 {**good, "top_logprobs": 3},
                 {**good, "messages": [{"role": "user", "content": "x " * 2400}]}):  # fmt: skip
        answer = endpoint.post(path, body)
        assert answer.status_code == 400, body
        assert "\n" not in answer.json()["error"]["message"]
    assert endpoint.post(path, b"x" * 6000).status_code == 413
    assert endpoint.post("/sessions/a%20b/v1/chat/completions", good).status_code == 400
    assert endpoint.post(path, {**good, "n": 4}).status_code == 429
    assert endpoint.post(path, good).status_code == 200
    assert endpoint.post(path, good, "o" * 20).status_code == 409  # another client's session
    assert endpoint.post("/sessions/a/outcome", {"task": "1", "reward": 1.0}, "o" * 20).status_code == 404
    for outcome in ([], {"task": "1"}, {"task": "1", "reward": 10**400}, {"world": "s"}, {"task": 1, "reward": 1.0}):
        assert endpoint.post("/sessions/a/outcome", outcome).status_code == 400
    assert TOKEN not in (endpoint.out / "turns.jsonl").read_text()


def test_records_of_other_weights_or_another_temperature_are_refused_or_told(start: Any) -> None:
    endpoint = start()
    engine = endpoint.engine
    own = engine.weights_digest()
    messages = [{"role": "user", "content": "one"}]
    endpoint.client("a").chat.completions.create(model="m", messages=messages, temperature=0.5)
    endpoint.end("a")
    (episode,) = read_recordings(endpoint.out, Sampler(own, 7, 0.5))
    assert episode.turns[0].version == 7
    check_exact(endpoint, [episode])
    with pytest.raises(DataError, match=r"sampled at temperature 0\.5, and learning is at 1"):
        read_recordings(endpoint.out, Sampler(own, 7, 1.0))
    assert read_recordings(endpoint.out, Sampler(own, 7, 1.0, correct=True))[0].turns[0].version == 7
    with torch.no_grad():
        next(engine.model.parameters()).add_(1e-3)
    engine.version += 1
    other = engine.weights_digest()
    assert other != own
    with pytest.raises(DataError, match="sampled from other weights"):
        read_recordings(endpoint.out, Sampler(other, 8, 0.5))
    assert read_recordings(endpoint.out, Sampler(other, 8, 0.5, correct=True))[0].turns[0].version == -1
    endpoint.client("b").chat.completions.create(model="m", messages=messages, temperature=0)
    endpoint.end("b")
    assert [line["weights"] for line in endpoint.lines()] == [own, other]
    with pytest.raises(DataError, match="session b was sampled at temperature 0"):
        read_recordings(endpoint.out, Sampler(other, 8, 0.5, correct=True))


def test_a_served_world_tells_what_was_earned(start: Any) -> None:
    with starter() as serve:
        worlds = serve("FrozenLake-v0")
        endpoint = start(world=worlds.url)
        client = endpoint.client("a")
        env = agentgym.connect(worlds.url, "FrozenLake-v0", split="val")
        seen, info = env.reset(seed=3, options={"task": 2})
        messages: list[dict[str, Any]] = []
        earned = 0.0
        for _ in range(3):
            messages.append({"role": "user", "content": seen})
            said = client.chat.completions.create(model="m", messages=messages).choices[0].message.content
            messages.append({"role": "assistant", "content": said})
            seen, reward, *_ = env.step(said)
            earned += reward
        answer = endpoint.post("/sessions/a/outcome", {"world": env.session})
        assert answer.status_code == 200, answer.text
        told = answer.json()
        assert (told["task"], told["split"], told["seed"]) == (info["task_id"], "val", 3)
        assert (told["reward"], told["success"], len(told["rewards"])) == (earned, False, 3)
        (episode,) = read_recordings(endpoint.out)
        assert (episode.task_id, episode.stop, episode.total_return) == (info["task_id"], "truncated", earned)
        check_exact(endpoint, [episode])
        client = endpoint.client("b")
        client.chat.completions.create(model="m", messages=messages[:1])
        env.reset(seed=2**70)
        assert "too large" in endpoint.post("/sessions/b/outcome", {"world": env.session}).json()["error"]["message"]
        env.restore(env.snapshot())
        answer = endpoint.post("/sessions/b/outcome", {"world": env.session})
        assert (answer.status_code, "not known" in answer.json()["error"]["message"]) == (400, True)
        env.close()
