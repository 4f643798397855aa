"""`agentgym match`, and what `agentgym eval` prints of a game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from agentgym.cli import options
from agentgym.cli.agent_options import agent_said, asking, with_agents
from agentgym.cli.screen import complain, console, interval, number, plain, progress
from agentgym.core import BudgetSpent, ConfigError, card

if TYPE_CHECKING:
    from agentgym.evaluate import Agent, EpisodeRecord, MatchResult

FAILED, INTERRUPTED, SHOWN_REASONS = 1, 130, 5
PLAYERS = (
    "Who holds a player, as PLAYER=AGENT, once for each: a level of the game's opponents, hf:MODEL, endpoint:MODEL, "
    "run:FOLDER, oracle, expert, random, or module:name of your own; with options of its own as "
    'PLAYER=AGENT {"base_url": ..., "system": ..., "wrap": [...]}.'
)


@with_agents
def match(
    context: typer.Context,
    env_id: options.World,
    player: Annotated[list[str], typer.Option("--player", metavar="PLAYER=AGENT", help=PLAYERS)],
    games: Annotated[int | None, typer.Option(min=1, help="The first so many tasks; by default 50.")] = None,
    trials: Annotated[int, typer.Option(min=1, help="Times each is played.")] = 1,
    split: Annotated[str, typer.Option(help="Where the tasks come from.")] = "test",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the match.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder; by default runs/match/<name>.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Throw away what the folder holds.")] = False,
    env: options.WorldOptions = None,
    max_turns: options.MaxTurns = None,
    step_timeout: options.StepTimeout = options.STEP_TIMEOUT,
    episode_timeout: options.EpisodeTimeout = None,
    memory: options.Memory = None,
    fail_on_error: options.FailOnError = 0,
) -> int:
    """Let agents play a game against or with each other; print what each achieved, write a page to read.

    Options of models go to every agent that takes them, and an agent's own come first. The same command goes on with a
    match that was interrupted.
    """
    from agentgym.evaluate import match as run

    chosen = players(player)
    return shown(
        lambda watch: run(
            env_id,
            chosen,
            games=games,
            trials=trials,
            split=split,
            seed=seed,
            out=out,
            fresh=fresh,
            **asking(context),
            env_kwargs=options.world_options(env, max_turns),
            step_timeout=step_timeout,
            episode_timeout=episode_timeout,
            memory=memory,
            on_game=watch,
        ),
        fail_on_error,
    )


def is_game(context: typer.Context) -> bool:
    """Whether `agentgym eval` is asked for a game of several players.

    Raises:
        ConfigError: if it is not, and there are options for one.
    """
    known = card(context.params["env_id"])
    for name in ("player", "opponent"):
        if known.players == 1 and context.params[name] is not None:
            raise ConfigError(f"{known.id} has one player; leave out --{name}, which is for games of several")
    return known.players > 1


def evaluate_player(context: typer.Context) -> int:
    """`agentgym eval` of a game."""
    from agentgym.evaluate import evaluate_player as run

    given = context.params
    workers = options.processes(given["workers"])
    if workers not in (None, 0, 1):
        raise ConfigError("the games of a match play in one process; leave out --workers, or give 0 or 1")
    names = (
        "player",
        "trials",
        "split",
        "seed",
        "out",
        "fresh",
        "step_timeout",
        "episode_timeout",
        "memory",
    )
    return shown(
        lambda watch: run(
            given["env_id"],
            agent_said(given["agent"]),
            opponent=given["opponent"] and agent_said(given["opponent"]),
            **{name: given[name] for name in names},
            games=given["episodes"],
            **asking(context),
            env_kwargs=options.world_options(given["env"], given["max_turns"]),
            here=workers == 0,
            on_game=watch,
        ),
        given["fail_on_error"],
    )


def players(pairs: Sequence[str]) -> dict[str, str | Agent]:
    """Who holds which player, from words `PLAYER=AGENT`; see `agent_said`.

    Raises:
        ConfigError: if a word has no `=`, a player is named twice, or an agent's own options are wrong.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        player, equals, agent = pair.partition("=")
        if not (player and equals and agent):
            raise ConfigError(f"--player takes PLAYER=AGENT, such as player_0=strong, got {pair!r}")
        if player in found:
            raise ConfigError(f"{player} is given to two agents, {found[player]} and {agent}; name one for each player")
        found[player] = agent
    return {player: agent_said(agent) for player, agent in found.items()}


def shown(run: Callable[[Any], MatchResult], fail_on_error: int) -> int:
    """Play a match, print its figures and write its page; the exit code.

    Args:
        run: Plays it, given who watches.
        fail_on_error: How many games may fail.
    """
    from agentgym.evaluate import Interrupted
    from agentgym.report.match import match_page

    found = 0
    try:
        with progress("games") as bar:

            def watch(game: EpisodeRecord | None, done: int, total: int) -> None:
                """Move the bar to `done` of `total`; None for the `game` says that so many were in the folder."""
                nonlocal found
                found = done if game is None else found
                bar(done, total, "")

            result = run(watch)
    except Interrupted as stop:
        return complain(str(stop), INTERRUPTED)
    except BudgetSpent as stop:
        return complain(str(stop), FAILED)
    page = match_page(result).write(result.folder / "report.html")
    screen = console()
    screen.print(_table(result))
    if found:
        screen.print(plain(f"{found} of the games were in the folder from before; --fresh plays them anew", "yellow"))
    failures = result.failures
    for (kind, reason), count in [*failures.items()][:SHOWN_REASONS]:
        screen.print(plain(f"{count} games failed by the {kind}: {reason}", "yellow"))
    screen.print(plain(f"{page}; every game is in {result.folder / 'games.jsonl'}"))
    return FAILED if sum(failures.values()) > fail_on_error else 0


def _table(result: MatchResult) -> Table:
    rows = result.figures
    metrics = result.metrics
    title = f"{result.env_id}, {result.split}, {len(result.games)} games; 95 % intervals over tasks"
    table = Table(
        "agent", "as", "games", "success %", "score", *metrics, "valid %", "turns", "tokens", title=plain(title)
    )
    dollars = any(row.cost for row in rows)
    if dollars:
        table.add_column("dollars")
    for row in rows:
        cells = [row.agent if row.overall else "", row.held, _games(row.games, row.scored, row.lost)]
        cells += [interval(row.success, 100, 1), interval(row.score, 1, 3)]
        cells += [interval(row.metrics[name], 1, 3) if name in row.metrics else "" for name in metrics]
        cells += [number(100 * row.valid_actions), number(row.turns)]
        cells.append(f"{row.prompt_tokens:,} + {row.completion_tokens:,}" if row.prompt_tokens else "")
        table.add_row(*(plain(cell) for cell in [*cells, *([f"{row.cost:.4f}"] if dollars else [])]))
    return table


def _games(games: int, scored: int, lost: int) -> str:
    """How many games there are, and of those how many no figure is of, and how many could not be played to the end."""
    notes = [f"{games - scored} ({1 - scored / games:.1%}) left out"] if games > scored else []
    return ", ".join([str(games), *notes, *([f"{lost} not ended"] if lost else [])])
