"""A report as one self-contained HTML page: no outside files, readable in light and dark, on a phone and on paper.

A page of tables and charts has no script. One that sorts a table or shows transcripts on demand carries its own, and a
Content-Security-Policy with the hash of each lets nothing else run, whatever the texts of models and worlds hold.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from markupsafe import Markup

from agentgym.core.files import write_apart
from agentgym.core.text import clean
from agentgym.report.viewer import Viewer


@dataclass(frozen=True)
class Tile:
    """A headline figure: the number, what it is, and how sure it is."""

    value: str
    label: str
    note: str = ""


@dataclass(frozen=True)
class Cell:
    """An entry of a table that is more than a text.

    Attributes:
        text: What stands in it.
        note: In small letters below; may have several lines.
        href: Where it leads: a place of the page or a file beside it, never an address elsewhere.
        order: What it is sorted by; None for its text.
    """

    text: str
    note: str = ""
    href: str = ""
    order: float | None = None


@dataclass(frozen=True)
class Table:
    """Rows under column heads; the first column is the row's head.

    `strong` are the places of rows that stand out; `wrapped` cells are prose, set to the left and broken into lines;
    a `sortable` table is sorted by a click on a column head; a `tall` one is scrolled; the first `texts` columns are
    words, the others numbers.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    caption: str = ""
    strong: Sequence[int] = ()
    wrapped: bool = False
    sortable: bool = False
    tall: bool = False
    texts: int = 1


@dataclass(frozen=True)
class Figure:
    """A drawing with its caption."""

    svg: Markup
    caption: str


@dataclass(frozen=True)
class Exchange:
    """One turn of a conversation: what was seen, what was said, and the reward, if it is worth showing.

    `shades` are the pieces of what was said, each with a number from -1 (drawn red) to 1 (drawn green).
    """

    seen: str
    said: str
    valid: bool = True
    reward: float = 0.0
    shades: Sequence[tuple[str, float]] = ()


@dataclass(frozen=True)
class TranscriptView:
    """A readable transcript.

    Attributes:
        title: Who played what.
        verdict: How it ended, in a word or two.
        success: Whether that is good.
        exchanges: The turns.
        final: What was seen last.
        shown: Whether the reader finds it unfolded.
    """

    title: str
    verdict: str
    success: bool
    exchanges: Sequence[Exchange]
    final: str
    shown: bool = False


@dataclass(frozen=True)
class Section:
    """A chapter: its text, then its blocks in order; a list of conversations is laid side by side."""

    title: str
    text: Sequence[str] = ()
    blocks: Sequence[Table | Figure | Viewer | Sequence[TranscriptView]] = ()


@dataclass(frozen=True)
class Page:
    """A report; a `wide` one is as wide as a screen has room for its tables."""

    title: str
    lead: str
    tiles: Sequence[Tile] = ()
    sections: Sequence[Section] = field(default_factory=list)
    wide: bool = False

    def html(self) -> str:
        """The page; every text is escaped."""
        from jinja2 import Environment, FunctionLoader, StrictUndefined  # not at import: the page is rare

        environment = Environment(
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            loader=FunctionLoader(_source),
        )
        for kind in (Table, Figure, Viewer, Cell):
            environment.tests[kind.__name__.lower()] = lambda block, kind=kind: isinstance(block, kind)
        environment.filters["shade"] = _shade
        blocks = [block for section in self.sections for block in section.blocks]
        viewed = any(isinstance(block, Viewer) for block in blocks)
        sorted_ = any(isinstance(block, Table) and block.sortable for block in blocks)
        styles = [_source("page.css"), *([_source("viewer.css")] if viewed else [])]
        scripts = [*([_source("viewer.js")] if viewed else []), *([_source("sort.js")] if sorted_ else [])]
        page = environment.get_template("page.html.jinja").render(
            page=self,
            styles=[Markup(style) for style in styles],
            scripts=[Markup(script) for script in scripts],
            policy=_policy(styles, scripts),
            broad="wide" if self.wide else "view" if viewed else "",
        )
        return clean(page)

    def write(self, path: str | Path) -> Path:
        """Write the page; it appears whole or not at all.

        Raises:
            DataError: if the place cannot be written to.
        """
        return write_apart(path, self.html())


def number(value: float, form: str, unit: str = "") -> str:
    """A number as pages show it; a dash where it is of nothing.

    Args:
        value: The number.
        form: How it is written, such as `.1f`.
        unit: What stands behind it.
    """
    return "–" if math.isnan(value) else f"{value:{form}}{unit}"


def _source(name: str) -> str:
    """The text of a file beside this one."""
    return (files("agentgym.report") / name).read_text(encoding="utf8")


def _policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """What a browser may do for the page: apply its own styles, run its own scripts, show pictures that stand in it."""
    rules = ["default-src 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'"]
    for kind, sources in (("style-src", styles), ("script-src", scripts)):
        if sources:
            hashes = (base64.b64encode(hashlib.sha256(source.encode()).digest()).decode() for source in sources)
            rules.append(" ".join([kind, *(f"'sha256-{each}'" for each in hashes)]))
    return "; ".join(rules)


def _shade(value: float) -> str:
    """The style class of a number from -1 to 1: g1 to g4, b1 to b4, or g0 for almost nothing."""
    depth = min(4, math.ceil(abs(value) * 4 - 1e-6))
    return f"{'b' if value < 0 and depth else 'g'}{depth}"
