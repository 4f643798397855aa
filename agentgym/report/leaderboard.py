"""A leaderboard: agents by worlds from a tree of runs, as a page and as JSON, with the report of each run beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from agentgym.core import AgentGymError, DataError
from agentgym.core.files import write_whole
from agentgym.evaluate import Estimate
from agentgym.evaluate.metrics import left_out_words, share_left_out
from agentgym.report.boards import Board, Entry, boards, mean_normalized
from agentgym.report.evaluated import SETTINGS, command, is_evaluated, read_evaluated
from agentgym.report.evaluation import page_of
from agentgym.report.page import Cell, Page, Section, Table, Tile

REPORTS = "reports"


@dataclass(frozen=True)
class Written:
    """What a leaderboard was written from.

    Attributes:
        page: The page; `leaderboard.json` and the folder `reports` are beside it.
        runs: Runs that were read.
        apart: Those that stand in no table, with why.
        unread: Folders of runs that could not be read, with why.
    """

    page: Path
    runs: int
    apart: Mapping[str, str]
    unread: Mapping[str, str]


def write_leaderboard(folder: Path, out: Path) -> Written:
    """Write the leaderboard of all runs of `agentgym eval` under a folder.

    Args:
        folder: Any tree of folders.
        out: Folder of the page; made if it is missing.

    Raises:
        DataError: if there is no run, or the page cannot be written.
    """
    entries: list[Entry] = []
    unread: dict[str, str] = {}
    taken: set[str] = set()
    for place in sorted(file.parent for file in folder.rglob(SETTINGS) if is_evaluated(file.parent)):
        name = place.relative_to(folder).as_posix() if place != folder else folder.resolve().name
        try:
            run = read_evaluated(place, name)
        except AgentGymError as error:
            unread[name] = str(error)
            continue
        file = _file(name, taken)
        page_of([run]).write(out / REPORTS / file)
        entries.append(Entry.of(run, f"{REPORTS}/{file}"))
    if not entries:
        reason = f": {next(iter(unread.values()))}" if unread else "; give one that `agentgym eval` has written into"
        raise DataError(f"{folder} holds no run of `agentgym eval` that can be read{reason}")
    tables, apart = boards(entries)
    page = leaderboard_page(entries, tables, apart, unread).write(out / "index.html")
    records = [entry.record(apart.get(entry.name, "")) for entry in entries]
    write_whole(out / "leaderboard.json", json.dumps({"runs": records, "unread": unread}, indent=1, allow_nan=False))
    return Written(page, len(entries), apart, unread)


def leaderboard_page(
    entries: Sequence[Entry], tables: Sequence[Board], apart: Mapping[str, str], unread: Mapping[str, str]
) -> Page:
    """The page of a leaderboard.

    Args:
        entries: All runs.
        tables: What can be compared; see `boards`.
        apart: Why the others stand apart.
        unread: Runs that could not be read, with why.
    """
    count = len(entries)
    tiles = [
        Tile(f"{len({each.agent for each in entries}):,}", "agents"),
        Tile(f"{len({each.world for each in entries}):,}", "worlds"),
        Tile(f"{count:,}", "run" if count == 1 else "runs", f"{len(apart):,} shown apart" if apart else ""),
        Tile(f"{sum(each.summary.scored for each in entries):,}", "episodes scored", _noted(entries)),
    ]
    sections = [
        *(_board(table) for table in tables),
        _runs(entries, apart),
        _apart(entries, apart, unread),
        Section("Commands", [], [_commands(entries)]),
    ]
    lead = "How agents do, from a player at random, 0, to one that sees the hidden state, 1."
    return Page("Leaderboard", lead, tiles, [section for section in sections if section.blocks], wide=True)


def _board(board: Board) -> Section:
    worlds = list(board.columns)
    counted = [world for world in worlds if board.columns[world].normalized is not None]
    rows: list[tuple[tuple[float, float, str], list[str | Cell]]] = []
    for agent, row in board.rows.items():
        mean = mean_normalized(row, counted)
        cells: list[str | Cell] = [_agent(next(iter(row.values())))]
        if len(worlds) > 1:
            missing = f"{len(row)} of {len(worlds)} worlds" if len(row) < len(worlds) else ""
            cells.append(_beside(_normalized(mean), row.values()) if mean is not None else Cell("–", missing))
        cells += [_result(row[world]) if world in row else "–" for world in worlds]
        best = mean.value if mean is not None else -float("inf")
        rows.append(((-best, -len(row), agent), cells))
    rows.sort(key=lambda each: each[0])
    heads = ["agent", *(["mean"] if len(worlds) > 1 else []), *worlds]
    sizes = "; ".join(
        f"{world}: {each.config.episodes} tasks" + (f", {each.config.trials} trials each" * (each.config.trials > 1))
        for world, each in board.columns.items()
    )
    raw = [world for world in worlds if world not in counted]
    text = [
        "Success between the random player and the oracle of the world's card, below it the plain success, both with "
        "95 % intervals. A click on a column head sorts; a figure leads to its report."
    ]
    if raw:
        text.append(
            f"Plain success alone where the card has no such figures of the world as it was made: {', '.join(raw)}."
        )
    caption = f"{sizes}. The mean is over all worlds that can be normalized, for agents that have played them all."
    return Section(f"Split {board.split}", text, [Table(heads, [row for _, row in rows], caption, sortable=True)])


def _result(entry: Entry) -> Cell:
    success = entry.summary.success
    plain = f"{100 * success.value:.1f} % ({100 * success.low:.0f}–{100 * success.high:.0f})"
    if entry.summary.left_out:
        plain += f"\n{_noted([entry])}"
    if entry.normalized is None:
        return Cell(plain, href=_link(entry), order=success.value)
    shown = _normalized(entry.normalized)
    return Cell(shown.text, f"{shown.note}\n{plain}", _link(entry), shown.order)


def _noted(entries: Iterable[Entry]) -> str:
    """What share of the episodes of all entries together their figures are not of; "" if they are of all."""
    summaries = [entry.summary for entry in entries]
    return left_out_words(share_left_out(sum(e.scored for e in summaries), sum(e.episodes for e in summaries)))


def _beside(cell: Cell, entries: Iterable[Entry]) -> Cell:
    """A figure with that share below."""
    return replace(cell, note="\n".join(filter(None, (cell.note, _noted(entries)))))


def _normalized(estimate: Estimate) -> Cell:
    return Cell(_signed(estimate.value), f"{_signed(estimate.low)} to {_signed(estimate.high)}", order=estimate.value)


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _runs(entries: Sequence[Entry], apart: Mapping[str, str]) -> Section:
    columns = [
        "run",
        "world",
        "split",
        "agent",
        "success",
        "normalized",
        "score",
        "turns",
        "tokens",
        "dollars",
        "scored",
    ]
    rows: list[list[str | Cell]] = []
    for entry in entries:
        summary, success = entry.summary, entry.summary.success
        tokens = summary.prompt_tokens + summary.completion_tokens
        rows.append(
            [
                Cell(entry.name, "shown apart" if entry.name in apart else "", _link(entry)),
                entry.world,
                entry.config.split,
                _agent(entry),
                _beside(
                    Cell(
                        f"{100 * success.value:.1f} %" if summary.scored else "–",
                        f"{100 * success.low:.1f} to {100 * success.high:.1f} %",
                        order=success.value if summary.scored else -1.0,
                    ),
                    [entry],
                ),
                _beside(_normalized(entry.normalized), [entry])
                if entry.normalized is not None and summary.scored
                else "–",
                _beside(Cell(f"{summary.score.value:.3f}", order=summary.score.value), [entry])
                if summary.scored
                else "–",
                _beside(Cell(f"{summary.turns:.1f}", order=summary.turns), [entry]) if summary.scored else "–",
                f"{tokens:,}" if tokens else "–",
                f"{summary.cost:.4f}" if summary.cost else "–",
                Cell(
                    f"{summary.scored:,}", f"of {entry.config.episodes * entry.config.trials:,}", order=summary.scored
                ),
            ]
        )
    return Section("Every run", [], [Table(columns, rows, "A name leads to the run's report.", sortable=True, texts=4)])


def _apart(entries: Sequence[Entry], apart: Mapping[str, str], unread: Mapping[str, str]) -> Section:
    rows: list[list[str | Cell]] = [
        [Cell(each.name, href=_link(each)), each.world, each.config.split, _agent(each), apart[each.name]]
        for each in entries
        if each.name in apart
    ]
    rows += [[name, "", "", "", f"cannot be read: {reason}"] for name, reason in unread.items()]
    text = "These runs are not of the same tasks as the others, or not whole, and stand in no table above."
    columns = ["run", "world", "split", "agent", "why"]
    return Section("Shown apart", [text], [Table(columns, rows, wrapped=True)] if rows else [])


def _commands(entries: Sequence[Entry]) -> Table:
    rows: list[list[str | Cell]] = [
        [Cell(each.name, href=_link(each)), command(each.config), each.config.version] for each in entries
    ]
    return Table(["run", "command", "version"], rows, wrapped=True)


def _agent(entry: Entry) -> Cell:
    """The model, if there is one, over the other options."""
    options = dict(entry.config.agent_options)
    name = options.pop("model", None)
    others = [*([entry.config.agent] if name else []), *(f"{key}={value}" for key, value in sorted(options.items()))]
    others += entry.config.asked
    return Cell(str(name or entry.config.agent), " ".join(others))


def _link(entry: Entry) -> str:
    return quote(entry.report)


def _file(name: str, taken: set[str]) -> str:
    """A name of a file for the page of a run, which no other one has."""
    stem = re.sub(r"[^\w.-]+", "_", name).strip(".") or "run"
    file, number = f"{stem}.html", 1
    while file in taken:
        number += 1
        file = f"{stem}-{number}.html"
    taken.add(file)
    return file
