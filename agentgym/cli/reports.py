"""`agentgym report` and `agentgym leaderboard`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agentgym.cli.screen import console, plain
from agentgym.core import ConfigError


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders of `eval`, or of `train`, or one of games.")
    ],
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
    pictures: Annotated[
        bool, typer.Option("--pictures", help="Play the first episodes of an evaluation again, to draw them.")
    ] = False,
    trust: Annotated[
        bool, typer.Option("--trust", help="With --pictures: use functions and data that the files name.")
    ] = False,
) -> int:
    """Write one HTML page about runs, which needs nothing beside it.

    Of evaluations: figures with intervals, how episodes ended, every transcript with search and filters, and a paired
    comparison with the first run. Of trainings: learning curves, a comparison, transcripts shaded by advantage. Of a
    match or a tournament: its figures, and every game as each player saw it.
    """
    from agentgym.report.evaluated import is_evaluated
    from agentgym.report.evaluation import evaluation_page
    from agentgym.report.games import games_page, is_of_games
    from agentgym.report.runs import runs_page

    evaluated = [run for run in runs if is_evaluated(run)]
    if evaluated and len(evaluated) < len(runs):
        other = next(run for run in runs if run not in evaluated)
        raise ConfigError(f"a page is of evaluations or of trainings; {evaluated[0]} is an evaluation, {other} is none")
    if pictures and not evaluated:
        raise ConfigError("--pictures is for evaluations; leave it out")
    games = [run for run in runs if is_of_games(run)]
    if games and len(runs) > 1:
        raise ConfigError(f"a page of games is of one match or tournament; give {games[0]} alone")
    page = (
        evaluation_page(runs, drawn=pictures, trust=trust)
        if evaluated
        else games_page(games[0])
        if games
        else runs_page(runs)
    )
    path = page.write(out)
    console().print(f"{path}: {_runs(len(runs))}, {path.stat().st_size / 1000:,.0f} kB; open it in a browser")
    return 0


def leaderboard(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A tree of folders with runs of `agentgym eval`.")],
    out: Annotated[Path, typer.Option(help="Folder of the page.")] = Path("leaderboard"),
) -> int:
    """Write a leaderboard of all runs under a folder: a page, its figures as JSON, and the report of each run.

    Runs that are not of the same tasks are shown apart.
    """
    from agentgym.report.leaderboard import write_leaderboard

    written = write_leaderboard(folder, out)
    screen = console()
    for name, reason in written.unread.items():
        screen.print(plain(f"{name} is left out: {reason}"))
    screen.print(f"{written.page}: {_runs(written.runs)}, {len(written.apart)} shown apart; open it in a browser")
    return 0


def _runs(count: int) -> str:
    return f"{count} run{'s' * (count != 1)}"
