"""Instructions as people type them: what they want, in words from which the goal can be read back.

A goal names a product type, attributes, options and a price cap. `phrase` says all of it after the manner of the human
instructions of WebShop (Yao et al. 2022, section 3.2): lower case, no apostrophes, mostly one sentence, attributes and
color before the noun or behind it, sometimes a sentence more, now and then a slip of the keys. Every attribute and
every option value stands in the text word for word, and the cap in the clause that WebShop puts behind every
instruction.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

import numpy as np

from agentgym.assets.webshop import contexts as say
from agentgym.assets.webshop.shapes import manner_of, shape_of

_DRAWS = 64
"""Uniform numbers taken per instruction, always as many, so that the caller's stream does not depend on the goal."""

OWNERS = ("men", "women")  # whose a thing may be

_AN = re.compile(r"[aeio]|un(?!i)|hdmi|led |8|11|18|x-|xx-|hour|usb$")
_A = re.compile(r"one |eu|uni")
_PLAIN_COLOR = re.compile(r"[a-z]+(?: [a-z]+)?")
_SHORT_SIZE = re.compile(r"[2-6]?x*-?(?:small|medium|large)|twin|full|queen|king")
_BY_SHAPE = {"has": say.WITH, "a": say.WITH, "for": say.FOR, "room": say.ROOM, "of": say.OF, "fits": say.FITS}
_BEFORE: dict[str, say.Weighted] = {"color": say.COLOR_BEFORE, "size": say.SIZE_BEFORE, "flavor name": say.TASTE_BEFORE}
_BEHIND = {"color": say.COLOR, "size": say.SIZE, "flavor name": say.TASTE, "scent": say.SCENT}
_LATER = {"color": say.COLOR_LATER, "size": say.SIZE_LATER}


@lru_cache(maxsize=512)
def _ladder(items: tuple[tuple[str, float], ...]) -> tuple[tuple[str, ...], tuple[float, ...]]:
    whole = sum(weight for _, weight in items)
    return tuple(text for text, _ in items), tuple(itertools.accumulate(weight / whole for _, weight in items))


@cache
def _article(words: str) -> str:
    """`a` or `an` before these words, by their sound."""
    return "an" if _AN.match(words) and not _A.match(words) else "a"


def _said(joint: str, value: str) -> str:
    """A joint with its value, after the article that the value wants."""
    return joint.replace(" a {v}", f" {_article(value)} {{v}}").format(v=value)


class _Writer:
    """Puts one instruction together."""

    def __init__(self, rng: np.random.Generator, name: str) -> None:
        self._numbers: Iterator[float] = itertools.cycle(rng.random(_DRAWS).tolist())
        self.number, _, noun = manner_of(name)
        self.owner = next((owner for owner in OWNERS if noun.startswith(f"{owner}'s ")), "")
        self.noun = self._spoken(noun)
        self.front: list[str] = []
        self.behind: list[str] = []
        self.later: list[str] = []

    def chance(self, share: float) -> bool:
        """True with this probability."""
        return next(self._numbers) < share

    def pick(self, items: Mapping[str, float]) -> str:
        """One of the texts, in proportion to its weight."""
        texts, steps = _ladder(tuple(items.items()))
        drawn = next(self._numbers)
        return next((text for text, step in zip(texts, steps, strict=True) if drawn < step), texts[-1])

    def _spoken(self, noun: str) -> str:
        """The noun as people type it: `mens shirt`, `shirt for men`, or without its owner."""
        if not self.owner:
            return noun.replace("'", "")
        owner, bare = self.owner, noun.partition(" ")[2]
        return self.pick({f"{owner}s {bare}": 5, f"{bare} for {owner}": 2.4, bare: 3, f"{owner} {bare}": 0.6})

    def attribute(self, words: str) -> None:
        """Find a place for an attribute."""
        shape = shape_of(words)
        many = self.number in ("many", "pair")
        if shape in ("is", "of", "cut"):
            said_twice = not set(words.split()).isdisjoint(self.noun.split())
            if len(self.front) < 2 and not said_twice and self.chance(0.62):
                self.front.append(words)
            elif shape == "of":
                self.behind.append(f"{self.pick(say.OF)} {words}")
            elif shape == "cut":
                self.behind.append(f"{self.pick(say.WITH)} {_article(words)} {words}")
            elif self.chance(0.16):
                self.later.append(_said(self.pick(say.ARE_LATER if many else say.IS_LATER), words))
            else:
                self.behind.append(f"{self.pick(say.THAT_MANY if many else say.THAT)} {words}")
        else:
            article = f"{_article(words)} " if shape == "a" and self.chance(0.75) else ""
            self.behind.append(_said(f"{self.pick(_BY_SHAPE.get(shape, say.WITH))} {article}{{v}}", words))

    def option(self, name: str, value: str) -> None:
        """Find a place for an option's `value`, which stays whole; its `name` decides on the words around it."""
        plain = _PLAIN_COLOR if name == "color" else _SHORT_SIZE
        leads = name == "flavor name" or (name in _BEFORE and plain.fullmatch(value))
        if leads and len(self.front) < 3 and self.chance(0.6):
            self.front.insert(0, _said(self.pick(_BEFORE[name]), value))
        elif self.chance(0.2):
            self.later.append(_said(self.pick(_LATER.get(name, say.OTHER_LATER)), value))
        else:
            self.behind.append(_said(self.pick(_BEHIND.get(name, say.OTHER)), value))

    def thing(self) -> str:
        """The noun with what stands before it, and mostly an article."""
        joint = ", " if len(self.front) > 1 and self.chance(0.18) else " "
        words = " ".join((joint.join(self.front), self.noun)).strip()
        if self.number == "one":
            return words if self.chance(0.1) else f"{_article(words)} {words}"
        some = {words: 6.0, f"some {words}": 1.7}
        if self.number == "pair":
            some[f"a pair of {words}"] = 1.3
        return self.pick(some)

    def text(self, brand: str) -> str:
        """The whole instruction, without its price."""
        behind = [each for _, each in sorted((next(self._numbers), each) for each in self.behind)]
        aside = self.pick(say.ASIDES).format(brand=brand)
        nobody = brand == "" and aside.rstrip().endswith((" by", " from", "brand"))
        others = self.owner and aside in {f"for {owner}" for owner in OWNERS if owner != self.owner}
        if aside and not nobody and not others:
            behind.append(aside)
        pieces = [self.thing()]
        for place, each in enumerate(behind):
            joint = ", " if place and self.chance(0.12) else " and " if place and self.chance(0.15) else " "
            pieces.append(joint.rstrip() + " " + each if not each.startswith("and ") else f" {each}")
        whole = f"{self.pick(say.OPENERS)} {''.join(pieces)}"
        for each in self.later:
            whole += self.pick(say.STOPS) + each
        return " ".join(whole.split())

    def slip(self, text: str, kept: Sequence[str]) -> str:
        """The text, in one case of twenty with one word mistyped that the goal does not need.

        Args:
            text: The whole instruction, without its price.
            kept: The goal's attributes, option values and maker, none of whose words changes.
        """
        if not self.chance(0.05):
            return text
        needed = {word for phrase in kept for word in phrase.split()}
        words = text.split(" ")
        places = [i for i, word in enumerate(words) if len(word) > 3 and word.isalpha() and word not in needed]
        if not places:
            return text
        place = places[int(next(self._numbers) * len(places))]
        word = words[place]
        at = 1 + int(next(self._numbers) * (len(word) - 2))
        words[place] = (
            word[:at] + word[at + 1] + word[at] + word[at + 2 :] if self.chance(0.4) else word[:at] + word[at + 1 :]
        )
        return " ".join(words)


def phrase(
    rng: np.random.Generator,
    *,
    name: str,
    attributes: Sequence[str],
    options: Mapping[str, str],
    price_upper: float | None,
    brand: str = "",
) -> str:
    """Ask for a product in words.

    Args:
        rng: Source of the wording; 64 numbers are drawn whatever the goal, and equal states give equal text.
        name: Product type, a record's `query`, such as `men's t-shirts`.
        attributes: Properties wanted; each occurs in the text as given.
        options: Option name to wanted value; each value occurs in the text as given.
        price_upper: Price cap in dollars, or None for no price clause.
        brand: Maker, whom a few instructions name, word for word.

    Returns:
        One or two sentences without a final full stop, then the published clause on the price,
        `, and price lower than 40.00 dollars`; lower case as far as the arguments are.
    """
    writer = _Writer(rng, name)
    for attribute in attributes:
        writer.attribute(attribute)
    for option, value in options.items():
        writer.option(option, value)
    text = writer.slip(writer.text(brand.lower()), (*attributes, *options.values(), brand.lower()))
    return text if price_upper is None else f"{text}, and price lower than {price_upper:.2f} dollars"
