"""Environments over the network: a server in four dialects, and a client that is a Gymnasium environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from agentgym.serve.client import RemoteEnv
    from agentgym.serve.vector import RemoteVectorEnv

__all__ = ["connect"]


@overload
def connect(url: str, env_id: str, num_envs: None = None, **options: Any) -> RemoteEnv: ...
@overload
def connect(url: str, env_id: str, num_envs: int, **options: Any) -> RemoteVectorEnv: ...
def connect(url: str, env_id: str, num_envs: int | None = None, **options: Any) -> Any:
    """An environment of a server that `agentgym serve` runs.

    Args:
        url: Of the server, such as `http://127.0.0.1:8000`.
        env_id: What is played, with or without the namespace.
        num_envs: None for a Gymnasium environment; a number for a vector environment of so many, which is faster.
        options: `token` of the client, `split`, `max_turns`, `render_mode`; for a vector `autoreset_mode`.

    Raises:
        ServerError: if the server cannot be reached, or does not serve this.
    """
    if num_envs is None:
        from agentgym.serve.client import RemoteEnv

        return RemoteEnv(url, env_id, **options)
    from agentgym.serve.vector import RemoteVectorEnv

    return RemoteVectorEnv(url, env_id, num_envs, **options)
