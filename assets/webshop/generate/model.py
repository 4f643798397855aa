"""The shapes of the word tables: features, product kinds and categories, and how a template becomes text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np

T = TypeVar("T")

Shape = Literal["is", "a", "cut", "has", "for", "room", "of"]
"""How an attribute joins a noun: is gluten free; has a rubber sole; slim fit jeans or jeans with a slim fit; has lumbar
support; for dry skin; for the living room; made of solid wood."""

FeatureTable = Mapping[Shape, Mapping[str, tuple[str, ...]]]
"""Shape to attribute to the sentences that state it in running text."""

_CHOICE = re.compile(r"\[([^\[\]]+)\]")


class Draw:
    """Draws for one product, all from `Generator.random`, the one stream numpy promises not to change lightly."""

    def __init__(self, *key: int) -> None:
        self._rng = np.random.default_rng(list(key))

    def unit(self) -> float:
        """A uniform number in [0, 1)."""
        return float(self._rng.random())

    def below(self, n: int) -> int:
        """A uniform integer in 0..n-1."""
        return int(self.unit() * n)

    def between(self, low: int, high: int) -> int:
        """A uniform integer in low..high, both included.

        Args:
            low, high: The bounds.
        """
        return low + self.below(high - low + 1)

    def chance(self, p: float) -> bool:
        """True with probability p."""
        return self.unit() < p

    def pick(self, items: Sequence[T]) -> T:
        """One item, each equally likely."""
        return items[self.below(len(items))]

    def weighted(self, items: Mapping[T, float]) -> T:
        """One key, in proportion to its value."""
        u = self.unit() * sum(items.values())
        for item, weight in items.items():
            u -= weight
            if u < 0:
                return item
        return item

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """k different items in random order; all of them if there are fewer.

        Args:
            items: What to choose from.
            k: How many.
        """
        pool = list(items)
        return [pool.pop(self.below(len(pool))) for _ in range(min(k, len(pool)))]


@dataclass(frozen=True)
class Kind:
    """One product type: what it is called, what it costs, what its products may differ in.

    Attributes:
        query: The phrase a shopper searches, lower case; also the type's id.
        titles: Nouns for titles, separated by `;`.
        noun: Noun for prose, lower case; plural or a mass noun where the goods are.
        path: Last steps of the category path, separated by ` › `.
        price: Median price in dollars.
        attributes: Comma-separated; `a|b` are alternatives of which at most one holds, `!` makes one of them certain.
        options: Option name to a named pool of `options.py`.
        details: Title fragment to the bullet that states it, for features that are not searchable attributes.
        uses: What it is for, comma-separated, in title case; read after `for`.
        about: Opening sentences of the description.
        praise: What contented customers say of this type.
        gripes: What disappointed ones say.
        clashes: Comma-separated names of attributes, details and title nouns of which a product has at most one.
        spread: Standard deviation of the log price.
    """

    query: str
    titles: str
    noun: str
    path: str
    price: float
    attributes: str
    options: Mapping[str, str]
    details: Mapping[str, str]
    uses: str
    about: tuple[str, ...]
    praise: tuple[str, ...]
    gripes: tuple[str, ...]
    clashes: tuple[str, ...] = ()
    spread: float = 0.28
    plural: bool = False
    mass: bool = False

    @property
    def audience(self) -> str:
        """`men's`, `women's` or empty."""
        first = self.query.split(" ", 1)[0]
        return first if first in ("men's", "women's") else ""


@dataclass(frozen=True)
class Category:
    """Product types that share makers, closing bullets and the talk of customers."""

    department: str
    path: str
    setting: str
    brands: tuple[str, ...]
    kinds: tuple[Kind, ...]
    bullets: tuple[str, ...]
    about: tuple[str, ...]
    praise: tuple[str, ...]
    gripes: tuple[str, ...]
    features: FeatureTable = field(repr=False, default_factory=dict)

    def shape(self, attribute: str) -> Shape:
        """How the attribute joins a noun; KeyError if the tables do not know it."""
        for shape, table in self.features.items():
            if attribute in table:
                return shape
        raise KeyError(f"no feature table of {self.path} holds {attribute!r}")

    def sentences(self, attribute: str) -> tuple[str, ...]:
        """The sentences that state the attribute."""
        return self.features[self.shape(attribute)][attribute]


def words_of(noun: str, plural: bool, brand: str) -> dict[str, str]:
    """Slots of a template for one noun: articles, pronouns and verb endings that agree with it.

    Args:
        noun: What the product is called.
        plural: Whether the noun is a plural.
        brand: Who makes it.
    """
    one = {
        "this": f"this {noun}",
        "the": f"the {noun}",
        "it": "it",
        "them": "it",
        "is": "is",
        "was": "was",
        "has": "has",
        "does": "does",
        "its": "its",
        "s": "s",
        "es": "es",
    }
    many = {
        "this": f"these {noun}",
        "the": f"the {noun}",
        "it": "they",
        "them": "them",
        "is": "are",
        "was": "were",
        "has": "have",
        "does": "do",
        "its": "their",
        "s": "",
        "es": "",
    }
    slots = many if plural else one
    capital = {k.capitalize(): v[0].upper() + v[1:] for k, v in slots.items() if k in ("this", "the", "it", "its")}
    return {**slots, **capital, "n": noun, "brand": brand}


def render(template: str, slots: Mapping[str, str], draw: Draw) -> str:
    """Choose among `[a|b]`, fill `{slots}`, and start with a capital letter.

    Args:
        template: A text with `[a|b]` and `{slots}`.
        slots: What to fill in, by name.
        draw: Where chance comes from.
    """
    text = _CHOICE.sub(lambda m: draw.pick(m.group(1).split("|")), template).format_map(slots)
    return text[0].upper() + text[1:]
