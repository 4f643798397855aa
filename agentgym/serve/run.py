"""Runs the server until it is told to end."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import Any

import uvicorn

from agentgym.core import ConfigError
from agentgym.serve.access import Access, require_tokens
from agentgym.serve.app import ServerSettings, make_app
from agentgym.serve.metrics import Log
from agentgym.serve.patience import patient_protocol

CONNECTIONS = 8192  # at once; others are told to come again


class _Server(uvicorn.Server):
    """Says when it listens, and when it has ended: the signal that ends it is passed on, and ends the process."""

    def __init__(self, config: uvicorn.Config, log: Log, url: str, ids: Sequence[str]):
        super().__init__(config)
        self._log, self._url, self._ids = log, url, ids

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._log.note("listening", url=self._url, ids=list(self._ids))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        self._log.note("ended")


def serve(settings: ServerSettings, host: str = "127.0.0.1", port: int = 8000) -> None:
    """Serve until the process is told to end by SIGINT or SIGTERM.

    Args:
        settings: What is served, and to whom.
        host: Address to listen on; one that other machines reach needs tokens.
        port: To listen on; 0 takes a free one, which the first line of the log tells.

    Raises:
        ConfigError: if the port is taken, or the settings do not fit.
    """
    require_tokens(host, Access(settings.tokens))
    log = Log()
    app = make_app(settings, log)
    listen(app, log, settings.ids, host, port, settings.body, settings.patience)


def listen(
    app: Any,
    log: Log,
    ids: Sequence[str],
    host: str,
    port: int,
    body: int,
    patience: float,
    made: Callable[[uvicorn.Server], None] = lambda server: None,
) -> None:
    """Answer requests until the process is told to end.

    Args:
        app: Of ASGI.
        log: Its first line tells the address.
        ids: What that line names.
        host, port: Where; port 0 takes a free one.
        body: Bytes of a message over WebSocket.
        patience: Seconds for a client to say what it wants.
        made: Called with the server before it listens; whoever sets its `should_exit` ends it.

    Raises:
        ConfigError: if the port is taken.
    """
    config = uvicorn.Config(
        app,
        http=patient_protocol(patience),
        log_config=None,
        access_log=False,
        server_header=False,
        ws_max_size=body,
        ws_per_message_deflate=False,  # costs more than it saves on one machine, and a bomb could hide in it
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=5,
    )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as error:
            raise ConfigError(
                f"cannot listen on {host}, port {port}: {error.strerror}; choose another --port"
            ) from None
        shown = f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{listening.getsockname()[1]}"
        server = _Server(config, log, url, ids)
        made(server)
        server.run(sockets=[listening])
