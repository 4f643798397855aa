"""The pages of the suites, made of their files."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym.core import EnvCard, catalog
from agentgym.evaluate.suites import Suite, SuiteWorld, load_suite, suite_names
from docs.docstring import escaped, table
from docs.worlds import family, slug, title


def shipped() -> list[Suite]:
    """Every suite that comes along."""
    return [load_suite(name) for name in suite_names()]


def listed(suites: Sequence[Suite]) -> str:
    """The suites as a table that links to their pages, and the table of contents of these."""
    rows = [
        (f"[`{suite.name}`](suites/{suite.name}.md)", str(len(suite.worlds)), escaped(suite.description))
        for suite in suites
    ]
    pages = "\n".join(f"suites/{suite.name}" for suite in suites)
    return f"{table(('suite', 'environments', ''), rows)}\n\n```{{toctree}}\n:hidden:\n\n{pages}\n```"


def page(suite: Suite, cards: Sequence[EnvCard]) -> str:
    """The Markdown of a suite's page.

    Args:
        suite: See `agentgym.evaluate.suites.Suite`.
        cards: The worlds that have a page, to which it links.
    """
    known, paged = {card.id: card for card in catalog().values()}, {card.id for card in cards}
    rows = []
    for world in suite.worlds:
        card = known[world.id.rpartition(":")[2]]
        name = f"[{title(card)}](../worlds/{slug(card)}.md)" if card.id in paged else title(card)
        options = ", ".join(f"`{key}={value!r}`" for key, value in world.options.items())
        rows.append((name, family(card.kind), f"`{world.split}`", _episodes(world, card), options, _extras(card)))
    heads = ("environment", "family", "split", "episodes", "options", "to install")
    left_out = [(escaped(what), reason) for what, reason in suite.left_out.items()]
    without = f"Not included:\n\n{table(('', 'why'), left_out)}\n\n" if left_out else ""
    return (
        f"# Suite `{suite.name}`\n\n{escaped(suite.description)}\n\n"
        f"```console\n$ agentgym eval --suite {suite.name} --agent expert --out runs/{suite.name}\n```\n\n"
        f"{table(heads, rows)}\n\n{without}"
        "[Suites and trajectories](../tutorials/suites.md) explains how to read the figures.\n"
    )


def _episodes(world: SuiteWorld, card: EnvCard) -> str:
    """How many episodes are played: no more than the split has tasks."""
    size = card.splits[world.split]
    asked = world.episodes if size is None or world.episodes is None else min(world.episodes, size)
    return "the default of `eval`" if asked is None else f"{asked:,}"


def _extras(card: EnvCard) -> str:
    return f"`{','.join(card.extras)}`" if card.extras else ""
