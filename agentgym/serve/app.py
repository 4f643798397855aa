"""The server as an ASGI application: who asks, how much, and which dialect answers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from agentgym.core import ConfigError, EnvCard, card, find_card, full_id
from agentgym.serve.access import Access
from agentgym.serve.agentenv import WORLDS, agentenv_routes, variant
from agentgym.serve.errors import BAD_REQUEST, FAULT, TOO_LARGE, Refused
from agentgym.serve.host import make_factory
from agentgym.serve.journal import Journal
from agentgym.serve.metrics import Log, Metrics
from agentgym.serve.native import Native
from agentgym.serve.openenv import openenv_routes
from agentgym.serve.sessions import ClientLimits, Sessions
from agentgym.serve.tools import mcp_routes
from agentgym.serve.workers import SessionWorkers

SWEEP = 5.0  # seconds between two looks for idle sessions
JSON = "application/json"


@dataclass(frozen=True)
class ServerSettings:
    """How a server is set up.

    Attributes:
        ids: What is served, with or without the namespace.
        env_kwargs: Constructor arguments of the environments; all get the same.
        tokens: One for each client; empty for one client on this machine.
        processes: Worker processes that light environments share.
        limits: What clients may take.
        body: Bytes of a message.
        patience: Seconds for a client to say what it wants, to send a body, or to read an answer.
        step_timeout: Seconds for a worker to answer.
        state: Folder that keeps the sessions beyond the life of the server; None keeps none.
    """

    ids: Sequence[str]
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    tokens: Sequence[str] = ()
    processes: int = 0
    limits: ClientLimits = field(default_factory=ClientLimits)
    body: int = 4 * 2**20
    patience: float = 30.0
    step_timeout: float = 60.0
    state: Path | None = None


class Server:
    """What the routes share.

    Args:
        settings: How it is set up.
        log: Where its lines go.

    Raises:
        UnknownName: if an id is not known.
        ConfigError: if an id is a game of several players.
    """

    def __init__(self, settings: ServerSettings, log: Log):
        self.settings, self.log = settings, log
        self.access, self.metrics = Access(settings.tokens), Metrics()
        self.cards: dict[str, EnvCard] = {}
        self.ids: dict[str, str] = {}
        for name in settings.ids:
            shown = find_card(name) or _card_of_made(name, settings.env_kwargs)
            if shown.api != "gymnasium":
                raise ConfigError(
                    f"{shown.id} is a game of several players, and a session has one: serve one player of it, with "
                    f"scripted opponents, as  agentgym.wrappers.selfplay:AgentGym/SelfPlay-v0 --env game={shown.name}"
                )
            self.cards[shown.name] = shown
            self.ids[shown.name] = full_id(name)
        self.served = {alias: name for name, shown in self.cards.items() for alias in (name, shown.id)}
        self.sessions: Sessions

    async def start(self) -> None:
        """Start the processes, and take up the sessions that the journal has kept."""
        settings = self.settings
        apart = frozenset(name for name, shown in self.cards.items() if shown.snapshot != "copy")
        factories = {name: make_factory(env_id, settings.env_kwargs) for name, env_id in self.ids.items()}
        for world, original in WORLDS.items():
            if original.env_kwargs and original.ids[0] in self.cards:
                env_kwargs = {**settings.env_kwargs, **original.env_kwargs}
                factories[variant(world)] = make_factory(self.ids[original.ids[0]], env_kwargs)
        workers = partial(
            SessionWorkers, factories, apart, settings.processes or os.cpu_count() or 1, settings.step_timeout
        )
        copied = frozenset(factories) - apart
        journal = Journal(settings.state)
        self.sessions = Sessions(workers, apart, copied, settings.limits, journal, self.metrics, self.log)
        self.journal = journal
        self.sessions.workers.start()
        self.metrics.watch("sessions", lambda: len(self.sessions.sessions))
        self.metrics.watch("snapshots", lambda: len(self.sessions.kept))
        self.metrics.watch("workers", lambda: len(self.sessions.workers.all))
        self.metrics.watch("connections", lambda: self.metrics.connections)
        self._sweeping = asyncio.get_running_loop().create_task(self._sweep())

    async def stop(self) -> None:
        """End the processes."""
        self._sweeping.cancel()
        self.sessions.workers.close()
        self.journal.close()

    async def body(self, request: Request) -> bytes:
        """The body of a request.

        Raises:
            Refused: if it is too long, or does not come.
        """
        return await read_body(request, self.settings.body, self.settings.patience)

    def owner(self, headers: Mapping[str, str]) -> str:
        """The client that sends a request; see `Access.owner`."""
        try:
            return self.access.owner(headers)
        except Refused:
            self.metrics.count("denied")
            raise

    async def deny(self, socket: WebSocket, refused: Refused) -> None:
        """Answer a WebSocket that is not accepted, as a request of HTTP is answered.

        Args:
            socket: Not accepted.
            refused: Why.
        """
        self.metrics.count("refused")
        await socket.send_denial_response(refusal(refused))

    async def converse(self, socket: WebSocket, answer: Callable[[str | bytes], Any]) -> None:
        """Answer the messages of a WebSocket one after the other, until its client leaves or stops reading.

        Args:
            socket: Accepted here.
            answer: Gives the answer to a message, of text or of bytes; None ends the conversation.
        """
        await socket.accept()
        self.metrics.connections += 1
        try:
            while True:
                message = await socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                told = await answer(message["bytes"] if message.get("text") is None else message["text"])
                if told is None:
                    await socket.close()
                    return
                async with asyncio.timeout(self.settings.patience):
                    await socket.send_text(told)
        except TimeoutError:
            self.metrics.count("dropped")
            self.log.note("dropped", why="the client does not read")
        except WebSocketDisconnect:
            pass
        finally:
            self.metrics.connections -= 1

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP)
            closed = self.sessions.close_idle()
            if closed:
                self.log.note("idle", closed=closed)


def _card_of_made(name: str, env_kwargs: Mapping[str, Any]) -> EnvCard:
    """The card of an id that has one only once it is made, such as that of one player of a game."""
    bare = full_id(name).rpartition(":")[2]
    if bare not in gym.registry:
        return card(name)  # which says what is known
    env = gym.make(bare, disable_env_checker=True, **env_kwargs)
    shown: EnvCard = env.unwrapped.card  # type: ignore[attr-defined]
    env.close()
    return replace(shown, id=bare, api="gymnasium", players=1, opponents=(), rival="")


async def read_body(request: Request, most: int, patience: float) -> bytes:
    """The body of a request.

    Args:
        request: Whose.
        most: Bytes that it may have.
        patience: Seconds in which it has to come.

    Raises:
        Refused: if it is too long, or does not come.
    """
    parts, size = [], 0
    try:
        async with asyncio.timeout(patience):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise Refused(TOO_LARGE, f"a message has at most {most} bytes")
                parts.append(part)
    except TimeoutError:
        raise Refused(BAD_REQUEST, f"the body did not come within {patience:g} seconds") from None
    return b"".join(parts)


def refusal(refused: Refused) -> Response:
    """A refusal as a response of HTTP."""
    text = json.dumps({"error": str(refused), "status": refused.status})
    return Response(text, refused.status, refused.headers, JSON)


def failures(tell: Callable[[Refused], Response] = refusal) -> dict[Any, Callable[[Request, Any], Any]]:
    """What answers a request that no route takes, and one at which the server itself has failed.

    Args:
        tell: Makes a response of a refusal.
    """

    async def unrouted(request: Request, error: HTTPException) -> Response:
        told = tell(Refused(error.status_code, f"{error.detail}: {request.method} {request.url.path[:200]!r}"))
        told.headers.update(error.headers or {})
        return told

    async def fault(request: Request, error: Exception) -> Response:
        return tell(Refused(FAULT, "the server has failed at this request; its standard error says how"))

    return {HTTPException: unrouted, Exception: fault}


def guarded(
    server: Any, handle: Callable[[Request, str], Any], tell: Callable[[Refused], Response] = refusal
) -> Callable[[Request], Any]:
    """A handler that is reached by clients with a valid token only, and whose refusals are responses.

    Args:
        server: Whose; it has `owner` and `metrics`.
        handle: Called with the request and the client.
        tell: Makes a response of a refusal.
    """

    async def respond(request: Request) -> Response:
        try:
            response: Response = await handle(request, server.owner(request.headers))
            return response
        except Refused as refused:
            server.metrics.count("refused")
            return tell(refused)

    return respond


def native_routes(server: Server) -> list[BaseRoute]:
    """The routes of our own dialect, of `/health` and of `/metrics`."""

    def native() -> Native:
        return Native(server.sessions, server.served, server.metrics)

    async def post(request: Request, owner: str) -> Response:
        """Answer the message in the body of the `request`, in the sessions of `owner`."""
        return Response(await native().answer(owner, await server.body(request)), media_type=JSON)

    async def envs(request: Request, owner: str) -> Response:
        """What is served: the same for every `request`, whoever its `owner`."""
        shown = [
            {"id": each.id, "description": each.description, "splits": dict(each.splits), "max_turns": each.max_turns}
            for each in server.cards.values()
        ]
        return Response(json.dumps(shown), media_type=JSON)

    async def metrics(request: Request, owner: str) -> Response:
        """Counters of the whole server, as Prometheus reads them; whose `request` it is (`owner`) does not matter."""
        return PlainTextResponse(server.metrics.text())

    async def health(request: Request) -> Response:
        return Response('{"status":"healthy"}', media_type=JSON)

    async def talk(socket: WebSocket) -> None:
        try:
            owner = server.owner(socket.headers)
        except Refused as refused:
            await server.deny(socket, refused)
            return
        await server.converse(socket, partial(native().answer, owner))

    return [
        Route("/v1", guarded(server, post), methods=["POST"]),
        Route("/v1/envs", guarded(server, envs)),
        Route("/metrics", guarded(server, metrics)),
        Route("/health", health),
        WebSocketRoute("/v1/ws", talk),
    ]


def make_app(settings: ServerSettings, log: Log | None = None) -> Starlette:
    """The application.

    Args:
        settings: How it is set up.
        log: Where its lines go; standard error by default.
    """
    server = Server(settings, log or Log())

    @contextlib.asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        await server.start()
        yield
        await server.stop()

    routes = [
        *native_routes(server),
        *agentenv_routes(server, guarded),
        *openenv_routes(server, guarded),
        *mcp_routes(server, guarded),
    ]
    return Starlette(routes=routes, lifespan=life, exception_handlers=failures())
