"""The shop's goods: 875 families of twelve invented products each, and the words people ask for them with.

The file holds families: what its twelve versions share stands once, and of each version only what sets it apart.
`load_catalog` makes records of them, in which equal texts are the same object.

The records have the field names of the published WebShop catalogue as its engine reads them, so that one loader serves
both: `asin`, `name` (title), `category` (department), `query`, `product_category` (steps joined by ` › `), `Brand`,
`pricing` (`$19.99`), `attributes`, `customization_options` (option name to a list of `{"value": ...}`),
`small_description` (bullets), `full_description`, `average_rating` (stars or None) and
`customer_reviews` (`title`, `stars`, `review`, `reviewer`). Those of a family stand together, families in file order.

Licence: everything here was generated from word tables written for this project and is under the MIT licence. Brands
and people are invented; no text comes from a real shop. Tables and generator stand in `generate/` of the repository and
are not installed; in a checkout `python -m agentgym.assets.webshop.generate.build` writes the same bytes again.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from typing import Any

from agentgym.assets.webshop.checksum import CHECKSUM
from agentgym.core.errors import DataError

__all__ = ["CHECKSUM", "FAMILY", "attribute_pool", "iterate_catalog", "load_catalog", "load_families"]

_FILE = "catalogue.json.gz"

FAMILY = 12
"""Products of a family, which stand one after the other in the catalogue."""


def load_catalog() -> list[dict[str, Any]]:
    """Read the shipped catalogue: 10,500 records, in the order in which the shop numbers them.

    Returns:
        A new list of new records at every call; the lists and records inside of them are shared by a family.

    Raises:
        DataError: as `load_families` does.
    """
    return list(iterate_catalog())


def iterate_catalog() -> Iterator[dict[str, Any]]:
    """The records of `load_catalog`, one at a time.

    Raises:
        DataError: as `load_families` does.
    """
    return (record for family in load_families() for record in _versions(family))


def load_families() -> list[dict[str, Any]]:
    """Read the shipped file as it is: the families, with keys that `generate/families.py` writes.

    Raises:
        DataError: If the file is missing, does not match `CHECKSUM`, or is not what the build writes.
    """
    advice = "reinstall agentgym-suite, or in a checkout run `python -m agentgym.assets.webshop.generate.build`"
    try:
        data = resources.files(__name__).joinpath(_FILE).read_bytes()
    except FileNotFoundError:
        raise DataError(f"the WebShop catalogue {_FILE} is missing from the installation; {advice}") from None
    digest = hashlib.sha256(data).hexdigest()
    if digest != CHECKSUM:
        raise DataError(
            f"the WebShop catalogue {_FILE} has SHA-256 {digest[:12]}…, expected {CHECKSUM[:12]}…; {advice}"
        )
    try:
        families: list[dict[str, Any]] = json.loads(gzip.decompress(data))
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise DataError(f"the WebShop catalogue {_FILE} cannot be read ({error}); {advice}") from error
    return families


def _versions(family: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The records of a family's versions."""
    lines, reviews, contested = family["lines"], family["reviews"], family["contested"]
    values = {name: [{"value": value} for value in row] for name, row in family["options"].items()}
    for asin, price, order, held, offers, told, rated in family["items"]:
        stars = [reviews[place]["stars"] for place in rated]
        yield {
            "asin": asin,
            "name": ", ".join((family["head"], *(family["fragments"][place] for place in order))),
            "category": family["category"],
            "query": family["query"],
            "product_category": family["path"],
            "Brand": family["brand"],
            "pricing": f"${price:.2f}",
            "attributes": [*family["shared"], *(contested[place] for place in held)],
            "customization_options": {
                name: [row[place] for place in offer] for (name, row), offer in zip(values.items(), offers, strict=True)
            },
            "small_description": [lines[place] for place in told],
            "full_description": " ".join((family["about"], *_elsewhere(family, offers))),
            "average_rating": round(sum(stars) / len(stars), 1) if stars else None,
            "customer_reviews": [reviews[place] for place in rated],
        }


def _elsewhere(family: Mapping[str, Any], offers: list[list[int]]) -> Iterator[str]:
    """For each option the sentence that names the values which other versions offer."""
    for (name, row), offer in zip(family["options"].items(), offers, strict=True):
        others = [value for place, value in enumerate(row) if place not in offer]
        yield family["elsewhere"][name].format(v=", ".join(others))


def attribute_pool(records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Attributes of some records and how many of them have each, in alphabetical order."""
    counts = Counter(attribute for record in records for attribute in record["attributes"])
    return dict(sorted(counts.items()))
