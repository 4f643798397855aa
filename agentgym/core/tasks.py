"""Tasks and the panels they come in: stable ids, disjoint splits, checksums."""

from __future__ import annotations

import hashlib
import json
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np

from agentgym.core.errors import TaskError, unknown

Spec = Mapping[str, Any]
ENDLESS = 2**31  # indices of an endless split
REMEMBERED = 256  # tasks of a generated split that are not generated again when they are asked for again
CHAIN = 1000  # seeds tried for one index before the split counts as exhausted
SEED = re.compile(r"0|[1-9][0-9]{0,14}")  # one spelling for each number


@dataclass(frozen=True, slots=True)
class Task:
    """One task, immutable.

    Attributes:
        id: Stable within its world: a generator seed, or the record's own id.
        split: The split it was taken from; `custom` if the caller gave a specification.
        instruction: The task in words.
        spec: JSON-safe data that determines the task completely; to be read only. It holds the answer where there is
            one, so a printed task leaves it out.
    """

    id: str
    split: str
    instruction: str
    spec: Spec = field(repr=False)


class TaskSet(Protocol):
    """The tasks of one split.

    `size` is None for an endless split, which has no length and cannot be iterated.
    """

    split: str

    @property
    def size(self) -> int | None:
        """How many tasks there are; None if endless."""

    def __getitem__(self, index: int) -> Task:
        """The task at a place; negative places count from the end of a finite panel."""

    def __len__(self) -> int:
        """How many tasks there are; `TypeError` if endless."""

    def __iter__(self) -> Iterator[Task]:
        """All tasks in order; `TypeError` if endless."""

    def by_id(self, task_id: str) -> Task:
        """The task of an id; `TaskError` if this panel has none."""

    def draw(self, rng: np.random.Generator) -> Task:
        """A task at random."""

    @property
    def checksum(self) -> str:
        """SHA-256 over all tasks in order; `TypeError` if endless."""


def _place(index: Any) -> int:
    try:
        return operator.index(index)
    except TypeError:
        wanted = "a whole number; by_id takes an id, and iteration gives them all"
        raise TypeError(f"the index of a task is {wanted}, got {type(index).__name__}") from None


class FiniteTaskSet:
    """A panel that knows its ids and makes a task when asked for it."""

    def __init__(self, split: str, ids: Sequence[str], make: Callable[[str], Task]):
        self.split = split
        self._ids = tuple(ids)
        self._make = make

    @property
    def size(self) -> int:
        """How many tasks there are."""
        return len(self._ids)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, index: int) -> Task:
        index = _place(index)
        if not -len(self) <= index < len(self):
            raise TaskError(
                f"split {self.split!r} has {len(self)} tasks, so there is no task {index}; use 0 to {len(self) - 1}"
            )
        return self._make(self._ids[index])

    @property
    def ids(self) -> tuple[str, ...]:
        """The id of every task in order, without making one."""
        return self._ids

    def __iter__(self) -> Iterator[Task]:
        return (self._make(task_id) for task_id in self._ids)

    def by_id(self, task_id: str) -> Task:
        """The task of an id."""
        if task_id not in self._known:
            shown = ", ".join(map(repr, self._ids[:3]))
            raise TaskError(f"split {self.split!r} has no task {task_id!r}; its {len(self)} ids begin with {shown}")
        return self._make(task_id)

    def draw(self, rng: np.random.Generator) -> Task:
        """A task at random, each equally likely."""
        if not self._ids:
            raise TaskError(f"split {self.split!r} is empty; run `agentgym golden --update` for this world")
        return self._make(self._ids[int(rng.integers(len(self._ids)))])

    @cached_property
    def checksum(self) -> str:
        """SHA-256 over id, instruction and specification of every task in order."""
        hasher = hashlib.sha256()
        for task in self:
            hasher.update(json.dumps([task.id, task.instruction, task.spec], sort_keys=True).encode())
        return hasher.hexdigest()


class EndlessTaskSet:
    """A generator's tasks without end, less those whose content is held out for evaluation.

    Args:
        split: Its name.
        make: Builds the task of a generator seed; None where its content does not belong here.
    """

    size = None

    def __init__(self, split: str, make: Callable[[int], Task | None]):
        self.split = split
        self._make = make

    def __len__(self) -> int:
        raise TypeError(f"split {self.split!r} is endless and has no length; its size is None")

    def __iter__(self) -> Iterator[Task]:
        raise TypeError(f"split {self.split!r} is endless; index it or draw from it")

    def __getitem__(self, index: int) -> Task:
        index = _place(index)
        if not 0 <= index < ENDLESS:
            raise TaskError(f"an endless split is indexed from 0 to {ENDLESS - 1}, got {index}")
        for attempt in range(CHAIN):  # a held-out seed is replaced by the next of its own chain
            task = self._make(index + attempt * ENDLESS)
            if task is not None:
                return task
        raise TaskError(
            f"with these options nearly every task of {self.split!r} is held out for evaluation; widen them"
        )

    def by_id(self, task_id: str) -> Task:
        """The task of a generator seed, unless its content is held out."""
        if not SEED.fullmatch(task_id) or int(task_id) >= CHAIN * ENDLESS:
            raise TaskError(
                f"split {self.split!r} has no task {task_id[:40]!r}; the ids of an endless split are generator seeds, "
                f"whole numbers below {CHAIN * ENDLESS}"
            )
        task = self._make(int(task_id))
        if task is None:
            raise TaskError(f"task {task_id!r} is held out for evaluation and no part of split {self.split!r}")
        return task

    def draw(self, rng: np.random.Generator) -> Task:
        """A task at random."""
        return self[int(rng.integers(ENDLESS))]

    @property
    def checksum(self) -> str:
        """Not defined for an endless split."""
        raise TypeError(f"split {self.split!r} is endless and has no checksum")


class GeneratedTasks:
    """The panels of a generated world: a task id is its generator seed.

    `val` and `test` are lists of seeds; `train` is everything else. No two tasks of different splits, and no two of one
    finite split, have the same content key: a seed whose key was seen before (possible with other arguments than the
    defaults the lists were made for) is left out, and train draws reject the keys of the lists.

    Args:
        generate: Builds the specification of a seed.
        instruct: The instruction of a specification.
        content_key: Canonical content of a specification; cheap, because every held-out task's key is computed once.
        seeds: Seed list by finite split.
        endless: Name of the split without end.
        fits: Whether the task of a seed may stand in a split, such as one of rooms not seen in training; by default
            every task may stand in every split.
        unions: Splits that are made of others, in order; their tasks carry the names of the parts.
        fits_seed: Whether the task of a seed may stand in a split, as far as the seed tells; asked before a task is
            generated.
        sizes: Sizes of the finite splits. If all lists in `seeds` are empty, those that `find` gives stand in.
    """

    def __init__(
        self,
        generate: Callable[[int], Spec],
        instruct: Callable[[Spec], str],
        content_key: Callable[[Spec], str],
        seeds: Mapping[str, Sequence[int]],
        endless: str = "train",
        fits: Callable[[str, Spec], bool] = lambda split, spec: True,
        unions: Mapping[str, Sequence[str]] | None = None,
        fits_seed: Callable[[str, int], bool] = lambda split, seed: True,
        sizes: Mapping[str, int] | None = None,
    ):
        self._generate = generate
        self._instruct = instruct
        self._content_key = content_key
        self._stored = seeds
        self._sizes = sizes or {}
        self._endless = endless
        self._fits = fits
        self._fits_seed = fits_seed
        self._unions = unions or {}
        self._panels: dict[str, TaskSet] = {}

    def panel(self, split: str) -> TaskSet:
        """The panel of a split."""
        if split not in self._panels:
            self._panels[split] = self._build(split)
        return self._panels[split]

    def _build(self, split: str) -> TaskSet:
        def make(seed: int) -> Task:
            spec = self._generate(seed)
            return Task(str(seed), split, self._instruct(spec), spec)

        def make_allowed(seed: int) -> Task | None:
            if not self._fits_seed(split, seed):
                return None
            task = make(seed)
            allowed = self._fits(split, task.spec) and self._content_key(task.spec) not in self._held_out[1]
            return task if allowed else None

        remember = lru_cache(REMEMBERED)  # environments and rollouts of a group ask for the same task again and again
        if split == self._endless:
            return EndlessTaskSet(split, remember(make_allowed))
        if split in self._unions:
            parts = {task_id: part for part in self._unions[split] for task_id in self._ids(part)}
            return FiniteTaskSet(split, list(parts), lambda task_id: self.panel(parts[task_id]).by_id(task_id))
        if split not in self._seeds:
            raise unknown("split", split, [self._endless, *self._seeds])
        return FiniteTaskSet(split, self._ids(split), remember(lambda task_id: make(int(task_id))))

    def _ids(self, split: str) -> list[str]:
        return [str(seed) for seed in self._held_out[0].get(split, ())]

    @property
    def held_out(self) -> frozenset[str]:
        """The content keys of the finite splits, which nothing that is trained on may have."""
        return self._held_out[1]

    def find(self, sizes: Mapping[str, int]) -> dict[str, list[int]]:
        """Seed lists of the given sizes, unions left out: the first from 0 upwards that fit and have new content.

        Raises:
            TaskError: if the generator has too few distinct tasks.
        """
        keys: set[str] = set()
        lists: dict[str, list[int]] = {split: [] for split in sizes if split not in self._unions}
        seed, repeats = 0, 0
        for split in lists:
            while len(lists[split]) < sizes[split]:
                if not self._fits_seed(split, seed):
                    seed, repeats = seed + 1, repeats + 1
                    _still_hopeful(repeats, sizes[split], split)
                    continue
                spec = self._generate(seed)
                key = self._content_key(spec)
                new = key not in keys and self._fits(split, spec)
                repeats = 0 if new else repeats + 1
                _still_hopeful(repeats, sizes[split], split)
                if new:
                    keys.add(key)
                    lists[split].append(seed)
                seed += 1
        return lists

    @cached_property
    def _seeds(self) -> Mapping[str, Sequence[int]]:
        return self._stored if any(self._stored.values()) or not self._sizes else self.find(self._sizes)

    @cached_property
    def _held_out(self) -> tuple[dict[str, list[int]], frozenset[str]]:
        """The seeds of each finite split without repeated content, and the content keys of all."""
        kept: dict[str, list[int]] = {}
        keys: set[str] = set()
        for split in sorted(self._seeds):
            kept[split] = []
            for seed in self._seeds[split]:
                spec = self._generate(seed)
                key = self._content_key(spec)
                if key not in keys and self._fits_seed(split, seed) and self._fits(split, spec):
                    keys.add(key)
                    kept[split].append(seed)
        return kept, frozenset(keys)


def _still_hopeful(repeats: int, size: int, split: str) -> None:
    """Nothing, unless too many seeds in a row gave no new task."""
    if repeats > 100_000:
        raise TaskError(f"the generator has too few distinct tasks for {size} in split {split!r}")


def opaque_id(name: str) -> str:
    """An id for a task whose name is its answer: 12 hexadecimal digits, for equal names the same in any process."""
    return hashlib.blake2b(name.encode(), digest_size=6, person=b"task id").hexdigest()


def cut_by_hash(ids: Sequence[str], shares: Mapping[str, float]) -> dict[str, list[str]]:
    """Split a finite set of ids: order them by stable hash, then cut in the given shares, such as 80/10/10.

    Args:
        ids: Different texts.
        shares: Share of each split, from 0 to 1, in the order in which they are cut; together at most 1.
    """
    ordered = sorted(ids, key=lambda name: (hashlib.sha256(name.encode()).digest(), name))
    cut: dict[str, list[str]] = {}
    begin, total = 0, 0.0
    for split, share in shares.items():
        total += share
        end = round(total * len(ordered))
        cut[split] = ordered[begin:end]
        begin = end
    return cut
