"""Whether a product is of the kind that a goal asks for: listed under the same query, or called by the same name."""

from __future__ import annotations

import re
from functools import lru_cache

from agentgym.assets.webshop.shapes import manner_of, spoken_name
from agentgym.envs.web._shop.goals import Goal
from agentgym.envs.web._shop.products import Product
from agentgym.envs.web._shop.wish import stem

_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_BEHIND = frozenset({"with", "of", "for"})  # in a name, the word before the first of these says what the thing is
_OWNERS = frozenset({"men", "women"})  # whom many instructions leave out


def is_of_kind(product: Product, goal: Goal) -> bool:
    """Whether a shopper who asked for the goal would call the product what was asked for.

    A product of the goal's query is. So is one whose name, the title up to its first comma, holds all words of the name
    that the goal's product goes by, and ends in the same noun: `snack bars` listed under another query, but neither
    `pasta sauce` for `pasta` nor `coaxial cable` for `projection screen`. Whose it is, men's or women's, counts where
    the instruction says it.

    Args:
        product: What was bought.
        goal: What was wanted.
    """
    if product.query == goal.query:
        return True
    wanted = _name(goal.query, goal.name)
    said = (_OWNERS & set(_words(goal.instruction))) | (set(wanted) - _OWNERS - _BEHIND)
    called = _words(product.title.partition(",")[0])
    return said.intersection(wanted) <= set(called) and _thing(_name(product.query, product.title)) == _thing(wanted)


def _thing(name: tuple[str, ...]) -> str:
    """The noun that says what is meant: the last word, or the one before `with`, `of` or `for`."""
    behind = next((place for place, word in enumerate(name) if place and word in _BEHIND), len(name))
    return name[behind - 1] if name else ""


@lru_cache(maxsize=4096)
def _name(query: str, title: str) -> tuple[str, ...]:
    """The stemmed words of the name that people give to a product."""
    return _words(manner_of(spoken_name(query, title))[2])


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in _WORD.findall(text.lower().replace("’", "'")))
