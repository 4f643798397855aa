"""How words join in a sentence: attributes with nouns, product types with articles and settings."""

from __future__ import annotations

import functools
import json
from importlib import resources

_MASS_HEADS = frozenset(
    (
        "mix",
        "coffee",
        "tea",
        "jerky",
        "pasta",
        "rice",
        "oil",
        "sauce",
        "chocolate",
        "popcorn",
        "candy",
        "furniture",
        "makeup",
        "water",
    )
)
_HAS_HEADS = frozenset(
    (
        "support",
        "control",
        "sound",
        "pockets",
        "foam",
        "acid",
        "protection",
        "bluetooth",
        "ingredients",
        "oil",
        "space",
        "legs",
        "zoom",
    )
)
_A_HEADS = frozenset(
    ("closure", "sole", "outsole", "heel", "waist", "waistband", "strap", "frame", "lining", "neck", "pocket")
)
_FOR_HEADS = frozenset(
    (
        "skin",
        "hair",
        "teeth",
        "wear",
        "use",
        "whitening",
        "growth",
        "breath",
        "party",
        "lines",
        "circles",
        "gym",
        "workout",
    )
)
_ROOM_HEADS = frozenset(("room", "bedroom", "office", "kitchen", "bathroom", "theater"))
_OF_HEADS = frozenset(
    (
        "steel",
        "wood",
        "leather",
        "cotton",
        "glass",
        "polyester",
        "nylon",
        "wool",
        "silicone",
        "spandex",
        "metal",
        "alloy",
        "velvet",
    )
)
_HEADS: tuple[tuple[frozenset[str], str], ...] = (
    (_HAS_HEADS, "has"),
    (_A_HEADS, "a"),
    (_FOR_HEADS, "for"),
    (_ROOM_HEADS, "room"),
    (_OF_HEADS, "of"),
)


@functools.cache
def _tables() -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Shapes of attributes and manners of names, written by `generate.build` from the word tables."""
    text = resources.files("agentgym.assets.webshop").joinpath("phrasing.json").read_text(encoding="utf-8")
    tables = json.loads(text)
    return tables["attributes"], tables["names"]


@functools.lru_cache(maxsize=4096)
def shape_of(attribute: str) -> str:
    """How an attribute joins a noun: `is`, `a`, `cut`, `has`, `for`, `room` or `of`.

    Attributes of the generated catalogue are looked up; others, such as those of the published catalogue, are
    judged by their last word and otherwise read as adjectives.
    """
    known = _tables()[0].get(attribute)
    if known:
        return known
    head = attribute.rpartition(" ")[2]
    return next((shape for heads, shape in _HEADS if head in heads), "is")


@functools.lru_cache(maxsize=4096)
def manner_of(name: str) -> tuple[str, str, str]:
    """Number (`one`, `many`, `mass`, `pair`), setting and spoken noun of a product type.

    Types of the generated catalogue are looked up; others are judged by their ending.
    """
    known = _tables()[1].get(name)
    if known:
        return known["number"], known["setting"], known["noun"]
    head = name.rpartition(" ")[2]
    if head in _MASS_HEADS:
        return "mass", "", name
    return ("many" if head.endswith("s") and not head.endswith(("ss", "us")) else "one"), "", name


@functools.cache
def _title_nouns(query: str) -> tuple[str, ...]:
    """The nouns that titles of a kind use, the longest first."""
    found = [name.partition("|")[2] for name in _tables()[1] if name.startswith(f"{query}|")]
    return tuple(sorted(found, key=len, reverse=True))


def spoken_name(query: str, title: str) -> str:
    """The name under which `manner_of` knows a product: its kind with the noun of its title, or its kind alone.

    Args:
        query: The kind of product.
        title: Of the product.
    """
    words = f" {title.lower().replace(',', ' ')} "
    return next((f"{query}|{noun}" for noun in _title_nouns(query) if f" {noun} " in words), query)
