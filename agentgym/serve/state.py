"""What the server knows of a session and of a snapshot."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym.serve.errors import CONFLICT, FAILED, Refused
from agentgym.serve.host import Done, Event, Rebuild
from agentgym.serve.workers import Worker


@dataclass(slots=True)
class Session:
    """An environment of a client.

    Attributes:
        id: Its name, which cannot be guessed.
        owner: The client.
        env: Name of what is played.
        env_kwargs: Constructor arguments that the client chose.
        log: All that happened since the last reset, that included; of an environment that failed, what it failed at.
        turn: Requests that changed it, so that one that is sent again is told apart.
        body: The last answer.
        ended: Whether the episode is over.
        failed: Why it cannot go on; empty while it can.
        rewards: What each action of the episode has earned; None where that is not known, as before the first reset and
            after a return to a snapshot or a new start of the server.
        worker: Where its environment is; None after the process is gone.
        saved, at: A snapshot, and how many events of `log` it covers.
        marked: How many events there were when the last snapshot was asked for.
        move: The request under way; None while there is none.
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
    move: Move | None = None
    used: float = 0.0

    @property
    def busy(self) -> bool:
        """Whether a request is under way."""
        return self.move is not None

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


@dataclass(slots=True)
class Move:
    """A request under way.

    Attributes:
        session: Whose.
        work, given: What is done; see `SessionJob`.
        event: What the log says of it if it succeeds; None for a question.
        waiting: Who waits for its answer: whoever asked, and asked again.
        tried: Processes that have ended while they worked on it.
        moved: Processes that have ended while it waited.
    """

    session: Session
    work: str
    given: tuple[Any, ...]
    event: Event | None
    waiting: list[asyncio.Future[Done]] = field(default_factory=list)
    tried: int = 0
    moved: int = 0

    def wait(self) -> asyncio.Future[Done]:
        """The answer, for one more who waits for it; who ceases to wait takes it from nobody else."""
        future: asyncio.Future[Done] = asyncio.get_running_loop().create_future()
        self.waiting.append(future)
        return future

    def answer(self, done: Done) -> None:
        """Give everybody the answer."""
        for future in self.waiting:
            if not future.done():
                future.set_result(done)

    def refuse(self, refused: Refused) -> None:
        """Tell everybody why there is no answer."""
        for future in self.waiting:
            if not future.done():
                future.set_exception(refused)
                future.exception()  # nobody may be left who reads it


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
        log: What it was before.
        event: What has happened; the return to a snapshot brings the log of the snapshot.
    """
    if event[0] == "reset":
        return [event]
    if event[0] == "restore":
        return [*event[2], ["restore", event[1]]]
    return [*log, event]


def ends_with(log: Sequence[Event], event: Event) -> bool:
    """Whether an event, as a client asks for it, is the last one of a log.

    Args:
        log: Of a session.
        event: What is asked for, which may have been done before.
    """
    if event[0] == "restore":
        return list(log) == follow((), event)
    return bool(log) and list(log[-1][:3]) == list(event[:3])  # behind them stands what nobody asked for
