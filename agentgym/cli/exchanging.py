"""`agentgym export`, `agentgym import`, and what is learned from records: `agentgym macros`, `agentgym ranker`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from agentgym.cli.screen import console, plain


def export(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Folder of an evaluation, a suite, a training or a recording.")
    ],
    form: Annotated[str, typer.Option("--format", help="openai, sharegpt, hf, trl or verl.")],
    out: Annotated[Path, typer.Option(help="The file: .jsonl, or .parquet with pyarrow.")],
    success: Annotated[bool, typer.Option("--success", help="Only successful episodes.")] = False,
    min_score: Annotated[float | None, typer.Option(help="Only episodes whose return is at least this.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many of those left.")] = None,
    trust: Annotated[bool, typer.Option("--trust", help="Use modules and data that the run names.")] = False,
) -> int:
    """Write recorded episodes in the format of another library.

    A run that names modules, functions or data from outside the suite is refused unless it is trusted.
    """
    from agentgym.evaluate.exporting import export as write

    done = write(run, form, out, success=success, min_score=min_score, limit=limit, trust=trust)
    left_out = f"{done.filtered} filtered out, {done.failed} failed and left out"
    console().print(plain(f"{done.path}: {done.rows} rows of {done.episodes} episodes; {left_out}"))
    return 0


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Published trajectories, as JSON or JSON lines.")],
    form: Annotated[str, typer.Option("--format", help="agenttraj, eto or tau-bench.")],
    out: Annotated[Path, typer.Option(help="Folder of the run.")],
) -> int:
    """Read published trajectories into the folder of a run."""
    from agentgym.evaluate.importing import import_run

    found, unrated = import_run(file, form, out)
    won = sum(episode.success for episode in found)
    note = f"; {unrated} without a reward left out" if unrated else ""
    console().print(plain(f"{out}: {len(found)} episodes, {won} of them successful{note}"))
    return 0


def macros(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of an evaluation or of a training.")],
    out: Annotated[Path, typer.Option(help="The file of macros, JSON.")],
    most: Annotated[int, typer.Option(help="Most macros.")] = 8,
    longest: Annotated[int, typer.Option(help="Most actions of one.")] = 8,
    least: Annotated[int, typer.Option(help="Fewest successful episodes that hold one.")] = 3,
) -> int:
    """Find runs of actions that come again and again, to be played as one with --wrap 'Macros={"file": FILE}'."""
    from agentgym.evaluate.macros import mine_run

    mined = mine_run(run, out, most=most, longest=longest, least=least)
    screen = console()
    for number, macro in enumerate(mined.macros, 1):
        held = f"{macro.times} times in {macro.episodes} episodes, saves {macro.saved} turns"
        screen.print(plain(f"macro {number}: {'; '.join(macro.steps)}  ({held})"))
    share = f"{mined.saved} of {mined.turns} turns of {mined.episodes} successful episodes"
    screen.print(plain(f"{out}: {len(mined.macros)} macros, which would have saved {share}"))
    return 0


def ranker(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders of evaluations, not of a test split, with failures.")
    ],
    out: Annotated[Path, typer.Option(help="The file of the ranker, JSON.")],
) -> int:
    """Fit a ranker to successes and failures; it picks the best of n with `agentgym eval --trials N --ranker FILE`."""
    from agentgym.evaluate.ranker import fit_ranker

    found = fit_ranker(runs, out)
    learned = f"fitted to {found.attempts} attempts, {found.successes} of them successful"
    told = f"on tasks held out, a success scores above a failure with a chance of {100 * found.told_apart:.1f} %"
    console().print(plain(f"{out}: {learned}; {'one task alone' if math.isnan(found.told_apart) else told}"))
    return 0
