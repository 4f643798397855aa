"""Scripted models and cassettes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentgym.core import Cassette, ConfigError, DataError, Message, Reply, ScriptedModel

ASK: list[Message] = [{"role": "user", "content": "Which colour? \u2028 é"}]


class Counting:
    """A model whose every reply is new, so that a replayed one can be told from a second call."""

    def __init__(self) -> None:
        self.calls = 0

    def complete(self, messages: Sequence[Message], *, seed: int = 0, max_tokens: int = 512) -> Reply:
        self.calls += 1
        return Reply(f"reply {self.calls} \u2028 ☃", prompt_tokens=3, completion_tokens=2, cost=0.25)


def test_a_scripted_model_is_a_function_of_messages_and_seed() -> None:
    model = ScriptedModel(lambda messages, seed: f"{messages[-1]['content']} {seed}")
    assert model.complete(ASK, seed=4) == Reply("Which colour? \u2028 é 4")


def test_what_was_recorded_is_replayed_with_its_cost_and_without_the_model(tmp_path: Path) -> None:
    path, model = tmp_path / "tape.jsonl", Counting()
    recorder = Cassette(path, model)
    first = recorder.complete(ASK)
    assert recorder.complete(ASK) == first
    second = recorder.complete(ASK, seed=1)
    third = recorder.complete(ASK, max_tokens=9)
    fourth = recorder.complete([*ASK, {"role": "assistant", "content": "x"}])
    assert len({reply.text for reply in (first, second, third, fourth)}) == model.calls == 4
    player = Cassette(path)
    assert player.complete(ASK) == first
    assert (player.complete(ASK, seed=1), player.complete(ASK, max_tokens=9)) == (second, third)
    assert first.cost == 0.25


def test_a_cassette_goes_on_recording(tmp_path: Path) -> None:
    path, model = tmp_path / "tape.jsonl", Counting()
    first = Cassette(path, model).complete(ASK)
    again = Cassette(path, model)
    assert again.complete(ASK) == first
    again.complete(ASK, seed=1)
    assert model.calls == 2
    assert len(path.read_bytes().splitlines()) == 2


def test_what_was_never_recorded_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    Cassette(path, Counting()).complete(ASK)
    with pytest.raises(ConfigError, match="holds no reply to this conversation; record it by giving a model"):
        Cassette(path).complete(ASK, seed=1)


def test_a_missing_file_is_refused_unless_recording(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no cassette at"):
        Cassette(tmp_path / "tape.jsonl")
    assert not (tmp_path / "tape.jsonl").exists()


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"null",
        b'{"key": "k"}',
        b'{"reply": {"text": "x"}}',
        b'{"key": "k", "reply": {}}',
        b'{"key": "k", "reply": {"text": 5}}',
        b'{"key": "k", "reply": {"text": "x", "mood": 1}}',
        b'{"key": [], "reply": {"text": "x"}}',
        b"\xff\xfe",
        b"",
    ],
)
def test_a_corrupt_file_is_refused_with_the_line(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "tape.jsonl"
    good = json.dumps({"key": "g", "reply": {"text": "fine"}}).encode()
    path.write_bytes(good + b"\n" + line + b"\n" + good + b"\n")
    with pytest.raises(DataError, match=r"tape\.jsonl, line 2, is no cassette entry .*; record it anew"):
        Cassette(path)
