"""Sites that live in this process: what the browser asks of their hosts is answered here, without a socket."""

from __future__ import annotations

import mimetypes
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable
from urllib.parse import unquote, urlsplit

PLAIN = {"content-type": "text/plain; charset=utf-8"}


@dataclass(frozen=True, slots=True)
class Request:
    """What the browser asks: method, address, headers in lower case, and body."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def path(self) -> str:
        """The path of the address, decoded."""
        return unquote(urlsplit(self.url).path)


@dataclass(frozen=True, slots=True)
class Response:
    """What the site answers."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "text/html; charset=utf-8"})


class Site(Protocol):
    """Answers requests; called on one thread of the browser, one request at a time."""

    def respond(self, request: Request) -> Response:
        """The answer to a request."""


@runtime_checkable
class Telling(Protocol):
    """A site that tells judges, and no agent, what state it is in."""

    def state(self) -> Mapping[str, Any]:
        """Plain data: texts, numbers, lists and mappings."""


class FolderSite:
    """The files of a folder, an index.html for each folder in it.

    Args:
        folder: Where the files lie; nothing outside it is served, nor what a link in it leads to outside.
    """

    def __init__(self, folder: str | Path):
        self._folder = Path(folder).resolve()

    def respond(self, request: Request) -> Response:
        """The file of a path, or 404."""
        path = self._path(request.path)
        content = None if path is None else _content(path)
        if path is None or content is None:
            return Response(b"not found", 404, PLAIN)
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        text = kind.startswith("text/") or kind in ("application/javascript", "application/json", "image/svg+xml")
        return Response(content, 200, {"content-type": f"{kind}; charset=utf-8" if text else kind})

    def _path(self, asked: str) -> Path | None:
        """Where a path of an address leads, every link followed; None if that is nowhere or outside the folder."""
        try:
            path = (self._folder / asked.lstrip("/")).resolve(strict=True)
            if path.is_dir():
                path = (path / "index.html").resolve(strict=True)
        except (OSError, ValueError, RuntimeError):  # not there, no path at all, links in a circle
            return None
        return path if path.is_relative_to(self._folder) else None


def _content(path: Path) -> bytes | None:
    """The content of a plain file; None of anything else, and of what became a link meanwhile."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return None
        with open(file, "rb", closefd=False) as stream:
            return stream.read()
    finally:
        os.close(file)


class PageSite:
    """Pages given as text, by path.

    Args:
        pages: HTML by path, such as `{"/": "<h1>Home</h1>"}`.
    """

    def __init__(self, pages: Mapping[str, str]):
        self._pages = dict(pages)

    def respond(self, request: Request) -> Response:
        """The page of a path, or 404."""
        page = self._pages.get(request.path)
        return Response(b"not found", 404, PLAIN) if page is None else Response(page.encode())
