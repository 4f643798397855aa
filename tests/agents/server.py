"""A real HTTP server on this machine that answers chat completions as a test tells it to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ABOUT: dict[str, Any] = {"id": "reply", "created": 0, "model": "scripted"}


@dataclass
class Answer:
    """What the server sends: a status, headers and a body, after a delay in seconds.

    `parts` follow the body without an announced length, each after `pause` seconds, until the client hangs up.
    """

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    parts: Iterable[bytes] = ()
    pause: float = 0.0

    def encode(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def completion(
    text: str | None, read: int = 10, written: int = 2, *, ends: str = "stop", delay: float = 0.0, **message: Any
) -> Answer:
    """A proper chat completion; `message` holds further fields of the message."""
    said = {"role": "assistant", "content": text, **message}
    used = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    choice = {"index": 0, "message": said, "finish_reason": ends}
    body = {**ABOUT, "object": "chat.completion", "choices": [choice], "usage": used}
    return Answer(body, headers={"Content-Type": "application/json"}, delay=delay)


def stream(text: str) -> Answer:
    """A proper chat completion in parts, as it is sent to who asked for a stream."""
    said = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    ends = {"index": 0, "delta": {}, "finish_reason": "stop"}
    chunks = [{**ABOUT, "object": "chat.completion.chunk", "choices": [part]} for part in (said, ends)]
    lines = [*map(json.dumps, chunks), "[DONE]"]
    body = "".join(f"data: {line}\n\n" for line in lines).encode()
    return Answer(body, headers={"Content-Type": "text/event-stream"})


def call(arguments: Any, name: str = "look", number: int = 1) -> dict[str, Any]:
    """A native tool call; arguments that are no text are written as JSON."""
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": written}}


class ChatServer:
    """Answers each request by `script(number, request)`, where request holds path, headers and the JSON body."""

    def __init__(self, script: Callable[[int, dict[str, Any]], Answer]):
        self.requests: list[dict[str, Any]] = []
        self.sent = 0  # bytes of parts
        lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                request = {"path": self.path, "headers": dict(self.headers), "body": body}
                with lock:
                    server.requests.append(request)
                    answer = script(len(server.requests), request)
                time.sleep(answer.delay)
                content = answer.encode()
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if not answer.parts:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                for part in answer.parts:
                    time.sleep(answer.pause)
                    self.wfile.write(part)
                    server.sent += len(part)

            def log_message(self, *args: Any) -> None:
                """Be quiet."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that gave up is what the test wants."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> ChatServer:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
