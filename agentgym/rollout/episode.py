"""What is kept of a played episode: turns in words, and segments in tokens.

    Episode ── turns: [Turn]        what was seen, said and earned, in words
            └─ segments: [Segment]  the same as token ids, with a mask that says who wrote each token

The two are joined by `Segment.spans`. Text is never tokenised a second time: a segment grows by the ids that were fed
to the policy (`read`) and the ids it sampled (`say`), and the mask is born with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from agentgym.core import Reply

Kind = Literal["branch", "child", "trial", "proposal"]
Stop = Literal["terminated", "truncated", "context", "refused", "failure"]
STOPS: tuple[Stop, ...] = ("terminated", "truncated", "context", "refused", "failure")


@dataclass(frozen=True, slots=True)
class Span:
    """Where the tokens that turn `turn` said lie in a segment: `token_ids[start:end]`."""

    turn: int
    start: int
    end: int


@dataclass(slots=True)
class Segment:
    """Token ids of consecutive turns, each of whose prompts extends the one before.

    All lists have one entry a token.

    Attributes:
        token_ids: What the policy read and said, in order.
        sampled_mask: 1 where the player chose the token (its end token included), 0 where it was given.
        loss_weight: What a loss multiplies the token by; 0 wherever `sampled_mask` is 0.
        logprobs: Log-probability of each token when it was sampled, after temperature and over the whole vocabulary;
            0.0 where it was given. None if a teacher wrote the segment, who has none.
        spans: Which turn said which tokens.
        annotations: What learners wrote beside the tokens, by name: one number a token, such as a critic's `value`.
    """

    token_ids: list[int] = field(default_factory=list)
    sampled_mask: list[int] = field(default_factory=list)
    loss_weight: list[float] = field(default_factory=list)
    logprobs: list[float] | None = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    annotations: dict[str, list[float]] = field(default_factory=dict)

    def read(self, token_ids: Sequence[int]) -> None:
        """Append tokens that the policy is given."""
        count = len(token_ids)
        self.token_ids += token_ids
        self.sampled_mask += [0] * count
        self.loss_weight += [0.0] * count
        if self.logprobs is not None:
            self.logprobs += [0.0] * count

    def say(self, turn: int, token_ids: Sequence[int], logprobs: Sequence[float] | None) -> None:
        """Append tokens that the player chose.

        Args:
            turn: Number of the turn in the episode, from 0.
            token_ids: What was said.
            logprobs: Log-probability of each token; None exactly for a teacher's segment.

        Raises:
            ValueError: if there is not one log-probability a token, or a policy's and a teacher's tokens would mix.
        """
        if (logprobs is None) != (self.logprobs is None):
            raise ValueError("a segment belongs to one player: a teacher (no log-probabilities) or a policy")
        start, count = len(self.token_ids), len(token_ids)
        if logprobs is not None and self.logprobs is not None:
            if len(logprobs) != count:
                raise ValueError(f"{count} tokens were said with {len(logprobs)} log-probabilities")
            self.logprobs += logprobs
        self.token_ids += token_ids
        self.sampled_mask += [1] * count
        self.loss_weight += [1.0] * count
        self.spans.append(Span(turn, start, start + count))

    def copy(self) -> Segment:
        """An independent copy, without annotations: those are written when collecting is over."""
        return Segment(
            self.token_ids.copy(),
            self.sampled_mask.copy(),
            self.loss_weight.copy(),
            None if self.logprobs is None else self.logprobs.copy(),
            self.spans.copy(),
        )

    def __len__(self) -> int:
        return len(self.token_ids)


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange.

    Attributes:
        observation: What the player saw before it spoke.
        action: What it said.
        reward: What that earned.
        valid: False if the world refused the action.
        stop: Why the episode ended with this turn; "" if it went on.
        version: Version of the policy that spoke; None for a teacher.
        rewards: The world's terms of the reward and the scores beside it (`info["metrics"]`).
        state_key: The world's `state_key()` before the action; "" unless keys were asked for.
        digest: Digest of the world's snapshot before the action; "" unless digests were asked for.
        messages: What the policy was shown, where that was not the conversation so far.
        images: Names or digests of the pictures it was shown.
        policy: Name of the policy that spoke, or of the role or player where all of them are one; "" where there is one
            player without roles.
        failure: What broke, if the world itself failed in this turn.
        marks: Named spans of the sampled tokens, such as a thought: first and last + 1, counted within the turn.
        off_policy: Whether the tokens come from another distribution than the one their log-probabilities are of.
        entropy: Mean entropy, in nats, of the distributions its tokens were sampled from; None if unknown.
        finish_reason: Why the model stopped: `stop` at its end token, `length` at the token limit, or in a server's
            word; "" if unknown.
        failed_calls: Tool calls that were taken and failed, such as programs that raised.
        annotations: What learners wrote about the turn, by name.
        terms: Where wrappers pay, what the world and each of them paid (`info["reward_terms"]`); they add up to
            `reward`.
        said: The whole answer that the action was read from; "" unless infos were asked for.
        info: All that the world said of the turn; None unless infos were asked for.
        reply: What a chat model read, wrote and cost; None unless infos were asked for and one answered.
        caller: Name of the later role that called this one in the turn; "" if it spoke of itself.
    """

    observation: str
    action: str
    reward: float
    valid: bool
    stop: Stop | Literal[""] = ""
    version: int | None = None
    rewards: dict[str, float] = field(default_factory=dict)
    state_key: str = ""
    digest: str = ""
    messages: tuple[dict[str, str], ...] = ()
    images: tuple[str, ...] = ()
    policy: str = ""
    failure: str = ""
    marks: dict[str, tuple[int, int]] = field(default_factory=dict)
    off_policy: bool = False
    entropy: float | None = None
    finish_reason: str = ""
    failed_calls: int = 0
    annotations: dict[str, float] = field(default_factory=dict)
    terms: dict[str, float] = field(default_factory=dict)
    said: str = ""
    info: Mapping[str, Any] | None = None
    reply: Reply | None = None
    caller: str = ""

    def copy(self) -> Turn:
        """The same turn with annotations of its own."""
        return replace(self, annotations=dict(self.annotations))

    def record(self) -> dict[str, Any]:
        """JSON-safe data: what every turn has, and of the rest what was set."""
        always = {name: getattr(self, name) for name in ALWAYS}
        return always | {name: value for name in SOMETIMES if (value := getattr(self, name)) != getattr(PLAIN, name)}


ALWAYS = ("observation", "action", "reward", "valid", "stop", "version")
BESIDE = ("said", "info", "reply", "finish_reason")  # for evaluation, which has a record of its own
SOMETIMES = tuple(name for name in Turn.__slots__ if name not in (*ALWAYS, *BESIDE))
PLAIN = Turn("", "", 0.0, True)


@dataclass(frozen=True, slots=True)
class Parent:
    """Where an episode came from.

    Attributes:
        episode: `Episode.number` of the other one.
        turn: Its turn before whose action the two went apart.
        kind: `branch` (a copy that went on by itself), `child` (another role of the same play), `trial` (the next try
            of the same task), or `proposal` (a task that the other one invented).
    """

    episode: int
    turn: int
    kind: Kind


@dataclass(slots=True)
class Episode:
    """One episode of one player.

    Attributes:
        task_id, split: The task, as the world names it.
        seed: Seed of the world's random draws.
        group: Episodes of one group were begun on the same task and seed; `role` and `player` divide it further.
        turns: In order.
        segments: In order; empty until a teacher's episode has been tokenised, and for policies that do not learn.
        stop: Why it ended: the world decided (`terminated`), turns ran out (`truncated`), the next prompt would not
            have fitted into the policy's context (`context`), who answers for it refused what it had said (`refused`),
            or the world itself broke down (`failure`).
        success: The world's verdict, never inferred from reward.
        progress: Share of the task done, as the world said last.
        failure: What broke, if `stop` is `failure`; such an episode is counted and not learned from.
        failure_kind: Who failed then: the `environment`, or, where the caller puts up with that, the `policy` itself
            (the episode is lost), or the service that was to answer for it (an `outage`).
        final: The last observation, which nobody answered.
        player: Who was played in a game of several; "" otherwise.
        role: The role played where several share the work; "" otherwise.
        parent: The episode that this one came from; None if it began at the beginning.
        number: Its place in the collected list, which parents point to.
        reference: The gold answer in words; None unless asked for.
        reminder: The task and how actions are written, after what the role is told, for contexts that repeat them.
        opening: What the role is told before its first observation; "" for nothing.
        bonus: What filters added to the return beside the world's reward, such as a penalty for length.
        new_segments: Times that a prompt did not extend the one before, so that a new segment began.
        pictures: PNG files of what was shown, by the names that `Turn.images` holds.
        world: Which world of a mixture it was played in; "" where there is one.
    """

    task_id: str
    split: str
    seed: int
    group: int
    turns: list[Turn] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    stop: Stop | Literal[""] = ""
    success: bool = False
    progress: float = 0.0
    failure: str = ""
    failure_kind: Literal["environment", "policy", "outage", ""] = ""
    final: str = ""
    player: str = ""
    role: str = ""
    parent: Parent | None = None
    number: int = 0
    reference: str | None = None
    reminder: str = ""
    opening: str = ""
    bonus: float = 0.0
    new_segments: int = 0
    pictures: dict[str, bytes] = field(default_factory=dict)
    world: str = ""

    @property
    def total_return(self) -> float:
        """The undiscounted return, as the world gave it."""
        return sum(turn.reward for turn in self.turns)

    @property
    def learned_return(self) -> float:
        """The return that is learned from: the world's, and the bonus."""
        return self.total_return + self.bonus

    @property
    def failed(self) -> bool:
        """Whether the world itself broke down."""
        return self.stop == "failure"

    def record(self) -> dict[str, Any]:
        """The episode in words as JSON-safe data; tokens and the files of pictures are left out."""
        data = {
            "task_id": self.task_id,
            "split": self.split,
            "seed": self.seed,
            "group": self.group,
            "stop": self.stop,
            "success": self.success,
            "failure": self.failure,
            "score": self.total_return,
            "turns": [turn.record() for turn in self.turns],
            "final": self.final,
            "number": self.number,
        }
        if self.parent:
            data["parent"] = asdict(self.parent)
        return data | {name: value for name in EXTRAS if (value := getattr(self, name))}


def is_child(episode: Episode) -> bool:
    """Whether it is that of a role which spoke for another one to act."""
    return episode.parent is not None and episode.parent.kind == "child"


EXTRAS = ("player", "role", "reference", "bonus", "new_segments", "world")
