"""What the server knows of a session and of a snapshot."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym.serve.errors import CONFLICT, FAILED, Refused
from agentgym.serve.host import Event, Rebuild
from agentgym.serve.workers import Worker


@dataclass(slots=True)
class Session:
    """An environment of a client.

    Attributes:
        id: Its name, which cannot be guessed.
        owner: The client.
        env: Name of what is played.
        env_kwargs: Constructor arguments that the client chose.
        log: All that happened since the last reset, that included.
        turn: Requests that changed it, so that one that is sent again is told apart.
        body: The last answer.
        ended: Whether the episode is over.
        failed: Why it cannot go on; empty while it can.
        rewards: What each action of the episode has earned; None where that is not known, as before the first reset and
            after a return to a snapshot or a new start of the server.
        worker: Where its environment is; None after the process is gone.
        saved, at: A snapshot, and how many events of `log` it covers.
        marked: How many events there were when the last snapshot was asked for.
        busy: Whether a request is under way.
        used: When it was used last, in seconds of the monotonic clock.
    """

    id: str
    owner: str
    env: str
    env_kwargs: Mapping[str, Any]
    log: list[Event] = field(default_factory=list)
    turn: int = 0
    body: str = ""
    ended: bool = False
    failed: str = ""
    worker: Worker | None = None
    rewards: list[float] | None = None
    saved: bytes | None = None
    at: int = 0
    marked: int = 0
    busy: bool = False
    used: float = 0.0

    def rebuild(self) -> Rebuild:
        """How its environment comes to where it is."""
        return Rebuild(self.env, self.env_kwargs, self.saved, self.log[self.at :])

    def outcome(self) -> dict[str, Any]:
        """What has come of the episode, for whoever joins it with a record of who played it.

        Raises:
            Refused: if a request is under way, the environment failed, or what was earned is not known.
        """
        if self.busy:
            raise Refused(CONFLICT, "a request of this session is under way; wait for its answer")
        if self.rewards is None:
            raise Refused(
                CONFLICT, "what the episode earned is not known: it has not begun, or went on from a snapshot; reset it"
            )
        info = json.loads(self.body)["info"]
        if info["failure"]:
            raise Refused(FAILED, f"the environment failed: {info['failure']}; reset it")
        return {
            "env": self.env,
            "task": info["task_id"],
            "split": info["split"],
            "seed": self.log[0][1],
            "rewards": self.rewards,
            "reward": sum(self.rewards),
            "success": info["success"],
            "ended": self.ended,
        }


@dataclass(frozen=True, slots=True)
class Kept:
    """A snapshot that a client names by a handle: a log, and the state that it leads to while this server runs."""

    owner: str
    env: str
    env_kwargs: Mapping[str, Any]
    log: tuple[Event, ...]
    saved: bytes | None


def follow(log: Sequence[Event], event: Event) -> list[Event]:
    """The log of a session after an event.

    Args:
        log: What it was before; for the return to a snapshot, that of the snapshot.
        event: What has happened.
    """
    if event[0] == "reset":
        return [event]
    if event[0] == "restore":
        return [*log, ["restore", event[1]]]
    return [*log, event]
