"""`agentgym check` and `agentgym golden`: does a world keep the contract, and is it the one on record?"""

from __future__ import annotations

from typing import Annotated

import typer

from agentgym.cli import options
from agentgym.cli.screen import console, plain
from agentgym.core import MissingExtra, catalog

FAILED = 1
SHOWN_DIFFERENCES = 10


def check(
    env_id: options.World,
    full: Annotated[bool, typer.Option("--full", help="Every task of every finite split, and longer walks.")] = False,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds for one check; by default 600, and 7200 with --full.")
    ] = None,
) -> int:
    """Check that an environment keeps the contract; say how to mend what it does not keep."""
    from agentgym import conformance

    report = conformance.check_apart(env_id, full=full, timeout=timeout)
    console().print(conformance.render_table(report))
    return 0 if report.passed else FAILED


def golden(
    env_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="One id; all by default.")] = None,
    update: Annotated[bool, typer.Option("--update", help="Write panels and records anew.")] = False,
    shortcuts: Annotated[bool, typer.Option("--shortcuts", help="Write what shortcuts score anew, no more.")] = False,
) -> int:
    """Compare environments with their golden records, or write these, and for one id what agents score."""
    from agentgym.conformance import golden as records
    from agentgym.conformance.score_file import update_scores_apart, update_shortcuts

    names = [card.id for card in catalog().values()] if env_id is None else [env_id]
    screen, code = console(), 0
    if shortcuts:
        for name in names:
            try:
                path = update_shortcuts(name)
            except MissingExtra as lacking:  # a world that cannot be made here does not keep the others from it
                path, code = None, FAILED
                screen.print(plain(f"{name}: {lacking}"))
            screen.print(plain(f"{name}: {f'wrote {path}' if path else 'not tried'}"))
        return code
    for name in names:
        if update:
            written = records.update(name)
            screen.print(plain(f"{name}: wrote {', '.join(map(str, written.files))}"))
            path = update_scores_apart(name) if env_id is not None else None
            if path is not None:
                screen.print(plain(f"{name}: wrote {path}"))
            changed = written.changed
        else:
            changed = tuple(records.verify(name))
            code = FAILED if changed else code
        if changed:
            screen.print(plain(f"{name}: {len(changed)} entries differ; a released id needs a new version"))
        elif not update:
            screen.print(plain(f"{name}: equal to the record"))
        for entry in changed[:SHOWN_DIFFERENCES]:
            screen.print(plain(f"  {entry}"))
    return code
