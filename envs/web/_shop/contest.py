"""Goals over families of products that differ in facts: what a family contests is what its goals ask for.

A goal is drawn so that nothing but reading tells its product from its siblings: between five and eight of the twelve
siblings cost no more than the cap, each of them equally likely to be the product, and of these no other one has all
that is asked for. A search for the instruction brings up the family, after one other at most.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from agentgym.assets.webshop import FAMILY
from agentgym.assets.webshop.instructions import phrase
from agentgym.assets.webshop.shapes import spoken_name
from agentgym.core.errors import TaskError
from agentgym.core.tasks import Spec
from agentgym.envs.web._shop.loading import Catalog
from agentgym.envs.web._shop.products import Product
from agentgym.envs.web._shop.wish import plain

FAMILIES = 1200
AFFORDABLE = (5, 9)  # siblings within the cap: at least, and below
ROUND = (10, 5, 1)  # caps in dollars are multiples of these, the first that fits
OPTIONS = 0.8  # how often the values of options are asked for before a second contested attribute
MORE = 0.05  # how often one thing more is asked for than tells the product from its siblings
SHARED = 0.05  # how often something is asked for besides that all siblings list
FOUND_WITHIN = 2 * FAMILY  # results of a search for the whole instruction, among which the product stands
ATTEMPTS = 200

Ask = tuple[str, str, str]  # "attribute" or "option", the option's name, the value


def split_of(family: int) -> str:
    """The split to which a family and its products belong: every tenth is of `val`, every tenth of `test`.

    Args:
        family: Its place in the generated catalogue.
    """
    return {8: "val", 9: "test"}.get(family % 10, "train")


def draw_goal(catalog: Catalog, family: int, rng: np.random.Generator) -> Spec:
    """A goal for a product of a family of the generated catalogue.

    Args:
        catalog: The generated catalogue.
        family: Place of the family, from 0.
        rng: Where chance comes from.

    Raises:
        TaskError: if no goal tells a product from its siblings.
    """
    first = family * FAMILY
    siblings = sorted((catalog.get(first + i) for i in range(FAMILY)), key=lambda product: product.price)
    for _ in range(ATTEMPTS):
        affordable = siblings[: int(rng.integers(*AFFORDABLE))]
        target = affordable[int(rng.integers(len(affordable)))]
        asks = _asks(target, affordable, siblings, rng)
        if asks is None:
            continue
        cap = _cap(affordable[-1].price, siblings[len(affordable)].price, rng)
        spec = _spec(target, asks, cap, rng)
        if catalog.position(target.asin) in catalog.search(keywords(spec["instruction"]), FOUND_WITHIN):
            return spec
    raise TaskError(f"no product of family {family} can be told from its siblings")


def _asks(
    target: Product, rivals: list[Product], siblings: list[Product], rng: np.random.Generator
) -> list[Ask] | None:
    """What to ask for, so that no rival has it all; None if they cannot be told apart."""
    attributes = [
        ("attribute", "", name) for name in target.attributes if not all(name in p.attributes for p in siblings)
    ]
    shared = [("attribute", "", name) for name in target.attributes if all(name in p.attributes for p in siblings)]
    options = []
    for name, values in target.options.items():
        contested = [value for value in values if not all(value in p.options[name] for p in siblings)]
        if contested:
            options.append(("option", name, contested[int(rng.integers(len(contested)))]))
    first, *more = _mixed(attributes, rng)
    options = sorted(_mixed(options, rng), key=lambda ask: _is_measure(ask[2]))  # amounts last
    order = [*options, *more] if rng.random() < OPTIONS else [*more, *options]
    asks: list[Ask] = [first]
    for ask in order:
        if not _others(target, rivals, asks) and rng.random() >= MORE:
            break
        asks.append(ask)
    if shared and rng.random() < SHARED:
        asks.append(shared[int(rng.integers(len(shared)))])
    return None if _others(target, rivals, asks) else asks


def _is_measure(value: str) -> bool:
    return any(letter.isdigit() for letter in value)


def keywords(instruction: str) -> str:
    """The words of an instruction as a search, brackets left out."""
    return " ".join(instruction.lower().replace("[", " ").replace("]", " ").split()) or "product"


def _others(target: Product, rivals: list[Product], asks: list[Ask]) -> bool:
    """Whether another product than the target has all that is asked for."""
    return any(all(_has(rival, ask) for ask in asks) for rival in rivals if rival is not target)


def _has(product: Product, ask: Ask) -> bool:
    what, name, value = ask
    return value in (product.attributes if what == "attribute" else product.options.get(name, ()))


def _mixed(items: list[Any], rng: np.random.Generator) -> list[Any]:
    return [items[int(place)] for place in rng.permutation(len(items))]


def _cap(low: float, high: float, rng: np.random.Generator) -> float:
    """Whole dollars from `low` to below `high`, as round as there are."""
    dollars = range(math.ceil(low), math.ceil(high))
    for unit in ROUND:
        fitting = [amount for amount in dollars if amount % unit == 0]
        if fitting:
            return float(fitting[int(rng.integers(len(fitting)))])
    raise TaskError(f"no whole dollars between the prices {low} and {high} of siblings")


def _spec(target: Product, asks: list[Ask], cap: float, rng: np.random.Generator) -> Spec:
    attributes = [value for what, _, value in asks if what == "attribute"]
    options = {name: value for what, name, value in asks if what == "option"}
    words = phrase(
        rng,
        name=spoken_name(target.query, target.title),
        attributes=attributes,
        options=options,
        price_upper=cap,
        brand=target.brand,
    )
    spec: Spec = {
        "asin": target.asin,
        "instruction": words,
        "attributes": attributes,
        "options": options,
        "price_upper": cap,
    }
    maker = plain(target.brand)
    return {**spec, "brand": target.brand} if maker and f" {maker} " in f" {plain(words)} " else spec
