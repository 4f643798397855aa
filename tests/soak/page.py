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
HEAD = """# Robustness tests

<!-- Written by `make soak` from reliability.json; change tests/soak/page.py instead. -->

Results of long runs that try to break the suite: hostile text, killed processes, endless resets, escapes from the
browser. A test stops at its target count or when its share of the time is over, so the counts say how often each was
really tried. `make soak` runs them all in 30 minutes and writes this page; a row's command, run in a checkout, repeats
that row, and `--count` sets how often.

Measured with {machine}; the last row was run on {when} at commit {commit}.

| test | tried | result | command |
|---|---:|---|---|
"""
TAIL = """
What a row means:

- *Environments in this process* are those that start no other program and can be copied: all native ones, and
  OpenSpiel, ReasoningGym and BabyAI, whose engines come with the extra `worlds`.
- *Hostile words*: empty and endless texts, control characters, code, damaged actions of the environment itself, and an
  ordinary action now and then, in every environment in turn. Nothing may raise, no environment may fail, and no step
  may take more than 250 ms of this process's CPU time, or 5 s over another program.
- *Resets*: environments are reset in turn in one process, up to eight episodes each, again and again, until caches of
  tasks are full. Over half of the time (the lowest value of the second quarter against the lowest of the last) the
  private memory of that process and its workers, of the browser's driver, of the browser itself, of its pages and of
  its helpers may each grow by 8 MB, read after garbage collection in this process, in the driver and in every page; and
  over the second half the number of open descriptors must stay the same.
- *Ways out*: pages and actions that try to reach a listener on the same machine, or a file of it. The list is in
  `tests/soak/exits.py`; the same listener does hear a page that has permission. For the sandbox they are the attempts
  that the page on the [sandbox](sandbox.md) lists.
- *Kills*: a command is killed with SIGKILL at moments drawn from a named random stream and started again, until it
  ends. Its records (episodes, games, updates, weights) must be those of a run that nobody killed.
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
