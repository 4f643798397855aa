"""The expert of WikiNav: it reads the query and the pages it has opened, and follows what looks most like the query."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from agentgym.assets.wiki import SLOT, load_forms, load_words
from agentgym.envs._kit.encyclopedia.book import Book
from agentgym.envs._kit.encyclopedia.categories import TOPICS, century, many
from agentgym.envs._kit.encyclopedia.prose import MARK, plain
from agentgym.envs._kit.encyclopedia.species import ANIMALS, PLANTS
from agentgym.envs.web._wiki.passages import GAP, common, text, words
from agentgym.envs.web._wiki.trivia import clues

YEAR = re.compile(r"\b1[5-9]\d\d\b")


MAKES = {
    "Novelists": ("novel",), "Poets": ("poem",), "Playwrights": ("play",), "Painters": ("painting",),
    "Explorers": ("expedition",), "Composers": ("symphony", "opera"), "Film directors": ("film",),
    "Astronomers": ("star",), "Zoologists": ("animal", "genus"), "Botanists": ("plant",), "Geologists": ("mineral",),
    "Architects": ("building",), "Generals": ("battle",),
}  # fmt: skip


@cache
def vocabulary() -> Mapping[str, Mapping[str, float]]:
    """For each kind of article the words its sentences are made of, each worth more the fewer kinds have it."""
    found = {
        kind: {
            word
            for section in form.sections
            for statement in section.statements
            for variant in statement.variants
            for word in words(SLOT.sub(" ", variant))
        }
        for kind, form in load_forms().items()
    }
    spread = Counter(word for held in found.values() for word in held)
    return {kind: {word: 1 / spread[word] ** 2 for word in held} for kind, held in found.items()}


@cache
def shelves() -> Mapping[str, tuple[str, ...]]:
    """The kinds of article that are filed under a topic or a category without its country or century."""
    found: dict[str, tuple[str, ...]] = {"People": ("person",), "Buildings and ships": ("building", "ship")}
    for topic, group in TOPICS:
        for sort in group:
            kind = "animal" if sort in ANIMALS else "plant" if sort in PLANTS else sort
            found[topic] = tuple(dict.fromkeys((*found.get(topic, ()), kind)))
            found[many(sort).capitalize()] = (kind,)
    return found


@dataclass(frozen=True)
class Query:
    """What a query tells at first sight.

    Attributes:
        quoted: The passage.
        text: Its words in lower case, with a space around each.
        words: Its words.
        kinds: How much it sounds like each kind of article, 0 to 1.
        times: Centuries and decades of the years it names.
    """

    quoted: str
    text: str
    words: frozenset[str]
    kinds: Mapping[str, float]
    times: frozenset[str]


@lru_cache(maxsize=256)
def read_query(quoted: str) -> Query:
    """Read a query."""
    found = words(quoted)
    scores = {kind: sum(held.get(word, 0.0) for word in found) for kind, held in vocabulary().items()}
    if any(word in ("he", "she", "his", "her", "him") for word in found):
        scores["person"] += 3
    if f"{GAP} (1" in quoted and "–" in quoted:
        scores["person"] += 2
    top = max(scores.values()) or 1.0
    years = [int(year) for year in YEAR.findall(quoted)]
    around: set[str] = set()
    for year in years[:1] if f"{GAP} (1" in quoted else years:
        for back in (0,) if f"{GAP} (1" in quoted or scores["person"] < top else (0, 30):
            around |= {century(max(1501, year - back)), f"{(year - back) // 10 * 10}s"}
    kinds = {kind: score / top for kind, score in scores.items()}
    return Query(quoted, f" {' '.join(found)} ", frozenset(found), kinds, frozenset(around))


def promise(query: Query, title: str, context: frozenset[str]) -> float:
    """How likely a link leads to the page of a query, as a score, 0 or more, that serves to compare links.

    Args:
        query: What is looked for.
        title: Of the page to which the link leads.
        context: Words of the sentence around the link; empty where it stands in none.
    """
    name = title.removeprefix("Category: ")
    spoken = words(name)
    shared = (query.words & context).difference(spoken)
    telling = shared - common()
    score = 0.04 * len(shared) + 0.6 * len(telling) + 1.4 * sum(word[0].isdigit() for word in telling)
    if f" {' '.join(spoken)} " in query.text:
        score += 3.0 + 0.3 * len(spoken)
    elif spoken and len(spoken[-1]) > 4 and spoken[-1] in query.words and spoken[-1] not in common():
        score += 2.4
    head, _, rest = name.partition(" of the ")
    if not rest:
        head, _, rest = name.partition(" of ")
    likely = max((query.kinds[kind] for kind in shelves().get(head, ())), default=0.0)
    craft = words(head[:-1])  # painters: a painter
    if craft and f" {' '.join(craft)} " in query.text:
        likely = max(likely, 1.3 * query.kinds["person"])
    elif head[:-1].lower() in crafts():
        likely = max(likely, 0.5 * query.kinds["person"], *(0.8 * query.kinds[kind] for kind in MAKES.get(head, ())))
    known = rest in query.times or (rest != "" and f" {' '.join(words(rest.removeprefix('family ')))} " in query.text)
    timed = rest[:1].isdigit() and bool(query.times)
    worth = 1.0 if not rest else 1.6 if known else 0.2 if timed else 0.7
    return score + 1.8 * likely * worth


@cache
def crafts() -> frozenset[str]:
    """What people do."""
    return frozenset(load_words()["occupation"])


def choose(book: Book, quoted: str, opened: Sequence[int]) -> str | tuple[str, int]:
    """`stop`, `back`, or a page to open from the last of the pages opened so far.

    Args:
        book: For the text and the links of pages that were opened, nothing else.
        quoted: The quoted passage, or the question, which a page answers if its own table makes the same one.
        opened: Every page that was opened, in order.
    """
    here = opened[-1]
    if quoted in text(book, here) or quoted in clues(book, here):
        return "stop"
    seen = set(opened)
    best: dict[int, float] = {}
    for age, page in enumerate(dict.fromkeys(reversed(opened))):
        for other, worth in _links(book, quoted, page).items():
            if other not in seen:
                best[other] = max(best.get(other, 0.0), worth - 0.02 * min(age, 10))
    if not best:
        return "back"
    wanted = max(best, key=lambda other: (best[other], -other))
    near = {other: worth for other, worth in _links(book, quoted, here).items() if other not in seen}
    if near:
        first = max(near, key=lambda other: (near[other], -other))
        if near[first] >= best[wanted] - 0.25:
            return "open", first
    step = _way(book, here, wanted, seen)
    return ("open", step) if step is not None else "back"


@lru_cache(maxsize=4096)
def _links(book: Book, quoted: str, page: int) -> Mapping[int, float]:
    """What each link of a page promises; more where the page itself is named in the query."""
    article = book.article(page)
    query = read_query(quoted)
    named = 0.9 if f" {' '.join(words(article.title))} " in query.text else 0.0
    found = {}
    for _, said in article.sections:
        for sentence in said:
            around = frozenset(words(plain(sentence)))
            for match in MARK.finditer(sentence):
                other = article.links[int(match[1]) - 1]
                found[other] = named + promise(query, match[2], around)
    for number in article.categories:
        other = article.links[number - 1]
        found[other] = 0.3 * promise(query, book.title(other), frozenset())
    return found


def _way(book: Book, here: int, wanted: int, seen: set[int]) -> int | None:
    """The first step to a page over pages that were opened; None if links alone do not lead there."""
    front, came = [here], {here: here}
    while front:
        page = front.pop(0)
        for other in book.article(page).links:
            if other in came:
                continue
            came[other] = page
            if other == wanted:
                while came[other] != here:
                    other = came[other]
                return other
            if other in seen:
                front.append(other)
    return None
