"""The record of a game: what each player saw, said and got."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from agentgym.core import DataError
from agentgym.core.files import parse_object
from agentgym.core.kinds import check_kind
from agentgym.evaluate.transcript import Turn, outcome, side_played
from agentgym.rollout import EnvPool, RunningEpisode

ENDED = ("terminated", "truncated")


@dataclass(frozen=True)
class Side:
    """One player's side of a game.

    Attributes:
        agent: Who held the player.
        role: Its part in the game; "" if the game could not be asked.
        success: Whether the game calls the player successful.
        score: Undiscounted return.
        progress, metrics, costs: As in the player's last `info`.
        system: The system message that a model was given; otherwise "".
        turns: What it saw and said.
        final_observation: What it saw at the end.
        prompt_tokens, completion_tokens, cost: Of all its answers; US dollars.
    """

    agent: str
    role: str
    success: bool
    score: float
    progress: float
    metrics: dict[str, float]
    costs: dict[str, float]
    system: str
    turns: list[Turn]
    final_observation: str
    prompt_tokens: int
    completion_tokens: int
    cost: float


@dataclass(frozen=True)
class GameRecord:
    """One game.

    Attributes:
        task_id, task_kind: Which task.
        trial: Which repetition of it, from 0.
        seed: What `reset` was given.
        stop, failure_kind, failure: How it ended; as in `Transcript`.
        stopped_by: The player whose agent could not go on or whose context was full; "" if the game came to its end.
        order: The players in the order in which they acted; those that act at once stand one after the other.
        sides: By player.
        wall_seconds: Duration.
    """

    task_id: str
    task_kind: str
    trial: int
    seed: int
    stop: str
    failure_kind: str
    failure: str
    stopped_by: str
    order: list[str]
    sides: dict[str, Side]
    wall_seconds: float = field(compare=False)

    @property
    def key(self) -> tuple[str, int]:
        """Which of the games of a match it is: task and trial."""
        return self.task_id, self.trial

    @property
    def spent(self) -> dict[str, tuple[float, int]]:
        """By agent, dollars and tokens that its answers cost."""
        held: dict[str, list[Side]] = {}
        for side in self.sides.values():
            held.setdefault(side.agent, []).append(side)
        return {
            agent: (
                math.fsum(side.cost for side in sides),
                sum(side.prompt_tokens + side.completion_tokens for side in sides),
            )
            for agent, sides in held.items()
        }

    @property
    def played(self) -> bool:
        """Whether the game stands: neither the world nor what was to answer for an agent failed."""
        return self.failure_kind in ("", "agent")

    @property
    def ended(self) -> bool:
        """Whether the game came to its end."""
        return self.failure_kind == "" and self.stop in ENDED

    def scored(self, player: str) -> bool:
        """Whether the outcome counts for a player: the game came to its end, or its own agent could not go on."""
        return self.ended or (self.played and player == self.stopped_by)

    def record(self) -> dict[str, Any]:
        """The game as JSON-safe data."""
        return asdict(self)

    @classmethod
    def from_line(cls, line: bytes) -> GameRecord:
        """The game of a line of `games.jsonl`.

        Raises:
            DataError: if it is no such line.
        """
        try:
            record = parse_object(line)
            check_kind(record, cls, "game of a match")
            for player, side in record["sides"].items():
                side["turns"] = [Turn.from_record(turn) for turn in side["turns"]]
                record["sides"][player] = Side(**side)
            return cls(**record)
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(f"no game of a match ({type(error).__name__}: {error})") from None


def game_record(running: RunningEpisode, pool: EnvPool, holders: Mapping[str, str], trial: int) -> GameRecord:
    """The record of a game that has ended, which was played with all infos kept.

    Args:
        running: The game.
        pool: Where it was played.
        holders: By player, the label of its agent.
        trial: Which repetition of the task.
    """
    return GameRecord(
        **outcome(running, running.first.acting.episode, trial),
        stopped_by=running.stopped_by,
        order=[player for player, _ in running.log],
        sides={player: _side(running, pool, player, holders[player]) for player in running.sides},
    )


def _side(running: RunningEpisode, pool: EnvPool, player: str, agent: str) -> Side:
    side, info = running.sides[player], running.results[player].info
    acting, broken = side.acting, side.acting.episode.failure_kind == "environment"
    return Side(
        **side_played(acting),
        agent=agent,
        role="" if broken else str(pool.ask(running.place, player, "role")),
        success=acting.episode.success and running.stopped_by != player,
        score=side.total,
        metrics=dict(info["metrics"]),
        costs=dict(info["costs"]),
        system=acting.system if acting.policy.reads != "view" else "",
    )
