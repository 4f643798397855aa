"""`agentgym ui`: the web application."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentgym.cli.screen import console
from agentgym.core import require


def ui(
    runs: Annotated[
        Path, typer.Option(help="Folder whose runs are shown, and into which demonstrations are written.")
    ] = Path("runs"),
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            help="An agent that may play, such as hf:PATH, endpoint:MODEL or run:FOLDER; several.",
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on. Whoever reaches it can play here.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes one that is free.")] = 8600,
    name: Annotated[
        list[str] | None, typer.Option("--name", help="A name by which this machine is called from others; several.")
    ] = None,
) -> None:
    """Open the worlds in a browser: play them, watch models play, read what runs recorded.

    Serves pages to this machine alone, unless --host says otherwise; ends with Ctrl-C.
    """
    for package in ("starlette", "uvicorn"):
        require(package, extra="ui", purpose="agentgym ui")
    from agentgym.ui import ServerAddress, UISettings, serve

    address = ServerAddress(host, port, tuple(name or ()))
    screen = console()
    serve(
        UISettings(runs, tuple(agent or ())),
        address,
        lambda url: screen.print(f"{url}  (Ctrl-C ends it)", soft_wrap=True),
    )
