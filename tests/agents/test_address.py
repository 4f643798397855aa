"""Credentials go to the host they were given for, and are written nowhere."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from agentgym.agents import EndpointPolicy, make_agent
from agentgym.agents.address import Address, stored_options
from agentgym.core import ConfigError, EndpointError
from agentgym.evaluate import evaluate
from agentgym.train.run_dir import Run
from tests.agents.server import Answer, ChatServer, completion

TALK = [{"role": "user", "content": "hello"}]
KEY = "sk-very-secret-0123456789"


def agent(server: ChatServer, **options: Any) -> Any:
    policy = make_agent("endpoint", model="m", **{"base_url": server.base_url, "retries": 0, **options})
    assert isinstance(policy, EndpointPolicy)
    return policy._model


def test_openais_key_goes_to_openai_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("OPENAI_API_KEY", KEY), ("OPENAI_ORG_ID", "org-1"), ("OPENAI_PROJECT_ID", "proj-1")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Mine: {KEY}")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    with ChatServer(lambda number, request: completion("x")) as server:
        agent(server).complete(TALK)
        monkeypatch.setenv("MY_KEY", "k2-for-this-host")
        agent(server, api_key_env="MY_KEY").complete(TALK)
    first, second = (request["headers"] for request in server.requests)
    assert "Authorization" not in first
    assert second["Authorization"] == "Bearer k2-for-this-host"
    for headers in (first, second):
        assert KEY not in repr(headers)
        assert not {"openai-organization", "openai-project", "x-mine"} & {name.lower() for name in headers}


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://api.openai.com/v1", True),
        ("https://API.openai.com/v1/", True),
        ("http://api.openai.com/v1", False),
        ("https://api.openai.com.example.org/v1", False),
        ("https://example.org/api.openai.com/v1", False),
    ],
)
def test_which_addresses_are_openais(monkeypatch: pytest.MonkeyPatch, url: str, sent: bool) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    policy = make_agent("endpoint", model="m", base_url=url)
    assert policy._model._address.authorization == (f"Bearer {KEY}" if sent else "")  # type: ignore[attr-defined]


def test_a_server_that_wants_a_key_is_told_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with (
        ChatServer(lambda number, request: Answer({"error": "who?"}, status=401)) as server,
        pytest.raises(EndpointError, match=r"name the variable .* for 127\.0\.0\.1 with --api-key-env NAME"),
    ):
        agent(server).complete(TALK)


def test_wrong_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    make_agent("endpoint", model="m")
    with pytest.raises(ConfigError, match="MY_KEY is not set"):
        make_agent("endpoint", model="m", api_key_env="MY_KEY")
    monkeypatch.setenv("MY_KEY", "a\nb")
    with pytest.raises(ConfigError, match="no HTTP header"):
        make_agent("endpoint", model="m", api_key_env="MY_KEY")
    monkeypatch.setenv("MY_KEY", "k")
    with pytest.raises(ConfigError, match="two credentials"):
        make_agent("endpoint", model="m", base_url="http://me:word@example.org", api_key_env="MY_KEY")


def test_a_redirect_is_not_followed() -> None:
    with ChatServer(lambda number, request: completion("x")) as other:
        moved = Answer({}, status=307, headers={"Location": other.base_url + "/chat/completions"})
        with (
            ChatServer(lambda number, request: moved) as server,
            pytest.raises(EndpointError, match="status 307"),
        ):
            agent(server).complete(TALK)
        assert not other.requests


def test_user_and_query_are_sent_and_not_shown() -> None:
    with ChatServer(lambda number, request: completion("pass-word-1 token-0123456789")) as server:
        url = server.base_url.replace("http://", "http://me:pass-word-1@") + "?sig=token-0123456789&v=2"
        reply = agent(server, base_url=url).complete(TALK)
    (request,) = server.requests
    assert request["path"] == "/v1/chat/completions?sig=token-0123456789&v=2"
    assert request["headers"]["Authorization"] == "Basic " + base64.b64encode(b"me:pass-word-1").decode()
    assert reply.text == "*** ***"
    assert stored_options({"base_url": url, "model": "m"}) == {"base_url": server.base_url, "model": "m"}


def test_a_recipe_is_stored_without_the_credentials_of_its_agents(tmp_path: Path) -> None:
    named = {"agent": "endpoint:m", "options": {"base_url": f"https://me:{KEY}@example.org/v1?key={KEY}"}}
    recipe = {"policies": {"judge": named}, "artifact": {"editor": [named, {"base_url": "unix://x"}]}, "seed": 3}
    with Run(tmp_path, recipe) as run:
        run.append("updates", {"update": 0})
    stored = (tmp_path / "recipe.json").read_text()
    assert KEY not in stored
    assert stored.count('"https://example.org/v1"') == 2
    Run(tmp_path, recipe).close()


def test_a_user_without_a_password_is_a_key() -> None:
    assert KEY in Address.of(f"https://{KEY}@example.org/v1").secrets
    assert KEY not in Address.of(f"https://{KEY}@example.org/v1").shown


@pytest.mark.parametrize(
    ("url", "wrong"),
    [
        ("me:word@example.org", "begin with http"),
        ("http://me:word@[::1", "no address"),
        ("http://me:word@h:port/v1", "no address"),
        ("http://me:word@/v1?key=word", "names no server"),
    ],
)
def test_wrong_addresses_are_refused_without_their_credentials(url: str, wrong: str) -> None:
    with pytest.raises(ConfigError, match=wrong) as caught:
        Address.of(url)
    assert "word" not in str(caught.value)


def test_no_file_of_a_run_holds_a_credential(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The key echoed in an answer, and another in the address."""
    monkeypatch.setenv("MY_KEY", KEY)
    with ChatServer(lambda number, request: completion(f"{KEY}\nleft")) as server:
        url = server.base_url + "?sig=token-0123456789"
        options = {"model": "m", "base_url": url, "api_key_env": "MY_KEY"}
        world = {"max_turns": 1}
        for _ in range(2):  # the second goes on with what the first stored
            evaluate("FrozenLake-v0", "endpoint", episodes=2, out=tmp_path, agent_options=options, env_kwargs=world)
    assert len(server.requests) == 2
    written = "".join(file.read_text() for file in tmp_path.iterdir())
    assert "***" in written
    assert KEY not in written
    assert "token-0123456789" not in written
