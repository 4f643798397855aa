"""Our own dialect: objects of JSON, alone or in lists, over HTTP (`POST /v1`) or WebSocket (`/v1/ws`)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from agentgym.core.json_text import read_json
from agentgym.serve.errors import BAD_REQUEST, UNKNOWN, Refused
from agentgym.serve.host import Done
from agentgym.serve.metrics import Metrics
from agentgym.serve.sessions import Sessions

LARGEST_BATCH = 4096
FIELDS: Mapping[str, frozenset[str]] = {  # of each operation but `create`, whose further fields `Sessions` checks
    "reset": frozenset({"op", "session", "turn", "seed", "options"}),
    "step": frozenset({"op", "session", "turn", "action"}),
    "restore": frozenset({"op", "session", "turn", "snapshot", "reseed"}),
    "ask": frozenset({"op", "session", "name"}),
    "snapshot": frozenset({"op", "session"}),
    "forget": frozenset({"op", "snapshot"}),
    "outcome": frozenset({"op", "session"}),
    "close": frozenset({"op", "session"}),
}


class Native:
    """Answers requests of our own dialect.

    A request is `{"op": ..., ...}`; a list of requests of different sessions is played at once and answered by a list.
    An answer is what the operation gives, or `{"error": message, "status": number}`.

    Args:
        sessions: Of the server.
        served: By each name that is understood, the name of what is played.
        metrics: What is counted.
    """

    def __init__(self, sessions: Sessions, served: Mapping[str, str], metrics: Metrics):
        self._sessions, self._served, self._metrics = sessions, served, metrics
        self._slow: Mapping[str, Callable[[str, Mapping[str, Any]], Awaitable[str]]] = {
            "create": self._create,
            "snapshot": self._snapshot,
            "forget": self._forget,
            "outcome": self._outcome,
            "close": self._close,
        }

    async def answer(self, owner: str, text: str | bytes) -> str:
        """The answer to a message, as JSON.

        Args:
            owner: The client.
            text: What it sent.
        """
        try:
            told = read_json(text)
        except ValueError:
            return self._refusal(Refused(BAD_REQUEST, "a message is an object of JSON, or a list of such objects"))
        if not isinstance(told, list):
            return await self._finish(self._begin(owner, told))
        if len(told) > LARGEST_BATCH:
            return self._refusal(Refused(BAD_REQUEST, f"a list has at most {LARGEST_BATCH} requests"))
        begun = [self._begin(owner, request) for request in told]  # each is on its way before one is waited for
        return "[" + ",".join([await self._finish(each) for each in begun]) + "]"

    def _begin(self, owner: str, told: Any) -> Awaitable[Any] | Refused:
        try:
            if not isinstance(told, dict):
                raise Refused(BAD_REQUEST, "a request is an object of JSON")
            work = str(told.get("op"))
            if work in FIELDS and not told.keys() <= FIELDS[work]:
                strange, known = min(told.keys() - FIELDS[work]), ", ".join(sorted(FIELDS[work] - {"op"}))
                raise Refused(BAD_REQUEST, f"{work} has no field {strange[:40]!r}; it takes {known}")
            if work == "step":
                session = self._sessions.find(owner, told.get("session"))
                return self._sessions.step(session, told.get("action"), told.get("turn"))
            if work in self._slow:
                return asyncio.ensure_future(self._slow[work](owner, told))
            return self._quick(owner, work, told)
        except Refused as refused:
            return refused

    def _quick(self, owner: str, work: str, told: Mapping[str, Any]) -> Awaitable[Done]:
        if work not in ("reset", "ask", "restore"):
            known = ", ".join(sorted({*self._slow, "ask", "reset", "restore", "step"}))
            raise Refused(BAD_REQUEST, f"unknown op {work[:40]!r}; expected one of {known}")
        session = self._sessions.find(owner, told.get("session"))
        turn = told.get("turn")
        if work == "reset":
            return self._sessions.reset(session, told.get("seed"), told.get("options"), turn)
        if work == "ask":
            return self._sessions.ask(session, told.get("name"))
        return self._sessions.restore(session, told.get("snapshot"), told.get("reseed"), turn)

    async def _finish(self, begun: Awaitable[Any] | Refused) -> str:
        if isinstance(begun, Refused):
            return self._refusal(begun)
        try:
            done = await begun
        except Refused as refused:
            return self._refusal(refused)
        return f'{{"turn":{done.turn},{done.body[1:]}' if isinstance(done, Done) else str(done)

    def _refusal(self, refused: Refused) -> str:
        self._metrics.count("refused")
        return json.dumps({"error": str(refused), "status": refused.status})

    async def _create(self, owner: str, told: Mapping[str, Any]) -> str:
        env = self._served.get(str(told.get("env")))
        if env is None:
            names = ", ".join(sorted(set(self._served.values())))
            raise Refused(UNKNOWN, f"unknown environment {str(told.get('env'))[:60]!r}; served are: {names}")
        env_kwargs = {name: value for name, value in told.items() if name not in ("op", "env")}
        session, facts = await self._sessions.create(owner, env, env_kwargs)
        return f'{{"session":{json.dumps(session.id)},"facts":{facts}}}'

    async def _snapshot(self, owner: str, told: Mapping[str, Any]) -> str:
        session = self._sessions.find(owner, told.get("session"))
        return json.dumps({"snapshot": await self._sessions.snapshot(session)})

    async def _forget(self, owner: str, told: Mapping[str, Any]) -> str:
        self._sessions.forget(owner, told.get("snapshot"))
        return "{}"

    async def _outcome(self, owner: str, told: Mapping[str, Any]) -> str:
        return json.dumps(self._sessions.outcome(self._sessions.find(owner, told.get("session"))))

    async def _close(self, owner: str, told: Mapping[str, Any]) -> str:
        self._sessions.close(self._sessions.find(owner, told.get("session")))
        return "{}"
