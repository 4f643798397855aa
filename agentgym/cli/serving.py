"""`agentgym serve`: environments over the network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentgym.cli import options
from agentgym.core import ConfigError, require

LIMITS = "Limits"


def serve(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID ...]", help="What is served; by default all.")] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; beyond this machine it needs --tokens.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8000,
    tokens: Annotated[
        Path | None, typer.Option(help="File with a token a line, one for each client; by default nobody is asked.")
    ] = None,
    state: Annotated[
        Path | None, typer.Option(help="Folder that keeps sessions, so that they outlive the server.")
    ] = None,
    env: options.WorldOptions = None,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; by default one for each core.")] = 0,
    sessions: Annotated[
        int, typer.Option(min=1, rich_help_panel=LIMITS, help="Sessions at once, of all clients.")
    ] = 4096,
    engines: Annotated[
        int, typer.Option(min=0, rich_help_panel=LIMITS, help="Of these, engines, each in a process of its own.")
    ] = 8,
    per_client: Annotated[
        int | None, typer.Option(min=1, rich_help_panel=LIMITS, help="Sessions at once of one client; by default all.")
    ] = None,
    idle: Annotated[
        float, typer.Option(min=1, rich_help_panel=LIMITS, help="Seconds after which an unused session is closed.")
    ] = 1800.0,
    body: Annotated[int, typer.Option(min=1024, rich_help_panel=LIMITS, help="Bytes of a message.")] = 4 * 2**20,
    step_timeout: Annotated[
        float, typer.Option(min=0.1, rich_help_panel=LIMITS, help="Seconds for a reset or a step.")
    ] = 60.0,
) -> None:
    """Serve environments to clients in four dialects: our own, the original AgentGym's, OpenEnv's and MCP."""
    for module in ("starlette", "uvicorn", "websockets"):
        require(module, extra="serve", purpose="agentgym serve")
    from agentgym.serve.app import ServerSettings
    from agentgym.serve.run import serve as run
    from agentgym.serve.sessions import ClientLimits
    from agentgym.serve.worlds import every_id

    limits = ClientLimits(sessions, engines, per_client or sessions, sessions, idle)
    settings = ServerSettings(
        ids=ids or every_id(),
        env_kwargs=options.world_options(env, None),
        tokens=read_tokens(tokens),
        processes=workers,
        limits=limits,
        body=body,
        step_timeout=step_timeout,
        state=state,
    )
    run(settings, host, port)


def read_tokens(path: Path | None, option: str = "--tokens") -> list[str]:
    """The tokens in a file, one a line; none without a file.

    Args:
        path: The file; None for none.
        option: Who names it, for a complaint.
    """
    if path is None:
        return []
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{option} {path} cannot be read as ASCII text: {error}") from None
    found = [line.strip() for line in lines if line.strip()]
    if not found:
        raise ConfigError(f"{option} {path} holds no token; write one a line")
    return found
