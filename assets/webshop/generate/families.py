"""A family: twelve versions of one product that share their words and differ in facts.

The versions share maker, title words, description and reviews. Each lists two of the four facts that the family
contests and denies the other two, so that every version names all four, and every pair of facts is listed by two
versions. Each offers some of the values of each option and names the rest as sold elsewhere. So the words of a page
tell one family from another, and only what the page says with them tells one version from another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from agentgym.assets.webshop.generate.demand import by_demand
from agentgym.assets.webshop.generate.draft import Draft, clash, draw_draft
from agentgym.assets.webshop.generate.fits import FITS
from agentgym.assets.webshop.generate.model import Category, Draw, Kind
from agentgym.assets.webshop.generate.names import maker, restyled, shade, taste
from agentgym.assets.webshop.generate.prose import shared_lines, write_description
from agentgym.assets.webshop.generate.reviews import write_reviews
from agentgym.assets.webshop.generate.titles import title_parts
from agentgym.assets.webshop.generate.versions import elsewhere_line, state_facts, vary_line

VERSIONS = 12
CONTESTED = 4
PAIRS = tuple(combinations(range(CONTESTED), 2))
OFFERED = 0.25  # share of an option's values that one version offers
SHADES = ("color",)
TASTES = ("flavor name", "scent", "style")
ADDED = 6  # values of its own that a family adds to those of the pool

Family = dict[str, Any]


@dataclass(frozen=True)
class Contest:
    """What the versions of a family differ in.

    Attributes:
        facts: Attributes that half of the versions list and the others deny.
        fitted: Those of them that are devices and the like.
        options: Option name to all values; a version offers some.
    """

    facts: tuple[str, ...]
    fitted: frozenset[str]
    options: dict[str, list[str]]


def draw_family(category: Category, kind: Kind, place: int, draw: Draw) -> Family | None:
    """One family, in the form of the shipped file; None if the draw has too few facts to contest.

    Args:
        category: Of the kind.
        kind: What is sold.
        place: Which family of its kind it is, from 0.
        draw: Where chance comes from.
    """
    brand = maker(draw) if draw.chance(0.75) else category.brands[place % len(category.brands)]
    whole = draw_draft(category, kind, brand, draw)
    found = _contest(whole, draw)
    if found is None:
        return None
    contest, shared = found
    draft = replace(whole, attributes=shared, options={})
    head, fragments = title_parts(draft, draw)
    stated = state_facts(draft, contest.facts, contest.fitted, draw)
    lines = [vary_line(draft, contest.facts, draw), *shared_lines(draft, draw)]
    at = {}
    for fact in contest.facts:
        for holds, said in zip((1, 0), stated[fact], strict=True):
            at[fact, holds] = range(len(lines), len(lines) + len(said))
            lines.extend(said)
    common = len(lines) - sum(map(len, at.values()))
    reviews = write_reviews(draft, draw)
    family = {
        "query": kind.query,
        "category": category.department,
        "path": f"{category.path} › {kind.path}",
        "brand": brand,
        "head": head,
        "fragments": fragments,
        "shared": list(shared),
        "contested": list(contest.facts),
        "fits": sorted(contest.fitted),
        "options": contest.options,
        "elsewhere": {name: elsewhere_line(name, draw) for name in contest.options},
        "about": write_description(draft, draw),
        "lines": lines,
        "reviews": reviews,
    }
    family["items"] = _versions(family, at, common, whole.prices[0], draw)
    return family


def _contest(whole: Draft, draw: Draw) -> tuple[Contest, tuple[str, ...]] | None:
    """What the versions differ in, and what all of them list; None if too few attributes go together."""
    kind = whole.kind
    title = f" {whole.noun} {whole.brand} {kind.query} {kind.noun} ".lower()
    names: list[str] = []
    groups = [group.strip().lstrip("!").split("|") for group in kind.attributes.split(",")]
    for name in by_demand([by_demand(group, draw)[0] for group in groups], draw):
        # A fact that overlaps with another one, with the title or with a detail cannot be denied in plain words.
        told = " ".join((title, *whole.details, *names)).lower().replace("-", " ").split()
        if not set(name.split()) & set(told) and not clash(kind, name, [*names, *whole.details, whole.noun]):
            names.append(name)
    fitted: list[str] = []
    if kind.query in FITS:
        fitted = draw.sample(FITS[kind.query].split(", "), draw.between(2, 3))
        names = [name for name in names if not set(name.split()) & set(" ".join(fitted).split())]
    facts = (fitted + names)[:CONTESTED]
    if len(facts) < CONTESTED:
        return None
    rest = (fitted + names)[CONTESTED:]
    shared = tuple(name for name in rest[: draw.between(1, 2)] if name not in fitted)
    options = {name: _universe(name, values, draw) for name, values in whole.options.items()}
    options = {name: values for name, values in options.items() if len(values) > 2}
    return Contest(tuple(draw.sample(facts, CONTESTED)), frozenset(fitted), options), shared


def _universe(name: str, values: list[str], draw: Draw) -> list[str]:
    """All values of an option in a family: those of the pool, and some that hardly any other family has."""
    if name in SHADES:
        own = [shade(draw) for _ in range(ADDED)]
    elif name in TASTES:
        own = [taste(draw.pick(values), draw) for _ in range(ADDED)]
    else:
        own = []
    kept: list[str] = []
    for value in (*draw.sample(values, 3 if own else len(values)), *own):
        if value not in kept and "unscented" not in value:
            kept.append(value)
    return restyled(kept[:9], draw)


def _versions(family: Family, at: dict[Any, range], common: int, price: float, draw: Draw) -> list[Any]:
    """The versions: price, order of the title, facts, values on offer, lines, reviews."""
    prices = _prices(price, draw)
    orders = _orders(len(family["fragments"]), draw)
    pairs = draw.sample(PAIRS * (VERSIONS // len(PAIRS)), VERSIONS)
    offers: list[list[list[int]]] = []
    items: list[Any] = []
    for place in range(VERSIONS):
        lines = [draw.pick(at[fact, int(i in pairs[place])]) for i, fact in enumerate(family["contested"])]
        rest = draw.sample([*lines, *range(1, common)], len(lines) + common - 1)
        twin = next((offers[i] for i in range(place) if pairs[i] == pairs[place]), None)
        offers.append(
            [_offer(values, twin[i] if twin else None, draw) for i, values in enumerate(family["options"].values())]
        )
        told = sorted(draw.sample(range(len(family["reviews"])), draw.between(0, 5)))
        items.append([prices[place], orders[place], list(pairs[place]), offers[-1], [0, *rest], told])
    return items


def _offer(values: list[str], twin: list[int] | None, draw: Draw) -> list[int]:
    """The values that a version offers, as places; other ones than the version with the same facts."""
    count = min(max(2, round(OFFERED * len(values))), len(values) - 1)
    while True:
        offer = sorted(draw.sample(range(len(values)), count))
        if offer != twin:
            return offer


def _prices(level: float, draw: Draw) -> list[float]:
    """A price for each version, no two within a dollar, in random order."""
    low = max(4, int(level * (0.6 + 0.3 * draw.unit())))
    step = max(1.0, level * 0.09)
    dollars, prices = float(low), []
    for _ in range(VERSIONS):
        prices.append(round(int(dollars) + draw.pick((0.99, 0.99, 0.99, 0.95, 0.49, 0.0, 0.5, 0.89)), 2))
        dollars = int(dollars) + 2 + int(step * 2 * draw.unit())
    return draw.sample(prices, len(prices))


def _orders(count: int, draw: Draw) -> list[list[int]]:
    """For each version an order of the title's fragments, all different while there are enough."""
    orders: list[list[int]] = []
    for _ in range(VERSIONS):
        order: list[int] = []
        for _ in range(20):
            order = draw.sample(range(count), count)
            if order not in orders:
                break
        orders.append(order)
    return orders
