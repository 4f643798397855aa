"""`connect`: a served environment as a Gymnasium environment, or many of them as a vector."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from agentgym.core import AgentGymError, ConfigError, SnapshotError, UnicodeText, require
from agentgym.serve.errors import NO_TOKEN
from agentgym.serve.wire import unplain

PATIENCE = 120.0  # seconds for an answer
RETRY = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0)  # seconds between attempts to reach a server that is gone
LARGEST = 64 * 2**20  # bytes of an answer
PART = 1024  # requests in one message
TOO_LONG, TOO_LARGE = 1009, 413  # how a WebSocket and HTTP say that a message is too long


class ServerError(AgentGymError):
    """A server refused a request, or could not be reached."""

    def __init__(self, message: str, status: int = 0):
        super().__init__(message)
        self.status = status


class Connection:
    """A WebSocket to a server. It is opened again when it breaks, and what had no answer is asked again.

    Args:
        url: Of the server, such as `http://127.0.0.1:8000`.
        token: Of the client; None for a server without tokens.
    """

    def __init__(self, url: str, token: str | None = None):
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https", "ws", "wss") or not parts.hostname:
            raise ConfigError(f"{url!r} is no address of a server; expected something like http://127.0.0.1:8000")
        scheme = {"http": "ws", "https": "wss"}.get(parts.scheme, parts.scheme)
        self.url = urlunsplit((scheme, parts.netloc, parts.path.rstrip("/") + "/v1/ws", "", ""))
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._websockets = require("websockets.sync.client", extra="serve", purpose="a served environment")
        self._errors = require("websockets.exceptions", extra="serve", purpose="a served environment")
        self._tenacity = require("tenacity", extra="serve", purpose="a served environment")
        self._socket: Any = None
        self._held = contextlib.ExitStack()
        self._turns: dict[str, int] = {}  # of each session, how many requests have changed it
        self._unanswered: list[dict[str, Any]] = []  # what was to change sessions, and may have

    def ask(self, requests: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The answers to some requests, which the server works on at once.

        Args:
            requests: Of different sessions. Each may be sent twice if the connection breaks; for what changes a session
                there is `change`.

        Raises:
            ServerError: if the server cannot be reached or refuses one of them.
        """
        return accepted(self.answers(requests))

    def answers(self, requests: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The answers to some requests; one that was refused has `error` and `status`.

        Args:
            requests: As in `ask`.

        Raises:
            ServerError: if the server cannot be reached, or refuses the message.
        """
        found: list[dict[str, Any]] = []
        for start in range(0, len(requests), PART):
            found += self._ask(requests[start : start + PART])
        return found

    def change(self, requests: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The answers to requests that change sessions, each of which is done once, however often it is sent.

        What had no answer before, as after an interrupt, is brought to its end first.

        Args:
            requests: Of different sessions.

        Raises:
            ServerError: if the server cannot be reached or refuses one of them; the others are done all the same.
        """
        self._settle()
        counted = [{**each, "turn": self._turns.get(each["session"], 0)} for each in requests]
        json.dumps(counted)  # before any of it is sent
        self._unanswered = counted
        return accepted(self._settle())

    def end(self, sessions: Sequence[str]) -> None:
        """Close sessions; it does not matter if they are closed already, or the server cannot be reached.

        Args:
            sessions: Their names.
        """
        self._unanswered = [each for each in self._unanswered if each["session"] not in sessions]
        with contextlib.suppress(ServerError):
            self.answers([{"op": "close", "session": session} for session in sessions])
        for session in sessions:
            self._turns.pop(session, None)

    def _settle(self) -> list[dict[str, Any]]:
        """The answers to what has none yet."""
        found: list[dict[str, Any]] = []
        while self._unanswered:
            part = self._unanswered[:PART]
            try:
                answers = self._ask(part)
            except ServerError as error:
                if error.status:  # the message was refused, and none of it was done
                    self._unanswered = []
                raise
            for request, answer in zip(part, answers, strict=True):
                self._turns[request["session"]] = answer.get("turn", request["turn"])
            self._unanswered = self._unanswered[PART:]
            found += answers
        return found

    def _ask(self, requests: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        tries, broken = self._tenacity, (OSError, self._errors.ConnectionClosed, self._errors.InvalidMessage)
        again = tries.Retrying(
            retry=tries.retry_if_exception_type(broken),
            wait=tries.wait_chain(*map(tries.wait_fixed, RETRY)),
            stop=tries.stop_after_attempt(len(RETRY) + 1),
            reraise=True,
        )
        try:
            answers: list[dict[str, Any]] = again(self._exchange, requests)
        except broken as error:
            why = str(error) or type(error).__name__
            raise ServerError(f"the server at {self.url} cannot be reached: {why}") from None
        return answers

    def _exchange(self, requests: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        alone = len(requests) == 1
        if self._socket is None:
            self._socket = self._open()
        try:
            self._socket.send(json.dumps(requests[0] if alone else list(requests)))
            told = json.loads(self._socket.recv(PATIENCE))
        except BaseException as error:  # an interrupt as well: an answer that still comes is none to what is asked next
            self.close()
            if isinstance(error, self._errors.ConnectionClosed) and error.rcvd and error.rcvd.code == TOO_LONG:
                raise ServerError("the message is longer than the server takes; send less at once", TOO_LARGE) from None
            raise
        if not alone and isinstance(told, dict):
            raise ServerError(told["error"], told["status"])
        return [told] if alone else told

    def _open(self) -> Any:
        try:
            opened = self._websockets.connect(
                self.url,
                additional_headers=self._headers,
                max_size=LARGEST,
                compression=None,
                proxy=None,
                close_timeout=1.0,
            )
            return self._held.enter_context(opened)
        except self._errors.InvalidStatus as error:
            status = error.response.status_code
            if status in (502, 503, 504):  # a server that is starting, or full
                raise OSError(f"it answers with status {status}") from None
            advice = "give a valid token" if status == NO_TOKEN else "give the address of a server of agentgym"
            raise ServerError(f"{self.url} answers with status {status}: {advice}", status) from None

    def close(self) -> None:
        """Close it; the next request opens it again."""
        self._socket = None
        with contextlib.suppress(OSError, self._errors.ConnectionClosed):
            self._held.close()


def accepted(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answers of a server of which none is a refusal.

    Args:
        answers: As `Connection.answers` gives them.

    Raises:
        ServerError: if one is; the first of them.
    """
    for answer in answers:
        if "error" in answer:
            raise ServerError(answer["error"], answer.get("status", 0))
    return answers


@dataclass(frozen=True)
class RemoteSnapshot:
    """A snapshot that a server keeps.

    Attributes:
        url: Of the server.
        env: Id of the environment.
        handle: What the server calls it.
    """

    url: str
    env: str
    handle: str


class RemoteEnv(gym.Env[str, str]):
    """An environment on a server, which plays it exactly as it would be played here.

    Its generator is the server's; `np_random` here is seeded alike and never drawn from.

    Args:
        url: Of the server.
        env_id: What is played.
        token: Of the client; None for a server without tokens.
        render_mode: As of the environment itself, except `human`.
        connection: Shared with other environments; None opens one.
        env_kwargs: `split` and `max_turns`; other arguments are the server's to choose.

    Attributes:
        facts: What the server says of the environment: `manual`, `line`, `tools`, `max_turns` and more.
    """

    metadata = {"render_modes": ["ansi", "rgb_array", "html"]}  # noqa: RUF012  (of an instance it is the server's)

    def __init__(
        self,
        url: str,
        env_id: str,
        *,
        token: str | None = None,
        render_mode: str | None = None,
        connection: Connection | None = None,
        **env_kwargs: Any,
    ):
        self._connection = connection or Connection(url, token)
        self._shared = connection is not None
        self._url, self._env_kwargs = url, env_kwargs
        try:
            (opened,) = self._connection.ask(
                [{"op": "create", "env": env_id, "render_mode": render_mode, **env_kwargs}]
            )
        except BaseException:
            if not self._shared:
                self._connection.close()
            raise
        self.session: str = opened["session"]
        self.facts: dict[str, Any] = opened["facts"]
        self.render_mode = render_mode
        self.metadata = self.facts["metadata"]
        self.observation_space = UnicodeText(self.facts["observation_length"])
        self.action_space = UnicodeText(self.facts["action_length"])
        arguments = {"url": url, "env_id": env_id, "token": token, **env_kwargs}
        self.spec = EnvSpec(
            self.facts["env"],
            "agentgym.serve.client:RemoteEnv",
            order_enforce=False,
            disable_env_checker=True,
            kwargs={**arguments, "render_mode": render_mode},
        )

    @property
    def manual(self) -> str:
        """The rules and the actions, as the agent is told them."""
        return str(self.facts["manual"])

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools, if actions are calls of tools."""
        return list(self.facts["tools"])

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode; see `LanguageEnv.reset`.

        Args:
            seed: Seed of the environment's generator; None goes on with the one it has.
            options: Reset options.
        """
        super().reset(seed=seed)
        told = self._change(op="reset", seed=seed, options=None if options is None else dict(options))
        return told["observation"], told["info"]

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play an action; see `LanguageEnv.step`."""
        if not isinstance(action, str):
            raise TypeError(f"an action is a string, got {type(action).__name__}")
        told = self._change(op="step", action=action)
        return told["observation"], told["reward"], told["terminated"], told["truncated"], told["info"]

    def render(self) -> Any:
        """What the environment renders."""
        return self._asked("render")

    def admissible_actions(self) -> list[str] | None:
        """Sorted actions, each valid now; None if they cannot be listed."""
        actions: list[str] | None = self._asked("admissible_actions")
        return actions

    def state_key(self) -> str:
        """Names all that the dynamics read except generator and turn."""
        return str(self._asked("state_key"))

    def snapshot(self) -> RemoteSnapshot:
        """Where the episode is, by a handle: the state stays on the server."""
        (told,) = self._connection.ask([{"op": "snapshot", "session": self.session}])
        return RemoteSnapshot(self._url, self.facts["env"], told["snapshot"])

    def restore(self, saved: RemoteSnapshot, reseed: int | None = None) -> None:
        """Return to a snapshot.

        Args:
            saved: Of this environment or an equal one on the same server.
            reseed: Seed of a generator in place of the saved one; give one for look-ahead.
        """
        if not isinstance(saved, RemoteSnapshot) or (saved.url, saved.env) != (self._url, self.facts["env"]):
            raise SnapshotError(f"the snapshot is not of {self.facts['env']} on {self._url}")
        self._change(op="restore", snapshot=saved.handle, reseed=reseed)

    def fork(self, reseed: int | None = None) -> RemoteEnv:
        """A second, independent environment in this state, on the same connection.

        Args:
            reseed: Seed of its generator; give one for look-ahead.
        """
        twin = RemoteEnv(
            self._url,
            self.facts["env"],
            render_mode=self.render_mode,
            connection=self._connection,
            **self._env_kwargs,
        )
        try:
            saved = self.snapshot()
            try:
                twin.restore(saved, reseed)
            finally:
                self.forget(saved)
        except BaseException:
            twin.close()
            raise
        return twin

    def forget(self, saved: RemoteSnapshot) -> None:
        """Let the server forget a snapshot."""
        self._connection.ask([{"op": "forget", "snapshot": saved.handle}])

    def close(self) -> None:
        """Close the session, and the connection if it is this environment's own."""
        self._connection.end([self.session])
        if not self._shared:
            self._connection.close()

    def _change(self, **request: Any) -> dict[str, Any]:
        (told,) = self._connection.change([{**request, "session": self.session}])
        return told

    def _asked(self, name: str) -> Any:
        (told,) = self._connection.ask([{"op": "ask", "session": self.session, "name": name}])
        return unplain(told["answer"])
