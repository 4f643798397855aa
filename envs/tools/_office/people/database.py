"""All that people of a circle have done so far, as the rows of their database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentgym.envs.tools._office.people import leisure, papers, social
from agentgym.envs.tools._office.people.circle import begin, open_accounts
from agentgym.envs.tools._office.schema import Row

HISTORIES = (  # in this order: notes name goods and songs
    leisure.sing, leisure.sell, leisure.listen, leisure.shop, leisure.pay, social.meet, social.write, papers.note,
    papers.file, papers.plan,
)  # fmt: skip


def make_rows(circle: int) -> Mapping[str, Sequence[Row]]:
    """All rows of a circle's database, by table.

    Args:
        circle: Its number.
    """
    town = begin(circle)
    open_accounts(town)
    for history in HISTORIES:
        history(town)
    return town.rows
