"""The shop's goods: a catalogue of 1,000 invented products and the words people ask for them with.

The records have the field names of the published WebShop catalogue as its engine reads them, so that one loader serves
both: `asin`, `name` (title), `category` (department), `query`, `product_category` (steps joined by ` › `), `Brand`,
`pricing` (`$19.99` or `$16.05 to $40.98`), `attributes`, `customization_options` (option name to a list of
`{"value": ...}`), `small_description` (bullets), `full_description`, `average_rating` (stars or None) and
`customer_reviews` (`title`, `stars`, `review`, `reviewer`).

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
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any

from agentgym.assets.webshop.checksum import CHECKSUM
from agentgym.core.errors import DataError

__all__ = ["CHECKSUM", "attribute_pool", "load_catalogue"]

_FILE = "catalogue.json.gz"


def load_catalogue() -> list[dict[str, Any]]:
    """Read the shipped catalogue: 1,000 records, in the order in which the shop numbers them.

    Returns:
        A new list at every call; its records are the caller's to change.

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
        records: list[dict[str, Any]] = json.loads(gzip.decompress(data))
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise DataError(f"the WebShop catalogue {_FILE} cannot be read ({error}); {advice}") from error
    return records


def attribute_pool(records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Attributes of some records and how many of them have each, in alphabetical order."""
    counts = Counter(attribute for record in records for attribute in record["attributes"])
    return dict(sorted(counts.items()))
