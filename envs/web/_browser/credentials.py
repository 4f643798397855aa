"""Names and passwords for hosts that ask for them by HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.core.errors import ConfigError
from agentgym.envs.web._browser.hosts import HostList


class Credentials(dict[str, tuple[str, str]]):
    """Name and password by host; its words name the hosts alone."""

    def __repr__(self) -> str:
        """The hosts, without what is secret."""
        return f"Credentials for {', '.join(sorted(self)) or 'no host'}"


def check_credentials(name: str, value: Any) -> Credentials:
    """Names and passwords by host.

    Args:
        name: What the value is called.
        value: What was given.

    Raises:
        ConfigError: if it is no mapping of hosts to pairs; what was given is not repeated.
    """
    wrong = ConfigError(f'{name} maps hosts to a name without colon and a password: {{"shop.example": ["ann", "..."]}}')
    if not isinstance(value, Mapping):
        raise wrong
    found = Credentials()
    for host, pair in value.items():
        texts = isinstance(pair, (list, tuple)) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
        if not isinstance(host, str) or not texts or ":" in pair[0]:
            raise wrong
        try:
            HostList([host])
        except ConfigError as error:
            raise ConfigError(f"{name}: {error}") from None
        found[host.lower()] = (pair[0], pair[1])
    return found
