"""Where an endpoint is, and what may be told of it: credentials go there, and nowhere else."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from agentgym.core import ConfigError

OPENAI = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
LONG = 12  # characters from which on a value of the query may be a key, rather than a version
CREDENTIAL = re.compile(
    r"(?i)(api[-_]?key|authorization|secret|passw(or)?d|credentials?|(access|auth|bearer)[-_]?token)$|^(key|token)$"
)  # how parameters that carry one are called; `max_tokens` and the like are none
PLAIN = frozenset({"host", "accept", "content-type", "content-length", "connection", "user-agent", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class Address:
    """Where an endpoint is.

    Attributes:
        shown: The address without credentials and query, which may be stored and printed.
        host: Its host in lower case.
        query: What every question has in its query.
        authorization: The header of that name; "" for none.
        secrets: What must not be told.
    """

    shown: str
    host: str
    query: Mapping[str, str]
    authorization: str
    secrets: tuple[str, ...]

    @classmethod
    def of(cls, base_url: str, api_key: str = "") -> Address:
        """Take an address apart.

        Args:
            base_url: With user and password, and a query, or without.
            api_key: The bearer token; "" for none.

        Raises:
            ConfigError: if it is no address, or there are two credentials.
        """
        if not str(base_url).startswith(("http://", "https://")):
            raise ConfigError(f"base_url must begin with http:// or https://, got {str(base_url).split('@')[-1]!r}")
        if not (api_key.isascii() and api_key.isprintable()):
            raise ConfigError("the API key holds characters that no HTTP header can carry; check the variable it is in")
        try:
            parts = urlsplit(base_url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            raise ConfigError(f"base_url is no address: {error}") from None
        if not host or any(letter.isspace() for letter in host):
            raise ConfigError(f"base_url names no server: {_without_user(base_url)!r}")
        shown = f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{f':{port}' if port else ''}"
        query = dict(parse_qsl(parts.query))
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        if api_key and (user or password):
            raise ConfigError("there are two credentials: the API key, and the user in base_url; give one")
        authorization = f"Bearer {api_key}" if api_key else ""
        if user or password:
            authorization = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")
        long = [value for value in query.values() if len(value) >= LONG]
        basic = authorization.partition(" ")[2]
        return cls(
            shown + parts.path.rstrip("/"),
            host.lower(),
            query,
            authorization,
            (api_key, password or user, basic, *long),
        )

    def prepare(self, headers: MutableMapping[str, str]) -> None:
        """Leave the headers of a question that are meant for this host, and add the credentials.

        The client adds what the environment says is meant for OpenAI, such as OPENAI_ORG_ID.

        Args:
            headers: They are changed.
        """
        if self.host != urlsplit(OPENAI).hostname:
            for name in [name for name in headers if name.lower() not in PLAIN]:
                del headers[name]
        headers.pop("authorization", None)
        if self.authorization:
            headers["Authorization"] = self.authorization
        headers["Accept-Encoding"] = "identity"  # the size of an answer is bounded as it comes


def stored_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the endpoint agent as they may be written down: the address without credentials and query.

    Args:
        options: As they were given.
    """
    stored = dict(options)
    if isinstance(stored.get("base_url"), str):
        stored["base_url"] = Address.of(stored["base_url"]).shown
    return stored


def without_credentials(data: Any) -> Any:
    """Plain data, such as a recipe, in which every `base_url` stands without credentials and query.

    Args:
        data: Tables of options may stand anywhere in it.
    """
    if isinstance(data, Mapping):
        web = str(data.get("base_url")).startswith(("http://", "https://"))
        return {key: without_credentials(value) for key, value in (stored_options(data) if web else data).items()}
    return [without_credentials(each) for each in data] if isinstance(data, (list, tuple)) else data


def _without_user(url: str) -> str:
    return url.rpartition("@")[2].partition("?")[0]


def refuse_credentials(parameters: Mapping[str, Any], keys: Iterable[str]) -> None:
    """See that what is sent as parameters, and so stands in the record of a run, holds no key.

    Args:
        parameters: JSON-safe, of any depth.
        keys: The endpoint's.

    Raises:
        ConfigError: naming the parameter that is called as a credential is, or whose value holds a key.
    """
    known = [key for key in keys if len(key) >= LONG]
    waiting: list[tuple[str, Any]] = [("", parameters)]
    while waiting:
        name, value = waiting.pop()
        if CREDENTIAL.search(name) or (isinstance(value, str) and any(key in value for key in known)):
            raise ConfigError(
                f"extra_body holds a credential in {name!r}, and it is written into the record of the run; "
                "put the key into an environment variable and name it with --api-key-env"
            )
        if isinstance(value, Mapping):
            waiting += value.items()
        elif isinstance(value, list | tuple):
            waiting += ((name, each) for each in value)
