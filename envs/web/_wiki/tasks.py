"""Tasks of WikiNav: a page to be found, and the passage of it that is quoted."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.assets import records
from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig, object_schema, one_of, path_to, whole
from agentgym.core.tasks import FiniteTaskSet, GeneratedTasks, Spec, Task, TaskSet
from agentgym.envs._kit.encyclopedia.book import FAR, Book, open_book
from agentgym.envs.web._wiki.dump import DumpBook, open_dump
from agentgym.envs.web._wiki.passages import KEPT, MOST, SHORTEST, passages
from agentgym.envs.web._wiki.trivia import clues

STREAM = 0x1602
NEAREST, FARTHEST = 2, 7  # links to articles of the generated encyclopaedia
MOST_HOPS = 16
SCHEMA: dict[str, Any] = object_schema(
    {
        "target": {"type": "string", "description": "title of an article"},
        "passage": {"type": "integer", "minimum": 0, "maximum": KEPT - 1},
    }
)
RULES = (
    "You are reading an encyclopaedia. A passage of one of its articles is quoted, with … in place of the article's "
    "name. Follow links from the main topics to that article and stop there."
)
TRIVIA_RULES = (
    "You are reading an encyclopaedia. A question of a quiz tells facts of one of its articles without its name. "
    "Follow links from the main topics to that article and stop there."
)
PASSAGE, TRIVIA = "passage", "trivia"


@dataclass(frozen=True)
class WikiConfig(EnvConfig):
    """The keyword arguments of both worlds of the encyclopaedia."""

    hops: int = whole(5, NEAREST, MOST_HOPS)
    pages: int = whole(10_000, 1000, 30_000)
    links: int = whole(40, 32, 300)
    dump: Path | None = path_to("a JSON dump of a wiki")
    ask: str = one_of(PASSAGE, (PASSAGE, TRIVIA))


class WikiTasks:
    """What both worlds say and check of a task; stands before the class of the world's interface."""

    config: WikiConfig = WikiConfig()
    _book: Book

    def _configured(self) -> None:
        super()._configured()  # type: ignore[misc]  # of the world's interface, which stands behind
        config = self.config
        if config.dump is not None and config.ask == TRIVIA:
            raise ConfigError(
                "ask='trivia' asks for the tables of the encyclopaedia, and a dump has none; leave out one of both"
            )
        if config.dump is not None:
            self._book = open_dump(config.dump.resolve())  # type: ignore[assignment]  # it offers what readers ask for
        elif config.hops > FARTHEST:
            raise ConfigError(
                f"hops must be {NEAREST} to {FARTHEST} here, got {config.hops}: no article of the encyclopaedia is "
                "farther; a dump of your own may have some"
            )
        else:
            self._book = open_book(config.pages, config.links)

    def tasks(self, split: str) -> TaskSet:
        """The tasks of a split; those of a dump are its pages, each with its passages."""
        if self.config.dump is None:
            return super().tasks(split)  # type: ignore[misc]
        return dump_panel(self.config.dump.resolve(), self.config.hops, split)

    def check_task(self, spec: Spec) -> None:
        """The article must exist, links must lead to it, and its facts must tell it apart where they are asked for."""
        page = target(self._book, spec)
        if queries(self._book, page, self.config.ask):
            return
        title = str(spec["target"])
        if self.config.ask == TRIVIA:
            raise TaskError(f"the facts of {title!r} tell it from no other article; give another title")
        raise TaskError(
            f"{title!r} has no passage of {SHORTEST} to {MOST} words that stands on no other page; give another title"
        )

    def instruction(self, spec: Spec) -> str:
        """The task in words."""
        return instruct(self._book, spec, self.config.ask)

    def _kind(self, spec: Spec) -> str:
        """How many links lead to the article."""
        return f"{int(self._book.depth[target(self._book, spec)])} hops"

    def _query(self, spec: Mapping[str, Any]) -> str:
        """The passage or question of a task."""
        return query(self._book, spec, self.config.ask)


def queries(book: Book, page: int, ask: str) -> tuple[str, ...]:
    """The passages of `page` of `book`, or, if `ask` is `TRIVIA`, the questions that it answers."""
    return clues(book, page) if ask == TRIVIA else passages(book, page)


def query(book: Book, spec: Mapping[str, Any], ask: str) -> str:
    """The passage or question, as `ask` says, of the task `spec` in `book`."""
    found = queries(book, target(book, spec), ask)
    return found[spec["passage"] % len(found)]


def instruct(book: Book, spec: Mapping[str, Any], ask: str = PASSAGE) -> str:
    """The task in words.

    Args:
        book: The encyclopaedia.
        spec: `target`, the title of the article, and `passage`, the number of the passage or question.
        ask: `PASSAGE` or `TRIVIA`.
    """
    which = "that this question is about" if ask == TRIVIA else "from which this passage was taken"
    return f'Find the article {which}: "{query(book, spec, ask)}"'


def target(book: Book, spec: Mapping[str, Any]) -> int:
    """The page of `book` that the task `spec` asks for by its title.

    Raises:
        TaskError: if there is no such article, no way to it, or it is where the walk begins.
    """
    page = book.find(str(spec["target"]))
    if page is None:
        raise TaskError(f"there is no article {str(spec['target'])[:80]!r}; give the title of one")
    if page == book.root:
        raise TaskError(f"the walk begins at {str(spec['target'])!r}; give the title of another article")
    if book.depth[page] == FAR:
        raise TaskError(f"no links lead to the article {str(spec['target'])!r}; give the title of another")
    return page


def _part(title: str) -> str:
    """The split to which a page belongs, whatever the encyclopaedia's size."""
    share = hashlib.sha256(title.encode()).digest()[0]
    return "val" if share < 26 else "test" if share < 52 else "train"


@lru_cache(maxsize=8)
def panels(name: str, hops: int, pages: int, links: int, ask: str) -> GeneratedTasks:
    """Tasks by seed: each number of hops is equally likely, each article that many hops away too.

    Args:
        name: The world, whose recorded seeds make the finite splits.
        hops: Most links from the root to an article.
        pages, links: Size of the encyclopaedia; see `open_book`.
        ask: `PASSAGE`, or `TRIVIA` for articles alone that a question tells from all others.
    """
    book = open_book(pages, links)
    depth = book.depth[: book.articles]
    rings = [np.flatnonzero(depth == far) for far in range(NEAREST, hops + 1)]
    if ask == TRIVIA:
        rings = [np.array([page for page in ring.tolist() if clues(book, page)], int) for ring in rings]
    rings = [ring for ring in rings if len(ring)]

    def generate(seed: int) -> dict[str, Any]:
        rng = np.random.default_rng([seed, STREAM])
        ring = rings[int(rng.integers(len(rings)))]
        page = int(ring[int(rng.integers(len(ring)))])
        return {"target": book.world.titles[page], "passage": int(rng.integers(KEPT))}

    return GeneratedTasks(
        generate,
        lambda spec: instruct(book, spec, ask),
        lambda spec: str(spec["target"]),
        records.seeds(name),
        fits=lambda split, spec: _part(str(spec["target"])) == split,
    )


@lru_cache(maxsize=12)
def dump_panel(path: Path, hops: int, split: str) -> FiniteTaskSet:
    """The pages of a dump within so many links of its root, one task for each passage of theirs; split by title.

    Args:
        path: The dump.
        hops: The most links.
        split: Whose tasks they are.

    Raises:
        ConfigError: if there are none.
    """
    book: DumpBook = open_dump(path)
    near = [page for page in range(book.articles) if NEAREST <= book.depth[page] <= hops]
    ids = [
        f"{book.title(page)}/{number}"
        for page in near
        if _part(book.title(page)) == split
        for number in range(len(passages(book, page)))
    ]
    if not ids:
        raise ConfigError(
            f"{path}: no page {NEAREST} to {hops} links from the root that is of the split {split!r} has a passage of "
            f"{SHORTEST} to {MOST} words that stands on no other page"
        )

    def make(task_id: str) -> Task:
        title, _, number = task_id.rpartition("/")
        spec = {"target": title, "passage": int(number)}
        return Task(task_id, split, instruct(book, spec), spec)  # type: ignore[arg-type]  # as above

    return FiniteTaskSet(split, ids, make)
