"""OpenEnv's dialect: one session for each WebSocket, with messages `reset`, `step`, `state` and `close`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from agentgym.core.json_text import read_json
from agentgym.serve.errors import BAD_REQUEST, UNKNOWN, Refused
from agentgym.serve.sessions import Sessions
from agentgym.serve.state import Session

CODES: Mapping[int, str] = {400: "INVALID_REQUEST", 429: "CAPACITY_REACHED", 503: "EXECUTION_ERROR"}


class OpenEnv:
    """Answers one connection of an OpenEnv client.

    An action is `{"action": text}`. An observation is `{"text": ..., "info": ...}`. `reset` takes `seed`, `episode_id`,
    `task`, and further reset options of the world.

    Args:
        sessions: Of the server.
        owner: The client.
        env: Name of what is played.
        split: Where tasks are drawn from; None for the world's default.
    """

    def __init__(self, sessions: Sessions, owner: str, env: str, split: str | None):
        self._sessions, self._owner, self._env, self._split = sessions, owner, env, split
        self.session: Session | None = None
        self._state: dict[str, Any] = {"episode_id": None, "step_count": 0}

    async def answer(self, text: str | bytes) -> str | None:
        """The answer to a message; None after `close`."""
        try:
            told = read_json(text)
        except ValueError:
            return _error("INVALID_JSON", "a message is an object of JSON")
        kind = told.get("type") if isinstance(told, dict) else None
        given = told.get("data", {}) if isinstance(told, dict) else {}
        if kind == "close":
            return None
        try:
            if not isinstance(given, dict):
                raise Refused(BAD_REQUEST, "data is an object of JSON")
            if kind == "state":
                return json.dumps({"type": "state", "data": self._state})
            if kind not in ("reset", "step"):
                return _error("UNKNOWN_TYPE", "type is reset, step, state or close")
            return await (self._reset(given) if kind == "reset" else self._step(given))
        except Refused as refused:
            return _error(CODES.get(refused.status, "INVALID_REQUEST"), str(refused))

    async def open(self) -> Session:
        """The session of the connection; another one where it was closed for want of use."""
        if self.session is None or not self._sessions.holds(self.session):
            self.session, _ = await self._sessions.create(self._owner, self._env, {"split": self._split})
        return self.session

    async def _reset(self, given: Mapping[str, Any]) -> str:
        options = {name: value for name, value in given.items() if name not in ("seed", "episode_id")}
        episode = given.get("episode_id")
        if episode is not None and not isinstance(episode, str):
            raise Refused(BAD_REQUEST, "episode_id must be a text, or null")
        done = await self._sessions.reset(await self.open(), given.get("seed"), options or None)
        told = json.loads(done.body)
        info = told["info"]
        named = {"task_id": info["task_id"], "split": info["split"]}
        self._state = {"episode_id": episode or info["task_id"], "step_count": 0, **named}
        return _observed(told["observation"], info, None, done.ended)

    async def _step(self, given: Mapping[str, Any]) -> str:
        done = await self._sessions.step(self.session or await self.open(), given.get("action"))
        self._state["step_count"] += 1
        told = json.loads(done.body)
        return _observed(told["observation"], told["info"], told["reward"], done.ended)


def openenv_routes(server: Any, guarded: Any) -> list[BaseRoute]:
    """The routes of OpenEnv's clients: `/openenv/ID`, or `/openenv/ID/SPLIT`, is the address that they are given.

    Args:
        server: Whose sessions they open.
        guarded: Makes a handler that only clients with a token reach.
    """

    def named(params: Mapping[str, Any]) -> str:
        env = server.served.get(params["env"])
        if env is None:
            raise Refused(UNKNOWN, f"unknown environment {params['env'][:60]!r}")
        split, splits = params.get("split"), server.cards[env].splits
        if split is not None and split not in splits:
            raise Refused(UNKNOWN, f"{env} has no split {split[:60]!r}; it has {', '.join(splits)}")
        return str(env)

    async def talk(socket: WebSocket) -> None:
        try:
            owner, env = server.owner(socket.headers), named(socket.path_params)
        except Refused as refused:
            await server.deny(socket, refused)
            return
        conversation = OpenEnv(server.sessions, owner, env, socket.path_params.get("split"))
        try:
            await server.converse(socket, conversation.answer)
        finally:
            if conversation.session is not None:
                server.sessions.close(conversation.session)

    async def schema(request: Request, owner: str) -> Response:
        """The JSON Schemas of the world of the `request`, which are those of every other, for any `owner`."""
        named(request.path_params)
        text = {"type": "string"}
        shapes = {
            "action": {"type": "object", "properties": {"action": text}, "required": ["action"]},
            "observation": {"type": "object", "properties": {"text": text, "info": {"type": "object"}}},
            "state": {"type": "object", "properties": {"episode_id": text, "step_count": {"type": "integer"}}},
        }
        return Response(json.dumps(shapes), media_type="application/json")

    async def metadata(request: Request, owner: str) -> Response:
        """Name, description and version of the world of the `request`, for any `owner`."""
        shown = server.cards[named(request.path_params)]
        told = {"name": shown.id, "description": shown.description, "version": shown.name.rpartition("-")[2]}
        return Response(json.dumps(told), media_type="application/json")

    async def health(request: Request, owner: str) -> Response:
        """Whether the world of the `request` is served, for any `owner`."""
        named(request.path_params)
        return Response('{"status":"healthy"}', media_type="application/json")

    routes: list[BaseRoute] = []
    for base in ("/openenv/{env}", "/openenv/{env}/{split}"):
        routes.append(WebSocketRoute(f"{base}/ws", talk))
        for name, handle in (("schema", schema), ("metadata", metadata), ("health", health)):
            routes.append(Route(f"{base}/{name}", guarded(server, handle)))
    return routes


def _observed(text: str, info: Mapping[str, Any], reward: float | None, done: bool) -> str:
    data = {"observation": {"text": text, "info": info}, "reward": reward, "done": done}
    return json.dumps({"type": "observation", "data": data})


def _error(code: str, message: str) -> str:
    return json.dumps({"type": "error", "data": {"message": message, "code": code}})
