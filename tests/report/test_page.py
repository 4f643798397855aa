"""A page is whole, alone and safe: well-formed, no outside files, no scripts, every text escaped."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from agentgym.core import AgentGymError, ConfigError
from agentgym.report import (
    Exchange,
    Figure,
    Mark,
    Page,
    Row,
    Section,
    Series,
    Table,
    Tile,
    TranscriptView,
    interval_chart,
    line_chart,
    machine,
    percent,
)

NASTY = "<script>alert('x')</script> & \"quotes\" ∞"
VOID = {"meta", "br", "hr", "img", "link", "input"}


class Checker(HTMLParser):
    """Notes tags, text and attributes, and that every tag is closed in turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def chart() -> Figure:
    series = [Series("", [(0, 0.1), (1, 0.4)]), Series(NASTY, [(0, 0.2), (1, 0.5)], [(0, 0.1, 0.3), (1, 0.4, 0.6)])]
    marks = [Mark(1, 0.5, 0.4, 0.6, NASTY, 1)]
    drawing = line_chart(NASTY, NASTY, series, x_label=NASTY, y_label=NASTY, marks=marks, marks_name=NASTY)
    return Figure(drawing, NASTY)


def page() -> Page:
    talk = TranscriptView(NASTY, NASTY, True, [Exchange(NASTY, NASTY, False, 0.5)], NASTY, shown=True)
    rows = Figure(interval_chart(NASTY, NASTY, [Row(NASTY, 0.5, 0.25, 0.75)]), NASTY)
    table = Table([NASTY, NASTY], [[NASTY, NASTY], [NASTY, NASTY]], NASTY, strong=[1])
    return Page(NASTY, NASTY, [Tile(NASTY, NASTY, NASTY)], [Section(NASTY, [NASTY], [table, chart(), rows, [talk]])])


def test_the_page_is_well_formed_and_every_text_is_escaped() -> None:
    checker = Checker()
    checker.feed(page().html())
    assert checker.open == []
    assert "script" not in checker.tags
    assert sum(NASTY in text for text in checker.texts) > 20


def test_the_page_needs_nothing_from_outside() -> None:
    html = page().html()
    checker = Checker()
    checker.feed(html)
    assert not [value for name, value in checker.attributes if name in ("src", "href", "onload", "onclick")]
    assert "url(" not in html
    assert "@import" not in html
    assert {"table", "svg", "details", "figure", "caption"} <= set(checker.tags)


def test_a_refused_action_and_a_reward_are_said() -> None:
    html = page().html()
    assert "refused" in html
    assert "reward 0.5" in html


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "new" / "report.html"
    assert page().write(target) == target
    assert target.read_text(encoding="utf8") == page().html()
    assert [path.name for path in target.parent.iterdir()] == ["report.html"]
    broken: Any = Page("t", "l", sections=[None])  # type: ignore[list-item]
    with pytest.raises(Exception, match="None"):
        broken.write(target)
    assert target.read_text(encoding="utf8") == page().html()
    (tmp_path / "file").write_text("")
    with pytest.raises(AgentGymError, match="could not be written"):
        page().write(tmp_path / "file" / "report.html")


def test_charts_are_drawings_with_words_for_those_who_do_not_see_them() -> None:
    drawing = ElementTree.fromstring(str(chart().svg))
    assert drawing.attrib["role"] == "img"
    assert drawing.attrib["aria-label"] == NASTY
    assert [child.tag for child in drawing][:2] == ["title", "desc"]


def test_points_lie_where_they_belong() -> None:
    drawing = line_chart("t", "d", [Series("a", [(0, 0.0), (10, 1.0)])], x_label="x", y_label="y")
    places = re.search(r'<polyline class="line tone0" points="([^"]+)"', str(drawing))
    assert places is not None
    (left, bottom), (right, top) = (map(float, pair.split(",")) for pair in places[1].split())
    grid = [float(y) for y in re.findall(r'class="grid" d="M[\d.]+ ([\d.]+)H', str(drawing))]
    assert (bottom, top) == (max(grid), min(grid))
    assert left < right


def test_an_empty_chart_is_refused() -> None:
    with pytest.raises(ConfigError, match="no points"):
        line_chart("t", "d", [], x_label="x", y_label="y")


@pytest.mark.parametrize(("share", "said"), [(0, "0 %"), (1, "100 %"), (0.125, "12.5 %"), (1 / 3, "33.3 %")])
def test_percent(share: float, said: str) -> None:
    assert percent(share) == said


def test_the_machine_is_named() -> None:
    facts = machine(["numpy", "no-such-package"])
    assert list(facts) == ["processor", "cores", "system", "python", "numpy", "no-such-package"]
    assert facts["no-such-package"] == "not installed"
    assert all(facts.values())
