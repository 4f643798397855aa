"""What processes hold by their kind, after each has been made to throw away what it no longer needs.

A browser's processes and its driver free their memory when they like: a reading says little before their garbage is
collected, and one sum of all hides whose memory it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import re
import socket
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from agentgym.envs.web._browser import engine

KINDS = ("python", "driver", "browser", "renderer", "helper")
"""This process and its workers; Playwright's driver; the browser's main process; its pages; all others."""
PATIENCE = 30.0  # seconds
ROLE = re.compile(rb"--type=(\S+)")


def children(root: int) -> list[int]:
    """Processes that one has started and that still run."""
    found: list[int] = []
    for file in Path(f"/proc/{root}/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that ended while we looked
            found += map(int, file.read_text().split())
    return found


def kind_of(command: bytes) -> str:
    """The kind of a process.

    Args:
        command: Its words, separated by zeros.
    """
    role = ROLE.search(command.replace(b"\0", b" "))
    if role:
        return "renderer" if role[1] == b"renderer" else "helper"
    name = command.split(b"\0")[0].rpartition(b"/")[2].decode(errors="replace")
    if name.startswith("python"):
        return "python"
    if name == "node":
        return "driver"
    return "browser" if "chrom" in name or "headless_shell" in name else "helper"


def private_mib(pid: int) -> float:
    """Memory that a process shares with no other, in MiB; 0 for one that has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean:", "Private_Dirty:"))) / 1024


def held_by_kind(without: Collection[int] = ()) -> dict[str, float]:
    """Private memory of this process and all it started, by kind, in MiB.

    Args:
        without: Processes that are not counted, nor what they started.
    """
    found: Counter[str] = Counter()
    waiting = [os.getpid()]
    while waiting:
        pid = waiting.pop()
        waiting += [child for child in children(pid) if child not in without]
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found[kind_of(Path(f"/proc/{pid}/cmdline").read_bytes())] += private_mib(pid)  # type: ignore[assignment]
    return dict(found)


class Collector:
    """Collects the garbage of this process, and of a browser and its driver that run for it."""

    def __init__(self) -> None:
        with socket.socket() as place:
            place.bind(("127.0.0.1", 0))
            self._port = place.getsockname()[1]
        self._inspector: Any = None
        self._open = contextlib.ExitStack()
        self._number = 0

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """While a driver that is started can be asked to collect its garbage."""
        engine.close_engine()  # one that runs on from before cannot be asked
        before = os.environ.get("NODE_OPTIONS")
        os.environ["NODE_OPTIONS"] = f"--inspect=127.0.0.1:{self._port} --inspect-publish-uid=http"
        try:
            yield
        finally:
            del os.environ["NODE_OPTIONS"]
            if before is not None:
                os.environ["NODE_OPTIONS"] = before
            self._open.close()

    def collect(self) -> None:
        """Collect it, wherever there is some."""
        gc.collect()
        if engine._engine is None:
            return
        wire = engine._engine.wire
        wire.run(self._collect_pages(wire), PATIENCE)
        self._collect_driver()
        gc.collect()

    @staticmethod
    async def _collect_pages(wire: Any) -> None:
        """Of every page; one that closes while it is asked has no garbage left."""
        for page in [page for context in wire.browser.contexts for page in context.pages]:
            with contextlib.suppress(wire.error, TimeoutError):
                session = await page.context.new_cdp_session(page)
                await asyncio.wait_for(session.send("HeapProfiler.collectGarbage"), PATIENCE / 3)
                await session.detach()

    def _collect_driver(self) -> None:
        from websockets.sync.client import connect

        if self._inspector is None:
            with urlopen(f"http://127.0.0.1:{self._port}/json", timeout=PATIENCE) as told:
                address = json.load(told)[0]["webSocketDebuggerUrl"]
            self._inspector = self._open.enter_context(
                connect(address, max_size=None, proxy=None, ping_interval=None)  # Node's does not answer pings
            )
        for _ in range(2):  # what the first lets go of may hold more
            self._number += 1
            self._inspector.send(json.dumps({"id": self._number, "method": "HeapProfiler.collectGarbage"}))
            while json.loads(self._inspector.recv(PATIENCE)).get("id") != self._number:
                pass
