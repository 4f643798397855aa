"""What is kept of a played episode: turns in words, and segments in tokens.

    Episode ── turns: [Turn]        what was seen, said and earned, in words
            └─ segments: [Segment]  the same as token ids, with a mask that says who wrote each token

The two are joined by `Segment.spans`. Text is never tokenised a second time: a segment grows by the ids that were fed
to the policy (`read`) and the ids it sampled (`say`), and the mask is born with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Stop = Literal["terminated", "truncated", "context", "failure"]
STOPS: tuple[Stop, ...] = ("terminated", "truncated", "context", "failure")


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
    """

    token_ids: list[int] = field(default_factory=list)
    sampled_mask: list[int] = field(default_factory=list)
    loss_weight: list[float] = field(default_factory=list)
    logprobs: list[float] | None = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)

    def read(self, token_ids: Sequence[int]) -> None:
        """Append tokens that the policy is given."""
        count = len(token_ids)
        self.token_ids += token_ids
        self.sampled_mask += [0] * count
        self.loss_weight += [0.0] * count
        if self.logprobs is not None:
            self.logprobs += [0.0] * count

    def say(self, turn: int, token_ids: Sequence[int], logprobs: Sequence[float] | None) -> None:
        """Append tokens that the player of `turn` chose; `logprobs` is None exactly for a teacher's segment.

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
    """

    observation: str
    action: str
    reward: float
    valid: bool
    stop: Stop | Literal[""] = ""
    version: int | None = None


@dataclass(slots=True)
class Episode:
    """One episode of one player.

    Attributes:
        task_id, split: The task, as the world names it.
        seed: Seed of the world's dice.
        group: Episodes of one group were begun on the same task and seed.
        turns: In order.
        segments: In order; empty until a teacher's episode has been tokenised.
        stop: Why it ended: the world decided (`terminated`), turns ran out (`truncated`), the next prompt would not
            have fitted into the policy's context (`context`), or the world itself broke down (`failure`).
        success: The world's verdict, never inferred from reward.
        failure: What broke, if `stop` is `failure`; such an episode is counted, and neither scored nor learned from.
        final: The last observation, which nobody answered.
    """

    task_id: str
    split: str
    seed: int
    group: int
    turns: list[Turn] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    stop: Stop | Literal[""] = ""
    success: bool = False
    failure: str = ""
    final: str = ""

    @property
    def score(self) -> float:
        """The undiscounted return."""
        return sum(turn.reward for turn in self.turns)

    @property
    def failed(self) -> bool:
        """Whether the world itself broke down."""
        return self.stop == "failure"

    def record(self) -> dict[str, Any]:
        """The episode in words as JSON-safe data; tokens are left out."""
        return {
            "task_id": self.task_id,
            "split": self.split,
            "seed": self.seed,
            "group": self.group,
            "stop": self.stop,
            "success": self.success,
            "failure": self.failure,
            "score": self.score,
            "turns": [asdict(turn) for turn in self.turns],
            "final": self.final,
        }
