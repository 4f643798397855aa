"""A good shopper that knows only what the pages have shown: the source of WebShop demonstrations.

It searches for the words of the instruction, opens the results whose titles cover most of them, reads features and
descriptions while words are still unaccounted for, and buys the product that covers most, with the options the
instruction names. It never looks at the goal, and at a product only as far as `State.read` says the agent has read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING

from agentgym.envs.web._shop.markup import visible
from agentgym.envs.web._shop.products import Product
from agentgym.envs.web._shop.words import word_list

if TYPE_CHECKING:
    from agentgym.envs.web._shop.loading import Catalogue
    from agentgym.envs.web.webshop import State

CAP = re.compile(
    r"(?:(?:under|below|than|over|exceed|exceeding|budget|spend|most|within|to|maximum|max|limit|for|past|above|cap|"
    r"beyond|is|of|at|price|cost|costs|costing|priced|inside|around|by|with|have|got|only)\s+)(?:(?:a|my|is|of|the|about)\s+)?\$?\s?(\d+(?:\.\d+)?)\s*"
    r"(?:dollars|bucks|usd|\$)|\$\s?(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*(?:dollars|bucks|usd)"
)
WORD = re.compile(r"[a-z0-9]+(?:[.'/&-][a-z0-9]+)*")
PRICE = re.compile(r"\d[\d,]*(?:\.\d+)?")
LOOK_CLOSER = 5  # results worth opening, by title


class Shopper:
    """Decides the next action from the state of the page; keeps nothing between calls.

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
        self.instruction = instruction.lower()
        self.catalogue = catalogue
        self.state = state
        self.turns = turns
        self.sub_pages = sub_pages

    def act(self) -> str:
        """The next action."""
        state = self.state
        if state.page == "start":
            return f"search[{' '.join(self.needs) or self.instruction}]"
        if state.page == "results":
            return self._from_results()
        if state.page == "item":
            return self._from_item()
        return "click[< prev]"

    def _from_results(self) -> str:
        goal = self._goal_on_results()
        if goal is not None:
            return f"click[{goal.asin.lower()}]"
        return "click[back to search]" if not self.state.found else f"search[{' '.join(self.needs[:6])}]"

    def _goal_on_results(self) -> Product | None:
        """What to open next: a promising row while there is time to come back, otherwise the best product read."""
        shown = self._rows()
        best = self._best()
        fresh = [product for product in shown if "item" not in self.state.read[product.asin]]
        if fresh and (best is None or (self._missing(best) and self.turns >= 8 + self._clicks(best))):
            opened = sum("item" in pages for pages in self.state.read.values())
            if best is None or opened < LOOK_CLOSER:
                return max(fresh, key=lambda product: (self._covered(product), -shown.index(product)))
        if best is not None and best in shown:
            return best
        return fresh[0] if fresh else None

    def _from_item(self) -> str:
        product = self._open_product()
        missing, clicks = self._missing(product), self._clicks(product)
        if missing and self._affordable(product):
            for page in ("attributes", "features", "description"):
                if page not in self.state.read[product.asin] and self.turns >= clicks + 3 and page in self.sub_pages:
                    return f"click[{page}]"
        best = self._best()
        better = best is not None and best.asin != product.asin
        unsure = bool(missing) or not self._affordable(product)
        if unsure and self._rows_left() and self.turns >= 9 + clicks:
            return "click[< prev]"
        if better and best is not None and best in self._rows() and self.turns >= 3 + self._clicks(best):
            return "click[< prev]"
        for name, value in self._choices(product).items():
            if self.state.chosen.get(name) != value:
                return f"click[{visible(value).lower()}]"
        return "click[buy now]"

    def _rows_left(self) -> bool:
        return any("item" not in self.state.read[product.asin] for product in self._rows())

    def _rows(self) -> list[Product]:
        """Products of the current search that were shown as rows and seem affordable, best result first."""
        products = (self.catalogue.get(position) for position in self.state.found)
        return [product for product in products if product.asin in self.state.read and self._affordable(product)]

    def _open_product(self) -> Product:
        return self.catalogue.get(self.state.product)

    def _best(self) -> Product | None:
        """The opened product that covers most of the instruction."""
        positions = [self.catalogue.position(asin) for asin, pages in self.state.read.items() if "item" in pages]
        products = [self.catalogue.get(position) for position in positions if position is not None]
        affordable = [product for product in products if self._affordable(product)]
        return max(affordable or products, key=self._covered, default=None)

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """The words of the instruction that say something about the product, without the price."""
        text = CAP.sub(" ", self.instruction)
        return tuple(dict.fromkeys(word for word in WORD.findall(text) if word not in _talk()))

    @cached_property
    def cap(self) -> float:
        """The price cap in dollars, infinite if the instruction has none."""
        found = [float(number) for groups in CAP.findall(self.instruction) for number in groups if number]
        return found[-1] if found else float("inf")

    def _affordable(self, product: Product) -> bool:
        numbers = PRICE.findall(product.price_text)
        return not numbers or float(numbers[0].replace(",", "")) <= self.cap

    def _text(self, product: Product) -> frozenset[str]:
        """The words the agent has read of a product."""
        return _words(tuple(self._passages(product)))

    def _passages(self, product: Product) -> Iterable[str]:
        read = self.state.read[product.asin]
        yield product.title
        if "item" in read:
            for values in product.options.values():
                yield from values
        if "description" in read:
            yield product.description
        if "features" in read:
            yield from product.bullets
        if "attributes" in read:
            yield from product.attributes

    @cached_property
    def _known(self) -> frozenset[str]:
        """All words read so far: needs outside it are most likely talk, not properties."""
        products = [self.catalogue.get(position) for position in self.state.found]
        return frozenset().union(*(self._text(product) for product in products if product.asin in self.state.read))

    def _covered(self, product: Product) -> int:
        words = self._text(product)
        return sum(_stem(word) in words for word in self.needs)

    def _missing(self, product: Product) -> list[str]:
        words = self._text(product)
        return [word for word in self.needs if _stem(word) not in words and _stem(word) in self._known]

    def _choices(self, product: Product) -> dict[str, str]:
        """For each option, the longest value that the instruction names."""
        said = f" {' '.join(WORD.findall(self.instruction))} "
        choices = {}
        for name, values in product.options.items():
            named = [value for value in values if f" {' '.join(WORD.findall(value.lower()))} " in said]
            if named:
                choices[name] = max(named, key=len)
        return choices

    def _clicks(self, product: Product) -> int:
        """Turns to choose the options and buy."""
        return 1 + len(self._choices(product))


@cache
def _talk() -> frozenset[str]:
    return frozenset(word_list("talk"))


@lru_cache(maxsize=16384)
def _words(passages: tuple[str, ...]) -> frozenset[str]:
    return frozenset(_stem(word) for passage in passages for word in WORD.findall(passage.lower()))


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """A word without its plural ending and hyphens."""
    word = word.replace("-", "").replace("'", "")
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
