"""The published shop's goods and goals, on disk.

The original files hold over a million products in several gigabytes. They are read once, piece by piece, into a cache
folder from which products, search results and goals are fetched one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, overload

import numpy as np

from agentgym.assets.cache import cache_root, derived_folder, fingerprint
from agentgym.core.errors import ConfigError, DataError
from agentgym.envs._kit.json_stream import stream_list, stream_object
from agentgym.envs._kit.search import SearchIndex
from agentgym.envs._kit.store import RecordStore, RecordWriter
from agentgym.envs.web._shop.goals import Goal
from agentgym.envs.web._shop.products import Product, Review
from agentgym.envs.web._shop.published import (
    draws,
    human_requests,
    is_sold,
    price_cap,
    product_from_record,
    search_text,
    synthetic_request,
    with_cap,
)

VERSION = "webshop 1"  # of everything a cache folder holds; a change here rebuilds the folders
REMEMBERED_PRODUCTS = 4_096
PROGRESS_EVERY = 1_000

Progress = Callable[[int], None]


class Catalog(Protocol):
    """Products by position (0, 1, ...), by asin, and by search."""

    def __hash__(self) -> int:
        """By identity: what is computed from a catalogue is remembered beside it."""

    def __len__(self) -> int:
        """How many products there are."""

    def get(self, position: int) -> Product:
        """The product at a position; IndexError if there is none."""

    def position(self, asin: str) -> int | None:
        """The position of a product, None if it is not sold here."""

    def search(self, query: str, k: int) -> list[int]:
        """Positions of the `k` products that match `query` best, best first; fewer where fewer match at all."""


@dataclass(frozen=True)
class ShopFiles:
    """The published files, unchanged.

    Attributes:
        items: `items_shuffle.json` or `items_shuffle_1000.json`: the products.
        annotations: `items_ins_v2.json` or `items_ins_v2_1000.json`: attributes and synthetic instructions.
        human: `items_human_ins.json`: instructions written by people; without it there are no human goals.
        reviews: Reviews and ratings by asin; without it nothing is rated, as in the released software.
        limit: Read only so many records of `items`, as the released software's `num_products` does.
    """

    items: Path
    annotations: Path
    human: Path | None = None
    reviews: Path | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise ConfigError(f"limit must be at least 1 product, got {self.limit}; leave it out to read all")

    def cache_name(self) -> str:
        """The name of the cache folder for these files in their present state."""
        inputs = [Path(path) for path in (self.items, self.annotations, self.human, self.reviews) if path is not None]
        given = f"{VERSION} {self.human is not None} {self.reviews is not None} {self.limit}"
        return fingerprint(given, inputs)


class StoredCatalog:
    """The products of the published files, read from a cache folder on disk.

    Safe for threads and forked processes. Memory: what the system keeps of the mapped files, and the last products
    decoded.
    """

    def __init__(self, folder: Path) -> None:
        self._store = RecordStore(folder / "products")
        self._index = SearchIndex.open(folder / "search")
        self._human = RecordStore(folder / "human")
        self._synthetic = RecordStore(folder / "synthetic")
        self._ends = np.fromfile(folder / "synthetic" / "goal_ends", dtype="<i8")
        self._remembered = lru_cache(REMEMBERED_PRODUCTS)(self._read)

    @classmethod
    def open(cls, files: ShopFiles, cache: Path | None = None, progress: Progress | None = None) -> StoredCatalog:
        """Open the published files, building their cache folder first where it is missing, outdated or damaged.

        Building a million products takes minutes; processes that open the same files meanwhile wait for it.

        Args:
            files: Where the published files are.
            cache: Folder for cache folders; by default `webshop` under `$AGENTGYM_CACHE` or `~/.cache/agentgym`.
            progress: Told the number of records read so far, every thousand records.

        Raises:
            DataError: if a file is missing or not in the published format, or the cache cannot be written.
        """
        root = cache_root() / "webshop" if cache is None else Path(cache)
        return cls(derived_folder(root, files.cache_name(), lambda folder: _build(files, folder, progress)))

    def __len__(self) -> int:
        return len(self._store)

    def get(self, position: int) -> Product:
        """The product at a position, from 0."""
        return self._remembered(position)

    def position(self, asin: str) -> int | None:
        """The position of a product, None if it is not sold here."""
        return self._store.number(asin)

    def search(self, query: str, k: int) -> list[int]:
        """Positions of the `k` products that match `query` best, best first."""
        return self._index.search(query, k)

    def human_goals(self) -> Goals:
        """The goals that people wrote, in the order of the products; `published_order` gives the published one."""
        return Goals(len(self._human), self._human_goal)

    def synthetic_goals(self) -> Goals:
        """One goal for each combination of options of each product that has an instruction, in the order of products.

        A million products have millions of them: each is made when it is asked for.
        """
        return Goals(int(self._ends[-1]) if len(self._ends) else 0, self._synthetic_goal)

    def close(self) -> None:
        """Let go of the files."""
        for store in (self._store, self._human, self._synthetic):
            store.close()
        self._index.close()
        self._remembered.cache_clear()

    def _read(self, position: int) -> Product:
        return product_from_values(self._store.get(position))

    def _human_goal(self, number: int) -> Goal:
        position, ordinal, request = self._human.get(number)
        product = self.get(position)
        options = request["options"]
        cap = price_cap(product.price, draws("human goal", product.asin, str(ordinal)))
        return _goal(
            product, request, request["instruction"], options if isinstance(options, dict) else tuple(options), cap
        )

    def _synthetic_goal(self, number: int) -> Goal:
        place = int(np.searchsorted(self._ends, number, side="right"))
        position, request = self._synthetic.get(place)
        product = self.get(position)
        rank = number - (int(self._ends[place - 1]) if place else 0)
        options: dict[str, str] = {}
        for name in sorted(product.options, reverse=True):  # the last name varies fastest
            rank, choice = divmod(rank, len(product.options[name]))
            options[name] = product.options[name][choice]
        options = dict(sorted(options.items()))
        clause = ", and ".join(f"{name}: {value}" for name, value in options.items())
        instruction = request["instruction"] + (f" with {clause}" if clause else "")
        return _goal(product, request, instruction, options, price_cap(product.price, draws("goal", product.asin)))


class Goals(Sequence[Goal]):
    """Goals that are made when asked for."""

    def __init__(self, count: int, make: Callable[[int], Goal]) -> None:
        self._count = count
        self._make = make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Goal: ...
    @overload
    def __getitem__(self, place: slice) -> list[Goal]: ...
    def __getitem__(self, place: int | slice) -> Goal | list[Goal]:
        if isinstance(place, slice):
            return [self._make(number) for number in range(*place.indices(self._count))]
        number = place + self._count if place < 0 else place
        if not 0 <= number < self._count:
            raise IndexError(f"no goal {place}: there are {self._count}")
        return self._make(number)


def product_to_values(product: Product) -> list[Any]:
    """A product as plain values, in the order of its fields."""
    values = [getattr(product, name) for name in _NAMES]
    values[_REVIEWS] = [[review.rating, review.title, review.text, review.author] for review in product.reviews]
    return values


def product_from_values(values: list[Any]) -> Product:
    """The product that `product_to_values` took apart."""
    plain: list[Any] = [tuple(value) if isinstance(value, list) else value for value in values]
    plain[_REVIEWS] = tuple(Review(*review) for review in plain[_REVIEWS])
    plain[_OPTIONS] = {name: tuple(choices) for name, choices in plain[_OPTIONS].items()}
    return Product(*plain)


_NAMES = [field.name for field in fields(Product)]
_REVIEWS, _OPTIONS = _NAMES.index("reviews"), _NAMES.index("options")


def _goal(
    product: Product,
    request: Mapping[str, Any],
    instruction: str,
    options: Mapping[str, str] | tuple[str, ...],
    cap: float,
) -> Goal:
    return Goal(
        asin=product.asin,
        instruction=with_cap(instruction, cap),
        attributes=tuple(request["attributes"]),
        options=options,
        price_upper=cap,
        query=product.query,
        path=product.path,
        name=product.title,
    )


def _build(files: ShopFiles, folder: Path, progress: Progress | None) -> None:
    """Fill a cache folder: products, search index, and what goals are made of, in one pass over the products."""
    annotations = _side_table(folder / "annotations", stream_object(Path(files.annotations), "product annotations"))
    reviews = _side_table(folder / "reviews", _by_asin(files.reviews))
    # People wrote for some thousand products only, so their instructions fit in memory.
    human = {} if files.human is None else dict(stream_object(Path(files.human), "human instructions"))
    ends: list[int] = []
    with (
        RecordWriter(folder / "products") as products,
        RecordWriter(folder / "human") as human_goals,
        RecordWriter(folder / "synthetic") as synthetic,
    ):

        def texts() -> Iterator[str]:
            for record in _sold(files, progress):
                annotation = annotations(record["asin"])
                product = product_from_record(record, annotation, reviews(record["asin"]))
                position = len(products)
                if not products.add(product_to_values(product), product.asin):
                    continue  # the first record of an asin counts
                for ordinal, request in enumerate(human_requests(human.get(product.asin, ()), product.asin)):
                    human_goals.add([position, ordinal, request])
                wanted = synthetic_request(annotation, product.asin)
                combinations = math.prod(map(len, product.options.values()))
                if wanted is not None and combinations:
                    synthetic.add([position, wanted])
                    ends.append((ends[-1] if ends else 0) + combinations)
                yield search_text(product)

        SearchIndex.build(texts(), folder / "search").close()
    np.array(ends, dtype="<i8").tofile(folder / "synthetic" / "goal_ends")
    for table in ("annotations", "reviews"):
        for path in (folder / table).iterdir():
            path.unlink()
        (folder / table).rmdir()


def _sold(files: ShopFiles, progress: Progress | None) -> Iterator[Mapping[str, Any]]:
    """The records of the products file that the shop keeps."""
    records = islice(stream_list(Path(files.items), "products"), files.limit)
    for number, record in enumerate(records, start=1):
        if progress is not None and number % PROGRESS_EVERY == 0:
            progress(number)
        if is_sold(record):
            yield record


def _by_asin(reviews: Path | None) -> Iterator[tuple[str, Any]]:
    for entry in () if reviews is None else stream_list(Path(reviews), "reviews"):
        if not isinstance(entry, dict) or not isinstance(entry.get("asin"), str):
            raise DataError(f"{reviews}: an entry without an asin; expected objects with 'asin' and 'reviews'")
        yield entry["asin"], entry


def _side_table(folder: Path, entries: Iterable[tuple[str, Any]]) -> Callable[[str], Mapping[str, Any]]:
    """Write objects by asin to disk; returns their look-up, which gives an empty one for an unknown asin."""
    with RecordWriter(folder) as writer:
        for asin, entry in entries:
            if not isinstance(entry, dict):
                raise DataError(
                    f"the entry of product {asin!r} should be an object, found {entry!r:.80}; mend the file"
                )
            writer.add(entry, asin)
    store = RecordStore(folder)

    def look_up(asin: str) -> Mapping[str, Any]:
        number = store.number(asin)
        found: Mapping[str, Any] = {} if number is None else store.get(number)
        return found

    return look_up
