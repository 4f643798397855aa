"""Pictures of text as SVG: a window with a title and lines of a fixed width, readable on light and on dark pages."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from xml.sax.saxutils import escape

ADVANCE = 9  # pixels from one sign to the next; lines are stretched to it, whichever font is there
ROW = 23  # pixels from one line to the next
MARGIN = 30
HEAD = 46  # pixels of the title bar
SEPARATOR = "[SEP]"  # a mark between the parts of a page, set back so that the words stand out
UNFIT = re.compile(r"[^\t\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufffd]")  # what XML or a font of fixed width cannot take
STYLE = (
    "text{font:15px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}"
    ".t{fill:#dbe4ee}.d{fill:#8496aa}.a{fill:#f2c66d}.b{fill:#86bdf5}.g{fill:#4fd1a5}"
)


@dataclass(frozen=True)
class Line:
    """A line of a picture.

    Attributes:
        text: The words, without a line break.
        tone: `t` for plain, `d` dim, `a` and `b` for what two players type, `g` for what went well.
    """

    text: str
    tone: str = "t"


def folded(text: str, columns: int, rows: int, tone: str = "t") -> list[Line]:
    """Text as lines of a picture.

    Args:
        text: What is shown; its line breaks and the spaces within its lines stay.
        columns: The most signs of a line.
        rows: The most lines; when there are more, the last says so.
        tone: See `Line`.
    """
    lines = [
        part
        for line in UNFIT.sub("?", text).expandtabs(4).splitlines()
        for part in (textwrap.wrap(line, columns, drop_whitespace=len(line) > columns) or [""])
    ]
    if len(lines) > rows:
        lines = [*lines[: rows - 1], "..."]
    return [Line(line.rstrip(), "d" if line == "..." else tone) for line in lines]


def words(x: float, y: float, line: Line) -> str:
    """A line at its place.

    Args:
        x: Pixels from the left.
        y: Pixels from the top to the base of the line.
        line: What stands there.
    """
    text = line.text
    if not text.strip():
        return ""
    marked = escape(text).replace(SEPARATOR, f'<tspan class="d">{SEPARATOR}</tspan>')
    return f'<text class="{line.tone}" x="{x:g}" y="{y:g}" textLength="{len(text) * ADVANCE}">{marked}</text>'


def block(lines: Iterable[Line], top: float) -> str:
    """Lines below each other.

    Args:
        lines: From the first.
        top: Pixels above it.
    """
    return "".join(words(MARGIN, top + (number + 0.7) * ROW, line) for number, line in enumerate(lines))


def window(width: int, height: int, body: str, style: str = "", label: str = "") -> str:
    """A whole SVG file: a dark window of its own, so that it reads alike on every page.

    Args:
        width: In pixels.
        height: In pixels.
        body: What stands in it, as SVG.
        style: Further CSS.
        label: What it shows, for those who do not see it.
    """
    dots = "".join(
        f'<circle cx="{MARGIN + 20 * number}" cy="{HEAD / 2:g}" r="6" fill="{color}"/>'
        for number, color in enumerate(("#e5695e", "#e3b341", "#4fb477"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(label, {chr(34): "&quot;"})}">\n<style>{STYLE}{style}</style>\n'
        f'<rect x="1" y="1" width="{width - 2}" height="{height - 2}" rx="12" fill="#101923" stroke="#33455a" '
        f'stroke-width="2"/>\n<path d="M2 {HEAD}V13a11 11 0 0 1 11-11H{width - 13}a11 11 0 0 1 11 11V{HEAD}z" '
        f'fill="#1a2735"/>\n{dots}\n{body}\n</svg>\n'
    )


def card(title: str, lines: list[Line], columns: int = 60, rows: int = 14) -> str:
    """A still picture of text.

    Args:
        title: What stands in the bar.
        lines: At most `rows`, each of at most `columns` signs.
        columns: Signs a line has room for.
        rows: Lines there is room for.
    """
    width, height = columns * ADVANCE + 2 * MARGIN, HEAD + rows * ROW + MARGIN
    bar = words(MARGIN + 70, HEAD / 2 + 5, Line(title[: columns - 8], "d"))
    return window(width, height, bar + block(lines, HEAD + 14), label=title)
