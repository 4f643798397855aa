"""Passages by number and by words: those of the generated encyclopaedia, and those of a file."""

from __future__ import annotations

from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

from agentgym.envs._kit.encyclopedia.book import Book, open_book
from agentgym.envs._kit.encyclopedia.prose import plain
from agentgym.envs._kit.search import SearchIndex
from agentgym.envs._kit.store import RecordStore

LINKS = 40  # of an article; the encyclopaedia is the one that WikiNav opens by default
REMEMBERED = 8_192  # passages of a file that are kept decoded
OFTEN = 3  # times that a title counts in the index: who searches for a name wants the passage about it


class Passage(NamedTuple):
    """What a search returns.

    Attributes:
        title: Of the article it is from.
        text: What it says.
    """

    title: str
    text: str


class Corpus(Protocol):
    """Passages by number (0, 1, ...), and those that share words with a query."""

    def __hash__(self) -> int:
        """By identity: what is computed from a corpus is remembered beside it."""

    def __len__(self) -> int:
        """How many passages there are."""

    def get(self, number: int) -> Passage:
        """The passage of a number; IndexError if there is none."""

    def ready(self) -> None:
        """Build what the first `rank` would otherwise wait for."""

    def rank(self, query: str, k: int) -> list[int]:
        """Numbers of the `k` passages that match `query` best by BM25, best first; fewer where fewer match at all."""


def indexed(passage: Passage) -> str:
    """What the index holds of a passage."""
    return f"{' '.join([passage.title] * OFTEN)} {passage.text}"


class Encyclopedia:
    """The generated encyclopaedia, a passage an article.

    Articles are written when they are read; the index is built from all of them by `ready`, or by the first search.

    Args:
        book: Its facts and links.
    """

    def __init__(self, book: Book):
        self.book = book
        self._read = lru_cache(maxsize=None)(self._written)

    def __len__(self) -> int:
        return self.book.articles

    def get(self, number: int) -> Passage:
        """The article of a number."""
        if not 0 <= number < len(self):
            raise IndexError(f"no article {number}: there are {len(self)}")
        return self._read(number)

    def ready(self) -> None:
        """Build the index: some seconds for 10,000 articles, once in a process."""
        _ = self._index

    def rank(self, query: str, k: int) -> list[int]:
        """Numbers of the `k` articles that match `query` best, best first."""
        return self._index.search(query, k)

    def _written(self, number: int) -> Passage:
        article = self.book.article(number)
        return Passage(article.title, plain(" ".join(said for _, sentences in article.sections for said in sentences)))

    @cached_property
    def _index(self) -> SearchIndex:
        return SearchIndex.build(indexed(self.get(number)) for number in range(len(self)))


class StoredCorpus:
    """Passages in a cache folder on disk, with their index; see `files.open_corpus`.

    Args:
        folder: With the folders `passages` and `search`.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self._store = RecordStore(folder / "passages")
        self._index = SearchIndex.open(folder / "search")
        self._read = lru_cache(maxsize=REMEMBERED)(lambda number: Passage(*self._store.get(number)))

    def __len__(self) -> int:
        return len(self._store)

    def get(self, number: int) -> Passage:
        """The passage of a number."""
        return self._read(number)

    def ready(self) -> None:
        """Nothing is left to build: the index is on disk."""

    def rank(self, query: str, k: int) -> list[int]:
        """Numbers of the `k` passages that match `query` best, best first."""
        return self._index.search(query, k)


@lru_cache(maxsize=2)
def open_encyclopedia(articles: int) -> Encyclopedia:
    """The encyclopaedia of a size; built once in a process."""
    return Encyclopedia(open_book(articles, LINKS))
