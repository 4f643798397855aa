"""The command, and the addresses on which it serves."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from agentgym.cli import run
from agentgym.core import ConfigError
from agentgym.ui import ServerAddress
from tests.ui.conftest import Site


def test_the_command_serves_this_machine_until_it_is_interrupted(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "agentgym", "ui", "--port", "0"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        found = re.fullmatch(r"(http://127\.0\.0\.1:\d+/)  \(Ctrl-C ends it\)\n", line)
        assert found, line
        with urllib.request.urlopen(found[1], timeout=60) as answer:
            assert b"FrozenLake" in answer.read()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode in (0, 130)
    assert "Traceback" not in errors


def test_a_port_that_is_taken_is_named(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ui", "--port", str(site.port)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"agentgym: 127.0.0.1 port {site.port} cannot be had")
    assert error.count("\n") == 1


def test_an_address_must_be_one() -> None:
    with pytest.raises(ConfigError, match="takes an IP address of this machine, got 'gpu-box'"):
        ServerAddress("gpu-box")
    with pytest.raises(ConfigError, match="say by which name pages are opened"):
        ServerAddress("0.0.0.0")
    with pytest.raises(ConfigError, match="cannot be had"):
        ServerAddress("192.0.2.1").bind()


def test_a_server_knows_its_names() -> None:
    assert ServerAddress().hosts(5) == ["127.0.0.1:5", "localhost:5", "[::1]:5"]
    assert ServerAddress("0.0.0.0", names=["box"]).hosts(5) == ["0.0.0.0:5", "box:5"]
    assert ServerAddress("192.0.2.1").hosts(5) == ["192.0.2.1:5"], "no name of another machine, nor this one's loopback"
    assert ServerAddress("::1").hosts(5)[0] == "[::1]:5"
