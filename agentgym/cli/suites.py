"""What `agentgym eval --suite` prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from agentgym.cli.screen import interval, number, plain

if TYPE_CHECKING:
    from agentgym.evaluate import EpisodeRecord, Estimate, SuiteResult, SuiteWorld, WorldResult

SHOWN = ("iqm", "mean", "optimality_gap")
Bar = Callable[[int, int, str], None]


def watch(bar: Bar) -> Callable[[SuiteWorld, EpisodeRecord | None, int, int], None]:
    """What moves the bar, which is that of the world under way.

    Args:
        bar: Shows episodes done, episodes in all, and a note.
    """

    return lambda world, episode, done, total: bar(done, total, world.name)


def tables(result: SuiteResult) -> Group:
    """A line for each world, one for each kind, and one for all; what could not be played below, with the reason."""
    worlds = Table("world", "kind", "tasks", "success", "random", "oracle", "normalized", "progress", "left out")
    for each in result.worlds:
        worlds.add_row(*_line(each))
    kinds = Table("kind", "worlds", "interquartile mean", "mean", "optimality gap", "left out")
    for kind, figures in result.by_kind.items():
        count = sum(each.scores is not None and each.world.kind == kind for each in result.worlds)
        kinds.add_row(kind, str(count), *(interval(figures[name]) for name in SHOWN), _left_out(result.left_out(kind)))
    if result.aggregates:
        count = sum(each.scores is not None for each in result.worlds)
        shown = [interval(result.aggregates[name]) for name in SHOWN]
        kinds.add_row("all", str(count), *shown, _left_out(result.left_out()))
    notes = [plain(f"{each.world.name}: not run: {each.reason}", "yellow") for each in result.not_run]
    notes += [
        plain(f"{each.world.name}: not in the aggregates: {each.reason}")
        for each in result.worlds
        if each.result is not None and each.reason
    ]
    words = (
        "normalized: success between the random agent (0) and the oracle (1); 95 % intervals: Wilson for a world, "
        "stratified bootstrap over tasks for aggregates"
    )
    reached = [] if result.progress is None else [Text(f"progress  {_plus_minus(result.progress)}  mean over worlds")]
    tables = [worlds, *([kinds] if result.by_kind else [])]
    return Group(*tables, *reached, Text(words), *notes, plain(f"folder  {result.folder}"))


def _line(each: WorldResult) -> list[Text]:
    played = each.played
    if played is None:
        return [plain(text) for text in (each.world.name, each.world.kind, "-", "not run", "", "", "", "", "")]
    cells = [
        each.world.name,
        each.world.kind,
        str(len(played.success_by_task)),
        interval(played.success),
        number(each.random, 3),
        number(each.oracle, 3),
        "-" if each.normalized is None else interval(each.normalized),
        _plus_minus(played.progress),
        f"{played.episodes - played.scored} ({_left_out(played.left_out)})" if played.left_out else "0",
    ]
    return [plain(cell) for cell in cells]


def _left_out(share: float) -> str:
    return f"{100 * share:.1f} %" if share else "0"


def _plus_minus(figure: Estimate) -> str:
    """A mean with its standard error."""
    return f"{number(figure.value, 3)} ± {number(figure.high - figure.value, 3)}"
