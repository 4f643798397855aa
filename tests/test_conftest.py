"""The guards that `conftest.py` puts around every test."""

from __future__ import annotations

import os
import socket

import pytest


def test_the_network_is_out_of_reach() -> None:
    with socket.socket() as outside, pytest.raises(AssertionError, match="reached for the network"):
        outside.connect(("192.0.2.1", 80))


def test_this_machine_is_in_reach() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as inside:
        inside.connect(server.getsockname())
        assert inside.getpeername() == server.getsockname()


@pytest.mark.parametrize("number", [1, 2])
def test_environment_variables_do_not_leak(number: int) -> None:
    assert "AGENTGYM_LEAK" not in os.environ
    os.environ["AGENTGYM_LEAK"] = str(number)
