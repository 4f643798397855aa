"""Goals for the shop that nobody gave: made of products that were opened and read, in phrasings of their own."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from agentgym.assets.webshop.facts import read_clauses, read_line
from agentgym.core.errors import ConfigError
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.proposals import Tried
from agentgym.envs.web._shop.window import PREVIOUS, Item, item, passages, rows, strings, sub_pages

# What a shop may sell: somebody who has seen nothing of it yet searches for one of these.
FIRST = (
    "shoes", "shirt", "dress", "jacket", "lamp", "rug", "chair", "table", "curtains", "bedding", "coffee", "tea",
    "snack", "sauce", "chocolate", "shampoo", "cream", "makeup", "toothbrush", "candle", "headphones", "charger",
    "cable", "watch", "camera", "speaker", "backpack", "boots", "mirror", "shelf",
)  # fmt: skip
STEPS = 4  # actions that a search takes at most
VISIT = 7  # turns to open and read a product and go back
HEAD = re.compile(r"(?:【([^】]{3,40})】|([A-Z0-9][\w '&/.-]{2,40}): )")
PARTS = re.compile(r"[,;:().!?]|\band\b|\bvary\b|\bdepend\b|\bfrom\b|\bwhich\b")
LONGEST_FACT = 4  # words
ROUND = (10, 5, 1)  # dollars
OPENERS = (
    "i need {thing}", "i want to buy {thing}", "i am looking for {thing}", "find me {thing}", "show me {thing}",
    "i would like {thing}", "please get me {thing}", "help me find {thing}", "i am shopping for {thing}",
    "get me {thing}", "i want {thing}", "can you find {thing}",
)  # fmt: skip
WITH = (
    "{thing} with {fact}",
    "{thing} that has {fact}",
    "{thing} featuring {fact}",
    "{thing}, {fact}",
    "{fact} {thing}",
)
AND = (" and {fact}", ", {fact}", ", with {fact}", " and also {fact}")
CHOSEN = {
    "color": (" in {value}", " in the color {value}", ", color {value}", " and the color should be {value}"),
    "size": (" in size {value}", ", size {value}", " and the size should be {value}", " sized {value}"),
    "flavor name": (" in {value} flavor", ", flavor {value}", " and the flavor should be {value}"),
    "scent": (" with {value} scent", ", scent {value}"),
}
OTHER = (" in {value}", ", {name} {value}", " and choose {value}")
CAPS = (
    ", and price lower than {cap} dollars", ", under ${cap}", " for less than {cap} dollars", ", below {cap} dollars",
    ", at most ${cap}", ". my budget is {cap} dollars", ", and it should cost no more than {cap} dollars",
    " under {cap} dollars",
)  # fmt: skip


@runtime_checkable
class ShopWorld(Protocol):
    """A world whose shop can be walked through in the words of the shop in text."""

    def in_own_words(self, action: str) -> str:
        """The next action of this world towards a search or a click of the shop in text."""


@dataclass(frozen=True)
class Seen:
    """A product as it was read.

    Attributes:
        asin: Its id.
        page: Its page.
        lines: What its sub-pages say.
        listed: The lines of the page of attributes, where the shop shows one.
    """

    asin: str
    page: Item
    lines: tuple[str, ...]
    listed: tuple[str, ...]


class ShopProposer:
    """Searches, opens and reads products as any visitor may, and asks for what one of them says of itself.

    A goal names the kind of product as its title does, one or two facts that its features list and do not deny, a value
    of an option now and then, and a price cap above its price. Facts are read from the pages, so some of them are none
    of the shop's own: what a page claims is not always what the shop has on record, and such a goal cannot be met.

    Args:
        searches: Searches of a look around.
        products: Products opened after each.
        facts: Most facts of a goal.
        option: How often an option is asked for.
    """

    def __init__(self, searches: int = 3, products: int = 3, facts: int = 2, option: float = 0.6):
        if min(searches, products, facts) < 1 or not 0 <= option <= 1:
            raise ConfigError(
                "searches, products and facts of a shop's proposer must be at least 1, and option from 0 to 1"
            )
        self._searches, self._products, self._facts, self._option = searches, products, facts, option

    def propose(
        self, world: LanguageEnv, rng: np.random.Generator, tried: Sequence[Tried]
    ) -> Sequence[Mapping[str, Any]]:
        """A goal for each product that was read and lists a fact.

        Args:
            world: A shop, in text or in a browser; the goal under way is not read.
            rng: Of the searches, the products and the words.
            tried: Not used.

        Raises:
            ConfigError: if the world is no shop.
        """
        window = Window(world, rng)
        found: list[Mapping[str, Any]] = []
        words = _pick(FIRST, rng)
        for _ in range(self._searches):
            shown = window.search(words)
            for place in rng.permutation(len(shown))[: self._products]:
                seen = window.read(words, shown[int(place)][0])
                goal = None if seen is None else self._goal(seen, rng)
                if goal is not None:
                    found.append(goal)
            titles = [word for _, title, _ in shown for word in _kind(title).split() if len(word) > 3]
            words = _pick(titles, rng) if titles and rng.random() < 0.5 else _pick(FIRST, rng)
        return found

    def _goal(self, seen: Seen, rng: np.random.Generator) -> Mapping[str, Any] | None:
        """A goal that this product meets, as far as its pages tell; None where they list no fact."""
        facts, dollars = facts_of(seen), seen.page.dollars
        if not facts or dollars is None:
            return None
        count = min(len(facts), 1 + int(rng.integers(self._facts)))
        asked = [facts[int(place)] for place in rng.permutation(len(facts))[:count]]
        options = {
            name: _pick(values, rng)
            for name, values in seen.page.options.items()
            if name and values and rng.random() < self._option
        }
        cap = _cap(dollars, rng)
        words = phrased(_kind(seen.page.title).lower(), asked, options, cap, rng)
        return {
            "asin": seen.asin,
            "instruction": words,
            "attributes": asked,
            "options": options,
            "price_upper": float(cap),
        }


class Window:
    """The shop, looked at through the actions that every player has.

    Args:
        world: A shop.
        rng: Of the seeds of its episodes.

    Raises:
        ConfigError: if the world is no shop.
    """

    def __init__(self, world: LanguageEnv, rng: np.random.Generator):
        if not isinstance(world, ShopWorld):
            raise ConfigError(f"{world.card.id} is no shop; use WebShop-v1 or WebShopBrowser-v1, or another proposer")
        self._world: Any = world
        self._rng = rng
        self._begin()

    def _begin(self) -> None:
        self._world.reset(seed=int(self._rng.integers(2**31)))
        self._seen: list[str] = []

    def search(self, words: str) -> list[tuple[str, str, str]]:
        """Id, title and price of the products that a search brings up first."""
        if self._world.ended or self._world.max_turns - self._world.turn < VISIT + STEPS:
            self._begin()
        self._say(f"search[{words}]")
        return rows(self._seen)

    def read(self, words: str, asin: str) -> Seen | None:
        """Open a product of the results of a search and read it; None if it cannot be opened.

        Args:
            words: The search that brought it up.
            asin: Its id.
        """
        shown = {each for each, _, _ in rows(self._seen)}
        if asin not in shown or self._world.ended or self._world.max_turns - self._world.turn < VISIT:
            shown = {each for each, _, _ in self.search(words)}
        if asin not in shown:
            return None
        self._say(f"click[{asin.lower()}]")
        page = item(self._seen)
        if page is None:
            return None
        told: dict[str, list[str]] = {}
        for name in sub_pages(self._seen):
            if name in ("features", "attributes"):
                self._say(f"click[{name}]")
                told[name] = passages(self._seen)
                self._say(f"click[{PREVIOUS.lower()}]")
        self._say(f"click[{PREVIOUS.lower()}]")
        return Seen(asin, page, tuple(told.get("features", ())), tuple(told.get("attributes", ())))

    def _say(self, words: str) -> None:
        """Do what these words of the shop in text ask for."""
        for _ in range(STEPS):
            action = self._world.in_own_words(words)
            text = self._world.step(action)[0]
            if not words.startswith("search[") or action == words or action.startswith("press "):
                break
        self._seen = strings(text)


def facts_of(seen: Seen) -> list[str]:
    """Short facts that a product's pages list and nowhere deny.

    Where the shop has a page of attributes, it is those. Otherwise it is what the features say that versions differ in,
    where another line lists it, and what stands in the heading of a line.

    Args:
        seen: The product.
    """
    if seen.listed:
        return list(dict.fromkeys(each.lower() for each in seen.listed if len(each.split()) <= LONGEST_FACT))
    open_lines = [line for line in seen.lines if all(holds is None for _, holds in read_clauses(line))]
    named = [part.strip() for line in open_lines for part in PARTS.split(line.lower())]
    others = [line for line in seen.lines if line not in open_lines]
    if not named:
        named = [(match[1] or match[2]).lower() for line in others if (match := HEAD.match(line))]
    return [fact for fact in dict.fromkeys(named) if _is_fact(fact, others)]


def _is_fact(fact: str, lines: Sequence[str]) -> bool:
    if not 1 <= len(fact.split()) <= LONGEST_FACT:
        return False
    said = {read_line(line, fact) for line in lines}
    return True in said and False not in said


def phrased(kind: str, facts: Sequence[str], options: Mapping[str, str], cap: int, rng: np.random.Generator) -> str:
    """A goal in words, in one of many phrasings.

    Args:
        kind: What kind of product.
        facts: At least one.
        options: By name, the value to choose.
        cap: The highest price in dollars.
        rng: Of the phrasing.
    """
    thing = _pick(WITH, rng).format(thing=kind, fact=facts[0])
    for fact in facts[1:]:
        thing += _pick(AND, rng).format(fact=fact)
    for name in [list(options)[int(place)] for place in rng.permutation(len(options))]:
        thing += _pick(CHOSEN.get(name, OTHER), rng).format(name=name, value=options[name])
    article = _pick(("a ", "", "some "), rng)
    return " ".join((_pick(OPENERS, rng).format(thing=article + thing) + _pick(CAPS, rng).format(cap=cap)).split())


def _kind(title: str) -> str:
    """What a title calls its product: what stands before its first comma, without the maker's name."""
    words = title.partition(",")[0].split()
    return " ".join(words[1:] if len(words) > 1 else words)


def _cap(dollars: float, rng: np.random.Generator) -> int:
    """A price cap a little above a price, as round as may be."""
    unit = ROUND[int(rng.integers(len(ROUND)))]
    return unit * (math.floor(dollars / unit) + 1 + int(rng.integers(2)))


def _pick(choices: Sequence[str], rng: np.random.Generator) -> str:
    return choices[int(rng.integers(len(choices)))]


def shop_proposer(**options: Any) -> ShopProposer:
    """A proposer for `rollout.tasks = { name = "proposed", proposer = "agentgym.envs.web.webshop:shop_proposer" }`.

    Args:
        options: Of `ShopProposer`.
    """
    return ShopProposer(**options)
