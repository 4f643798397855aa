"""The sessions of a server: who owns which, what happened in each, and how one goes on after its process is gone."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentgym.serve.errors import BAD_REQUEST, CONFLICT, FAILED, FULL, UNKNOWN, Refused
from agentgym.serve.host import Done, Event, Rebuild, SessionJob
from agentgym.serve.journal import Journal
from agentgym.serve.metrics import Log, Metrics
from agentgym.serve.state import Kept, Move, Session, ends_with, follow
from agentgym.serve.workers import SessionWorkers, Untouched
from agentgym.vector.pool import Broken

MARK = 64  # events after which a snapshot is taken, so that little is played again when a process is gone
TRIES, MOVES = 3, 10  # processes that a request may outlive: those that worked on it, and those where it waited
RENDER_MODES = (None, "ansi", "rgb_array", "html")
GONE = "no such session: it was closed, or was idle for too long; create another"
UNDER_WAY = "a request of this session is under way; wait for its answer"
BLANK: Mapping[str, Any] = {"task_id": "", "split": "", "instruction": "", "progress": 0.0, "metrics": {}, "costs": {}}


@dataclass(frozen=True)
class ClientLimits:
    """What clients may take.

    Attributes:
        sessions: Sessions at once, of all clients.
        engines: Of these, sessions of engines, each of which takes a process.
        per_client: Sessions at once of one client.
        snapshots: Snapshots that one client may keep.
        idle: Seconds after which a session that nobody uses is closed.
        action: Characters of an action.
    """

    sessions: int = 4096
    engines: int = 8
    per_client: int = 4096
    snapshots: int = 4096
    idle: float = 1800.0
    action: int = 65_536


class Sessions:
    """All sessions of a server.

    Args:
        workers: Makes the processes; called with what to tell when one is gone.
        apart: Names of environments that take a process of their own.
        copied: Names of those whose snapshots are cheap.
        limits: What clients may take.
        journal: Where logs are kept beyond the life of this process.
        metrics: What is counted.
        log: Told of environments that fail and of processes that end.
    """

    def __init__(
        self,
        workers: Any,
        apart: frozenset[str],
        copied: frozenset[str],
        limits: ClientLimits,
        journal: Journal,
        metrics: Metrics,
        log: Log,
    ):
        self.limits, self.metrics, self._log = limits, metrics, log
        self.sessions: dict[str, Session] = {}
        self.kept: dict[str, Kept] = {}
        self._apart, self._copied, self._journal = apart, copied, journal
        self.workers: SessionWorkers = workers(self._lost)
        for session, kept in journal.load(time.monotonic()):
            if isinstance(session, Session):
                self.sessions[session.id] = session
            else:
                self.kept[session] = kept

    # What clients ask for.

    async def create(self, owner: str, env: str, env_kwargs: Mapping[str, Any], name: str = "") -> tuple[Session, str]:
        """Open a session.

        Args:
            owner: The client.
            env: Name of the environment.
            env_kwargs: `split`, `max_turns`, `render_mode`.
            name: Of the session, if it may not be any; hard to guess.

        Returns:
            The session, and the facts of its environment as JSON.

        Raises:
            Refused: if there is no room, or the environment cannot be made so.
        """
        self._check_room(owner, env)
        session = Session(name or secrets.token_urlsafe(16), owner, env, _checked(env_kwargs), used=time.monotonic())
        self.sessions[session.id] = session
        self.metrics.count("sessions_opened")
        try:
            done = await self._start(session, "facts", (), None)
        except BaseException:
            self._remove(session)
            raise
        self._journal.opened(session)
        return session, done.body

    def find(self, owner: str, name: Any) -> Session:
        """A session of a client.

        Args:
            owner: The client.
            name: Of the session.

        Raises:
            Refused: if the client has none of this name; nobody learns whether another has.
        """
        session = self.sessions.get(name) if isinstance(name, str) else None
        if session is None or session.owner != owner:
            raise Refused(UNKNOWN, GONE)
        return session

    def holds(self, session: Session) -> bool:
        """Whether a session is still open."""
        return self.sessions.get(session.id) is session

    def reset(
        self, session: Session, seed: int | None, options: Mapping[str, Any] | None, turn: int | None = None
    ) -> asyncio.Future[Done]:
        """Begin an episode.

        Args:
            session: Where.
            seed: Of the environment's generator; None goes on with it.
            options: Reset options, as `LanguageEnv.reset` takes them.
            turn: How many requests have changed the session before, as the client counts. What is asked again under the
                same turn is done once.
        """
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
            raise Refused(BAD_REQUEST, "seed must be a whole number of at least 0, or null")
        if options is not None and not isinstance(options, dict):
            raise Refused(BAD_REQUEST, "options must be an object, or null")
        event = ["reset", seed, options, None]
        return self._again(session, turn, event) or self._start(session, "reset", (seed, options), event)

    def step(self, session: Session, action: Any, turn: int | None = None) -> asyncio.Future[Done]:
        """Play an action.

        Args:
            session: Where.
            action: What is said.
            turn: As in `reset`.
        """
        event = ["step", self.checked_action(action)]
        again = self._again(session, turn, event)
        if again is not None:
            return again
        if session.failed:
            return _ready(session, self._failure(session, session.failed))
        return self._start(session, "step", (action,), event)

    def checked_action(self, action: Any) -> str:
        """What a client says, if it is a text that is not too long.

        Raises:
            Refused: if it is none.
        """
        if not isinstance(action, str) or len(action) > self.limits.action:
            raise Refused(BAD_REQUEST, f"action must be a text of at most {self.limits.action} characters")
        return action

    def ask(self, session: Session, name: Any) -> asyncio.Future[Done]:
        """Ask for what the environment says of itself, such as `admissible_actions`.

        Args:
            session: Where.
            name: What.
        """
        self._require_alive(session)
        return self._start(session, "ask", (str(name),), None)

    async def snapshot(self, session: Session) -> str:
        """Keep where a session is; a handle for it."""
        self._require_alive(session)
        mine = sum(kept.owner == session.owner for kept in self.kept.values())
        if mine >= self.limits.snapshots:
            raise Refused(FULL, f"{mine} snapshots are kept, which is the limit; forget some")
        log = tuple(session.log)
        done = await self._start(session, "save", (), None)
        handle = secrets.token_urlsafe(16)
        self.kept[handle] = Kept(session.owner, session.env, session.env_kwargs, log, done.data)
        self._journal.kept(handle, self.kept[handle])
        return handle

    def restore(
        self, session: Session, handle: Any, reseed: int | None, turn: int | None = None
    ) -> asyncio.Future[Done]:
        """Return to a snapshot, of this session or another one of the same environment.

        Args:
            session: Where.
            handle: Of the snapshot.
            reseed: Seed of a new generator; None goes on with the saved one.
            turn: As in `reset`.
        """
        kept = self._find_kept(session.owner, handle)
        if (kept.env, kept.env_kwargs) != (session.env, session.env_kwargs):
            raise Refused(
                CONFLICT, f"the snapshot is of {kept.env} {dict(kept.env_kwargs)}; restore it in an equal session"
            )
        if reseed is not None and (isinstance(reseed, bool) or not isinstance(reseed, int) or reseed < 0):
            raise Refused(BAD_REQUEST, "reseed must be a whole number of at least 0, or null")
        event = ["restore", reseed, kept.log]
        given = (kept.saved, () if kept.saved is not None else kept.log, reseed)
        return self._again(session, turn, event) or self._start(session, "restore", given, event)

    def forget(self, owner: str, handle: Any) -> None:
        """Forget a snapshot.

        Args:
            owner: The client.
            handle: Of the snapshot.
        """
        self._find_kept(owner, handle)
        del self.kept[handle]
        self._journal.forgot(handle)

    def outcome(self, session: Session) -> dict[str, Any]:
        """What has come of an episode; see `Session.outcome`."""
        self._require_alive(session)
        return session.outcome()

    async def recall(self, session: Session) -> Done:
        """The last answer; after a new start of the server it comes with the environment.

        Args:
            session: Whose.

        Raises:
            Refused: if there is none.
        """
        if not session.body:
            self._require_alive(session)
            await self._start(session, "facts", (), None)
        if not session.body:
            raise Refused(CONFLICT, "the episode has not begun; reset it")
        return Done(session.body, ended=session.ended, turn=session.turn)

    def close(self, session: Session) -> None:
        """Close a session, if it is open; what is under way in it has no answer."""
        if self.holds(session):
            self._journal.closed(session)
            self._remove(session)

    def close_idle(self) -> int:
        """Close the sessions that nobody has used for long; how many."""
        before = time.monotonic() - self.limits.idle
        idle = [each for each in self.sessions.values() if each.used < before and not each.busy]
        for session in idle:
            self.close(session)
        self.metrics.count("sessions_idle", len(idle))
        return len(idle)

    # How it is done.

    def _check_room(self, owner: str, env: str) -> None:
        counts = self.limits
        mine = sum(each.owner == owner for each in self.sessions.values())
        if len(self.sessions) >= counts.sessions or mine >= counts.per_client:
            raise Refused(FULL, f"all {min(counts.sessions, counts.per_client)} sessions are in use; close one")
        engines = sum(each.env in self._apart for each in self.sessions.values())
        if env in self._apart and engines >= counts.engines:
            raise Refused(FULL, f"all {counts.engines} sessions of engines are in use; close one or wait")

    def _find_kept(self, owner: str, handle: Any) -> Kept:
        kept = self.kept.get(handle) if isinstance(handle, str) else None
        if kept is None or kept.owner != owner:
            raise Refused(UNKNOWN, "no such snapshot: it was forgotten; take another")
        return kept

    def _require_alive(self, session: Session) -> None:
        if session.failed:
            raise Refused(FAILED, f"the environment failed: {session.failed}; reset it")

    def _require_held(self, session: Session) -> None:
        if not self.holds(session):
            raise Refused(UNKNOWN, GONE)

    def _again(self, session: Session, turn: Any, event: Event) -> asyncio.Future[Done] | None:
        """The answer to what was asked before, if the client did not get it and asks again; None for a new request."""
        self._require_held(session)
        if turn is not None and (isinstance(turn, bool) or not isinstance(turn, int) or turn < 0):
            raise Refused(BAD_REQUEST, "turn must be a whole number of at least 0, or null")
        if session.move is not None:
            if turn == session.turn and session.move.event == event:
                return session.move.wait()
            raise Refused(CONFLICT, UNDER_WAY)
        if turn is None or turn == session.turn:
            return None
        if turn != session.turn - 1:
            raise Refused(CONFLICT, f"the session is at turn {session.turn}, the request is for turn {turn}")
        if not ends_with(session.log, event):
            raise Refused(CONFLICT, f"the session is at turn {session.turn}; another request was that of turn {turn}")
        return asyncio.ensure_future(self.recall(session))

    def _start(self, session: Session, work: str, given: tuple[Any, ...], event: Event | None) -> asyncio.Future[Done]:
        self._require_held(session)
        if session.busy:
            raise Refused(CONFLICT, UNDER_WAY)
        session.used = time.monotonic()
        session.move = move = Move(session, work, given, event)
        answer = move.wait()
        self._send(move)
        return answer

    def _send(self, move: Move) -> None:
        session, rebuild = move.session, None
        if session.worker is None:
            afresh = session.failed or (move.work == "reset" and move.given[0] is not None)
            rebuild = Rebuild(session.env, session.env_kwargs, None, ()) if afresh else session.rebuild()
            session.worker = self.workers.place(session.id, session.env)
        job = SessionJob(session.id, move.work, move.given, rebuild)
        session.worker.submit(job, lambda done: self._take(move, done, rebuild), alone=move.tried > 0)

    def _take(self, move: Move, done: Done | Broken, rebuild: Rebuild | None) -> None:
        """What became of a request; nothing becomes of one whose session was closed."""
        session = move.session
        if not self.holds(session):
            move.refuse(Refused(UNKNOWN, "the session was closed meanwhile; create another"))
            return
        if isinstance(done, Broken):
            session.worker = None
            if isinstance(done, Untouched):
                move.moved += 1
            else:
                move.tried += 1
            if move.tried < TRIES and move.moved < MOVES:
                self.metrics.count("retries")
                self._send(move)
                return
            done = Done(str(done), "broken")
        elif rebuild is not None and rebuild.events:
            self.metrics.count("sessions_rebuilt")
            if done.last and session.body and done.last != session.body:
                done = Done("it could not be continued after its process was gone: it answers otherwise", "broken")
            if not session.body:
                session.body = done.last
        session.move = None
        if done.kind == "refused":
            if rebuild is not None and not rebuild.events:  # made anew, and not where the session is
                self._leave(session)
            move.refuse(Refused(BAD_REQUEST, done.body))
            return
        if done.kind == "broken":
            self._break(move, done.body)
            return
        if move.event is not None and not (move.work == "step" and session.ended):
            self._note(move, move.event, done)
        self._mark(session)
        move.answer(done._replace(turn=session.turn))

    def _note(self, move: Move, event: Event, done: Done) -> None:
        """The log, the journal and the count of a request that changed a session."""
        session = move.session
        if move.work == "reset":
            event = ["reset", event[1], event[2], done.data]
            session.log, session.saved, session.at, session.failed = [event], None, 0, ""
            session.rewards = []
            self.metrics.count("resets")
        elif move.work == "restore":
            session.log = follow(session.log, event)
            session.saved, session.at, session.failed = move.given[0], len(event[2]) if move.given[0] else 0, ""
            session.rewards = None
        else:
            session.log.append(event)
            if session.rewards is not None:
                session.rewards.append(done.data)
            self.metrics.count("steps")
        session.turn += 1
        session.body, session.ended = done.body, done.ended
        self._journal.changed(session, event)

    def _mark(self, session: Session) -> None:
        """Take a snapshot now and then; the request that follows is done after it."""
        covered, worker = len(session.log), session.worker
        session.marked = min(session.marked, covered)
        if session.env not in self._copied or covered - session.marked < MARK or worker is None:
            return
        session.marked = covered

        def take(done: Done | Broken) -> None:
            if isinstance(done, Done) and done.kind == "ok":
                session.saved, session.at = done.data, covered

        worker.submit(SessionJob(session.id, "save", ()), take)

    def _break(self, move: Move, reason: str) -> None:
        """The environment of a session failed: its episode ends there."""
        session = move.session
        self.metrics.count("failures")
        self._log.note("failed", env=session.env, work=move.work, why=_kind(reason))
        self._leave(session)
        if move.work not in ("reset", "step"):
            session.failed = reason
            move.refuse(Refused(FAILED, f"the environment failed: {reason}; reset it"))
            return
        done = self._failure(session, reason, begun=move.work == "reset")
        session.failed, session.ended, session.body = reason, True, done.body
        session.turn += 1
        session.log, session.saved, session.at = [] if move.event is None else [move.event], None, 0
        self._journal.failed(session)
        move.answer(done._replace(turn=session.turn))

    @staticmethod
    def _failure(session: Session, reason: str, begun: bool = False) -> Done:
        """What a session answers when its environment failed, or has failed before."""
        last = json.loads(session.body).get("info", {}) if session.body else {}
        fresh = {"success": False, "action_valid": True, "error": "", "failure": reason, "events": []}
        zeros = {key: dict.fromkeys(last.get(key, {}), 0.0) for key in ("metrics", "costs")}
        told: dict[str, Any] = {
            "observation": f"The environment failed: {reason}",
            "info": {**BLANK, **last, **fresh, **zeros},
        }
        if not begun:
            told |= {"reward": 0.0, "terminated": False, "truncated": True}
        return Done(json.dumps(told), ended=True)

    def _lost(self, sessions: set[str], reason: str) -> None:
        """A process is gone: its sessions go on in another when they are asked for next."""
        self.metrics.count("workers_lost")
        self._log.note("worker_ended", sessions=len(sessions), why=_kind(reason))
        for name in sessions:
            session = self.sessions.get(name)
            if session is not None:
                session.worker = None

    def _remove(self, session: Session) -> None:
        self.sessions.pop(session.id, None)
        self._leave(session)

    def _leave(self, session: Session) -> None:
        """Close the environment of a session; the next request makes it again."""
        worker, session.worker = session.worker, None
        if worker is not None:
            worker.submit(SessionJob(session.id, "close", ()), lambda done: None)
            self.workers.leave(session.id, worker)


def _kind(reason: str) -> str:
    """A reason without what follows a colon, which may be words of a client."""
    return reason.partition(":")[0]


def _ready(session: Session, done: Done) -> asyncio.Future[Done]:
    session.used = time.monotonic()
    future = asyncio.get_running_loop().create_future()
    future.set_result(done._replace(turn=session.turn))
    return future


def _checked(env_kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The constructor arguments that a client may choose; paths and names of code are not among them."""
    checks = {
        "split": lambda value: isinstance(value, str),
        "max_turns": lambda value: isinstance(value, int) and not isinstance(value, bool),
        "render_mode": lambda value: value in RENDER_MODES,
    }
    given = {name: value for name, value in env_kwargs.items() if value is not None}
    for name, value in given.items():
        if name not in checks or not checks[name](value):
            raise Refused(
                BAD_REQUEST,
                f"{name[:40]!r} cannot be {json.dumps(value)[:60]}; a client chooses split, max_turns and render_mode, "
                "and whoever starts the server the rest",
            )
    return given
