"""How often people ask for a kind of product and name an attribute, and what follows for the shop's stock.

The weights of `tables/demand.txt` began from counts in people's instructions; those of attributes were then fitted to
them, by what the shop's own instructions named too often or too seldom.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from math import log
from pathlib import Path

from agentgym.assets.webshop.generate.model import Draw, Kind
from agentgym.assets.webshop.generate.tables import CATEGORIES

UNASKED = 0.5  # weight of what no instruction names
LEAST = 1  # families of a kind
RARE = 4  # weight of a noun that no instruction says


@cache
def _tables() -> dict[str, dict[str, float]]:
    """Numbers by name, of `kinds`, `nouns` and `attributes`."""
    text = (Path(__file__).parent / "tables" / "demand.txt").read_text(encoding="utf8")
    rows = " ".join(line for line in text.splitlines() if not line.startswith("#"))
    parts = re.split(r"(kinds|nouns|attributes):", rows)
    return {name: _counts(part) for name, part in zip(parts[1::2], parts[2::2], strict=True)}


def _counts(rows: str) -> dict[str, float]:
    """Name to number."""
    pairs = (row.split(maxsplit=1) for row in rows.split(","))
    return {name.strip(): float(count) for count, name in pairs}


def families_of(queries: Sequence[str], total: int) -> dict[str, int]:
    """Number of families of each kind: `LEAST`, and the rest in proportion to how often people ask for it.

    Args:
        queries: All kinds.
        total: Of families, at least `LEAST` for each kind.
    """
    counts = {query: _tables()["kinds"].get(query, UNASKED) for query in queries}
    share = (total - LEAST * len(queries)) / sum(counts.values())
    exact = {query: LEAST + share * count for query, count in counts.items()}
    numbers = {query: int(value) for query, value in exact.items()}
    left = total - sum(numbers.values())
    for query in sorted(queries, key=lambda query: numbers[query] - exact[query])[:left]:
        numbers[query] += 1
    return numbers


def noun_of(kind: Kind, draw: Draw) -> str:
    """A noun for the titles of a product, the likelier the more often people say it.

    Args:
        kind: What is sold.
        draw: Where chance comes from.
    """
    nouns = kind.titles.split("; ")
    return draw.weighted({noun: RARE + _tables()["nouns"].get(noun.lower(), 0) for noun in nouns})


def by_demand(names: Sequence[str], draw: Draw) -> list[str]:
    """The attributes in random order, each the sooner the more often people name it.

    Args:
        names: The attributes.
        draw: Where chance comes from.
    """
    return sorted(names, key=lambda name: -log(1.0 - draw.unit()) / weight_of(name))


def weight_of(name: str) -> float:
    """How often an attribute is contested where it may be, against others."""
    return _tables()["attributes"].get(name, UNASKED) / _reach()[name]


@cache
def _reach() -> Mapping[str, float]:
    """For each attribute how many instructions ask for a kind that may have it."""
    reach: dict[str, float] = {}
    for kind in (kind for category in CATEGORIES for kind in category.kinds):
        for name in (name.strip().lstrip("!") for group in kind.attributes.split(",") for name in group.split("|")):
            reach[name] = reach.get(name, 0.0) + _tables()["kinds"].get(kind.query, UNASKED)
    return reach
