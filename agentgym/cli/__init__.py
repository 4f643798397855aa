"""The command `agentgym`: one place that turns every expected error into one line on standard error.

Exit codes: 0 all is well; 1 a check failed, or an episode could not be played; 2 bad input; 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from gymnasium.error import Error as GymnasiumError

import agentgym
from agentgym.cli import (
    browsing,
    catalog,
    checks,
    evaluation,
    exchanging,
    matches,
    playing,
    recording,
    reports,
    reproducing,
    serving,
    tournaments,
    training,
)
from agentgym.cli.command import PathCommand
from agentgym.cli.screen import complain, steady
from agentgym.core import AgentGymError

BAD_INPUT, INTERRUPTED = 2, 130
UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # typer names only this kind of click's usage errors

app = typer.Typer(
    name="agentgym",
    help="Environments for language agents: list, check, play and evaluate them; train policies in them.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
command = partial(app.command, cls=PathCommand)
command("list")(catalog.list_worlds)
command("show")(catalog.show)
command("play")(playing.play)
command("ui")(browsing.ui)
command("eval")(evaluation.evaluate)
command("replay")(evaluation.replay)
command("match")(matches.match)
command("tournament")(tournaments.tournament)
command("train", context_settings=training.SETTINGS)(training.train)
command("recipes")(training.recipes)
command("report")(reports.report)
command("leaderboard")(reports.leaderboard)
command("export")(exchanging.export)
command("import")(exchanging.import_)
command("macros")(exchanging.macros)
command("ranker")(exchanging.ranker)
command("reproduce")(reproducing.reproduce)
command("serve")(serving.serve)
command("record")(recording.record)
command("check")(checks.check)
command("golden")(checks.golden)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(agentgym.__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Environments for language agents: list, check, play and evaluate them."""


def run(arguments: Sequence[str]) -> int:
    """Run a command line without the program's name; return the exit code."""
    try:
        code = app(list(arguments) or ["--help"], prog_name="agentgym", standalone_mode=False)
    except UsageError as error:
        return complain(str(error.format_message()), BAD_INPUT)  # type: ignore[attr-defined]
    except (AgentGymError, GymnasiumError) as error:
        return complain(str(error), BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):  # newer versions of typer return 130 themselves
        return complain("interrupted", INTERRUPTED)
    return code if isinstance(code, int) else 0


def main() -> None:
    """Run the command line of this process and leave with its exit code.

    Modules of the current folder can be named, as in `agentgym check thermo:MyLab/Thermo-v0`.
    """
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    steady()
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except AgentGymError as error:
        code = complain(str(error), BAD_INPUT)
    sys.exit(code)
