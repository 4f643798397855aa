"""Who may use a server: tokens, and no web page."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import ipaddress
from collections.abc import Iterable, Mapping

from agentgym.core import ConfigError
from agentgym.serve.errors import FORBIDDEN, NO_TOKEN, Refused

SHORTEST = 16  # characters of a token
NOBODY = "-"  # the one client of a server without tokens


class Access:
    """Tells clients apart by their tokens, of which it keeps hashes only.

    A token comes as `Authorization: Bearer TOKEN`, or as the password of `http://user:TOKEN@host`, which clients that
    know no tokens send as well.

    Args:
        tokens: One for each client; without any there is one client.

    Raises:
        ConfigError: if a token is too short to be a secret.
    """

    def __init__(self, tokens: Iterable[str]):
        given = list(tokens)
        if any(len(token) < SHORTEST or not token.isascii() for token in given):
            raise ConfigError(
                f"a token has at least {SHORTEST} characters of ASCII; make one with: openssl rand -hex 16"
            )
        self._owners = {_hash(token) for token in given}

    @property
    def open(self) -> bool:
        """Whether there are no tokens."""
        return not self._owners

    def owner(self, headers: Mapping[str, str]) -> str:
        """The client that sends a request.

        Args:
            headers: Of the request, by lower-case name.

        Raises:
            Refused: if a browser sends it for a web page, or the token is not known.
        """
        if "origin" in headers:  # a page of any site could reach a server on the reader's own machine
            raise Refused(FORBIDDEN, "requests of web pages are not answered")
        if self.open:
            return NOBODY
        found = _hash(_token(headers.get("authorization", "")))
        for owner in self._owners:
            if hmac.compare_digest(owner, found):
                return owner
        raise Refused(NO_TOKEN, "no valid token; send the header  Authorization: Bearer TOKEN")


def require_tokens(host: str, access: Access) -> None:
    """Refuse to listen beyond this machine without tokens.

    Args:
        host: Address to listen on.
        access: What tells clients apart.

    Raises:
        ConfigError: naming the option.
    """
    try:
        near = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        near = False
    if access.open and not near:
        raise ConfigError(f"{host} can be reached by other machines: give --tokens FILE, or listen on 127.0.0.1")


def _token(header: str) -> str:
    kind, _, value = header.partition(" ")
    if kind.lower() != "basic":
        return value.strip() if kind.lower() == "bearer" else ""
    try:
        return base64.b64decode(value, validate=True).decode("ascii").partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
