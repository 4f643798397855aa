"""The page `docs/reliability.md`, made of the figures that a soak has kept."""

from __future__ import annotations

import json
import platform
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.soak.row import Row

ROOT = Path(__file__).parents[2]
RESULTS, PAGE = ROOT / "docs" / "reliability.json", ROOT / "docs" / "reliability.md"
COMMAND = "python -m tests.soak"
HEAD = """# What was tried

<!-- Written by `make soak` from reliability.json; change tests/soak/page.py instead. -->

Figures of runs that look for what breaks: hostile words, kills, resets without end, ways out of the browser. A piece
stops at its number or when its share of the time is over, so the numbers say how often each was really tried.
`make soak` runs them all in 30 minutes and writes this page; a row's command, run in a checkout, tries its row again,
and `--count` says how often.

Measured with {machine}; the last row that was tried, on {when} at commit {commit}.

| what | tried | found | command |
|---|---:|---|---|
"""
TAIL = """
What a row means:

- *Hostile words*: empty and endless texts, control characters, code, damaged actions of the world itself, and an
  ordinary action now and then, in every world by turns. Nothing may raise, no world may fail, and no step may take
  250 ms of this process in plain Python, 5 s over another program.
- *Resets*: worlds are reset by turns in one process, to eight episodes each, again and again, so that caches of tasks
  are full. Over half of the time (the least that is held in the second quarter against the least in the last) the
  private memory of that process and its workers, of the browser's driver, of the browser itself, of its pages and of
  its helpers may each grow by 8 MB, read after garbage was collected in this process, in the driver and in every page,
  and over the second half the number of open descriptors must be the same.
- *Ways out*: pages and actions that reach for a listener on the same machine, or for a file of it. The list stands in
  `tests/soak/exits.py`; the same listener hears a page that has leave. For the sandbox they are the attempts that the
  page on the [sandbox](sandbox.md) lists.
- *Kills*: a command is killed with SIGKILL at moments drawn from a named stream and started again, until it ends. Its
  records (episodes, games, updates, weights) must be those of a run that nobody killed.
"""


def table_line(row: Row) -> str:
    """A row as it stands in the table."""
    found = row.found.replace("|", "\\|").replace("\n", " ")
    good = "" if row.good else "**failed**: "
    return f"| {row.what} | {row.count:,} | {good}{found} | `{COMMAND} {row.command}` |"


def machine() -> str:
    """What it ran on, in words."""
    return f"Python {platform.python_version()} on {platform.system()}, {platform.machine()}"


def record(rows: Sequence[Row], file: Path) -> None:
    """Keep rows; those of earlier runs about other commands stay.

    Args:
        rows: What was found.
        file: A JSON file, which may be there.
    """
    kept = {} if not file.exists() else {row["command"]: row for row in json.loads(file.read_text())["rows"]}
    kept.update({row.command: asdict(row) for row in rows})
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    figures = {"machine": machine(), "when": time.strftime("%Y-%m-%d"), "commit": commit.stdout.strip()}
    file.write_text(json.dumps({**figures, "rows": list(kept.values())}, indent=1) + "\n", encoding="utf8")


def text() -> str:
    """The page."""
    kept = json.loads(RESULTS.read_text(encoding="utf8"))
    rows = "".join(f"{table_line(Row(**row))}\n" for row in kept["rows"])
    head = HEAD
    for name in ("machine", "when", "commit"):
        head = head.replace(f"{{{name}}}", kept[name])
    return head + rows + TAIL


def write_page() -> None:
    """Write it."""
    PAGE.write_text(text(), encoding="utf8")
