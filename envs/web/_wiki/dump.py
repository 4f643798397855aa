"""A wiki of the user's own: pages with links from a JSON file, read as the generated encyclopaedia is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.core.errors import DataError
from agentgym.core.generated import object_schema
from agentgym.core.schema import violation
from agentgym.core.text import clean
from agentgym.envs._kit.encyclopedia.book import FAR, Distances
from agentgym.envs._kit.encyclopedia.prose import Article

MOST_LINKS = 300  # of a page, as WebNav keeps
LINK = re.compile(r"\[\[([^\[\]|]{1,300})(?:\|([^\[\]|]{1,300}))?\]\]")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|\n+")
PAGE = object_schema({"title": {"type": "string", "minLength": 1}, "text": {"type": "string"}})
FILE = object_schema(
    {"root": {"type": "string"}, "pages": {"type": "array", "minItems": 2, "items": {"type": "object"}}},
    optional=["root"],
)


@dataclass(frozen=True)
class DumpWorld:
    """What the pages are about, as far as a dump tells: their titles."""

    titles: list[str]
    names: list[str]
    kinds: list[str]
    facts: list[Mapping[str, Any]]


class DumpBook:
    """A wiki from a file, with what `Book` offers to readers.

    Args:
        data: `{"root": title, "pages": [{"title": ..., "text": "It lies on the [[River Arn|Arn]]."}, ...]}`; without a
            root, the first page is it. Links to pages that are not there are words.

    Attributes:
        world, size, root, articles, depth: As of `Book`; every page is an article.
    """

    def __init__(self, data: Mapping[str, Any]):
        titles = [clean(_spaced(page["title"])) for page in data["pages"]]
        self._places = {title.lower(): place for place, title in enumerate(titles)}
        names = [re.sub(r"\s*\([^()]*\)$", "", title) or title for title in titles]
        self.world = DumpWorld(titles, names, ["page"] * len(titles), [{}] * len(titles))
        self.size = self.articles = len(titles)
        root = self.find(data.get("root", titles[0]))
        if root is None:
            raise DataError(f"the root {data['root'][:60]!r} is none of the pages; name one by its title")
        self.root = root
        self._pages = [self._read(place, clean(page["text"])) for place, page in enumerate(data["pages"])]
        self._back: list[list[int]] = [[] for _ in titles]
        for place, page in enumerate(self._pages):
            for other in page.links:
                self._back[other].append(place)
        self.depth = self._spread([list(page.links) for page in self._pages], self.root)

    def title(self, page: int) -> str:
        """The title of a page."""
        return self.world.titles[page]

    def find(self, title: str) -> int | None:
        """The page of a title, whatever its case; None if there is none."""
        return self._places.get(_spaced(title).lower())

    def category(self, title: str) -> int | None:
        """The page of a category; None if there is none."""
        return self.find(f"Category: {title}")

    def links(self, page: int) -> list[int]:
        """The pages that a page leads to."""
        return list(self._pages[page].links)

    def leads_here(self, page: int) -> list[int]:
        """The pages that lead to a page."""
        return self._back[page]

    def article(self, page: int) -> Article:
        """A page, with its links marked."""
        return self._pages[page]

    @lru_cache(maxsize=256)  # noqa: B019 (books are kept, see open_dump)
    def distance_to(self, target: int) -> Distances:
        """The number of links from each page to a page; 255 where there is no way."""
        return self._spread(self._back, target)

    def _read(self, place: int, text: str) -> Article:
        links: list[int] = []

        def mark(match: re.Match[str]) -> str:
            other, words = self.find(match[1]), (match[2] or match[1]).strip()
            if other is None or other == place or (other not in links and len(links) == MOST_LINKS):
                return words
            if other not in links:
                links.append(other)
            return f"[[{links.index(other) + 1}|{words}]]"

        said = tuple(part.strip() for part in SENTENCE.split(LINK.sub(mark, text)) if part and part.strip())
        return Article(self.title(place), (), (("", said),), tuple(links), ())

    def _spread(self, table: list[list[int]], origin: int) -> Distances:
        """Breadth-first distances from a page along a table of links."""
        distance = np.full(self.size, FAR, np.uint8)
        distance[origin], front = 0, [origin]
        for step in range(1, FAR):
            front = list(dict.fromkeys(other for page in front for other in table[page] if distance[other] == FAR))
            if not front:
                break
            distance[front] = step
        return distance


def _spaced(title: str) -> str:
    """A title with single spaces, for which an address may have lines."""
    return " ".join(title.replace("_", " ").split())


@lru_cache(maxsize=4)
def open_dump(path: Path) -> DumpBook:
    """The wiki of a file; read once in a process.

    Raises:
        DataError: if the file cannot be read or is not as described.
    """
    try:
        data = json.loads(path.read_text(encoding="utf8"))
    except OSError as error:
        raise DataError(f"the dump {path} cannot be read ({error.strerror}); give the path of a JSON file") from None
    except ValueError as error:
        raise DataError(f"the dump {path} is no JSON ({error})") from None
    wrong = violation(data, FILE, where="the dump")
    for place, page in enumerate(data["pages"] if not wrong else ()):
        wrong = wrong or violation(page, PAGE, where=f"page {place}")
    titles = [] if wrong else [_spaced(page["title"]).lower() for page in data["pages"]]
    if not wrong and len(set(titles)) < len(titles):
        wrong = f"the title {next(title for title in titles if titles.count(title) > 1)[:60]!r} stands twice"
    if wrong:
        raise DataError(f"{path}: {wrong}")
    return DumpBook(data)
