"""`agentgym list` and `agentgym show`: what there is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.table import Table

import agentgym
from agentgym.cli.screen import console, plain
from agentgym.core import EnvCard


def list_worlds(
    as_json: Annotated[bool, typer.Option("--json", help="Print the full cards as JSON.")] = False,
) -> None:
    """Show the catalogue: every environment with its family, splits, turn limit, oracle and extras."""
    cards = agentgym.catalog().values()
    if as_json:
        typer.echo(json.dumps([_plain_data(card) for card in cards], indent=2))
        return
    table = Table("id", "family", "splits", "turns", "oracle", "extras", "description")
    table.columns[0].no_wrap = True
    for card in cards:
        table.add_row(
            card.name,
            card.kind,
            _sizes(card.splits),
            str(card.max_turns),
            f"{card.oracle_success:.3g}",
            ", ".join(card.extras) or "-",
            card.description,
        )
    console().print(table)


def show(name: Annotated[str, typer.Argument(metavar="ID", help="An id from `agentgym list`.")]) -> None:
    """Show one environment: its card and the manual an agent reads."""
    from agentgym.evaluate import open_world, resolve

    card = resolve(name)[1]
    table = Table.grid(padding=(0, 2))
    table.add_row("id", card.id)
    table.add_row("family", card.kind)
    table.add_row("description", card.description)
    table.add_row("source", card.citation)
    table.add_row("splits", _sizes(card.splits))
    table.add_row("turns", f"at most {card.max_turns}")
    table.add_row("dynamics", "deterministic" if card.deterministic else "stochastic")
    table.add_row("oracle", f"succeeds in {card.oracle_success:.1%}")
    table.add_row("snapshot", card.snapshot)
    table.add_row("extras", ", ".join(card.extras) or "none")
    if card.api != "gymnasium":
        table.add_row("seats", f"{card.seats}, {'in turn' if card.api == 'aec' else 'all at once'}")
        table.add_row("opponents", ", ".join(card.opponents))
    for title, words in (("options to give", card.requires), ("events", card.events), ("metrics", card.metrics)):
        table.add_row(title, "\n".join(f"{key}: {meaning}" for key, meaning in words.items()) or "none")
    table.add_row("costs", "\n".join(f"{key}: {meaning}" for key, meaning in card.costs.items()) or "none")
    for split, scores in card.scores.items():
        listed = ", ".join(f"{agent} {score.success:.1%} ({score.score:.3g})" for agent, score in scores.items())
        table.add_row(f"success (score) on {split}", listed)
    screen = console()
    screen.print(table)
    if card.api == "gymnasium" and not card.requires:
        env = open_world(name, next(iter(card.splits)), {})
        screen.print(plain(f"\n{env.get_wrapper_attr('manual')}"))
        env.close()
    elif not card.requires:
        screen.print(plain(f"\n{agentgym.make(card.id).manual}"))


def _sizes(splits: Mapping[str, int | None]) -> str:
    return ", ".join(f"{split} {'endless' if size is None else size}" for split, size in splits.items())


def _plain_data(card: EnvCard) -> dict[str, Any]:
    """A card as JSON has it; its scores are read from their file."""
    scores = {split: {agent: score._asdict() for agent, score in row.items()} for split, row in card.scores.items()}
    return {**asdict(card), "scores": scores}
