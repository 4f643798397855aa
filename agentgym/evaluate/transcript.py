"""Transcripts: what was seen, said and paid in one episode, with all that is needed to play it again."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from agentgym.core import BudgetSpent, DataError, Reply
from agentgym.core.files import parse_object
from agentgym.core.kinds import check_kind
from agentgym.rollout import Episode, RunningEpisode
from agentgym.rollout import Turn as Played
from agentgym.rollout.conversation import Conversation


@dataclass(frozen=True, slots=True)
class Answer:
    """What came with a chat model's answer.

    Attributes:
        prompt_tokens, completion_tokens, reasoning_tokens: Tokens read, written, and of the written ones thought.
        cost: US dollars.
        refusal: What it said in place of an answer; "" if it answered.
        calls: The tools it called; the first is the action.
        seconds: From the question to the answer, and so is `tries` another when the episode is played again.
        tries: Questions until there was one.
    """

    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    cost: float
    refusal: str
    calls: tuple[dict[str, str], ...]
    seconds: float = field(compare=False)
    tries: int = field(compare=False)

    @classmethod
    def of(cls, reply: Reply) -> Answer:
        """What is kept of a reply beside its words."""
        own = {name: getattr(reply, name) for name in cls.__slots__ if name != "calls"}
        return cls(**own, calls=tuple(asdict(call) for call in reply.calls))

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Answer:
        """The answer of a record in a line."""
        return cls(**{**record, "calls": tuple(record["calls"])})


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn.

    Attributes:
        observation: What the agent saw before it acted.
        action: What it said to the world.
        reward: What that paid.
        valid, error: Whether the world took it, and why not.
        events, metrics, costs: As in `info` after the step.
        said: The model's whole answer; None where no model was asked.
        finish_reason: Why the model stopped, in the server's word; None where it was not told.
        reasoning: What the model thought, where that is told apart from the answer; otherwise None.
        answer: What else came with a chat model's answer; None where none was asked.
        shown: What the model was shown in place of a conversation, such as the message of a template; None where it
            was the conversation.
        tool_failure: Why the tool that was called did not run; "" if it did, None where no tool was called.
    """

    observation: str
    action: str
    reward: float
    valid: bool
    error: str
    events: list[dict[str, Any]]
    metrics: dict[str, float]
    costs: dict[str, float]
    said: str | None = None
    finish_reason: str | None = None
    reasoning: str | None = None
    answer: Answer | None = None
    shown: str | None = None
    tool_failure: str | None = None

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Turn:
        """The turn of a record in a line."""
        answer = record.get("answer")
        return cls(**{**record, "answer": None if answer is None else Answer.from_record(answer)})


@dataclass(frozen=True)
class Setting:
    """Who plays where; the entries of the same names in `Transcript`."""

    env: str
    env_kwargs: Mapping[str, Any]
    split: str
    agent: str
    agent_options: Mapping[str, Any]
    wrappers: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Transcript:
    """One episode.

    Attributes:
        env: Id of the world as `module:id`, so that any process can make it.
        env_kwargs: Its constructor arguments other than `split`.
        split, task_id: Which task.
        task_kind: What kind of task the world calls it; empty if its tasks are all of one kind.
        trial: Which repetition of the task, from 0.
        seed: What `reset` was given.
        agent, agent_options: Who played.
        success, progress: As in the last `info`.
        score: Undiscounted return.
        stop: How it ended: `terminated`, `truncated`, `context` (the next prompt would not have fitted into the
            model's context), `refused` (who answers for the agent refused what it had said) or `failure`.
        failure_kind: Who failed: the `environment`, the `agent` itself, the service that was to answer for it
            (`outage`), the `budget` (none was left to go on), or nobody.
        failure: What failed.
        turns: What happened; `len(turns)` steps were played.
        final_observation: What the last step showed.
        prompt_tokens, completion_tokens, cost: Of all the model's answers; US dollars.
        wall_seconds: Duration; the only entry that differs when the episode is played again.
        wrappers: Tables of the wrappers around the world, by `name`, the first innermost.
    """

    env: str
    env_kwargs: Mapping[str, Any]
    split: str
    task_id: str
    task_kind: str
    trial: int
    seed: int
    agent: str
    agent_options: Mapping[str, Any]
    success: bool
    score: float
    progress: float
    stop: str
    failure_kind: str
    failure: str
    turns: list[Turn]
    final_observation: str
    prompt_tokens: int
    completion_tokens: int
    cost: float
    wall_seconds: float = field(compare=False)
    wrappers: Sequence[Mapping[str, Any]] = ()

    @property
    def key(self) -> tuple[str, int]:
        """Which of the episodes of a run it is: task and trial."""
        return self.task_id, self.trial

    @property
    def spent(self) -> dict[str, tuple[float, int]]:
        """By agent, dollars and tokens that its answers cost."""
        return {self.agent: (self.cost, self.prompt_tokens + self.completion_tokens)}

    @property
    def scored(self) -> bool:
        """Whether the outcome is the agent's doing; not if the world failed, or nobody was there to answer."""
        return self.failure_kind in ("", "agent")

    @property
    def cut_answers(self) -> int:
        """Answers that ran into the token limit."""
        return sum(turn.finish_reason == "length" for turn in self.turns)

    @property
    def valid_action_rate(self) -> float:
        """Share of the actions the world took; 1 if none was played."""
        return sum(turn.valid for turn in self.turns) / len(self.turns) if self.turns else 1.0

    def record(self) -> dict[str, Any]:
        """The transcript as JSON-safe data."""
        record = asdict(self)
        seconds = record.pop("wall_seconds")
        return {**record, "valid_action_rate": self.valid_action_rate, "wall_seconds": seconds}

    def to_line(self) -> str:
        """The transcript as one line of JSON in ASCII, without line end."""
        return json.dumps(self.record())

    @classmethod
    def from_line(cls, line: str | bytes) -> Transcript:
        """The transcript of a line `to_line` wrote.

        Raises:
            DataError: if it is no such line.
        """
        try:
            record = parse_object(line)
            del record["valid_action_rate"]
            check_kind(record, cls, "transcript")
            record["turns"] = [Turn.from_record(turn) for turn in record["turns"]]
            record["wrappers"] = tuple(record["wrappers"])
            return cls(**record)
        except (KeyError, TypeError) as error:
            raise DataError(f"no transcript ({type(error).__name__}: {error})") from None


def transcript(running: RunningEpisode, setting: Setting, trial: int = 0, player: str | None = None) -> Transcript:
    """The record of an episode that has ended, which was played with all infos kept.

    Args:
        running: The episode.
        setting: What world and agent were made of.
        trial: Which repetition of the task.
        player: Whose side is told; None for the only one.
    """
    acting = (running.first if player is None else running.sides[player]).acting
    episode = acting.episode
    return Transcript(
        **vars(setting),
        **outcome(running, episode, trial),
        **side_played(acting),
        success=episode.success,
        score=math.fsum(turn.reward for turn in episode.turns),
    )


def outcome(running: RunningEpisode, episode: Episode, trial: int) -> dict[str, Any]:
    """What the record of an episode says of all its players together, by the names in `Transcript`.

    Args:
        running: The episode.
        episode: What a player whose side is told has on record.
        trial: Which repetition of the task.
    """
    return {
        "task_id": episode.task_id,
        "task_kind": running.task_kind,
        "trial": trial,
        "seed": episode.seed,
        "stop": episode.stop,
        "failure_kind": who_failed(running, episode.failure_kind),
        "failure": episode.failure,
        "wall_seconds": round(running.seconds, 6),
    }


def side_played(acting: Conversation) -> dict[str, Any]:
    """What one player saw, said and paid, by the names in `Transcript`.

    Args:
        acting: Of the player, in an episode that was played with all infos kept.
    """
    episode, speaks = acting.episode, acting.policy.reads != "view"
    dollars, read, written = costs(episode)
    return {
        "progress": episode.progress,
        "turns": [turn_record(turn, speaks=speaks, tools=acting.has_tools) for turn in episode.turns],
        "final_observation": episode.final,
        "prompt_tokens": read,
        "completion_tokens": written,
        "cost": dollars,
    }


def costs(episode: Episode) -> tuple[float, int, int]:
    """US dollars, tokens read and tokens written of all the model's answers in an episode."""
    replies = [turn.reply for turn in episode.turns if turn.reply is not None]
    written = sum(sum(segment.sampled_mask) for segment in episode.segments)
    read = sum(len(segment) for segment in episode.segments) - written
    return (
        math.fsum(reply.cost for reply in replies),
        read + sum(reply.prompt_tokens for reply in replies),
        written + sum(reply.completion_tokens for reply in replies),
    )


def who_failed(running: RunningEpisode, kind: str) -> str:
    """Who failed, as `Transcript.failure_kind` says it.

    Args:
        running: The episode.
        kind: Who failed, as the runner says it.
    """
    if isinstance(running.error, BudgetSpent):
        return "budget"
    return "agent" if kind == "policy" else kind


def turn_record(turn: Played, *, speaks: bool, tools: bool = False) -> Turn:
    """The record of a turn, which was played with all infos kept.

    Args:
        turn: The turn.
        speaks: Whether a model answered, so that its whole answer is kept.
        tools: Whether actions are tool calls; an answer that called a tool is one in any world.
    """
    assert turn.info is not None, "the episode was played without RecordOptions(infos=True)"
    info, reply = turn.info, turn.reply
    called = tools or bool(reply and reply.calls)
    return Turn(
        observation=turn.observation,
        action=turn.action,
        reward=turn.reward,
        valid=turn.valid,
        error=info["error"],
        events=info["events"],
        metrics=info["metrics"],
        costs=info["costs"],
        said=turn.said if speaks else None,
        finish_reason=turn.finish_reason or None,
        reasoning=reply.reasoning or None if reply else None,
        answer=Answer.of(reply) if reply else None,
        shown=turn.messages[0]["content"] if len(turn.messages) == 1 else None,
        tool_failure=("" if turn.valid else info["error"]) if called else None,
    )
