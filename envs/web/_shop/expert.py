"""A good shopper that knows only what the pages have shown: the source of WebShop demonstrations.

It searches for the words of the instruction and goes through the products of the results, the likeliest first. Too high
a price rules a product out before it is opened, a missing option value when it is open, a denial or silence on a fact
asked for when its features are read. What one product tells is used for its kin, whose titles have the same words: if
its features do not speak of a fact, theirs will not; but a value that its options lack, theirs may have. It buys the
first product that lists all that is asked for, and when turns run short the one that met most. It never looks at the
goal, and at a product only as far as `State.read` says the agent has read it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from agentgym.assets.webshop.facts import read_clauses
from agentgym.envs.web._shop.judgement import ABSENT, TOO_DEAR, Judgement
from agentgym.envs.web._shop.markup import visible
from agentgym.envs.web._shop.pages import PER_PAGE
from agentgym.envs.web._shop.products import Product
from agentgym.envs.web._shop.wish import is_choice, read_wish, terms

if TYPE_CHECKING:
    from agentgym.envs.web._shop.loading import Catalog
    from agentgym.envs.web.webshop import State

PRICE = re.compile(r"\d[\d,]*(?:\.\d+)?")
READING = ("attributes", "features", "description")  # sub-pages worth a look, the fullest first

LAST_CALL = 2  # turns it takes to open and buy a product
FRESH_START = 6  # turns it takes to search, open, choose two or three options and buy
NEXT_PAGE = 9  # turns it takes to look at the next results, open a product, read it, choose and buy
ENOUGH_KIN = 2  # kin whose features were read, before words that none of them speaks of count as small talk


class Shopper:
    """Decides the next action from the state of the shop; keeps nothing between calls.

    Args:
        instruction: The goal in words.
        catalog: Where products are read from, as far as `state.read` allows.
        state: The state of the shop.
        turns: How many turns are left, this one included.
        sub_pages: The sub-pages that products have.
    """

    def __init__(
        self, instruction: str, catalog: Catalog, state: State, turns: int, sub_pages: tuple[str, ...]
    ) -> None:
        self.wish = read_wish(instruction)
        self.catalog = catalog
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
        if self.turns <= LAST_CALL and state.page in ("results", "item"):
            return self._last_call()
        target, step = self._target()
        if step == "turn":
            return "click[next >]" if state.page == "results" else self._to_results()
        if state.page == "results":
            return self._towards(target)
        if state.product != state.found[target.place]:
            return self._to_results()
        if state.page != "item":
            return "click[< prev]"
        if step == "read":
            return f"click[{target.unread[0]}]"
        for name, value in target.choices.items():
            if state.chosen.get(name) != value and self.turns > 1:
                return f"click[{visible(value).lower()}]"
        return "click[buy now]"

    def _last_call(self) -> str:
        """Something to buy with the last turns: what is open with its options, or the first on the page."""
        if self.state.page == "results":
            first = (self.state.number - 1) * PER_PAGE
            return f"click[{self.catalog.get(self.state.found[first]).asin.lower()}]"
        product = self.catalog.get(self.state.product)
        chosen = self._choices.get(product.asin, {}).items() if self.turns > 1 else ()
        left = [value for name, value in chosen if self.state.chosen.get(name) != value]
        return f"click[{visible(left[0]).lower()}]" if left else "click[buy now]"

    def _to_results(self) -> str:
        """Back to the results: from a sub-page by a new search of the same, if that leads to the right page."""
        if self.state.page == "item" or self.state.number > 1:
            return "click[< prev]"
        return f"search[{self.state.query}]"

    def _towards(self, target: Judgement) -> str:
        page = target.place // PER_PAGE + 1
        if page == self.state.number:
            return f"click[{target.product.asin.lower()}]"
        return "click[next >]" if page > self.state.number else "click[< prev]"

    # What to go for.

    def _target(self) -> tuple[Judgement, str]:
        """The product to go for and what for: to `buy`, to `read` (open it first), or to `turn` the page instead."""
        judged = [self._judge(product, place) for product, place in self._shown]
        opened = [one for one in judged if one.opened]
        best = max(opened, key=lambda one: one.worth) if opened else None
        perfect = [one for one in opened if not one.ruled_out and not one.lacks and self._is_all(one, best)]
        if perfect:
            return max(perfect, key=lambda one: (one.belief, one.worth)), "buy"
        hopeful = [
            one for one in judged if one.unread and not one.ruled_out and self.turns >= self._turns_for(one, best)
        ]
        likely = max(hopeful, key=lambda one: one.belief) if hopeful else None
        if self._has_more(best) and (likely is None or likely.absent > likely.small_talk):
            return likely or best or judged[0], "turn"
        if likely is not None and (best is None or not best.ruled_out or likely.belief >= best.belief - ABSENT):
            return likely, "read"
        if best is None:
            return max(judged, key=lambda one: one.belief), "read"
        return best, "buy"

    def _is_all(self, one: Judgement, best: Judgement | None) -> bool:
        """Whether nothing asked for is absent, small talk aside where enough was read to know it as such.

        Args:
            one: The product.
            best: The best of those opened.
        """
        if one.absent > one.small_talk:
            return False
        return (
            not one.small_talk
            or len(self._told) >= ENOUGH_KIN
            or not (self._has_other_kin or self._has_more(best, 2 * NEXT_PAGE))
        )

    def _has_more(self, best: Judgement | None, turns: int = NEXT_PAGE) -> bool:
        """Whether there are further results, and turns to use them and then to buy the best of what was opened.

        Args:
            best: The best of the products opened before.
            turns: How many turns to use.
        """
        shown = max(place for _, place in self._shown) + 1
        page = shown // PER_PAGE
        away = 2 + abs(page - self.state.number) if self.state.page != "start" else 0
        back = 0 if best is None else abs(page - best.place // PER_PAGE) + len(best.choices)
        return shown < len(self.state.found) and self.turns >= turns + away + back

    @cached_property
    def _has_other_kin(self) -> bool:
        """Whether the results have shown products whose kin have not told their features."""
        return any(_kin(product) not in self._told for product, _ in self._shown)

    def _turns_for(self, one: Judgement, best: Judgement | None) -> int:
        """Turns to look at the product once more, and then to buy it or the best of those opened before.

        Args:
            one: The product.
            best: The best of those opened before.
        """
        state = self.state
        page = one.place // PER_PAGE + 1
        if state.page == "results":
            turns = 1 + abs(page - state.number)
        elif state.product == state.found[one.place]:
            turns = 0 if state.page == "item" else 1
        else:
            turns = 3 + abs(page - state.number)
        finish = len(one.choices) + 2
        if best is not None:
            finish = max(finish, 3 + abs(page - 1 - best.place // PER_PAGE) + len(best.choices) + 1)
        return turns + one.opened + finish

    # How good a product is.

    def _judge(self, product: Product, place: int) -> Judgement:
        read = self.state.read[product.asin]
        opened = "item" in read
        unread = () if "attributes" in read else tuple(page for page in self.pages if page not in read)
        covered, denied = self._read[product.asin]
        lacking = self._demands - covered
        told = self._told.get(_kin(product))
        absent = lacking & denied
        choices = {demand for demand in lacking if demand in self._offered or all(map(is_choice, demand.split()))}
        if told is not None:
            silent = lacking - told - self._offered
            if not opened and _kin(product) in self._with_other_options:
                silent = (silent & self._spoken) - choices  # the rest may be values of an option
            absent |= silent
        if opened:
            absent |= choices & self._offered  # a number or a color that no option has yet shown may be of a fact
        if not unread:
            absent = lacking
        known = absent & (self._spoken | denied | choices)
        dear = self._over_cap(product)
        missing = absent & self._offered if opened else frozenset()
        return Judgement(
            product=product,
            place=place,
            opened=opened,
            unread=unread if lacking - absent or not opened else (),
            choices=self._choices.get(product.asin, {}),
            met=len(self._demands) - len(lacking),
            lacks=len(lacking - absent),
            absent=len(absent),
            small_talk=len(absent - known),
            ruled_out=dear > 0.5 or bool(absent & denied or missing),
            faults=TOO_DEAR * dear + self._unnamed(product) + self._of_other_kind(product, covered),
        )

    def _of_other_kind(self, product: Product, covered: frozenset[str]) -> float:
        """0 if its title calls it what the instruction calls it, 0.5 if there are signs of that, otherwise 1.

        What a title says after `for` is what the product goes with, not what it is.
        """
        name = terms(product.title.split(" for ")[0])
        if not self._kind or self._kind[-1] in name:
            return 0.0
        return 0.5 if self._kind[-1] in covered or self._kind[0] in name else 1.0

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
        positions = (self.catalog.position(asin) for asin in self.state.read)
        shown = sorted((places[position], position) for position in positions if position in places)
        return [(self.catalog.get(position), place) for place, position in shown]

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

    @cached_property
    def _offered(self) -> frozenset[str]:
        """Words and phrases of the wish in option values that the instruction names, of any product opened."""
        values = {value for choices in self._choices.values() for value in choices.values()}
        return frozenset().union(*(self.wish.terms & terms(value) for value in values))

    def _passages(self, product: Product) -> Iterable[tuple[str, bool]]:
        """What was read of a product, and of its options the values to choose; each listed or denied."""
        read = self.state.read[product.asin]
        yield product.title, True
        for value in self._choices.get(product.asin, {}).values():
            yield value, True
        lines = [product.description] if "description" in read else []
        for line in (*lines, *(product.bullets if "features" in read else ())):
            for clause, holds in read_clauses(line):
                if holds is not None:
                    yield clause, holds
        if "attributes" in read:
            for attribute in product.attributes:
                yield attribute, True

    @cached_property
    def _read(self) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
        """Words and phrases of the wish that the pages of each product (asin) list, and those they only deny."""
        found = {}
        for product, _ in self._shown:
            said: dict[bool, set[str]] = {True: set(), False: set()}
            for passage, holds in self._passages(product):
                said[holds] |= self.wish.terms & terms(passage)
            found[product.asin] = frozenset(said[True]), frozenset(said[False] - said[True])
        return found

    @cached_property
    def _told(self) -> dict[frozenset[str], frozenset[str]]:
        """For kin of which one has shown its features: words and phrases of the wish on which they say something."""
        told: dict[frozenset[str], frozenset[str]] = {}
        for product, _ in self._shown:
            if "features" in self.state.read[product.asin]:
                passages = (product.title, *product.bullets)
                said = frozenset().union(*(self.wish.terms & terms(passage) for passage in passages))
                told[_kin(product)] = told.get(_kin(product), frozenset()) | said
        return told

    @cached_property
    def _with_other_options(self) -> frozenset[frozenset[str]]:
        """Kin of which each one opened has an option without a value that the instruction names."""
        lacking: dict[frozenset[str], set[str]] = {}
        for product, _ in self._shown:
            if product.asin in self._choices:
                unnamed = product.options.keys() - self._choices[product.asin].keys()
                lacking[_kin(product)] = lacking.get(_kin(product), unnamed) & unnamed
        return frozenset(kin for kin, names in lacking.items() if names)

    @cached_property
    def _spoken(self) -> frozenset[str]:
        """Words and phrases of the wish on which some page says something."""
        titles = (self.wish.terms & terms(product.title) for product, _ in self._shown)
        return frozenset().union(*self._told.values(), *titles)

    @cached_property
    def _counts(self) -> Counter[str]:
        """On how many products each word and phrase of the wish was seen."""
        return Counter(term for covered, denied in self._read.values() for term in covered | denied)

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


def _kin(product: Product) -> frozenset[str]:
    """What versions of one product have in common: the words of their titles, in any order."""
    return frozenset(product.title.lower().replace(",", " ").split())


def _ends(phrase: str) -> tuple[str, str]:
    words = phrase.split()
    return words[0], words[-1]
