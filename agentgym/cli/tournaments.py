"""`agentgym tournament`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from agentgym.cli import options
from agentgym.cli.agent_options import agents_said, asking, with_agents
from agentgym.cli.screen import complain, console, plain, progress

if TYPE_CHECKING:
    from agentgym.evaluate.tournament import Tournament

FAILED, INTERRUPTED, SHOWN_REASONS = 1, 130, 5
PLAYERS = (
    "Levels of the scripted opponents, hf:MODEL, endpoint:MODEL, run:FOLDER, oracle, expert, or module:name of your "
    "own; by default the levels. One with options of its own stands alone, as "
    'AGENT {"base_url": ..., "system": ..., "wrap": [...]}.'
)


@with_agents
def tournament(
    context: typer.Context,
    env_id: options.World,
    agents: Annotated[list[str] | None, typer.Option("--agents", help=PLAYERS)] = None,
    deals: Annotated[int, typer.Option(min=2, help="The first so many tasks.")] = 50,
    split: Annotated[str, typer.Option(help="Where the tasks come from.")] = "test",
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random draws.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder; by default runs/tournament/<name>.")] = None,
    env: options.WorldOptions = None,
    step_timeout: options.StepTimeout = options.STEP_TIMEOUT,
    episode_timeout: options.EpisodeTimeout = None,
    memory: options.Memory = None,
    max_minutes: Annotated[float | None, typer.Option(help="Minutes after which the tournament stops.")] = None,
    fail_on_error: options.FailOnError = 0,
) -> int:
    """Let players meet, each with each on the same deals as every side; print ratings and payoffs, write a page.

    Name several players by several --agents, or by one with commas; options go to all, and an agent's own come first.
    The same command goes on after Ctrl-C, or when a budget (--max-cost, --max-total-tokens, --max-minutes) was spent.
    """
    from agentgym.core import BudgetSpent, card
    from agentgym.evaluate import Interrupted
    from agentgym.evaluate.tournament import tournament as run
    from agentgym.report.cross_play import tournament_page

    shown = card(env_id)
    players = agents_said(agents or [",".join(shown.opponents)])
    folder = out or Path("runs") / "tournament" / shown.name
    try:
        with progress("games") as bar:
            result = run(
                env_id,
                players,
                deals=deals,
                split=split,
                seed=seed,
                out=folder,
                **asking(context),
                env_kwargs=options.world_options(env, None),
                step_timeout=step_timeout,
                episode_timeout=episode_timeout,
                memory=memory,
                max_minutes=max_minutes,
                on_game=lambda done, total: bar(done, total, ""),
            )
    except Interrupted as stop:
        return complain(str(stop), INTERRUPTED)
    except BudgetSpent as stop:
        return complain(str(stop), FAILED)
    page = tournament_page(result).write(folder / "report.html")
    matrix = Table("", *result.players, title="payoff of the row as one side, the column as the others")
    for row in result.players:
        matrix.add_row(row, *(_payoff(result, row, column) for column in result.players))
    screen = console()
    screen.print(_standings(result))
    screen.print(matrix)
    if any(result.among_themselves.values()):
        screen.print(_among_themselves(result))
    failed = sum(result.failures.values())
    if failed:
        left_out = len(result.games) - result.scored
        screen.print(
            f"{failed} of {len(result.games)} games failed ({failed / len(result.games):.1%}); {left_out} are not "
            "scored: those, and what the same players played on the same deals"
        )
        for reason, count in [*result.failures.items()][:SHOWN_REASONS]:
            screen.print(plain(f"  {count}: {reason}", "yellow"))
    screen.print(f"{page}; every game is in {folder / 'games.jsonl'}")
    return FAILED if failed > fail_on_error else 0


def _standings(result: Tournament) -> Table:
    from agentgym.evaluate.metrics import left_out_words
    from agentgym.evaluate.ratings import HEADS, WORDS, shown

    metrics = list(dict.fromkeys(name for each in result.standings for name in each.metrics))
    columns = ["player", HEADS[result.rated_by], "95 %", "points", "payoff", *metrics]
    title = f"{result.env_id}, {result.deals} deals"
    standings = Table(*columns, "games", "lost early", "tokens", title=title, caption=WORDS[result.rated_by])
    for each in result.standings:
        cells = [each.name, *shown(result.rated_by, each.rating), f"{each.points:.1%}", f"{each.payoff:+.3f}"]
        cells += [f"{found.value:.3f}" if (found := each.metrics.get(name)) else "" for name in metrics]
        note = left_out_words(each.left_out)
        standings.add_row(
            *cells, f"{each.games}, {note}" if note else str(each.games), str(each.lost), f"{each.tokens:,}"
        )
    return standings


def _payoff(result: Tournament, row: str, column: str) -> str:
    """A mean payoff, with the share of the games that it is not of."""
    from agentgym.evaluate.metrics import left_out_words

    note = left_out_words(result.left_out(row, column))
    shown = f"{result.payoffs[row][column].value:+.3f}"
    return f"{shown}, {note}" if note else shown


def _among_themselves(result: Tournament) -> Table:
    """The game's metrics where one player held every position."""
    from agentgym.evaluate.metrics import left_out_words

    found = result.among_themselves
    metrics = list(dict.fromkeys(name for each in found.values() for name in each))
    table = Table("player", *metrics, title="each among its own kind; 95 % intervals over deals")
    for name, each in found.items():
        note = left_out_words(result.left_out(name, name))
        shown = (each[metric] for metric in metrics if metric in each)
        table.add_row(
            f"{name}, {note}" if note else name, *(f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]" for one in shown)
        )
    return table
