"""The documents about a land, search over them, and questions with exact answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from agentgym.envs._kit.english import terms_of
from agentgym.envs._kit.search import SearchIndex
from agentgym.envs.multiagent._search_duel.land import ASIDES, PERSON, RELATIONS, TOWN, Fact, build

STREAM = 0x5D  # apart from the generators of tasks
SHOWN = 5  # results of a search
NOUNS = {
    name: relation.noun for relation in RELATIONS for name in (relation.noun, *relation.others)
}  # every name of a relation
LEAD = re.compile(r"^(?:(?:what|who|where|which|when)\s+(?:is|was|are|were)\s+)?", re.IGNORECASE)
STEP = re.compile(
    r"^(?:the\s+)?(" + "|".join(sorted(map(re.escape, NOUNS), key=len, reverse=True)) + r")\s+of\s+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a document, and the facts that it says: none, one, or two of a couple."""

    text: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Library:
    """Documents by title, and all that questions need.

    Attributes:
        number: Which library it is.
        titles: Titles in order of document number.
        sentences: Every sentence; documents hold ranges of them.
        spans: For each document the first of its sentences and the one behind its last.
        facts: What is true, by head and relation.
        kinds: The kind of each name.
        index: Search over the documents.
    """

    number: int
    titles: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    spans: tuple[tuple[int, int], ...]
    facts: dict[tuple[str, str], Fact]
    kinds: dict[str, str]
    index: SearchIndex
    numbers: dict[str, int]
    terms: tuple[frozenset[str], ...]

    def document(self, number: int) -> range:
        """The sentences of a document."""
        return range(*self.spans[number])

    def named(self, said: str) -> str | None:
        """The title that a text names, whatever its case."""
        number = self.numbers.get(" ".join(said.split()).strip(" .?!\"'").lower())
        return None if number is None else self.titles[number]

    def search(self, words: str) -> list[tuple[int, int]]:
        """The best documents for some words, each with its best sentence."""
        wanted = set(terms_of(words))
        found = []
        for number in self.index.search(words, SHOWN):
            place = int(number)
            best = max(self.document(place), key=lambda at: (len(wanted & self.terms[at]), -at))
            found.append((place, best))
        return found


@dataclass(frozen=True, slots=True)
class Question:
    """Relations from the outermost to the one next to the thing asked about: the R1 of the R2 of `anchor`."""

    relations: tuple[str, ...]
    anchor: str

    @property
    def text(self) -> str:
        """In words."""
        return "What is " + "".join(f"the {noun} of " for noun in self.relations) + self.anchor + "?"


def asked(library: Library, text: str) -> Question | str:
    """Read a question, or say what is wrong with it.

    Args:
        library: Whose titles may be named.
        text: The question in words, in any case.
    """
    rest = LEAD.sub("", " ".join(text.split()), count=1)
    relations = []
    while match := STEP.match(rest):
        relations.append(NOUNS[match[1].lower()])
        rest = rest[match.end() :]
    anchor = library.named(re.sub(r"^the\s+", "", rest, flags=re.IGNORECASE)) or library.named(rest)
    if not relations:
        return "a question asks for `the <relation> of <title>`, or `the <relation> of the <relation> of <title>`"
    if anchor is None:
        return f"{rest[:60].strip(' ?')!r} is not the title of a document, nor a relation followed by `of`"
    return Question(tuple(relations), anchor)


def chain(library: Library, question: Question) -> list[Fact] | str:
    """The facts that lead to the answer, from the anchor on, or why there is none.

    Args:
        library: What is true.
        question: A question about one of its titles.
    """
    facts: list[Fact] = []
    here = question.anchor
    for noun in reversed(question.relations):
        fact = library.facts.get((here, noun))
        if fact is None:
            return f"{here} has no {noun}"
        facts.append(fact)
        here = fact.tail
    stops = [question.anchor, *(fact.tail for fact in facts)]
    if len(set(stops)) < len(stops):
        return "it goes in a circle"
    return facts


@lru_cache(maxsize=10)  # about 2 MB each
def library_of(number: int) -> Library:
    """A library by its number."""
    rng = np.random.default_rng([number, STREAM])
    land = build(rng)
    by_place: dict[str, list[Sentence]] = {name: [] for name in land.kinds}
    phrases = {relation.noun: relation.phrases for relation in RELATIONS}
    for fact in land.facts:
        choices = phrases[fact.relation]
        text = choices[int(rng.integers(len(choices)))].format(h=fact.head, t=fact.tail)
        by_place[fact.place].append(Sentence(text, (fact,)))
    people, towns = land.names[PERSON], land.names[TOWN]
    titles = sorted(land.kinds)
    sentences: list[Sentence] = []
    spans = []
    for title in titles:
        kind = land.kinds[title]
        lines = [Sentence(f"{title} is a {kind}.", ())]
        body = by_place[title]
        for _ in range(2 + int(rng.integers(3))):
            aside = ASIDES[int(rng.integers(len(ASIDES)))]
            other = people[int(rng.integers(len(people)))]
            body.append(Sentence(aside.format(a=title, b=other, c=towns[int(rng.integers(len(towns)))]), ()))
        lines += [body[place] for place in rng.permutation(len(body))]
        spans.append((len(sentences), len(sentences) + len(lines)))
        sentences += lines
    texts = [" ".join(sentence.text for sentence in sentences[first:last]) for first, last in spans]
    return Library(
        number, tuple(titles), tuple(sentences), tuple(spans),
        {(fact.head, fact.relation): fact for fact in land.facts}, land.kinds,
        SearchIndex.build(texts), {title.lower(): place for place, title in enumerate(titles)},
        tuple(frozenset(terms_of(sentence.text)) for sentence in sentences),
    )  # fmt: skip
