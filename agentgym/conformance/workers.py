"""Fresh processes that play the environment under test, one per hash seed, beside the checks of this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentgym.conformance.errors import NotApplicable, Violation

PATIENCE = 600  # seconds until a fresh process counts as stuck
TAIL = 600  # characters of a broken process's complaint


class Workers:
    """Processes running `agentgym.conformance.worker` on one id, by number, which is also their PYTHONHASHSEED.

    Args:
        env_id: The id with its module prefix.
        kwargs: Constructor arguments, JSON-safe.
        folder: Where jobs, results and what the processes print are written.
    """

    def __init__(self, env_id: str, kwargs: Mapping[str, Any], folder: Path):
        self._job = {"id": env_id, "kwargs": dict(kwargs)}
        self._folder = folder
        self._running: dict[int, subprocess.Popen[bytes]] = {}
        self._answers: dict[int, dict[str, Any]] = {}
        self.calls: list[str] = []  # of the network, by a process that was stopped there

    def start(self, number: int, **job: Any) -> None:
        """Start a process with a job.

        Args:
            number: Its number, and its PYTHONHASHSEED.
            job: What `agentgym.conformance.worker.run` reads.
        """
        out, err, todo, result = (self._path(number, kind) for kind in ("out", "err", "job", "result"))
        todo.write_text(json.dumps({**self._job, "plays": [], "printed": [str(out), str(err)], **job}))
        environment = {
            **os.environ,
            "PYTHONHASHSEED": str(number),
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        }
        with out.open("wb") as stdout, err.open("wb") as stderr:
            self._running[number] = subprocess.Popen(
                [sys.executable, "-m", "agentgym.conformance.worker", str(todo), str(result)],
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                env=environment,
            )

    def answer(self, number: int) -> dict[str, Any]:
        """What a process found; waits for it.

        Raises:
            Violation: the first time a broken process is asked.
            NotApplicable: after that, so that one fault is one failure.
        """
        if number not in self._answers:
            process = self._running.get(number)
            if process is None:
                raise NotApplicable("a fresh process failed, see above")
            try:
                code = process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
            del self._running[number]
            if code:
                self.close()
                if self._path(number, "result").exists():
                    self.calls = json.loads(self._path(number, "result").read_text())["network"]
                if self.calls:
                    raise NotApplicable("a fresh process was stopped where it called the network, see below")
                complaint = self._path(number, "err").read_text(errors="replace").strip().rpartition("\n")[2]
                raise Violation(
                    f"a fresh process that makes {self._job['id']!r} and plays it ended with code {code}: "
                    f"{complaint[-TAIL:]}.",
                    "give the id with the module that registers it, as in mypkg:NS/Echo-v0, and mend what it says.",
                )
            self._answers[number] = json.loads(self._path(number, "result").read_text())
        return self._answers[number]

    def close(self) -> None:
        """End what still runs."""
        for process in self._running.values():
            process.kill()
            process.wait()
        self._running.clear()

    def _path(self, number: int, kind: str) -> Path:
        return self._folder / f"worker-{number}.{kind}"
