"""Which worlds can be served as they are."""

from __future__ import annotations

from agentgym.core import catalog


def every_id() -> list[str]:
    """Ids for one player that need neither arguments nor packages of an extra."""
    return [
        shown.id
        for shown in catalog().values()
        if shown.api == "gymnasium" and not shown.requires and not shown.extras and not shown.program
    ]
