"""Pages from templates in which every text is escaped."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from starlette.responses import HTMLResponse

from agentgym.core.text import clean

STATIC = {"ui.css": ("agentgym.ui", "text/css"), "ui.js": ("agentgym.ui", "text/javascript"),
          "page.css": ("agentgym.report", "text/css")}  # fmt: skip


@cache
def _environment() -> Environment:
    return Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(lambda name: (files("agentgym.ui") / "templates" / name).read_text(encoding="utf8")),
    )


def page(template: str, status: int = 200, **shown: Any) -> HTMLResponse:
    """A page.

    Args:
        template: Name of its file, without `.html.jinja`.
        status: Of the answer.
        shown: What the template is given.
    """
    return HTMLResponse(clean(_environment().get_template(f"{template}.html.jinja").render(**shown)), status)


@cache
def static(name: str) -> str:
    """The text of a style sheet or script that stands beside the code."""
    return (files(STATIC[name][0]) / name).read_text(encoding="utf8")
