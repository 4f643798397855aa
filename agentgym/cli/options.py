"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from agentgym.core import ConfigError
from agentgym.core.json_text import read_json

AGENT_HELP = (
    "random, nothing, oracle, expert, rule, endpoint, hf:MODEL, run:FOLDER of a training, or module:name of your own"
)
LIMITS = "Limits of the environment"
STEP_TIMEOUT = 300.0  # seconds, as in `agentgym.evaluate`, which is imported when it is used

World = Annotated[str, typer.Argument(metavar="ID", help="An id from `agentgym list`.")]
Processes = Annotated[
    str | None,
    typer.Option(
        metavar="N|ray:N",
        help="Processes, by default one for each core; 0 plays environments in this one too; ray:N: N actors of Ray.",
    ),
]
Player = Annotated[str | None, typer.Option(help="In a game, the player that the agent is; by default each in turn.")]
Opponent = Annotated[
    str | None,
    typer.Option(
        help="In a game, who holds the others: a level of its opponents or an agent; by default the rival of its card, "
        "or the agent itself where all play together."
    ),
]
WorldOptions = Annotated[
    list[str] | None,
    typer.Option("--env", metavar="KEY=VALUE", help="Option of the environment; VALUE is JSON, or else a text."),
]
MaxTurns = Annotated[int | None, typer.Option(min=1, help="Turn limit in place of the environment's own.")]
Suite = Annotated[str | None, typer.Option(help="Play all worlds of a suite: its name, or the path of a TOML file.")]
Episodes = Annotated[
    int | None,
    typer.Option(
        min=1, help="The first so many tasks; by default 200, or all if there are fewer. Of a suite: at most so many."
    ),
]

StepTimeout = Annotated[
    float,
    typer.Option(rich_help_panel=LIMITS, help="Seconds for a reset or a step, after which its episode has failed."),
]
EpisodeTimeout = Annotated[
    float | None,
    typer.Option(rich_help_panel=LIMITS, help="Seconds for all of an episode, those of the agent not counted."),
]
Memory = Annotated[
    float | None,
    typer.Option(rich_help_panel=LIMITS, help="MiB that its process and those it starts may hold together."),
]
FailOnError = Annotated[
    int,
    typer.Option(min=0, metavar="N", rich_help_panel=LIMITS, help="Exit with status 1 if more than N episodes failed."),
]


def processes(asked: str | None) -> int | str | None:
    """What `--workers` says: a number of processes, or actors of Ray such as `ray:4`; None for the default."""
    return int(asked) if asked is not None and asked.isdecimal() else asked


def world_options(pairs: Sequence[str] | None, max_turns: int | None) -> dict[str, Any]:
    """Constructor arguments of a world from `KEY=VALUE` words.

    Args:
        pairs: The words after `--env`.
        max_turns: What `--max-turns` says; None leaves the environment's own limit.

    Raises:
        ConfigError: if a word has no `=`, a key stands twice, or has an option of its own.
    """
    options: dict[str, Any] = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise ConfigError(f"--env takes KEY=VALUE, got {pair!r}")
        if key in ("split", "max_turns"):
            raise ConfigError(f"give {key} as --{key.replace('_', '-')}, not by --env")
        if key in options:
            raise ConfigError(f"--env {key} is given twice")
        try:
            options[key] = read_json(value)
        except ValueError:
            options[key] = value
    return options if max_turns is None else {**options, "max_turns": max_turns}
