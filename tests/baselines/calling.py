"""A model behind an OpenAI-compatible address that makes the calls it is given, one a request."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import agentgym

Call = dict[str, Any]


def oracle_calls(world: str, seed: int, split: str = "test", **arguments: Any) -> tuple[list[Call], list[str], float]:
    """What the oracle of a world calls in a task, what it is shown, and its return."""
    env = agentgym.make(world, split=split, **arguments)
    seen, _ = env.reset(seed=seed, options={"task": seed})
    shown, calls, total, ended = [str(seen)], [], 0.0, False
    while not ended:
        action = env.unwrapped.oracle_action()
        calls.append(json.loads(action) if env.unwrapped.tools else {"name": "act", "arguments": {"action": action}})
        seen, reward, terminated, truncated, _ = env.step(action)
        shown.append(str(seen))
        total, ended = total + float(reward), terminated or truncated
    return calls, shown, total


@contextmanager
def calling(calls: Sequence[Call]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve calls; gives the address, and the list of what was asked, which grows."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            place = len(asked)
            asked.append(body)
            message: dict[str, Any] = {"role": "assistant", "content": "done"}
            if place < len(calls):
                function = {"name": calls[place]["name"], "arguments": json.dumps(calls[place]["arguments"])}
                tool = {"id": f"call_{place}", "type": "function", "function": function}
                message = {"role": "assistant", "content": None, "tool_calls": [tool]}
            reason = "tool_calls" if place < len(calls) else "stop"
            choice = {"index": 0, "message": message, "finish_reason": reason}
            used = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            whole = {"id": "reply", "created": 0, "model": body["model"], "object": "chat.completion"}
            data = json.dumps({**whole, "choices": [choice], "usage": used}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        server.server_close()
