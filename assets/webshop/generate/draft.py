"""The facts of one product, drawn before a word of it is written, so that all its texts agree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

from agentgym.assets.webshop.generate.demand import noun_of
from agentgym.assets.webshop.generate.model import Category, Draw, Kind, words_of
from agentgym.assets.webshop.generate.options import PRICED, draw_options

ENDINGS = {0.99: 46.0, 0.95: 12.0, 0.49: 6.0, 0.97: 5.0, 0.98: 6.0, 0.88: 4.0, 0.89: 6.0, 0.79: 4.0, 0.0: 7.0, 0.5: 4.0}
"""Cents a price ends in, with weights: shops love ninety-nine."""


@dataclass(frozen=True)
class Draft:
    """What is true of a product.

    Attributes:
        noun: Its noun in the title, such as `Golf Polo Shirt`.
        attributes: Searchable attributes, the most prominent first.
        details: Other features, as title fragments.
        options: Option name to values.
        prices: Lowest and highest price in dollars; equal unless options move the price.
        quality: Mean stars that customers tend to give.
    """

    category: Category
    kind: Kind
    brand: str
    noun: str
    attributes: tuple[str, ...]
    details: tuple[str, ...]
    options: dict[str, list[str]]
    prices: tuple[float, float]
    quality: float

    @property
    def slots(self) -> dict[str, str]:
        """Slots for templates about this product."""
        return words_of(self.kind.noun, self.kind.plural, self.brand)

    @property
    def uses(self) -> list[str]:
        """What it is for, without what its noun or features exclude."""
        held = [*self.attributes, *self.details, self.noun]
        return [use for use in self.kind.uses.split(", ") if not clash(self.kind, use, held)]

    def holds(self, condition: str) -> bool:
        """Whether every `+`-separated name occurs among the product's features and its title noun."""
        facts = " ; ".join((*self.attributes, *self.details, self.noun)).lower()
        return all(name in facts for name in condition.split("+"))

    def fitting(self, lines: tuple[str, ...]) -> list[str]:
        """The lines that are true here; `condition> text` is true only if its condition holds."""
        fitting = []
        for line in lines:
            condition, mark, text = line.partition("> ")
            if not mark:
                fitting.append(line)
            elif self.holds(condition):
                fitting.append(text)
        return fitting


def clash(kind: Kind, name: str, held: Iterator[str] | list[str]) -> bool:
    """Whether `name` excludes one of the features, nouns or options already held.

    Args:
        kind: The kind of product, which lists what excludes what.
        name: A feature, noun or option.
        held: Those that the product has already.
    """
    name = name.lower()
    others = {h.lower() for h in held} - {name}
    return any(name in row and others & set(row) for row in (c.split(", ") for c in kind.clashes))


def _attributes(kind: Kind, noun: str, draw: Draw) -> list[str]:
    """Three to six attributes: the certain ones first, no two alternatives together, none that the noun excludes."""
    sure: list[list[str]] = []
    rest: list[list[str]] = []
    for group in kind.attributes.split(","):
        names = group.strip().lstrip("!").split("|")
        (sure if group.strip().startswith("!") else rest).append(names)
    target = draw.weighted({3: 2.0, 4: 4.0, 5: 4.0, 6: 2.0})
    chosen: list[str] = []
    for names in sure + draw.sample(rest, len(rest)):
        name = draw.pick(names)
        if len(chosen) < target and name not in chosen and not clash(kind, name, [*chosen, noun]):
            chosen.append(name)
    # The certain attribute defines the product, but sellers do not always put it first.
    return draw.sample(chosen, len(chosen)) if draw.chance(0.6) else chosen


def _charm(dollars: float, draw: Draw) -> float:
    """The nearest price that ends like a price."""
    ending = draw.weighted(ENDINGS)
    return round(max(math.floor(dollars), 3) + ending, 2)


def _prices(
    category: Category, kind: Kind, options: dict[str, list[str]], tier: float, draw: Draw
) -> tuple[float, float]:
    """Log-normal around the level of the kind and the maker; a range where options move the price."""
    level = kind.price * tier * math.exp(kind.spread * NormalDist().inv_cdf(0.02 + 0.96 * draw.unit()))
    low = _charm(level, draw)
    moving = [name for name in options if name in PRICED and len(options[name]) > 1]
    if category.department == "fashion":
        moving = [name for name in options if len(options[name]) > 2]
    if not moving or not draw.chance(0.16):
        return low, low
    return low, _charm(level * (1.25 + 0.9 * draw.unit()), draw)


def draw_draft(category: Category, kind: Kind, brand: str, draw: Draw) -> Draft:
    """Draw the facts of one product of a kind.

    Args:
        category: Of the kind.
        kind: What is sold.
        brand: Who makes it.
        draw: Where chance comes from.
    """
    noun = noun_of(kind, draw)
    attributes = _attributes(kind, noun, draw)
    details: list[str] = []
    for name in draw.sample(list(kind.details), len(kind.details)):
        repeated = name.lower() in attributes or name.lower() in noun.lower()
        if len(details) < 3 and not repeated and not clash(kind, name, [*attributes, *details, noun]):
            details.append(name)
    details = details[: draw.between(2, 3)]
    held = [*attributes, *details, noun]
    declared = {name: pool for name, pool in kind.options.items() if not clash(kind, name, held)}
    options = draw_options(declared, attributes, draw)
    tier = (0.85, 0.95, 1.0, 1.1, 1.3)[sum(map(ord, brand)) % 5]
    prices = _prices(category, kind, options, tier, draw)
    quality = 4.25 + 0.4 * NormalDist().inv_cdf(0.02 + 0.96 * draw.unit())
    return Draft(category, kind, brand, noun, tuple(attributes), tuple(details), options, prices, quality)
