"""The WebShop reward, term by term (Yao et al. 2022, section 3 and the released software).

For a bought product `p`, a goal `g` and the chosen options:

    total = type * (attributes met + options met + [p.price <= g.price_upper]) / (|g.attributes| + |g.options| + 1)

Two readings exist. The *original* one keeps what the released software computes, faults included: option values are
compared by token sets, so that `large` satisfies `x-large`; a named goal option is compared as its (name, value) pair,
so that the colour rule fires on it only for an exact colour word; and any mention of an attribute counts, a denial too.
The *corrected* one, the default, asks for the wanted value under the wanted option name, and for attributes that the
product lists as facts; a maker whom the instruction names is one attribute more. A product of another kind than the one
asked for has a type of 0.5 at most: in the original reading one noun of five in common, or a department, is enough for
1. Both share the other rules for type, and that for price.

Similarity is the token-set ratio, rounded to a whole number as the released software rounds it, and must exceed 85.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from rapidfuzz import fuzz

from agentgym.envs.web._shop.goals import Goal
from agentgym.envs.web._shop.kinds import is_of_kind
from agentgym.envs.web._shop.nouns import noun_tokens
from agentgym.envs.web._shop.products import Product
from agentgym.envs.web._shop.words import word_list

# A ratio rounded half to even exceeds 85 exactly from here on.
SIMILAR_FROM = 85.5
OTHER_KIND = 0.5  # the most that the type of a product of another kind may be

_NOT_WORD = re.compile(r"\W")
# The token-set ratio of the released software drops these characters before it looks for words.
_LATIN_1_SUPPLEMENT = dict.fromkeys(range(128, 256))
_SEPARATORS = re.compile(r"[\s/|,_-]+")


@dataclass(frozen=True, slots=True)
class Reward:
    """The score of a purchase and its terms, each from 0 to 1.

    Attributes:
        total: What the purchase earns.
        type: 1, 0.5, 0.1 or 0: how well the product's kind fits; a factor of the total.
        attributes: Share of the goal's attributes, a named maker among them, that the product has.
        options: Share of the goal's options that were chosen; 1 where the goal names none.
        price: 1 if the product costs no more than the cap, otherwise 0.
    """

    total: float
    type: float
    attributes: float
    options: float
    price: float


def score(product: Product, goal: Goal, chosen: Mapping[str, str], *, original: bool = False) -> Reward:
    """The reward for buying `product` with the `chosen` options (name to value) under `goal`.

    Buying the goal's own product with the goal's options at a price within the cap pays exactly 1.0 in the corrected
    reading. In the original one it may pay less: a colour reduced to a known word need not resemble the whole value.

    Args:
        product: What was bought.
        goal: What was wanted.
        chosen: The options chosen on the product's page.
        original: Compute what the released software computes instead of the corrected reading.
    """
    kind = type_factor(product, goal)
    asked = len(goal.attributes)
    with_attributes = sum(_has_attribute(product, wanted, original) for wanted in goal.attributes)
    if not original:
        kind = kind if is_of_kind(product, goal) else min(kind, OTHER_KIND)
        asked += bool(goal.brand)
        with_attributes += bool(goal.brand) and product.brand.casefold() == goal.brand.casefold()
    with_options = _options_met_originally(chosen, goal) if original else _options_met(product, chosen, goal)
    affordable = product.price <= goal.price_upper
    share = (with_attributes + with_options + affordable) / (asked + len(goal.options) + 1)
    return Reward(
        total=share * kind,
        type=kind,
        attributes=with_attributes / asked,
        options=with_options / len(goal.options) if goal.options else 1.0,
        price=float(affordable),
    )


def type_factor(product: Product, goal: Goal) -> float:
    """How well the kind of `product` fits that of `goal` by the published rules: 1, 0.5, 0.1 or 0.

    The rules apply in the published order and later ones override: a product of the same query whose title shares no
    noun with the goal's earns 0.
    """
    title = _title_score(product.title, goal.name)
    same_query = product.query == goal.query
    same_department = len(set(product.path) & set(goal.path)) >= 2
    if title == 0.0:
        return 0.0
    if title < 0.1:
        return 0.1
    return 1.0 if same_query or same_department or title > 0.2 else 0.5


@lru_cache(maxsize=4096)
def _title_score(title: str, wanted_title: str) -> float:
    """Distinct nouns the titles share, over all noun occurrences in the wanted one; 0.2 where it has none."""
    wanted = noun_tokens(wanted_title)
    return len(set(wanted).intersection(noun_tokens(title))) / len(wanted) if wanted else 0.2


def _has_attribute(product: Product, wanted: str, original: bool) -> bool:
    """Whether the product has the wanted attribute: one that its pages list as a fact.

    The original reading also takes an attribute that resembles it, or a mention anywhere in the product's text.
    """
    if not original:
        return any(_normal(attribute) == _normal(wanted) for attribute in product.attributes)
    if any(_similar(attribute, wanted) for attribute in product.attributes):
        return True
    return (
        wanted in product.title.lower()
        or wanted in " ".join(product.bullets).lower()
        or wanted in product.description.lower()
    )


def _options_met_originally(chosen: Mapping[str, str], goal: Goal) -> int:
    """Goal options that resemble any chosen value, whatever its name, after the colour rule."""
    values = [_first_color(value) for value in chosen.values()]
    wanted = goal.options.items() if isinstance(goal.options, Mapping) else goal.options
    return sum(any(_similar(value, text) for value in values) for text in map(_original_option_text, wanted))


def _original_option_text(option: tuple[str, str] | str) -> str:
    """The text the released software compares for a goal option, which is a value or a (name, value) pair."""
    if isinstance(option, str):
        return _first_color(option)
    # It asks whether a colour word is *in* the pair, which holds only if it equals the name or the value, and
    # otherwise compares the printed pair.
    return next((color for color in colors() if color in option), str(option))


def _options_met(product: Product, chosen: Mapping[str, str], goal: Goal) -> int:
    """Goal options that were chosen: the same value under the same name, or any name where the goal gives none."""
    if isinstance(goal.options, Mapping):
        return sum(
            name in chosen and _same_value(name, chosen[name], wanted, product.options.get(name, ()))
            for name, wanted in goal.options.items()
        )
    return sum(
        any(_same_value(name, value, wanted, product.options.get(name, ())) for name, value in chosen.items())
        for wanted in goal.options
    )


def _same_value(name: str, value: str, wanted: str, offered: Iterable[str]) -> bool:
    """Whether a chosen option value is the wanted one.

    Sellers name one colour in many ways (`black`, `a-black`, `black-2`). A value with the same colour words stands in
    for the wanted colour, but only on products that do not offer the wanted value itself.
    """
    if _normal(value) == _normal(wanted):
        return True
    if "color" not in name.lower() and "colour" not in name.lower():
        return False
    hues = _color_words(wanted)
    return bool(hues) and _color_words(value) == hues and all(_normal(other) != _normal(wanted) for other in offered)


@lru_cache(maxsize=32768)
def _similar(text: str, wanted: str) -> bool:
    """Whether the token-set ratio of two phrases, rounded, exceeds 85; text without words resembles nothing."""
    return fuzz.token_set_ratio(_words(text), _words(wanted), score_cutoff=SIMILAR_FROM) > 0.0


@lru_cache(maxsize=16384)
def _words(text: str) -> str:
    """Lower-case words parted by spaces, as the token-set ratio of the released software sees them."""
    return _NOT_WORD.sub(" ", text.translate(_LATIN_1_SUPPLEMENT)).lower().strip()


@lru_cache(maxsize=16384)
def _normal(value: str) -> str:
    """An option value without case and with one space for each run of blanks, slashes, bars, commas and hyphens."""
    return _SEPARATORS.sub(" ", value.casefold()).strip()


@lru_cache(maxsize=16384)
def _color_words(value: str) -> frozenset[str]:
    """The known colour words among the whole words of a value."""
    return frozenset(_words(value).replace("gray", "grey").split()).intersection(colors())


@lru_cache(maxsize=16384)
def _first_color(value: str) -> str:
    """The first known colour word inside the value, in alphabetical order of the words; else the value itself."""
    return next((color for color in colors() if color in value), value)


@cache
def colors() -> tuple[str, ...]:
    """The colour words of the published reward, in their alphabetical order."""
    return word_list("colors")
