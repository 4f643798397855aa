"""The encyclopaedia: ten thousand articles and their categories, written when they are opened."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agentgym.envs._kit.encyclopedia.artworks import build_works
from agentgym.envs._kit.encyclopedia.categories import Category, build_categories
from agentgym.envs._kit.encyclopedia.geography import build_land
from agentgym.envs._kit.encyclopedia.history import build_careers, build_ventures, build_wars
from agentgym.envs._kit.encyclopedia.knowledge_base import World
from agentgym.envs._kit.encyclopedia.organizations import build_institutions
from agentgym.envs._kit.encyclopedia.people import build_people
from agentgym.envs._kit.encyclopedia.prose import Article, Writer, mentioned
from agentgym.envs._kit.encyclopedia.rng import BlockRandom
from agentgym.envs._kit.encyclopedia.species import build_nature

SEED = 1602_02261  # of the shipped encyclopaedia
FAR = 255  # distance of pages that cannot be reached
Table = NDArray[np.int32]
Distances = NDArray[np.uint8]

GLOSS = {
    "person": ("years",), "town": ("size", "population"), "region": ("capital",), "river": ("length",),
    "lake": ("region",), "mountain": ("height",), "island": ("population",), "novel": ("author", "year"),
    "poem": ("author", "year"), "play": ("author", "year"), "treatise": ("author", "year"),
    "painting": ("painter", "year"), "film": ("director", "year"), "symphony": ("composer", "year"),
    "opera": ("composer", "year"), "animal": ("latin",), "plant": ("latin",), "genus": ("describer", "year"),
    "building": ("town", "built"), "university": ("founded",), "company": ("town", "product"),
    "publisher": ("town", "founded"), "newspaper": ("founded",), "club": ("founded", "colours"),
    "orchestra": ("founded",), "society": ("founded",), "award": ("giver", "founded"), "ship": ("sort", "launched"),
    "theory": ("finder", "year"), "mineral": ("colour", "place"), "star": ("discoverer", "year"), "war": ("begin",),
    "disaster": ("place", "year"), "expedition": ("leader", "year"), "battle": ("war", "year"),
    "treaty": ("place", "year"), "country": ("capital",), "continent": ("count",), "family": ("describer", "year"),
}  # fmt: skip
INTRO = (
    "This category is about {title}.",
    "Articles on {title} are filed here.",
    "Here stand the articles on {title}.",
)


class Book:
    """An encyclopaedia.

    Args:
        pages: About how many articles it has.
        links: How many links a page has at most.

    Attributes:
        world: What it is about; article n is about thing n.
        size: Number of pages: articles, then categories.
        root: The page on which every walk begins.
    """

    def __init__(self, pages: int, links: int):
        self.world = world = World(SEED, pages)
        for build in (build_land, build_people, build_wars, build_institutions, build_nature, build_ventures,
                      build_works, build_careers):  # fmt: skip
            build(world)
        self._tree: list[Category] = build_categories(world, links - 2)
        self.articles = self.root = len(world.names)
        self.size = self.articles + len(self._tree)
        self._filed = [0] * self.articles
        for place, category in enumerate(self._tree):
            for thing in category.members:
                self._filed[thing] = place
        self._links = links
        said = [mentioned(world, thing)[: links - 2] for thing in range(self.articles)]
        self._said = said
        fame = np.zeros(self.articles, np.int32)
        for others in said:
            fame[others] += 1
        self._shown = [self._choose(category, fame, links) for category in self._tree]
        self._titles = {title.lower(): page for page, title in enumerate(world.titles)}
        self._out = self._table()
        self._in = _reversed(*self._out, self.size)
        self.depth: Distances = _spread(*self._out, self.size, self.root)

    def title(self, page: int) -> str:
        """The title of a page."""
        return (
            self.world.titles[page] if page < self.articles else f"Category: {self._tree[page - self.articles].title}"
        )

    def find(self, title: str) -> int | None:
        """The article of a title, whatever its case; None if there is none."""
        return self._titles.get(title.strip().lower())

    def category(self, title: str) -> int | None:
        """The page of a category; None if there is none."""
        place = next((place for place, each in enumerate(self._tree) if each.title == title), None)
        return None if place is None else self.articles + place

    def links(self, page: int) -> list[int]:
        """The pages that a page leads to."""
        starts, targets = self._out
        return [int(each) for each in targets[starts[page] : starts[page + 1]]]

    def leads_here(self, page: int) -> list[int]:
        """The pages that lead to a page."""
        starts, sources = self._in
        return [int(each) for each in sources[starts[page] : starts[page + 1]]]

    def _choose(self, category: Category, fame: NDArray[np.int32], links: int) -> list[int]:
        """The articles a category lists: those that others refer to most, by title."""
        room = links - 2 - len(category.subs)
        if not category.members:
            room = min(room, links // 8)
        best = sorted(category.all, key=lambda thing: (-int(fame[thing]), thing))[: max(0, room)]
        return sorted(best, key=lambda thing: self.world.titles[thing].lower())

    def _table(self) -> tuple[Table, Table]:
        """All links: where those of each page begin, and where they lead."""
        rows = [self._linked(page) for page in range(self.size)]
        starts = np.zeros(self.size + 1, np.int32)
        np.cumsum([len(row) for row in rows], out=starts[1:])
        return starts, np.array([other for row in rows for other in row], np.int32)

    def _linked(self, page: int) -> list[int]:
        if page < self.articles:
            return [*self._said[page], self.articles + self._filed[page]]
        category = self._tree[page - self.articles]
        up = [] if category.parent < 0 else [self.articles + category.parent]
        return [
            *(self.articles + sub for sub in category.subs[: self._links - 2]),
            *self._shown[page - self.articles],
            *up,
        ]

    @lru_cache(maxsize=4096)  # noqa: B019 (books are kept for ever, see open_book)
    def article(self, page: int) -> Article:
        """A page, written out."""
        return self._article(page) if page < self.articles else self._category(page)

    def _article(self, page: int) -> Article:
        writer = Writer(self.world, page, self._said[page], BlockRandom([SEED, 0xA271, page], 64))
        sections = writer.sections()
        links = (*writer.links, self.articles + self._filed[page])
        return Article(self.title(page), writer.table(), sections, links, (len(links),), tuple(writer.told))

    def _category(self, page: int) -> Article:
        category = self._tree[page - self.articles]
        links = self._linked(page)
        title = category.title[0].lower() + category.title[1:] if category.parent >= 0 else "everything"
        words = INTRO[page % len(INTRO)].format(title=title)
        subs, pages = [], []
        for number, other in enumerate(links, 1):
            name = self.title(other).removeprefix("Category: ")
            if other < self.articles:
                pages.append(f"[[{number}|{name}]]{self._gloss(other)}")
            elif not category.parent >= 0 or other != self.articles + category.parent:
                subs.append(f"[[{number}|{name}]]")
        sections: list[tuple[str, tuple[str, ...]]] = [("", (words,))]
        if subs:
            sections.append(("Subcategories", tuple(subs)))
        if pages:
            rest = len(category.all) - len(pages)
            note = (f"{rest:,} more articles belong here that others refer to less.",) if rest else ()
            sections.append(("Articles", (*pages, *note)))
        foot = (len(links),) if category.parent >= 0 else ()
        return Article(self.title(page), (), tuple(sections), tuple(links), foot)

    def _gloss(self, thing: int) -> str:
        """What a list says beside the name of an article."""
        world = self.world
        told = []
        for slot in GLOSS.get(world.kinds[thing], ("year",)):
            fact = world.facts[thing].get(slot)
            if fact is not None:
                told.append(fact if isinstance(fact, str) else world.names[fact if isinstance(fact, int) else fact[0]])
        return f" ({', '.join(told)})" if told else ""

    @lru_cache(maxsize=256)  # noqa: B019 (the same)
    def distance_to(self, target: int) -> Distances:
        """The number of links from each page to a page; 255 where there is no way."""
        return _spread(*self._in, self.size, target)


def _reversed(starts: Table, targets: Table, size: int) -> tuple[Table, Table]:
    sources = np.repeat(np.arange(size, dtype=np.int32), np.diff(starts))
    order = np.argsort(targets, kind="stable")
    back = np.zeros(size + 1, np.int32)
    np.cumsum(np.bincount(targets, minlength=size), out=back[1:])
    return back, sources[order]


def _spread(starts: Table, targets: Table, size: int, origin: int) -> Distances:
    """Breadth-first distances from a page along a table of links."""
    distance = np.full(size, FAR, np.uint8)
    distance[origin] = 0
    front = np.array([origin], np.int32)
    for step in range(1, FAR):
        counts = starts[front + 1] - starts[front]
        total = int(counts.sum())
        if not total:
            break
        offsets = np.repeat(starts[front] - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
        reached = targets[offsets + np.arange(total)]
        distance[reached[distance[reached] == FAR]] = step
        front = np.flatnonzero(distance == step).astype(np.int32)
    return distance


@lru_cache(maxsize=2)
def open_book(pages: int, links: int) -> Book:
    """The encyclopaedia of a size; built once in a process.

    Args:
        pages: About how many articles.
        links: Most links of a page, those to its categories included.
    """
    return Book(pages, links)
