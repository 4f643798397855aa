"""The record of an episode: what each player saw, said and was paid, with all that is needed to play it again."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, TypeAlias, TypeVar

from agentgym.core import DataError, Reply
from agentgym.core.files import parse_object
from agentgym.core.kinds import check_kind
from agentgym.evaluate.fixtures import Fixture
from agentgym.rollout.episode import Segment

FORMAT = 2  # of a line; a file of another one is refused
ENDED = ("terminated", "truncated")
Key: TypeAlias = tuple[str | int, ...]
T = TypeVar("T", bound="AnswerRecord | TurnRecord | SegmentRecord | PlayerRecord | EpisodeRecord")


@dataclass(frozen=True, slots=True)
class AnswerRecord:
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
    def of(cls, reply: Reply) -> AnswerRecord:
        """What is kept of a reply beside its words."""
        own = {name: getattr(reply, name) for name in cls.__slots__ if name != "calls"}
        return cls(**own, calls=tuple(asdict(call) for call in reply.calls))

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> AnswerRecord:
        """The answer of a record in a line."""
        return _whole(cls, {**record, "calls": tuple(record["calls"])})


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One turn of one player.

    Attributes:
        player: Whose turn.
        observation: What the player saw before it acted.
        action: What it said to the world.
        reward: What the player was paid from then on until it was asked again.
        valid, error: Whether the world took it, and why not.
        events, metrics, costs: As in the player's `info` after that.
        said: The model's whole answer; None where no model was asked.
        finish_reason: Why the model stopped, in the server's word; None where it was not told.
        reasoning: What the model thought, where that is told apart from the answer; otherwise None.
        answer: What else came with a chat model's answer; None where none was asked.
        shown: What the model was shown in place of a conversation, such as the message of a template; None where it
            was the conversation.
        tool_failure: Why the tool that was called did not run; "" if it did, None where no tool was called.
    """

    player: str
    observation: str
    action: str
    reward: float = 0.0
    valid: bool = True
    error: str = ""
    events: list[dict[str, Any]] = field(default_factory=list)
    metrics: dict[str, float] = field(default_factory=dict)
    costs: dict[str, float] = field(default_factory=dict)
    said: str | None = None
    finish_reason: str | None = None
    reasoning: str | None = None
    answer: AnswerRecord | None = None
    shown: str | None = None
    tool_failure: str | None = None

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> TurnRecord:
        """The turn of a record in a line."""
        answer = record["answer"]
        return _whole(cls, {**record, "answer": None if answer is None else AnswerRecord.from_record(answer)})


@dataclass(frozen=True, slots=True)
class SegmentRecord:
    """What a local model read and said of consecutive turns, each of whose prompts extends the one before.

    Attributes:
        token_ids: Ids, in order.
        sampled_mask: 1 where the model chose the token, its end token included; 0 where it was given.
        logprobs: Of each token when it was sampled; 0.0 where it was given.
        spans: For each turn that is said in it, its number among the player's turns, and its first token and one past
            its last.
    """

    token_ids: Sequence[int]
    sampled_mask: Sequence[int]
    logprobs: Sequence[float]
    spans: Sequence[Sequence[int]]

    @classmethod
    def of(cls, segment: Segment) -> SegmentRecord:
        """What is kept of a segment that a policy has said.

        Raises:
            ValueError: if a teacher has said it, who has no log-probabilities.
        """
        if segment.logprobs is None:
            raise ValueError("the segment of a teacher has no log-probabilities")
        spans = [[span.turn, span.start, span.end] for span in segment.spans]
        return cls([*segment.token_ids], [*segment.sampled_mask], [*segment.logprobs], spans)


@dataclass(frozen=True)
class PlayerRecord:
    """One player of an episode, without its turns.

    Attributes:
        agent: Who held the player.
        agent_options: Its options, without what is secret.
        wrappers: Tables of the wrappers through which this player alone saw and spoke, by `name`, the first innermost.
        role: Its part in a game of several players; "" where it plays alone, or the game could not be asked.
        success: Whether the world calls the player successful; False if its agent could not go on.
        score: Undiscounted return.
        progress, metrics, costs: As in the player's last `info`.
        system: The system message that a model was given; otherwise "".
        final_observation: What it saw at the end.
        prompt_tokens, completion_tokens, cost: Of all its answers; US dollars.
        tokens: What it read and said, as ids; None where they were not kept (`keep_tokens`) or no local model spoke.
    """

    agent: str
    agent_options: Mapping[str, Any] = field(default_factory=dict)
    wrappers: Sequence[Mapping[str, Any]] = ()
    role: str = ""
    success: bool = False
    score: float = 0.0
    progress: float = 0.0
    metrics: dict[str, float] = field(default_factory=dict)
    costs: dict[str, float] = field(default_factory=dict)
    system: str = ""
    final_observation: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    tokens: Sequence[SegmentRecord] | None = None


@dataclass(frozen=True)
class EpisodeRecord:
    """One episode, of one player or of several.

    `success`, `score` and `progress` are over all its players: whether each was successful, and the means.

    Attributes:
        env: Id of the world as `module:id`, so that any process can make it.
        env_kwargs: Its constructor arguments other than `split`.
        split, task_id: Which task.
        task_kind: What kind of task the world calls it; empty if its tasks are all of one kind.
        wrappers: Tables of the wrappers around the world, by `name`, the first innermost.
        trial: Which repetition of the task, from 0.
        seed: What `reset` was given.
        stop: How it ended: `terminated`, `truncated`, `context` (the next prompt would not have fitted into a
            model's context), `refused` (who answers for an agent refused what it had said) or `failure`.
        failure_kind: Who failed: the `environment`, an `agent` itself, the service that was to answer for it
            (`outage`), the `budget` (none was left to go on), or nobody ("").
        failure: What failed.
        stopped_by: The player whose agent could not go on or whose context was full; "" if the world ended the episode.
        players: By name, in the world's order.
        turns: Every action that the world answered, in the order of play; those of players that act at once stand one
            after the other.
        fixture: Which game of a tournament it is; None if it is of none.
        wall_seconds: Duration; with `seconds` and `tries` of answers, all that differs when it is played again.
    """

    env: str
    env_kwargs: Mapping[str, Any]
    split: str
    task_id: str
    seed: int
    stop: str
    players: Mapping[str, PlayerRecord]
    turns: Sequence[TurnRecord]
    task_kind: str = ""
    wrappers: Sequence[Mapping[str, Any]] = ()
    trial: int = 0
    failure_kind: str = ""
    failure: str = ""
    stopped_by: str = ""
    fixture: Fixture | None = None
    wall_seconds: float = field(default=0.0, compare=False)

    @property
    def key(self) -> Key:
        """Which of the episodes of a run it is: task and trial, or the game of a tournament."""
        return self.fixture.key if self.fixture else (self.task_id, self.trial)

    @property
    def name(self) -> str:
        """The same in words."""
        if self.fixture is None:
            return f"task {self.task_id}, trial {self.trial}"
        first, second, position, deal = self.fixture.key
        return f"{first} as {position} against {second}, deal {deal}"

    @property
    def only(self) -> PlayerRecord:
        """The player of an episode that has one.

        Raises:
            DataError: if it has several.
        """
        if len(self.players) != 1:
            raise DataError(f"{self.name} is a game of {len(self.players)} players; this is for episodes of one")
        return next(iter(self.players.values()))

    def turns_of(self, player: str) -> list[TurnRecord]:
        """The turns of one player, in order."""
        return [turn for turn in self.turns if turn.player == player]

    def side(self, player: str) -> EpisodeRecord:
        """A game as one of its players saw it: an episode of that player alone.

        Args:
            player: Which.
        """
        ended = self.stopped_by if self.stopped_by == player else ""
        return replace(self, players={player: self.players[player]}, turns=self.turns_of(player), stopped_by=ended)

    @property
    def all_wrappers(self) -> list[Mapping[str, Any]]:
        """Tables of the wrappers around the world and around each player."""
        return [*self.wrappers, *(table for player in self.players.values() for table in player.wrappers)]

    @property
    def success(self) -> bool:
        """Whether all players were successful."""
        return all(player.success for player in self.players.values())

    @property
    def score(self) -> float:
        """Mean return of the players."""
        return math.fsum(player.score for player in self.players.values()) / len(self.players)

    @property
    def progress(self) -> float:
        """Mean progress of the players."""
        return math.fsum(player.progress for player in self.players.values()) / len(self.players)

    @property
    def metrics(self) -> dict[str, float]:
        """Mean over the players of each of the world's metrics at the end."""
        named: dict[str, list[float]] = {}
        for player in self.players.values():
            for name, value in player.metrics.items():
                named.setdefault(name, []).append(value)
        return {name: math.fsum(values) / len(values) for name, values in named.items()}

    @property
    def costs(self) -> dict[str, float]:
        """What all actions cost together, by name; an action cost what the player's `info` told after it."""
        total: dict[str, float] = {}
        for turn in self.turns:
            for name, value in turn.costs.items():
                total[name] = total.get(name, 0.0) + value
        return total

    @property
    def prompt_tokens(self) -> int:
        """Tokens read for all answers."""
        return sum(player.prompt_tokens for player in self.players.values())

    @property
    def completion_tokens(self) -> int:
        """Tokens written in all answers."""
        return sum(player.completion_tokens for player in self.players.values())

    @property
    def cost(self) -> float:
        """US dollars of all answers."""
        return math.fsum(player.cost for player in self.players.values())

    @property
    def spent(self) -> dict[str, tuple[float, int]]:
        """By agent, dollars and tokens that its answers cost."""
        held: dict[str, list[PlayerRecord]] = {}
        for player in self.players.values():
            held.setdefault(player.agent, []).append(player)
        return {
            agent: (
                math.fsum(each.cost for each in own),
                sum(each.prompt_tokens + each.completion_tokens for each in own),
            )
            for agent, own in held.items()
        }

    @property
    def scored(self) -> bool:
        """Whether the outcome is the agents' doing; not if the world failed, or nobody was there to answer."""
        return self.failure_kind in ("", "agent")

    @property
    def ended(self) -> bool:
        """Whether the world ended the episode."""
        return self.failure_kind == "" and self.stop in ENDED

    def scored_for(self, player: str) -> bool:
        """Whether the outcome counts for a player: the world ended the episode, or its own agent could not go on."""
        return self.ended or (self.scored and player == self.stopped_by)

    @property
    def cut_answers(self) -> int:
        """Answers that ran into the token limit."""
        return sum(turn.finish_reason == "length" for turn in self.turns)

    def record(self) -> dict[str, Any]:
        """The episode as JSON-safe data."""
        record = {"format": FORMAT, **asdict(self)}
        for player in record["players"].values():
            if player["tokens"] is None:
                del player["tokens"]
        return record

    def to_line(self) -> str:
        """The episode as one line of JSON in ASCII, without line end."""
        return json.dumps(self.record())

    @classmethod
    def from_line(cls, line: str | bytes) -> EpisodeRecord:
        """The episode of a line that `to_line` wrote.

        Raises:
            DataError: if it is no such line.
        """
        record = parse_object(line)
        try:
            if record.pop("format") != FORMAT:
                raise TypeError(f"its format is not {FORMAT}")
            check_kind(record, cls, "record of an episode")
            record["players"] = {name: _player(player) for name, player in record["players"].items()}
            record["turns"] = [TurnRecord.from_record(turn) for turn in record["turns"]]
            record["wrappers"] = tuple(record["wrappers"])
            record["fixture"] = None if record["fixture"] is None else Fixture(**record["fixture"])
            episode = _whole(cls, record)
            _check(episode)
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(f"no record of an episode ({type(error).__name__}: {error})") from None
        return episode


def _player(record: Mapping[str, Any]) -> PlayerRecord:
    kept = record.get("tokens")
    tokens = None if kept is None else [_whole(SegmentRecord, segment) for segment in kept]
    return _whole(PlayerRecord, {**record, "wrappers": tuple(record["wrappers"]), "tokens": tokens})


def _whole(kind: type[T], record: Mapping[str, Any]) -> T:
    """What a line says of one thing: all entries that it has, and no others."""
    names = {each.name for each in fields(kind)}
    if wrong := sorted(names.symmetric_difference(record)):
        raise KeyError(wrong[0])
    return kind(**record)


def _check(episode: EpisodeRecord) -> None:
    """Raise a TypeError if a record names players that it does not hold, or holds none."""
    named = {turn.player for turn in episode.turns} | ({episode.stopped_by} - {""})
    if strange := sorted(named - set(episode.players)):
        raise TypeError(f"{strange[0]!r} is none of its players")
    if not episode.players:
        raise TypeError("it has no player")
