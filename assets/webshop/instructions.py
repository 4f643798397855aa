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
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

import numpy as np

from agentgym.assets.webshop import contexts as say
from agentgym.assets.webshop.shapes import manner_of, shape_of

_DRAWS = 64
"""Uniform numbers taken per instruction, always as many, so that the caller's stream does not depend on the goal."""

OWNERS = ("men", "women")  # whose a thing may be

_AN = re.compile(r"[aeio]|u(?!s|v|ni)|hdmi|led |8|11|18|x-|xx-|hour|usb$")
_A = re.compile(r"one |eu|uni")
_PLAIN_COLOR = re.compile(r"[a-z]+(?: [a-z]+)?")
_SHORT_SIZE = re.compile(
    r"[2-6]?x*-?(?:small|medium|large)|extra (?:small|large)|x+l|xs|twin|full|queen|king"
    r"|[\d.]+ (?:inch(?:es)?|ft|foot|piece|gb|oz|ounce|light)"
)
_AMOUNT = re.compile(r"[\d.]+ (?:fl oz|ounces?|oz|pounds?|lb|count|fluid ounces?)")
_PACK = re.compile(r"pack of \w+|\w+[ -]pack")
_OCCASIONS = frozenset(("party", "shower", "salon", "studio"))
_ONE = re.compile(r"ies$|(?<=[sx])es$|(?<=[cs]h)es$|s$")
_MANY = re.compile(r"(?<=[^aeiou])y$")
_BY_SHAPE = {"has": say.WITH, "for": say.FOR, "room": say.ROOM, "of": say.OF, "fits": say.FITS}
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


def _joined(joint: str, words: str) -> str:
    """Words behind a joint; where it ends in an article, behind the one that they want."""
    return f"{joint[:-3]} {_article(words)} {words}" if joint.endswith(" an") else f"{joint} {words}"


def _said(joint: str, value: str) -> str:
    """A joint with its value, after the article that the value wants."""
    return joint.replace(" a {v}", f" {_article(value)} {{v}}").format(v=value)


class _Writer:
    """Puts one instruction together."""

    def __init__(self, rng: np.random.Generator, name: str) -> None:
        self._numbers: Iterator[float] = itertools.cycle(rng.random(_DRAWS).tolist())
        self.number, self.setting, noun = manner_of(name)
        self.owner = next((owner for owner in OWNERS if noun.startswith(f"{owner}'s ")), "")
        self.noun = self._spoken(noun)
        self.holder = ""  # what it comes in: `8 ounce bottle of`
        self.front: list[str] = []
        self.told: dict[str, list[str]] = {}
        self.behind: list[str] = []
        self.later: list[str] = []

    def chance(self, share: float) -> bool:
        """True with this probability."""
        return next(self._numbers) < share

    def pick(self, items: Mapping[str, float]) -> str:
        """One of the texts, in proportion to its weight."""
        texts, steps = _ladder(tuple(items.items()))
        return texts[min(bisect_right(steps, next(self._numbers)), len(texts) - 1)]

    def _spoken(self, noun: str) -> str:
        """The noun as people type it: `mens shirt`, `shirt for men`, or without its owner; one or many of it."""
        noun = self._counted(noun)
        if "-" in noun and self.chance(0.3):
            noun = noun.replace("-", " ")
        if not self.owner:
            return noun.replace("'", "")
        owner, bare = self.owner, noun.partition(" ")[2]
        return self.pick({f"{owner}s {bare}": 4, f"{bare} for {owner}": 1.6, bare: 4.4, f"{owner} {bare}": 0.4})

    def _counted(self, noun: str) -> str:
        """The noun, now and then in the other number."""
        many = self.number in ("many", "pair")
        share = {"one": 0.18, "many": 0.25, "pair": 0.12}.get(self.number, 0.0)
        if not self.chance(share) or " with " in noun or " and " in noun:
            return noun
        if many and re.search("[^aisu]s$", noun):
            self.number = "one"
            return _ONE.sub(lambda end: "y" if end[0] == "ies" else "", noun)
        if not many and re.search("[a-z]$", noun) and not noun.endswith("s"):
            self.number = "many"
            return _MANY.sub("ie", noun) + ("es" if re.search("(?:[sx]|[cs]h)$", noun) else "s")
        return noun

    def attribute(self, words: str) -> None:
        """Find a place for an attribute."""
        shape = shape_of(words)
        said_twice = not set(words.split()).isdisjoint(self.noun.split())
        if len(self.front) < 2 and not said_twice and self.chance(say.LEADS[shape]):
            self.front.append(words)
        elif self.chance(0.06):
            self.later.append(self._stated(shape, words))
        else:
            self.told.setdefault("has" if shape in ("a", "cut") else shape, []).append(self._led(shape, words))

    def _led(self, shape: str, words: str) -> str:
        """The attribute, mostly with the article that it wants."""
        wants = shape in ("a", "cut") or (shape == "for" and words.rpartition(" ")[2] in _OCCASIONS)
        return f"{_article(words)} {words}" if wants and self.chance(0.7) else words

    def _stated(self, shape: str, words: str) -> str:
        """A sentence that asks for the attribute."""
        many = self.number in ("many", "pair")
        if shape == "is":
            return _said(self.pick(say.ARE_LATER if many else say.IS_LATER), words)
        if shape in ("a", "cut", "has"):
            return self.pick(say.HAVE_LATER if many else say.HAS_LATER).format(v=self._led(shape, words))
        joint = self.pick({"for": say.FOR, "room": say.ROOM, "of": say.OF, "fits": say.FITS}[shape])
        asked = _joined(joint.removeprefix("that is "), self._led(shape, words))
        return f"{self.pick(say.THEY if many else say.IT)} {asked}"

    def _clauses(self) -> Iterator[str]:
        """What stands behind the noun of the attributes: those of one shape mostly together."""
        many = self.number in ("many", "pair")
        joints = {**_BY_SHAPE, "is": say.THAT_MANY if many else say.THAT}
        for shape, named in self.told.items():
            if len(named) > 1 and shape != "room" and self.chance(0.8):
                named = [(", " if self.chance(0.15) else " and ").join(named)]
            yield from (_joined(self.pick(joints[shape]), each) for each in named)

    def option(self, name: str, value: str) -> None:
        """Find a place for an option's `value`, which stays whole; its `name` decides on the words around it."""
        plain = _PLAIN_COLOR if name == "color" else _SHORT_SIZE
        holder = say.HOLDERS.get(self.setting) if _AMOUNT.fullmatch(value) else None
        if not self.holder and (holder or _PACK.fullmatch(value)) and self.chance(0.45):
            self.holder = f"{value} {self.pick(holder)} of" if holder else value
            if value.endswith("pack"):
                self.holder += " of"
            return
        leads = name == "flavor name" or (name in _BEFORE and plain.fullmatch(value))
        if leads and len(self.front) < 3 and self.chance(0.78):
            self.front.insert(0, _said(self.pick(_BEFORE[name]), value))
        elif self.chance(0.17):
            self.later.append(_said(self.pick(_LATER.get(name, say.OTHER_LATER)), value))
        else:
            self.behind.append(_said(self.pick(_BEHIND.get(name, say.OTHER)), value))

    def thing(self) -> str:
        """The noun with what stands before it, and mostly an article."""
        joint = self.pick({" ": 8.0, ", ": 1.5, " and ": 0.8}) if len(self.front) > 1 else " "
        words = " ".join((joint.join(self.front), self.noun)).strip()
        if self.holder:
            return f"{_article(self.holder)} {self.holder} {words}"
        if self.number == "one":
            return words if self.chance(0.07) else f"{_article(words)} {words}"
        some = {words: 7.0, f"some {words}": 1.5, f"{_article(words)} {words}": 0.5, f"a set of {words}": 0.2}
        if self.number == "pair":
            some[f"a pair of {words}"] = 4.5
        return self.pick(some)

    def text(self, brand: str) -> str:
        """The whole instruction, without its price."""
        thing = self.thing()
        behind = [*self.behind, *self._clauses()]
        behind = [each for _, each in sorted((next(self._numbers), each) for each in behind)]
        aside = self.pick(say.ASIDES)
        others = aside in {f"for {owner}" for owner in OWNERS if owner != self.owner}
        if aside and not others and (brand or "{brand}" not in aside):
            behind.append(aside.format(brand=brand))
        pieces = [thing]
        for place, each in enumerate(behind):
            joint = ", " if place and self.chance(0.12) else " and " if place and self.chance(0.2) else " "
            if each.startswith(", "):
                joint = ""
            elif each.startswith("and "):
                joint = " "
            pieces.append(f"{joint}{each}")
        whole = f"{self.pick(say.OPENERS)} {''.join(pieces)}"
        for each in self.later:
            whole += self.pick(say.STOPS) + each
        return " ".join(f"{whole} {self.pick(say.ENDINGS)}".split())

    def slip(self, text: str, kept: Sequence[str]) -> str:
        """The text, in three cases of a hundred with one word mistyped that the goal does not need.

        Args:
            text: The whole instruction, without its price.
            kept: The goal's attributes, option values and maker, none of whose words changes.
        """
        if not self.chance(0.03):
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
            word[:at] + word[at + 1] + word[at] + word[at + 2 :] if self.chance(0.25) else word[:at] + word[at + 1 :]
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
