"""The facts of the encyclopaedia as questions need them: by name, and only those that an article tells."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from agentgym.assets.wiki.questions import Asked, load_questions
from agentgym.envs._kit.encyclopedia.book import Book
from agentgym.envs._kit.retrieval.corpora import open_encyclopedia
from agentgym.envs.tools._search.programs import Look, Unfit

AWKWARD = re.compile(r" and |[,;/()\[\]<>]")  # in a name: no reader of a list could tell where it ends
MANY = 4  # things that a list may have; the encyclopaedia's lists hold at most five, so these are whole


class Facts:
    """What can be asked for.

    Args:
        book: The encyclopaedia.

    Attributes:
        kinds: Kinds of thing that questions begin with, each with its things in order.
    """

    def __init__(self, book: Book):
        self.book, self._world = book, book.world
        names = Counter(name.lower() for name in self._world.names)
        self._number = {
            name.lower(): thing
            for thing, name in enumerate(self._world.names)
            if names[name.lower()] == 1 and self._world.titles[thing] == name and not AWKWARD.search(name)
        }
        self.kinds: dict[str, list[int]] = {kind: [] for kind in load_questions()}
        for thing in self._number.values():
            if self._world.kinds[thing] in self.kinds:
                self.kinds[self._world.kinds[thing]].append(thing)
        self._told = lru_cache(maxsize=None)(self._tells)

    def name(self, thing: int) -> str:
        """The name of a thing."""
        return self._world.names[thing]

    def kind(self, thing: int) -> str:
        """The kind of a thing."""
        return self._world.kinds[thing]

    def number(self, name: str) -> int | None:
        """The thing of a name; None if none has it, or several."""
        return self._number.get(name.lower())

    def _tells(self, thing: int) -> frozenset[str]:
        """The slots of the facts that the article on a thing tells."""
        return frozenset(slot for section in self.book.article(thing).told for slots in section for slot in slots)

    def known(self, thing: int, fact: Asked) -> bool:
        """Whether a thing has a fact that can be asked for: its article tells it, and all names in it are clear.

        Args:
            thing: Its number.
            fact: One of any kind of thing; those of other kinds it does not have.
        """
        if fact.kind != self.kind(thing) or fact.slot not in self._told(thing):
            return False
        value = self._world.facts[thing].get(fact.slot)
        others = value if isinstance(value, tuple) else (value,)
        if not fact.things:
            return isinstance(value, str)
        if isinstance(value, tuple) != fact.several or len(others) > MANY:
            return False
        return all(isinstance(each, int) and self._clear(each, fact) for each in others)

    def _clear(self, thing: int, fact: Asked) -> bool:
        return self.kind(thing) in fact.gives and self.number(self.name(thing)) == thing

    def facts_of(self, thing: int) -> list[Asked]:
        """The facts of a thing that can be asked for."""
        return [fact for fact in load_questions()[self.kind(thing)].facts.values() if self.known(thing, fact)]

    def told(self, thing: int, slot: str) -> str | None:
        """The value that the article on `thing` tells for `slot`; None if it tells none, or names things there."""
        value = self._world.facts[thing].get(slot)
        return value if isinstance(value, str) and slot in self._told(thing) else None

    def others(self, thing: int, fact: Asked) -> tuple[int, ...]:
        """The things that `fact` of `thing` leads to, in their order; none if its value is a text."""
        value = self._world.facts[thing][fact.slot]
        return value if isinstance(value, tuple) else (value,) if isinstance(value, int) else ()

    def look(self, asked: Look) -> list[str]:
        """What the article gives: names, or one value.

        Raises:
            Unfit: if there is no such fact.
        """
        thing = self.number(asked.name)
        if thing is None or self.kind(thing) not in asked.kinds:
            raise Unfit
        value = self.told(thing, asked.slot)
        if value is not None:
            return [value]
        fact = load_questions()[self.kind(thing)].facts.get(asked.slot)
        if fact is None or not fact.things or not self.known(thing, fact):
            raise Unfit
        return [self.name(each) for each in self.others(thing, fact)]


@lru_cache(maxsize=2)
def open_facts(articles: int) -> Facts:
    """The facts of the encyclopaedia of a size; gathered once in a process."""
    return Facts(open_encyclopedia(articles).book)
