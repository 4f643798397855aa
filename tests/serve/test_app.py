"""Who is let in, and what hostile clients get."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import agentgym
from agentgym.core import ConfigError, UnknownName
from agentgym.serve.app import ServerSettings, make_app
from agentgym.serve.client import ServerError
from tests.serve.conftest import Running, starter

MINE, THEIRS = "m" * 20, "t" * 20


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with two clients and small limits."""
    path = tmp_path_factory.mktemp("serve") / "tokens"
    Path(path).write_text(f"{MINE}\n{THEIRS}\n")
    with starter() as begin:
        yield begin("Wordle-v0", "--tokens", str(path), "--body", "20000", "--per-client", "8")


def ask(server: Running, body: Any, token: str = MINE, **headers: str) -> requests.Response:
    data = body if isinstance(body, (str, bytes)) else json.dumps(body)
    headers = {"Authorization": f"Bearer {token}", **headers}
    return requests.post(f"{server.url}/v1", data=data, headers=headers, timeout=60)


def test_a_token_opens_its_own_sessions_only(guarded: Running) -> None:
    env = agentgym.connect(guarded.url, "Wordle-v0", token=MINE)
    env.reset(seed=1)
    saved = env.snapshot()
    for request in (
        {"op": "step", "session": env.session, "action": "crane"},
        {"op": "reset", "session": env.session},
        {"op": "ask", "session": env.session, "name": "state_key"},
        {"op": "snapshot", "session": env.session},
        {"op": "close", "session": env.session},
        {"op": "forget", "snapshot": saved.handle},
    ):
        assert ask(guarded, request, THEIRS).json()["status"] == 404
        assert ask(guarded, request, "x" * 20).status_code == 401
    other = agentgym.connect(guarded.url, "Wordle-v0", token=THEIRS)
    other.reset(seed=1)
    with pytest.raises(ServerError, match="no such snapshot"):
        other.restore(saved)
    here = agentgym.make("Wordle-v0")
    here.reset(seed=1)
    assert env.step("crane") == here.step("crane")
    number = requests.post(f"{guarded.url}/agentenv/wordle/create", auth=("me", MINE), timeout=60).json()["id"]
    step = {"id": number, "action": "crane"}
    url = f"{guarded.url}/agentenv/wordle/step"
    assert requests.post(url, json=step, auth=("me", THEIRS), timeout=60).status_code == 404
    assert requests.post(url, json=step, auth=("me", MINE), timeout=60).status_code == 200
    env.close(), other.close()


def test_an_mcp_session_is_its_own_clients_alone(guarded: Running) -> None:
    url = f"{guarded.url}/mcp/Wordle-v0"

    def call(method: str, token: str, session: str = "", **params: Any) -> requests.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {"Authorization": f"Bearer {token}", **({"Mcp-Session-Id": session} if session else {})}
        return requests.post(url, json=body, headers=headers, timeout=60)

    begun = call("initialize", MINE, protocolVersion="2025-06-18")
    session = begun.headers["Mcp-Session-Id"]
    guess: dict[str, Any] = {"name": "step", "arguments": {"action": "crane"}}
    assert call("tools/call", MINE, session, name="reset", arguments={"seed": 1}).status_code == 200
    for method, params in (("tools/list", {}), ("tools/call", guess), ("ping", {})):
        assert call(method, THEIRS, session, **params).status_code == 404
        assert call(method, "x" * 20, session, **params).status_code == 401
        assert call(method, MINE, "", **params).status_code == 404
        assert call(method, MINE, session[:-1], **params).status_code == 404
    foreign = {"Authorization": f"Bearer {THEIRS}", "Mcp-Session-Id": session}
    assert requests.delete(url, headers=foreign, timeout=60).status_code == 404
    here = agentgym.make("Wordle-v0")
    here.reset(seed=1)
    result = call("tools/call", MINE, session, **guess).json()["result"]
    assert result["content"][0]["text"] == here.step("crane")[0]  # nobody else has played
    own = {"Authorization": f"Bearer {MINE}", "Mcp-Session-Id": session}
    assert requests.delete(url, headers=own, timeout=60).status_code == 204
    assert call("tools/list", MINE, session).status_code == 404


def refused(server: Running, path: str, **headers: str) -> tuple[int, str]:
    """Status and words with which a WebSocket is not opened."""
    with pytest.raises(InvalidStatus) as caught, connect(server.ws + path, additional_headers=headers):
        pass
    told = json.loads(caught.value.response.body)
    assert told["status"] == caught.value.response.status_code
    return told["status"], told["error"]


def test_a_socket_that_is_not_opened_says_why(guarded: Running) -> None:
    mine = {"Authorization": f"Bearer {MINE}"}
    assert refused(guarded, "/v1/ws") == (401, "no valid token; send the header  Authorization: Bearer TOKEN")
    assert refused(guarded, "/openenv/Nothing-v0/ws", **mine) == (404, "unknown environment 'Nothing-v0'")
    status, words = refused(guarded, "/openenv/Wordle-v0/nowhere/ws", **mine)
    assert (status, words) == (404, "Wordle-v0 has no split 'nowhere'; it has train, val, test")
    assert refused(guarded, "/v1/ws", **mine, Origin="https://example.org")[0] == 403


@pytest.mark.parametrize("path", ["/v1/ws", "/openenv/Wordle-v0/ws"])
def test_a_message_of_bytes_is_read_as_text_and_nonsense_closes_nothing(guarded: Running, path: str) -> None:
    with connect(guarded.ws + path, additional_headers={"Authorization": f"Bearer {MINE}"}) as wire:
        for message in (b"\xff\xfe\x00", "", b"", "[" * 5000):
            wire.send(message)
            told = json.loads(wire.recv(60))
            assert "JSON" in (told["error"] if "error" in told else told["data"]["message"])
        wire.send(b'{"op": "step", "type": "step", "data": {}}')
        told = json.loads(wire.recv(60))
        assert "JSON" not in json.dumps(told)
        assert ("error" in told) == (path == "/v1/ws")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 404), ("PUT", "/v1", 405), ("POST", "/openenv/Wordle-v0/reset", 404), ("GET", "/mcp/Wordle-v0", 405)],
)
def test_a_path_that_nothing_answers_is_told_in_a_line(guarded: Running, method: str, path: str, status: int) -> None:
    answer = requests.request(method, guarded.url + path, timeout=60)
    assert (answer.status_code, answer.json()["status"]) == (status, status)
    assert answer.json()["error"].endswith(f"{method} {path!r}")
    assert ("allow" in answer.headers) == (status == 405)


def test_what_has_no_effect_is_refused(guarded: Running) -> None:
    create = ask(guarded, {"op": "create", "env": "Wordle-v0", "size": 3}).json()
    assert (create["status"], create["error"].partition(";")[0]) == (400, "'size' cannot be 3")
    with pytest.raises(ServerError, match="'tries' cannot be 9; a client chooses split, max_turns and render_mode"):
        agentgym.connect(guarded.url, "Wordle-v0", token=MINE, tries=9)
    env = agentgym.connect(guarded.url, "Wordle-v0", token=MINE)
    env.reset(seed=1)
    key = env.state_key()
    for op, field in (("step", "trun"), ("reset", "sed"), ("restore", "seed"), ("ask", "turn"), ("close", "now")):
        answer = ask(guarded, {"op": op, "session": env.session, "action": "crane", field: 1}).json()
        assert (answer["status"], answer["error"].partition(" ")[0]) == (400, op)
    assert env.state_key() == key
    env.close()


def test_without_a_token_nothing_is_told(guarded: Running) -> None:
    for path in ("/v1/envs", "/metrics", "/agentenv/wordle/", "/openenv/Wordle-v0/health"):
        assert requests.get(guarded.url + path, timeout=60).status_code == 401
    assert requests.get(f"{guarded.url}/health", timeout=60).status_code == 200
    for path in ("/v1/ws", "/openenv/Wordle-v0/ws"):
        assert refused(guarded, path)[0] == 401
    with pytest.raises(ServerError, match="give a valid token"):
        agentgym.connect(guarded.url, "Wordle-v0", token="y" * 20)


def test_web_pages_are_refused(guarded: Running) -> None:
    assert ask(guarded, {"op": "create", "env": "Wordle-v0"}, Origin="https://example.org").status_code == 403


@pytest.mark.parametrize(
    "body",
    [
        "", "{", "3", "null", '"x"', "[3]", "[[]]", "{}", '{"op": 3}', '{"op": {"a": 1}}', '{"op": "step"}',
        '{"op": "step", "session": {"a": 1}}', '{"op": "create", "env": []}', '{"op": "create", "env": "__class__"}',
        '{"op": "ask", "session": "x", "name": "__class__"}', "[" * 9000, b"\xff\xfe", '{"op": "close"}',
        '{"op": "restore", "snapshot": 3}', '{"op": "forget", "snapshot": ["x"]}', '{"op": "snapshot", "session": 1}',
        '{"op": "create", "env": "Wordle-v0", "split": {"a": 1}}',
        '{"op": "create", "env": "Wordle-v0", "max_turns": -1}',
    ],
)  # fmt: skip
def test_nonsense_is_answered(guarded: Running, body: str | bytes) -> None:
    answer = ask(guarded, body).json()
    for each in answer if isinstance(answer, list) else [answer]:
        assert set(each) == {"error", "status"}
        assert 400 <= each["status"] < 500
        assert "\n" not in each["error"]


def test_what_an_environment_is_asked_is_chosen_from_a_list(guarded: Running) -> None:
    env = agentgym.connect(guarded.url, "Wordle-v0", token=MINE)
    env.reset(seed=1)
    for name in ("oracle_action", "expert_action", "reference", "_state", "__class__", "np_random", "close"):
        answer = ask(guarded, {"op": "ask", "session": env.session, "name": name}).json()
        assert "cannot ask for" in answer["error"]
    env.close()


def test_requests_of_one_session_do_not_overtake_each_other(guarded: Running) -> None:
    env = agentgym.connect(guarded.url, "Wordle-v0", token=MINE)
    env.reset(seed=1)
    first, second = ask(guarded, [{"op": "step", "session": env.session, "action": "crane"}] * 2).json()
    assert "observation" in first
    assert (second["status"], "under way" in second["error"]) == (409, True)
    env.close()


def test_long_messages_are_refused(guarded: Running) -> None:
    assert ask(guarded, b" " * 20_001).status_code == 413
    answer = requests.post(
        f"{guarded.url}/v1",
        data=iter([b" " * 9_000] * 3),  # chunks, whose length nobody tells before
        headers={"Authorization": f"Bearer {MINE}"},
        timeout=60,
    )
    assert answer.status_code == 413
    with connect(f"{guarded.ws}/v1/ws", additional_headers={"Authorization": f"Bearer {MINE}"}) as wire:
        wire.send("x" * 20_001)
        with pytest.raises(ConnectionClosed, match="1009"):
            wire.recv(30)


def test_a_client_has_so_many_sessions(guarded: Running) -> None:
    opened = [ask(guarded, {"op": "create", "env": "Wordle-v0"}, THEIRS).json() for _ in range(10)]
    sessions = [each["session"] for each in opened if "session" in each]
    assert len(sessions) <= 8
    assert all(each["status"] == 429 for each in opened[len(sessions) :])
    assert "session" in ask(guarded, {"op": "create", "env": "Wordle-v0"}).json()  # the other client has room
    for session in sessions:
        ask(guarded, {"op": "close", "session": session}, THEIRS)


@pytest.mark.full
def test_who_does_not_read_holds_nobody_up(server: Running) -> None:
    """A client that floods without reading is stopped by its own connection; others are answered meanwhile."""
    env = agentgym.connect(server.url, "WebShop-v1")
    env.reset(seed=1)
    host, port = server.url.removeprefix("http://").split(":")
    flood = socket.create_connection((host, int(port)))
    flood.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    flood.sendall(
        f"GET /v1/ws HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    text = json.dumps({"op": "ask", "session": env.session, "name": "manual"}).encode()
    frame = b"\x81" + bytes([0x80 | 126]) + len(text).to_bytes(2, "big") + b"\0\0\0\0" + text
    flood.settimeout(1.0)
    sent = 0
    try:
        while sent < 50_000_000:
            flood.sendall(frame * 64)
            sent += 64 * len(frame)
    except (TimeoutError, ConnectionError):
        pass
    assert sent < 50_000_000  # the server has stopped reading, or has hung up on one that answers no ping
    began = time.monotonic()
    other = agentgym.connect(server.url, "Wordle-v0")
    other.reset(seed=1)
    assert time.monotonic() - began < 20
    flood.close()
    env.close(), other.close()


def test_what_is_counted(server: Running) -> None:
    def read() -> dict[str, int]:
        text = requests.get(f"{server.url}/metrics", timeout=60).text
        return {line.split()[0]: int(line.split()[1]) for line in text.splitlines() if not line.startswith("#")}

    before = read()
    env = agentgym.connect(server.url, "Wordle-v0")
    env.reset(seed=1)
    env.step("crane")
    after = read()
    for name in ("sessions_opened_total", "resets_total", "steps_total", "sessions", "connections"):
        assert after[f"agentgym_{name}"] == before[f"agentgym_{name}"] + 1, name
    env.close()
    assert {each["id"] for each in requests.get(f"{server.url}/v1/envs", timeout=60).json()} >= {"AgentGym/Wordle-v0"}


def test_games_are_refused_in_one_line() -> None:
    with pytest.raises(ConfigError, match=r"a game of several players.*SelfPlay"):
        make_app(ServerSettings(["TicTacToe-v0"]))
    with pytest.raises(UnknownName):
        make_app(ServerSettings(["Nothing-v0"]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Nothing-v0"], "unknown environment"),
        (["Wordle-v0", "--host", "0.0.0.0"], "give --tokens"),
        (["Wordle-v0", "--tokens", "nowhere"], "cannot be read"),
        (["Wordle-v0", "--host", "203.0.113.7"], "give --tokens"),
    ],
)
def test_what_cannot_be_served_is_said_in_a_line(arguments: list[str], words: str) -> None:
    with starter() as begin, pytest.raises(AssertionError, match=words):
        begin(*arguments)


def test_a_player_of_a_game_can_be_served() -> None:
    with starter() as begin:
        server = begin(
            "agentgym.wrappers.selfplay:AgentGym/SelfPlay-v0", "--env", "game=TicTacToe-v0", "--env", "opponent=random"
        )
        env = agentgym.connect(server.url, "SelfPlay-v0")
        text, _ = env.reset(seed=1)
        assert text
        actions = env.admissible_actions()
        assert actions
        assert env.step(actions[0])[4]["action_valid"]
        env.close()
