"""Clients that say what they want byte by byte, or never, and many of them, hold nobody up and are hung up on."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Callable, Iterator

import pytest
import requests
from websockets.sync.client import connect

import agentgym
from tests.serve.conftest import Running, starter

PATIENCE = 2.0  # seconds
SERVE = f"""
from agentgym.serve.app import ServerSettings
from agentgym.serve.run import serve
serve(ServerSettings(["Wordle-v0"], processes=1, patience={PATIENCE}), port=0)
"""
HEAD = b"POST /v1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n"


@pytest.fixture(scope="module")
def brisk() -> Iterator[Running]:
    """A server that waits for nobody for long."""
    with starter() as begin:
        yield begin(program=SERVE)


def opened(server: Running) -> socket.socket:
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=30)


def dribble(wire: socket.socket, data: bytes, most: float) -> tuple[bytes, float]:
    """Send a byte every tenth of a second; what came back until the connection was closed, and when that was."""
    began, heard = time.monotonic(), b""
    wire.settimeout(0.1)
    for place in range(int(most / 0.1)):
        with contextlib.suppress(TimeoutError):
            try:
                wire.sendall(data[place : place + 1])
                part = wire.recv(4096)
            except ConnectionError:
                part = b""
            if not part:
                return heard, time.monotonic() - began
            heard += part
    raise AssertionError(f"still open after {most} seconds")


@pytest.mark.parametrize("before", [lambda wire: None, lambda wire: ask(wire)], ids=["at first", "later"])
def test_a_head_that_comes_byte_by_byte_is_not_waited_for(brisk: Running, before: Callable[..., None]) -> None:
    with opened(brisk) as wire:
        before(wire)
        heard, seconds = dribble(wire, HEAD, 30)
    assert heard == b""
    assert PATIENCE * 0.7 < seconds < 20


def ask(wire: socket.socket) -> None:
    """A whole request, with its answer."""
    wire.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
    heard = b""
    while not heard.endswith(b'{"status":"healthy"}'):
        heard += wire.recv(4096)


@pytest.mark.full
def test_a_body_that_comes_byte_by_byte_is_refused_in_a_line(brisk: Running) -> None:
    with opened(brisk) as wire:
        wire.sendall(HEAD)
        heard, seconds = dribble(wire, b" " * 400, 30)
    assert heard.startswith(b"HTTP/1.1 400 ")
    assert json.loads(heard.partition(b"\r\n\r\n")[2])["error"] == "the body did not come within 2 seconds"
    assert PATIENCE * 0.7 < seconds < 20  # and it is not read on for ever


@pytest.mark.parametrize("count", [50, pytest.param(1500, marks=pytest.mark.full)])
def test_many_connections_that_say_nothing_are_closed_and_hold_nobody_up(brisk: Running, count: int) -> None:
    crowd = [opened(brisk) for _ in range(count)]
    try:
        for number, wire in enumerate(crowd):
            if number % 2:
                wire.sendall(HEAD[:40])
        began = time.monotonic()
        env = agentgym.connect(brisk.url, "Wordle-v0")
        env.reset(seed=1)
        here = agentgym.make("Wordle-v0")
        here.reset(seed=1)
        assert env.step("crane") == here.step("crane")
        env.close()
        assert time.monotonic() - began < 20
        for wire in crowd:
            with contextlib.suppress(ConnectionError):
                assert wire.recv(10) == b""  # a time-out here fails
    finally:
        for wire in crowd:
            wire.close()


def test_who_is_quiet_in_a_conversation_stays(brisk: Running) -> None:
    """A WebSocket, and a connection between two requests, may rest: an agent thinks."""
    with connect(f"{brisk.ws}/v1/ws") as wire, requests.Session() as session:
        assert session.get(f"{brisk.url}/health", timeout=30).ok
        time.sleep(PATIENCE * 1.5)
        wire.send('{"op": "create", "env": "Wordle-v0"}')
        assert "session" in json.loads(wire.recv(30))
        assert session.get(f"{brisk.url}/health", timeout=30).ok
