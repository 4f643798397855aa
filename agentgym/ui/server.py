"""Serves the application on an address of this machine."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.applications import Starlette

from agentgym.core import ConfigError
from agentgym.ui.app import UISettings, application

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
GRACE = 1  # seconds that open pages are waited for at the end


@dataclass(frozen=True)
class ServerAddress:
    """Where the server listens.

    Attributes:
        host: An address of this machine.
        port: 0 takes any that is free.
        names: Further names by which pages are opened, where the server is not on the loopback address.
    """

    host: str = "127.0.0.1"
    port: int = 8600
    names: Sequence[str] = ()

    def __post_init__(self) -> None:
        try:
            address = ipaddress.ip_address(self.host)
        except ValueError:
            raise ConfigError(f"--host takes an IP address of this machine, got {self.host!r}") from None
        if address.is_unspecified and not self.names:
            raise ConfigError(
                f"{self.host} listens on every network; say by which name pages are opened, with --name, such as "
                "--name gpu-box"
            )

    def bind(self) -> socket.socket:
        """A socket that listens here.

        Raises:
            ConfigError: if the port is taken or the address is not of this machine.
        """
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((self.host, self.port))
            listener.listen()
        except (OSError, OverflowError) as error:
            listener.close()
            raise ConfigError(f"{self.host} port {self.port} cannot be had ({error}); give another --port") from None
        return listener

    def hosts(self, port: int) -> list[str]:
        """How pages call the server.

        Args:
            port: On which it listens.
        """
        own = f"[{self.host}]" if ":" in self.host else self.host
        loopback = LOOPBACK if ipaddress.ip_address(self.host).is_loopback else ()
        return [f"{name}:{port}" for name in dict.fromkeys([own, *loopback, *self.names])]


def serve(settings: UISettings, address: ServerAddress, on_start: Callable[[str], None]) -> None:
    """Serve until interrupted.

    Args:
        settings: What is shown and who plays.
        address: Where.
        on_start: Told the address of the first page.

    Raises:
        ConfigError: if the address cannot be had.
    """
    listener = address.bind()
    with listener:
        hosts = address.hosts(listener.getsockname()[1])
        app = application(settings, hosts)
        on_start(f"http://{hosts[0] if not address.names else hosts[-1]}/")
        try:
            make_server(app).run(sockets=[listener])
        finally:
            app.state.tables.close()
            app.state.tables.join()


def make_server(app: Starlette) -> uvicorn.Server:
    """A server of the application; when it is told to end, it leaves the games and cuts what is still being read."""
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=GRACE
    )
    logging.getLogger("uvicorn.error").addFilter(_not_cut_off)
    return _Server(config)


class _Server(uvicorn.Server):
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End: first the games, with the streams that tell of them."""
        app: Any = self.config.app
        app.state.tables.close()
        await super().shutdown(sockets)


def _not_cut_off(record: logging.LogRecord) -> bool:
    """Whether a message is news: that an open page is cut off at the end is none."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, asyncio.CancelledError) and "graceful shutdown" not in record.getMessage()
