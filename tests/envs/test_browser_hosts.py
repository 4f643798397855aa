"""Which hosts a list allows, and what is none."""

from __future__ import annotations

import pytest

from agentgym.core.errors import ConfigError
from agentgym.envs.web._browser.hosts import HostList


@pytest.mark.parametrize(
    ("host", "url", "allowed"),
    [
        ("shop.example", "https://shop.example/cart", True),
        ("Shop.Example", "https://SHOP.example:8443/", True),
        ("shop.example", "https://www.shop.example/", False),
        ("*.example.org", "http://example.org/", True),
        ("*.example.org", "http://a.b.example.org/", True),
        ("*.example.org", "http://badexample.org/", False),
        ("localhost:8000", "http://localhost:8000/", True),
        ("localhost:8000", "http://localhost/", False),
        ("localhost:8000", "http://ann:pw@localhost:8000/", True),
        ("localhost:80", "http://localhost/", True),
        ("[::1]:8000", "http://[::1]:8000/", True),
        ("[0:0:0:0:0:0:0:1]:8000", "http://[::1]:8000/", True),
        ("[::1]:8000", "http://[::1]:8001/", False),
        ("[::1]", "http://[::1]:8001/", True),
        ("[2001:DB8::1]", "https://[2001:db8:0::1]/", True),
        ("127.0.0.1", "http://127.0.0.1:5000/", True),
        ("shop.example", "ftp://shop.example/", False),
        ("shop.example", "http://[::1/", False),
    ],
)
def test_a_host_allows_its_addresses_alone(host: str, url: str, allowed: bool) -> None:
    assert HostList([host]).allows(url) is allowed
    assert HostList(["other.example", host]).allows(url) is allowed


@pytest.mark.parametrize(
    "host",
    ["", "*", "*.", "http://shop.example", "shop.example/", "a b", "::1", "[::1", "[shop]", "[::1]8000", "[127.0.0.1]",
     "localhost:", "localhost:http", "localhost:0", "localhost:65536", "localhost:²", "a*b.example"],
)  # fmt: skip
def test_what_is_no_host_is_refused_in_one_line(host: str) -> None:
    with pytest.raises(ConfigError, match=r"is no host; write a name such as shop\.example, localhost:8000 or"):
        HostList([host])


def test_a_name_and_password_are_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigError, match="give them as credentials") as refused:
        HostList(["ann:secret@localhost:7770"])
    assert "secret" not in str(refused.value)
    assert "ann" not in str(refused.value)
    assert "'localhost:7770'" in str(refused.value)


def test_the_browser_is_told_the_hosts_as_they_are_written() -> None:
    hosts = HostList(["*.Example.org", "[::1]:8000"])
    assert hosts.proxy["bypass"] == "*.example.org,example.org,[::1]:8000"
    assert str(hosts) == "*.example.org, [::1]:8000"
