"""Who shops: what was bought before, which brands are liked and what is usually spent, and results in that order.

After UA², which gives WebShop's users a profile, their results an order of their own, and an agent's steps a price.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym.core.errors import ConfigError
from agentgym.core.grammar import shorten
from agentgym.core.rng import stream
from agentgym.envs.web._shop.loading import Catalog
from agentgym.envs.web._shop.markup import visible
from agentgym.envs.web._shop.products import Product

DRAWN = "drawn"
KEYS = ("bought", "brands", "spends")
BOUGHT = 6  # products that a drawn profile has bought
OWN_KIND = 3  # of them of the department of what is sought
# What a result gains in places: for a liked brand, a kind bought before, its department, features of what was bought.
BRAND, KIND, DEPARTMENT, FEATURE = 12.0, 6.0, 3.0, 1.5
MOST_FEATURES = 4
PRICE = 4.0  # places lost for each doubling of what is usually spent, or halving
PRICES = {"search": 2.0, "load": 1.0}  # of an action by what it asks of the shop
CHEAPEST = PRICES["search"] + PRICES["load"]  # a purchase from the start page: a search, a product of its results


@dataclass(frozen=True)
class Profile:
    """A shopper.

    Attributes:
        bought: What was bought before.
        brands: Brands that are liked.
        spends: What is usually spent on a product, in dollars.
    """

    bought: tuple[Product, ...]
    brands: tuple[str, ...]
    spends: float

    def told(self) -> str:
        """The profile in words."""
        titles = "; ".join(shorten(visible(product.title), 60) for product in self.bought)
        parts = [f"bought before: {titles}" if titles else "bought nothing before"]
        if self.brands:
            parts.append(f"likes the brands {', '.join(self.brands)}")
        if self.spends:
            parts.append(f"usually spends about {self.spends:.0f} dollars")
        return f"Shopper: {'; '.join(parts)}."

    def reordered(self, found: Sequence[int], catalog: Catalog) -> list[int]:
        """The results of a search in this shopper's order: each moves by as many places as it is worth to them.

        Args:
            found: Positions of products, best match first.
            catalog: Where these positions are.
        """
        products = [catalog.get(position) for position in found]
        places = [place - self._worth(product) for place, product in enumerate(products)]
        return [found[place] for place in sorted(range(len(found)), key=lambda place: (places[place], place))]

    def _worth(self, product: Product) -> float:
        kinds = {one.query for one in self.bought}
        departments = {one.category for one in self.bought}
        features = Counter(feature for one in self.bought for feature in one.attributes)
        shared = min(MOST_FEATURES, sum(feature in features for feature in product.attributes))
        worth = BRAND * (product.brand.lower() in map(str.lower, self.brands) and bool(product.brand))
        worth += KIND * (product.query in kinds) + DEPARTMENT * (product.category in departments) + FEATURE * shared
        return worth - (PRICE * abs(math.log2(product.price / self.spends)) if self.spends and product.price else 0)


def check_profile(name: str, value: Any) -> Any:
    """A profile as it is given: `drawn`, or a mapping with any of `bought`, `brands` and `spends`.

    Args:
        name: What the value is called.
        value: What was given.

    Raises:
        ConfigError: if it is neither.
    """
    if value == DRAWN:
        return value
    if not isinstance(value, Mapping) or not value or set(value) - set(KEYS):
        raise ConfigError(f"{name} is {DRAWN!r} or a mapping with any of {', '.join(KEYS)}, got {value!r:.80}")
    for key in ("bought", "brands"):
        texts = value.get(key, ())
        if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
            raise ConfigError(f"{name}: {key} is a list of texts, got {texts!r:.80}")
    spends = value.get("spends", 0)
    if isinstance(spends, bool) or not isinstance(spends, (int, float)) or not 0 <= spends < math.inf:
        raise ConfigError(f"{name}: spends is a number of dollars, got {spends!r:.80}")
    return {"bought": tuple(value.get("bought", ())), "brands": tuple(value.get("brands", ())), "spends": float(spends)}


def given_profile(value: Mapping[str, Any], catalog: Catalog) -> Profile:
    """The profile that a mapping describes.

    Args:
        value: From `check_profile`.
        catalog: In which what was bought is found.

    Raises:
        ConfigError: if the shop does not sell what was bought.
    """
    bought = []
    for asin in value["bought"]:
        position = catalog.position(asin)
        if position is None:
            raise ConfigError(f"profile: no product {shorten(asin)!r} is in the catalogue; give ids of its products")
        bought.append(catalog.get(position))
    return Profile(tuple(bought), value["brands"], value["spends"])


def drawn_profile(asin: str, catalog: Catalog) -> Profile:
    """The profile of whoever seeks a product: drawn for it, knowing its department and nothing else of it.

    Half of what was bought is of that department, the rest of the whole shop.

    Args:
        asin: Of the product.
        catalog: From which what was bought is drawn.
    """
    dice = stream("web.shop.profile", asin)
    sought = catalog.position(asin)
    category = catalog.get(sought).category if sought is not None else ""
    near = [product for product in _draws(dice, catalog, 20 * BOUGHT) if product.category == category][:OWN_KIND]
    bought = [product for product in [*near, *_draws(dice, catalog, BOUGHT - len(near))] if product.asin != asin]
    brands = [name for name, _ in Counter(product.brand for product in bought if product.brand).most_common(2)]
    return Profile(tuple(bought), tuple(brands), float(np.median([product.price for product in bought])))


def _draws(dice: np.random.Generator, catalog: Catalog, count: int) -> list[Product]:
    return [catalog.get(int(position)) for position in dice.integers(len(catalog), size=count)]


def way_to_buy(page: str, found: Sequence[int]) -> float:
    """The least that it costs to get from a page to a purchase, which itself costs nothing.

    Args:
        page: Of the shop, as in `State`.
        found: What the last search gave.
    """
    if page in ("item", "done"):
        return 0.0
    return CHEAPEST if page == "start" or not found else PRICES["load"]
