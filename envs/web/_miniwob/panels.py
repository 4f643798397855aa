"""Panels of pages and seeds: a task is a page and the seed of its generator, such as `click-button/17`."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import islice

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.tasks import ENDLESS, FiniteTaskSet, Task, TaskSet
from agentgym.envs.web._miniwob.pages import form_names, registered_names

PER_PAGE = {"val": 1, "test": 2}  # tasks of each page
FIRST_SEED = {"val": 1_000_000, "test": 2_000_000}  # train has the seeds between
TRAIN_FROM, TRAIN_TO = 100, 1_000_000
# Seeds that cannot be solved and are left out of the panels: pages whose wanted item does not exist or takes no click,
# and games that the page's dice decide against the scripted player.
UNSOLVED: dict[str, frozenset[int]] = {
    "click-pie-nodelay": frozenset({2_000_001}),
    "click-tab-2-medium": frozenset({2_000_001}),
    "tic-tac-toe": frozenset({2_000_001}),
}
STEPS = 10  # turns of a task of the benchmark
ID = re.compile(r"([a-z0-9-]{1,60})/(0|[1-9][0-9]{0,14})")


def make_task(task_id: str, split: str) -> Task:
    """The task of `task_id`, which is known to be good, as one of `split`."""
    page, seed, *_ = task_id.split("/")  # and which time it is in BrowserGym's panel, from the second on
    return Task(task_id, split, f"MiniWoB++ page {page!r}: do what it asks.", {"page": page, "seed": int(seed)})


def pages_of(split: str) -> tuple[str, ...]:
    """Pages that a split draws from."""
    return registered_names() if split == "browsergym" else (*registered_names(), *form_names())


class TrainPanel:
    """All pages in turn with all seeds that no other split uses; endless."""

    size = None

    def __init__(self, pages: Sequence[str]):
        self.split = "train"
        self._pages = tuple(pages)

    def __len__(self) -> int:
        raise TypeError("split 'train' is endless and has no length; its size is None")

    def __iter__(self) -> Iterator[Task]:
        raise TypeError("split 'train' is endless; index it or draw from it")

    def __getitem__(self, index: int) -> Task:
        if not 0 <= index < ENDLESS:
            raise TaskError(f"an endless split is indexed from 0 to {ENDLESS - 1}, got {index}")
        seed, place = divmod(index, len(self._pages))
        seed = TRAIN_FROM + seed
        for held in sorted(page_seeds()):
            seed += held <= seed
        return make_task(f"{self._pages[place]}/{seed if seed < TRAIN_TO else seed + 2 * TRAIN_TO}", self.split)

    def by_id(self, task_id: str) -> Task:
        """The task of a page and a seed."""
        match = ID.fullmatch(task_id)
        if match is None or match[1] not in self._pages:
            raise TaskError(
                f"split 'train' has no task {task_id[:60]!r}; an id is a page and a seed, such as {self._pages[0]}/100"
            )
        seed = int(match[2])
        if seed < TRAIN_FROM or TRAIN_TO <= seed < 3 * TRAIN_TO or seed in page_seeds():
            raise TaskError(
                f"seed {seed} of {match[1]!r} is held out for evaluation; train has {TRAIN_FROM} to {TRAIN_TO - 1} "
                f"and {3 * TRAIN_TO} on, but for those of BrowserGym's panel"
            )
        return make_task(task_id, self.split)

    def draw(self, rng: np.random.Generator) -> Task:
        """A task at random, each page equally likely."""
        page = self._pages[int(rng.integers(len(self._pages)))]
        while (seed := int(rng.integers(TRAIN_FROM, TRAIN_TO))) in page_seeds():
            pass
        return make_task(f"{page}/{seed}", self.split)

    @property
    def checksum(self) -> str:
        """Not defined for an endless split."""
        raise TypeError("split 'train' is endless and has no checksum")


@lru_cache(maxsize=8)
def panel(split: str) -> TaskSet:
    """The panel of a split."""
    if split == "train":
        return TrainPanel(pages_of(split))
    if split == "browsergym":
        return FiniteTaskSet(split, benchmark(), lambda task_id: make_task(task_id, split))
    seeds = {page: _seeds(page, FIRST_SEED[split], PER_PAGE[split]) for page in pages_of(split)}
    ids = [f"{page}/{seeds[page][number]}" for number in range(PER_PAGE[split]) for page in seeds]
    return FiniteTaskSet(split, ids, lambda task_id: make_task(task_id, split))


@lru_cache(maxsize=1)
def _benchmark() -> dict[str, list[int]]:
    """The seeds of each page in BrowserGym's benchmark, as its package draws them."""
    found: dict[str, list[int]] = json.loads(files(str(__package__)).joinpath("benchmark.json").read_text("utf8"))
    return found


@lru_cache(maxsize=1)
def page_seeds() -> frozenset[int]:
    """The seeds that BrowserGym's benchmark gives to pages: 34, which it draws again and again."""
    return frozenset(seed for seeds in _benchmark().values() for seed in seeds)


def benchmark() -> list[str]:
    """The ids of BrowserGym's benchmark in its order; a task that it draws again has its number behind."""
    times: Counter[str] = Counter()
    ids = []
    for name in (f"{page}/{seed}" for page, seeds in _benchmark().items() for seed in seeds):
        times[name] += 1
        ids.append(name if times[name] == 1 else f"{name}/{times[name]}")
    return ids


def _seeds(page: str, first: int, count: int) -> list[int]:
    """The first so many seeds of a page that can be solved."""
    skipped = UNSOLVED.get(page, frozenset())
    return list(islice((seed for seed in itertools.count(first) if seed not in skipped), count))
