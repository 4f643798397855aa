"""Trivia: what an article is asked for by some of its facts, as in a quiz, in place of a passage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations

from agentgym.envs._kit.encyclopedia.book import Book
from agentgym.envs._kit.encyclopedia.prose import Writer
from agentgym.envs._kit.encyclopedia.rng import BlockRandom
from agentgym.envs.web._wiki.passages import KEPT, words

Fact = tuple[str, str]
SAID: Mapping[str, str] = {  # a line of an article's table as a question says it
    "Architect": "was designed by {}", "Area": "has an area of {}", "Author": "was written by {}",
    "Begin": "began in {}", "Between": "was between {}", "Born": "was born {}", "Branch": "deals in {}",
    "Brightness": "has a brightness of {}", "Built": "was built in {}", "Built by": "was built by {}",
    "Capital": "has the capital {}", "Class": "is of the class {}", "Colour": "is {}", "Colours": "plays in {}",
    "Composer": "was composed by {}", "Copies": "sells {} copies", "Countries": "has {} countries",
    "Country": "belongs to {}", "Currency": "pays in the {}", "Destination": "headed for {}", "Died": "died {}",
    "Director": "was directed by {}", "Discovered": "was discovered in {}", "End": "ended in {}",
    "Family": "is of the family {}", "Field": "is about {}", "First climbed": "was first climbed in {}",
    "First given": "was first given in {}", "First performed": "was first performed in {}",
    "Flows into": "flows into {}", "Found": "was found in {}", "Found by": "was found by {}",
    "Found in": "is found in {}", "Founded": "was founded in {}", "Genera": "has {} genera",
    "Genus": "is of the genus {}", "Given by": "is given by {}", "Greatest depth": "is {} deep",
    "Hardness": "has a hardness of {}", "Height": "is {} high", "Highest mountain": "has {} as its highest mountain",
    "House": "was first heard at {}", "Inhabitants": "has {} inhabitants", "Kept in": "is kept in {}",
    "Key": "is in {}", "Language": "speaks {}", "Launched": "was launched in {}", "Leader": "was led by {}",
    "Length": "is {} long", "Occupation": "had the occupation of {}", "Painted": "was painted in {}",
    "Painter": "was painted by {}", "Place": "has to do with {}", "Published": "was published in {}",
    "Publisher": "came out at {}", "Region": "lies in {}", "Released": "was released in {}", "River": "lies on the {}",
    "Running time": "runs for {} minutes", "Scientific name": "is called {} by scientists",
    "Seat": "has its seat in {}", "Signed": "was signed in {}", "Students": "has {} students", "War": "was part of {}",
    "Year": "happened in {}", "Years": "went on in {}",
}  # fmt: skip
LEAST = 2  # facts of a question, where an article has so many


@lru_cache(maxsize=8192)
def clues(book: Book, page: int) -> tuple[str, ...]:
    """Up to five questions that the article on a page answers and no other of its kind does, the shortest first.

    A question names two or more facts of the article's table, none of which holds a word of its name. WebNav (Nogueira
    and Cho 2016, arXiv:1602.02261) asks questions of a quiz show whose answer is the name of an article; these are made
    of the facts.

    Args:
        book: The encyclopaedia.
        page: Of an article; a category answers no question, nor does a page of a dump, of which no facts are known.
    """
    if page >= book.articles or not book.world.facts[page]:
        return ()
    index = _index(book)
    kind, own = book.world.kinds[page], set(words(book.title(page)))
    facts = [fact for fact in _facts(book, page) if own.isdisjoint(words(fact[1]))]
    found: list[str] = []
    for count in range(min(LEAST, len(facts)), len(facts) + 1):
        for chosen in combinations(facts, count):
            if len(found) == KEPT:
                return tuple(found)
            if chosen and set.intersection(*(index[kind, *fact] for fact in chosen)) == {page}:
                found.append(_asked(kind, chosen))
    return tuple(found)


def _asked(kind: str, facts: tuple[Fact, ...]) -> str:
    *said, last = [SAID[label].format(value) for label, value in facts]
    return f"This {kind} {', '.join(said)} and {last}." if said else f"This {kind} {last}."


def _facts(book: Book, page: int) -> tuple[Fact, ...]:
    """The lines of an article's table that tell facts, and not what was made up for the article alone."""
    return Writer(book.world, page, (), BlockRandom([0], 1)).table()


@lru_cache(maxsize=4)
def _index(book: Book) -> Mapping[tuple[str, str, str], set[int]]:
    """The articles of a kind that have a fact."""
    found: defaultdict[tuple[str, str, str], set[int]] = defaultdict(set)
    for page in range(book.articles):
        for label, value in _facts(book, page):
            found[book.world.kinds[page], label, value].add(page)
    return found
