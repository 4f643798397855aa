"""The generated catalogue in memory. What products share is held once, and so is what the search reads of a family."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from agentgym.envs._kit.search import SearchIndex
from agentgym.envs.web._shop.products import Product
from agentgym.envs.web._shop.published import is_sold, product_from_record, search_text


class MemoryCatalog:
    """A catalogue in memory, for some thousand products.

    Args:
        products: In the order of their positions.
        family: Products in a row that have the same words for the search, whatever their order. They are one document
            of its index, so they stand together in its results, in the order of their positions.
    """

    def __init__(self, products: Iterable[Product], family: int = 1) -> None:
        self._products = tuple(products)
        self._positions = {product.asin: position for position, product in enumerate(self._products)}
        self._family = family
        self._index = SearchIndex.build(map(search_text, self._products[::family]))

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]], family: int = 1) -> MemoryCatalog:
        """A catalogue from records that hold their own attributes and reviews; the first record of an asin counts.

        Args:
            records: Read once, one at a time.
            family: As in the class; only for records of which every one is sold and none comes twice.

        Raises:
            DataError: if a record is not in the published format.
        """
        return cls(_sharing(_products(records)), family)

    def __len__(self) -> int:
        return len(self._products)

    def get(self, position: int) -> Product:
        """The product at a position, from 0."""
        if position < 0:
            raise IndexError(f"no product {position}; positions start at 0")
        return self._products[position]

    def position(self, asin: str) -> int | None:
        """The position of a product, None if it is not sold here."""
        return self._positions.get(asin)

    def search(self, query: str, k: int) -> list[int]:
        """Positions of the `k` products that match `query` best, best first; versions of a product come together."""
        families = self._index.search(query, -(-k // self._family))
        found = [family * self._family + version for family in families for version in range(self._family)]
        return found[:k]


def _products(records: Iterable[Mapping[str, Any]]) -> Iterator[Product]:
    seen: set[str] = set()
    for record in filter(is_sold, records):
        if record["asin"] not in seen:
            seen.add(record["asin"])
            yield product_from_record(record, record, record)


def _sharing(products: Iterable[Product]) -> Iterator[Product]:
    """The products, in which equal parts are the same object: families share most of theirs."""
    held: dict[Any, Any] = {}

    def one(part: Any) -> Any:
        return held.setdefault(part, part)

    def each(parts: Iterable[Any]) -> Any:
        return one(tuple(map(one, parts)))

    for product in products:
        yield replace(
            product,
            category=one(product.category),
            query=one(product.query),
            path=each(product.path),
            bullets=each(product.bullets),
            attributes=each(product.attributes),
            options={one(name): each(values) for name, values in product.options.items()},
            reviews=each(product.reviews),
            price_text=one(product.price_text),
            rating=one(product.rating),
            brand=one(product.brand),
        )
