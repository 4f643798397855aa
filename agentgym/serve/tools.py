"""The Model Context Protocol: a world as tools, over streamable HTTP (revision 2025-06-18) with answers in JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from agentgym.core.json_text import read_json
from agentgym.serve.errors import BAD_REQUEST, UNKNOWN, Refused
from agentgym.serve.sessions import Sessions
from agentgym.serve.state import Session

REVISIONS = ("2025-11-25", "2025-06-18", "2025-03-26")  # of the protocol; what is used of it is the same in all
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, REFUSED = -32700, -32600, -32601, -32602, -32000  # JSON-RPC
RESET: Mapping[str, Any] = {
    "name": "reset",
    "description": "Begin a task. The answer tells what it is and which actions there are.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "seed": {"type": "integer", "minimum": 0, "description": "Seed of the generator."},
            "task": {"type": ["string", "integer"], "description": "Id of a task, or its place in the split."},
        },
        "additionalProperties": False,
    },
}
STEP: Mapping[str, Any] = {
    "name": "step",
    "description": "Say an action, in the words that the task names. The answer is what happens.",
    "inputSchema": {
        "type": "object",
        "properties": {"action": {"type": "string"}},
        "required": ["action"],
        "additionalProperties": False,
    },
}


class RpcError(Exception):
    """A request that JSON-RPC has a number for.

    Args:
        code: The number.
        message: What was wrong.
        request: Id of the request; None where none could be read.
    """

    def __init__(self, code: int, message: str, request: Any = None):
        super().__init__(message)
        self.code, self.request = code, request


class Tools:
    """Answers MCP clients.

    Args:
        sessions: Of the server.
    """

    def __init__(self, sessions: Sessions):
        self._sessions = sessions

    async def call(self, session: Session, method: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a request.

        Args:
            session: Whose world is played.
            method: What is asked.
            given: Parameters.

        Raises:
            RpcError: if there is no such method or tool.
            Refused: if the world cannot be asked.
        """
        if method == "ping":
            return {}
        if method == "tools/call":
            try:
                return await self._call_tool(session, given)
            except Refused as refused:
                return _result(str(refused), {}, wrong=True)
        if method == "tools/list":
            own = await self._own(session)
            shown = [
                {"name": each["name"], "description": each["description"], "inputSchema": each["parameters"]}
                for each in own.values()
            ]
            return {"tools": [RESET, STEP, *shown]}
        raise RpcError(NO_METHOD, f"there is no method {method[:60]!r} here")

    async def _call_tool(self, session: Session, given: Mapping[str, Any]) -> dict[str, Any]:
        name, arguments = given.get("name"), given.get("arguments")
        arguments = {} if arguments is None else arguments
        if not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, "arguments are an object")
        for tool in (RESET, STEP):  # these are asked of no environment, which may have failed and have to be reset
            known = tool["inputSchema"]["properties"]
            if name == tool["name"] and not arguments.keys() <= known.keys():
                raise RpcError(INVALID_PARAMS, f"{name} takes {' and '.join(known)}, nothing else")
        if name == "reset":
            return await self._reset(session, arguments)
        if name == "step":
            return await self._step(session, arguments.get("action"))
        if not isinstance(name, str) or name not in await self._own(session):
            raise RpcError(INVALID_PARAMS, f"there is no tool {str(name)[:60]!r} here")
        return await self._step(session, json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False))

    async def _own(self, session: Session) -> dict[str, dict[str, Any]]:
        """The tools of the world itself, by name."""
        listed = json.loads((await self._sessions.ask(session, "tools")).body)["answer"]
        taken = (RESET["name"], STEP["name"])
        return {each["function"]["name"]: each["function"] for each in listed if each["function"]["name"] not in taken}

    async def _reset(self, session: Session, arguments: Mapping[str, Any]) -> dict[str, Any]:
        task = arguments.get("task")
        options = None if task is None else {"task": task}
        done = await self._sessions.reset(session, arguments.get("seed"), options)
        told = json.loads(done.body)
        return _result(told["observation"], {"info": told["info"]}, wrong=bool(told["info"]["failure"]))

    async def _step(self, session: Session, action: Any) -> dict[str, Any]:
        done = await self._sessions.step(session, action)
        told = json.loads(done.body)
        wrong = not told["info"]["action_valid"] or bool(told["info"]["failure"])
        return _result(told.pop("observation"), told, wrong=wrong)


def mcp_routes(server: Any, guarded: Any) -> list[BaseRoute]:
    """The routes of MCP clients: `/mcp/ID`, or `/mcp/ID/SPLIT`.

    Args:
        server: Whose sessions they open.
        guarded: Makes a handler that only clients with a token reach.
    """

    async def post(request: Request, owner: str) -> Response:
        """Answer the JSON-RPC message in the body of the `request`; its headers name a session of `owner`."""
        try:
            number, method, given = _read_request(await server.body(request))
        except RpcError as error:
            return _rpc_error(error.request, error.code, str(error), BAD_REQUEST)
        if number is None:
            return Response(status_code=202)  # a notification
        if method == "initialize":
            return await begin(request, owner, number, given)
        if method == "server/discover":
            return _rpc_error(number, NO_METHOD, "sessions here begin with initialize", 200)
        session = found(request, owner)
        try:
            result = await Tools(server.sessions).call(session, method, given)
        except RpcError as error:
            return _rpc_error(number, error.code, str(error), 200)
        return _rpc(number, result)

    def named(request: Request) -> str:
        """The environment in the path of the `request`."""
        env = server.served.get(request.path_params["env"])
        if env is None:
            raise Refused(UNKNOWN, f"unknown environment {request.path_params['env'][:60]!r}")
        return str(env)

    def found(request: Request, owner: str) -> Session:
        """The session of `owner` that the `request` names, at the address that it was opened at."""
        session: Session = server.sessions.find(owner, request.headers.get("mcp-session-id"))
        if session.env != named(request):
            raise Refused(UNKNOWN, f"no such session at this address: it is one of {session.env}")
        return session

    async def begin(request: Request, owner: str, number: Any, given: Mapping[str, Any]) -> Response:
        """Open a session and say in which revision of the protocol.

        Args:
            request: Its path names world and split.
            owner: Who gets the session.
            number: Id of the JSON-RPC message.
            given: Its parameters, with the revision that the client wants.
        """
        env = named(request)
        session, facts = await server.sessions.create(owner, env, {"split": request.path_params.get("split")})
        wanted = given.get("protocolVersion")
        result = {
            "protocolVersion": wanted if wanted in REVISIONS else REVISIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": server.cards[env].id, "version": server.cards[env].name.rpartition("-")[2]},
            "instructions": json.loads(facts)["manual"],
        }
        return _rpc(number, result, {"Mcp-Session-Id": session.id})

    async def end(request: Request, owner: str) -> Response:
        server.sessions.close(found(request, owner))
        return Response(status_code=204)

    routes: list[BaseRoute] = []
    for base in ("/mcp/{env}", "/mcp/{env}/{split}"):
        routes.append(Route(base, guarded(server, post, _refused), methods=["POST"]))
        routes.append(Route(base, guarded(server, end, _refused), methods=["DELETE"]))
    return routes


def _read_request(body: bytes) -> tuple[Any, str, dict[str, Any]]:
    """Id, method and parameters of a request; the id of a notification is None."""
    try:
        told = read_json(body)
    except ValueError:
        raise RpcError(PARSE_ERROR, "the body is no JSON") from None
    if not isinstance(told, dict) or not isinstance(told.get("method"), str):
        raise RpcError(INVALID_REQUEST, "the body is one request of JSON-RPC 2.0")
    number, given = told.get("id"), told.get("params")
    if given is not None and not isinstance(given, dict):
        raise RpcError(INVALID_PARAMS, "params are an object", number)
    return number, told["method"], given or {}


def _result(text: str, more: Mapping[str, Any], wrong: bool = False) -> dict[str, Any]:
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": wrong}
    return {**result, "structuredContent": dict(more)} if more else result


def _refused(refused: Refused) -> Response:
    """A refusal as an error of JSON-RPC, whose words its clients pass on, where of a mere status they do not."""
    told = _rpc_error(None, REFUSED, str(refused), refused.status)
    told.headers.update(refused.headers)
    return told


def _rpc(number: Any, result: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    text = json.dumps({"jsonrpc": "2.0", "id": number, "result": result})
    return Response(text, headers=dict(headers or {}), media_type="application/json")


def _rpc_error(number: Any, code: int, message: str, status: int) -> Response:
    text = json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})
    return Response(text, status, media_type="application/json")
