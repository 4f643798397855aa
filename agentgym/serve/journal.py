"""Logs of sessions on disk, so that they go on after the server was killed: lines of JSON, written before answers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from agentgym.core import ConfigError, DataError
from agentgym.core.json_text import DEEPEST, read_json
from agentgym.serve.host import Event
from agentgym.serve.state import Kept, Session, follow

NAME, LOCK = "sessions.jsonl", "sessions.lock"


class Journal:
    """What happened in every session.

    A line is written with one call of the system before the client gets its answer, so it outlives this process, though
    not necessarily the machine. It holds no pickle: an environment comes back by playing its log again.

    Args:
        folder: Where it stands; None keeps nothing.

    Raises:
        ConfigError: if another server uses the folder.
    """

    def __init__(self, folder: Path | None):
        self._path = None if folder is None else folder / NAME
        self._file = -1
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(folder / LOCK)
            try:
                self._lock.acquire(timeout=0)
            except Timeout:
                raise ConfigError(f"{folder} is in use by another server; end that, or choose another folder") from None

    def load(self, now: float) -> Iterator[tuple[Any, Any]]:
        """Sessions, each with None, and handles, each with its snapshot, as they were; begins a file with these alone.

        Args:
            now: When the sessions count as used last.
        """
        if self._path is None:
            return
        sessions, kept = _read(self._path, now) if self._path.exists() else ({}, {})
        fresh = self._path.with_suffix(".new")
        self._file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        for session in sessions.values():
            self.opened(session)
            yield session, None
        for handle, each in kept.items():
            self.kept(handle, each)
            yield handle, each
        os.replace(fresh, self._path)

    def opened(self, session: Session) -> None:
        """A session is there, as it stands."""
        self._write(
            open=session.id,
            owner=session.owner,
            env=session.env,
            env_kwargs=dict(session.env_kwargs),
            log=session.log,
            turn=session.turn,
            failed=session.failed,
            ended=session.ended,
            body=session.body if session.failed else "",  # which no log gives again
        )

    def changed(self, session: Session, event: Event) -> None:
        """An event has happened in a session; the return to a snapshot, which may be forgotten, leaves it whole.

        Args:
            session: Which, after the event.
            event: What its log says of it.
        """
        if event[0] == "restore":
            self.opened(session)
        else:
            self._write(did=session.id, event=event, ended=session.ended)

    def failed(self, session: Session) -> None:
        """The environment of a session failed."""
        self._write(failed=session.id, reason=session.failed, log=session.log, body=session.body)

    def closed(self, session: Session) -> None:
        """A session is gone."""
        self._write(closed=session.id)

    def kept(self, handle: str, kept: Kept) -> None:
        """A snapshot is kept.

        Args:
            handle: Its name.
            kept: What is kept; of it the log is written.
        """
        self._write(kept=handle, owner=kept.owner, env=kept.env, env_kwargs=dict(kept.env_kwargs), log=list(kept.log))

    def forgot(self, handle: str) -> None:
        """A snapshot is forgotten."""
        self._write(forgot=handle)

    def close(self) -> None:
        """Close the file."""
        if self._path is not None:
            os.close(self._file)
            self._lock.release()

    def _write(self, **line: Any) -> None:
        if self._path is not None:
            os.write(self._file, json.dumps(line).encode("ascii") + b"\n")


def _read(path: Path, now: float) -> tuple[dict[str, Session], dict[str, Kept]]:
    sessions: dict[str, Session] = {}
    kept: dict[str, Kept] = {}
    lines = path.read_bytes().split(b"\n")
    for number, text in enumerate(lines[:-1], 1):  # what follows the last end of a line was cut off, and not answered
        try:
            _take(read_json(text, deepest=2 * DEEPEST), sessions, kept, now)
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"{path}, line {number} is no line of a journal ({error!r}); move the file away") from None
    return sessions, kept


def _take(line: Mapping[str, Any], sessions: dict[str, Session], kept: dict[str, Kept], now: float) -> None:
    if "open" in line:
        sessions[line["open"]] = Session(
            line["open"],
            line["owner"],
            line["env"],
            line["env_kwargs"],
            log=line["log"],
            turn=line["turn"],
            ended=line["ended"],
            failed=line["failed"],
            body=line["body"],
            used=now,
        )
    elif "did" in line:
        session, event = sessions[line["did"]], line["event"]
        session.log, session.ended, session.failed = follow(session.log, event), line["ended"], ""
        session.body = ""
        session.turn += 1
    elif "failed" in line:
        session = sessions[line["failed"]]
        session.log, session.failed, session.ended, session.body = line["log"], line["reason"], True, line["body"]
        session.turn += 1
    elif "closed" in line:
        del sessions[line["closed"]]
    elif "kept" in line:
        kept[line["kept"]] = Kept(line["owner"], line["env"], line["env_kwargs"], tuple(line["log"]), None)
    else:
        del kept[line["forgot"]]
