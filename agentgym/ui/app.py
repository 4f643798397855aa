"""The application: which address shows what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from agentgym.core import AgentGymError
from agentgym.ui import games, records, worlds
from agentgym.ui.holders import Agents
from agentgym.ui.origin import OwnPagesOnly
from agentgym.ui.pictures import Pictures
from agentgym.ui.tables import Tables
from agentgym.ui.templating import STATIC, page, static


@dataclass(frozen=True)
class UISettings:
    """What the person at the machine has allowed.

    Attributes:
        runs: The folder whose runs are shown and into which demonstrations are written; None for none.
        agents: Agents that can be asked to play beside the scripted ones, such as `hf:PATH`.
    """

    runs: Path | None = None
    agents: Sequence[str] = ()


def application(settings: UISettings, hosts: Sequence[str]) -> Starlette:
    """The web application.

    Args:
        settings: What is shown and who plays.
        hosts: How the server is called, each as `name:port`; requests that name another host are refused.
    """
    app = Starlette(
        routes=[
            *worlds.ROUTES,
            *games.ROUTES,
            *records.ROUTES,
            Route("/static/{name}", _static, name="static"),
        ],
        middleware=[Middleware(OwnPagesOnly, hosts=hosts)],
        exception_handlers={AgentGymError: _complain, HTTPException: _say},
    )
    app.state.settings = settings
    app.state.pictures = Pictures()
    app.state.tables = Tables(Agents(settings.agents))
    return app


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        raise HTTPException(404, "there is no such file")
    return Response(static(name), media_type=STATIC[name][1])


def _complain(request: Request, error: Exception) -> Response:
    return page("message", 400, title="That did not work", text=str(error))


def _say(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return page("message", error.status_code, title=f"Error {error.status_code}", text=error.detail)
