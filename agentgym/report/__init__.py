"""Readable results: one self-contained page of tables, charts and transcripts."""

from agentgym.report.chart import Mark, Row, Series, interval_chart, line_chart, percent
from agentgym.report.compare import mean_over_seeds, paired_lift
from agentgym.report.machine import machine
from agentgym.report.page import Cell, Exchange, Figure, Page, Section, Table, Tile, TranscriptView

__all__ = [
    "Cell",
    "Exchange",
    "Figure",
    "Mark",
    "Page",
    "Row",
    "Section",
    "Series",
    "Table",
    "Tile",
    "TranscriptView",
    "interval_chart",
    "line_chart",
    "machine",
    "mean_over_seeds",
    "paired_lift",
    "percent",
]
