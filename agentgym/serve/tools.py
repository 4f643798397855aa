"""The Model Context Protocol: a world as tools, over streamable HTTP (revision 2025-06-18) with answers in JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from agentgym.core.json_text import read_json
from agentgym.serve.errors import UNKNOWN, Refused
from agentgym.serve.sessions import Sessions
from agentgym.serve.state import Session

REVISIONS = ("2025-11-25", "2025-06-18", "2025-03-26")  # of the protocol; what is used of it is the same in all
PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602  # of JSON-RPC
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
    """A request that JSON-RPC has a number for."""

    def __init__(self, code: int, message: str):
        super().__init__(message)
        self.code = code


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
        if method not in ("tools/list", "tools/call"):
            raise RpcError(NO_METHOD, f"there is no method {method[:60]!r} here")
        own = await self._own(session)
        if method == "tools/list":
            shown = [
                {"name": each["name"], "description": each["description"], "inputSchema": each["parameters"]}
                for each in own.values()
            ]
            return {"tools": [RESET, STEP, *shown]}
        name, arguments = given.get("name"), given.get("arguments") or {}
        if not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, "arguments are an object")
        if name == "reset":
            return await self._reset(session, arguments)
        if name == "step":
            return await self._step(session, arguments.get("action"))
        if not isinstance(name, str) or name not in own:
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
        try:
            done = await self._sessions.reset(session, arguments.get("seed"), options)
        except Refused as refused:
            return _result(str(refused), {}, wrong=True)
        told = json.loads(done.body)
        return _result(told["observation"], {"info": told["info"]})

    async def _step(self, session: Session, action: Any) -> dict[str, Any]:
        try:
            done = await self._sessions.step(session, action)
        except Refused as refused:
            return _result(str(refused), {}, wrong=True)
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
            told = read_json(await server.body(request))
        except ValueError:
            return _rpc_error(None, PARSE_ERROR, "the body is no JSON", 400)
        if not isinstance(told, dict) or not isinstance(told.get("method"), str):
            return _rpc_error(None, INVALID_REQUEST, "the body is one request of JSON-RPC 2.0", 400)
        number, method = told.get("id"), told["method"]
        given = told.get("params") or {}
        if number is None:
            return Response(status_code=202)  # a notification
        if not isinstance(given, dict):
            return _rpc_error(number, INVALID_PARAMS, "params are an object", 400)
        if method == "initialize":
            return await begin(request, owner, number, given)
        if method == "server/discover":
            return _rpc_error(number, NO_METHOD, "sessions here begin with initialize", 200)
        session = server.sessions.find(owner, request.headers.get("mcp-session-id"))
        try:
            result = await Tools(server.sessions).call(session, method, given)
        except RpcError as error:
            return _rpc_error(number, error.code, str(error), 200)
        return _rpc(number, result)

    async def begin(request: Request, owner: str, number: Any, given: Mapping[str, Any]) -> Response:
        """Open a session and say in which revision of the protocol.

        Args:
            request: Its path names world and split.
            owner: Who gets the session.
            number: Id of the JSON-RPC message.
            given: Its parameters, with the revision that the client wants.
        """
        params = request.path_params
        env = server.served.get(params["env"])
        if env is None:
            raise Refused(UNKNOWN, f"unknown environment {params['env'][:60]!r}")
        session, facts = await server.sessions.create(owner, env, {"split": params.get("split")})
        wanted = given.get("protocolVersion")
        result = {
            "protocolVersion": wanted if wanted in REVISIONS else REVISIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": server.cards[env].id, "version": server.cards[env].name.rpartition("-")[2]},
            "instructions": json.loads(facts)["manual"],
        }
        return _rpc(number, result, {"Mcp-Session-Id": session.id})

    async def end(request: Request, owner: str) -> Response:
        """Close the session that the headers of the `request` name, if it is one of `owner`."""
        server.sessions.close(server.sessions.find(owner, request.headers.get("mcp-session-id")))
        return Response(status_code=204)

    routes: list[BaseRoute] = []
    for base in ("/mcp/{env}", "/mcp/{env}/{split}"):
        routes.append(Route(base, guarded(server, post), methods=["POST"]))
        routes.append(Route(base, guarded(server, end), methods=["DELETE"]))
    return routes


def _result(text: str, more: Mapping[str, Any], wrong: bool = False) -> dict[str, Any]:
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": wrong}
    return {**result, "structuredContent": dict(more)} if more else result


def _rpc(number: Any, result: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Response:
    text = json.dumps({"jsonrpc": "2.0", "id": number, "result": result})
    return Response(text, headers=dict(headers or {}), media_type="application/json")


def _rpc_error(number: Any, code: int, message: str, status: int) -> Response:
    text = json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})
    return Response(text, status, media_type="application/json")
