"""Instructions as people type them: what they want, in words from which the goal can be read back.

A goal names a product type, attributes, options and perhaps a price cap. `phrase` says all of it in one or two
sentences of many builds, after the manner of the human instructions of WebShop (Yao et al. 2022, section 3.2): mostly
lower case, attributes before the noun or behind it, options in passing or in a sentence of their own. Every attribute
and every option value stands in the text word for word, and the cap as a number.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from agentgym.assets.webshop.contexts import (
    CONTEXTS,
    OPENERS,
    OPTION_SENTENCES,
    OPTIONS,
    PRICE_SENTENCES,
    PRICES,
    QUESTIONS,
)
from agentgym.assets.webshop.shapes import manner_of, shape_of

T = TypeVar("T")

_DRAWS = 48
"""Uniform numbers taken per instruction, always as many, so that the caller's stream does not depend on the goal."""

_NEVER_FIRST = frozenset(("hand wash only", "one size fits most", "spot clean only", "uv protective"))
"""Attributes that do not stand before a noun."""

_PREPOSITIONS = ("in ", "with ", "that ", "which ", "for ", "to ", "good ", "featuring ", "made ", "sized ", "(")
"""Starts of phrases that follow a noun without a comma."""

_WORN = re.compile(r"[2-6]?x*-?(small|medium|large)|\d+(\.5)?")
_AN = re.compile(r"[aeio]|un(?!i)|hdmi|led |8|11|18|x-|xx-|hour|usb$")
_A = re.compile(r"one |eu|uni")


@functools.lru_cache(maxsize=8192)
def _article(words: str) -> str:
    """`a` or `an` before these words, by their sound."""
    return "an" if _AN.match(words) and not _A.match(words) else "a"


def _join(items: Sequence[str], last: str = " and ") -> str:
    """`a`, `a and b`, `a, b and c`."""
    return items[0] if len(items) < 2 else ", ".join(items[:-1]) + last + items[-1]


def _dice(rng: np.random.Generator) -> Callable[[Sequence[T]], T]:
    """A chooser that lives on one batch of numbers."""
    numbers: Iterator[float] = itertools.cycle(rng.random(_DRAWS).tolist())
    return lambda items: items[int(next(numbers) * len(items))]


@functools.lru_cache(maxsize=16384)
def _leads(attribute: str, noun: str) -> bool:
    """Whether the attribute can stand before the noun: of the right shape, and no word said twice."""
    fits = shape_of(attribute) in ("is", "of", "cut") and attribute not in _NEVER_FIRST
    return fits and set(attribute.split()).isdisjoint(noun.split())


class _Wish:
    """The words of one instruction, before they are put in order."""

    def __init__(self, pick: Callable, name: str, attributes: Sequence[str], options: Mapping[str, str]) -> None:
        self.pick = pick
        self.number, self.setting, self.noun = manner_of(name)
        self.singular = self.number in ("one", "mass")
        self.worn = self.setting in ("clothing", "shoes", "accessories", "")
        eager = pick((0, 1, 1, 1, 2, 2))
        front = [a for a in attributes if _leads(a, self.noun)][:eager]
        self.back = [a for a in attributes if a not in front]
        self.passing: list[tuple[str, str]] = []
        color = ""
        for item in options.items():
            plain = item[0] == "color" and not color and item[1].replace(" ", "").isalpha() and item[1].count(" ") < 2
            if plain and len(front) < 2 and pick((True, False, False)):
                color = item[1]
            else:
                self.passing.append(item)
        self.phrase = " ".join((*front, color, self.noun) if color else (*front, self.noun))
        if len(front) == 2 and pick((True, False)):
            self.phrase = f"{front[0]}, {front[1]} {color + ' ' if color else ''}{self.noun}"

    def thing(self) -> str:
        """The noun with its front words and an article."""
        if self.number == "one":
            return f"{_article(self.phrase)} {self.phrase}"
        if self.number == "pair":
            return f"a pair of {self.phrase}" if self.pick((True, False)) else self.phrase
        return self.pick((f"some {self.phrase}", self.phrase))

    def _grouped(self) -> tuple[list[str], list[str], list[str]]:
        """Attributes behind the noun as predicates, possessions and purposes."""
        are: list[str] = []
        have: list[str] = []
        serve: list[str] = []
        for attribute in self.back:
            shape = shape_of(attribute)
            if shape == "is":
                are.append(attribute)
            elif shape == "of":
                are.append(f"made of {attribute}")
            elif shape in ("a", "cut"):
                have.append(f"{_article(attribute)} {attribute}")
            elif shape == "has":
                have.append(attribute)
            elif shape == "room":
                serve.append(f"{self.pick(('my', 'the', 'our', 'my'))} {attribute}")
            else:
                serve.append(attribute)
        return are, have, serve

    def trailing(self) -> str:
        """The attributes behind the noun, as one run of phrases."""
        are, have, serve = self._grouped()
        verb = "is" if self.singular else "are"
        parts = []
        if serve:
            parts.append(f"{self.pick(('for', 'for', 'good for'))} {_join(serve)}")
        owns = ""
        if have:
            owns = self.pick(("", "", "that has" if self.singular else "that have"))
            parts.append(f"{owns or self.pick(('with', 'with', 'featuring'))} {_join(have)}")
        if are:
            parts.append(f"{'and' if owns else self.pick(('that', 'which', 'that'))} {verb} {_join(are)}")
        return " ".join(parts)

    def demands(self) -> str:
        """The attributes behind the noun, as a sentence of their own."""
        are, have, serve = self._grouped()
        it = "it" if self.singular else "they"
        parts = []
        if are:
            verbs = (
                ("should be", "must be", "has to be", "needs to be")
                if self.singular
                else ("should be", "must be", "have to be")
            )
            parts.append(f"{self.pick(verbs)} {_join(are)}")
        if have:
            parts.append(f"{self.pick(('should have', 'must have', 'should come with'))} {_join(have)}")
        if serve:
            parts.append(f"{self.pick(('should work for', 'should be right for', 'must be good for'))} {_join(serve)}")
        return f"{it} {_join(parts)}"

    def choices(self) -> str:
        """The options in passing."""
        return _join([self._said(OPTIONS, *item) for item in self.passing], self.pick((" and ", ", ", ", and ")))

    def _said(self, ways: Mapping[str, tuple[str, ...]], name: str, value: str) -> str:
        """One option in one of the ways that suit its name and value."""
        if name == "size" and not (self.worn and _WORN.fullmatch(value)):
            key = "measure"
        else:
            key = value if value == "unscented" else name
        return self.pick(ways.get(key) or ways[""]).format(n=name, v=value)

    def wishes(self) -> str:
        """The options as a sentence of their own."""
        return _join([self._said(OPTION_SENTENCES, *item) for item in self.passing])

    def listed(self) -> str:
        """Everything in a row, without verbs."""
        return ", ".join((self.phrase, *self.back, *(self._said(OPTIONS, *item) for item in self.passing)))

    def reason(self) -> str:
        """Why one is shopping."""
        return self.pick(CONTEXTS.get(self.pick((self.setting, self.setting, "")), CONTEXTS[""]))


def _amount(cap: float, pick: Callable) -> str:
    """The cap as people write it: whole dollars with or without cents."""
    if cap == int(cap):
        return pick((f"{int(cap)}", f"{int(cap)}", f"{cap:.2f}"))
    return f"{cap:.2f}"


def _sentence(wish: _Wish, opening: str, tail: str) -> str:
    joint = "" if not tail or tail.startswith(",") else " " if tail.startswith(_PREPOSITIONS) else ", "
    return f"{opening} {wish.thing()}{joint}{tail}"


def phrase(
    rng: np.random.Generator,
    *,
    name: str,
    attributes: Sequence[str],
    options: Mapping[str, str],
    price_upper: float | None,
) -> str:
    """Ask for a product in words.

    Args:
        rng: Source of the wording; 48 numbers are drawn whatever the goal, and equal states give equal text.
        name: Product type, a record's `query`, such as `men's t-shirts`.
        attributes: Properties wanted; each occurs in the text as given.
        options: Option name to wanted value; each value occurs in the text as given.
        price_upper: Price cap in dollars, or None for no price clause; whole dollars appear as `40` or `40.00`.

    Returns:
        One or two sentences without a final full stop, lower case as far as the arguments are.
    """
    pick = _dice(rng)
    wish = _Wish(pick, name, attributes, options)
    build = pick(
        ("run", "run", "run", "apart", "apart", "options apart", "reason first", "reason last", "question", "list")
    )
    trailing = wish.trailing() if wish.back and build not in ("apart", "list") else ""
    choices = wish.choices() if wish.passing and build not in ("options apart", "list") else ""
    price = aside = ""
    if price_upper is not None:
        amount = _amount(price_upper, pick)
        if pick((True, True, False)):
            price = pick(PRICES).format(p=amount)
        else:
            aside = pick(PRICE_SENTENCES).format(p=amount)
    loose = choices.startswith(_PREPOSITIONS)
    tail = f"{trailing} {choices}".strip() if loose or not choices else f"{trailing}, {choices}"
    stop = pick((". ", ". ", ", "))
    ended = ""
    if build == "question":
        text = _sentence(wish, pick(QUESTIONS), tail)
        text, ended = f"{text}{price}?", " "
        price = ""
    elif build == "apart":
        text = _sentence(wish, pick(OPENERS), choices)
        text += f"{stop}{wish.demands()}" if wish.back else ""
    elif build == "options apart":
        text = _sentence(wish, pick(OPENERS), trailing)
        text += f"{stop}{wish.wishes()}" if wish.passing else ""
    elif build == "reason first":
        text = _sentence(
            wish,
            f"{wish.reason()}, so {pick(('i need', 'i want', 'i am looking for', 'find me', 'please find me'))}",
            tail,
        )
    elif build == "list":
        text = pick(("", "", "need ", "looking for ", "want ")) + wish.listed()
    else:
        text = _sentence(wish, pick(OPENERS), tail)
    if price:
        text += price
    elif aside:
        text += (ended or pick((". ", ", and "))) + aside
    if build == "reason last":
        text += f". {wish.reason()}"
    return text
