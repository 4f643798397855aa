"""What holds for every test: one thread, no network, nothing left behind, the same examples in every run."""

from __future__ import annotations

import gc
import os
import random
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest

# Set before any test imports torch or transformers; processes that tests start inherit it.
os.environ.update(HF_HUB_OFFLINE="1", OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false", NO_COLOR="1")
LOOPBACK = ("127.", "::1", "localhost")

hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("repeatable")

_connect = socket.socket.connect


def _connect_here(self: socket.socket, address: Any) -> None:
    if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(LOOPBACK):
        raise AssertionError(f"a test reached for the network at {address}; tests may talk to this machine only")
    _connect(self, address)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What all tests share stays: the garbage collector need not look through it again and again."""
    for item in session.items if session.config.getoption("loadgroup", False) else ():
        for mark in item.iter_markers("xdist_group"):
            if not item.nodeid.endswith(f"@{mark.args[0]}"):
                raise pytest.UsageError(
                    f"{item.nodeid} is in no group: pytest-xdist does not group tests of pytest {pytest.__version__}; "
                    "install the versions of constraints.txt"
                )
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _no_network_and_a_cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Only this machine can be reached, and the user's cache is neither read nor written; one for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", _connect_here)
        patch.setenv("AGENTGYM_CACHE", str(folder))
        yield


@pytest.fixture(autouse=True)
def _isolated() -> Iterator[None]:
    """Folder, environment variables and global generators are put back after each test."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    folder, variables = Path.cwd(), dict(os.environ)
    python, numpy = random.getstate(), np.random.get_state()
    yield
    os.chdir(folder)
    if os.environ != variables:
        os.environ.clear()
        os.environ.update(variables)
    random.setstate(python)
    np.random.set_state(numpy)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real browser, driven by Playwright."""
    from agentgym.core import MissingExtra
    from agentgym.envs.web._browser.find import find_browser

    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no page is opened")
    try:
        program = find_browser()
    except MissingExtra as error:
        pytest.skip(f"no page is opened: {error}")
    with api.sync_playwright() as driver:
        window = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield window
        window.close()
