"""Many environments of a server as one vector environment: all of them are played by one message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gymnasium.vector import AutoresetMode

from agentgym.core import ConfigError
from agentgym.serve.client import Connection, RemoteEnv, accepted
from agentgym.serve.wire import unplain
from agentgym.vector.base import BaseVectorEnv, Begun, Played, Shape


class RemoteVectorEnv(BaseVectorEnv):
    """`num_envs` sessions of one client behind Gymnasium's vector interface; see `BaseVectorEnv`.

    Args:
        url: Of the server.
        env_id: What is played.
        num_envs: How many.
        token: Of the client; None for a server without tokens.
        autoreset_mode: What follows an episode's end.
        env_kwargs: `split`, `max_turns`, `render_mode`.

    Raises:
        ConfigError: if `num_envs` is below 1.
        ServerError: if the server cannot be reached, or refuses one of them; none is left open.
    """

    def __init__(
        self,
        url: str,
        env_id: str,
        num_envs: int,
        *,
        token: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        **env_kwargs: Any,
    ):
        if num_envs < 1:
            raise ConfigError(f"num_envs must be at least 1, got {num_envs}")
        mode = AutoresetMode(autoreset_mode)
        self._connection = Connection(url, token)
        self._sessions: list[str] = []
        try:
            first = RemoteEnv(url, env_id, connection=self._connection, **env_kwargs)
            self._sessions = [first.session]
            others = self._connection.answers([{"op": "create", "env": env_id, **env_kwargs}] * (num_envs - 1))
            self._sessions += [told["session"] for told in others if "session" in told]
            accepted(others)
        except BaseException:
            self.close_extras()
            raise
        self.facts = first.facts
        shape = Shape(first.observation_space, first.action_space, first.metadata, first.render_mode)
        super().__init__(num_envs, shape, mode, first.spec)

    def _reset(
        self, indices: Sequence[int], seeds: Sequence[int | None], options: Mapping[str, Any] | None
    ) -> list[Begun]:
        given = None if options is None else dict(options)
        asked = [{"op": "reset", "seed": seed, "options": given} for seed in seeds]
        return [(told["observation"], told["info"]) for told in self._change(indices, asked)]

    def _step(self, indices: Sequence[int], actions: Sequence[Any]) -> list[Played]:
        told = self._change(indices, [{"op": "step", "action": action} for action in actions])
        return [
            (each["observation"], each["reward"], each["terminated"], each["truncated"], each["info"]) for each in told
        ]

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What every environment says of itself, such as `admissible_actions`.

        Args:
            name: What.
            args: None are taken.
            kwargs: None are taken.
        """
        if args or kwargs:
            raise TypeError(f"{name} takes no arguments over the wire")
        asked = [{"op": "ask", "session": session, "name": name} for session in self._sessions]
        return tuple(unplain(told["answer"]) for told in self._connection.ask(asked))

    def close_extras(self, **kwargs: Any) -> None:
        """Close the sessions, whichever are still open."""
        self._connection.end(self._sessions)
        self._connection.close()

    def _change(self, indices: Sequence[int], asked: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        placed = zip(indices, asked, strict=True)
        return self._connection.change([{**each, "session": self._sessions[at]} for at, each in placed])
