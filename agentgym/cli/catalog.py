"""`agentgym list` and `agentgym show`: what there is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.table import Table

import agentgym
from agentgym.cli.screen import console, plain
from agentgym.core import EnvCard, unknown

NO_EXTRA = "none"


def list_worlds(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[WORD]...", help="Words that stand in the id or the description.")
    ] = None,
    family: Annotated[str | None, typer.Option(help="Only one family, such as games or web.")] = None,
    api: Annotated[str | None, typer.Option(help="Only one interface: gymnasium, aec or parallel.")] = None,
    players: Annotated[int | None, typer.Option(min=1, help="Only for so many players.")] = None,
    extra: Annotated[
        str | None,
        typer.Option(help=f"Only what needs this extra of the distribution; {NO_EXTRA}: what needs no extra."),
    ] = None,
    images: Annotated[
        bool | None, typer.Option("--images/--no-images", help="Only with, or without, pictures.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the full cards as JSON.")] = False,
) -> None:
    """Show the catalog: every environment with its family, splits, turn limit, oracle and extras.

    Options and words narrow it down; an environment must fit all of them.
    """
    known = agentgym.catalog().values()
    _check("family", family, {card.kind for card in known})
    _check("interface", api, {"gymnasium", "aec", "parallel"})
    _check("extra", extra, {NO_EXTRA}.union(*(card.extras for card in known)))
    cards = [
        card
        for card in known
        if _has_words(card, words or ())
        and family in (None, card.kind)
        and api in (None, card.api)
        and players in (None, card.players)
        and (extra is None or extra in (card.extras or (NO_EXTRA,)))
        and images in (None, card.images)
    ]
    if as_json:
        typer.echo(json.dumps([_plain_data(card) for card in cards], indent=2))
        return
    if not cards:
        typer.echo("no environment fits; ask for less")
        return
    table = Table("id", "family", "players", "splits", "turns", "oracle", "extras", "description")
    table.columns[0].no_wrap = True
    for card in cards:
        table.add_row(
            card.name,
            card.kind,
            str(card.players),
            _sizes(card.splits),
            str(card.max_turns),
            f"{card.oracle_success:.3g}",
            ", ".join(card.extras) or "-",
            card.description,
        )
    console().print(table)


def _has_words(card: EnvCard, words: Sequence[str]) -> bool:
    text = f"{card.id} {card.description}".casefold()
    return all(word.casefold() in text for word in words)


def _check(kind: str, given: str | None, known: set[str]) -> None:
    """Refuse the value of an option that no environment can have."""
    if given is not None and given not in known:
        raise unknown(kind, given, known)


def show(name: Annotated[str, typer.Argument(metavar="ID", help="An id from `agentgym list`.")]) -> None:
    """Show one environment: its card and the manual an agent reads."""
    from agentgym.evaluate import open_pool, resolve, world_options

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
        table.add_row("players", f"{card.players}, {'in turn' if card.api == 'aec' else 'all at once'}")
        table.add_row("opponents", ", ".join(card.opponents))
    table.add_row("progress", "hidden on test until the end" if card.hidden_progress else "shown")
    options = {
        f"{each.name} ({'required' if each.default is None else each.default})": each.meaning
        for each in world_options(card)
    }
    named = {"options": options, "shortcuts": card.shortcuts, "events": card.events, "metrics": card.metrics}
    for title, words in (*named.items(), ("costs", card.costs)):
        table.add_row(title, plain("\n".join(f"{key}: {meaning}" for key, meaning in words.items()) or "none"))
    for split, scores in card.scores.items():
        listed = ", ".join(f"{agent} {score.success:.1%} ({score.score:.3g})" for agent, score in scores.items())
        table.add_row(f"success (score) on {split}", listed)
    screen = console()
    screen.print(table)
    if not card.requires:
        pool = open_pool(name, next(iter(card.splits)), {})
        screen.print(plain(f"\n{pool.manual}"))
        pool.close()


def _sizes(splits: Mapping[str, int | None]) -> str:
    return ", ".join(f"{split} {'endless' if size is None else size}" for split, size in splits.items())


def _plain_data(card: EnvCard) -> dict[str, Any]:
    """A card as JSON has it; its scores are read from their file."""
    scores = {split: {agent: score._asdict() for agent, score in row.items()} for split, row in card.scores.items()}
    return {**asdict(card), "scores": scores}
