"""Which addresses a world may open."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from agentgym.core.errors import ConfigError

NOWHERE = "http://127.0.0.1:1"  # a proxy that answers nobody: what is not allowed is sent there
DEFAULT_PORTS = {"http": 80, "https": 443}


class HostList:
    """Hosts that may be reached: `shop.example`, `*.example.org` (with every name below), `localhost:8000`.

    The browser itself enforces it, for every request of every page, redirects and sockets included.
    """

    def __init__(self, hosts: Sequence[str]):
        for host in hosts:
            if "/" in host or " " in host or not host.strip("*."):
                raise ConfigError(
                    f"{host!r} is no host; write a name such as shop.example or localhost:8000, no address"
                )
        self.hosts = tuple(host.lower() for host in hosts)

    def allows(self, url: str) -> bool:
        """Whether a page of this address may be opened."""
        scheme, host, port = split(url)
        if scheme in ("about", "data", "blob", "javascript"):
            return True
        return scheme in DEFAULT_PORTS and any(self._fits(allowed, host, port) for allowed in self.hosts)

    @staticmethod
    def _fits(allowed: str, host: str, port: int) -> bool:
        name, _, wanted = allowed.partition(":")
        if wanted and int(wanted) != port:
            return False
        return host == name.removeprefix("*.") or (name.startswith("*.") and host.endswith(name[1:]))

    @property
    def proxy(self) -> dict[str, str]:
        """What makes a context of Playwright's reach nothing else: it takes the loopback addresses out by itself."""
        names = [part for host in self.hosts for part in ((host, host[2:]) if host.startswith("*.") else (host,))]
        return {"server": NOWHERE, "bypass": ",".join(names)}

    def __str__(self) -> str:
        return ", ".join(self.hosts) or "none"


def split(url: str) -> tuple[str, str, int]:
    """Scheme, host and port of an address; empty and 0 where it has none."""
    try:
        parts = urlsplit(url)
        return parts.scheme.lower(), (parts.hostname or "").lower(), parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
    except ValueError:
        return "", "", 0
