"""A server in a process of its own, as its users start it."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentgym.serve.app import Server, ServerSettings
from agentgym.serve.metrics import Log
from agentgym.serve.native import Native
from tests.processes import children

if not all(map(importlib.util.find_spec, ("torch", "openai"))):  # they need the extras train and endpoint
    collect_ignore = ["test_record_app.py", "test_upstream.py", "test_learning.py", "test_record_app_programs.py"]
    collect_ignore.append("test_recording.py")

WORLDS = ("FrozenLake-v0", "Wordle-v0", "Todo-v0", "WebShop-v1", "TextCraft-v1")
WORKERS = 2  # of a server that `start` starts


@dataclass
class Running:
    """A server that listens."""

    process: subprocess.Popen[str]
    url: str

    @property
    def ws(self) -> str:
        return self.url.replace("http", "ws", 1)

    def workers(self) -> list[int]:
        """Process ids of the keepers of its workers."""
        return children(self.process.pid)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


Start = Callable[..., Running]


@contextlib.contextmanager
def serving(app: Any) -> Iterator[str]:
    """The address of an application of ASGI that a thread of this process serves."""
    import uvicorn

    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server ended before it listened"
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


class Inside:
    """A server in the loop of its test, which can ask between two steps of it."""

    def __init__(self, server: Server):
        self.server, self.sessions = server, server.sessions
        self._native = Native(server.sessions, server.served, server.metrics)

    async def ask(self, *requests: dict[str, Any]) -> Any:
        """The answer to a request, or the answers to several in one message."""
        told = requests[0] if len(requests) == 1 else list(requests)
        return json.loads(await self._native.answer("me", json.dumps(told)))

    async def begin(self, env: str) -> str:
        """A session whose episode has begun."""
        session = str((await self.ask({"op": "create", "env": env}))["session"])
        await self.ask({"op": "reset", "session": session, "seed": 1, "options": {"task": "sound"}})
        return session


def inside(play: Callable[[Inside], Coroutine[Any, Any, None]], *ids: str, state: Path | None = None) -> None:
    """Serve worlds while a test plays, in a thread: where a browser was driven before, this one has a loop already."""

    async def run() -> None:
        server = Server(ServerSettings(ids, processes=1, state=state), Log())
        await server.start()
        try:
            await play(Inside(server))
        finally:
            await server.stop()

    with ThreadPoolExecutor(1) as threads:
        threads.submit(lambda: asyncio.run(run())).result()


@contextlib.contextmanager
def starter() -> Iterator[Start]:
    started: list[Running] = []

    def start(*arguments: str, port: int = 0, program: str = "") -> Running:
        command = [
            sys.executable,
            "-m",
            "agentgym",
            "serve",
            "--port",
            str(port),
            "--workers",
            str(WORKERS),
            *arguments,
        ]
        if program:
            command = [sys.executable, "-c", program]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "200"})
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("{"), line + process.stderr.read()
        running = Running(process, json.loads(line)["url"])
        started.append(running)
        return running

    try:
        yield start
    finally:
        for running in started:
            running.process.kill()
            running.process.wait()
            assert running.process.stderr is not None
            running.process.stderr.close()


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts servers, and ends them."""
    with starter() as begin:
        yield begin


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    """A server without tokens that no test harms."""
    with starter() as begin:
        yield begin(*WORLDS)
