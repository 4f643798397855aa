"""What the shop sells: one immutable record per product, in the fields of the published WebShop catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Review:
    """One customer review; `rating` is 1 to 5 stars."""

    rating: int
    title: str
    text: str
    author: str = ""


@dataclass(frozen=True, slots=True)
class Product:
    """One product of the catalogue (WebShop, Yao et al. 2022, section 3).

    Attributes:
        asin: Ten upper-case letters and digits; the product's id.
        title: Marketplace title, also the product's name in the reward.
        category: Coarse department, such as `fashion` or `grocery`.
        query: The search phrase the product was listed under; two products of one query are of one type.
        path: Category path from broad to narrow.
        description: Running text; may be empty.
        bullets: Feature bullets, most important first.
        attributes: Hidden short properties (`machine wash`) that goals ask for.
        options: Option name to its values, both as shown; for example `{"color": ("black", "blue")}`.
        price: What the goal's price cap is compared with, in dollars.
        price_text: The price as printed, such as `$19.99` or `$16.05 to $40.98`.
        rating: Mean stars as printed, `N.A.` where nobody rated.
        reviews: Customer reviews.
        brand: Maker, empty if unknown.
    """

    asin: str
    title: str
    category: str
    query: str
    path: tuple[str, ...]
    description: str
    bullets: tuple[str, ...]
    attributes: tuple[str, ...]
    options: Mapping[str, tuple[str, ...]]
    price: float
    price_text: str
    rating: str = "N.A."
    reviews: tuple[Review, ...] = field(default=())
    brand: str = ""
