"""Turns the shop's HTML templates into templates that print the text observations directly.

The published text modes are made by parsing each finished HTML page. Parsing costs far more than a step may, so here
the *template* is parsed, once: its tags fall away, and each text node becomes one printed item, dressed according to
the tag around it. Control statements stay where they are. So one set of templates gives all modes.

What a template may contain: HTML, `{% statements %}` between tags or around whole elements, and `{{ expressions }}`
inside text nodes or attributes. An expression that ends with `|safe` is taken to be rendered already.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from html.parser import HTMLParser

SEPARATOR = " [SEP] "

_VOID = frozenset(("br", "hr", "img", "input", "link", "meta"))
_HIDDEN = frozenset(("head", "style", "script", "title"))
_JINJA = re.compile(r"(\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\})", re.DOTALL)
_RENDERED = re.compile(r"\{\{\s*(.+?)\s*\|\s*safe\s*\}\}", re.DOTALL)
# Directional overrides can make a page show another text than it holds.
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
_FORGED = re.compile(r"\[ ?(sep|(?:clicked )?button_?) ?\]", re.IGNORECASE)


@lru_cache(maxsize=16384)
def visible(text: str) -> str:
    """The one line that pages print for a piece of data, in every mode; what clickables must be compared with.

    Blanks and control characters shrink to single spaces, and the marks of the text modes (`[SEP]`, `[button]` and
    their kin) get round brackets, so that data cannot pass itself off as page structure.
    """
    return _FORGED.sub(r"(\1)", _BLANKS.sub(" ", text).strip())


def say(value: object, before: str, after: str) -> str:
    """One printed item: the visible text of `value` between the marks `before` and `after`; nothing without a text."""
    text = visible(str(value))
    return f"{before}{text}{after}" if text else ""


def text_template(source: str, *, rich: bool) -> str:
    """The template of a text mode, made from an HTML template.

    Args:
        source: The HTML template.
        rich: Make the `text_rich` mode: one line for each item, buttons marked. Otherwise the `text` mode: items
            parted by ` [SEP] `, with a leading one that the caller cuts off.
    """
    maker = _Maker(rich)
    maker.feed(source)
    maker.close()
    maker.end_node()
    return "".join(maker.pieces)


class _Maker(HTMLParser):
    """Walks an HTML template and collects the pieces of the text template."""

    def __init__(self, rich: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.rich = rich
        self.pieces: list[str] = []
        self._open: list[tuple[str, frozenset[str]]] = []
        self._node: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """What stood before the `tag` is an item; of its `attrs` the classes count, by which text within is marked."""
        self.end_node()
        if tag not in _VOID:
            self._open.append((tag, frozenset((dict(attrs).get("class") or "").split())))

    def handle_endtag(self, tag: str) -> None:
        self.end_node()
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if any(tag in _HIDDEN for tag, _ in self._open):
            return
        for part in _JINJA.split(data):
            if part.startswith("{%"):
                self.end_node()
                self.pieces.append(part)
            elif rendered := _RENDERED.fullmatch(part):
                self.end_node()
                self.pieces.append("{{ " + rendered[1] + " }}")
            elif part and not part.startswith("{#"):
                self._node.append(part)

    def end_node(self) -> None:
        """Turn what was read since the last tag or statement into one printed item."""
        node, self._node = self._node, []
        if not "".join(node).strip():
            return
        before, after = self._marks()
        if not any(part.startswith("{{") for part in node):
            self.pieces.append("{{ " + json.dumps(say("".join(node), before, after)) + " }}")
            return
        terms = (f"({part[2:-2]})" if part.startswith("{{") else json.dumps(part) for part in node)
        self.pieces.append("{{ (" + " ~ ".join(terms) + f")|say({json.dumps(before)}, {json.dumps(after)})" + " }}")

    def _marks(self) -> tuple[str, str]:
        """What the published text modes print before and after a text node, by the tag around it."""
        if not self.rich:
            return SEPARATOR, ""
        tag, classes = self._open[-1] if self._open else ("", frozenset())
        if not (tag == "button" or "product-link" in classes or "option" in classes):
            return "", "\n"
        mark = "clicked button" if "clicked" in classes else "button"
        lead = "\n" if "product-link" in classes else "  " if "option" in classes else ""
        return f"{lead}[{mark}] ", f" [{mark}_]\n"
