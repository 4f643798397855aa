"""The folder of a browser: made for it alone, held by a lock while it is used, removed without following a link.

A folder whose lock nobody holds belonged to a process that was killed; the next browser removes it. Its name proves
nothing, for anybody can give a link or a folder of theirs such a name where temporary files are kept. It gets that name
when its lock is held, so that no folder of the name is ever without.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from agentgym.envs.web._browser.account import Account

PREFIX, MAKING, LOCK = "agentgym-browser-", "agentgym-new-", "lock"


class Profile:
    """A new folder, locked; what the browser writes stands in folders within it.

    Args:
        account: Who runs the browser and so must be able to write there.

    Attributes:
        path: The folder.
        home: The folder within it that is the browser's own.
    """

    def __init__(self, account: Account):
        self._account = account
        made = tempfile.mkdtemp(prefix=MAKING)
        self._lock: int | None = os.open(os.path.join(made, LOCK), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.path = os.path.join(os.path.dirname(made), PREFIX + os.path.basename(made).removeprefix(MAKING))
        os.rename(made, self.path)
        if account.other:
            os.chmod(self.path, 0o711)  # the other user passes through it and sees nothing else in it
        self.home = self.folder("profile-")

    def folder(self, prefix: str) -> str:
        """A new folder within, which the browser may write to.

        Args:
            prefix: How its name begins.
        """
        made = tempfile.mkdtemp(prefix=prefix, dir=self.path)
        if self._account.other:
            os.chown(made, self._account.uid, self._account.gid)
        return made

    def remove(self) -> None:
        """Remove the folder, then give up its lock; again and again without harm."""
        if self._lock is not None:
            place, name = os.path.split(self.path)
            with contextlib.suppress(OSError), _opened(place, follow=True) as around, _opened(name, around) as folder:
                _clear(name, folder, around)
            self.forget()

    def forget(self) -> None:
        """Let go of the lock and leave the folder: it is that of a parent process."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def remove_folder(folder: str | Path) -> None:
    """Remove a folder as far as possible. A link in its place or within it is never followed.

    Args:
        folder: Its path.
    """
    path = Path(folder)
    with contextlib.suppress(OSError), _opened(path.parent, follow=True) as place:
        _remove(path.name, place)


def remove_orphans() -> None:
    """Remove the folders of browsers whose owner was killed and so could not do it."""
    with _opened(tempfile.gettempdir(), follow=True) as place:
        for name in os.listdir(place):
            if name.startswith(PREFIX):
                with contextlib.suppress(OSError):  # a link, a file, somebody else's, or gone meanwhile
                    _remove_orphan(name, place)


@contextlib.contextmanager
def _opened(name: str | Path, place: int | None = None, follow: bool = False) -> Iterator[int]:
    """A folder, open for as long as it is worked on; a link to one only if told to follow it."""
    folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | (0 if follow else os.O_NOFOLLOW), dir_fd=place)
    try:
        yield folder
    finally:
        os.close(folder)


def _remove_orphan(name: str, place: int) -> None:
    """Remove a folder of ours that nobody holds.

    Raises:
        OSError: if it is no folder, has no lock, or is held.
    """
    with _opened(name, place) as folder:
        if os.fstat(folder).st_uid != os.geteuid():
            return
        lock = os.open(LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _clear(name, folder, place)
        finally:
            os.close(lock)


def _clear(name: str, folder: int, place: int) -> None:
    """Remove what is in a folder that we hold, then the folder.

    The lock goes last: a folder that a helper of the browser still writes into keeps it, and is found the next time.
    """
    for entry in os.listdir(folder):
        if entry != LOCK:
            with contextlib.suppress(OSError):  # a folder, or gone
                os.unlink(entry, dir_fd=folder)
            _remove(entry, folder)
    if os.listdir(folder) == [LOCK]:
        _remove(name, place)


def _remove(name: str, place: int) -> None:
    """Remove a folder of an open folder, by descriptors all the way down."""
    assert shutil.rmtree.avoids_symlink_attacks, "this system has no calls that remove files without following links"
    shutil.rmtree(name, ignore_errors=True, dir_fd=place)
