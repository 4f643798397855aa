"""Scripted models and cassettes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentgym.core import Cassette, ConfigError, DataError, Message, Reply, ScriptedModel, lines, text_model
from tests.disks import die_at_every_line, file_limit

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
        b"[" * 100_000,
        b"",
    ],
)
def test_a_corrupt_file_is_refused_with_the_line(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "tape.jsonl"
    good = json.dumps({"key": "g", "reply": {"text": "fine"}}).encode()
    path.write_bytes(good + b"\n" + line + b"\n" + good + b"\n")
    with pytest.raises(DataError, match=r"tape\.jsonl, line 2: no cassette entry .*; mend or remove") as refused:
        Cassette(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("torn", [b'{"key": "k", "rep', b"\0" * 512, b"[" * 100_000, b'{"a":' * 100_000 + b"\n"])
def test_a_last_line_that_was_cut_short_costs_only_itself(
    tmp_path: Path, torn: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path, model = tmp_path / "tape.jsonl", Counting()
    first = Cassette(path, model).complete(ASK)
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    assert Cassette(path).complete(ASK) == first
    assert path.read_bytes() == whole + torn, "who replays does not write"
    recorder = Cassette(path, model)
    second = recorder.complete(ASK, seed=1)
    assert Cassette(path).complete(ASK, seed=1) == second
    assert [record.getMessage().count(str(path)) for record in caplog.records] == [1, 1, 1]


def test_a_reply_is_on_disk_or_not_wherever_its_recorder_dies(tmp_path: Path) -> None:
    path, kept = tmp_path / "tape.jsonl", set()

    def work() -> None:
        Cassette(path, Counting()).complete(ASK)

    def after(finished: bool) -> None:
        replies = len(path.read_bytes().splitlines()) if path.exists() else 0
        kept.add(replies)
        assert not finished or replies == 1
        if path.exists():
            Cassette(path, Counting()).complete(ASK)
            path.unlink()

    die_at_every_line(work, (text_model, lines), after)
    assert kept == {0, 1}


def test_a_full_disk_is_one_line_and_keeps_what_was_recorded(tmp_path: Path) -> None:
    path, model = tmp_path / "tape.jsonl", Counting()
    recorder = Cassette(path, model)
    first = recorder.complete(ASK)
    with file_limit(path.stat().st_size + 20), pytest.raises(DataError, match=r"could not be written .*make room"):
        recorder.complete(ASK, seed=1)
    assert Cassette(path).complete(ASK) == first
    assert recorder.complete(ASK, seed=1) == Cassette(path).complete(ASK, seed=1)
