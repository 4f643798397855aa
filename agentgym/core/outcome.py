"""What a world says an action did: `Outcome` for one player, `JointOutcome` for a game of several."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Outcome:
    """What one action did in a world of one player.

    Attributes:
        text: What the agent sees.
        reward: Reward of this step.
        terminated: Whether the task is decided.
        success: Whether it is solved; implies `terminated`.
        valid: False if the action was refused; then nothing but the turn may have changed.
        error: Why it was refused.
        progress: Share of the task done, 0 to 1; None leaves it as it was.
        spent: Whether a limit of the world's own, such as one on moves, is used up; unless the task is decided, the
            episode is truncated, as when turns run out.
        events: Typed records `{"type": ..., ...}` of what happened, in the card's vocabulary.
        metrics: Values of keys the card declares; the others are 0. None: those of the world's hook `_metrics`.
        costs: As `metrics`, without a hook.
    """

    text: str
    reward: float = 0.0
    terminated: bool = False
    success: bool = False
    valid: bool = True
    error: str = ""
    progress: float | None = None
    events: Sequence[Mapping[str, Any]] = ()
    metrics: Mapping[str, float] | None = None
    costs: Mapping[str, float] | None = None
    spent: bool = False


@dataclass(slots=True)
class JointOutcome:
    """What one action, or one action of every player at once, did in a game of several players.

    Attributes:
        rewards: Reward of each player that gets one.
        over: Whether the game is decided; then every player is terminated.
        winners: Players that succeeded; implies that they are terminated.
        out: Players that leave a game which goes on.
        progress: Share of the task done, 0 to 1, of each player whose progress changed.
        spent: Whether a limit of the game's own, such as one on rounds, is used up; unless the game is decided, it is
            truncated for every player, as when turns run out.
        valid: False if the action was refused; then nothing may have changed.
        error: Why it was refused.
    """

    rewards: Mapping[str, float] = field(default_factory=dict)
    over: bool = False
    winners: Collection[str] = ()
    out: Collection[str] = ()
    progress: Mapping[str, float] = field(default_factory=dict)
    valid: bool = True
    error: str = ""
    spent: bool = False


@dataclass(slots=True)
class PlayerState:
    """How one player stands in an episode; part of every snapshot.

    Attributes:
        messages: What it was told since it last acted.
        events, metrics, costs: Of its `info`, since it last acted.
        refused: Actions refused in a row.
        valid, error: Whether its last action was taken, and why not.
        success, progress: As in `info`.
        reward: What it earned in the last step.
        terminated, truncated: Whether the episode is over for it.
    """

    messages: list[str] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    metrics: dict[str, float] = field(default_factory=dict)
    costs: dict[str, float] = field(default_factory=dict)
    refused: int = 0
    valid: bool = True
    error: str = ""
    success: bool = False
    progress: float = 0.0
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False

    @property
    def ended(self) -> bool:
        """Whether the episode is over for this player."""
        return self.terminated or self.truncated

    def begin_turn(self) -> None:
        """The player acts: what it had been told is behind it."""
        if self.messages:
            self.messages = []
        if self.events or self.metrics or self.costs:
            self.events, self.metrics, self.costs = [], {}, {}
        self.valid, self.error = True, ""

    def copy(self) -> PlayerState:
        """An independent copy; events are shared, since they are written once and never changed."""
        return PlayerState(
            self.messages[:], self.events[:], self.metrics.copy(), self.costs.copy(), self.refused, self.valid,
            self.error, self.success, self.progress, self.reward, self.terminated, self.truncated,
        )  # fmt: skip
