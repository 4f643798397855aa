"""The runs of a folder: found by looking, so that a request can name what is there and nothing else."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentgym.core import DataError
from agentgym.core.files import SETTINGS, read_object
from agentgym.report.page import Section
from agentgym.report.runs import curves, read_run

Kind = Literal["evaluation", "training", "games"]
MARKS: dict[str, Kind] = {SETTINGS: "evaluation", "recipe.json": "training", "tournament.json": "games"}
GAMES = "games.jsonl"
RECORDS: dict[Kind, tuple[str, ...]] = {
    "evaluation": ("episodes.jsonl",), "training": ("updates.jsonl", "shaded.jsonl"), "games": (GAMES,)
}  # fmt: skip
DEEPEST = 4  # folders below the one that is looked through
MOST = 2_000  # runs that are listed
LOOK = 1.0  # seconds between two looks at a run that may grow


@dataclass(frozen=True)
class FoundRun:
    """A run that was found.

    Attributes:
        name: Its place below the folder.
        folder: Where it is.
        kind: What made it.
        changed: When its record last grew, in seconds since 1970.
    """

    name: str
    folder: Path
    kind: Kind
    changed: float


def find_runs(root: Path) -> dict[str, FoundRun]:
    """Every run below a folder by its name, the newest first; links that lead out of the folder are not followed."""
    root, found = root.resolve(), []
    for place, folders, files in os.walk(root, followlinks=False):
        folder = Path(place)
        depth = len(folder.relative_to(root).parts)
        mark = next((name for name in MARKS if name in files), None)
        folders[:] = [] if mark or depth >= DEEPEST else sorted(each for each in folders if not each.startswith("."))
        if mark is None or not _inside(folder, root, files):
            continue
        kind: Kind = "games" if GAMES in files or _began_games(folder, files) else MARKS[mark]
        records = [folder / name for name in RECORDS[kind] if name in files]
        changed = max((record.stat().st_mtime for record in [folder / mark, *records]), default=0.0)
        found.append(FoundRun(folder.relative_to(root).as_posix(), folder, kind, changed))
        if len(found) >= MOST:
            break
    return {run.name: run for run in sorted(found, key=lambda run: (-run.changed, run.name))}


def _began_games(folder: Path, files: list[str]) -> bool:
    """Whether a run without any record is of games, as its settings tell."""
    if SETTINGS not in files or any(name in files for names in RECORDS.values() for name in names):
        return False
    try:
        return "players" in read_object(folder / SETTINGS)
    except DataError:
        return False


def _inside(folder: Path, root: Path, files: list[str]) -> bool:
    """Whether every file of a run really lies below the folder that is shown; a link may lead nowhere, or to itself."""
    names = [name for name in files if name.endswith((".json", ".jsonl"))]
    try:
        return all((folder / name).resolve(strict=True).is_relative_to(root) for name in names)
    except (OSError, RuntimeError):
        return False


def run_curves(run: FoundRun) -> Section:
    """The curves of a training run, as far as it has come.

    Raises:
        DataError: if it has not finished an update yet.
    """
    return curves([read_run(run.folder, run.name.rpartition("/")[2])])


async def growth(run: FoundRun) -> AsyncIterator[str]:
    """Events for a reader: at once, and whenever the record of a run has grown."""
    last = -1
    while True:
        size = await asyncio.to_thread(_size, run)
        yield "event: board\ndata: null\n\n" if size != last else ": alive\n\n"
        last = size
        await asyncio.sleep(LOOK)


def _size(run: FoundRun) -> int:
    record = run.folder / RECORDS[run.kind][0]
    return record.stat().st_size if record.exists() else 0
