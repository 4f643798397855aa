"""What a recording endpoint has written down, as episodes to learn from."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from agentgym.core import DataError, Reply, ToolCall
from agentgym.core.files import parse_object
from agentgym.core.kinds import check_kind
from agentgym.core.lines import read_lines
from agentgym.rollout.episode import Episode, Segment, Turn

TURNS, OUTCOMES = "turns.jsonl", "outcomes.jsonl"
Place = tuple[str, str, str]
"""World, split and task."""


@dataclass(frozen=True)
class Sampler:
    """Who is to have sampled what is learned from.

    Attributes:
        weights: Digest of the weights, as `HuggingFaceEngine.weights_digest` gives it.
        version: Number that turns of these weights get; turns of others get -1.
        temperature: That the log-probabilities are to be of.
        correct: Whether other weights and temperatures are let through, for whoever weighs tokens by the ratio of the
            two probabilities. Answers at temperature 0 are refused all the same: theirs are of another distribution.
    """

    weights: str
    version: int
    temperature: float
    correct: bool = False

    def version_of(self, answer: Mapping[str, Any]) -> int:
        """The version that an answer is of.

        Raises:
            DataError: if it cannot be learned from.
        """
        where = f"answer {answer['number']} of session {answer['session']}"
        if answer["ids"] is None:
            raise DataError(
                f"{where} has no token ids, for the upstream told none; record a server that answers return_token_ids, "
                "such as vLLM or agentgym record"
            )
        if answer["temperature"] != self.temperature and (not self.correct or not answer["temperature"] > 0):
            raise DataError(
                f"{where} was sampled at temperature {answer['temperature']:g}, and learning is at "
                f"{self.temperature:g}; let the program ask for that one"
            )
        if answer.get("weights") == self.weights:
            return self.version
        if not self.correct:
            raise DataError(
                f"{where} was sampled from other weights than those that learn; record these, or read with "
                "correct=True and weigh its tokens by the ratio of the two probabilities"
            )
        return -1


class _Session(TypedDict):
    session: str | int


class _Told(_Session, total=False):
    env: str
    split: str
    seed: int | None
    choice: int | None
    ended: bool
    success: bool


class _Outcome(_Told):
    answers: int
    task: str
    reward: float


class _Answered(_Session):
    number: int
    request: int
    choice: int
    extends: int | None
    given: Sequence[int] | None
    ids: Sequence[int] | None
    logprobs: Sequence[float]
    text: str
    continues: Sequence[int]
    finish_reason: str
    temperature: float
    version: int
    off_policy: bool


def _lines(file: Path, kind: Any, what: str) -> list[dict[str, Any]]:
    def read(line: bytes) -> dict[str, Any]:
        found = parse_object(line)
        check_kind(found, kind, what)
        return found

    return read_lines(file, read)


def session_names(folder: str | Path) -> set[str]:
    """The sessions of which a folder holds answers."""
    file = Path(folder) / TURNS
    return {str(line["session"]) for line in _lines(file, _Session, "answer on record")} if file.exists() else set()


def ended_sessions(folder: str | Path) -> list[tuple[str, Place]]:
    """The sessions whose outcome is known, in the order in which they ended, with the world, split and task of each.

    Args:
        folder: Where `agentgym record` writes; one without outcomes holds none.
    """
    file = Path(folder) / OUTCOMES
    lines = _lines(file, _Outcome, "outcome of a session") if file.exists() else []
    return [(str(line["session"]), (line.get("env", ""), line.get("split", ""), line["task"])) for line in lines]


def read_recordings(
    folder: str | Path, sampler: Sampler | None = None, sessions: Collection[str] | None = None
) -> list[Episode]:
    """The sessions whose outcome is known, as episodes in the order in which they ended.

    A turn is an answer that was sampled, and its span holds the ids that were sampled, nothing else. Where a request
    had several choices, the one counts with which the session went on, or, in its last request, the `choice` that its
    outcome names; the others are left out, and so are all choices of which none is known to have been played. The
    reward stands in the last turn. Episodes of one world, split and task are one group.

    Answers of an upstream that told no token ids are turns without segments: words to look at, not to learn from.

    Args:
        folder: Where `agentgym record` writes.
        sampler: Who is to have sampled them; None asks nobody, and versions are those of the endpoint.
        sessions: Names of those that are read; None for all.

    Raises:
        DataError: if there are no records, they are damaged, or somebody else has sampled them.
    """
    folder = Path(folder)
    turns: dict[str, list[dict[str, Any]]] = {}
    for line in _lines(folder / TURNS, _Answered, "answer on record"):
        turns.setdefault(str(line["session"]), []).append(line)
    groups: dict[Place, int] = {}
    episodes: list[Episode] = []
    for number, outcome in enumerate(_lines(folder / OUTCOMES, _Outcome, "outcome of a session")):
        if sessions is not None and outcome["session"] not in sessions:
            continue
        answers = turns.get(str(outcome["session"]), [])
        try:
            if len(answers) != outcome["answers"]:
                raise DataError(f"{folder}: session {outcome['session']} has lost answers")
            episode = _recorded_episode(answers, outcome, sampler)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{folder} holds a record that is none ({error!r})") from None
        place = episode.world, episode.split, episode.task_id
        episode.group, episode.number = groups.setdefault(place, len(groups)), number
        episodes.append(episode)
    return episodes


def _recorded_episode(
    answers: Sequence[Mapping[str, Any]], outcome: Mapping[str, Any], sampler: Sampler | None = None
) -> Episode:
    """A session as an episode; see `read_recordings`.

    Args:
        answers: Its lines of `turns.jsonl`, in order.
        outcome: Its line of `outcomes.jsonl`.
        sampler: Who is to have sampled it.

    Returns:
        The episode, `world` being the id that the server of worlds told, "" if none did.

    Raises:
        DataError: if somebody else has sampled it.
    """
    episode = Episode(outcome["task"], outcome.get("split", ""), int(outcome.get("seed") or 0), 0)
    episode.world = outcome.get("env", "")
    _fill(episode, played(answers, outcome.get("choice")), outcome, sampler)
    return episode


def played(answers: Sequence[Mapping[str, Any]], choice: int | None) -> list[Mapping[str, Any]]:
    """The answers of a session that its client went on with; see `read_recordings`.

    Args:
        answers: All answers, in order.
        choice: Of the last request, the one that was played; None if nobody says.
    """
    continued = {number for answer in answers for number in answer["continues"]}
    sizes: dict[int, int] = {}
    for answer in answers:
        sizes[answer["request"]] = sizes.get(answer["request"], 0) + 1
    last = answers[-1]["request"] if answers else -1
    return [
        answer
        for answer in answers
        if sizes[answer["request"]] == 1
        or answer["number"] in continued
        or (answer["request"] == last and answer["choice"] == choice)
    ]


def _fill(
    episode: Episode, answers: Sequence[Mapping[str, Any]], outcome: Mapping[str, Any], sampler: Sampler | None
) -> None:
    """Turns and segments of an episode."""
    ends: dict[int, Segment] = {}  # by the answer that a segment ends with
    for number, answer in enumerate(answers):
        version = answer["version"] if sampler is None else sampler.version_of(answer)
        if answer["ids"] is not None:
            ends[answer["number"]] = _said(episode, answers, number, ends)
        finish = "length" if answer["finish_reason"] == "length" else "stop"
        episode.turns.append(
            Turn(
                answer["seen"],
                answer["text"],
                0.0 if number + 1 < len(answers) else float(outcome["reward"]),
                True,
                "terminated" if number + 1 == len(answers) else "",
                version,
                off_policy=answer["off_policy"],
                finish_reason=finish,
                reply=_reply(answer),
            )
        )
    episode.new_segments = max(0, episode.new_segments - 1)
    episode.stop = "terminated" if outcome.get("ended", True) else "truncated"
    episode.success = bool(outcome.get("success", False))
    episode.progress = float(episode.success)


def _reply(answer: Mapping[str, Any]) -> Reply | None:
    """The calls of an answer; None of one that called no tool."""
    calls = []
    for place, call in enumerate(answer.get("tool_calls") or ()):
        arguments = call["arguments"] if isinstance(call["arguments"], str) else json.dumps(call["arguments"])
        calls.append(ToolCall(f"call_{answer['number']}_{place}", str(call["name"]), arguments))
    return Reply(answer["text"], calls=tuple(calls)) if calls else None


def _said(episode: Episode, answers: Sequence[Mapping[str, Any]], number: int, ends: dict[int, Segment]) -> Segment:
    """Put an answer into the segment that it extends, or into a new one; returns that."""
    answer = answers[number]
    segment = ends.pop(answer["extends"], None) if answer["extends"] is not None else None
    if segment is None:
        segment = Segment()
        segment.read(_prompt(answers, answer))
        episode.segments.append(segment)
        episode.new_segments += 1
    else:
        segment.read(answer["given"])
    segment.say(number, answer["ids"], answer["logprobs"])
    return segment


def _prompt(answers: Sequence[Mapping[str, Any]], answer: Mapping[str, Any]) -> list[int]:
    """All ids before an answer, those of the answers that it extends included."""
    by_number = {each["number"]: each for each in answers}
    parts: list[list[int]] = [answer["given"]]
    while (parent := answer["extends"]) is not None:
        answer = by_number[parent]
        parts += [answer["ids"], answer["given"]]
    return [token for part in reversed(parts) for token in part]
