"""Passages: what a query quotes from the page it was taken from, and how much a page has in common with one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from agentgym.assets.wiki import SLOT, load_forms
from agentgym.envs._kit.encyclopedia.book import Book
from agentgym.envs._kit.encyclopedia.prose import MARK, plain
from agentgym.envs.web._wiki.dump import DumpBook

WORD = re.compile(r"\w+(?:['’-]\w+)*")
LONGEST, SHORTEST, MOST = 4, 10, 120  # sentences, words, words of a passage
MOST_TEXT = 2000  # characters of it
GAP = "…"  # stands for the name of the page a passage is from
LEAD = 0.25  # what it counts to begin with the first sentence, which says what the page is about
KEPT = 5  # passages of a page


def words(text: str) -> list[str]:
    """The lower-cased words of a text."""
    return WORD.findall(text.lower())


@cache
def common() -> frozenset[str]:
    """Words of which sentences are made, whatever they are about."""
    return frozenset(
        word
        for form in load_forms().values()
        for section in form.sections
        for statement in section.statements
        for variant in statement.variants
        for word in words(SLOT.sub(" ", variant))
    )


def sentences(book: Book | DumpBook, page: int) -> list[str]:
    """The sentences of `page` of `book` in order, links marked, with three dots in place of the page's own name."""
    said = [sentence for _, said in book.article(page).sections for sentence in said]
    if page >= book.articles:
        return said
    world = book.world
    names = {world.names[page], str(world.facts[page].get("common", ""))} - {""}
    # The number of a link stays, for the name may be a number too.
    own = re.compile(rf"(\[\[\d+\|)|(?<![\w|])(?:{'|'.join(sorted(map(re.escape, names)))})(?!\w)")
    return [own.sub(lambda match: match[1] or GAP, sentence) for sentence in said]


@lru_cache(maxsize=32_768)  # some 400 characters each: whether a passage stands on one page only is asked of many
def text(book: Book | DumpBook, page: int) -> str:
    """The `page` of `book` as running text, with three dots in place of its own name."""
    return " ".join(map(plain, sentences(book, page)))


@lru_cache(maxsize=8192)
def passages(book: Book | DumpBook, page: int) -> tuple[str, ...]:
    """Up to five passages of an article that stand on no other page, the most telling first.

    `page` is the article's number in `book`; a page of a dump may have none. Windows of up to four sentences and of 10
    to 120 words are scored by the mean weight of their words: one that is no part of any phrase of the encyclopaedia
    counts 1, others 0; longer ones are preferred, and those that begin with the article. Its own name is left out.
    """
    said = sentences(book, page)
    spoken = [words(plain(sentence)) for sentence in said]
    scored = []
    for first in range(len(said)):
        for last in range(first + 1, min(first + LONGEST, len(said)) + 1):
            marked = " ".join(said[first:last])
            found = [word for sentence in spoken[first:last] for word in sentence]
            if not SHORTEST <= len(found) <= MOST or len(marked) > MOST_TEXT:
                continue
            if isinstance(book, DumpBook) or MARK.search(marked):
                weight = sum(word not in common() for word in found) / len(found)
                scored.append((-round(weight + 0.06 * (last - first) + LEAD * (first == 0), 6), first, last, marked))
    kept: list[str] = []
    for _, first, last, marked in sorted(scored):
        if len(kept) == KEPT:
            break
        alone = _alone(book, said[first:last]) if isinstance(book, DumpBook) else _only_here(book, page, marked)
        if alone:
            kept.append(plain(marked))
    return tuple(kept or ([] if isinstance(book, DumpBook) else [text(book, page)]))


def _alone(book: DumpBook, said: list[str]) -> bool:
    """Whether one page of `book` alone has all that is `said`."""
    where = _where(book)
    return len(set.intersection(*(where[plain(sentence)] for sentence in said))) == 1


@lru_cache(maxsize=4)
def _where(book: DumpBook) -> Mapping[str, set[int]]:
    """For each sentence of a dump the pages that say it."""
    found: dict[str, set[int]] = {}
    for page in range(book.size):
        for sentence in sentences(book, page):
            found.setdefault(plain(sentence), set()).add(page)
    return found


def _only_here(book: Book, page: int, marked: str) -> bool:
    """Whether no other page says the same: it would be of the same kind and lead to the same pages."""
    links = book.article(page).links
    others: set[int] | None = None
    for match in MARK.finditer(marked):
        here = set(book.leads_here(links[int(match[1]) - 1]))
        others = here if others is None else others & here
    wanted, kind = plain(marked), book.world.kinds[page]
    alike = (other for other in others or () if other != page and other < book.articles)
    return all(book.world.kinds[other] != kind or wanted not in text(book, other) for other in alike)


def overlap(book: Book, page: int, query: str) -> float:
    """The best `2c / (|q| + |s|)` over windows s of up to four sentences of a page, with c words in common.

    Args:
        book: The encyclopaedia.
        page: Number of the page.
        query: The text q.
    """
    said = [set(words(plain(sentence))) for sentence in sentences(book, page)]
    bag = set(words(query))
    best = 0.0
    for first in range(len(said)):
        for last in range(first + 1, min(first + LONGEST, len(said)) + 1):
            window = set().union(*said[first:last])
            best = max(best, 2 * len(bag & window) / (len(bag) + len(window)))
    return best
