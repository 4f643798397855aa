"""The facts of the encyclopaedia: things of many kinds that refer to each other, each with a title of its own."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.assets.wiki import load_words
from agentgym.envs._kit.encyclopedia.rng import BlockRandom

Fact = int | str | tuple[int, ...]
END = 1999  # no fact is later
SHARES = {
    "region": 0.012, "town": 0.2, "river": 0.026, "lake": 0.018, "mountain": 0.026, "island": 0.012, "person": 0.27,
    "novel": 0.042, "poem": 0.018, "play": 0.018, "painting": 0.026, "symphony": 0.017, "opera": 0.01, "film": 0.018,
    "treatise": 0.016, "animal": 0.07, "plant": 0.044, "genus": 0.02, "family": 0.004, "mineral": 0.011, "star": 0.013,
    "war": 0.004, "battle": 0.018, "treaty": 0.007, "expedition": 0.011, "disaster": 0.011, "university": 0.007,
    "company": 0.018, "publisher": 0.005, "newspaper": 0.008, "club": 0.011, "orchestra": 0.005, "society": 0.004,
    "award": 0.004, "building": 0.036, "ship": 0.011, "theory": 0.014,
}  # fmt: skip
COUNTRIES, CONTINENTS = 16, 3


class World:
    """Things by number.

    Args:
        seed: Names the encyclopaedia.
        size: About how many articles.

    Attributes:
        names, titles, kinds: Of each thing; titles are unique.
        facts: What is known of each thing: slot to another thing, several things, or a word.
        counts: How many things of each kind there shall be.
        people: Persons by occupation, as (birth year, number) in the order of birth.
    """

    def __init__(self, seed: int, size: int):
        self.rng = BlockRandom([seed, 0x3173])
        self.words: Mapping[str, Sequence[str]] = load_words()
        self.names: list[str] = []
        self.titles: list[str] = []
        self.kinds: list[str] = []
        self.facts: list[dict[str, Fact]] = []
        self.of: defaultdict[str, list[int]] = defaultdict(list)
        self.people: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        self.near: defaultdict[tuple[str, int], list[int]] = defaultdict(list)  # things of a kind in a country
        self._taken: set[str] = set()
        total = sum(SHARES.values())
        left = size - COUNTRIES - CONTINENTS
        self.counts = {kind: max(3, round(left * share / total)) for kind, share in SHARES.items()}
        self.counts["town"] += size - CONTINENTS - COUNTRIES - sum(self.counts.values())

    def add(self, kind: str, name: str, hint: str, **facts: Fact) -> int:
        """A new thing; its number.

        Args:
            kind: One of those in `SHARES`, `country` or `continent`.
            name: What it is called, which others may be called too.
            hint: What tells it from others of the same name, in parentheses of its title.
            facts: What is known of it from the beginning, by slot.
        """
        title = name
        number = 1
        while title.lower() in self._taken:
            title = f"{name} ({hint})" if number == 1 else f"{name} ({hint} {number})"
            number += 1
        self._taken.add(title.lower())
        thing = len(self.names)
        self.names.append(name)
        self.titles.append(title)
        self.kinds.append(kind)
        self.facts.append(facts)
        self.of[kind].append(thing)
        country = facts.get("country")
        if isinstance(country, int):
            self.near[kind, country].append(thing)
        return thing

    def fresh(self, make: Any, tries: int = 6) -> str:
        """A name no thing has yet, if `make` gives one when asked up to `tries` times more; else the last it gave."""
        name = str(make())
        for _ in range(tries):
            if name.lower() not in self._taken:
                break
            name = str(make())
        return name

    def word(self, slot: str) -> str:
        """A word for a slot."""
        return self.rng.pick(self.words[slot])

    def number(self, thing: int, slot: str) -> int:
        """The fact in `slot` of `thing`, where that is another thing."""
        fact = self.facts[thing][slot]
        assert isinstance(fact, int)
        return fact

    def year(self, thing: int, slot: str) -> int:
        """The fact in `slot` of `thing`, where that is a year, kept as text."""
        return int(str(self.facts[thing][slot]))

    def country(self, thing: int) -> int:
        """The country of a thing; its own number if it is one."""
        return thing if self.kinds[thing] == "country" else self.number(thing, "country")

    def pick(self, kind: str) -> int:
        """Any thing of a kind."""
        return self.rng.pick(self.of[kind])

    def local(self, kind: str, country: int) -> int:
        """A thing of `kind` in `country`, a thing's number too; of any country where that one has none."""
        return self.rng.pick(self.near.get((kind, country)) or self.of[kind])

    def person(self, occupations: Sequence[str], year: int, country: int = -1) -> int | None:
        """A person born 62 to 23 years before a year which they lived to see; None if there is none.

        Args:
            occupations: Those of which one is enough.
            year: The year.
            country: Preferred in seven of ten cases, where somebody is from there; -1 for none.
        """
        found = []
        for occupation in occupations:
            order = self.people[occupation]
            first, last = bisect_left(order, (year - 62, 0)), bisect_left(order, (year - 22, 0))
            found += [thing for _, thing in order[first:last] if self.year(thing, "died") >= year]
        if country >= 0 and self.rng.chance(0.7):
            found = [thing for thing in found if self.facts[thing]["country"] == country] or found
        return self.rng.pick(found) if found else None

    def link(self, thing: int, slot: str, other: int | None) -> None:
        """Note one more thing in a fact that holds several.

        Args:
            thing: Whose fact it is.
            slot: The fact, which need not be there yet.
            other: What is noted; None, `thing` itself, and what would be too many or is there already, change nothing.
        """
        if other is None:
            return
        held = self.facts[thing].get(slot, ())
        assert isinstance(held, tuple)
        if other not in held and other != thing and len(held) < MOST:
            self.facts[thing][slot] = (*held, other)

    def set(self, thing: int, **facts: Fact | None) -> None:
        """Add those of `facts` that are known, not None, to `thing` where it lacks them; none refers to itself."""
        for slot, fact in facts.items():
            if fact is not None and fact != thing and slot not in self.facts[thing]:
                self.facts[thing][slot] = fact


MOST = 5  # things in one fact, more than a sentence should list
