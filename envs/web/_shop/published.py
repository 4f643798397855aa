"""The published WebShop file format: its records become `Product`s and `Goal`s, by the rules of the released software.

Prices of a range and price caps are drawn there from the global generator, so that they differ from run to run; here
each draw has a generator of its own, seeded with the product's id, so that they are the same everywhere.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.random import RandomState

from agentgym.core.errors import DataError
from agentgym.envs.web._shop.products import Product, Review

LONGEST_ASIN = 10
NO_ATTRIBUTES = ("DUMMY_ATTR",)  # what the released software gives products without attributes
UNPRICED = 100.0
NO_CAP = 1_000_000.0
PRICE_GRID = range(10, 1000, 10)
SHUFFLE_SEED = 233

_NOT_PRICE = re.compile(r"[^\d.]")
_PRICE = re.compile(r"\d+\.?\d*|\.\d+")


def is_sold(record: Mapping[str, Any]) -> bool:
    """Whether the released software keeps a record: its `asin` is neither `nan` nor longer than ten characters.

    Raises:
        DataError: if the record has no asin in words.
    """
    asin = record.get("asin") if isinstance(record, Mapping) else None
    if not isinstance(asin, str) or not asin:
        raise DataError(
            f"a product without an asin; expected an object with the text field 'asin', found {record!r:.80}"
        )
    return asin != "nan" and len(asin) <= LONGEST_ASIN


def product_from_record(
    record: Mapping[str, Any], annotation: Mapping[str, Any], reviews: Mapping[str, Any]
) -> Product:
    """One product from its record in `items_shuffle.json`.

    Args:
        record: The product's record.
        annotation: Its entry in `items_ins_v2.json`, or the record itself where it holds `attributes`; may be empty.
        reviews: Its entry in the review file, or the record itself where it holds `customer_reviews`; may be empty.

    Raises:
        DataError: if a field is missing or of another type; the message names the product and the field.
    """
    asin = record["asin"]
    bullets = record.get("small_description")
    low, high = _prices(record)
    rating = reviews.get("average_rating")
    return Product(
        asin=asin,
        title=_text(record, "name"),
        category=_text(record, "category"),
        query=_text(record, "query").lower().strip(),
        path=tuple(part.strip() for part in _text(record, "product_category").split("›")),
        description=_text(record, "full_description"),
        bullets=_texts(record, "small_description")
        if isinstance(bullets, list)
        else (_text(record, "small_description"),),
        attributes=_texts(annotation, "attributes", asin) if "attributes" in annotation else NO_ATTRIBUTES,
        options=_options(record),
        price=low if low == high else float(draws("price", asin).uniform(low, high)),
        price_text=f"${low}" if low == high else f"${low} to ${high}",
        rating="N.A." if rating is None else str(rating),
        reviews=tuple(_review(review, asin) for review in reviews.get("customer_reviews", reviews.get("reviews", ()))),
        brand=record.get("brand") or record.get("Brand") or "",
    )


def search_text(product: Product) -> str:
    """What the shop's search engine reads of a product: title, description, first bullet and options."""
    options = ", and ".join(f"{name}: {', '.join(values)}" for name, values in product.options.items())
    return " ".join((product.title, product.description, *product.bullets[:1], options)).lower()


def draws(*identity: str) -> np.random.Generator:
    """A generator for the draws that belong to something with a name; the same in every process."""
    digest = hashlib.blake2b("\0".join(identity).encode(errors="surrogatepass"), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))


def price_cap(price: float, rng: np.random.Generator) -> float:
    """The published law of price caps: of the four grid prices above the price the larger of two, else `NO_CAP`.

    Args:
        price: Of the product, in dollars.
        rng: Draws the two; unused where fewer than two grid prices are above.
    """
    above = [float(step) for step in PRICE_GRID if step > price][:4]
    if len(above) < 2:
        return NO_CAP
    return max(above[int(place)] for place in rng.choice(len(above), 2, replace=False))


def with_cap(instruction: str, cap: float) -> str:
    """An `instruction` with its price clause; without one if `cap`, in dollars, is `NO_CAP`."""
    return instruction if cap == NO_CAP else f"{instruction}, and price lower than {cap:.2f} dollars"


def published_order(count: int) -> list[int]:
    """The shuffle of `count` goals in the released software: place i of the published order holds goal `order[i]`.

    With the 12,087 human goals of the full catalogue, places 0 to 499 are the published test split, 500 to 1499 the
    development split and the rest the training split.
    """
    # Python's own shuffle, draw by draw: the published splits hang on it. NumPy's frozen legacy generator, seeded with
    # a list, is the same Mersenne Twister.
    source = RandomState([SHUFFLE_SEED])
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        bits = (last + 1).bit_length()
        other = count
        while other > last:
            other = int.from_bytes(source.bytes(4), "little") >> (32 - bits)
        order[last], order[other] = order[other], order[last]
    return order


def _wrong(asin: str, field: str, found: object, expected: str) -> DataError:
    return DataError(
        f"product {asin!r}: the field {field!r} should be {expected}, found {found!r:.80}; mend the record"
    )


def _text(record: Mapping[str, Any], field: str) -> str:
    value = record.get(field)
    if not isinstance(value, str):
        raise _wrong(record["asin"], field, value, "text")
    return value


def _texts(record: Mapping[str, Any], field: str, asin: str = "") -> tuple[str, ...]:
    values = record.get(field)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise _wrong(asin or record["asin"], field, values, "a list of texts")
    return tuple(values)


def _prices(record: Mapping[str, Any]) -> tuple[float, float]:
    """Lowest and highest price in dollars; equal where there is one."""
    pricing = record.get("pricing")
    if not pricing:
        return UNPRICED, UNPRICED
    amounts = [_NOT_PRICE.sub("", part) for part in pricing.split("$")[1:]] if isinstance(pricing, str) else []
    if not amounts or not all(_PRICE.fullmatch(amount) for amount in amounts[:2]):
        raise _wrong(record["asin"], "pricing", pricing, "a price such as '$19.99', a range of two, or empty")
    low, high = (float(amount) for amount in (amounts[0], amounts[min(1, len(amounts) - 1)]))
    return low, high


def _options(record: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Option names and values in lower case; a slash becomes a bar, as it would end a page's address."""
    found = record.get("customization_options") or {}
    options: dict[str, tuple[str, ...]] = {}
    try:
        for name, choices in found.items():
            if choices is not None:
                values = (choice["value"].strip().replace("/", " | ").lower() for choice in choices)
                options[name.lower()] = tuple(values)
    except (AttributeError, KeyError, TypeError):
        expected = "option names, each with a list of {'value': text}"
        raise _wrong(record["asin"], "customization_options", found, expected) from None
    return options


def _review(review: Mapping[str, Any], asin: str) -> Review:
    try:
        return Review(
            rating=int(float(review["score"] if "score" in review else review["stars"])),
            title=review.get("title") or "",
            text=review.get("review") or review.get("body") or "",
            author=review.get("reviewer") or "",
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        raise _wrong(asin, "reviews", review, "reviews with 'stars', 'title' and 'review'") from None


def human_requests(entries: Any, asin: str) -> Iterable[dict[str, Any]]:
    """The usable instructions of a product in `items_human_ins.json`: those that ask for at least one attribute.

    Args:
        entries: What the file has for the product.
        asin: The product, for messages.

    Raises:
        DataError: if an entry lacks a field.
    """
    try:
        for entry in entries:
            attributes, options = entry["instruction_attributes"], entry["instruction_options"]
            if attributes:
                yield {
                    "instruction": entry["instruction"].strip("."),
                    "attributes": list(attributes),
                    "options": dict(options) if isinstance(options, Mapping) else list(options),
                }
    except (AttributeError, KeyError, TypeError, ValueError):
        expected = "a list of {'instruction', 'instruction_attributes', 'instruction_options'}"
        raise _wrong(asin, "human instructions", entries, expected) from None


def synthetic_request(annotation: Mapping[str, Any], asin: str) -> dict[str, Any] | None:
    """The instruction of a product in `items_ins_v2.json`, None if it has none.

    Args:
        annotation: What the file has for the product.
        asin: The product, for messages.

    Raises:
        DataError: if it has an instruction that asks for no attribute.
    """
    instruction = annotation.get("instruction")
    if instruction is None:
        return None
    attributes = annotation.get("instruction_attributes")
    if not isinstance(instruction, str) or not isinstance(attributes, list) or not attributes:
        raise _wrong(
            asin, "instruction_attributes", attributes, "a list of at least one text beside a text instruction"
        )
    return {"instruction": instruction, "attributes": list(attributes)}
