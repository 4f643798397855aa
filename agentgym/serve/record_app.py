"""The recording endpoint as an ASGI application: `/sessions/NAME/v1` is what a client is told as its base URL."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from agentgym.agents.chat_messages import MessageFormat
from agentgym.core.json_text import read_json
from agentgym.core.kinds import misfit
from agentgym.core.rng import stream
from agentgym.rollout.record_folder import RecordFolder
from agentgym.rollout.recordings import OUTCOMES, TURNS, session_names
from agentgym.serve.access import Access
from agentgym.serve.app import JSON, failures, guarded, read_body
from agentgym.serve.client import Connection, ServerError
from agentgym.serve.completions import Choice, Question, read_question, write_choice, write_parts
from agentgym.serve.errors import BAD_REQUEST, FAILED, UNKNOWN, Refused
from agentgym.serve.metrics import Metrics
from agentgym.serve.recording import Asked, Recorded, Recorder
from agentgym.serve.speaking import Speaker
from agentgym.serve.streaming import AnswerStream
from agentgym.serve.upstream import Upstream

if TYPE_CHECKING:
    from agentgym.agents.engine import HuggingFaceEngine

NAME = re.compile(r"[A-Za-z0-9._-]{1,128}")
EVENTS = "text/event-stream"
OUTCOME = {"task": str, "split": str, "env": str, "success": bool, "choice": int, "world": str}


@dataclass(frozen=True)
class RecordSettings:
    """How a recording endpoint is set up.

    Attributes:
        out: Folder of the records.
        model: The name of the model, which the records say.
        tokens: One for each client; empty for one client on this machine.
        world: Address of the server that plays the worlds, as `agentgym serve` tells it; "" for none.
        world_token: Of this endpoint at that server.
        sessions, answers: Sessions at once, and answers of one.
        body: Bytes of a request.
        patience: Seconds for a client to send one.
    """

    out: Path
    model: str
    tokens: Sequence[str] = ()
    world: str = ""
    world_token: str = ""
    sessions: int = 1024
    answers: int = 1024
    body: int = 4 * 2**20
    patience: float = 30.0


class RecordingFolder(RecordFolder):
    """What a recording endpoint writes down."""

    own: ClassVar[tuple[str, ...]] = (TURNS, OUTCOMES)


class RecordServer:
    """What the routes share.

    Args:
        settings: How it is set up.
        engine: The model. Between requests its weights may be changed; then its `version` is as well. Or an
            upstream that answers in its place, and whose answers are passed on.

    Raises:
        ConfigError: if another process writes to the folder, or it holds records of another model.
    """

    def __init__(self, settings: RecordSettings, engine: HuggingFaceEngine | Upstream):
        self.settings, self.access, self.metrics = settings, Access(settings.tokens), Metrics()
        self.upstream = engine if isinstance(engine, Upstream) else None
        about = {"model": settings.model} | ({"upstream": self.upstream.url} if self.upstream else {})
        self.folder = RecordingFolder(settings.out, about, name="record.json")
        taken, most = session_names(settings.out), (settings.sessions, settings.answers)
        self._speaking: set[asyncio.Task[None]] = set()  # answers that are sent while they are made
        self._known: list[str] = []  # what the upstream has said of its weights, in order
        if isinstance(engine, Upstream):
            self.recorder = Recorder(self.folder, None, taken, most)
            return
        chat = MessageFormat(engine.tokenizer, sorted(engine.chat.ends))
        self.recorder = Recorder(self.folder, chat, taken, most)
        self.speaker = Speaker(engine)

    def owner(self, headers: Mapping[str, str]) -> str:
        """The client that sends a request; see `Access.owner`."""
        return self.access.owner(headers)

    def close(self) -> None:
        """End the thread, and let other processes write."""
        if self.upstream is None:
            self.speaker.close()
        self.folder.close()

    async def complete(self, request: Request, owner: str) -> Response:
        """Answer `POST /sessions/NAME/v1/chat/completions`.

        Args:
            request: Of HTTP.
            owner: The client.
        """
        body = await read_body(request, self.settings.body, self.settings.patience)
        question = read_question(body)
        session = self.recorder.session(owner, _name(request))
        if self.upstream is None and question.stream:
            return await self._stream(session, question)
        async with session.turn:
            _require_open(session)
            return await (
                self._answer(session, question) if self.upstream is None else self._relay(session, question, body)
            )

    async def _answer(self, session: Recorded, question: Question) -> Response:
        asked, limit = self._encode(session, question)
        said, sampler = await self.speaker.answer(
            asked.prompt, self._generators(session, question), question.temperature, limit
        )
        choices = self.recorder.take(session, question, asked, said, sampler)
        name = f"chatcmpl-{session.name}-{session.requests - 1}"
        used = len(asked.prompt), sum(len(each.token_ids) for each in said)
        return self._response(question, choices, name, used, asked.prompt, sampler[1])

    async def _stream(self, session: Recorded, question: Question) -> Response:
        """An answer that is sent while it is made; it is made and recorded, also if its client leaves meanwhile."""
        await session.turn.acquire()
        try:
            _require_open(session)
            asked, limit = self._encode(session, question)
        except BaseException:
            session.turn.release()
            raise
        head = {
            "id": f"chatcmpl-{session.name}-{session.requests}",
            "created": int(time.time()),
            "model": self.settings.model,
        }
        beside = {"prompt_token_ids": list(asked.prompt)} if question.token_ids else {}
        speaker = self.speaker
        told = AnswerStream(question, head, beside, speaker.engine.text, lambda: speaker.weights)
        speaking = asyncio.get_running_loop().create_task(self._speak(session, question, asked, limit, told))
        self._speaking.add(speaking)
        speaking.add_done_callback(self._speaking.discard)
        await told.wait()
        return StreamingResponse(told.events(), media_type=EVENTS, headers={"Cache-Control": "no-cache"})

    async def _speak(self, session: Recorded, question: Question, asked: Asked, limit: int, told: AnswerStream) -> None:
        """Make an answer, record it, and only then tell its end."""
        try:
            said, sampler = await self.speaker.answer(
                asked.prompt, self._generators(session, question), question.temperature, limit, told.hear
            )
            choices = self.recorder.take(session, question, asked, said, sampler)
            told.end(choices, _usage(len(asked.prompt), sum(len(each.token_ids) for each in said)), sampler[1])
        except Refused as refused:
            told.fail(refused)
        except BaseException:
            told.fail(Refused(FAILED, "the answer could not be recorded; the log of the endpoint says why"))
            raise
        finally:
            session.turn.release()

    def _encode(self, session: Recorded, question: Question) -> tuple[Asked, int]:
        """A question in tokens, and how many its answer may have."""
        asked = self.recorder.encode(session, question)
        limit = self.speaker.limit(question.max_tokens, len(asked.prompt))
        if limit < 1:
            most = self.speaker.engine.context_limit
            raise Refused(BAD_REQUEST, f"context_length_exceeded: {len(asked.prompt)} tokens of at most {most}")
        return asked, limit

    async def _relay(self, session: Recorded, question: Question, body: bytes) -> Response:
        assert self.upstream is not None
        self.recorder.check_room(session, question)
        reply = await self.upstream.answer(question, body)
        if reply.weights not in self._known:
            self._known.append(reply.weights)
        choices = self.recorder.take_told(session, question, reply, self._known.index(reply.weights))
        name = f"chatcmpl-{session.name}-{session.requests - 1}"
        return self._response(question, choices, name, (reply.read, reply.written), reply.prompt, reply.weights)

    def _response(
        self,
        question: Question,
        choices: Sequence[Choice],
        name: str,
        used: tuple[int, int],
        prompt: Sequence[int] | None,
        weights: str,
    ) -> Response:
        read, written = used
        usage = _usage(read, written)
        told = [write_choice(number, choice, name) for number, choice in enumerate(choices)]
        head = {"id": name, "created": int(time.time()), "model": self.settings.model, "system_fingerprint": weights}
        beside = {"prompt_token_ids": list(prompt)} if question.token_ids and prompt is not None else {}
        if question.stream:
            parts = write_parts(head, told, usage if question.usage else None, beside)
            return Response(parts, media_type=EVENTS)
        whole = {**head, "object": "chat.completion", "choices": told, "usage": usage, **beside}
        return Response(json.dumps(whole), media_type=JSON)

    @staticmethod
    def _generators(session: Recorded, question: Question) -> list[Any]:
        if question.seed is not None:
            return [stream("serve.record.seed", question.seed, number) for number in range(question.n)]
        place = len(session.answers)
        return [stream("serve.record", session.name, place + number) for number in range(question.n)]

    async def models(self, request: Request, owner: str) -> Response:
        """Answer `GET /sessions/NAME/v1/models`.

        Args:
            request: Of HTTP.
            owner: The client.
        """
        model = {"id": self.settings.model, "object": "model", "created": 0, "owned_by": "agentgym"}
        return Response(json.dumps({"object": "list", "data": [model]}), media_type=JSON)

    async def outcome(self, request: Request, owner: str) -> Response:
        """Answer `POST /sessions/NAME/outcome`, which ends a session.

        Args:
            request: Of HTTP.
            owner: The client.
        """
        try:
            told = read_json(await read_body(request, self.settings.body, self.settings.patience))
        except ValueError:
            told = None
        if not isinstance(told, dict):
            raise Refused(BAD_REQUEST, 'an outcome is an object of JSON, such as {"task": "3", "reward": 1.0}')
        session = self.recorder.sessions.get(_name(request))
        if session is None or session.owner != owner:
            raise Refused(UNKNOWN, "no such session, or it has ended")
        checked = check_outcome(told)
        if "world" in checked:
            checked |= await run_in_threadpool(self._ask_world, checked["world"])
        if "task" not in checked or "reward" not in checked:
            raise Refused(BAD_REQUEST, "an outcome tells task and reward, or the session of a world")
        async with session.turn:
            _require_open(session)
            self.recorder.end(session, checked)
        return Response(json.dumps(checked), media_type=JSON)

    def _ask_world(self, name: str) -> dict[str, Any]:
        """What the server of worlds says of a session."""
        if not self.settings.world:
            raise Refused(BAD_REQUEST, "the endpoint knows no server of worlds; start it with --world URL")
        connection = Connection(self.settings.world, self.settings.world_token or None)
        try:
            (found,) = connection.ask([{"op": "outcome", "session": name}])
        except ServerError as error:
            raise Refused(BAD_REQUEST if error.status else FAILED, f"the server of worlds: {error}") from None
        finally:
            connection.close()
        if misfit(found["seed"], int | None):
            raise Refused(BAD_REQUEST, "the episode's seed is too large for a record; reset with one below 2**63")
        return {each: found[each] for each in ("env", "task", "split", "seed", "rewards", "reward", "success", "ended")}


def _require_open(session: Recorded) -> None:
    if session.ended:
        raise Refused(UNKNOWN, "the session has ended meanwhile")


def _usage(read: int, written: int) -> dict[str, int]:
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def check_outcome(told: Mapping[str, Any]) -> dict[str, Any]:
    """What a client says of the end of a session.

    Raises:
        Refused: if it is no outcome.
    """
    found: dict[str, Any] = {}
    for name, value in told.items():
        if name == "reward":
            if misfit(value, float):
                raise Refused(BAD_REQUEST, "reward must be a number, and none that is too large to be added")
            found[name] = float(value)
        elif name not in OUTCOME or misfit(value, OUTCOME[name]):
            known = ", ".join(f"{each} ({kind.__name__})" for each, kind in OUTCOME.items())
            raise Refused(BAD_REQUEST, f"{name[:40]!r} is not possible; an outcome tells reward (number), {known}")
        else:
            found[name] = value
    if "world" in found and found.keys() & {"reward", "success", "task", "split", "env"}:
        raise Refused(BAD_REQUEST, "the world tells reward, success and task; leave them out, or leave out world")
    return found


def _tell(refused: Refused) -> Response:
    """A refusal in the words of OpenAI's API."""
    text = str(refused)
    code = "context_length_exceeded" if text.startswith("context_length_exceeded") else None
    error = {"message": text, "type": "invalid_request_error", "param": None, "code": code}
    return Response(json.dumps({"error": error}), refused.status, media_type=JSON)


def _name(request: Request) -> str:
    name: str = request.path_params["session"]
    if NAME.fullmatch(name) is None:
        raise Refused(BAD_REQUEST, "a session's name has 1 to 128 letters, digits, dots, dashes and underscores")
    return name


def make_record_app(server: RecordServer) -> Starlette:
    """The application of a recording endpoint."""

    async def health(request: Request) -> Response:
        return Response('{"status":"healthy"}', media_type=JSON)

    @contextlib.asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        yield
        if server.upstream is not None:
            await server.upstream.close()
        server.close()

    base = "/sessions/{session}"
    return Starlette(
        routes=[
            Route(f"{base}/v1/chat/completions", guarded(server, server.complete, _tell), methods=["POST"]),
            Route(f"{base}/v1/models", guarded(server, server.models, _tell)),
            Route(f"{base}/outcome", guarded(server, server.outcome, _tell), methods=["POST"]),
            Route("/health", health),
        ],
        lifespan=life,
        exception_handlers=failures(_tell),
    )
