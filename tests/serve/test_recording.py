"""Which answers a later request holds, and what that costs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agentgym.rollout.record_folder import RecordFolder
from agentgym.rollout.recordings import read_recordings
from agentgym.serve import recording
from agentgym.serve.completions import Choice, Question, read_question, write_choice
from agentgym.serve.errors import Refused
from agentgym.serve.record_app import check_outcome
from agentgym.serve.recording import Recorded, Recorder
from agentgym.serve.upstream import UpstreamChoice, UpstreamReply, read_reply

Message = dict[str, Any]


def seen(text: str) -> Message:
    return {"role": "user", "content": text}


def said(text: str) -> Message:
    return {"role": "assistant", "content": text}


class Records:
    """A session of a recorder, and what is written down of it."""

    def __init__(self, folder: Path):
        self.recorder = Recorder(RecordFolder(folder, {"model": "m"}, name="record.json"), None, set(), (9, 9999))
        self.session: Recorded = self.recorder.session("me", "a")
        self._folder = folder

    def answer(self, messages: Sequence[Message], *texts: str, ids: Sequence[int] = (1, 2)) -> None:
        choices = [UpstreamChoice(Choice(each, [], "stop"), (3,), ("x",), (-1.0,)) for each in texts]
        question = Question("m", tuple(messages), n=len(texts))
        self.recorder.take_told(self.session, question, UpstreamReply(tuple(ids), tuple(choices), "w", 2, 1), 0)

    def played(self) -> list[str]:
        self.recorder.end(self.session, {"task": "t", "reward": 1.0})
        (episode,) = read_recordings(self._folder)
        return [turn.action for turn in episode.turns]


def test_a_choice_that_was_not_played_stands_in_no_episode(tmp_path: Path) -> None:
    """A program that shows the last turns alone, whose beginning nobody finds again."""
    records = Records(tmp_path)
    records.answer([seen("1")], "look")
    records.answer([said("look"), seen("2")], "look", "go")
    records.answer([said("look"), seen("2"), said("go"), seen("3")], "done")
    assert records.played() == ["look", "go", "done"]


def test_of_several_requests_choices_the_newest_that_fit_were_played(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.answer([seen("1")], "look", "go")
    records.answer([seen("1"), said("go"), seen("2")], "look", "go")
    records.answer([said("go"), seen("2"), said("look"), seen("3")], "look", "go")
    records.answer([said("look"), seen("3"), said("look"), seen("4")], "done")
    assert records.played() == ["go", "look", "look", "done"]


def test_what_a_program_wrote_itself_is_no_choice_of_the_same_request(tmp_path: Path) -> None:
    records = Records(tmp_path)
    example = [seen("such as"), said("look")]
    records.answer([*example, seen("1")], "look", "go")
    records.answer([*example, seen("1"), said("go"), seen("2")], "done")
    assert records.played() == ["go", "done"]


def test_a_request_is_matched_once_and_every_message_spelled_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A conversation of n turns costs the length of what is sent, and what is kept of it does not grow with it."""
    spelled, turns, spell = [], 40, recording._spelled

    def counting(message: Mapping[str, Any]) -> bytes:
        spelled.append(message)
        return spell(message)

    monkeypatch.setattr(recording, "_spelled", counting)
    records, messages = Records(tmp_path), [seen("0")]
    for turn in range(turns):
        spelled.clear()
        records.answer(messages, f"act {turn}", "other", ids=range(turn * 100))
        assert len(spelled) == len(messages) + 2  # and the two answers
        messages += [said(f"act {turn}"), seen(str(turn))]
    answer = records.session.answers[-1]
    assert (len(answer.before), len(answer.said), len(answer.whole)) == (32, 32, 32)
    assert records.played() == [f"act {turn}" for turn in range(turns - 1)]  # nobody says which of the last was played


def test_a_segment_goes_on_where_the_ids_do(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.answer([seen("1")], "look", ids=(1, 2))
    messages = [seen("1"), said("look"), seen("2")]
    records.answer(messages, "go", ids=(1, 2, 3, 4))
    assert records.session.answers[-1].length == 5
    records.answer([*messages, said("go"), seen("3")], "done", ids=(1, 2, 3, 5, 3, 6))
    assert records.played() == ["look", "go", "done"]
    (episode,) = read_recordings(tmp_path)
    assert [segment.token_ids for segment in episode.segments] == [[1, 2, 3, 4, 3], [1, 2, 3, 5, 3, 6, 3]]


CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
TOOLS = [{"type": "function", "function": {"name": "f"}}]


@pytest.mark.parametrize("arguments", ['{"a": ', "3", '"3"', "[1]", "null", "", '{"a": 1}', '{ "a":1.0 }', "\u00e9{"])
def test_calls_come_back_as_they_were_told_whatever_their_arguments(tmp_path: Path, arguments: str) -> None:
    asked: dict[str, Any] = {"messages": [seen("1")], "tools": TOOLS}
    call = {**CALL, "function": {"name": "f", "arguments": arguments}}
    told = {
        "message": {"content": None, "tool_calls": [call]},
        "logprobs": {"content": [{"token": "x", "logprob": -1}]},
    }
    question = read_question(json.dumps(asked).encode())
    reply = read_reply({"choices": [told]}, question)
    records = Records(tmp_path)
    (choice,) = records.recorder.take_told(records.session, question, reply, 0)
    message = write_choice(0, choice, "n")["message"]
    if not arguments.strip().startswith("{"):
        assert message["tool_calls"][0]["function"]["arguments"] == (arguments or "{}")
    asked["messages"] += [message, {"role": "tool", "tool_call_id": "c", "content": "no JSON"}]
    matched = records.session.match(read_question(json.dumps(asked).encode()).messages)
    assert ([each.number for each in matched.found.values()], matched.unknown) == ([0], 0)


@pytest.mark.parametrize("value", [{"reward": 10**400}, {"reward": 1e200}, {"reward": True}, {"choice": 2**70}])
def test_an_outcome_holds_what_readers_of_the_record_take(value: dict[str, Any]) -> None:
    with pytest.raises(Refused, match=next(iter(value))):
        check_outcome({"task": "t", "reward": 1, **value})
    assert check_outcome({"task": "t", "reward": 1, "choice": 1}) == {"task": "t", "reward": 1.0, "choice": 1}
