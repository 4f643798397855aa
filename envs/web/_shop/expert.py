"""A good shopper that knows only what the pages have shown: the source of WebShop demonstrations.

It searches for the words of the instruction and judges the products of the results by how much of the wish their pages
have shown. While none it has opened fulfils the whole wish, it goes on to the likeliest one that still may: the place
in the results tells most at first, then what its pages show and lack. In the end it buys the product that met most,
with the options that the instruction names. It never looks at the goal, and at a product only as far as `State.read`
says the agent has read it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import log2
from typing import TYPE_CHECKING

from agentgym.envs.web._shop.markup import visible
from agentgym.envs.web._shop.pages import PER_PAGE
from agentgym.envs.web._shop.products import Product
from agentgym.envs.web._shop.wish import is_choice, read_wish, terms

if TYPE_CHECKING:
    from agentgym.envs.web._shop.loading import Catalogue
    from agentgym.envs.web.webshop import State

PRICE = re.compile(r"\d[\d,]*(?:\.\d+)?")
READING = ("attributes", "features", "description")  # sub-pages worth a look, the fullest first

# Evidence against a product being the wanted one, in nats.
PLACE = 1.5  # standing twice as deep in the results
LACKS = (4.0, 1.5, 1.0, 1.0)  # not having shown something asked for, by how many of the pages above are unread
LACKS_CHOICE = 0.5  # not having shown an option value asked for, before its page was opened
RULED_OUT = 4.0  # costing too much, or having no such option value

KIND = 0.5  # what the right kind of product is worth, in demands
FRESH_START = 6  # turns it takes to search, open, choose two or three options and buy
HIDDEN = 0.3  # what something lacking is worth that an unread page may show, in demands


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the pages seen so far say of a product. All counts are of demands: phrases and words asked for.

    Attributes:
        product: The product.
        place: Its place in the results, from 0.
        opened: Whether its page was opened.
        unread: Sub-pages worth a look; none once the page of attributes was read, which holds what others only may.
        choices: For each option of the opened product the value the instruction names, where it names one.
        met: Demands it meets.
        lacks: Demands it has not shown to meet, other than those in the next line.
        lacks_choices: Such demands as look like values of options.
        faults: Options without the value asked for, and the probability that it costs too much.
        kind: 1 if its title calls it what the instruction calls it, 0.5 if there are signs of that, otherwise 0.
    """

    product: Product
    place: int
    opened: bool
    unread: tuple[str, ...]
    choices: dict[str, str]
    met: int
    lacks: int
    lacks_choices: int
    faults: float
    kind: float

    @property
    def belief(self) -> float:
        """Logarithm, up to a constant, of how likely it is the wanted product."""
        against = PLACE * log2(1 + self.place) + LACKS[len(self.unread)] * self.lacks + RULED_OUT * self.faults
        return -against - (RULED_OUT if self.opened else LACKS_CHOICE) * self.lacks_choices

    @property
    def shown(self) -> float:
        """Demands met for sure, less faults."""
        return self.met + KIND * self.kind - self.faults

    @property
    def possible(self) -> float:
        """The same if all unread pages show what is lacking."""
        unread = self.lacks + KIND * (1.0 - self.kind) if self.unread else 0.0
        return self.shown + unread + (0 if self.opened else self.lacks_choices)

    @property
    def worth(self) -> float:
        """How good a purchase it is, if nothing more is read."""
        return self.shown + (HIDDEN * self.lacks if self.unread else 0.0) - 0.1 * log2(1 + self.place)


class Shopper:
    """Decides the next action from the state of the shop; keeps nothing between calls.

    Args:
        instruction: The goal in words.
        catalogue: Where products are read from, as far as `state.read` allows.
        state: The state of the shop.
        turns: How many turns are left, this one included.
        sub_pages: The sub-pages that products have.
    """

    def __init__(
        self, instruction: str, catalogue: Catalogue, state: State, turns: int, sub_pages: tuple[str, ...]
    ) -> None:
        self.wish = read_wish(instruction)
        self.catalogue = catalogue
        self.state = state
        self.turns = turns
        self.pages = tuple(page for page in READING if page in sub_pages)

    def act(self) -> str:
        """The next action."""
        state = self.state
        foreign = state.query != self.wish.query  # someone else searched
        if state.page == "start" or (foreign and (self.turns >= FRESH_START or not self._shown)):
            return f"search[{self.wish.query}]"
        if not self._shown:
            return f"search[{self.wish.said.strip() or 'product'}]"
        target, done = self._target()
        if state.page == "results":
            return self._towards(target)
        if state.product != state.found[target.place]:
            return "click[< prev]" if state.page == "item" else f"search[{state.query}]"  # one turn instead of two
        if state.page != "item":
            return "click[< prev]"
        if not done:
            return f"click[{target.unread[0]}]"
        for name, value in target.choices.items():
            if state.chosen.get(name) != value and self.turns > 1:
                return f"click[{visible(value).lower()}]"
        return "click[buy now]"

    def _towards(self, target: Judgement) -> str:
        page = target.place // PER_PAGE + 1
        if page == self.state.number:
            return f"click[{target.product.asin.lower()}]"
        return "click[next >]" if page > self.state.number else "click[< prev]"

    # What to go for.

    def _target(self) -> tuple[Judgement, bool]:
        """The product to go for, and whether to buy it; otherwise it deserves a closer look."""
        judged = [self._judge(product, place) for product, place in self._shown]
        opened = [one for one in judged if one.opened]
        if not opened:
            return max(judged, key=lambda one: one.belief), False
        best = max(opened, key=lambda one: one.worth)
        promising = [
            one
            for one in judged
            if one.unread
            and one.possible > best.shown
            and self.turns >= self._turns_to_look(one) + _finish(one, opened)
        ]
        return (max(promising, key=lambda one: one.belief), False) if promising else (best, True)

    def _turns_to_look(self, one: Judgement) -> int:
        """Turns until the product's page is open, or the next of its pages if it was open before."""
        state = self.state
        page = one.place // PER_PAGE + 1
        if state.page == "results":
            turns = 1 + abs(page - state.number)
        elif state.product == state.found[one.place]:
            turns = 0 if state.page == "item" else 1
        else:
            turns = 2 + abs(page - (state.number if state.page == "item" else 1))
        return turns + one.opened

    # How good a product is.

    def _judge(self, product: Product, place: int) -> Judgement:
        covered = self._covered[product.asin]
        lacking = self._demands - covered
        lacks_choices = sum(1 for demand in lacking if any(map(is_choice, demand.split())))
        read = self.state.read[product.asin]
        return Judgement(
            product=product,
            place=place,
            opened="item" in read,
            unread=() if "attributes" in read else tuple(page for page in self.pages if page not in read),
            choices=self._choices.get(product.asin, {}),
            met=len(self._demands) - len(lacking),
            lacks=len(lacking) - lacks_choices,
            lacks_choices=lacks_choices,
            faults=self._unnamed(product) + self._over_cap(product),
            kind=self._kind_of(product, covered),
        )

    def _kind_of(self, product: Product, covered: frozenset[str]) -> float:
        """See `Judgement.kind`. What a title says after `for` is what the product goes with, not what it is."""
        name = terms(product.title.split(" for ")[0])
        if not self._kind or self._kind[-1] in name:
            return 1.0
        return 0.5 if self._kind[-1] in covered or self._kind[0] in name else 0.0

    def _over_cap(self, product: Product) -> float:
        """How likely the product costs more than the cap: for a range of prices, its share above the cap."""
        prices = [float(number.replace(",", "")) for number in PRICE.findall(product.price_text)]
        if not prices or prices[0] > self.wish.cap:
            return float(bool(prices))
        return max(0.0, prices[-1] - self.wish.cap) / (prices[-1] - prices[0] + 0.01)

    def _unnamed(self, product: Product) -> int:
        """Number of options the instruction speaks of without naming a value on offer."""
        if product.asin not in self._choices:
            return 0
        others = [name for name in product.options if name not in self._choices[product.asin]]
        return sum(len(product.options[name]) > 1 and self._speaks_of(name) for name in others)

    def _speaks_of(self, option: str) -> bool:
        """Whether the instruction names an option, or a value that some page has shown under it."""
        if any(f" {word} " in self.wish.said for word in option.split()):
            return True
        return any(option in choices for choices in self._choices.values())

    # What the pages have shown.

    @cached_property
    def _shown(self) -> list[tuple[Product, int]]:
        """Products of the current search that were shown, with their places, best result first."""
        places = {position: place for place, position in enumerate(self.state.found)}
        positions = (self.catalogue.position(asin) for asin in self.state.read)
        shown = sorted((places[position], position) for position in positions if position in places)
        return [(self.catalogue.get(position), place) for place, position in shown]

    @cached_property
    def _choices(self) -> dict[str, dict[str, str]]:
        """For each opened product (asin): option name to the longest value that the instruction names."""
        choices: dict[str, dict[str, str]] = {}
        for product, _ in self._shown:
            if "item" in self.state.read[product.asin]:
                named = choices[product.asin] = {}
                for name, values in product.options.items():
                    fitting = [value for value in values if self.wish.names(value)]
                    if fitting:
                        named[name] = max(fitting, key=len)
        return choices

    def _passages(self, product: Product) -> Iterable[str]:
        """What was read of a product, and of its options the values to choose."""
        read = self.state.read[product.asin]
        yield product.title
        yield from self._choices.get(product.asin, {}).values()
        if "description" in read:
            yield product.description
        if "features" in read:
            yield from product.bullets
        if "attributes" in read:
            yield from product.attributes

    @cached_property
    def _covered(self) -> dict[str, frozenset[str]]:
        """Words and phrases of the wish that the pages of each product (asin) hold."""
        return {
            product.asin: frozenset().union(*(self.wish.terms & terms(passage) for passage in self._passages(product)))
            for product, _ in self._shown
        }

    @cached_property
    def _counts(self) -> Counter[str]:
        """On how many products each word and phrase of the wish was seen."""
        return Counter(term for covered in self._covered.values() for term in covered)

    @cached_property
    def _kind(self) -> tuple[str, ...]:
        """One or two words for the kind of product, the noun last.

        In `space saving nightstand`, pages that show `space saving` more often tell that `saving` is no part of it.
        """
        before, kind = self.wish.kind[:-2], self.wish.kind[-2:]
        if before and self._counts[f"{before[0]} {kind[0]}"] > self._counts[" ".join(kind)]:
            return kind[1:]
        return kind

    @cached_property
    def _demands(self) -> frozenset[str]:
        """What is asked for, the kind apart: phrases that some page has shown, and the words outside of those."""
        kind = set(self._kind)
        seen = [phrase for phrase in self.wish.phrases if phrase in self._counts]
        phrases = [
            phrase for phrase in seen if not kind.issuperset(_ends(phrase)) and not self._is_chance(phrase, seen)
        ]
        joined = {word for phrase in phrases for word in phrase.split()} | kind
        return frozenset((*phrases, *(word for word in self.wish.words if word not in joined)))

    def _is_chance(self, phrase: str, phrases: Iterable[str]) -> bool:
        """Whether words stand together by chance: a phrase seen more often starts or stops within this one.

        In `high definition lightweight antenna` that rules out `definition lightweight`.
        """
        first, last = _ends(phrase)
        if first[0].isdigit() or last[0].isdigit():
            return False
        return any(
            self._counts[other] > self._counts[phrase] and (_ends(other)[0] == last or _ends(other)[1] == first)
            for other in phrases
        )


def _ends(phrase: str) -> tuple[str, str]:
    words = phrase.split()
    return words[0], words[-1]


def _finish(one: Judgement, opened: Iterable[Judgement]) -> int:
    """Turns to buy any of the opened products after a look at one."""
    return max(len(other.choices) + (2 if other is one else 3) for other in opened)
