"""Charts as inline SVG: drawn by hand, coloured by the page's style sheet, readable without scripts or pictures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from agentgym.core import ConfigError

WIDTH = 920  # user units; the page scales the drawing to its column
LINE_HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 380, 72, 24, 48, 46
ROW, LABELS, FIGURES, ROWS_TOP = 40, 120, 210, 12
LETTER, MOST = 8.8, 36  # user units of a letter of a row's label, and the most letters
BARS_HEIGHT = 300


@dataclass(frozen=True)
class Series:
    """A line of a chart.

    Attributes:
        name: In the legend; "" for a line of the company, drawn faintly.
        points: (x, y) in order of x.
        band: (x, low, high) around it, shaded; may be empty.
        tone: Which colour, from 0; lines of one tone belong together.
    """

    name: str
    points: Sequence[tuple[float, float]]
    band: Sequence[tuple[float, float, float]] = ()
    tone: int = 0


@dataclass(frozen=True)
class Mark:
    """A measured point with its interval, drawn over the lines: x, value, low, high, and what it is."""

    x: float
    value: float
    low: float
    high: float
    label: str
    tone: int = 0


@dataclass(frozen=True)
class Row:
    """A row of an interval chart: a rate from 0 to 1 with its interval."""

    label: str
    value: float
    low: float
    high: float
    tone: int = 0


def line_chart(
    title: str,
    description: str,
    series: Sequence[Series],
    *,
    x_label: str,
    y_label: str,
    marks: Sequence[Mark] = (),
    marks_name: str = "",
    rates: bool = True,
) -> Markup:
    """Numbers over whole numbers.

    Args:
        title, description: Read aloud in place of the picture.
        series: Lines; the faint ones first, so that the others lie above them.
        x_label, y_label: What the axes show.
        marks: Points with intervals.
        marks_name: What they are, for the legend.
        rates: Whether the numbers are shares of 1, drawn on a scale from 0 to 100 %; others get a scale that fits them.

    Raises:
        ConfigError: if there is nothing to draw.
    """
    xs = [x for line in series for x, _ in line.points] + [mark.x for mark in marks]
    if not xs:
        raise ConfigError(f"the chart {title!r} has no points")
    low, high = min(xs), max(xs)
    if low == high:
        high = low + 1
    across, down = WIDTH - LEFT - RIGHT, LINE_HEIGHT - TOP - BOTTOM
    levels = [step / 5 for step in range(6)] if rates else _levels(series, marks)
    floor, ceiling = levels[0], levels[-1]

    def at(x: float, y: float) -> str:
        """The point of the picture, in pixels, that stands for the values `x` and `y`."""
        height = (y - floor) / (ceiling - floor)
        return f"{LEFT + (x - low) / (high - low) * across:.1f},{TOP + (1 - height) * down:.1f}"

    labels = [f"{100 * level:.0f} %" if rates else f"{level:g}" for level in levels]
    parts = [_grid(labels, across, down)]
    for tick in _ticks(low, high):
        place = LEFT + (tick - low) / (high - low) * across
        parts.append(_text(place, TOP + down + 20, f"{tick:g}", "middle", "tick"))
    parts.append(_text(LEFT + across / 2, LINE_HEIGHT - 6, x_label, "middle", "axis"))
    parts.append(
        Markup('<text class="axis" text-anchor="middle" transform="translate(14 {}) rotate(-90)">{}</text>').format(
            TOP + down / 2, y_label
        )
    )
    parts += _bands_and_lines(series, at)
    for mark in marks:
        x, top = at(mark.x, mark.high).split(",")
        bottom, middle = at(mark.x, mark.low).split(",")[1], at(mark.x, mark.value).split(",")[1]
        parts.append(
            Markup('<g class="mark tone{}"><title>{}</title><path d="M{} {}V{}"/><circle cx="{}" cy="{}" r="5"/></g>')
            .format(mark.tone, mark.label, x, top, bottom, x, middle)
        )  # fmt: skip
    named = [(line.name, line.tone, False) for line in series if line.name]
    parts.append(_legend([*named, *((marks_name, mark.tone, True) for mark in marks[:1])]))
    return _svg(LINE_HEIGHT, title, description, parts)


def interval_chart(
    title: str, description: str, rows: Sequence[Row], *, legend: Sequence[tuple[str, int]] = ()
) -> Markup:
    """One rate a row, as a dot on its interval, on a common scale from 0 to 100 %.

    Args:
        title: Read by screen readers.
        description: Read by screen readers.
        rows: Label, rate and interval of each row, from the top; a rate that is its own interval is known exactly.
        legend: Names and tones of what the rows belong to.
    """
    top = TOP if legend else ROWS_TOP
    height = top + ROW * len(rows) + 28
    labels = max([LABELS, *(24 + LETTER * len(_short(row.label)) for row in rows)])
    across = WIDTH - labels - FIGURES
    parts = [_legend([(name, tone, True) for name, tone in legend], "M0 0")] if legend else []
    for step in range(5):
        x = labels + across * step / 4
        parts.append(Markup('<path class="grid" d="M{:.1f} {}V{}"/>').format(x, top, top + ROW * len(rows)))
        parts.append(_text(x, top + ROW * len(rows) + 20, f"{25 * step} %", "middle", "tick"))
    for place, row in enumerate(rows):
        y = top + ROW * (place + 0.5)
        start, dot, end = (labels + across * share for share in (row.low, row.value, row.high))
        parts.append(_text(labels - 16, y + 5, _short(row.label), "end", "row"))
        parts.append(
            Markup(
                '<g class="mark tone{}"><path d="M{:.1f} {}H{:.1f}"/><circle cx="{:.1f}" cy="{}" r="6"/></g>'
            ).format(row.tone, start, y, end, dot, y)
        )
        interval = f"  ({percent(row.low)} – {percent(row.high)})".replace(" % –", " –")
        figures = percent(row.value) + (interval if row.low < row.high else "")
        parts.append(_text(WIDTH, y + 5, figures, "end", "figure"))
    return _svg(height, title, description, parts)


def histogram(
    title: str, description: str, counts: Sequence[tuple[str, Sequence[int]]], names: Sequence[tuple[str, int]]
) -> Markup:
    """Columns of counts, stacked.

    Args:
        title, description: Read aloud in place of the picture.
        counts: The label of each column, from the left, and its counts, from the bottom.
        names: What is counted, each with its tone.

    Raises:
        ConfigError: if there is nothing to count.
    """
    most = max((sum(each) for _, each in counts), default=0)
    if not most:
        raise ConfigError(f"the chart {title!r} has nothing to count")
    levels = _levels([Series("", [(0, 0.0), (1, float(most))])], ())
    levels = [level for level in levels if level == int(level)]
    across, down = WIDTH - LEFT - RIGHT, BARS_HEIGHT - TOP - BOTTOM
    parts = [_grid([f"{level:g}" for level in levels], across, down)]
    wide = across / len(counts)
    every = math.ceil(len(counts) / 16)
    for place, (label, each) in enumerate(counts):
        y = float(TOP + down)
        for number, (_, tone) in zip(each, names, strict=True):
            size = down * number / levels[-1]
            y -= size
            parts.append(
                Markup('<rect class="bar tone{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
                    tone, LEFT + wide * (place + 0.1), y, wide * 0.8, size
                )
            )
        if place % every == 0:
            parts.append(_text(LEFT + wide * (place + 0.5), TOP + down + 20, label, "middle", "tick"))
    parts.append(_legend([(name, tone, True) for name, tone in names], "M0 0"))
    return _svg(BARS_HEIGHT - BOTTOM + 28, title, description, parts)


def _short(label: str) -> str:
    return label if len(label) <= MOST else label[: MOST - 1] + "…"


def percent(share: float) -> str:
    """A share as a percentage, with a decimal only where it says something."""
    return f"{100 * share:.1f} %".replace(".0 %", " %")


def _grid(labels: Sequence[str], across: float, down: float) -> Markup:
    """Evenly spaced lines across the drawing, the first at the bottom."""
    parts = []
    for step, label in enumerate(labels):
        y = TOP + down * (1 - step / (len(labels) - 1))
        parts.append(Markup('<path class="grid" d="M{} {:.1f}H{:.1f}"/>').format(LEFT, y, LEFT + across))
        parts.append(_text(LEFT - 10, y + 4, label, "end", "tick"))
    return Markup("").join(parts)


def _levels(series: Sequence[Series], marks: Sequence[Mark]) -> list[float]:
    """Round numbers, four to eight, from below the smallest to above the largest value drawn."""
    values = [y for line in series for _, y in line.points]
    values += [y for line in series for _, *edges in line.band for y in edges]
    values += [y for mark in marks for y in (mark.low, mark.high)]
    low, high = min(values), max(values)
    if high - low < 1e-9 * max(1.0, abs(high)):
        low, high = low - 0.5, high + 0.5
    unit = 10.0 ** math.floor(math.log10((high - low) / 5))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= (high - low) / 6)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * number, 12) for number in range(first, last + 1)]


def _bands_and_lines(series: Sequence[Series], at: Callable[[float, float], str]) -> Iterator[Markup]:
    """Shades first, so that no line is covered; `at` turns a point into coordinates."""
    for line in series:
        if line.band:
            edge = [at(x, top) for x, _, top in line.band] + [at(x, bottom) for x, bottom, _ in reversed(line.band)]
            yield Markup('<polygon class="band tone{}" points="{}"/>').format(line.tone, " ".join(edge))
    for line in series:
        kind, points = "line" if line.name else "line faint", " ".join(at(x, y) for x, y in line.points)
        yield Markup('<polyline class="{} tone{}" points="{}"/>').format(kind, line.tone, points)


def _legend(entries: Sequence[tuple[str, int, bool]], bar: str = "M{0} 8V28") -> Markup:
    """Names in a row above the drawing, each behind a piece of its line, or its dot on a bar."""
    parts, x = [], float(LEFT)
    for name, tone, dot in entries:
        shape = f'<circle cx="{{0}}" cy="18" r="5"/><path d="{bar}"/>' if dot else '<path d="M{1} 18H{2}"/>'
        parts.append(
            Markup('<g class="mark tone{}">').format(tone) + Markup(shape).format(x + 12, x, x + 24) + Markup("</g>")
        )
        parts.append(_text(x + 34, 23, name, "start", f"name ink{tone}"))
        x += 64 + 7.4 * len(name)
    return Markup("").join(parts)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers, about six, from `low` to `high`."""
    rough = (high - low) / 6
    unit = 10 ** math.floor(math.log10(rough)) if rough > 1 else 1
    step = max(1, next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough))
    first = math.ceil(low / step)
    return [step * number for number in range(first, math.floor(high / step) + 1)]


def _text(x: float, y: float, text: str, anchor: str, kind: str) -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(kind, x, y, anchor, text)


def _svg(height: float, title: str, description: str, parts: Sequence[Markup]) -> Markup:
    head = Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}"><title>{}</title><desc>{}</desc>').format(
        WIDTH, height, title, title, escape(description)
    )
    return head + Markup("\n").join(parts) + Markup("</svg>")
