"""An engine in a process of its own: what kills it, or keeps it busy for ever, leaves the process of Python alone."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

from agentgym.core.errors import EngineFailure
from agentgym.envs._kit import engine_child

PATIENCE = 300.0  # seconds that one answer may take: on a busy machine a start takes minutes
CHUNK = 1 << 16  # bytes that are read at a time
_running: weakref.WeakSet[EngineProcess] = weakref.WeakSet()


class EngineProcess:
    """The process of one engine; it ends with its Python process, whatever ends that, also while it is busy.

    Args:
        name: Of the engine, for messages.
        file: The file that defines `Engine`; see `engine_child`.
        arguments: What the engine is made with, JSON-safe.
        patience: Seconds that one answer may take.

    Raises:
        EngineFailure: if the process cannot be started.
    """

    def __init__(self, name: str, file: str | Path, *arguments: Any, patience: float = PATIENCE):
        self.name, self._patience = name, patience
        command = [sys.executable, "-P", engine_child.__file__, str(file), json.dumps(arguments)]
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is for us
            )
        except OSError as error:
            raise EngineFailure(f"the process of {name} cannot be started: {error}") from error
        self._rest = b""  # what was read behind the last answer
        self._end = weakref.finalize(self, _end, self.process)
        _running.add(self)

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._end.alive and self.process.poll() is None

    def call(self, method: str, *arguments: Any) -> Any:
        """What a method of the engine returns.

        Args:
            method: Its name.
            arguments: JSON-safe.

        Raises:
            EngineFailure: if the process has ended, does not answer in time, or the engine raised an error.
        """
        assert self.process.stdin is not None
        if not self.alive:  # the engine goes with the process that keeps it, a moment later
            self.end()
            raise EngineFailure(f"the process of {self.name} ended")
        try:
            self.process.stdin.write(json.dumps([method, arguments]).encode() + b"\n")
            told = json.loads(self._answer())
        except OSError as error:
            self.end()
            raise EngineFailure(f"the process of {self.name} ended") from error
        if "raised" in told:
            raise EngineFailure(f"{self.name} failed: {told['raised']}")
        return told["returned"]

    def _answer(self) -> bytes:
        """The next line that the process writes."""
        assert self.process.stdout is not None
        pieces = [self._rest]
        while b"\n" not in pieces[-1]:
            ready, _, _ = select.select([self.process.stdout], [], [], self._patience)
            if not ready:
                self.end()
                raise EngineFailure(f"{self.name} did not answer within {self._patience:g} seconds")
            piece = os.read(self.process.stdout.fileno(), CHUNK)
            if not piece:
                raise BrokenPipeError
            pieces.append(piece)
        line, _, self._rest = b"".join(pieces).partition(b"\n")
        return line

    def end(self) -> None:
        """Kill the process; harmless when repeated."""
        self._end()

    def leave(self) -> None:
        """Let go of the pipes of a process that belongs to another; it is not killed."""
        self._end.detach()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def _forked() -> None:
    """The processes belong to the parent: hold no pipes of theirs, which would keep them alive."""
    for each in list(_running):
        each.leave()


os.register_at_fork(after_in_child=_forked)
