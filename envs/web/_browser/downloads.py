"""What a context downloads: taken from the browser's folder into memory, within limits of size and number."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agentgym.envs.web._browser.profile import Profile, remove_folder

MOST_BYTES = 64 << 20  # of one file
MOST_IN_ALL = 128 << 20  # of the files of an episode, those that were stopped included
MOST_FILES = 200  # of an episode

Tell = Callable[[str, Mapping[str, Any] | None], None]  # a sentence for the agent, and a record of what happened


class Downloads:
    """The downloads of one context.

    Args:
        profile: The folder of the browser, in which they come to lie.
        cancel: Stops the download of a name that the browser gave it.
        tell: Told of every end.

    Attributes:
        folder: Where the browser puts them.
        files: Content of each downloaded file by name.
        begun: Downloads that began in this episode.
    """

    def __init__(self, profile: Profile, cancel: Callable[[str], None], tell: Tell):
        self.folder = profile.folder("downloads-")
        self.files: dict[str, bytes] = {}
        self._cancel = cancel
        self._discarded: set[str] = set()  # until the browser says that they ended
        self._tell = tell
        self._names: dict[str, str] = {}
        self._received: dict[str, int] = {}
        self.begun = 0
        self._expected = 0
        self._announced: set[str] = set()
        self._bytes = 0  # of those that have ended

    @property
    def under_way(self) -> bool:
        """Whether one is coming in."""
        return bool(self._names)

    @property
    def awaited(self) -> bool:
        """Whether one was announced that has not begun."""
        return self._expected > self.begun

    def expect(self, name: str) -> None:
        """A page announces a download, or perhaps one.

        Args:
            name: Of what announces it; a name is heeded once.
        """
        if name not in self._announced:
            self._announced.add(name)
            self._expected += 1

    def give_up(self) -> None:
        """Await no download any more that has not begun."""
        self._expected = self.begun

    def begin_again(self) -> None:
        """Forget the files; an episode begins."""
        self.files, self.begun, self._bytes, self._expected = {}, 0, 0, 0
        self._announced.clear()

    def begin(self, guid: str, name: str) -> None:
        """A download begins.

        Args:
            guid: The browser's name for it, which is that of its file.
            name: What the page calls it.
        """
        self._names[guid] = name
        self._received[guid] = 0
        self.begun += 1
        if self.begun > MOST_FILES:
            self._stop(guid, f"at most {MOST_FILES} files are kept")

    def go_on(self, guid: str, state: str, received: int) -> None:
        """A download went on or ended.

        Args:
            guid: See `begin`; one that did not begin here, or was stopped, is passed over.
            state: `inProgress`, `completed` or `canceled`.
            received: Bytes that have come so far.
        """
        if guid in self._discarded and state != "inProgress":
            self._discarded.remove(guid)
            _remove(Path(self.folder) / guid)
        if guid not in self._names:
            return
        self._received[guid] = received
        if received > MOST_BYTES or self._bytes + sum(self._received.values()) > MOST_IN_ALL:
            self._stop(guid, f"at most {MOST_BYTES >> 20} MiB each and {MOST_IN_ALL >> 20} MiB in all are kept")
        elif state != "inProgress":
            name = self._end(guid)
            content = _read(Path(self.folder) / guid) if state == "completed" else None
            if content is None:
                self._tell(f"The download of {name!r} failed.", None)
            else:
                self.files[name] = content
                record = {"name": name, "bytes": len(content)}
                self._tell(f"Downloaded {name!r} ({len(content)} bytes).", record)
            _remove(Path(self.folder) / guid)

    def _stop(self, guid: str, reason: str) -> None:
        name = self._end(guid)
        self.discard(guid)
        self._tell(f"The download of {name!r} was stopped: {reason}.", None)

    def discard(self, guid: str) -> None:
        """Stop a download and drop its file, now or when it comes to its end after all.

        Args:
            guid: The name that the browser gave it.
        """
        self._discarded.add(guid)
        self._cancel(guid)
        _remove(Path(self.folder) / guid)

    def _end(self, guid: str) -> str:
        self._bytes += self._received.pop(guid)
        return self._names.pop(guid)


def saves(headers: Mapping[str, str]) -> bool:
    """Whether the headers of an answer make it a file to be kept, in place of a page to be shown."""
    said = next((value for name, value in headers.items() if name.lower() == "content-disposition"), "")
    return said.strip().lower().startswith("attachment")


def _read(path: Path) -> bytes | None:
    """The content of a plain file that the browser wrote; None if it is none, or larger than it said."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode) or about.st_size > MOST_BYTES:
            return None
        with open(file, "rb", closefd=False) as stream:
            return stream.read(MOST_BYTES)
    finally:
        os.close(file)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        remove_folder(path)
    else:
        path.unlink(missing_ok=True)
