"""Which addresses a world may open."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from agentgym.core.errors import ConfigError

NOWHERE = "http://127.0.0.1:1"  # a proxy that answers nobody: what is not allowed is sent there
DEFAULT_PORTS = {"http": 80, "https": 443}
HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>(?:\*\.)?[^\s/@:\[\]*]+))(?::(?P<port>[0-9]{1,5}))?")


class HostList:
    """Hosts that may be reached: `shop.example`, `*.example.org` (with every name below), `localhost:8000`, `[::1]:80`.

    The browser itself enforces it, for every request of every page, redirects and sockets included.

    Args:
        hosts: Names or IP addresses, one of version 6 in brackets, each with a port or for every port.

    Raises:
        ConfigError: if one is something else. A name and password before a host are not repeated.
    """

    def __init__(self, hosts: Sequence[str]):
        self.hosts = tuple(host.lower() for host in hosts)
        self._allowed = [_read(host) for host in self.hosts]

    def allows(self, url: str) -> bool:
        """Whether a page of this address may be opened."""
        scheme, host, port = split(url)
        if scheme in ("about", "data", "blob", "javascript"):
            return True
        if scheme not in DEFAULT_PORTS:
            return False
        name = _plain(host)
        return any(wanted in (0, port) and _fits(allowed, name) for allowed, wanted in self._allowed)

    @property
    def proxy(self) -> dict[str, str]:
        """What makes a context of Playwright's reach nothing else: it takes the loopback addresses out by itself."""
        names = [part for host in self.hosts for part in ((host, host[2:]) if host.startswith("*.") else (host,))]
        return {"server": NOWHERE, "bypass": ",".join(names)}

    def __str__(self) -> str:
        return ", ".join(self.hosts) or "none"


def _read(host: str) -> tuple[str, int]:
    """The name of a host and its port, 0 for every port."""
    if "@" in host:
        raise ConfigError(
            f"the host {host.rpartition('@')[2]!r} stands behind a name and password; leave them out, and give them as "
            "credentials"
        )
    found = HOST.fullmatch(host)
    address, name, port = (found["address"], found["name"], found["port"]) if found else (None, None, None)
    good = _is_address(address) if address else bool(name and name.strip("*."))
    if not good or (port is not None and not 0 < int(port) < 2**16):
        raise ConfigError(
            f"{host!r} is no host; write a name such as shop.example, localhost:8000 or [::1]:8000, no address"
        )
    return _plain(address or name or ""), int(port or 0)


def _fits(allowed: str, name: str) -> bool:
    """Whether a host is what is `allowed`, or below it."""
    return name == allowed.removeprefix("*.") or (allowed.startswith("*.") and name.endswith(allowed[1:]))


def _is_address(text: str) -> bool:
    """Whether it is an IP address of version 6."""
    try:
        return ipaddress.ip_address(text).version == 6
    except ValueError:
        return False


def _plain(host: str) -> str:
    """A host as browsers write it: an IP address of version 6 in its shortest form."""
    return str(ipaddress.ip_address(host)) if ":" in host and _is_address(host) else host


def split(url: str) -> tuple[str, str, int]:
    """Scheme, host and port of an address; empty and 0 where it has none."""
    try:
        parts = urlsplit(url)
        return parts.scheme.lower(), (parts.hostname or "").lower(), parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
    except ValueError:
        return "", "", 0
