"""A good shopper that knows only what the pages have shown: the source of WebShop demonstrations.

It searches for the words of the instruction, opens the results whose titles cover most of them, reads features and
descriptions while words are still unaccounted for, and buys the product that covers most, with the options the
instruction names. It never looks at the goal, and at a product only as far as `State.read` says the agent has read it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from math import log
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
LABELS = frozenset({"size", "sized", "color", "colour", "shade", "flavor", "scent", "style", "option", "pack", "count"})
SMALL = frozenset({"to", "and", "of", "for", "in", "with"})
PAIR = 0.5  # weight of two words that stand together, besides that of each
COMMON = 0.7  # a word that half of the products show is a word for their kind
RANK_PENALTY = 1.2  # how much a place further down the results weighs against words covered
READING = ("attributes", "features", "description")  # sub-pages worth a look, the fullest first


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
        page = self.state.page
        if page == "start":
            return f"search[{' '.join(self._said_words) or self.instruction}]"
        if page == "results":
            return self._from_results()
        return self._from_item() if page == "item" else "click[< prev]"

    def _from_results(self) -> str:
        """Open another candidate while there is time to come back to the best one read, otherwise that one."""
        best, fresh = self._best(), self._fresh()
        unsure = best is None or bool(self._missing(best)) or bool(self._unnamed(best))
        time_to_look = best is None or (unsure and self.turns >= 3 + self._clicks(best))
        target = fresh[0] if fresh and time_to_look else best
        if target is None:
            return f"search[{' '.join(self._said_words[: max(1, len(self._said_words) - 2)])}]"
        if target in self._rows():
            return f"click[{target.asin.lower()}]"
        return f"search[{' '.join(self._said_words)}]"

    def _from_item(self) -> str:
        product, best = self._open_product(), self._best()
        here = best is None or best.asin == product.asin
        finish = self._clicks(product) if here or best is None else 2 + self._clicks(best)  # turns to buy the best
        if self._missing(product) or self._unnamed(product):
            unread = [page for page in READING if page in self.sub_pages and page not in self.state.read[product.asin]]
            if unread and not self._unnamed(product) and self.turns >= finish + 2:
                return f"click[{unread[0]}]"
            if self._fresh() and self.turns >= 4 + (self._clicks(product) if here else finish - 2):
                return "click[< prev]"
        if not here and self.turns >= finish:
            return "click[< prev]"
        for name, value in self._choices(product).items():
            if self.state.chosen.get(name) != value:
                return f"click[{visible(value).lower()}]"
        return "click[buy now]"

    def _fresh(self) -> list[Product]:
        """Rows not opened yet, the most promising first."""
        rows = [product for product in self._rows() if "item" not in self.state.read[product.asin]]
        return sorted(rows, key=lambda product: -self._fit(product))  # stable: better results first

    def _rows(self) -> list[Product]:
        """Products of the current search that were shown as rows and seem affordable, best result first."""
        products = (self.catalogue.get(position) for position in self.state.found)
        return [product for product in products if product.asin in self.state.read and self._affordable(product)]

    def _open_product(self) -> Product:
        return self.catalogue.get(self.state.product)

    def _best(self) -> Product | None:
        """The opened product that covers most of the instruction."""
        opened = [product for product in self._read if "item" in self.state.read[product.asin]]
        affordable = [product for product in opened if self._affordable(product)]
        return max(affordable or opened, key=self._fit, default=None)

    @cached_property
    def _read(self) -> list[Product]:
        """Every product the agent has seen anything of, in the order it did."""
        positions = (self.catalogue.position(asin) for asin in self.state.read)
        return [self.catalogue.get(position) for position in positions if position is not None]

    @cached_property
    def _said_words(self) -> tuple[str, ...]:
        """The words of the instruction that say something about the product, without the price."""
        text = CAP.sub(" ", self.instruction)
        return tuple(dict.fromkeys(word for word in WORD.findall(text) if word not in _talk()))

    @cached_property
    def needs(self) -> frozenset[str]:
        """What the instruction asks for: stemmed words, and pairs of neighbours (`paraben free` is one property)."""
        talk = _talk() | LABELS
        terms = (term.split() for term in _terms((CAP.sub(" | ", self.instruction),)))
        return frozenset(" ".join(words) for words in terms if words[0] not in talk and words[-1] not in talk)

    @cached_property
    def cap(self) -> float:
        """The price cap in dollars, infinite if the instruction has none."""
        found = [float(number) for groups in CAP.findall(self.instruction) for number in groups if number]
        return found[-1] if found else float("inf")

    def _affordable(self, product: Product) -> bool:
        numbers = PRICE.findall(product.price_text)
        return not numbers or float(numbers[0].replace(",", "")) <= self.cap

    def _text(self, product: Product) -> frozenset[str]:
        """The words and pairs of words the agent has read of a product."""
        return _terms(tuple(self._passages(product)))

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
    def _known(self) -> dict[str, float]:
        """Weight of each term read so far: what every product shows says little, and what none shows is talk."""
        texts = [self._text(product) for product in self._read]
        counts = Counter(term for text in texts for term in text & self.needs)
        return {term: log(len(texts) / count) for term, count in counts.items()}

    def _missing(self, product: Product) -> frozenset[str]:
        lacking = (self.needs & self._known.keys()) - self._text(product)
        return frozenset(term for term in lacking if " " not in term and self._known[term] > COMMON)

    def _unnamed(self, product: Product) -> list[str]:
        """Options the instruction speaks of without naming a value on offer: a sign of the wrong product."""
        choices = self._choices(product)
        return [name for name in product.options if name not in choices and self._speaks_of(name)]

    def _speaks_of(self, option: str) -> bool:
        """Whether the instruction asks for something under an option's name, going by all values seen so far."""
        said = set(WORD.findall(self.instruction))
        if said.intersection(option.split()) or ("color" in option and said.intersection(word_list("colors"))):
            return True
        opened = (product for product in self._read if "item" in self.state.read[product.asin])
        values = tuple(value for product in opened for value in product.options.get(option, ()))
        return bool(self.needs & _terms(values))

    def _fit(self, product: Product) -> float:
        """How well what was read of a product fits the instruction."""
        covered = self.needs & self._text(product)
        fit = sum(self._known[term] * (PAIR if " " in term else 1.0) for term in covered)
        fit -= RANK_PENALTY * self._rank(product)
        if "item" in self.state.read[product.asin]:
            fit += 2.0 * len(self._choices(product)) - 1.0 * len(self._unnamed(product))
        return fit

    def _rank(self, product: Product) -> int:
        position = self.catalogue.position(product.asin)
        return self.state.found.index(position) if position in self.state.found else len(self.state.found)

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
def _terms(passages: tuple[str, ...]) -> frozenset[str]:
    """Stemmed words, pairs of neighbours, and triples around a small word (`easy to clean`) in passages."""
    terms: set[str] = set()
    for passage in passages:
        words = [_stem(word) for word in WORD.findall(passage.lower().replace("-", " "))]
        terms.update(words)
        terms.update(f"{first} {second}" for first, second in pairwise(words))
        triples = zip(words, words[1:], words[2:], strict=False)
        terms.update(f"{first} {small} {last}" for first, small, last in triples if small in SMALL)
    return frozenset(terms)


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """A word without its plural ending and hyphens."""
    word = word.replace("-", "").replace("'", "")
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
