"""Pages that show a world to a person: one self-contained HTML document, without scripts and without other files."""

from __future__ import annotations

from html import escape

STYLE = """
:root { --ink: #22252b; --soft: #6b7280; --line: #d8dce3; --paper: #fff; --ground: #f4f5f7; --mark: #c2410c;
  --good: #15803d }
* { box-sizing: border-box }
body { margin: 0; padding: 20px; background: var(--ground); color: var(--ink); font: 14px/1.45 system-ui, sans-serif }
h1 { font-size: 18px; margin: 0 0 2px } h2 { font-size: 12px; margin: 14px 0 6px; color: var(--soft); font-weight: 600 }
.sub { color: var(--soft); margin: 0 0 14px }
.chip { display: inline-block; margin: 0 4px 4px 0; padding: 1px 8px; border: 1px solid var(--line);
  border-radius: 10px;
  background: var(--paper); font-size: 12px; white-space: nowrap }
.chip.wanted { border-color: var(--mark); color: var(--mark); font-weight: 600 }
.chip.done { border-color: var(--good); color: var(--good) }
.bar { display: inline-block; width: 120px; height: 8px; border-radius: 4px; background: var(--line); overflow: hidden;
  vertical-align: middle }
.bar i { display: block; height: 100%; background: var(--good) }
.side { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 4px 14px 12px }
"""


def page(title: str, subtitle: str, body: str, style: str = "") -> str:
    """A document.

    Args:
        title, subtitle: Plain text.
        body: Markup; what is not our own in it must have gone through `chip` or `html.escape`.
        style: CSS besides the common one.
    """
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}{style}</style><h1>{escape(title)}</h1>"
        f'<p class="sub">{escape(subtitle)}</p>{body}</html>'
    )


def chip(text: str, *classes: str) -> str:
    """A thing as a small label: `text`, plain, in those of `classes` of the style that are not empty."""
    return f'<span class="{" ".join(("chip", *filter(None, classes)))}">{escape(text)}</span>'


def bar(share: float) -> str:
    """A share from 0 to 1 as a bar."""
    return f'<span class="bar"><i style="width:{100 * share:.0f}%"></i></span>'
