"""The pages, by name, and the site that serves them inside the browser."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from agentgym.core.errors import DataError, require
from agentgym.envs.web._browser.site import FolderSite, Request, Response

HOST = "miniwob.test"
FORM = "generated-form"
FORM_SIZES = (5, 10, 20, 40, 70, 100)  # elements of a generated form, its button included
VERSION = "1.1.0"
UNREGISTERED = ("button-delay", "chase-circle", "hover-shape", "moving-items", "simon-says")


@lru_cache(maxsize=1)
def page_names() -> tuple[str, ...]:
    """Names of the 130 original pages, sorted.

    Raises:
        MissingExtra: if the package miniwob is not installed.
        DataError: if it holds no pages.
    """
    names = tuple(sorted(path.stem for path in (_folder() / "miniwob").glob("*.html")))
    if not names:
        raise DataError(f"the package miniwob holds no pages in {_folder()}; install miniwob 1.1 or later")
    return names


@lru_cache(maxsize=1)
def registered_names() -> tuple[str, ...]:
    """The 125 pages that MiniWoB++ registers and BrowserGym takes over: all but those judged by the clock."""
    return tuple(name for name in page_names() if name not in UNREGISTERED)


def form_names() -> tuple[str, ...]:
    """Names of the generated forms."""
    return tuple(f"{FORM}-{size}" for size in FORM_SIZES)


def _folder() -> Path:
    package: Any = require("miniwob", extra="web", purpose="AgentGym/MiniWoB-v1", version=VERSION)
    return Path(package.__file__).parent / "html"


def address(page: str) -> str:
    """Where a page lives."""
    name, _, size = page.rpartition("-")
    return f"http://{HOST}/miniwob/" + (f"{FORM}.html?elements={size}" if name == FORM else f"{page}.html")


class PagesSite:
    """The package's pages and ours."""

    def __init__(self) -> None:
        self._pages = FolderSite(_folder())
        with as_file(files(__package__).joinpath("generated-form.html")) as path:
            self._form = Path(path).read_bytes()

    def respond(self, request: Request) -> Response:
        """A file of the package, or the generated form."""
        if request.path == f"/miniwob/{FORM}.html":
            return Response(self._form)
        return self._pages.respond(request)


@lru_cache(maxsize=1)
def pages_site() -> PagesSite:
    """The site, shared by all worlds of the process."""
    return PagesSite()
