"""A learning curve on paper: JSON for machines, SVG for eyes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from agentgym.report import Series, line_chart, machine

PACKAGES = ("stable-baselines3", "sb3-contrib", "torch", "gymnasium")
STYLE = """<style>
text { font: 14px sans-serif; fill: #334; } .grid { stroke: #dde; } .line, .mark path { fill: none; stroke-width: 2.5; }
.tone0, .tone0 path { stroke: #0b63b5; } .tone1, .tone1 path { stroke: #0a7d5c; } .tone2, .tone2 path { stroke: #999; }
</style>"""


def write_curve(
    folder: Path,
    name: str,
    title: str,
    points: Sequence[tuple[int, float, float]],
    chance: float,
    oracle: float,
    command: str,
) -> Path:
    """Write `name.json` and `name.svg` into a folder.

    Args:
        folder: Made if it is not there.
        name, title: Of the files, and of the chart.
        points: Steps, processor seconds, mean return.
        chance, oracle: Mean returns of the random player and of the oracle on the same tasks.
        command: What was run.

    Returns:
        The place of the JSON file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "title": title,
        "command": command,
        "machine": machine(),
        "packages": {package: version(package) for package in PACKAGES},
        "random": round(chance, 4),
        "oracle": round(oracle, 4),
        "share_of_oracle": round(points[-1][2] / oracle, 4),
        "columns": ["steps", "processor_seconds", "mean_return"],
        "points": [list(point) for point in points],
    }
    place = folder / f"{name}.json"
    place.write_text(json.dumps(record, indent=1) + "\n", encoding="utf8")
    (folder / f"{name}.svg").write_text(_drawn(title, points, chance, oracle), encoding="utf8")
    return place


def _drawn(title: str, points: Sequence[tuple[int, float, float]], chance: float, oracle: float) -> str:
    ends = (points[0][0], points[-1][0])
    lines = [
        Series("MaskablePPO", [(steps, _share(mean, oracle)) for steps, _, mean in points], tone=0),
        Series("80 %", [(end, 0.8) for end in ends], tone=1),
        Series("random", [(end, _share(chance, oracle)) for end in ends], tone=2),
    ]
    shown = line_chart(
        title,
        "The mean return as a share of the oracle's.",
        lines,
        x_label="steps",
        y_label="share of the oracle's return",
    )
    return standing_alone(shown)


def standing_alone(chart: object) -> str:
    """A chart as a file of its own, with the styles that a page would give it.

    Args:
        chart: Of `agentgym.report.line_chart`.
    """
    head, rest = str(chart).split(">", 1)
    return f'{head} xmlns="http://www.w3.org/2000/svg">{STYLE}{rest}\n'


def _share(mean: float, oracle: float) -> float:
    return min(1.0, max(0.0, mean / oracle))
