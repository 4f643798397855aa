"""A process that starts the commands of pages as forks of itself, so that what all of them import is imported once.

A fork runs the same file as a process of its own would, the console script or a page's Python, in a folder of its own,
with the arguments, the search path and the environment that a reader's shell gives it. What it cannot show is that a
command imports all that it needs: `tests/docs/test_pages.py` starts the first of each kind as a process of its own.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO


class Reader:
    """The process, from outside; a context manager.

    Args:
        folder: Where it stands; each command names its own.
    """

    def __init__(self, folder: Path):
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__],
            cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def start(self, folder: Path, command: Sequence[str], imported: Sequence[str], patience: int) -> tuple[int, str]:
        """Start a command.

        Args:
            folder: Where it is started.
            command: Path of a Python file, and its arguments.
            imported: Modules that it may find imported, as all that follow.
            patience: Seconds after which it is ended.

        Returns:
            Its exit status, and what it printed on both streams.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = {"folder": str(folder), "command": list(command), "imported": list(imported), "patience": patience}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, f"the process that forks has ended; it stands above why, for {command}"
        status, said = json.loads(answer)
        return status, said

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.communicate(timeout=60)  # closes its input, whereupon it ends


def serve() -> None:
    """Fork for every line of standard input, and answer with exit status and words; returns in each fork as well."""
    answers = os.fdopen(os.dup(1), "w")
    for line in iter(sys.stdin.readline, ""):
        asked = json.loads(line)
        for module in asked["imported"]:
            importlib.import_module(module)
        gc.collect()
        gc.freeze()  # what forks share is not looked through by each of them
        assert threading.active_count() == 1, "a process with threads must not fork"
        with tempfile.TemporaryFile() as said:
            child = os.fork()
            if child == 0:
                answers.close()
                become(asked["folder"], asked["command"], asked["patience"], said)
                return
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            said.seek(0)
            words = said.read().decode("utf8", errors="replace")
        answers.write(json.dumps([status, words]) + "\n")
        answers.flush()


def become(folder: str, command: Sequence[str], patience: int, said: IO[bytes]) -> None:
    """Be the command, as if Python had been started with it.

    Args:
        folder: Where it is started.
        command: Path of its file, and its arguments.
        patience: Seconds after which the process ends.
        said: Takes what it prints.
    """
    signal.alarm(patience)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(said.fileno(), 1)
    os.dup2(said.fileno(), 2)
    os.chdir(folder)
    sys.argv = list(command)
    sys.path.insert(0, str(Path(command[0]).resolve().parent))
    runpy.run_path(command[0], run_name="__main__")


if __name__ == "__main__":
    serve()
